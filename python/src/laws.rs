//! Checks that rules written in Python obey the laws of a game, made while their positions are explored.
//!
//! | law | checked |
//! |---|---|
//! | `play` does not modify its argument | hash: always; contents: at samples |
//! | a move played twice leads to equal positions | at samples |
//! | equal positions have the same turn, outcome and moves | the 1st, 2nd, 4th, 8th … time a position occurs again |
//! | their moves lead to equal positions | at samples, and along random games |
//!
//! Samples are the first 64 positions and one of 512 later ones. With `check=True` every position and every recurrence
//! is a sample, and 1,000 random games are played instead of 4 to 64. Random games continue from the very objects that
//! the rules return, not from equal positions stored before, so they detect rules that depend on more than what `==`
//! compares, such as a hidden count of moves.

use crate::errors;
use crate::script::{ExpandedPosition, RuleResult, Script, Store, broken, shown};
use crate::work;
use outplay_core::Turn;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::time::Instant;

/// Random games with `check=True`.
const ALL_GAMES: usize = 1000;
/// Most moves of all random games together.
const MOST_MOVES: usize = 100_000;

impl Script {
    /// Whether the laws that cost further calls are checked at a position.
    pub(crate) fn is_checked(&self, id: usize) -> bool {
        self.check || id < 64 || id.is_multiple_of(512)
    }

    /// Compares a recurring position with the equal one that was interned.
    pub(crate) fn met_again(
        &self,
        py: Python<'_>,
        store: &mut Store,
        id: usize,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let met = &mut store.positions[id];
        if met.object.bind(py).is(object) {
            return Ok(());
        }
        met.again += 1;
        if !self.check && !met.again.is_power_of_two() {
            return Ok(());
        }
        match met.known.take() {
            None => met.twins.push(object.clone().unbind()),
            Some(known) => {
                let checked = self.check_equal(py, store, id, &known, object);
                store.positions[id].known = Some(known);
                checked?;
            }
        }
        Ok(())
    }

    /// Checks that equal positions have the same turn, outcome and moves, and that these lead to equal positions.
    pub(crate) fn check_equal(
        &self,
        py: Python<'_>,
        store: &Store,
        id: usize,
        known: &ExpandedPosition,
        other: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let first = store.positions[id].object.bind(py);
        let (said, places) = self.compare(py, first, &known.said, other)?;
        if !self.is_checked(id) {
            return Ok(());
        }
        for (mv, place) in said.moves.iter().zip(places) {
            self.check_successor(py, store, id, known, other, mv.bind(py), place)?;
        }
        Ok(())
    }

    /// Calls the rules for a position that equals another; returns the result, and a permutation between their moves.
    fn compare(
        &self,
        py: Python<'_>,
        first: &Bound<'_, PyAny>,
        known: &RuleResult,
        other: &Bound<'_, PyAny>,
    ) -> PyResult<(RuleResult, Vec<usize>)> {
        let turn = self.turn(other)?;
        if turn != known.turn {
            return Err(self.changed_turn(other, known.turn, turn));
        }
        let said = self.said(py, other)?;
        if said.payoff != known.payoff {
            let payoff =
                |said: &RuleResult| said.payoff.map_or("None".to_string(), |payoff| payoff.to_string());
            let what = format!(
                "`outcome` returns {} for the first and {} for the second",
                payoff(known),
                payoff(&said)
            );
            return Err(self.unlike(first, other, &what));
        }
        let places = self.matching(py, &said, known)?;
        match places {
            Some(places) => Ok((said, places)),
            None => {
                let list = |said: &RuleResult| -> PyResult<String> {
                    Ok(shown(PyList::new(py, &said.moves)?.as_any()))
                };
                let what = format!("their moves differ: {} and {}", list(known)?, list(&said)?);
                Err(self.unlike(first, other, &what))
            }
        }
    }

    /// Returns for each move its index in another list of moves; `None` if the lists differ, also in their
    /// probabilities.
    fn matching(
        &self,
        py: Python<'_>,
        said: &RuleResult,
        known: &RuleResult,
    ) -> PyResult<Option<Vec<usize>>> {
        let lists = (PyList::new(py, &said.moves)?, PyList::new(py, &known.moves)?);
        let places: Option<Vec<usize>> = self.laws.bind(py).getattr("matching")?.call1(lists)?.extract()?;
        let alike = |places: &Vec<usize>| {
            places.iter().zip(&said.odds).all(|(&place, odds)| (known.odds[place] - odds).abs() < 1e-9)
        };
        Ok(places.filter(alike))
    }

