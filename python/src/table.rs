//! `outplay.Table`: what solving a game left, and questions to it by the million.

use crate::game::Game;
use crate::position::Position;
use crate::spell::spelled;
use crate::{errors, work};
use numpy::{PyArray1, PyReadonlyArrayDyn};
use outplay_answer::{Oracle, Read, Reader, SolveAnswer, Trouble, stats_svg};
use outplay_core::{AnyGame, AnyPosition, Content, Game as _, LineBoard, Turn, Watch};
use outplay_players::{Merit, Truth};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What is not known, in arrays of payoffs.
pub(crate) const UNKNOWN: i16 = i16::MIN;
/// Positions that one thread asks for at a time.
const PIECE: usize = 1 << 12;

/// The values of a game: of its start, and of every position where a strong method found them.
#[pyclass(frozen, module = "outplay")]
pub(crate) struct Table {
    game: Game,
    answer: Option<SolveAnswer>,
    seconds: f64,
}

impl Table {
    pub(crate) fn new(game: Game, answer: SolveAnswer, seconds: f64) -> Table {
        Table { game, answer: Some(answer), seconds }
    }

    /// A table on disk.
    pub(crate) fn open(py: Python<'_>, game: Game) -> PyResult<Table> {
        let data = game.data();
        let found = game.run(py, move |entry, _, watch| entry.reader(&data, watch))?;
        if found.is_none() {
            let sentence = format!("there is no table of {} in {}", game.entry.spec(), game.data().display());
            return Err(errors::typed(
                py,
                "NoTableError",
                &sentence,
                Some("solve the game first: `game.solve()`"),
            ));
        }
        Ok(Table { game, answer: None, seconds: 0.0 })
    }

    fn start(&self) -> PyResult<Option<Position>> {
        Ok(self.game.entry.game().start().map(|start| self.game.at(start)))
    }
}

/// Somebody who knows values of positions.
enum Source {
    Table(Reader),
    /// The ladder, where there is no table.
    Ladder(Oracle),
}

/// What many positions are worth: payoffs and distances of the players to move, or means of the first player.
#[derive(Clone, Copy)]
struct Worth {
    payoff: i16,
    distance: i32,
    mean: f64,
}

const NOTHING: Worth = Worth { payoff: UNKNOWN, distance: -1, mean: f64::NAN };

impl Source {
    fn worth(&self, game: &AnyGame, pos: &AnyPosition, watch: &dyn Watch) -> Result<Worth, Trouble> {
        let exact = |value: outplay_core::Value| {
            let tie = value.payoff() == 0 && !value.is_repetition();
            let distance = value.distance().or_else(|| if tie { game.tie_plies(pos) } else { None });
            let payoff = i16::try_from(value.payoff()).unwrap_or(UNKNOWN);
            Worth { payoff, distance: distance.map_or(-1, |plies| plies as i32), mean: f64::NAN }
        };
        Ok(match self {
            Source::Table(reader) => match reader.read(pos)? {
                Some(Read::Value(value)) => exact(value),
                Some(Read::Mean(mean)) => Worth { mean, ..NOTHING },
                None => NOTHING,
            },
            Source::Ladder(oracle) => match oracle.value(pos, watch)? {
                Some(Merit::Value(value)) => exact(value),
                Some(Merit::Mean(mean)) => {
                    let mean = if game.turn(pos) == Turn::Second { -mean } else { mean };
                    Worth { mean, ..NOTHING }
                }
                None => NOTHING,
            },
        })
    }
}

/// Boards of one game in a row of bytes, top row first.
struct Boards {
    start: LineBoard,
    bytes: Vec<i8>,
}

impl Boards {
    fn len(&self) -> usize {
        self.bytes.len() / self.start.cells.len().max(1)
    }

    /// Fills a board; false if no game has such stones.
    fn fill(&self, number: usize, board: &mut LineBoard) -> bool {
        let (width, height) = (board.width, board.height);
        let bytes = &self.bytes[number * width * height..(number + 1) * width * height];
        let mut placed = [0i32; 2];
        for column in 0..width {
            let mut covered = false;
            for row in (0..height).rev() {
                let cell = column * height + row;
                let before = self.start.cells[cell];
                let now = match bytes[(height - 1 - row) * width + column] {
                    1 => Content::First,
                    2 | -1 => Content::Second,
                    _ => Content::Empty,
                };
                board.cells[cell] = match (before, now) {
                    (Content::Empty, Content::First) => {
                        placed[0] += 1;
                        now
                    }
                    (Content::Empty, Content::Second) => {
                        placed[1] += 1;
                        now
                    }
                    (Content::Empty, _) => {
                        // A gap below a stone: it cannot have fallen there.
                        if covered && board.gravity && self.start.playable(cell) {
                            return false;
                        }
                        Content::Empty
                    }
                    (other, _) => other,
                };
                covered |= matches!(board.cells[cell], Content::First | Content::Second);
                if now != Content::Empty && !self.start.playable(cell) {
                    return false;
                }
            }
        }
        let ahead =
            if self.start.turn == Turn::First { placed[0] - placed[1] } else { placed[1] - placed[0] };
        board.turn = if ahead == 0 { self.start.turn } else { self.start.turn.other() };
        ahead == 0 || ahead == 1
    }
}

