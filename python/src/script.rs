//! Calls to rules written in Python: the methods of the object, and the store of interned positions.
//!
//! Positions are interned: those that compare equal share one number. The rules are called once per position and the
//! result is stored; `laws` compares later results with it.

use crate::errors;
use crate::fault::ExceptionSlot;
use crate::graph::most_paid;
use crate::memory::Footprint;
use outplay_core::{Payoff, Turn};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyIterator, PyString, PyType};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};

/// The methods of the Python object, and the store of its positions.
pub(crate) struct Script {
    /// The object itself, for pickles.
    pub(crate) object: Py<PyAny>,
    pub(crate) turn: Py<PyAny>,
    pub(crate) moves: Py<PyAny>,
    pub(crate) play: Py<PyAny>,
    pub(crate) outcome: Py<PyAny>,
    pub(crate) chance: Option<Py<PyAny>>,
    pub(crate) symmetric: Option<Py<PyAny>>,
    pub(crate) picture: Option<Py<PyAny>>,
    pub(crate) write_position: Option<Py<PyAny>>,
    pub(crate) read_position: Option<Py<PyAny>>,
    pub(crate) write_move: Option<Py<PyAny>>,
    pub(crate) best_payoff: Payoff,
    /// Whether every law is checked at every position.
    pub(crate) check: bool,
    /// Memory limit of the positions in bytes.
    pub(crate) memory: AtomicU64,
    /// Whether a complete exploration has failed.
    pub(crate) too_large: AtomicBool,
    /// Comparisons that are written in Python: the module `outplay._laws`.
    pub(crate) laws: Py<PyModule>,
    pub(crate) store: Mutex<Store>,
    /// The slot of exceptions that the rules raise while a solver calls them.
    pub(crate) fault: ExceptionSlot,
}

/// The interned positions.
pub(crate) struct Store {
    /// Numbers of the positions.
    pub(crate) ids: Py<PyDict>,
    pub(crate) positions: Vec<InternedPosition>,
    /// Types of the positions.
    pub(crate) types: Vec<Py<PyType>>,
    pub(crate) footprint: Footprint,
    /// Positions by text, for parsing; `None` where several positions have the same text. Filled when a text is parsed.
    texts: HashMap<String, Option<u32>>,
    texts_of: usize,
}

/// An interned position.
pub(crate) struct InternedPosition {
    pub(crate) object: Py<PyAny>,
    pub(crate) hash: isize,
    /// Number of times an equal position occurred since.
    pub(crate) again: u32,
    /// Equal positions that are compared with this one as soon as it is expanded.
    pub(crate) twins: Vec<Py<PyAny>>,
    pub(crate) known: Option<ExpandedPosition>,
}

/// Result of calling the rules for a position.
pub(crate) struct RuleResult {
    pub(crate) turn: Turn,
    pub(crate) payoff: Option<Payoff>,
    pub(crate) moves: Vec<Py<PyAny>>,
    pub(crate) odds: Vec<f64>,
}

/// An expanded position: the result of the rules, and the targets of its moves.
pub(crate) struct ExpandedPosition {
    pub(crate) said: RuleResult,
    pub(crate) next: Vec<u32>,
}

