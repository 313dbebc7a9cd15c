//! `outplay.Game`: a game given by name, by rules in Python, or by a graph, with all queries about it.

use crate::fault::ExceptionSlot;
use crate::number::natural;
use crate::pickle::{self, PickleParts};
use crate::position::Position;
use crate::rules::{ExploredGraph, PythonRules};
use crate::spell::spelled;
use crate::table::Table;
use crate::{actions, errors, work};
use outplay_catalog::Catalog;
use outplay_core::{AnyGame, AnyPosition, Game as _, Notation};
use outplay_runtime::Monitor;
use outplay_workbench::{
    GameBuilder, GameHandle, Method, PositionRef, Session, SolveRequest, Values, default_data_dir,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Most positions of a game in Python that are explored before a query.
const MOST: usize = 20_000_000;
/// Most cells of a board that is solved in memory by the sweep: at most 6,000 positions or so.
const TINY: usize = 9;
/// Time limit of that exploration, if none is given.
const PATIENCE: Duration = Duration::from_secs(60);

/// A game and all queries about it. Make one with `outplay.game`.
#[pyclass(frozen, module = "outplay", eq, hash)]
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) entry: GameHandle,
    pub(crate) rules: Option<PythonRules>,
    pub(crate) session: Session,
    /// Whether a question was answered from a table, which is then open; shared by all handles of the game.
    pub(crate) has_open_table: Arc<AtomicBool>,
}

/// Handles of the same game are equal, whatever their limits are.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        match (&self.rules, &other.rules) {
            (Some(one), Some(two)) => one.is_same(two),
            (None, None) => self.entry.spec() == other.entry.spec(),
            _ => false,
        }
    }
}

impl Hash for Game {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entry.spec().hash(state);
    }
}

impl Game {
    pub(crate) fn new(entry: GameHandle, rules: Option<PythonRules>, session: Session) -> Game {
        Game { entry, rules, session, has_open_table: Arc::default() }
    }

    /// Creates a game from Python rules or a graph.
    pub(crate) fn of_rules(rules: PythonRules, session: Session) -> Game {
        rules.limit_memory(session.memory);
        let entry = if rules.has_dice() {
            GameBuilder::new(rules.clone()).chance().build()
        } else {
            GameBuilder::new(rules.clone()).build()
        };
        Game::new(entry, Some(rules), session)
    }

    /// The same game with another time limit, if one is given.
    pub(crate) fn within(&self, py: Python<'_>, time: Option<f64>) -> PyResult<Game> {
        Ok(Game { session: Limits { time, ..Limits::default() }.on(py, &self.session)?, ..self.clone() })
    }

    pub(crate) fn at(&self, pos: AnyPosition) -> Position {
        Position::new(self.clone(), pos)
    }

    /// The exception slots of Python code that may run for this game.
    pub(crate) fn faults(&self) -> Vec<ExceptionSlot> {
        self.rules.as_ref().and_then(PythonRules::fault_of).into_iter().collect()
    }

    /// Calls the rules on this thread. A panic becomes an error of the package, and an exception of Python rules is
    /// raised again.
    pub(crate) fn ask<T>(&self, py: Python<'_>, read: impl FnOnce(&AnyGame) -> T) -> PyResult<T> {
        let said = work::guarded(py, || read(self.entry.game()));
        self.faults().iter().find_map(ExceptionSlot::take).map_or(said, Err)
    }

    /// The error for a position that belongs to another game.
    fn foreign(&self, position: &Position, py: Python<'_>) -> PyErr {
        let (theirs, ours) = (position.game.entry.spec(), self.entry.spec());
        let other = if theirs == ours { "another game called " } else { "" };
        let sentence = format!("the position belongs to {other}{theirs}, not to {ours}");
        let cure = "pass a position of the same game, for example one made by `game.position(…)`";
        errors::typed(py, "InputError", &sentence, Some(cure))
    }

