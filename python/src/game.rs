//! `outplay.Game`: a game by name, of Python's own, or a graph.

use crate::fault::Fault;
use crate::position::Position;
use crate::rules::Rules;
use crate::spell::spelled;
use crate::table::Table;
use crate::{errors, work};
use outplay_answer::{Entry, Method, Place, QueryOptions, SolveRequest, Values, default_data_dir};
use outplay_catalog::Catalog;
use outplay_core::{AnyPosition, Game as _, Notation, Watch};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Positions of a game in Python that are met before a question is answered without all of them.
const MOST: usize = 20_000_000;
/// And the time for that, where nobody gave one.
const PATIENCE: Duration = Duration::from_secs(60);

/// A game with everything that can be asked about it. Make one with `outplay.game`.
#[pyclass(frozen, module = "outplay")]
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) entry: Entry,
    pub(crate) rules: Option<Rules>,
    pub(crate) options: QueryOptions,
}

impl Game {
    pub(crate) fn new(entry: Entry, rules: Option<Rules>, options: QueryOptions) -> Game {
        Game { entry, rules, options }
    }

    /// A game that Python or a graph describes.
    pub(crate) fn of_rules(rules: Rules, options: QueryOptions) -> Game {
        let entry = if rules.has_dice() { Entry::dice(rules.clone()) } else { Entry::new(rules.clone()) };
        Game::new(entry, Some(rules), options)
    }

    pub(crate) fn at(&self, pos: AnyPosition) -> Position {
        Position::new(self.clone(), pos)
    }

    /// What Python code may raise while this game is worked on.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        self.rules.as_ref().and_then(Rules::fault_of).into_iter().collect()
    }

    /// Meets all positions of a game in Python, so that solvers need not ask for them one by one; a game that is too
    /// large for that is asked lazily.
    pub(crate) fn meet(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<bool> {
        let Some(rules) = &self.rules else { return Ok(true) };
        let end = Instant::now().checked_add(self.options.time.unwrap_or(PATIENCE));
        let mut told = Instant::now();
        rules.seal(py, MOST, end, &mut |met| match progress
            .filter(|_| told.elapsed() > Duration::from_millis(100))
        {
            Some(progress) => {
                told = Instant::now();
                progress.call1(py, ("exploring", met, 0)).map(drop)
            }
            None => Ok(()),
        })
    }

    /// Runs a job about this game beside the interpreter.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Entry, &QueryOptions, &dyn Watch) -> Result<T, outplay_answer::Trouble> + Send + 'static,
    ) -> PyResult<T> {
        self.run_told(py, None, job)
    }

    /// The same, and tells how far it is.
    pub(crate) fn run_told<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<&Py<PyAny>>,
        job: impl FnOnce(&Entry, &QueryOptions, &dyn Watch) -> Result<T, outplay_answer::Trouble> + Send + 'static,
    ) -> PyResult<T> {
        let (entry, options) = (self.entry.clone(), self.options.clone());
        let done = work::run(py, self.faults(), progress, move |watch| job(&entry, &options, watch))?;
        done.map_err(|trouble| errors::trouble(py, trouble))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.options.data.clone().unwrap_or_else(default_data_dir)
    }

    /// The position that words or an object of Python's show.
    pub(crate) fn find(&self, shown: &Bound<'_, PyAny>) -> PyResult<AnyPosition> {
        let py = shown.py();
        if let Ok(position) = shown.cast::<Position>() {
            return Ok(position.get().pos.clone());
        }
        if let Some(rules) = &self.rules
            && !(shown.is_instance_of::<pyo3::types::PyString>() && rules.find(shown)?.is_none())
        {
            let Some(id) = rules.find(shown)? else {
                let sentence = format!("{} is no position that play reaches", shown.repr()?);
                return Err(errors::typed(py, "InputError", &sentence, None));
            };
            return Ok(outplay_core::Native::new(rules.clone()).any(id));
        }
        let text: String = shown.extract().map_err(|_| {
            let sentence = "a position of this game is text or an `outplay.Position`";
            errors::typed(py, "InputError", sentence, None)
        })?;
        self.entry.game().read_position(&text).map_err(|error| errors::input(py, &error))
    }
}

/// Limits as Python gives them.
pub(crate) fn options(
    memory: Option<u64>,
    threads: Option<usize>,
    time: Option<f64>,
    data: Option<PathBuf>,
) -> QueryOptions {
    let mut options = QueryOptions::default();
    options.memory = memory.unwrap_or(options.memory);
    options.threads = threads.unwrap_or(options.threads).max(1);
    options.time = time.and_then(|time| Duration::try_from_secs_f64(time).ok());
    options.data = data.or(options.data);
    options
}

/// The game that a spec such as `connect4:5x4` names, or that an object with `start`, `turn`, `moves`, `play` and
/// `outcome` describes.
#[pyfunction]
#[pyo3(signature = (spec, *, memory=None, threads=None, time=None, data=None))]
pub(crate) fn game(
    py: Python<'_>,
    spec: &Bound<'_, PyAny>,
    memory: Option<u64>,
    threads: Option<usize>,
    time: Option<f64>,
    data: Option<PathBuf>,
) -> PyResult<Game> {
    let options = options(memory, threads, time, data);
    if let Ok(game) = spec.cast::<Game>() {
        return Ok(Game { options, ..game.get().clone() });
    }
    match spec.extract::<String>() {
        Ok(spec) => {
            let entry = Catalog::standard().open(&spec).map_err(|error| {
                let cure = "`outplay.games()` lists the games";
                errors::typed(
                    py,
                    "InputError",
                    &error.to_string().replace("`outplay games` lists them", "there are others"),
                    Some(cure),
                )
            })?;
            Ok(Game::new(entry, None, options))
        }
        Err(_) => Ok(Game::of_rules(Rules::of_object(spec)?, options)),
    }
}

