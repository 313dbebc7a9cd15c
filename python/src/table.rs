//! `outplay.Table`: the solution of a game, with batch probing into NumPy arrays.

use crate::compiled::explored;
use crate::entries::TableIterator;
use crate::game::Game;
use crate::number::natural_or_none;
use crate::pickle::{self, PickleParts};
use crate::position::Position;
use crate::spell::spelled;
use crate::{errors, work};
use numpy::{PyArray1, PyReadonlyArrayDyn};
use outplay_core::{AnyGame, AnyPosition, Content, Game as _, LineBoard, Turn, Value};
use outplay_players::{ExactOracle, MoveValue};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_workbench::{Oracle, Read, Reader, Session, SolveAnswer, SolveRequest, Trouble, stats_svg};
use pyo3::exceptions::{PyDeprecationWarning, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Marker of unknown values in arrays of payoffs.
pub(crate) const UNKNOWN: i16 = i16::MIN;
/// Marker of obstacles in arrays of boards.
const OBSTACLE: i8 = 3;
/// Positions that a thread probes at a time.
const CHUNK: usize = 1 << 12;

/// The values of a game: of its start, and of every position where a strong method computed them.
#[pyclass(frozen, module = "outplay")]
pub(crate) struct Table {
    game: Game,
    /// The answer of `solve`, as `as_dict` returns it; `None` for a table that was opened.
    report: Option<Py<PyDict>>,
    seconds: f64,
    /// The table on disk, once a value was looked up.
    reader: OnceLock<Option<Reader>>,
    /// The positions of a table that is not stored or has means, once they were counted.
    listed: OnceLock<Vec<AnyPosition>>,
}

impl Table {
    fn over(game: Game, report: Option<Py<PyDict>>, seconds: f64) -> Table {
        Table { game, report, seconds, reader: OnceLock::new(), listed: OnceLock::new() }
    }

    pub(crate) fn new(py: Python<'_>, game: Game, answer: &SolveAnswer, seconds: f64) -> PyResult<Table> {
        let report = spelled(py, answer)?.into_bound(py).cast_into::<PyDict>()?.unbind();
        Ok(Table::over(game, Some(report), seconds))
    }

    /// Makes an unpickled table.
    pub(crate) fn restored(game: Game, report: Option<Py<PyDict>>, seconds: f64) -> Table {
        Table::over(game, report, seconds)
    }

    /// A field of the answer.
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = match &self.report {
            Some(report) => report.bind(py).get_item(name)?,
            None => None,
        };
        Ok(found.filter(|found| !found.is_none()))
    }

    /// A field of the answer; of an opened table, an attribute of the start.
    fn of_start<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        match (&self.report, self.start()?) {
            (Some(_), _) => self.field(py, name),
            (None, Some(start)) => {
                Ok(Some(start.into_pyobject(py)?.getattr(name)?).filter(|found| !found.is_none()))
            }
            (None, None) => Ok(None),
        }
    }

    /// Opens a table on disk.
    pub(crate) fn open(py: Python<'_>, game: Game) -> PyResult<Table> {
        let found = game.run(py, move |entry, session, monitor| {
            outplay_workbench::open_reader(session, entry, monitor)
        })?;
        if found.is_none() {
            let sentence = format!("there is no table of {} in {}", game.entry.spec(), game.data().display());
            return Err(errors::typed(
                py,
                "NoTableError",
                &sentence,
                Some("solve the game first: `game.solve()`"),
            ));
        }
        Ok(Table::over(game, None, 0.0))
    }

    fn start(&self) -> PyResult<Option<Position>> {
        Ok(self.game.entry.game().start().map(|start| self.game.at(start)))
    }
}

/// Source of position values.
enum ValueSource {
    Table(Reader),
    /// The ladder of solvers, where there is no table.
    Ladder(Oracle),
}

/// Values of one position: payoff and distance of the player to move, or the mean of the first player.
#[derive(Clone, Copy)]
struct ProbeResult {
    payoff: i16,
    distance: i32,
    mean: f64,
}

const NOTHING: ProbeResult = ProbeResult { payoff: UNKNOWN, distance: -1, mean: f64::NAN };

