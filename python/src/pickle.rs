//! Pickling and copying: each object is reduced to a function of `outplay/_pickle.py` and its arguments.
//!
//! ```text
//!  game by name     spec, limits                       position   game, text (of rules in Python: the object)
//!  rules in Python  identity, the rules, limits        table      game, data directory, answer
//!  graph            its arrays as bytes, little-endian            move, explanation: their fields
//! ```
//!
//! Objects are immutable, so a copy is the object itself. Rules have an identity of 128 random bits, so that all copies
//! in one process are one game, explored once.

use crate::compiled::CompiledGame;
use crate::errors;
use crate::game::{Game, Limits};
use crate::graph::Graph;
use crate::position::{Explanation, Move};
use crate::rules::PythonRules;
use crate::table::Table;
use outplay_core::{Payoff, Turn, Value};
use outplay_workbench::{Answer, MoveAnswer, Session, default_data_dir};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// A function, and the arguments with which it makes the object again.
pub(crate) type PickleParts<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);
/// The arrays of a graph as bytes: turns, payoffs, numbers of moves, targets of moves, probabilities.
type GraphBytes<'py> = [Bound<'py, PyBytes>; 5];

/// The payoff that stands for none; payoffs are smaller.
const UNFINISHED: Payoff = Payoff::MIN;

/// Reduces an object to a function of `outplay._pickle` and arguments.
pub(crate) fn reduced<'py>(
    py: Python<'py>,
    function: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<PickleParts<'py>> {
    Ok((py.import("outplay._pickle")?.getattr(function)?, arguments.into_pyobject(py)?))
}

/// The limits of a game that differ from the defaults, as pairs of an option and its value. The data directory of a
/// table is always listed.
fn limits<'py>(py: Python<'py>, game: &Game, with_data: bool) -> PyResult<Bound<'py, PyTuple>> {
    let (session, default) = (&game.session, Session::at(default_data_dir()));
    let mut pairs: Vec<Bound<'py, PyTuple>> = Vec::new();
    if session.memory != default.memory {
        pairs.push(("memory", session.memory).into_pyobject(py)?);
    }
    if session.threads != default.threads {
        pairs.push(("threads", session.threads).into_pyobject(py)?);
    }
    if let Some(time) = session.time {
        pairs.push(("time", time.as_secs_f64()).into_pyobject(py)?);
    }
    if let Some(data) = session.data.as_ref().filter(|_| with_data || session.data != default.data) {
        pairs.push(("data", data.as_os_str()).into_pyobject(py)?);
    }
    PyTuple::new(py, pairs)
}

/// Reduces a game.
pub(crate) fn of_game<'py>(py: Python<'py>, game: &Game, with_data: bool) -> PyResult<PickleParts<'py>> {
    let limits = limits(py, game, with_data)?;
    let Some(rules) = &game.rules else {
        return reduced(py, "named", (game.entry.spec(), limits));
    };
    if let Some((object, check)) = rules.object_of() {
        return reduced(py, "ruled", (rules.identity(py)?, object.clone_ref(py), check, limits));
    }
    let spec = rules.spec_of();
    let name = spec.strip_prefix("graph:").unwrap_or(spec);
    let graph =
        rules.graph().ok_or_else(|| errors::typed(py, "InputError", "the game has no rules", None))?;
    reduced(py, "graph_game", (name, PyTuple::new(py, to_bytes(py, graph))?, limits))
}

/// Writes the arrays of a graph.
pub(crate) fn to_bytes<'py>(py: Python<'py>, graph: &Graph) -> GraphBytes<'py> {
    let turns: Vec<u8> = graph.turns.iter().map(|&turn| turn as u8).collect();
    let payoffs: Vec<u8> =
        graph.payoffs.iter().flat_map(|payoff| payoff.unwrap_or(UNFINISHED).to_le_bytes()).collect();
    let counts: Vec<u8> =
        (0..graph.len() as u32).flat_map(|id| (graph.next(id).len() as u32).to_le_bytes()).collect();
    let edges: Vec<u8> = graph.edges.iter().flat_map(|edge| edge.to_le_bytes()).collect();
    let odds: Vec<u8> = graph.odds.iter().flat_map(|odds| odds.to_le_bytes()).collect();
    [turns, payoffs, counts, edges, odds].map(|bytes| PyBytes::new(py, &bytes))
}

