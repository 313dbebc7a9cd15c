//! Rules written in Python or given as a graph, behind the traits `Game`, `Notation` and `Chance`.
//!
//! ```text
//!  a class in Python ──called once per position──▶ Store ──all positions explored──▶ Graph
//!                                                    │ lazily, with the interpreter    │ without the interpreter
//!                                                    └────────── Rules: Game + Notation + Chance ──▶ GameHandle
//! ```
//!
//! Positions are interned: those that compare equal share one number. Once all positions are explored, the graph needs
//! neither a lock nor the interpreter, so solvers run at full speed.
//!
//! Invariant: the store's lock is only taken by a thread that is attached to the interpreter, and waiting for it
//! detaches.

use crate::errors;
use crate::fault::ExceptionSlot;
use crate::graph::Graph;
use crate::memory::Growth;
use crate::script::{ExpandedPosition, Script};
use crate::work;
use outplay_core::{
    Chance, Game, Gesture, Holder, InputError, Layout, Mark, Notation, Payoff, Picture, Scene, Spot, Tone,
    Turn, cell_name,
};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Time limit of an exploration that decides whether play reaches a given position.
const QUICK: Duration = Duration::from_secs(1);

/// Result of exploring a game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExploredGraph {
    All,
    TooMany,
    OutOfTime,
    OutOfMemory,
}

/// Rules that were pickled or unpickled in this process, by identity.
static IDENTIFIED: Mutex<Vec<(String, Weak<Inner>)>> = Mutex::new(Vec::new());

/// A game whose rules are a graph or a Python object.
#[derive(Clone)]
pub(crate) struct PythonRules(Arc<Inner>);

struct Inner {
    spec: String,
    /// 128 random bits that all pickled copies share, drawn when the rules are first pickled.
    identity: OnceLock<String>,
    /// All positions, once they are explored.
    sealed: OnceLock<CompleteGraph>,
    script: Option<Script>,
}

/// The complete graph of a game.
struct CompleteGraph {
    graph: Arc<Graph>,
    /// Orbits of the positions under symmetry, where the rules define them.
    images: Option<Vec<Vec<u32>>>,
}

impl PythonRules {
    /// Creates rules from a graph.
    pub(crate) fn of_graph(name: Option<&str>, graph: Arc<Graph>) -> PythonRules {
        let spec =
            name.map_or_else(|| format!("graph:{:08x}", graph.version), |name| format!("graph:{name}"));
        let sealed = OnceLock::new();
        let _ = sealed.set(CompleteGraph { graph, images: None });
        PythonRules(Arc::new(Inner { spec, identity: OnceLock::new(), sealed, script: None }))
    }

    /// Creates rules from a Python object.
    pub(crate) fn of_object(object: &Bound<'_, PyAny>, check: bool) -> PyResult<PythonRules> {
        let name = match object.getattr_opt("name")? {
            Some(name) if name.is_instance_of::<PyString>() => name.extract::<String>()?,
            _ => object.get_type().name()?.to_string(),
        };
        let clean = |c: char| {
            if c.is_ascii_alphanumeric() || "-_x+".contains(c) { c.to_ascii_lowercase() } else { '-' }
        };
        let spec = format!("python:{}", name.chars().map(clean).collect::<String>());
        let script = Some(Script::new(object, check)?);
        let (identity, sealed) = (OnceLock::new(), OnceLock::new());
        Ok(PythonRules(Arc::new(Inner { spec, identity, sealed, script })))
    }