impl ValueSource {
    fn worth(
        &self,
        game: &AnyGame,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<ProbeResult, Trouble> {
        let exact = |value: outplay_core::Value| {
            let tie = value.payoff() == 0 && !value.is_repetition();
            let distance = value.distance().or_else(|| if tie { game.tie_plies(pos) } else { None });
            let payoff = i16::try_from(value.payoff()).unwrap_or(UNKNOWN);
            ProbeResult { payoff, distance: distance.map_or(-1, |plies| plies as i32), mean: f64::NAN }
        };
        Ok(match self {
            ValueSource::Table(reader) => match reader.read(pos)? {
                Some(Read::Value(value)) => exact(value),
                Some(Read::Mean(mean)) => ProbeResult { mean, ..NOTHING },
                None => NOTHING,
            },
            ValueSource::Ladder(oracle) => match oracle.value(pos, monitor)? {
                Some(MoveValue::Value(value)) => exact(value),
                Some(MoveValue::Mean(mean)) => {
                    let mean = if game.turn(pos) == Turn::Second { -mean } else { mean };
                    ProbeResult { mean, ..NOTHING }
                }
                None => NOTHING,
            },
        })
    }
}

/// Boards of one game in a byte array, top row first.
struct Boards {
    start: LineBoard,
    bytes: Vec<i8>,
}

impl Boards {
    fn len(&self) -> usize {
        self.bytes.len() / self.start.cells.len().max(1)
    }

    /// Returns the index of the first entry that is not a valid cell.
    fn first_wrong(&self) -> Option<usize> {
        let (width, height) = (self.start.width, self.start.height);
        self.bytes.iter().enumerate().find_map(|(at, entry)| {
            let (row, column) = (at / width % height, at % width);
            let blocked = || self.start.cells[column * height + height - 1 - row] == Content::Blocked;
            let right = matches!(entry, -1..=2) || (*entry == OBSTACLE && blocked());
            (!right).then_some(at)
        })
    }

    /// Fills a board; false if the stones are not possible in the game.
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
                        // A gap below a stone is impossible with gravity.
                        if covered && board.gravity && self.start.playable(cell) {
                            return false;
                        }
                        Content::Empty
                    }
                    (Content::Blocked, _) => Content::Blocked,
                    // Stones of the start position stay.
                    (stone, now) if stone == now => stone,
                    _ => return false,
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

/// Probes a chunk: the positions from an index on, as many as the slice has entries.
type ChunkProbe<'a> = dyn Fn(usize, &mut [ProbeResult]) -> Result<(), Trouble> + Sync + 'a;

/// Probes positions in chunks on several threads.
fn probe_chunks(
    count: usize,
    threads: usize,
    monitor: &dyn Monitor,
    work: &ChunkProbe<'_>,
) -> Result<Vec<ProbeResult>, Trouble> {
    let mut results = vec![NOTHING; count];
    let pieces: Vec<Mutex<&mut [ProbeResult]>> = results.chunks_mut(CHUNK).map(Mutex::new).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let trouble = Mutex::new(None);
    monitor.stage("probing", count as u64);
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(number) else { return };
            let mut piece = piece.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let done =
                if monitor.stopped() { Err(Trouble::stopped()) } else { work(number * CHUNK, &mut piece) };
            if let Err(error) = done {
                failed.store(true, Ordering::Relaxed);
                *trouble.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            }
            monitor.advance(piece.len() as u64);
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
            Ok(results)
        }
    }
}

/// Positions to probe.
enum ProbeInput {
    Boards(Boards),
    Positions(Vec<AnyPosition>),
}

/// Parses an array of boards, of shape (n, rows, columns), (n, cells) or (rows, columns).
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
            "an array of shape {shape:?} does not hold boards of {}; its shape must be (n, {}, {})",
            game.entry.spec(),
            start.height,
            start.width
        );
        return Err(errors::typed(py, "InputError", &sentence, None));
    }
    let bytes: Vec<i8> = {
        let narrow = narrowed(array)?;
        let narrow: PyReadonlyArrayDyn<'_, i8> = narrow.extract()?;
        narrow.as_array().iter().copied().collect()
    };
    let boards = Boards { start, bytes };
    if let Some(wrong) = boards.first_wrong() {
        let numpy = py.import("numpy")?;
        let index: Vec<usize> = numpy.call_method1("unravel_index", (wrong, &shape))?.extract()?;
        let value = array.get_item(PyTuple::new(py, &index)?)?.str()?;
        let sentence = format!(
            "the array's entry at {index:?} is {value}; cells are 0 (empty), 1 (first player), 2 or -1 (second player), \
             and 3 where the board of {} has an obstacle",
            game.entry.spec()
        );
        return Err(errors::typed(py, "InputError", &sentence, None));
    }
    Ok(Some(boards))
}