/// Asks about the positions from a number on, as many as there are places.
type Piece<'a> = dyn Fn(usize, &mut [Worth]) -> Result<(), Trouble> + Sync + 'a;

/// Works through so many positions on some threads, piece by piece.
fn spread(count: usize, threads: usize, watch: &dyn Watch, work: &Piece<'_>) -> Result<Vec<Worth>, Trouble> {
    let mut worths = vec![NOTHING; count];
    let pieces: Vec<Mutex<&mut [Worth]>> = worths.chunks_mut(PIECE).map(Mutex::new).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let trouble = Mutex::new(None);
    watch.stage("probing", count as u64);
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(number) else { return };
            let mut piece = piece.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let done =
                if watch.stopped() { Err(Trouble::stopped()) } else { work(number * PIECE, &mut piece) };
            if let Err(error) = done {
                failed.store(true, Ordering::Relaxed);
                *trouble.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            }
            watch.advance(piece.len() as u64);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(pieces.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    match trouble.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error),
        None => {
            drop(pieces);
            Ok(worths)
        }
    }
}

/// Whoever knows values, and what to ask about.
enum Asked {
    Boards(Boards),
    Positions(Vec<AnyPosition>),
}

/// Boards that an array shows: of shape (n, rows, columns), (n, cells) or (rows, columns).
fn boards(game: &Game, array: &Bound<'_, PyAny>) -> PyResult<Option<Boards>> {
    let py = array.py();
    let Some(start) = game.entry.game().start().and_then(|start| game.entry.game().board(&start)) else {
        return Ok(None);
    };
    let Ok(shape) = array.getattr("shape").and_then(|shape| shape.extract::<Vec<usize>>()) else {
        return Ok(None);
    };
    if !array.getattr("dtype")?.getattr("kind")?.extract::<String>().is_ok_and(|kind| "iub".contains(&kind)) {
        return Ok(None);
    }
    let cells = start.cells.len();
    if !(shape.len() >= 2 && shape.iter().skip(1).product::<usize>() == cells
        || shape == [start.height, start.width])
    {
        let sentence = format!(
            "an array of shape {shape:?} shows no boards of {}; it must have the shape (n, {}, {})",
            game.entry.spec(),
            start.height,
            start.width
        );
        return Err(errors::typed(py, "InputError", &sentence, None));
    }
    let array = py.import("numpy")?.call_method1("ascontiguousarray", (array, "int8"))?;
    let array: PyReadonlyArrayDyn<'_, i8> = array.extract()?;
    let bytes = array.as_array().iter().copied().collect();
    Ok(Some(Boards { start, bytes }))
}

/// The values of many positions, for `Table.probe` and `Game.probe`.
fn probe<'py>(
    game: &Game,
    positions: &Bound<'py, PyAny>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = positions.py();
    game.meet(py, None)?;
    let asked = match boards(game, positions)? {
        Some(boards) => Asked::Boards(boards),
        None => {
            let found: PyResult<Vec<AnyPosition>> =
                positions.try_iter()?.map(|shown| game.find(&shown?)).collect();
            Asked::Positions(found?)
        }
    };
    let threads = threads.unwrap_or(game.options.threads).max(1);
    let progress = work::listener(py, progress)?;
    let data = game.data();
    let worths = game.run_told(py, progress.as_ref(), move |entry, options, watch| {
        let source = match entry.reader(&data, watch)? {
            Some(reader) => Source::Table(reader),
            None => Source::Ladder(Oracle::new(entry.clone(), options.clone())),
        };
        // The first question to the ladder solves everything, and is asked once.
        let threads = if matches!(source, Source::Ladder(_)) {
            if let Some(start) = entry.game().start() {
                source.worth(entry.game(), &start, watch)?;
            }
            1
        } else {
            threads
        };
        let game = entry.game();
        match &asked {
            Asked::Boards(boards) => spread(boards.len(), threads, watch, &|from, piece| {
                let mut board = boards.start.clone();
                for (place, worth) in piece.iter_mut().enumerate() {
                    if boards.fill(from + place, &mut board)
                        && let Some(pos) = game.placed(&board)
                    {
                        *worth = source.worth(game, &pos, watch)?;
                    }
                }
                Ok(())
            }),
            Asked::Positions(list) => spread(list.len(), threads, watch, &|from, piece| {
                for (place, worth) in piece.iter_mut().enumerate() {
                    *worth = source.worth(game, &list[from + place], watch)?;
                }
                Ok(())
            }),
        }
    })?;
    if game.entry.game().has_dice() {
        let means = PyArray1::from_vec(py, worths.iter().map(|worth| worth.mean).collect());
        return PyTuple::new(py, [means.into_any(), py.None().into_bound(py)]);
    }
    let payoffs = PyArray1::from_vec(py, worths.iter().map(|worth| worth.payoff).collect());
    let distances = PyArray1::from_vec(py, worths.iter().map(|worth| worth.distance).collect());
    PyTuple::new(py, [payoffs.into_any(), distances.into_any()])
}