#[pymethods]
impl Game {
    /// The canonical spec.
    #[getter]
    fn spec(&self) -> String {
        self.entry.spec()
    }

    /// What is odd about the game although it can be played.
    #[getter]
    fn warning(&self) -> Option<String> {
        self.entry.warning()
    }

    /// Whether dice are rolled.
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
    fn size(&self) -> Option<(usize, usize)> {
        let board = self.entry.game().start().and_then(|start| self.entry.game().board(&start))?;
        Some((board.width, board.height))
    }

    /// Where play begins.
    #[getter]
    fn start(&self, py: Python<'_>) -> PyResult<Position> {
        let start = self.entry.locate(&Place::Start).map_err(|trouble| errors::trouble(py, trouble))?;
        Ok(self.at(start))
    }

    /// The position after some moves, from the start or from the position `at`.
    #[pyo3(signature = (moves="", *, at=None))]
    fn position(&self, py: Python<'_>, moves: &str, at: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        let from = match at {
            Some(at) => self.at(self.find(at)?),
            None => self.start(py)?,
        };
        let words = self.entry.game().split_moves(moves);
        words.iter().try_fold(from, |pos, word| pos.after(py, word))
    }

    /// A position of a game that numbers its positions, such as a chess ending, which has no start; None for a number
    /// that no position has.
    fn numbered(&self, number: u64) -> Option<Position> {
        let pos = self.entry.numbered_position(number)?;
        let game = self.entry.game();
        // Reading a position refuses what no game reaches.
        game.read_position(&game.write_position(&pos)).ok().map(|pos| self.at(pos))
    }

    /// Solves the game: the value of the start and, where a strong method fits, of every position.
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
            other => return Err(wrong(format!("`values={other}`: write \"distance\" or \"wdl\""))),
        };
        let progress = work::listener(py, progress)?;
        let began = Instant::now();
        if !self.meet(py, progress.as_ref())? {
            let sentence = format!("{} has more positions than could be met in time", self.spec());
            let cure = "give it more time with `op.game(…, time=seconds)`, or ask for one position";
            return Err(errors::typed(py, "LimitError", &sentence, Some(cure)));
        }
        // Rules in Python change from cell to cell of a notebook; a table of them is only made when it is asked for.
        let store = save.unwrap_or(self.rules.is_none()) || data.is_some();
        let data = data.unwrap_or_else(|| self.data());
        let place = data.clone();
        let mut game = self.clone();
        game.options.data = Some(data.clone());
        let answer = self.run_told(py, progress.as_ref(), move |entry, options, watch| {
            let mut request = SolveRequest::default();
            request.method = method;
            request.values = values;
            request.store = store;
            request.options = options.clone();
            request.options.data = Some(place);
            request.options.time = time.and_then(|time| Duration::try_from_secs_f64(time).ok());
            entry.solve(&request, watch)
        })?;
        Ok(Table::new(game, answer, began.elapsed().as_secs_f64()))
    }

    /// The table that was solved before and is on disk.
    #[pyo3(signature = (*, data=None))]
    fn table(&self, py: Python<'_>, data: Option<PathBuf>) -> PyResult<Table> {
        let mut game = self.clone();
        game.options.data = Some(data.unwrap_or_else(|| self.data()));
        game.meet(py, None)?;
        Table::open(py, game)
    }

    /// Derives every value of the game's table again from its successors.
    #[pyo3(signature = (*, data=None, progress=None))]
    fn verify(
        &self,
        py: Python<'_>,
        data: Option<PathBuf>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let data = data.unwrap_or_else(|| self.data());
        let progress = work::listener(py, progress)?;
        self.meet(py, progress.as_ref())?;
        let report =
            self.run_told(py, progress.as_ref(), move |entry, _, watch| entry.verify(&data, None, watch))?;
        spelled(py, &report)
    }

    /// Players that this game can have, and specs in order of strength.
    fn players(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        spelled(py, &self.entry.players(&self.options))
    }

    /// The search tree from a position as a self-contained SVG.
    #[pyo3(signature = (moves="", *, depth=2, prune=false))]
    fn tree(&self, py: Python<'_>, moves: &str, depth: u32, prune: bool) -> PyResult<String> {
        let at = self.position(py, moves, None)?.pos;
        let report =
            self.run(py, move |entry, _, watch| entry.tree(&Place::At(at), depth, prune, None, watch))?;
        Ok(report.svg)
    }

    fn __repr__(&self) -> String {
        format!("outplay.game({:?})", self.entry.spec())
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        match self.entry.game().start() {
            Some(start) => self.at(start).svg(py, false).map(Some),
            None => Ok(None),
        }
    }
}

/// The games that can be named: a list of dictionaries with name, about, parameters and example.
#[pyfunction]
pub(crate) fn games(py: Python<'_>) -> PyResult<Py<PyAny>> {
    let catalog = Catalog::standard();
    let told = catalog.families().iter().map(|family| {
        serde_json::json!({
            "name": family.name(), "about": family.about(), "parameters": family.options(),
            "example": family.example(), "rules": family.rules(),
        })
    });
    spelled(py, &told.collect::<Vec<_>>())
}
