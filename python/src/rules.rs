//! A game that Python describes, as one more set of rules.
//!
//! ```text
//!  a class in Python ──asked once for each position──▶ Store ──all positions met──▶ Graph
//!                                                       │ lazily, with the interpreter   │ numbers alone
//!                                                       └────────── Rules: Game + Notation + Chance ──▶ Entry
//! ```
//!
//! Positions are interned: one that compares equal to another is the same number. Once all positions are known the graph
//! answers without a lock and without the interpreter, so that solvers run at their own speed.
//!
//! Invariant: the store's lock is only taken by a thread that is attached to the interpreter, and waiting for it detaches.

use crate::errors;
use crate::fault::Fault;
use crate::graph::Graph;
use outplay_core::{
    Chance, Game, Gesture, Holder, InputError, Layout, Mark, Notation, Payoff, Picture, Scene, Spot, Tone,
    Turn, cell_name,
};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// A game whose rules are a graph or a Python object.
#[derive(Clone)]
pub(crate) struct Rules(Arc<Inner>);

struct Inner {
    spec: String,
    /// All positions, once they are known.
    sealed: OnceLock<Sealed>,
    script: Option<Script>,
}

/// Everything that play reaches.
struct Sealed {
    graph: Arc<Graph>,
    /// Positions that are the same up to symmetry, where the rules tell.
    images: Option<Vec<Vec<u32>>>,
}

/// The Python object and what it said so far.
struct Script {
    turn: Py<PyAny>,
    moves: Py<PyAny>,
    play: Py<PyAny>,
    outcome: Py<PyAny>,
    chance: Option<Py<PyAny>>,
    symmetric: Option<Py<PyAny>>,
    picture: Option<Py<PyAny>>,
    write_position: Option<Py<PyAny>>,
    read_position: Option<Py<PyAny>>,
    write_move: Option<Py<PyAny>>,
    best_payoff: Payoff,
    store: Mutex<Store>,
    /// What the rules raised while a solver asked them.
    fault: Fault,
}

/// Positions that were met.
struct Store {
    /// Which number a position has.
    ids: Py<PyDict>,
    met: Vec<Met>,
    /// Texts of positions, for reading them back; filled when somebody reads.
    texts: HashMap<String, u32>,
    texts_of: usize,
}

/// A position that was met.
struct Met {
    object: Py<PyAny>,
    hash: isize,
    /// Whether an equal position was asked for its turn, too.
    asked_again: bool,
    known: Option<Known>,
}

/// What the rules said about a position.
struct Known {
    turn: Turn,
    payoff: Option<Payoff>,
    moves: Vec<Py<PyAny>>,
    next: Vec<u32>,
    odds: Vec<f64>,
}