/// Narrows an integer array to int8 with saturation; 127 and -128 are not valid cells.
fn narrowed<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = array.py().import("numpy")?;
    let dtype = array.getattr("dtype")?;
    let (kind, bytes) =
        (dtype.getattr("kind")?.extract::<String>()?, dtype.getattr("itemsize")?.extract::<usize>()?);
    let clipped = match kind.as_str() {
        "u" => numpy.call_method1("minimum", (array, i8::MAX))?,
        "i" if bytes > 1 => numpy.call_method1("clip", (array, i8::MIN, i8::MAX))?,
        _ => array.clone(),
    };
    numpy.call_method1("ascontiguousarray", (clipped, "int8"))
}

/// Probes many positions, for `Table.probe` and `Game.probe`.
fn probe<'py>(
    game: &Game,
    positions: &Bound<'py, PyAny>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = positions.py();
    game.explored(py, None)?;
    let asked = match boards(game, positions)? {
        Some(boards) => ProbeInput::Boards(boards),
        None => {
            let found: PyResult<Vec<AnyPosition>> =
                positions.try_iter()?.map(|shown| game.find(&shown?)).collect();
            ProbeInput::Positions(found?)
        }
    };
    let threads = threads.unwrap_or(game.session.threads).max(1);
    let progress = work::listener(py, progress)?;
    let results = game.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
        let source = match outplay_workbench::open_reader(session, entry, monitor)? {
            Some(reader) => ValueSource::Table(reader),
            None => ValueSource::Ladder(Oracle::new(session.clone(), entry.clone())),
        };
        // The first query to the ladder solves the whole game, so it is made once, on one thread.
        let threads = if matches!(source, ValueSource::Ladder(_)) {
            if let Some(start) = entry.game().start() {
                source.worth(entry.game(), &start, monitor)?;
            }
            1
        } else {
            threads
        };
        let game = entry.game();
        match &asked {
            ProbeInput::Boards(boards) => probe_chunks(boards.len(), threads, monitor, &|from, chunk| {
                let mut board = boards.start.clone();
                for (place, worth) in chunk.iter_mut().enumerate() {
                    if boards.fill(from + place, &mut board)
                        && let Some(pos) = game.placed(&board)
                    {
                        *worth = source.worth(game, &pos, monitor)?;
                    }
                }
                Ok(())
            }),
            ProbeInput::Positions(list) => probe_chunks(list.len(), threads, monitor, &|from, chunk| {
                for (place, worth) in chunk.iter_mut().enumerate() {
                    *worth = source.worth(game, &list[from + place], monitor)?;
                }
                Ok(())
            }),
        }
    })?;
    if game.entry.game().has_dice() {
        let means = PyArray1::from_vec(py, results.iter().map(|worth| worth.mean).collect());
        return PyTuple::new(py, [means.into_any(), py.None().into_bound(py)]);
    }
    let payoffs = PyArray1::from_vec(py, results.iter().map(|worth| worth.payoff).collect());
    let distances = PyArray1::from_vec(py, results.iter().map(|worth| worth.distance).collect());
    PyTuple::new(py, [payoffs.into_any(), distances.into_any()])
}

