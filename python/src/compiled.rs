//! `outplay.Graph`: a game compiled into a CSR graph, exposed as NumPy arrays, which can be solved with other payoffs.

use crate::game::Game;
use crate::graph::{Graph, astray, excessive, most_paid};
use crate::number::natural;
use crate::pickle::{self, PickleParts};
use crate::position::Position;
use crate::rules::PythonRules;
use crate::{errors, work};
use numpy::PyArray1;
use outplay_core::{AnyPosition, Chance, Game as _, Native, Payoff, Turn};
use outplay_players::{ExactOracle, MoveValue};
use outplay_workbench::{Oracle, Session, Trouble, default_data_dir};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A graph as lists: turns, payoffs, moves, and probabilities.
type GraphLists = (Vec<i64>, Vec<Option<Payoff>>, Vec<Vec<u32>>, Vec<Vec<f64>>);

/// All positions of a game as numbers; the start is 0.
#[pyclass(frozen, module = "outplay", name = "Graph")]
pub(crate) struct CompiledGame {
    graph: Arc<Graph>,
    name: Option<String>,
    source: Option<Arc<CompiledSource>>,
}

/// The game that was compiled, and its positions by number.
struct CompiledSource {
    game: Game,
    /// Empty in an unpickled graph until a position is requested.
    positions: OnceLock<Vec<AnyPosition>>,
    /// The positions of rules in Python, in an unpickled graph.
    objects: Option<Vec<Py<PyAny>>>,
}

impl CompiledSource {
    fn new(game: Game, positions: Vec<AnyPosition>) -> Arc<CompiledSource> {
        Arc::new(CompiledSource { game, positions: OnceLock::from(positions), objects: None })
    }

    /// The positions by number.
    fn positions(&self, py: Python<'_>) -> PyResult<&[AnyPosition]> {
        if let Some(positions) = self.positions.get() {
            return Ok(positions);
        }
        let positions = match &self.objects {
            Some(objects) => {
                objects.iter().map(|object| self.game.find(object.bind(py))).collect::<PyResult<_>>()?
            }
            // Exploring the game again numbers its positions in the same order.
            None => {
                let game = self.game.clone();
                self.game.run(py, move |_, _, monitor| Ok(explored(&game, usize::MAX, monitor)?.1))?
            }
        };
        Ok(self.positions.get_or_init(|| positions))
    }
}

impl CompiledGame {
    fn checked(py: Python<'_>, graph: Graph, name: Option<String>) -> PyResult<CompiledGame> {
        match graph.flaw() {
            Some((law, sentence)) => Err(errors::law(py, law, &sentence, None, None)),
            None => Ok(CompiledGame { graph: Arc::new(graph.finished()), name, source: None }),
        }
    }

    /// Makes an unpickled graph.
    pub(crate) fn restored(
        graph: Arc<Graph>,
        name: Option<String>,
        game: Option<Game>,
        objects: Option<Vec<Py<PyAny>>>,
    ) -> CompiledGame {
        let source = game.map(|game| Arc::new(CompiledSource { game, positions: OnceLock::new(), objects }));
        CompiledGame { graph, name, source }
    }

    fn turned(code: i64) -> Option<Turn> {
        [Turn::First, Turn::Second, Turn::Chance].get(usize::try_from(code).ok()?).copied()
    }

    /// Reads the payoff of a position.
    fn paid(py: Python<'_>, id: usize, payoff: i64, most: u32) -> PyResult<Payoff> {
        match Payoff::try_from(payoff) {
            Ok(payoff) if payoff.unsigned_abs() <= most => Ok(payoff),
            _ => Err(errors::law(py, "payoff", &excessive(id, payoff, most), None, None)),
        }
    }
}

/// Checks a growing graph against the limits of its game.
fn within(game: &Game, began: Instant, positions: usize, edges: usize) -> Result<(), Trouble> {
    // Each position is referenced by the list and by the map: two pointers, and the position itself.
    let bytes = positions as u64 * 200 + edges as u64 * 4;
    let spec = game.entry.spec();
    if bytes > game.session.memory {
        let memory = game.session.memory / 1_000_000;
        let why = format!(
            "{positions} positions of {spec} take more than {memory} MB; allow more with `memory=bytes`"
        );
        return Err(Trouble::Limits(why));
    }
    match game.session.time {
        Some(time) if began.elapsed() > time => {
            let why = format!(
                "{positions} positions of {spec} were explored within the time limit, and there are more; allow more with `time=seconds`"
            );
            Err(Trouble::Limits(why))
        }
        _ => Ok(()),
    }
}