    /// Explores all positions of a game in Python, so that solvers need no calls into Python, for at most half of the
    /// time. A game too large for that is explored lazily. The returned handle has the remaining time.
    pub(crate) fn explored(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<Game> {
        let began = Instant::now();
        self.explore(py, self.session.time.map_or(PATIENCE, |time| time / 2), progress)?;
        let mut game = self.clone();
        game.session.time = self.session.time.map(|time| time.saturating_sub(began.elapsed()));
        Ok(game)
    }

    /// Explores all positions with the full time limit; an error if that is not possible.
    pub(crate) fn explored_all(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<Game> {
        let began = Instant::now();
        let time = self.session.time.unwrap_or(PATIENCE);
        let spec = self.entry.spec();
        let (limit, cure) = match self.explore(py, time, progress)? {
            ExploredGraph::All => {
                let mut game = self.clone();
                game.session.time = self.session.time.map(|time| time.saturating_sub(began.elapsed()));
                return Ok(game);
            }
            ExploredGraph::OutOfTime => {
                (format!("in {} s", time.as_secs_f64()), "allow more with `time=seconds`")
            }
            ExploredGraph::OutOfMemory => (
                format!("in half of {} MB of memory", self.session.memory / 1_000_000),
                "allow more with `memory=bytes`",
            ),
            ExploredGraph::TooMany => (format!("with a limit of {MOST}"), "make the game smaller"),
        };
        let sentence = format!("{spec} has more positions than could be explored {limit}");
        Err(errors::typed(py, "LimitError", &sentence, Some(&format!("{cure}, or query a single position"))))
    }

    fn explore(
        &self,
        py: Python<'_>,
        time: Duration,
        progress: Option<&Py<PyAny>>,
    ) -> PyResult<ExploredGraph> {
        let Some(rules) = &self.rules else { return Ok(ExploredGraph::All) };
        rules.limit_memory(self.session.memory);
        let mut reported = Instant::now();
        let end = Instant::now().checked_add(time);
        rules.seal(py, MOST, end, &mut |met| match progress
            .filter(|_| reported.elapsed() > Duration::from_millis(100))
        {
            Some(progress) => {
                reported = Instant::now();
                progress.call1(py, ("exploring", met, 0)).map(drop)
            }
            None => Ok(()),
        })
    }

    /// Runs a job about this game on a worker thread, with the interpreter released.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&GameHandle, &Session, &dyn Monitor) -> Result<T, outplay_workbench::Trouble>
        + Send
        + 'static,
    ) -> PyResult<T> {
        self.run_with_progress(py, None, job)
    }

    /// Runs a job about this game and reports its progress.
    pub(crate) fn run_with_progress<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<&Py<PyAny>>,
        job: impl FnOnce(&GameHandle, &Session, &dyn Monitor) -> Result<T, outplay_workbench::Trouble>
        + Send
        + 'static,
    ) -> PyResult<T> {
        let (entry, session) = (self.entry.clone(), self.session.clone());
        let done = work::run(py, self.faults(), progress, move |monitor| job(&entry, &session, monitor))?;
        done.map_err(|trouble| errors::trouble(py, trouble))
    }

    /// Whether the game has a board on which the sweep is quicker than the bit-planes, whose plan takes milliseconds.
    fn is_tiny(&self) -> bool {
        let game = self.entry.game();
        let board = game.start().and_then(|start| game.board(&start));
        board.is_some_and(|board| board.cells.len() <= TINY)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.session.data.clone().unwrap_or_else(default_data_dir)
    }

    /// Returns the position that a text or a Python object denotes.
    pub(crate) fn find(&self, shown: &Bound<'_, PyAny>) -> PyResult<AnyPosition> {
        let py = shown.py();
        if let Ok(position) = shown.cast::<Position>() {
            let position = position.get();
            return match position.game == *self {
                true => Ok(position.pos.clone()),
                false => Err(self.foreign(position, py)),
            };
        }
        if let Some(rules) = &self.rules
            && !(shown.is_instance_of::<pyo3::types::PyString>() && rules.find(shown)?.is_none())
        {
            let Some(id) = rules.find(shown)? else {
                let sentence = format!("{} is not a reachable position", shown.repr()?);
                return Err(errors::typed(py, "InputError", &sentence, None));
            };
            return Ok(outplay_core::Native::new(rules.clone()).any(id));
        }
        let text: String = shown.extract().map_err(|_| {
            let sentence = "a position of this game must be text or an `outplay.Position`";
            errors::typed(py, "InputError", sentence, None)
        })?;
        self.ask(py, |game| game.read_position(&text))?.map_err(|error| errors::input(py, &error))
    }
}