/// Splits bytes into little-endian words; `None` if bytes remain.
fn words<const N: usize>(bytes: &[u8]) -> Option<impl Iterator<Item = [u8; N]>> {
    let (words, rest) = bytes.as_chunks::<N>();
    rest.is_empty().then(|| words.iter().copied())
}

/// Reads the arrays of a graph; `None` if they do not fit together.
fn of_bytes(parts: &[Vec<u8>; 5]) -> Option<Graph> {
    let [turns, payoffs, counts, edges, odds] = parts;
    let payoffs: Vec<Payoff> = words(payoffs)?.map(Payoff::from_le_bytes).collect();
    let counts: Vec<u32> = words(counts)?.map(u32::from_le_bytes).collect();
    let edges: Vec<u32> = words(edges)?.map(u32::from_le_bytes).collect();
    let odds: Vec<f64> = words(odds)?.map(f64::from_le_bytes).collect();
    if payoffs.len() != turns.len() || counts.len() != turns.len() {
        return None;
    }
    let mut graph = Graph::new();
    let mut from = 0usize;
    for id in 0..turns.len() {
        let turn = *[Turn::First, Turn::Second, Turn::Chance].get(usize::from(turns[id]))?;
        let to = from.checked_add(counts[id] as usize)?;
        let rolls = if odds.is_empty() { &[] } else { odds.get(from..to)? };
        graph.push(
            turn,
            Some(payoffs[id]).filter(|&payoff| payoff != UNFINISHED),
            edges.get(from..to)?,
            rolls,
        );
        from = to;
    }
    (from == edges.len()).then(|| graph.finished())
}

/// Reads and checks the arrays of a graph.
fn restored_graph(py: Python<'_>, parts: &[Vec<u8>; 5]) -> PyResult<Graph> {
    let damaged = || errors::typed(py, "InputError", "the pickled graph is damaged", Some("pickle it again"));
    let graph = of_bytes(parts).ok_or_else(damaged)?;
    match graph.flaw() {
        Some((law, sentence)) => Err(errors::law(py, law, &sentence, None, None)),
        None => Ok(graph),
    }
}

/// Makes a game with rules in Python, or another handle of the one with this identity.
#[pyfunction]
#[pyo3(name = "restored_rules_", signature = (identity, rules, check, *, memory=None, threads=None, time=None, data=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn restored_rules(
    py: Python<'_>,
    identity: &str,
    rules: &Bound<'_, PyAny>,
    check: bool,
    memory: Option<f64>,
    threads: Option<i64>,
    time: Option<f64>,
    data: Option<PathBuf>,
) -> PyResult<Game> {
    let session = Limits { memory, threads, time, data }.on(py, &Session::at(default_data_dir()))?;
    let rules = match PythonRules::with_identity(identity) {
        Some(rules) => rules,
        None => PythonRules::of_object(rules, check)?.identified(identity),
    };
    Ok(Game::of_rules(rules, session))
}

/// Makes the game of a graph.
#[pyfunction]
#[pyo3(name = "restored_graph_game_", signature = (name, parts, *, memory=None, threads=None, time=None, data=None))]
pub(crate) fn restored_graph_game(
    py: Python<'_>,
    name: &str,
    parts: [Vec<u8>; 5],
    memory: Option<f64>,
    threads: Option<i64>,
    time: Option<f64>,
    data: Option<PathBuf>,
) -> PyResult<Game> {
    let session = Limits { memory, threads, time, data }.on(py, &Session::at(default_data_dir()))?;
    let rules = PythonRules::of_graph(Some(name), Arc::new(restored_graph(py, &parts)?));
    Ok(Game::of_rules(rules, session))
}