    /// The rules with an identity, if they exist in this process.
    pub(crate) fn with_identity(identity: &str) -> Option<PythonRules> {
        let identified = IDENTIFIED.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, rules) = identified.iter().find(|(known, _)| known == identity)?;
        rules.upgrade().map(PythonRules)
    }

    /// Gives rules that were just made the identity with which they were pickled.
    pub(crate) fn identified(self, identity: &str) -> PythonRules {
        let identity = self.0.identity.get_or_init(|| identity.to_string()).clone();
        let mut identified = IDENTIFIED.lock().unwrap_or_else(PoisonError::into_inner);
        identified.retain(|(known, rules)| *known != identity && rules.strong_count() > 0);
        identified.push((identity, Arc::downgrade(&self.0)));
        drop(identified);
        self
    }

    /// The identity of the rules, for pickles.
    pub(crate) fn identity(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(identity) = self.0.identity.get() {
            return Ok(identity.clone());
        }
        let drawn: String = py.import("uuid")?.call_method0("uuid4")?.getattr("hex")?.extract()?;
        let rules = self.clone().identified(&drawn);
        Ok(rules.0.identity.get().cloned().unwrap_or(drawn))
    }

    /// The Python object with the rules, and whether all laws are checked; `None` for a graph.
    pub(crate) fn object_of(&self) -> Option<(&Py<PyAny>, bool)> {
        self.0.script.as_ref().map(|script| (&script.object, script.check))
    }

    /// The canonical spec.
    pub(crate) fn spec_of(&self) -> &str {
        &self.0.spec
    }

    /// Whether these are the same rules: one Python object that was opened once, or equal graphs.
    pub(crate) fn is_same(&self, other: &PythonRules) -> bool {
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        let plain = self.0.script.is_none() && other.0.script.is_none() && self.0.spec == other.0.spec;
        match (self.graph(), other.graph()) {
            (Some(one), Some(two)) if plain => Arc::ptr_eq(one, two) || one == two,
            _ => false,
        }
    }

    /// Whether the rules have chance nodes.
    pub(crate) fn has_dice(&self) -> bool {
        match &self.0.script {
            Some(script) => script.chance.is_some(),
            None => self.graph().is_some_and(|graph| graph.has_dice()),
        }
    }

    /// The complete graph, once all positions are explored.
    pub(crate) fn graph(&self) -> Option<&Arc<Graph>> {
        self.0.sealed.get().map(|sealed| &sealed.graph)
    }

    /// The slot of exceptions that the rules raise while a solver calls them.
    pub(crate) fn fault_of(&self) -> Option<ExceptionSlot> {
        self.0.script.as_ref().map(|script| script.fault.clone())
    }

    /// Sets the memory limit of the positions in bytes.
    pub(crate) fn limit_memory(&self, bytes: u64) {
        if let Some(script) = &self.0.script {
            script.memory.store(bytes, Ordering::Relaxed);
        }
    }

    /// Explores all positions: at most `most`, until `end` and in half of the memory, so that a game too large for this
    /// can still be explored lazily. `report` receives the number of explored positions from time to time.
    pub(crate) fn seal(
        &self,
        py: Python<'_>,
        most: usize,
        end: Option<Instant>,
        report: &mut dyn FnMut(usize) -> PyResult<()>,
    ) -> PyResult<ExploredGraph> {
        let Some(script) = self.0.script.as_ref().filter(|_| self.0.sealed.get().is_none()) else {
            return Ok(ExploredGraph::All);
        };
        let memory = script.memory.load(Ordering::Relaxed) / 2;
        script.locked(py, |store| {
            // Another thread may have explored them while this one waited.
            if self.0.sealed.get().is_some() {
                return Ok(ExploredGraph::All);
            }
            let growth = Growth::begin(store);
            let gave_up = |why| {
                script.too_large.store(true, Ordering::Relaxed);
                Ok(why)
            };
            let mut id = 0;
            while id < store.positions.len() {
                if store.positions.len() > most {
                    return gave_up(ExploredGraph::TooMany);
                }
                if id % 64 == 0 && end.is_some_and(|end| Instant::now() >= end) {
                    return gave_up(ExploredGraph::OutOfTime);
                }
                if id % 256 == 255 && growth.note(store) > memory {
                    return gave_up(ExploredGraph::OutOfMemory);
                }
                if id % 1024 == 0 {
                    work::check(py)?;
                    report(id)?;
                }
                script.look(py, store, id)?;
                id += 1;
            }
            script.check_games(py, store, end)?;
            let images = script.images(py, store)?;
            let mut graph = Graph::new();
            for met in &store.positions {
                let Some(known) = &met.known else { continue };
                let said = &known.said;
                let odds = if script.chance.is_some() { said.odds.as_slice() } else { &[] };
                graph.push(said.turn, said.payoff, &known.next, odds);
            }
            let _ = self.0.sealed.set(CompleteGraph { graph: Arc::new(graph.finished()), images });
            Ok(ExploredGraph::All)
        })
    }

    /// The Python object of a position.
    pub(crate) fn object(&self, py: Python<'_>, id: u32) -> Option<Py<PyAny>> {
        let script = self.0.script.as_ref()?;
        script.locked(py, |store| Ok(store.positions[id as usize].object.clone_ref(py))).ok()
    }

    /// The Python object of a move.
    pub(crate) fn move_object(&self, py: Python<'_>, id: u32, place: usize) -> Option<Py<PyAny>> {
        let script = self.0.script.as_ref()?;
        let found = script.locked(py, |store| {
            script.look(py, store, id as usize)?;
            Ok(store.positions[id as usize]
                .known
                .as_ref()
                .and_then(|known| known.said.moves.get(place))
                .map(|mv| mv.clone_ref(py)))
        });
        found.ok().flatten()
    }

    /// Returns the number of a position given as a Python object.
    pub(crate) fn find(&self, object: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let py = object.py();
        let Some(script) = &self.0.script else { return Ok(object.extract().ok()) };
        let met = || script.locked(py, |store| script.number(py, store, object));
        if let Some(id) = met()? {
            return Ok(Some(id));
        }
        // The position may be reachable: if the game is small enough, an exploration decides.
        if !script.too_large.load(Ordering::Relaxed) {
            self.seal(py, usize::MAX, Instant::now().checked_add(QUICK), &mut |_| Ok(()))?;
        }
        match self.0.sealed.get() {
            Some(_) => met(),
            None => script.locked(py, |store| script.admit(py, store, object)),
        }
    }

    /// Reads from a position, calling the rules if necessary. An exception is stored, and the position counts as a tie
    /// until the solver has stopped.
    fn ask<T>(&self, id: u32, blank: T, read: impl FnOnce(&ExpandedPosition) -> T) -> T {
        let Some(script) = &self.0.script else { return blank };
        let said = Python::attach(|py| {
            script
                .locked(py, |store| {
                    script.look(py, store, id as usize)?;
                    let memory = script.memory.load(Ordering::Relaxed);
                    if store.footprint.bytes(store.positions.len()) > memory {
                        return Err(full(py, &self.0.spec, store.positions.len(), memory));
                    }
                    Ok(store.positions[id as usize].known.as_ref().map(read))
                })
                .map_err(|error| script.fault.keep(error))
        });
        said.ok().flatten().unwrap_or(blank)
    }

    /// Panics while the store is locked.
    #[cfg(debug_assertions)]
    pub(crate) fn panic_inside(&self, py: Python<'_>) {
        if let Some(script) = &self.0.script {
            let _ = script.locked(py, |_| -> PyResult<()> { panic!("a panic for a test") });
        }
    }

    /// Calls an optional method for text.
    fn text(
        &self,
        method: Option<&Py<PyAny>>,
        words: impl FnOnce(Python<'_>) -> Option<Py<PyTuple>>,
    ) -> Option<String> {
        let script = self.0.script.as_ref()?;
        Python::attach(|py| {
            let words = words(py)?;
            let said = method?.bind(py).call1(words.bind(py)).and_then(|said| Ok(said.str()?.to_string()));
            said.map_err(|error| script.fault.keep(error)).ok()
        })
    }

    fn pair(py: Python<'_>, a: Option<Py<PyAny>>, b: Option<Py<PyAny>>) -> Option<Py<PyTuple>> {
        PyTuple::new(py, [a?, b?]).ok().map(Bound::unbind)
    }

    /// The picture of a position, drawn by the rules.
    fn picture(&self, pos: u32) -> Option<String> {
        let method = self.0.script.as_ref()?.picture.as_ref();
        self.text(method, |py| PyTuple::new(py, [self.object(py, pos)?]).ok().map(Bound::unbind))
    }

    /// A move as a word, without disambiguation.
    fn word(&self, pos: u32, place: usize) -> String {
        let Some(script) = &self.0.script else { return place.to_string() };
        let said = match &script.write_move {
            Some(method) => self.text(Some(method), |py| {
                PythonRules::pair(py, self.object(py, pos), self.move_object(py, pos, place))
            }),
            None => Python::attach(|py| Some(worded(self.move_object(py, pos, place)?.bind(py)))),
        };
        let said = said.unwrap_or_default();
        let clean: String =
            said.chars().map(|c| if c == ',' || c.is_whitespace() { '_' } else { c }).collect();
        if clean.is_empty() { format!("#{place}") } else { clean }
    }
}