#[pymethods]
impl Table {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The value of the start: "win", "draw" or "loss" for the player to move; None without a start or with chance.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.of_start(py, "value")
    }

    /// Plies to the end from the start.
    #[getter]
    fn distance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.of_start(py, "distance")
    }

    /// Games with chance: the probability that the first player wins or, where payoffs exceed 1, the mean payoff.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.of_start(py, "expected")
    }

    /// The best moves at the start.
    #[getter]
    fn best(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.of_start(py, "best")?.map_or(Ok(Vec::new()), |best| best.extract())
    }

    /// The method that found the value.
    #[getter]
    fn method(&self, py: Python<'_>) -> PyResult<String> {
        self.field(py, "method")?.map_or(Ok("table".into()), |method| method.extract())
    }

    /// Numbers of positions ("legal", "finished") and their values for the first player ("win", "draw", "loss"). None
    /// where not all were solved, or where positions are stored without colours.
    #[getter]
    fn positions_for_first<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.field(py, "merged")? {
            Some(_) => Ok(None),
            None => self.counts(py),
        }
    }

    /// Numbers of positions ("legal", "finished") and their values for the player to move ("win", "draw", "loss"), as
    /// `value` and `probe` count. None where not all were solved.
    #[getter]
    fn positions_for_mover<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (Some(counts), Some(by_turn)) = (self.counts(py)?, self.field(py, "by_turn")?) else {
            return Ok(None);
        };
        for value in ["win", "draw", "loss"] {
            let mut sum = 0u64;
            for side in by_turn.call_method0("values")?.try_iter()? {
                sum += side?.get_item(value)?.extract::<u64>()?;
            }
            counts.set_item(value, sum)?;
        }
        Ok(Some(counts))
    }

    /// Deprecated: `positions_for_first`, or `positions_for_mover` where positions are stored without colours.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let warning = py.get_type::<PyDeprecationWarning>();
        let sentence = c"`Table.positions` counts values for the first player; use `positions_for_first` or `positions_for_mover`";
        PyErr::warn(py, &warning, sentence, 1)?;
        self.counts(py)
    }

    /// Whether the values are on disk.
    #[getter]
    fn stored(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.report.is_none() || self.field(py, "table")?.is_some())
    }

    /// The solving time in seconds, including the exploration of rules in Python.
    #[getter]
    fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The complete answer as a dictionary, with the fields that `outplay solve --json` prints.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.report.as_ref().map(|report| deep_copy(report.bind(py))).transpose()
    }

    /// Probes many positions; returns an array of payoffs and one of distances, for the player to move. In games with
    /// chance it returns the first player's means and None.
    ///
    /// - `positions`: an array of boards of shape (n, rows, columns), or an iterable of positions or their texts.
    /// - `threads`: number of threads.
    /// - `progress`: as in `Game.solve`.
    #[pyo3(signature = (positions, *, threads=None, progress=None))]
    fn probe<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = natural_or_none)] threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        probe(&self.game, positions, threads, progress)
    }

    /// Derives every value again from its successors; returns a dictionary with "checked" and "wrong".
    #[pyo3(signature = (*, progress=None))]
    fn verify(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let game = self.game.clone().into_pyobject(py)?;
        let options = pyo3::types::PyDict::new(py);
        options.set_item("progress", progress)?;
        game.call_method("verify", (), Some(&options)).map(Bound::unbind)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {}

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        if let Some(listed) = self.listed(py)? {
            return Ok(listed.len());
        }
        match self.counts(py)? {
            Some(counts) => counts.get_item("legal")?.extract(),
            None => {
                let report = self
                    .game
                    .run(py, move |entry, session, _| outplay_workbench::stats(session, entry, None))?;
                Ok(report.positions.legal as usize)
            }
        }
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __contains__(&self, position: &Bound<'_, PyAny>) -> PyResult<bool> {
        match self.look_up(position) {
            Ok(found) => Ok(found.is_some()),
            // Text that is no position, or a position of another game.
            Err(error) if error.is_instance_of::<PyValueError>(position.py()) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the value of a position, given as an object or as text: a tuple of `value`, `payoff`, `distance` and
    /// `mean`.
    fn __getitem__<'py>(&self, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        let Some(found) = self.look_up(position)? else {
            let shown = position.str()?.to_string();
            return Err(PyKeyError::new_err(format!("the table has no value of {shown}")));
        };
        let make = py.import("outplay._table")?.getattr("TableValue")?;
        if found.payoff == UNKNOWN {
            return make.call1((py.None(), py.None(), py.None(), found.mean));
        }
        let word = Value::untimed(found.payoff.into()).verdict().word();
        let distance = Some(found.distance).filter(|&distance| distance >= 0);
        make.call1((word, found.payoff, distance, py.None()))
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<TableIterator> {
        match (self.listed(py)?, self.reader(py)?) {
            (None, Some(reader)) => TableIterator::over_table(py, self.game.clone(), reader.clone()),
            (listed, _) => Ok(TableIterator::over_list(self.game.clone(), listed.unwrap_or_default())),
        }
    }

    /// The positions with their values as a `pandas.DataFrame`, a row each: `position`, `turn`, `value`, `payoff` and
    /// `distance`; `mean` with chance.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("outplay._frames")?.call_method1("to_pandas", (slf,))
    }

    /// The same as a `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("outplay._frames")?.call_method1("to_polars", (slf,))
    }

    /// Returns the numbers of positions by ply, value and distance, as a dictionary. A table that is not stored is
    /// computed again in a temporary directory.
    fn stats(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.stored(py)? {
            let report =
                self.game.run(py, move |entry, session, _| outplay_workbench::stats(session, entry, None))?;
            return spelled(py, &report);
        }
        let game = self.game.explored(py, None)?;
        let directory: PathBuf =
            py.import("tempfile")?.call_method1("mkdtemp", ("", "outplay-"))?.extract()?;
        let mut session = Session::at(&directory);
        (session.memory, session.threads) = (game.session.memory, game.session.threads);
        session.time = game.session.time;
        let report = game.run(py, move |entry, _, monitor| {
            let mut request = SolveRequest::default();
            request.store = true;
            outplay_workbench::solve(&session, entry, &request, monitor)?;
            outplay_workbench::stats(&session, entry, None)
        });
        // The report does not depend on whether the files can be removed.
        let _ = std::fs::remove_dir_all(&directory);
        spelled(py, &report?)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if !self.stored(py)? || self.game.entry.game().has_dice() {
            return Ok(None);
        }
        let report = self
            .game
            .run(py, move |entry, session, _| Ok(outplay_workbench::stats(session, entry, None).ok()))?;
        Ok(report.map(|report| stats_svg(&report)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py>> {
        pickle::of_table(py, &self.game, self.report.as_ref(), self.seconds)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.game.entry.spec();
        let expected = self.expected(py)?.map(|expected| expected.extract::<f64>()).transpose()?;
        let worth = match (self.value(py)?, self.distance(py)?, expected) {
            (Some(value), Some(plies), _) => format!("{value} in {plies}"),
            (Some(value), None, _) => value.to_string(),
            (None, _, Some(expected)) => format!("{expected:.6}"),
            _ => "no start".into(),
        };
        Ok(format!("<table of {spec}: {worth}, by {}>", self.method(py)?))
    }
}

impl Table {
    /// The table on disk; `None` if there is none.
    fn reader(&self, py: Python<'_>) -> PyResult<Option<&Reader>> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader.as_ref());
        }
        self.game.explored(py, None)?;
        let found = self
            .game
            .run(py, |entry, session, monitor| outplay_workbench::open_reader(session, entry, monitor))?;
        Ok(self.reader.get_or_init(|| found).as_ref())
    }

    /// Looks up one position; `None` if it has no value.
    fn look_up(&self, position: &Bound<'_, PyAny>) -> PyResult<Option<ProbeResult>> {
        let py = position.py();
        let reader = self.reader(py)?;
        let pos = self.game.find(position)?;
        let found = match reader {
            Some(reader) => {
                let source = ValueSource::Table(reader.clone());
                let read = self.game.ask(py, |game| source.worth(game, &pos, &NoMonitor))?;
                read.map_err(|trouble| errors::trouble(py, trouble))?
            }
            None => {
                let game = self.game.explored(py, None)?;
                game.run(py, move |entry, session, monitor| {
                    let source = ValueSource::Ladder(Oracle::new(session.clone(), entry.clone()));
                    source.worth(entry.game(), &pos, monitor)
                })?
            }
        };
        Ok(Some(found).filter(|found| found.payoff != UNKNOWN || !found.mean.is_nan()))
    }

    /// The positions, if they are not those of a table on disk.
    fn listed(&self, py: Python<'_>) -> PyResult<Option<&[AnyPosition]>> {
        if self.reader(py)?.is_some() && !self.game.entry.game().has_dice() {
            return Ok(None);
        }
        if let Some(listed) = self.listed.get() {
            return Ok(Some(listed));
        }
        let game = self.game.explored_all(py, None)?;
        let listed = self.game.run(py, move |_, _, monitor| Ok(explored(&game, usize::MAX, monitor)?.1))?;
        Ok(Some(self.listed.get_or_init(|| listed)))
    }

    /// The counts of the answer.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.field(py, "positions")?.map(|counts| deep_copy(&counts)).transpose()
    }
}

/// Copies dictionaries and lists with everything in them.
fn deep_copy<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    value.py().import("copy")?.call_method1("deepcopy", (value,))
}