/// Limits given from Python; those not given stay unchanged.
#[derive(Default)]
pub(crate) struct Limits {
    pub(crate) memory: Option<f64>,
    pub(crate) threads: Option<i64>,
    pub(crate) time: Option<f64>,
    pub(crate) data: Option<PathBuf>,
}

impl Limits {
    /// Returns the session with these limits.
    pub(crate) fn on(self, py: Python<'_>, session: &Session) -> PyResult<Session> {
        let mut session = session.clone();
        if let Some(memory) = self.memory {
            session.memory = amount(py, "memory", "bytes", memory)? as u64;
        }
        if let Some(threads) = self.threads {
            session.threads = amount(py, "threads", "threads", threads as f64)?.max(1.0) as usize;
        }
        if let Some(time) = self.time {
            session.time = Some(seconds(py, time)?);
        }
        session.data = self.data.or(session.data);
        Ok(session)
    }
}

/// Validates a non-negative number.
fn amount(py: Python<'_>, name: &str, unit: &str, given: f64) -> PyResult<f64> {
    match given.is_finite() && given >= 0.0 {
        true => Ok(given),
        false => {
            let sentence =
                format!("`{name}={given}`: the value must be a finite number of {unit}, 0 or more");
            Err(errors::typed(py, "InputError", &sentence, Some("omit it to use the default limit")))
        }
    }
}

/// Converts seconds to a duration of at most 10^10 seconds.
pub(crate) fn seconds(py: Python<'_>, given: f64) -> PyResult<Duration> {
    Ok(Duration::from_secs_f64(amount(py, "time", "seconds", given)?.min(1e10)))
}

/// Opens a game: a spec such as `connect4:5x4`, or an object with the methods `start`, `turn`, `moves`, `play` and
/// `outcome`.
///
/// - `memory`, `threads`, `time`: limits in bytes, threads and seconds.
/// - `data`: the directory of tables.
/// - `check`: check the laws of rules in Python at every position instead of samples.
#[pyfunction]
#[pyo3(signature = (spec, *, memory=None, threads=None, time=None, data=None, check=false))]
pub(crate) fn game(
    py: Python<'_>,
    spec: &Bound<'_, PyAny>,
    memory: Option<f64>,
    threads: Option<i64>,
    time: Option<f64>,
    data: Option<PathBuf>,
    check: bool,
) -> PyResult<Game> {
    let limits = Limits { memory, threads, time, data };
    if let Ok(game) = spec.cast::<Game>() {
        if check {
            let sentence = "`check=True` applies to rules, not to a game that already exists";
            return Err(errors::typed(py, "InputError", sentence, Some("use `op.game(rules, check=True)`")));
        }
        let game = game.get();
        return Ok(Game { session: limits.on(py, &game.session)?, ..game.clone() });
    }
    let session = limits.on(py, &Session::at(default_data_dir()))?;
    match spec.extract::<String>() {
        Ok(spec) => {
            let opened = work::guarded(py, || Catalog::standard().open(&spec))?;
            let entry = opened.map_err(|error| {
                // The catalog refers to the command line; the cure replaces that.
                let text = error.to_string();
                let sentence = text.split("`outplay games`").next().unwrap_or_default();
                let cure = "`outplay.games()` lists the games";
                errors::typed(py, "InputError", sentence.trim_end_matches([' ', ';']), Some(cure))
            })?;
            Ok(Game::new(entry, None, session))
        }
        Err(_) => Ok(Game::of_rules(PythonRules::of_object(spec, check)?, session)),
    }
}

#[pymethods]
impl Game {
    /// The canonical spec.
    #[getter]
    fn spec(&self) -> String {
        self.entry.spec()
    }

    /// A warning about the game, such as one about unusual parameters; None if there is none.
    #[getter]
    fn warning(&self) -> Option<String> {
        self.entry.warning()
    }

    /// Whether the game has chance nodes.
    #[getter]
    fn dice(&self) -> bool {
        self.entry.game().has_dice()
    }

    /// The largest payoff.
    #[getter]
    fn best_payoff(&self) -> i32 {
        self.entry.game().best_payoff()
    }

    /// Columns and rows of the board, for games of k in a row.
    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<Option<(usize, usize)>> {
        let board = self.ask(py, |game| game.start().and_then(|start| game.board(&start)))?;
        Ok(board.map(|board| (board.width, board.height)))
    }