/// Explores all positions of a game; returns them by number, with the graph of moves.
pub(crate) fn explored(
    game: &Game,
    most: usize,
    monitor: &dyn outplay_runtime::Monitor,
) -> Result<(Graph, Vec<AnyPosition>), Trouble> {
    let rules = game.entry.game();
    let start =
        rules.start().ok_or_else(|| Trouble::unable("a game without a start position cannot be compiled"))?;
    let mut positions = vec![start.clone()];
    let mut ids: FxHashMap<AnyPosition, u32> = FxHashMap::from_iter([(start, 0)]);
    let mut graph = Graph::new();
    let began = Instant::now();
    let mut id = 0;
    monitor.stage("exploring", 0);
    while id < positions.len() {
        if monitor.stopped() {
            return Err(Trouble::stopped());
        }
        if id % 256 == 0 {
            within(game, began, positions.len(), graph.edges.len())?;
            monitor.advance(256);
        }
        let pos = positions[id].clone();
        let turn = rules.turn(&pos);
        let payoff = rules.outcome(&pos);
        let mut next = Vec::new();
        for mv in rules.list(&pos) {
            let after = rules.play(&pos, mv);
            let fresh = positions.len() as u32;
            let number = *ids.entry(after.clone()).or_insert(fresh);
            if number == fresh {
                positions.push(after);
            }
            next.push(number);
        }
        if positions.len() > most {
            let why = format!("{} has more than {most} positions; raise `most`", game.entry.spec());
            return Err(Trouble::Limits(why));
        }
        let mut odds = vec![0.0; if rules.has_dice() { next.len() } else { 0 }];
        if turn == Turn::Chance {
            let mut rolls = Vec::new();
            rules.outcomes(&pos, &mut rolls);
            rolls.iter().for_each(|(mv, chance)| odds[mv.0 as usize] = *chance);
        }
        graph.push(turn, payoff, &next, &odds);
        id += 1;
    }
    Ok((graph.finished(), positions))
}

/// Compiles a game: every position that play reaches, with its moves.
#[pyfunction]
#[pyo3(name = "compile_", signature = (game, *, most=20_000_000, progress=None))]
pub(crate) fn compile(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    #[pyo3(from_py_with = natural)] most: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<CompiledGame> {
    let game = game.get().clone();
    let progress = work::listener(py, progress)?;
    let left = game.explored_all(py, progress.as_ref())?;
    if let Some(graph) = game.rules.as_ref().and_then(PythonRules::graph) {
        let graph = graph.clone();
        let native = game.rules.clone().map(Native::new);
        let positions: Option<Vec<_>> =
            native.map(|native| (0..graph.len() as u32).map(|id| native.any(id)).collect());
        let source = positions.map(|positions| CompiledSource::new(game, positions));
        return Ok(CompiledGame { graph, name: None, source });
    }
    let (graph, positions) =
        game.run_with_progress(py, progress.as_ref(), move |_, _, monitor| explored(&left, most, monitor))?;
    let source = Some(CompiledSource::new(game, positions));
    Ok(CompiledGame { graph: Arc::new(graph), name: None, source })
}

#[pymethods]
impl CompiledGame {
    /// A custom graph: the side to move at each position (0 first, 1 second, 2 chance), the first player's payoff there
    /// (None while the game is in progress), the targets of its moves, and their probabilities at chance nodes.
    #[new]
    #[pyo3(signature = (turns, payoffs, moves, odds=None, *, name=None))]
    fn new(
        py: Python<'_>,
        turns: Vec<i64>,
        payoffs: Vec<Option<i64>>,
        moves: Vec<Vec<i64>>,
        odds: Option<Vec<Vec<f64>>>,
        name: Option<String>,
    ) -> PyResult<CompiledGame> {
        let wrong = |sentence: &str| errors::typed(py, "InputError", sentence, None);
        if payoffs.len() != turns.len()
            || moves.len() != turns.len()
            || odds.as_ref().is_some_and(|odds| odds.len() != turns.len())
        {
            return Err(wrong(
                "turns, payoffs, moves and odds must have equal lengths: one entry per position",
            ));
        }
        let dice = turns.contains(&2);
        let most = most_paid(dice);
        let mut graph = Graph::new();
        for id in 0..turns.len() {
            let turn = CompiledGame::turned(turns[id])
                .ok_or_else(|| wrong("a turn must be 0 (first), 1 (second) or 2 (chance)"))?;
            let mut list = vec![0.0; if dice { moves[id].len() } else { 0 }];
            if turn == Turn::Chance {
                let given = odds.as_ref().map(|odds| odds[id].as_slice()).unwrap_or_default();
                if given.len() != moves[id].len() {
                    return Err(wrong("every move at a chance node needs a probability"));
                }
                list.copy_from_slice(given);
            }
            let payoff = payoffs[id].map(|payoff| CompiledGame::paid(py, id, payoff, most)).transpose()?;
            let next: PyResult<Vec<u32>> = moves[id]
                .iter()
                .map(|&next| {
                    let next = u32::try_from(next).ok().filter(|&next| (next as usize) < turns.len());
                    next.ok_or_else(|| {
                        errors::law(py, "moves", &astray(id, &moves[id], turns.len()), None, None)
                    })
                })
                .collect();
            graph.push(turn, payoff, &next?, &list);
        }
        CompiledGame::checked(py, graph, name)
    }