thread_local! {
    /// Whether this thread is inside a call to the rules, which must not query their own game.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Reentrancy guard: marks this thread as inside the rules until it is dropped, also by a panic.
struct ReentryGuard;

impl ReentryGuard {
    fn enter() -> ReentryGuard {
        INSIDE.set(true);
        ReentryGuard
    }
}

impl Drop for ReentryGuard {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Returns an optional method.
fn optional(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Py<PyAny>>> {
    let found = object.getattr_opt(name)?;
    Ok(found.filter(|found| !found.is_none()).map(Bound::unbind))
}

/// Formats a position for error messages.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map_or_else(|_| "a position".into(), |text| text.to_string());
    let short: String = text.chars().take(120).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

pub(crate) fn broken(name: &str, sentence: String, object: &Bound<'_, PyAny>) -> PyErr {
    errors::law(object.py(), name, &sentence, Some(object), None)
}

impl Script {
    /// Reads the methods of an object, and interns its start as the first position.
    pub(crate) fn new(object: &Bound<'_, PyAny>, check: bool) -> PyResult<Script> {
        let py = object.py();
        let required = |name: &str| -> PyResult<Py<PyAny>> {
            optional(object, name)?.ok_or_else(|| {
                let class =
                    object.get_type().name().map_or_else(|_| "the object".into(), |name| name.to_string());
                let sentence = format!("{class} has no method `{name}`, which every game needs");
                let cure =
                    "a game has `start`, `turn`, `moves`, `play` and `outcome`; see `help(outplay.Rules)`";
                errors::typed(py, "InputError", &sentence, Some(cure))
            })
        };
        let best_payoff = match object.getattr_opt("best_payoff")? {
            Some(most) if !most.is_none() => {
                let limit = most_paid(optional(object, "chance")?.is_some());
                let payoff = most.extract::<Payoff>().ok().filter(|&payoff| payoff.unsigned_abs() <= limit);
                payoff.map(|payoff| payoff.max(1)).ok_or_else(|| {
                    let sentence = format!(
                        "`best_payoff` is {}; it must be the largest payoff, a whole number from 1 to {limit}",
                        shown(&most)
                    );
                    errors::typed(py, "InputError", &sentence, None)
                })?
            }
            _ => 1,
        };
        let start = required("start")?;
        let script = Script {
            object: object.clone().unbind(),
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
            check,
            memory: AtomicU64::new(u64::MAX),
            too_large: AtomicBool::new(false),
            laws: py.import("outplay._laws")?.unbind(),
            store: Mutex::new(Store {
                ids: PyDict::new(py).unbind(),
                positions: Vec::new(),
                types: Vec::new(),
                footprint: Footprint::default(),
                texts: HashMap::new(),
                texts_of: 0,
            }),
            fault: ExceptionSlot::default(),
        };
        script.locked(py, |store| script.intern(py, store, &start.bind(py).call0()?).map(drop))?;
        Ok(script)
    }

    /// Runs a function with exclusive access to the store.
    pub(crate) fn locked<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Store) -> PyResult<T>,
    ) -> PyResult<T> {
        if INSIDE.get() {
            let sentence = "the rules of a game must not query outplay while outplay calls them";
            return Err(errors::typed(
                py,
                "RulesError",
                sentence,
                Some("compute the result from the position alone"),
            ));
        }
        let mut store = self.store.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let _guard = ReentryGuard::enter();
        work(&mut store)
    }

    /// Returns the number of a position, if it is interned.
    pub(crate) fn number(
        &self,
        py: Python<'_>,
        store: &Store,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Option<u32>> {
        let found = store.ids.bind(py).get_item(object).map_err(|error| {
            if !error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) {
                return error;
            }
            let sentence = format!(
                "positions must be hashable, but {} is not ({}); use tuples, strings, numbers or frozen data classes",
                shown(object),
                error.value(py)
            );
            broken("hashable positions", sentence, object)
        })?;
        found.map(|id| id.extract()).transpose()
    }

    /// Interns a position that exploration has not reached: its type must be known, and the rules must accept it as a
    /// position.
    pub(crate) fn admit(
        &self,
        py: Python<'_>,
        store: &mut Store,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Option<u32>> {
        let kind = object.get_type();
        if !store.types.iter().any(|known| known.bind(py).is(&kind)) {
            return Ok(None);
        }
        let lawful = || -> PyResult<()> {
            let said = self.said(py, object)?;
            for mv in &said.moves {
                self.number(py, store, &self.play.bind(py).call1((object, mv))?)?;
            }
            Ok(())
        };
        match lawful() {
            Ok(()) => self.intern(py, store, object).map(Some),
            Err(error) if error.is_instance_of::<PyException>(py) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the number of a position, interning it if no equal position exists.
    pub(crate) fn intern(
        &self,
        py: Python<'_>,
        store: &mut Store,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<u32> {
        if let Some(id) = self.number(py, store, object)? {
            self.met_again(py, store, id as usize, object)?;
            return Ok(id);
        }
        let id = store.positions.len() as u32;
        store.ids.bind(py).set_item(object, id)?;
        let hash = object.hash()?;
        let kind = object.get_type();
        if !store.types.iter().any(|known| known.bind(py).is(&kind)) {
            store.types.push(kind.unbind());
        }
        let object = object.clone().unbind();
        store.positions.push(InternedPosition { object, hash, again: 0, twins: Vec::new(), known: None });
        Ok(id)
    }

    pub(crate) fn turn(&self, object: &Bound<'_, PyAny>) -> PyResult<Turn> {
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
                "`turn` returns {} at {}; it must return 0 or \"first\", 1 or \"second\", or \"chance\"",
                shown(&said),
                shown(object)
            );
            broken("turn", sentence, object)
        })
    }

    /// Calls the rules for a position.
    pub(crate) fn said(&self, py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<RuleResult> {
        let turn = self.turn(object)?;
        let payoff = payoff(self, object)?;
        let (mut moves, mut odds) = (Vec::new(), Vec::new());
        match (&self.chance, turn) {
            (Some(chance), Turn::Chance) if payoff.is_none() => {
                for roll in listed("chance", object, chance.bind(py).call1((object,))?)? {
                    let (mv, odd): (Py<PyAny>, f64) = roll?.extract().map_err(|_| odd_chance(object))?;
                    moves.push(mv);
                    odds.push(odd);
                }
                let sum: f64 = odds.iter().sum();
                // The condition is negated so that NaN fails as well.
                if !((sum - 1.0).abs() <= 1e-9 && odds.iter().all(|&odds| odds > 0.0)) {
                    let sentence = format!(
                        "the probabilities of `chance` at {} must be positive and sum to 1, but their sum is {sum}",
                        shown(object)
                    );
                    return Err(broken("chance", sentence, object));
                }
            }
            (None, Turn::Chance) => {
                let sentence = format!(
                    "`turn` returns \"chance\" at {}, but the rules have no method `chance(position)` that lists moves with their probabilities",
                    shown(object)
                );
                return Err(broken("chance", sentence, object));
            }
            _ => {
                for mv in listed("moves", object, self.moves.bind(py).call1((object,))?)? {
                    moves.push(mv?.unbind());
                }
                odds.resize(moves.len(), 0.0);
            }
        }
        if payoff.is_some() && !moves.is_empty() {
            let sentence = format!(
                "{} is finished, but `moves` lists {} moves there (the first is {}); a finished position must have none",
                shown(object),
                moves.len(),
                shown(moves[0].bind(py))
            );
            return Err(broken("finished", sentence, object));
        }
        if payoff.is_none() && moves.is_empty() {
            let sentence = format!(
                "{} has no moves, but `outcome` returns None; a position without moves must have an outcome",
                shown(object)
            );
            return Err(broken("unfinished", sentence, object));
        }
        Ok(RuleResult { turn, payoff, moves, odds })
    }

    /// Expands a position once: calls the rules and interns its successors.
    pub(crate) fn look(&self, py: Python<'_>, store: &mut Store, id: usize) -> PyResult<()> {
        if store.positions[id].known.is_some() {
            return Ok(());
        }
        let object = store.positions[id].object.bind(py).clone();
        let said = self.said(py, &object)?;
        let before = self.snapshot(py, id, &object)?;
        let play = self.play.bind(py).clone();
        let mut next = Vec::with_capacity(said.moves.len());
        let mut returned = false;
        for mv in &said.moves {
            let after = play.call1((&object, mv))?;
            returned |= after.is(&object);
            next.push(self.intern(py, store, &after)?);
        }
        if !said.moves.is_empty() {
            self.check_unchanged(py, store, id, before, returned)?;
        }
        if self.is_checked(id) {
            self.weigh(py, store, &object, said.moves.len())?;
        }
        let known = ExpandedPosition { said, next };
        if !known.next.is_empty() && self.is_checked(id) {
            self.check_repeated(py, store, &object, &known)?;
        }
        let twins = std::mem::take(&mut store.positions[id].twins);
        for twin in twins {
            self.check_equal(py, store, id, &known, twin.bind(py))?;
        }
        store.positions[id].known = Some(known);
        Ok(())
    }

    /// Returns the orbits under the symmetries of the rules, restricted to reachable positions; each contains itself.
    pub(crate) fn images(&self, py: Python<'_>, store: &mut Store) -> PyResult<Option<Vec<Vec<u32>>>> {
        let Some(symmetric) = &self.symmetric else { return Ok(None) };
        let mut images = Vec::with_capacity(store.positions.len());
        for id in 0..store.positions.len() {
            let object = store.positions[id].object.bind(py).clone();
            let mut list = vec![id as u32];
            for image in listed("symmetric", &object, symmetric.bind(py).call1((&object,))?)? {
                let image = image?;
                let Some(at) = store.ids.bind(py).get_item(&image)? else { continue };
                let at: u32 = at.extract()?;
                let alike = |a: &InternedPosition, b: &InternedPosition| match (&a.known, &b.known) {
                    (Some(a), Some(b)) => {
                        (a.said.turn, a.said.payoff, a.next.len())
                            == (b.said.turn, b.said.payoff, b.next.len())
                    }
                    _ => true,
                };
                if !alike(&store.positions[id], &store.positions[at as usize]) {
                    let sentence = format!(
                        "`symmetric` lists {} and {} as symmetric, but they differ in turn, outcome or number of moves",
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

    /// Formats a position by the rules, or by `repr`.
    pub(crate) fn write(&self, object: &Bound<'_, PyAny>) -> PyResult<String> {
        let said = match &self.write_position {
            Some(method) => method.bind(object.py()).call1((object,))?.str()?,
            None if object.is_instance_of::<PyString>() => object.str()?,
            None => object.repr()?,
        };
        Ok(said.to_string().replace(['\n', '\r'], " "))
    }

    /// Parses a position: by the rules, as a Python literal, or as the text of an interned position.
    pub(crate) fn read(&self, py: Python<'_>, store: &mut Store, text: &str) -> PyResult<Option<Py<PyAny>>> {
        if let Some(method) = &self.read_position {
            let read = method.bind(py).call1((text,))?;
            return Ok(Some(read).filter(|read| !read.is_none()).map(Bound::unbind));
        }
        for id in store.texts_of..store.positions.len() {
            let words = self.write(store.positions[id].object.bind(py))?;
            store.texts.entry(words).and_modify(|found| *found = None).or_insert(Some(id as u32));
        }
        store.texts_of = store.positions.len();
        match store.texts.get(text) {
            Some(&Some(id)) => return Ok(Some(store.positions[id as usize].object.clone_ref(py))),
            Some(None) => {
                let sentence =
                    "several positions have this text; define `write_position` so that it distinguishes them";
                return Err(errors::typed(py, "InputError", sentence, None));
            }
            None => {}
        }
        let literal = py.import("ast")?.call_method1("literal_eval", (text,));
        Ok(literal.ok().filter(|object| object.hash().is_ok()).map(Bound::unbind))
    }
}

fn payoff(script: &Script, object: &Bound<'_, PyAny>) -> PyResult<Option<Payoff>> {
    let said = script.outcome.bind(object.py()).call1((object,))?;
    if said.is_none() {
        return Ok(None);
    }
    if let Ok((first, second)) = said.extract::<(f64, f64)>() {
        if first != -second {
            let sentence = format!(
                "the payoffs {first} and {second} at {} do not sum to zero; only zero-sum games are supported",
                shown(object)
            );
            return Err(broken("zero sum", sentence, object));
        }
        return whole(script, object, &said, first).map(Some);
    }
    match said.extract::<f64>() {
        Ok(payoff) => whole(script, object, &said, payoff).map(Some),
        Err(_) => Err(odd_payoff(script, object, &said)),
    }
}

/// Iterates over a list that the rules return.
fn listed<'py>(
    method: &str,
    object: &Bound<'py, PyAny>,
    said: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyIterator>> {
    said.try_iter().map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(object.py()) {
            return error;
        }
        let sentence = format!(
            "`{method}` returns {} at {}; it must return a list or another iterable",
            shown(&said),
            shown(object)
        );
        broken(method, sentence, object)
    })
}

fn whole(
    script: &Script,
    object: &Bound<'_, PyAny>,
    said: &Bound<'_, PyAny>,
    payoff: f64,
) -> PyResult<Payoff> {
    match payoff.fract() == 0.0 && payoff.abs() <= f64::from(most_paid(script.chance.is_some())) {
        true => Ok(payoff as Payoff),
        false => Err(odd_payoff(script, object, said)),
    }
}

fn odd_payoff(script: &Script, object: &Bound<'_, PyAny>, said: &Bound<'_, PyAny>) -> PyErr {
    let most = most_paid(script.chance.is_some());
    let sentence = format!(
        "`outcome` returns {} at {}; it must return None while the game is in progress, else the first player's payoff as a whole number from -{most} to {most}",
        shown(said),
        shown(object)
    );
    broken("payoff", sentence, object)
}

fn odd_chance(object: &Bound<'_, PyAny>) -> PyErr {
    let sentence = format!("`chance` at {} must return pairs of a move and its probability", shown(object));
    broken("chance", sentence, object)
}