    /// The number of action numbers of a game of k in a row: its columns with gravity, else its cells. None for other
    /// games, whose actions are places in the list of legal moves.
    fn num_distinct_actions(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        actions::board_actions(py, self)
    }

    /// The start position, by the name that OpenSpiel uses.
    fn new_initial_state(&self, py: Python<'_>) -> PyResult<Position> {
        self.start(py)
    }

    /// The start position.
    #[getter]
    fn start(&self, py: Python<'_>) -> PyResult<Position> {
        let start = self.ask(py, |_| self.entry.locate(&PositionRef::Start))?;
        start.map(|start| self.at(start)).map_err(|trouble| errors::trouble(py, trouble))
    }

    /// The position after some moves, from the start or from the position `at`. The moves are text in the game's
    /// notation, or a list of moves: words, `outplay.Move` objects, or move objects of rules in Python.
    #[pyo3(signature = (moves=None, *, at=None))]
    fn position(
        &self,
        py: Python<'_>,
        moves: Option<&Bound<'_, PyAny>>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Position> {
        let from = match at {
            Some(at) => self.at(self.find(at)?),
            None => self.start(py)?,
        };
        let Some(moves) = moves else { return Ok(from) };
        if let Ok(text) = moves.extract::<String>() {
            let words = self.ask(py, |game| game.split_moves(&text))?;
            return words.iter().try_fold(from, |pos, word| pos.after(py, word));
        }
        let Ok(list) = moves.try_iter() else {
            let sentence = format!("{} is not a list of moves", moves.repr()?);
            let cure = "pass text such as \"b2 a1\", or a list such as [\"b2\", \"a1\"]";
            return Err(errors::typed(py, "InputError", &sentence, Some(cure)));
        };
        list.into_iter().try_fold(from, |pos, mv| pos.after_move(&mv?))
    }