/// The error for positions that take more memory than is allowed.
fn full(py: Python<'_>, spec: &str, positions: usize, memory: u64) -> PyErr {
    let sentence =
        format!("{positions} positions of {spec} exceed the memory limit of {} MB", memory / 1_000_000);
    errors::typed(py, "LimitError", &sentence, Some("allow more with `op.game(…, memory=bytes)`"))
}

/// Formats a move that the rules do not name: numbers and text as they are, tuples joined by hyphens.
fn worded(mv: &Bound<'_, PyAny>) -> String {
    if let Ok(parts) = mv.cast::<PyTuple>() {
        return parts.iter().map(|part| worded(&part)).collect::<Vec<_>>().join("-");
    }
    match mv.is_none() {
        true => "pass".into(),
        false => mv.str().map(|text| text.to_string()).unwrap_or_default(),
    }
}

impl Game for PythonRules {
    type Position = u32;
    type Move = u32;

    fn start(&self) -> Option<u32> {
        Some(0)
    }

    fn turn(&self, pos: &u32) -> Turn {
        match self.graph() {
            Some(graph) => graph.turns[*pos as usize],
            None => self.ask(*pos, Turn::First, |known| known.said.turn),
        }
    }

    fn moves(&self, pos: &u32, out: &mut Vec<u32>) {
        let count = match self.graph() {
            Some(graph) => graph.next(*pos).len(),
            None => self.ask(*pos, 0, |known| known.next.len()),
        };
        out.extend(0..count as u32);
    }