    /// Checks that the same move from an equal position leads to an equal position, and returns that with its number.
    #[allow(clippy::too_many_arguments)]
    fn check_successor<'py>(
        &self,
        py: Python<'py>,
        store: &Store,
        id: usize,
        known: &ExpandedPosition,
        other: &Bound<'py, PyAny>,
        mv: &Bound<'py, PyAny>,
        place: usize,
    ) -> PyResult<(Bound<'py, PyAny>, u32)> {
        let after = self.play.bind(py).call1((other, mv))?;
        if self.number(py, store, &after)? == Some(known.next[place]) {
            return Ok((after, known.next[place]));
        }
        let there = store.positions[known.next[place] as usize].object.bind(py);
        let what = format!(
            "the move {} leads to {} from the first and to {} from the second",
            shown(mv),
            shown(there),
            shown(&after)
        );
        Err(self.unlike(store.positions[id].object.bind(py), other, &what))
    }

    fn unlike(&self, first: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>, what: &str) -> PyErr {
        let sentence = format!(
            "{} and {} compare equal, but {what}; `__eq__` and `__hash__` must include everything that affects play, such as earlier moves",
            shown(first),
            shown(other)
        );
        errors::law(other.py(), "equal positions", &sentence, Some(other), Some(first))
    }

    fn changed_turn(&self, object: &Bound<'_, PyAny>, before: Turn, now: Turn) -> PyErr {
        let sentence = format!(
            "`turn` returns {before} and later {now} for equal positions, {}; the side to move must depend on the position alone",
            shown(object)
        );
        broken("turn", sentence, object)
    }

    /// Copies a position before its moves are played, for a comparison afterwards.
    pub(crate) fn snapshot(
        &self,
        py: Python<'_>,
        id: usize,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Py<PyAny>>> {
        if !self.is_checked(id) {
            return Ok(None);
        }
        let made = self.laws.bind(py).getattr("snapshot")?.call1((object,))?;
        Ok(Some(made).filter(|made| !made.is_none()).map(Bound::unbind))
    }

    /// Checks that `play` left the position unchanged; `returned` means that it returned the object it was given.
    pub(crate) fn check_unchanged(
        &self,
        py: Python<'_>,
        store: &Store,
        id: usize,
        before: Option<Py<PyAny>>,
        returned: bool,
    ) -> PyResult<()> {
        let object = store.positions[id].object.bind(py);
        let mut changed = object.hash()? != store.positions[id].hash;
        if let Some(before) = before.filter(|_| !changed) {
            changed = before.bind(py).call_method1("differs", (object, returned))?.extract()?;
        }
        match changed {
            true => Err(self.changed_by_play(object)),
            false => Ok(()),
        }
    }

    fn changed_by_play(&self, object: &Bound<'_, PyAny>) -> PyErr {
        let sentence = format!(
            "`play` modifies its argument, {}; it must return a new position and leave the argument unchanged",
            shown(object)
        );
        broken("play", sentence, object)
    }

    /// Checks that the rules return the same results for a position after all its moves were played, and that its first
    /// move leads to an equal position when it is played again.
    pub(crate) fn check_repeated(
        &self,
        py: Python<'_>,
        store: &Store,
        object: &Bound<'_, PyAny>,
        known: &ExpandedPosition,
    ) -> PyResult<()> {
        let turn = self.turn(object)?;
        if turn != known.said.turn {
            return Err(self.changed_turn(object, known.said.turn, turn));
        }
        let now = self.said(py, object)?;
        if now.payoff != known.said.payoff || self.matching(py, &now, &known.said)?.is_none() {
            return Err(self.changed_by_play(object));
        }
        let mv = known.said.moves[0].bind(py);
        let again = self.play.bind(py).call1((object, mv))?;
        if self.number(py, store, &again)? != Some(known.next[0]) {
            let sentence = format!(
                "the move {} from {} leads to {} and, when it is played again, to {}, which does not compare equal; define `__eq__` and `__hash__` of positions by their contents, and model randomness as a separate turn of \"chance\"",
                shown(mv),
                shown(object),
                shown(store.positions[known.next[0] as usize].object.bind(py)),
                shown(&again)
            );
            return Err(broken("equal positions", sentence, object));
        }
        Ok(())
    }

    /// Plays random games with the objects that the rules return, and compares each with the equal interned position.
    /// All positions must be explored.
    pub(crate) fn check_games(&self, py: Python<'_>, store: &Store, end: Option<Instant>) -> PyResult<()> {
        let games = if self.check { ALL_GAMES } else { (store.positions.len() / 64).clamp(4, 64) };
        let mut random = SplitMix(store.positions.len() as u64);
        let mut left = MOST_MOVES;
        for _ in 0..games {
            let (mut id, mut object) = (0usize, store.positions[0].object.bind(py).clone());
            while left > 0 {
                left -= 1;
                if left.is_multiple_of(64) {
                    work::check(py)?;
                    if end.is_some_and(|end| Instant::now() >= end) {
                        return Ok(());
                    }
                }
                let Some(known) = &store.positions[id].known else { return Ok(()) };
                let first = store.positions[id].object.bind(py);
                let (said, places) = self.compare(py, first, &known.said, &object)?;
                if places.is_empty() {
                    break;
                }
                let chosen = random.below(places.len());
                let mv = said.moves[chosen].bind(py);
                let (after, next) =
                    self.check_successor(py, store, id, known, &object, mv, places[chosen])?;
                (object, id) = (after, next as usize);
            }
        }
        Ok(())
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `count - 1`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// A number from 0 to 1, without 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