    fn __len__(&self) -> usize {
        self.graph.len()
    }

    /// Row offsets: the moves of position i are `edges[first[i]:first[i + 1]]`.
    #[getter]
    fn first<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, self.graph.first.iter().map(|&first| first as i64).collect())
    }

    /// Targets of the moves.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.graph.edges)
    }

    /// The probability of each move, 0 where a player decides; empty in a game without chance.
    #[getter]
    fn odds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.graph.odds)
    }

    /// The side to move: 0 first, 1 second, 2 chance.
    #[getter]
    fn turns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_vec(py, self.graph.turns.iter().map(|&turn| turn as i8).collect())
    }

    /// Whether the game is over.
    #[getter]
    fn finished<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.graph.payoffs.iter().map(Option::is_some).collect())
    }

    /// The first player's payoff at finished positions; 0 elsewhere.
    #[getter]
    fn payoffs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_vec(py, self.graph.payoffs.iter().map(|payoff| payoff.unwrap_or(0)).collect())
    }

    /// Positions in reverse topological order (moves lead to earlier ones); None if the graph is cyclic.
    #[getter]
    fn order<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        self.graph.backwards().map(|order| PyArray1::from_vec(py, order))
    }

    /// The targets of a position's moves.
    fn next(&self, id: i64) -> PyResult<Vec<u32>> {
        let id = self.known(id)?;
        Ok(self.graph.next(id).to_vec())
    }

    /// The position with a number: of the compiled game, or of the graph's own game if no game was compiled.
    fn position(&self, py: Python<'_>, id: i64) -> PyResult<Position> {
        let id = self.known(id)?;
        Ok(match &self.source {
            Some(source) => match source.positions(py)?.get(id as usize) {
                Some(pos) => source.game.at(pos.clone()),
                None => {
                    let sentence = format!("position {id} of the pickled graph is not one of its game");
                    let cure = "compile the game again; its rules have changed";
                    return Err(errors::typed(py, "InputError", &sentence, Some(cure)));
                }
            },
            None => {
                let game = self.game();
                let rules = game.rules.clone().map(Native::new);
                match rules {
                    Some(native) => game.at(native.any(id)),
                    None => return Err(errors::typed(py, "InputError", "this graph has no game", None)),
                }
            }
        })
    }

    /// Returns the graph with other payoffs: an array or list of the first player's payoffs, used at finished
    /// positions.
    fn with_payoffs(&self, py: Python<'_>, payoffs: Vec<i64>) -> PyResult<CompiledGame> {
        if payoffs.len() != self.graph.len() {
            let sentence = format!("{} payoffs for {} positions", payoffs.len(), self.graph.len());
            return Err(errors::typed(py, "InputError", &sentence, Some("pass one payoff per position")));
        }
        let mut graph = Graph::clone(&self.graph);
        let most = most_paid(graph.has_dice());
        for (id, (old, new)) in graph.payoffs.iter_mut().zip(payoffs).enumerate() {
            *old = old.map(|_| CompiledGame::paid(py, id, new, most)).transpose()?;
        }
        let source = self.source.clone();
        Ok(CompiledGame { source, ..CompiledGame::checked(py, graph, self.name.clone())? })
    }

    /// The graph as a `networkx.MultiDiGraph`. Nodes have `turn` (0, 1, or 2 for chance) and `payoff` (None in
    /// progress); edges have `move` (the place in the list of moves) and at chance nodes `probability`.
    fn to_networkx<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("outplay._frames")?.call_method1("to_networkx", (slf,))
    }

    /// The positions as a `pandas.DataFrame`, a row each: `turn`, `finished`, `payoff` and `moves`.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("outplay._frames")?.call_method1("to_pandas", (slf,))
    }

    /// The same as a `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("outplay._frames")?.call_method1("to_polars", (slf,))
    }

    /// The parts of the graph as lists: turns, payoffs (None in progress), moves, and probabilities at chance nodes.
    fn lists(&self) -> GraphLists {
        let ids = || 0..self.graph.len() as u32;
        let odds = |id: u32| match self.graph.turns[id as usize] {
            Turn::Chance => self.graph.odds(id).to_vec(),
            _ => Vec::new(),
        };
        (
            self.graph.turns.iter().map(|&turn| turn as u8 as i64).collect(),
            self.graph.payoffs.clone(),
            ids().map(|id| self.graph.next(id).to_vec()).collect(),
            ids().map(odds).collect(),
        )
    }

    /// The graph as a game of its own, whose positions are written as numbers.
    fn game(&self) -> Game {
        Game::of_rules(
            PythonRules::of_graph(self.name.as_deref(), self.graph.clone()),
            Session::at(default_data_dir()),
        )
    }

    /// Solves every position: payoffs of the players to move and distances (-1 where there is none), or the first
    /// player's means and None in a game with chance.
    ///
    /// - `time`: time limit in seconds.
    /// - `progress`: True, False, None (a bar on a terminal) or a function of (stage, done, total).
    #[pyo3(signature = (*, time=None, progress=None))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // Solvers cover the positions reachable from the start, so a root with a move to every position is added.
        let rooted = Arc::new(self.graph.rooted());
        let count = rooted.len() as u32;
        let rules = PythonRules::of_graph(None, rooted);
        let game = Game::of_rules(rules.clone(), Session::at(default_data_dir())).within(py, time)?;
        let native = Native::new(rules);
        let progress = work::listener(py, progress)?;
        let worths = game.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
            let oracle = Oracle::new(session.off_disk(), entry.clone());
            let mut worths = Vec::with_capacity(count as usize);
            // The root first: solving it makes all other values known.
            oracle.value(&native.any(0), monitor)?;
            for id in 1..count {
                let pos = native.any(id);
                let value = oracle.value(&pos, monitor)?;
                worths.push(match value {
                    Some(MoveValue::Value(value)) => {
                        (value.payoff(), value.distance().map_or(-1, |plies| plies as i32), f64::NAN)
                    }
                    Some(MoveValue::Mean(mean)) => {
                        let second = entry.game().turn(&pos) == Turn::Second;
                        (0, -1, if second { -mean } else { mean })
                    }
                    None => {
                        return Err(Trouble::Limits(format!(
                            "the value of position {} was not found within the limits",
                            id - 1
                        )));
                    }
                });
            }
            Ok(worths)
        })?;
        if self.graph.has_dice() {
            let means = PyArray1::from_vec(py, worths.iter().map(|worth| worth.2).collect::<Vec<f64>>());
            return PyTuple::new(py, [means.into_any(), py.None().into_bound(py)]);
        }
        let payoffs = PyArray1::from_vec(py, worths.iter().map(|worth| worth.0).collect::<Vec<i32>>());
        let distances = PyArray1::from_vec(py, worths.iter().map(|worth| worth.1).collect::<Vec<i32>>());
        PyTuple::new(py, [payoffs.into_any(), distances.into_any()])
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py>> {
        let parts = PyTuple::new(py, pickle::to_bytes(py, &self.graph))?;
        let (mut game, mut objects) = (None, None);
        if let Some(source) = &self.source {
            game = Some(source.game.clone());
            if let Some(rules) = source.game.rules.as_ref().filter(|rules| rules.object_of().is_some()) {
                let native = Native::new(rules.clone());
                let positions = source.positions(py)?.iter();
                let found: Option<Vec<_>> = positions.map(|pos| rules.object(py, *native.pos(pos))).collect();
                objects = found;
            }
        }
        pickle::reduced(py, "graph", (parts, self.name.clone(), game, objects))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<graph of {} positions and {} moves>", self.graph.len(), self.graph.edges.len())
    }
}

impl CompiledGame {
    /// Checks the number of a position.
    fn known(&self, id: i64) -> PyResult<u32> {
        u32::try_from(id).ok().filter(|&id| (id as usize) < self.graph.len()).ok_or_else(|| {
            pyo3::exceptions::PyIndexError::new_err(format!(
                "there is no position {id}; positions are numbered from 0 to {}",
                self.graph.len() - 1
            ))
        })
    }
}