    fn play(&self, pos: &u32, mv: u32) -> u32 {
        match self.graph() {
            Some(graph) => graph.next(*pos)[mv as usize],
            None => self.ask(*pos, *pos, |known| known.next.get(mv as usize).copied().unwrap_or(*pos)),
        }
    }

    fn outcome(&self, pos: &u32) -> Option<Payoff> {
        match self.graph() {
            Some(graph) => graph.payoffs[*pos as usize],
            None => self.ask(*pos, Some(0), |known| known.said.payoff),
        }
    }

    fn best_payoff(&self) -> Payoff {
        match (self.graph(), &self.0.script) {
            (Some(graph), _) => graph.most,
            (None, Some(script)) => script.best_payoff,
            (None, None) => 1,
        }
    }

    fn most_positions(&self) -> Option<f64> {
        self.graph().map(|graph| graph.len() as f64)
    }

    fn symmetric(&self, pos: &u32, out: &mut Vec<u32>) {
        match self.0.sealed.get().and_then(|sealed| sealed.images.as_ref()) {
            Some(images) => out.extend_from_slice(&images[*pos as usize]),
            None => out.push(*pos),
        }
    }

    fn version(&self) -> u32 {
        self.graph().map_or(1, |graph| graph.version)
    }

    fn fault(&self) -> Option<String> {
        self.0
            .script
            .as_ref()
            .filter(|script| script.fault.is_set())
            .map(|_| "the rules raised an exception".to_string())
    }
}

impl Chance for PythonRules {
    fn outcomes(&self, pos: &u32, out: &mut Vec<(u32, f64)>) {
        let numbered = |odds: &[f64]| -> Vec<(u32, f64)> { (0..).zip(odds.iter().copied()).collect() };
        match self.graph() {
            Some(graph) => out.extend(numbered(graph.odds(*pos))),
            None => out.extend(self.ask(*pos, Vec::new(), |known| numbered(&known.said.odds))),
        }
    }
}

impl Notation for PythonRules {
    fn spec(&self) -> String {
        self.0.spec.clone()
    }

    fn write_position(&self, pos: &u32) -> String {
        let Some(script) = &self.0.script else { return pos.to_string() };
        Python::attach(|py| {
            let Some(object) = self.object(py, *pos) else { return pos.to_string() };
            script.write(object.bind(py)).unwrap_or_else(|error| {
                script.fault.keep(error);
                pos.to_string()
            })
        })
    }

