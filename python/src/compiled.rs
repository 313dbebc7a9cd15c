//! `outplay.Graph`: a game compiled into numbers, to be looked at as arrays and solved again with other payoffs.

use crate::errors;
use crate::game::{Game, options};
use crate::graph::Graph;
use crate::position::Position;
use crate::rules::Rules;
use numpy::PyArray1;
use outplay_answer::{Oracle, Trouble};
use outplay_core::{AnyPosition, Chance, Game as _, Native, Turn};
use outplay_players::{Merit, Truth};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// All positions of a game as numbers, the start being 0.
#[pyclass(frozen, module = "outplay", name = "Graph")]
pub(crate) struct Compiled {
    graph: Arc<Graph>,
    name: Option<String>,
    /// The game that it was made from, and its positions by number.
    source: Option<(Game, Vec<AnyPosition>)>,
}

impl Compiled {
    fn checked(py: Python<'_>, graph: Graph, name: Option<String>) -> PyResult<Compiled> {
        match graph.flaw() {
            Some((law, sentence)) => Err(errors::law(py, law, &sentence, None)),
            None => Ok(Compiled { graph: Arc::new(graph.finished()), name, source: None }),
        }
    }

    fn turned(code: u8) -> Option<Turn> {
        [Turn::First, Turn::Second, Turn::Chance].get(usize::from(code)).copied()
    }
}