thread_local! {
    /// Whether this thread is inside somebody's rules, which must not ask about their own game.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Positions at which laws are checked that cost further calls: the first ones, and some of all others.
fn is_sample(id: usize) -> bool {
    id < 64 || id.is_multiple_of(512)
}

/// A method that may be missing.
fn optional(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Py<PyAny>>> {
    let found = object.getattr_opt(name)?;
    Ok(found.filter(|found| !found.is_none()).map(Bound::unbind))
}

/// A position the way errors show it.
fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map_or_else(|_| "a position".into(), |text| text.to_string());
    let short: String = text.chars().take(120).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

fn broken(name: &str, sentence: String, object: &Bound<'_, PyAny>) -> PyErr {
    errors::law(object.py(), name, &sentence, Some(object.clone().unbind()))
}

impl Rules {
    /// Rules that are nothing but a graph.
    pub(crate) fn of_graph(name: Option<&str>, graph: Arc<Graph>) -> Rules {
        let spec =
            name.map_or_else(|| format!("graph:{:08x}", graph.version), |name| format!("graph:{name}"));
        let sealed = OnceLock::new();
        let _ = sealed.set(Sealed { graph, images: None });
        Rules(Arc::new(Inner { spec, sealed, script: None }))
    }

    /// Rules that a Python object describes.
    pub(crate) fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Rules> {
        let py = object.py();
        let required = |name: &str| -> PyResult<Py<PyAny>> {
            optional(object, name)?.ok_or_else(|| {
                let class =
                    object.get_type().name().map_or_else(|_| "the object".into(), |name| name.to_string());
                let sentence = format!("{class} has no method `{name}`, so it is not a game");
                let cure =
                    "a game has `start`, `turn`, `moves`, `play` and `outcome`; see `help(outplay.Rules)`";
                errors::typed(py, "InputError", &sentence, Some(cure))
            })
        };
        let name = match object.getattr_opt("name")? {
            Some(name) if name.is_instance_of::<PyString>() => name.extract::<String>()?,
            _ => object.get_type().name()?.to_string(),
        };
        let clean = |c: char| {
            if c.is_ascii_alphanumeric() || "-_x+".contains(c) { c.to_ascii_lowercase() } else { '-' }
        };
        let spec = format!("python:{}", name.chars().map(clean).collect::<String>());
        let best_payoff = match object.getattr_opt("best_payoff")? {
            Some(most) if !most.is_none() => most.extract::<Payoff>()?.max(1),
            _ => 1,
        };
        let start = required("start")?;
        let script = Script {
            turn: required("turn")?,
            moves: required("moves")?,
            play: required("play")?,
            outcome: required("outcome")?,
            chance: optional(object, "chance")?,
            symmetric: optional(object, "symmetric")?,
            picture: optional(object, "picture")?,
            write_position: optional(object, "write_position")?,
            read_position: optional(object, "read_position")?,
            write_move: optional(object, "write_move")?,
            best_payoff,
            store: Mutex::new(Store {
                ids: PyDict::new(py).unbind(),
                met: Vec::new(),
                texts: HashMap::new(),
                texts_of: 0,
            }),
            fault: Fault::default(),
        };
        script.locked(py, |store| script.intern(py, store, &start.bind(py).call0()?).map(drop))?;
        Ok(Rules(Arc::new(Inner { spec, sealed: OnceLock::new(), script: Some(script) })))
    }

    /// Whether the rules roll dice.
    pub(crate) fn has_dice(&self) -> bool {
        match &self.0.script {
            Some(script) => script.chance.is_some(),
            None => self.graph().is_some_and(|graph| graph.has_dice()),
        }
    }

    /// All positions, if they are known.
    pub(crate) fn graph(&self) -> Option<&Arc<Graph>> {
        self.0.sealed.get().map(|sealed| &sealed.graph)
    }

    /// What the rules raised while a solver asked them.
    pub(crate) fn fault_of(&self) -> Option<Fault> {
        self.0.script.as_ref().map(|script| script.fault.clone())
    }

    /// Meets all positions, at most `most` of them and until `end`; false if there are more. `told` hears how many
    /// were met every now and then.
    pub(crate) fn seal(
        &self,
        py: Python<'_>,
        most: usize,
        end: Option<Instant>,
        told: &mut dyn FnMut(usize) -> PyResult<()>,
    ) -> PyResult<bool> {
        let Some(script) = self.0.script.as_ref().filter(|_| self.0.sealed.get().is_none()) else {
            return Ok(true);
        };
        script.locked(py, |store| {
            let mut id = 0;
            while id < store.met.len() {
                if store.met.len() > most || (id % 64 == 0 && end.is_some_and(|end| Instant::now() >= end)) {
                    return Ok(false);
                }
                if id % 1024 == 0 {
                    py.check_signals()?;
                    told(id)?;
                }
                script.look(py, store, id)?;
                id += 1;
            }
            let images = script.images(py, store)?;
            let mut graph = Graph::new();
            for met in &store.met {
                let Some(known) = &met.known else { continue };
                let odds = if script.chance.is_some() { known.odds.as_slice() } else { &[] };
                graph.push(known.turn, known.payoff, &known.next, odds);
            }
            let _ = self.0.sealed.set(Sealed { graph: Arc::new(graph.finished()), images });
            Ok(true)
        })
    }

    /// The Python object of a position.
    pub(crate) fn object(&self, py: Python<'_>, id: u32) -> Option<Py<PyAny>> {
        let script = self.0.script.as_ref()?;
        script.locked(py, |store| Ok(store.met[id as usize].object.clone_ref(py))).ok()
    }

    /// The Python object of a move.
    pub(crate) fn move_object(&self, py: Python<'_>, id: u32, place: usize) -> Option<Py<PyAny>> {
        let script = self.0.script.as_ref()?;
        let found = script.locked(py, |store| {
            script.look(py, store, id as usize)?;
            Ok(store.met[id as usize]
                .known
                .as_ref()
                .and_then(|known| known.moves.get(place))
                .map(|mv| mv.clone_ref(py)))
        });
        found.ok().flatten()
    }

    /// The number of a position that Python shows.
    pub(crate) fn find(&self, object: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let py = object.py();
        let Some(script) = &self.0.script else { return Ok(object.extract().ok()) };
        script.locked(py, |store| {
            if self.0.sealed.get().is_some() {
                return store.ids.bind(py).get_item(object)?.map(|id| id.extract()).transpose();
            }
            script.intern(py, store, object).map(Some)
        })
    }

    /// What the rules say about a position that may not have been looked at yet. An exception is kept, and the position
    /// counts as a tie until whoever asked has stopped.
    fn ask<T>(&self, id: u32, blank: T, read: impl FnOnce(&Known) -> T) -> T {
        let Some(script) = &self.0.script else { return blank };
        let said = Python::attach(|py| {
            script
                .locked(py, |store| {
                    script.look(py, store, id as usize)?;
                    Ok(store.met[id as usize].known.as_ref().map(read))
                })
                .map_err(|error| script.fault.keep(error))
        });
        said.ok().flatten().unwrap_or(blank)
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

    /// The picture that the rules draw of a position.
    fn picture(&self, pos: u32) -> Option<String> {
        let method = self.0.script.as_ref()?.picture.as_ref();
        self.text(method, |py| PyTuple::new(py, [self.object(py, pos)?]).ok().map(Bound::unbind))
    }

    /// A move as a word, before anybody looks at the others.
    fn word(&self, pos: u32, place: usize) -> String {
        let Some(script) = &self.0.script else { return place.to_string() };
        let said = match &script.write_move {
            Some(method) => self.text(Some(method), |py| {
                Rules::pair(py, self.object(py, pos), self.move_object(py, pos, place))
            }),
            None => Python::attach(|py| Some(worded(self.move_object(py, pos, place)?.bind(py)))),
        };
        let said = said.unwrap_or_default();
        let clean: String =
            said.chars().map(|c| if c == ',' || c.is_whitespace() { '_' } else { c }).collect();
        if clean.is_empty() { format!("#{place}") } else { clean }
    }
}

/// A move that the rules do not name: numbers and text as they are, parts joined by hyphens.
fn worded(mv: &Bound<'_, PyAny>) -> String {
    if let Ok(parts) = mv.cast::<PyTuple>() {
        return parts.iter().map(|part| worded(&part)).collect::<Vec<_>>().join("-");
    }
    match mv.is_none() {
        true => "pass".into(),
        false => mv.str().map(|text| text.to_string()).unwrap_or_default(),
    }
}

impl Script {
    /// Works on the store, which one thread at a time may do.
    fn locked<T>(&self, py: Python<'_>, work: impl FnOnce(&mut Store) -> PyResult<T>) -> PyResult<T> {
        if INSIDE.get() {
            let sentence = "the rules of a game ask outplay about a game while they are asked themselves";
            return Err(errors::typed(
                py,
                "RulesError",
                sentence,
                Some("compute the answer from the position alone"),
            ));
        }
        let mut store = self.store.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        INSIDE.set(true);
        let done = work(&mut store);
        INSIDE.set(false);
        done
    }

    /// The number of a position, a new one if no equal position was met before.
    fn intern(&self, py: Python<'_>, store: &mut Store, object: &Bound<'_, PyAny>) -> PyResult<u32> {
        let unhashable = |error: PyErr| -> PyErr {
            if !error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) {
                return error;
            }
            let sentence = format!(
                "positions must be hashable, and {} is not ({}); use tuples, strings, numbers or frozen data classes",
                shown(object),
                error.value(py)
            );
            broken("hashable positions", sentence, object)
        };
        let ids = store.ids.bind(py).clone();
        if let Some(id) = ids.get_item(object).map_err(unhashable)? {
            let id: u32 = id.extract()?;
            self.ask_again(py, store, id, object)?;
            return Ok(id);
        }
        let id = store.met.len() as u32;
        ids.set_item(object, id)?;
        let hash = object.hash()?;
        store.met.push(Met { object: object.clone().unbind(), hash, asked_again: false, known: None });
        Ok(id)
    }

    /// Equal positions are one position, so the same player moves in them.
    fn ask_again(
        &self,
        py: Python<'_>,
        store: &mut Store,
        id: u32,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let met = &mut store.met[id as usize];
        let Some(known) = met.known.as_ref().filter(|_| !met.asked_again) else { return Ok(()) };
        met.asked_again = true;
        let turn = self.turn(object)?;
        if turn != known.turn {
            return Err(self.changed_turn(object, known.turn, turn));
        }
        let _ = py;
        Ok(())
    }

    fn changed_turn(&self, object: &Bound<'_, PyAny>, before: Turn, now: Turn) -> PyErr {
        let sentence = format!(
            "`turn` says {before} and later {now} of equal positions, {}; whose turn it is must follow from the position alone",
            shown(object)
        );
        broken("turn", sentence, object)
    }

    fn turn(&self, object: &Bound<'_, PyAny>) -> PyResult<Turn> {
        let said = self.turn.bind(object.py()).call1((object,))?;
        let turn = match said.cast::<PyString>() {
            Ok(word) => match word.to_string().as_str() {
                "first" => Some(Turn::First),
                "second" => Some(Turn::Second),
                "chance" => Some(Turn::Chance),
                _ => None,
            },
            Err(_) => match said.extract::<i64>() {
                Ok(0) => Some(Turn::First),
                Ok(1) => Some(Turn::Second),
                _ => None,
            },
        };
        turn.ok_or_else(|| {
            let sentence = format!(
                "`turn` says {} at {}; it must say 0 or \"first\", 1 or \"second\", or \"chance\"",
                shown(&said),
                shown(object)
            );
            broken("turn", sentence, object)
        })
    }

    fn payoff(&self, object: &Bound<'_, PyAny>) -> PyResult<Option<Payoff>> {
        let said = self.outcome.bind(object.py()).call1((object,))?;
        if said.is_none() {
            return Ok(None);
        }
        if let Ok((first, second)) = said.extract::<(f64, f64)>() {
            if first != -second {
                let sentence = format!(
                    "the payoffs {first} and {second} at {} do not sum to zero; what one player wins the other loses",
                    shown(object)
                );
                return Err(broken("zero sum", sentence, object));
            }
            return self.whole(object, &said, first).map(Some);
        }
        match said.extract::<f64>() {
            Ok(payoff) => self.whole(object, &said, payoff).map(Some),
            Err(_) => Err(self.odd_payoff(object, &said)),
        }
    }

    fn whole(&self, object: &Bound<'_, PyAny>, said: &Bound<'_, PyAny>, payoff: f64) -> PyResult<Payoff> {
        match payoff.fract() == 0.0 && payoff.abs() <= f64::from(1 << 20) {
            true => Ok(payoff as Payoff),
            false => Err(self.odd_payoff(object, said)),
        }
    }

    fn odd_payoff(&self, object: &Bound<'_, PyAny>, said: &Bound<'_, PyAny>) -> PyErr {
        let sentence = format!(
            "`outcome` says {} at {}; it must say None while the game goes on, else what the first player gets as a whole number up to a million",
            shown(said),
            shown(object)
        );
        broken("payoff", sentence, object)
    }

    /// Asks the rules about a position, once.
    fn look(&self, py: Python<'_>, store: &mut Store, id: usize) -> PyResult<()> {
        if store.met[id].known.is_some() {
            return Ok(());
        }
        let object = store.met[id].object.bind(py).clone();
        let turn = self.turn(&object)?;
        let payoff = self.payoff(&object)?;
        let (mut moves, mut odds) = (Vec::new(), Vec::new());
        match (&self.chance, turn) {
            (Some(chance), Turn::Chance) if payoff.is_none() => {
                for roll in chance.bind(py).call1((&object,))?.try_iter()? {
                    let (mv, odd): (Py<PyAny>, f64) =
                        roll?.extract().map_err(|_| self.odd_chance(&object))?;
                    moves.push(mv);
                    odds.push(odd);
                }
                let sum: f64 = odds.iter().sum();
                if (sum - 1.0).abs() > 1e-9 || odds.iter().any(|&odds| odds <= 0.0) {
                    let sentence = format!(
                        "the probabilities of `chance` at {} sum to {sum}; they must be positive and sum to 1",
                        shown(&object)
                    );
                    return Err(broken("chance", sentence, &object));
                }
            }
            (None, Turn::Chance) => {
                let sentence = format!(
                    "it is the turn of chance at {}, and there is no method `chance(position)` that lists moves with their probabilities",
                    shown(&object)
                );
                return Err(broken("chance", sentence, &object));
            }
            _ => {
                for mv in self.moves.bind(py).call1((&object,))?.try_iter()? {
                    moves.push(mv?.unbind());
                }
                odds.resize(moves.len(), 0.0);
            }
        }
        if payoff.is_some() && !moves.is_empty() {
            let sentence = format!(
                "{} is finished, and `moves` lists {} from there ({} first); a finished position has no moves",
                shown(&object),
                moves.len(),
                shown(moves[0].bind(py))
            );
            return Err(broken("finished", sentence, &object));
        }
        if payoff.is_none() && moves.is_empty() {
            let sentence = format!(
                "{} has no moves, and `outcome` says that the game goes on; a position without moves is finished",
                shown(&object)
            );
            return Err(broken("unfinished", sentence, &object));
        }
        let play = self.play.bind(py).clone();
        let mut next = Vec::with_capacity(moves.len());
        for mv in &moves {
            let after = play.call1((&object, mv))?;
            next.push(self.intern(py, store, &after)?);
        }
        if !moves.is_empty() {
            self.check_play(py, store, id, &object, turn, &moves, &next)?;
        }
        store.met[id].known = Some(Known { turn, payoff, moves, next, odds });
        Ok(())
    }

    fn odd_chance(&self, object: &Bound<'_, PyAny>) -> PyErr {
        let sentence = format!("`chance` at {} must list pairs of a move and its probability", shown(object));
        broken("chance", sentence, object)
    }

    /// Laws of `play`: it leaves the position alone, and playing a move twice leads to equal positions.
    #[allow(clippy::too_many_arguments)]
    fn check_play(
        &self,
        py: Python<'_>,
        store: &mut Store,
        id: usize,
        object: &Bound<'_, PyAny>,
        turn: Turn,
        moves: &[Py<PyAny>],
        next: &[u32],
    ) -> PyResult<()> {
        if object.hash()? != store.met[id].hash {
            let sentence = format!(
                "`play` changes the position that it is given, {}; it must return a new one and leave the old one alone",
                shown(object)
            );
            return Err(broken("play", sentence, object));
        }
        if !is_sample(id) {
            return Ok(());
        }
        let now = self.turn(object)?;
        if now != turn {
            return Err(self.changed_turn(object, turn, now));
        }
        let again = self.play.bind(py).call1((object, &moves[0]))?;
        let same = match store.ids.bind(py).get_item(&again)? {
            Some(again) => again.extract::<u32>()? == next[0],
            None => false,
        };
        if !same {
            let sentence = format!(
                "the move {} from {} leads to {} and, played again, to {}, which does not compare equal; give positions `__eq__` and `__hash__` by their contents, and let chance be a turn of its own",
                shown(moves[0].bind(py)),
                shown(object),
                shown(store.met[next[0] as usize].object.bind(py)),
                shown(&again)
            );
            return Err(broken("equal positions", sentence, object));
        }
        Ok(())
    }

    /// The positions that the rules call symmetric, of those that play reaches; itself always.
    fn images(&self, py: Python<'_>, store: &mut Store) -> PyResult<Option<Vec<Vec<u32>>>> {
        let Some(symmetric) = &self.symmetric else { return Ok(None) };
        let mut images = Vec::with_capacity(store.met.len());
        for id in 0..store.met.len() {
            let object = store.met[id].object.bind(py).clone();
            let mut list = vec![id as u32];
            for image in symmetric.bind(py).call1((&object,))?.try_iter()? {
                let image = image?;
                let Some(at) = store.ids.bind(py).get_item(&image)? else { continue };
                let at: u32 = at.extract()?;
                let alike = |a: &Met, b: &Met| match (&a.known, &b.known) {
                    (Some(a), Some(b)) => {
                        (a.turn, a.payoff, a.next.len()) == (b.turn, b.payoff, b.next.len())
                    }
                    _ => true,
                };
                if !alike(&store.met[id], &store.met[at as usize]) {
                    let sentence = format!(
                        "`symmetric` says that {} and {} are alike, and they differ in turn, outcome or number of moves",
                        shown(&object),
                        shown(&image)
                    );
                    return Err(broken("symmetric", sentence, &object));
                }
                list.push(at);
            }
            list.sort_unstable();
            list.dedup();
            images.push(list);
        }
        Ok(Some(images))
    }

    /// A position as text, by the rules or as Python shows it.
    fn write(&self, object: &Bound<'_, PyAny>) -> PyResult<String> {
        let said = match &self.write_position {
            Some(method) => method.bind(object.py()).call1((object,))?.str()?,
            None if object.is_instance_of::<PyString>() => object.str()?,
            None => object.repr()?,
        };
        Ok(said.to_string().replace(['\n', '\r'], " "))
    }

    /// The object that a text stands for, by the rules, as a Python literal, or as the text of a position that was met.
    fn read(&self, py: Python<'_>, store: &mut Store, text: &str) -> PyResult<Option<Py<PyAny>>> {
        if let Some(method) = &self.read_position {
            let read = method.bind(py).call1((text,))?;
            return Ok(Some(read).filter(|read| !read.is_none()).map(Bound::unbind));
        }
        for id in store.texts_of..store.met.len() {
            let words = self.write(store.met[id].object.bind(py))?;
            store.texts.entry(words).or_insert(id as u32);
        }
        store.texts_of = store.met.len();
        if let Some(&id) = store.texts.get(text) {
            return Ok(Some(store.met[id as usize].object.clone_ref(py)));
        }
        let literal = py.import("ast")?.call_method1("literal_eval", (text,));
        Ok(literal.ok().filter(|object| object.hash().is_ok()).map(Bound::unbind))
    }
}

impl Game for Rules {
    type Position = u32;
    type Move = u32;

    fn start(&self) -> Option<u32> {
        Some(0)
    }

    fn turn(&self, pos: &u32) -> Turn {
        match self.graph() {
            Some(graph) => graph.turns[*pos as usize],
            None => self.ask(*pos, Turn::First, |known| known.turn),
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
            None => self.ask(*pos, Some(0), |known| known.payoff),
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

impl Chance for Rules {
    fn outcomes(&self, pos: &u32, out: &mut Vec<(u32, f64)>) {
        let numbered = |odds: &[f64]| -> Vec<(u32, f64)> { (0..).zip(odds.iter().copied()).collect() };
        match self.graph() {
            Some(graph) => out.extend(numbered(graph.odds(*pos))),
            None => out.extend(self.ask(*pos, Vec::new(), |known| numbered(&known.odds))),
        }
    }
}

impl Notation for Rules {
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
            return known
                .ok_or_else(|| InputError::position(text, "positions of a graph are numbers from 0"));
        };
        let found = Python::attach(|py| -> PyResult<Option<u32>> {
            let object = script.locked(py, |store| script.read(py, store, text))?;
            object.map_or(Ok(None), |object| self.find(object.bind(py)))
        });
        match found {
            Ok(Some(id)) => Ok(id),
            Ok(None) => Err(InputError::position(text, "no position that play reaches is written so")),
            Err(error) => {
                let why = format!("the rules cannot read it ({error})");
                Err(InputError::position(text, why))
            }
        }
    }

    fn write_move(&self, pos: &u32, mv: u32) -> String {
        let word = self.word(*pos, mv as usize);
        // Another move of the same name would make it ambiguous.
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

/// A picture of equally long lines is a board: a cell for each character that is not a blank.
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