/// Makes a graph, with the game that was compiled; `objects` are its positions if its rules are in Python.
#[pyfunction]
#[pyo3(name = "restored_graph_")]
pub(crate) fn restored_compiled(
    py: Python<'_>,
    parts: [Vec<u8>; 5],
    name: Option<String>,
    game: Option<&Bound<'_, Game>>,
    objects: Option<Vec<Py<PyAny>>>,
) -> PyResult<CompiledGame> {
    let graph = Arc::new(restored_graph(py, &parts)?);
    Ok(CompiledGame::restored(graph, name, game.map(|game| game.get().clone()), objects))
}

/// Makes a table that is on disk or in memory; `report` is its answer as a dictionary.
#[pyfunction]
#[pyo3(name = "restored_table_")]
pub(crate) fn restored_table(game: &Bound<'_, Game>, report: Option<Py<PyDict>>, seconds: f64) -> Table {
    Table::restored(game.get().clone(), report, seconds)
}

/// Reduces a table; its values stay on disk.
pub(crate) fn of_table<'py>(
    py: Python<'py>,
    game: &Game,
    report: Option<&Py<PyDict>>,
    seconds: f64,
) -> PyResult<PickleParts<'py>> {
    let (make, arguments) = of_game(py, game, true)?;
    // The game is made again with the data directory, even if that is the default here.
    reduced(py, "table", (make, arguments, report.map(|report| report.clone_ref(py)), seconds))
}

/// The value of a move: its kind, two payoffs, a distance and a mean, as far as the kind has them.
type ValueFields = (&'static str, Payoff, Payoff, Option<u32>, f64);
/// The same, from Python.
type OwnedValueFields = (String, Payoff, Payoff, Option<u32>, f64);

fn value_fields(answer: &Answer) -> ValueFields {
    match *answer {
        Answer::None => ("none", 0, 0, None, 0.0),
        Answer::Exact { value, tie_plies } if value.is_repetition() => ("repetition", 0, 0, tie_plies, 0.0),
        Answer::Exact { value, tie_plies } if value.payoff() == 0 => ("tie", 0, 0, tie_plies, 0.0),
        Answer::Exact { value, .. } => ("exact", value.payoff(), 0, value.distance(), 0.0),
        Answer::Unknown { low, high } => ("unknown", low, high, None, 0.0),
        Answer::Mean { mean, most } => ("mean", most, 0, None, mean),
    }
}

fn answer_of((kind, one, two, plies, mean): OwnedValueFields) -> Answer {
    let exact = |value, tie_plies| Answer::Exact { value, tie_plies };
    match kind.as_str() {
        "repetition" => exact(Value::REPETITION, plies),
        "tie" => exact(Value::TIE, plies),
        "exact" => exact(plies.map_or_else(|| Value::untimed(one), |plies| Value::new(one, plies)), None),
        "unknown" => Answer::Unknown { low: one, high: two },
        "mean" => Answer::Mean { mean, most: one },
        _ => Answer::None,
    }
}

/// Reduces a move.
pub(crate) fn of_move<'py>(py: Python<'py>, answer: &MoveAnswer) -> PyResult<PickleParts<'py>> {
    let value = value_fields(&answer.answer);
    reduced(
        py,
        "move",
        (&answer.mv, answer.san.as_ref(), value, answer.score, answer.probability, answer.opinion),
    )
}

/// Makes a move with its value.
#[pyfunction]
#[pyo3(name = "restored_move_")]
pub(crate) fn restored_move(
    mv: String,
    san: Option<String>,
    value: OwnedValueFields,
    score: Option<i32>,
    probability: Option<f64>,
    opinion: Option<f64>,
) -> Move {
    Move { answer: MoveAnswer { mv, san, answer: answer_of(value), score, probability, opinion } }
}

/// Makes an explanation.
#[pyfunction]
#[pyo3(name = "restored_why_")]
pub(crate) fn restored_explanation(dict: Py<PyAny>, sentence: String, line: Vec<String>) -> Explanation {
    Explanation { dict, sentence, line }
}