/// Every position of a game, by number, and the graph of its moves.
fn explored(
    game: &Game,
    most: usize,
    watch: &dyn outplay_core::Watch,
) -> Result<(Graph, Vec<AnyPosition>), Trouble> {
    let rules = game.entry.game();
    let start = rules.start().ok_or_else(|| Trouble::unable("a game without a start has no graph"))?;
    let mut positions = vec![start.clone()];
    let mut ids: FxHashMap<AnyPosition, u32> = FxHashMap::from_iter([(start, 0)]);
    let mut graph = Graph::new();
    let mut id = 0;
    while id < positions.len() {
        if watch.stopped() {
            return Err(Trouble::stopped());
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
#[pyo3(name = "compile_", signature = (game, *, most=20_000_000))]
pub(crate) fn compile(py: Python<'_>, game: &Bound<'_, Game>, most: usize) -> PyResult<Compiled> {
    let game = game.get().clone();
    let met = game.meet(py, None)?;
    if let Some(graph) = game.rules.as_ref().and_then(Rules::graph).filter(|_| met) {
        let graph = graph.clone();
        let native = game.rules.clone().map(Native::new);
        let positions = native.map(|native| (0..graph.len() as u32).map(|id| native.any(id)).collect());
        return Ok(Compiled { graph, name: None, source: positions.map(|positions| (game, positions)) });
    }
    let at = game.clone();
    let (graph, positions) = game.run(py, move |_, _, watch| explored(&at, most, watch))?;
    Ok(Compiled { graph: Arc::new(graph), name: None, source: Some((game, positions)) })
}

#[pymethods]
impl Compiled {
    /// A graph of one's own: whose turn it is at each position (0 first, 1 second, 2 chance), what the first player gets
    /// there (None while the game goes on), where its moves lead, and how likely each is where chance decides.
    #[new]
    #[pyo3(signature = (turns, payoffs, moves, odds=None, *, name=None))]
    fn new(
        py: Python<'_>,
        turns: Vec<u8>,
        payoffs: Vec<Option<i32>>,
        moves: Vec<Vec<u32>>,
        odds: Option<Vec<Vec<f64>>>,
        name: Option<String>,
    ) -> PyResult<Compiled> {
        let wrong = |sentence: &str| errors::typed(py, "InputError", sentence, None);
        if payoffs.len() != turns.len()
            || moves.len() != turns.len()
            || odds.as_ref().is_some_and(|odds| odds.len() != turns.len())
        {
            return Err(wrong(
                "turns, payoffs, moves and odds must be equally long: one entry for each position",
            ));
        }
        let dice = turns.contains(&2);
        let mut graph = Graph::new();
        for id in 0..turns.len() {
            let turn = Compiled::turned(turns[id])
                .ok_or_else(|| wrong("a turn is 0 (first), 1 (second) or 2 (chance)"))?;
            let mut list = vec![0.0; if dice { moves[id].len() } else { 0 }];
            if turn == Turn::Chance {
                let given = odds.as_ref().map(|odds| odds[id].as_slice()).unwrap_or_default();
                if given.len() != moves[id].len() {
                    return Err(wrong("where chance decides, every move needs its probability"));
                }
                list.copy_from_slice(given);
            }
            graph.push(turn, payoffs[id], &moves[id], &list);
        }
        Compiled::checked(py, graph, name)
    }

    fn __len__(&self) -> usize {
        self.graph.len()
    }

    /// Moves of position i are `edges[first[i]:first[i + 1]]`.
    #[getter]
    fn first<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, self.graph.first.iter().map(|&first| first as i64).collect())
    }

    /// Where moves lead.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.graph.edges)
    }

    /// The probability of each move, 0 where a player decides; empty in a game without dice.
    #[getter]
    fn odds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.graph.odds)
    }

    /// Whose turn it is: 0 first, 1 second, 2 chance.
    #[getter]
    fn turns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_vec(py, self.graph.turns.iter().map(|&turn| turn as i8).collect())
    }

    /// Whether the game is over.
    #[getter]
    fn finished<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.graph.payoffs.iter().map(Option::is_some).collect())
    }

    /// What the first player gets at finished positions; 0 elsewhere.
    #[getter]
    fn payoffs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_vec(py, self.graph.payoffs.iter().map(|payoff| payoff.unwrap_or(0)).collect())
    }

    /// Positions in an order in which moves lead to earlier ones; None if play can come back to a position.
    #[getter]
    fn order<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        self.graph.backwards().map(|order| PyArray1::from_vec(py, order))
    }

    /// Where the moves of a position lead.
    fn next(&self, py: Python<'_>, id: u32) -> PyResult<Vec<u32>> {
        self.known(py, id)?;
        Ok(self.graph.next(id).to_vec())
    }

    /// The position with a number, of the game that was compiled; of the graph's own game otherwise.
    fn position(&self, py: Python<'_>, id: u32) -> PyResult<Position> {
        self.known(py, id)?;
        Ok(match &self.source {
            Some((game, positions)) => game.at(positions[id as usize].clone()),
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

    /// The same moves with other payoffs: an array or list with what the first player gets, looked at where the game is
    /// over.
    fn with_payoffs(&self, py: Python<'_>, payoffs: Vec<i32>) -> PyResult<Compiled> {
        if payoffs.len() != self.graph.len() {
            let sentence = format!("{} payoffs for {} positions", payoffs.len(), self.graph.len());
            return Err(errors::typed(py, "InputError", &sentence, Some("give one for each position")));
        }
        let mut graph = Graph::clone(&self.graph);
        for (old, new) in graph.payoffs.iter_mut().zip(payoffs) {
            *old = old.map(|_| new);
        }
        let source = self.source.as_ref().map(|(game, positions)| (game.clone(), positions.clone()));
        Ok(Compiled { graph: Arc::new(graph.finished()), name: self.name.clone(), source })
    }

    /// The graph as a game of its own, whose positions are written as numbers.
    fn game(&self) -> Game {
        Game::of_rules(
            Rules::of_graph(self.name.as_deref(), self.graph.clone()),
            options(None, None, None, None),
        )
    }

    /// Solves every position: payoffs of the players to move and distances (-1 where there is none), or the first
    /// player's means and None in a game with dice.
    fn solve<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        // Solvers look at what the start reaches; a start before all positions reaches every one of them.
        let rooted = Arc::new(self.graph.rooted());
        let count = rooted.len() as u32;
        let rules = Rules::of_graph(None, rooted);
        let game = Game::of_rules(rules.clone(), options(None, None, None, None));
        let native = Native::new(rules);
        let worths = game.run(py, move |entry, options, watch| {
            let mut options = options.clone();
            options.data = None;
            let oracle = Oracle::new(entry.clone(), options);
            let mut worths = Vec::with_capacity(count as usize);
            // The start first: whoever solves the game from there knows all the rest.
            oracle.value(&native.any(0), watch)?;
            for id in 1..count {
                let pos = native.any(id);
                let told = oracle.value(&pos, watch)?;
                worths.push(match told {
                    Some(Merit::Value(value)) => {
                        (value.payoff(), value.distance().map_or(-1, |plies| plies as i32), f64::NAN)
                    }
                    Some(Merit::Mean(mean)) => {
                        let second = entry.game().turn(&pos) == Turn::Second;
                        (0, -1, if second { -mean } else { mean })
                    }
                    None => return Err(Trouble::Limits(format!("position {} is out of reach", id - 1))),
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

    fn __repr__(&self) -> String {
        format!("<graph of {} positions and {} moves>", self.graph.len(), self.graph.edges.len())
    }
}

impl Compiled {
    fn known(&self, py: Python<'_>, id: u32) -> PyResult<()> {
        match (id as usize) < self.graph.len() {
            true => Ok(()),
            false => Err(pyo3::exceptions::PyIndexError::new_err(format!(
                "there is no position {id}; the last is {}",
                self.graph.len() - 1
            ))),
        }
        .inspect_err(|_: &PyErr| {
            let _ = py;
        })
    }
}