    fn read_position(&self, text: &str) -> Result<u32, InputError> {
        let Some(script) = &self.0.script else {
            let known = text
                .parse()
                .ok()
                .filter(|&id: &u32| self.graph().is_some_and(|graph| (id as usize) < graph.len()));
            return known.ok_or_else(|| {
                InputError::position(text, "positions of a graph are numbers, starting at 0")
            });
        };
        let found = Python::attach(|py| -> PyResult<Option<u32>> {
            let object = script.locked(py, |store| script.read(py, store, text))?;
            object.map_or(Ok(None), |object| self.find(object.bind(py)))
        });
        match found {
            Ok(Some(id)) => Ok(id),
            Ok(None) => Err(InputError::position(text, "no reachable position has this text")),
            Err(error) => {
                let why = format!("the rules cannot parse it ({error})");
                Err(InputError::position(text, why))
            }
        }
    }

    fn write_move(&self, pos: &u32, mv: u32) -> String {
        let word = self.word(*pos, mv as usize);
        // Another move with the same word would make it ambiguous.
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let alone = self.0.script.is_none()
            || moves.iter().all(|&other| other == mv || self.word(*pos, other as usize) != word);
        if alone { word } else { format!("{word}#{mv}") }
    }

    fn draw(&self, pos: &u32, _marks: &[Mark<u32>]) -> Picture {
        let text = self.picture(*pos).unwrap_or_else(|| self.write_position(pos));
        let mut picture = Picture::default();
        for line in text.lines() {
            picture.newline();
            for c in line.chars() {
                let tone = match c {
                    'x' | 'X' => Tone::First,
                    'o' | 'O' => Tone::Second,
                    '.' | '·' | '_' => Tone::Faint,
                    _ => Tone::Plain,
                };
                picture.put(c, tone);
            }
        }
        picture
    }

    fn scene(&self, pos: &u32) -> Scene {
        let mut odds = Vec::new();
        if self.turn(pos) == Turn::Chance {
            self.outcomes(pos, &mut odds);
        }
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let button = |mv: u32| {
            let odds = odds
                .get(mv as usize)
                .map_or(0, |(_, odds): &(u32, f64)| ((odds * 1e4).round() as u32).max(1));
            Gesture { mv: self.write_move(pos, mv), odds, ..Gesture::default() }
        };
        let moves = moves.into_iter().map(button).collect();
        let facts = vec![("position".to_string(), self.write_position(pos))];
        let blank = Scene { facts, moves, ..Scene::default() };
        match self.picture(*pos) {
            Some(text) => drawn(&text, blank),
            None => blank,
        }
    }
}

/// Converts a picture of equally long lines to a board: one cell per non-blank character.
fn drawn(text: &str, blank: Scene) -> Scene {
    let lines: Vec<Vec<char>> =
        text.lines().map(|line| line.chars().filter(|c| !c.is_whitespace()).collect()).collect();
    let lines: Vec<Vec<char>> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let width = lines.first().map_or(0, Vec::len);
    if lines.len() < 2 || width < 2 || lines.iter().any(|line| line.len() != width) {
        return blank;
    }
    let height = lines.len();
    let spot = |row: usize, column: usize, c: char| {
        let (holder, label) = match c {
            'x' | 'X' => (Some(Holder::First), String::new()),
            'o' | 'O' => (Some(Holder::Second), String::new()),
            '.' | '·' | '_' | '-' => (None, String::new()),
            '#' => (Some(Holder::Nobody), String::new()),
            c => (Some(Holder::Nobody), c.to_string()),
        };
        let up = height - 1 - row;
        Spot { name: cell_name(column, up), x: column as f32, y: up as f32, holder, label }
    };
    let spots = lines.iter().enumerate();
    let spots =
        spots.flat_map(|(row, line)| line.iter().enumerate().map(move |(column, &c)| spot(row, column, c)));
    Scene {
        layout: Layout::Grid,
        width: width as f32,
        height: height as f32,
        spots: spots.collect(),
        ..blank
    }
}