    /// The position with an index number, for games without a start such as chess endings; None if no position has that
    /// number.
    fn numbered(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = natural)] number: u64,
    ) -> PyResult<Option<Position>> {
        self.ask(py, |game| {
            let pos = outplay_workbench::numbered_position(&self.entry, number)?;
            // Parsing rejects positions that play cannot reach.
            game.read_position(&game.write_position(&pos)).ok().map(|pos| self.at(pos))
        })
    }

    /// Solves the game; returns the value of the start and, where a strong method fits, of every position.
    ///
    /// - `method`: as in `outplay solve --method`.
    /// - `values`: "distance" or "wdl".
    /// - `save`: whether the table is stored on disk; by default only for games by name.
    /// - `data`: the directory of tables.
    /// - `time`: time limit in seconds.
    /// - `progress`: True, False, None (a bar on a terminal) or a function of (stage, done, total).
    #[pyo3(signature = (*, method="auto", values="distance", save=None, data=None, time=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn solve(
        &self,
        py: Python<'_>,
        method: &str,
        values: &str,
        save: Option<bool>,
        data: Option<PathBuf>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let wrong = |sentence: String| errors::typed(py, "InputError", &sentence, None);
        let method: Method = method.parse().map_err(wrong)?;
        let values = match values {
            "distance" => Values::Distance,
            "wdl" => Values::Wdl,
            other => return Err(wrong(format!("`values={other}`: use \"distance\" or \"wdl\""))),
        };
        let progress = work::listener(py, progress)?;
        let began = Instant::now();
        let asked = self.within(py, time)?.explored_all(py, progress.as_ref())?;
        // Rules in Python change from cell to cell of a notebook, so their tables are stored only on request.
        let store = save.unwrap_or(self.rules.is_none()) || data.is_some();
        let method = if method == Method::Auto && !store && self.is_tiny() { Method::Sweep } else { method };
        let data = data.unwrap_or_else(|| self.data());
        let place = data.clone();
        let mut game = self.clone();
        game.session.data = Some(data.clone());
        let answer = asked.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
            let mut request = SolveRequest::default();
            request.method = method;
            request.values = values;
            request.store = store;
            let session = session.with(|session| session.data = Some(place));
            outplay_workbench::solve(&session, entry, &request, monitor)
        })?;
        Table::new(py, game, &answer, began.elapsed().as_secs_f64())
    }

    /// Opens the table on disk. Raises `NoTableError` if the game has not been solved.
    #[pyo3(signature = (*, data=None))]
    fn table(&self, py: Python<'_>, data: Option<PathBuf>) -> PyResult<Table> {
        let mut game = self.clone();
        game.session.data = Some(data.unwrap_or_else(|| self.data()));
        game.explored(py, None)?;
        Table::open(py, game)
    }

    /// Derives every value of the game's table again from its successors, and returns a dictionary with "checked" and
    /// "wrong".
    #[pyo3(signature = (*, data=None, progress=None))]
    fn verify(
        &self,
        py: Python<'_>,
        data: Option<PathBuf>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let data = data.unwrap_or_else(|| self.data());
        let progress = work::listener(py, progress)?;
        self.explored(py, progress.as_ref())?;
        let report = self.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
            let session = session.with(|session| session.data = Some(data));
            outplay_workbench::verify(&session, entry, None, monitor)
        })?;
        spelled(py, &report)
    }

    /// Plays `count` random games, in which every legal move is equally likely; returns an array of the first player's
    /// payoffs and one of the numbers of moves, as the fields `payoffs` and `plies` of a tuple.
    ///
    /// - `seed`: random seed; a fresh one by default. The results do not depend on the number of threads.
    /// - `rng`: a generator that draws the seed, `random.Random` or `numpy.random.Generator`.
    /// - `at`: the position in which the games begin.
    /// - `plies`: moves after which a game is given up; its payoff is `outplay.UNKNOWN`. 10,000 by default.
    /// - `threads`, `progress`: as in `Table.probe`.
    #[pyo3(signature = (count, seed=None, *, rng=None, at=None, plies=10_000, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn playouts<'py>(
        slf: &Bound<'py, Self>,
        count: &Bound<'py, PyAny>,
        seed: Option<&Bound<'py, PyAny>>,
        rng: Option<&Bound<'py, PyAny>>,
        at: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = natural)] plies: u32,
        threads: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(slf.py());
        options.set_item("at", at)?;
        options.set_item("plies", plies)?;
        options.set_item("threads", threads)?;
        options.set_item("progress", progress)?;
        let module = slf.py().import("outplay._playouts")?;
        module.call_method1("playouts", (slf, count, seed, rng, options))
    }

    /// The players of this game, and their specs in order of strength.
    fn players(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        spelled(py, &self.ask(py, |_| outplay_workbench::players(&self.session, &self.entry))?)
    }

    /// The search tree from a position as a self-contained SVG.
    #[pyo3(signature = (moves=None, *, depth=2, prune=false))]
    fn tree(
        &self,
        py: Python<'_>,
        moves: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = natural)] depth: u32,
        prune: bool,
    ) -> PyResult<String> {
        let at = self.position(py, moves, None)?.pos;
        let report = self.run(py, move |entry, _, monitor| {
            outplay_teach::tree(entry, &PositionRef::At(at), depth, prune, None, monitor)
        })?;
        Ok(report.svg)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py>> {
        pickle::of_game(py, self, false)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("outplay.game({:?})", self.entry.spec())
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        match self.ask(py, |game| game.start())? {
            Some(start) => self.at(start).svg(py, false).map(Some),
            None => Ok(None),
        }
    }
}

/// The games of the catalog: a list of dictionaries with name, about, parameters and example.
#[pyfunction]
pub(crate) fn games(py: Python<'_>) -> PyResult<Py<PyAny>> {
    let catalog = Catalog::standard();
    let rows = catalog.families().iter().map(|family| {
        serde_json::json!({
            "name": family.name(), "about": family.about(), "parameters": family.options(),
            "example": family.example(), "rules": family.rules(),
        })
    });
    spelled(py, &rows.collect::<Vec<_>>())
}

/// Panics on a worker thread ("work"), inside a call to the rules ("ask"), or while Python rules hold their store
/// ("rules"): for tests of how a panic is reported. Debug builds only.
#[cfg(debug_assertions)]
#[pyfunction]
#[pyo3(name = "panic_")]
pub(crate) fn panicked(py: Python<'_>, game: &Bound<'_, Game>, place: &str) -> PyResult<()> {
    let game = game.get();
    match (place, &game.rules) {
        ("work", _) => game.run(py, |_, _, _| panic!("a panic for a test")),
        ("rules", Some(rules)) => game.ask(py, |_| rules.panic_inside(py)),
        _ => game.ask(py, |_| panic!("a panic for a test")),
    }
}
