//! The player `swindler`: optimal play with an opponent model.
//!
//! In a lost position it plays the move that a fallible opponent is least likely to refute. In a drawn position it
//! plays the value-preserving move after which the largest share of the opponent's replies are errors.

use crate::perfect::best;
use crate::words::format_spec;
use crate::{Best, Choice, Distribution, ExactOracle, MoveValue, PlayError, Player};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Probe, ProbeError, Value};
use outplay_runtime::Monitor;
use outplay_solve::{Fallible, hardest};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// The player `swindler`.
pub struct Swindler {
    game: AnyGame,
    truth: Arc<dyn ExactOracle>,
    model: Fallible,
    rng: SmallRng,
}

impl Swindler {
    /// A player with exact values from `truth` and the opponent model `model`.
    pub fn new(game: AnyGame, truth: Arc<dyn ExactOracle>, model: Fallible) -> Swindler {
        Swindler { game, truth, model, rng: SmallRng::seed_from_u64(0) }
    }

    /// The share of the opponent's replies to a move that lose value; `None` if it is unknown.
    fn pitfalls(
        &self,
        pos: &AnyPosition,
        mv: AnyMove,
        monitor: &dyn Monitor,
    ) -> Result<Option<f64>, PlayError> {
        let next = self.game.play(pos, mv);
        if self.game.outcome(&next).is_some() || self.game.turn(&next) != self.game.turn(pos).other() {
            return Ok(Some(0.0));
        }
        let Some(replies) = self.truth.moves(&next, monitor)? else { return Ok(None) };
        let Some(best) = replies.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b)) else {
            return Ok(Some(0.0));
        };
        let errors = replies.iter().filter(|(_, merit)| !merit.preserves(best)).count();
        Ok(Some(errors as f64 / replies.len() as f64))
    }

    /// Lists the moves between which the player chooses at random.
    fn candidates(
        &self,
        pos: &AnyPosition,
        known: Best,
        monitor: &dyn Monitor,
    ) -> Result<Candidates, PlayError> {
        let Best { merit, moves, all } = known;
        let lost = merit.payoff() < 0.0 && matches!(merit, MoveValue::Value(_));
        if lost {
            let known =
                CachedOracle { game: &self.game, truth: &*self.truth, monitor, values: Mutex::default() };
            let hopes = hardest(&self.game, &known, pos, self.model);
            if monitor.stopped() {
                return Err(PlayError::Stopped);
            }
            if let Some(hope) = hopes?.and_then(|hopes| hopes.into_iter().next()) {
                return Ok(Candidates { moves: vec![hope.mv], certain: true });
            }
        }
        // A win is played as fast as possible; in a draw all moves that preserve it are candidates.
        let draws = merit.payoff() == 0.0 && matches!(merit, MoveValue::Value(_));
        let held = if draws { self.truth.moves(pos, monitor)? } else { None };
        let held = held.map(|merits| {
            let holds = merits.iter().filter(|(_, other)| other.preserves(merit));
            holds.map(|(mv, _)| *mv).collect::<Vec<AnyMove>>()
        });
        // A value missing within today's limits may be found with others, which would change the distribution.
        let mut certain = !lost && if draws { held.is_some() } else { all };
        let kept = held.unwrap_or(moves);
        let mut ranked = Vec::new();
        for &mv in &kept {
            let share = self.pitfalls(pos, mv, monitor)?;
            certain &= share.is_some();
            ranked.push((share.unwrap_or(0.0), mv));
        }
        let most = ranked.iter().map(|(share, _)| *share).fold(0.0, f64::max);
        let hardest = ranked.iter().filter(|(share, _)| *share >= most).map(|(_, mv)| *mv).collect();
        Ok(Candidates { moves: hardest, certain })
    }
}

/// The moves with the greatest share of wrong replies.
struct Candidates {
    moves: Vec<AnyMove>,
    /// Whether they follow from exact values alone, independent of the oracle's limits.
    certain: bool,
}

/// An oracle as a [`Probe`], with a cache of its values.
struct CachedOracle<'a> {
    game: &'a AnyGame,
    truth: &'a dyn ExactOracle,
    monitor: &'a dyn Monitor,
    values: Mutex<FxHashMap<AnyPosition, Option<Value>>>,
}

impl Probe<AnyGame> for CachedOracle<'_> {
    fn probe(&self, pos: &AnyPosition) -> Result<Option<Value>, ProbeError> {
        if let Some(payoff) = self.game.outcome(pos) {
            return Ok(Some(Value::new(self.game.turn(pos).sees(payoff), 0)));
        }
        // Poisoning is harmless: no panic can leave the map inconsistent.
        let mut values = self.values.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(value) = values.get(pos) {
            return Ok(*value);
        }
        let merit = self.truth.value(pos, self.monitor).map_err(|error| ProbeError(error.to_string()))?;
        let value = match merit {
            Some(MoveValue::Value(value)) => Some(value),
            _ => None,
        };
        values.insert(pos.clone(), value);
        Ok(value)
    }
}

impl Player for Swindler {
    fn spec(&self) -> String {
        format_spec("swindler", &[("horizon", self.model.horizon.to_string())])
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let known = best(&self.game, &*self.truth, pos, monitor)?;
        let opinion = Some(100.0 * known.merit.payoff());
        // The optimal moves are the first iteration: a stop during the comparison returns one of them.
        let fallback = known.moves[0];
        let (mv, stopped) = match self.candidates(pos, known, monitor) {
            Ok(Candidates { moves, .. }) => (moves[self.rng.random_range(0..moves.len())], false),
            Err(PlayError::Stopped) => (fallback, true),
            Err(_) if monitor.stopped() => (fallback, true),
            Err(error) => return Err(error),
        };
        Ok(Choice { opinion, line: vec![mv], stopped, ..Choice::plain(mv) })
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        let known = best(&self.game, &*self.truth, pos, monitor)?;
        let Candidates { moves, certain } = self.candidates(pos, known, monitor)?;
        if certain { Ok(Some(Distribution::Equal(moves))) } else { Err(PlayError::Unknown) }
    }
}