#[pymethods]
impl Table {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The value of the start: "win", "draw" or "loss" for the player to move; None without a start or with dice.
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Option<String>> {
        match &self.answer {
            Some(answer) => match &answer.answer {
                outplay_answer::Answer::Unknown { .. } => Ok(Some("unknown".into())),
                answer => Ok(answer.verdict().map(|verdict| verdict.word().to_string())),
            },
            None => match self.start()? {
                Some(start) => start.into_pyobject(py)?.getattr("value")?.extract(),
                None => Ok(None),
            },
        }
    }

    /// Plies to the end from the start.
    #[getter]
    fn distance(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        match (&self.answer, self.start()?) {
            (Some(answer), _) => Ok(answer.answer.distance()),
            (None, Some(start)) => start.into_pyobject(py)?.getattr("distance")?.extract(),
            (None, None) => Ok(None),
        }
    }

    /// Games with dice: the probability that the first player wins or, where more than 1 is paid, the mean.
    #[getter]
    fn expected(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        match (&self.answer, self.start()?) {
            (Some(answer), _) => Ok(answer.answer.expected()),
            (None, Some(start)) => start.into_pyobject(py)?.getattr("expected")?.extract(),
            (None, None) => Ok(None),
        }
    }

    /// The best moves at the start.
    #[getter]
    fn best(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        match (&self.answer, self.start()?) {
            (Some(answer), _) => Ok(answer.best.clone()),
            (None, Some(start)) => start.into_pyobject(py)?.getattr("best")?.extract(),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// How the value was found.
    #[getter]
    fn method(&self) -> &'static str {
        self.answer.as_ref().map_or("table", |answer| answer.method.word())
    }

    /// How many positions there are, by value; None where not all were solved.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let counts = self.answer.as_ref().and_then(|answer| answer.positions.as_ref());
        counts.map(|counts| spelled(py, counts)).transpose()
    }

    /// Whether the values are on disk.
    #[getter]
    fn stored(&self) -> bool {
        self.answer.as_ref().is_none_or(|answer| answer.table.is_some())
    }

    /// Seconds that solving took, exploring rules in Python included.
    #[getter]
    fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The whole answer as a dictionary, with the fields that `outplay solve --json` prints.
    fn as_dict(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.answer.as_ref().map(|answer| spelled(py, answer)).transpose()
    }

    /// The values of many positions at once, as a pair of arrays.
    #[pyo3(signature = (positions, *, threads=None, progress=None))]
    fn probe<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        probe(&self.game, positions, threads, progress)
    }

    /// Derives every value again from its successors: a dictionary with "checked" and "wrong".
    #[pyo3(signature = (*, progress=None))]
    fn verify(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let game = self.game.clone().into_pyobject(py)?;
        let options = pyo3::types::PyDict::new(py);
        options.set_item("progress", progress)?;
        game.call_method("verify", (), Some(&options)).map(Bound::unbind)
    }

    /// Positions by ply, value and distance, as a dictionary.
    fn stats(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let data = self.game.data();
        let report = self.game.run(py, move |entry, _, _| entry.stats(&data, None))?;
        spelled(py, &report)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if !self.stored() || self.game.entry.game().has_dice() {
            return Ok(None);
        }
        let data = self.game.data();
        let report = self.game.run(py, move |entry, _, _| Ok(entry.stats(&data, None).ok()))?;
        Ok(report.map(|report| stats_svg(&report)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.game.entry.spec();
        let worth = match (self.value(py)?, self.distance(py)?, self.expected(py)?) {
            (Some(value), Some(plies), _) => format!("{value} in {plies}"),
            (Some(value), None, _) => value,
            (None, _, Some(expected)) => format!("{expected:.6}"),
            _ => "no start".into(),
        };
        Ok(format!("<table of {spec}: {worth}, by {}>", self.method()))
    }
}
