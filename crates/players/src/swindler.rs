//! Perfect, and out to set problems: when all is lost, the move that is hardest to refute; in a draw, the one
//! after which the most replies go wrong.

use crate::perfect::best;
use crate::words::spelled;
use crate::{Best, Choice, Merit, PlayError, Player, Truth};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Probe, ProbeError, Value, Watch};
use outplay_solve::{Fallible, hardest};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// The player `swindler`.
pub struct Swindler {
    game: AnyGame,
    truth: Arc<dyn Truth>,
    model: Fallible,
    rng: SmallRng,
}

impl Swindler {
    /// A player that asks `truth` and expects opponents to err as `model` says.
    pub fn new(game: AnyGame, truth: Arc<dyn Truth>, model: Fallible) -> Swindler {
        Swindler { game, truth, model, rng: SmallRng::seed_from_u64(0) }
    }

    /// The share of the opponent's replies to a move that give something away.
    fn pitfalls(&self, pos: &AnyPosition, mv: AnyMove, watch: &dyn Watch) -> Result<f64, PlayError> {
        let next = self.game.play(pos, mv);
        if self.game.outcome(&next).is_some() || self.game.turn(&next) != self.game.turn(pos).other() {
            return Ok(0.0);
        }
        let Some(replies) = self.truth.moves(&next, watch)? else { return Ok(0.0) };
        let Some(best) = replies.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b)) else {
            return Ok(0.0);
        };
        let errors = replies.iter().filter(|(_, merit)| !merit.preserves(best)).count();
        Ok(errors as f64 / replies.len() as f64)
    }
}

/// A truth as a source of values, each asked for once.
struct Known<'a> {
    game: &'a AnyGame,
    truth: &'a dyn Truth,
    watch: &'a dyn Watch,
    values: Mutex<FxHashMap<AnyPosition, Option<Value>>>,
}

impl Probe<AnyGame> for Known<'_> {
    fn probe(&self, pos: &AnyPosition) -> Result<Option<Value>, ProbeError> {
        if let Some(payoff) = self.game.outcome(pos) {
            return Ok(Some(Value::new(self.game.turn(pos).sees(payoff), 0)));
        }
        // A poisoned lock only means that a panic passed by; the map is whole.
        let mut values = self.values.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(value) = values.get(pos) {
            return Ok(*value);
        }
        let merit = self.truth.value(pos, self.watch).map_err(|error| ProbeError(error.to_string()))?;
        let value = match merit {
            Some(Merit::Value(value)) => Some(value),
            _ => None,
        };
        values.insert(pos.clone(), value);
        Ok(value)
    }
}

impl Player for Swindler {
    fn spec(&self) -> String {
        spelled("swindler", &[("horizon", self.model.horizon.to_string())])
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let Best { merit, moves, .. } = best(&self.game, &*self.truth, pos, watch)?;
        let opinion = Some(100.0 * merit.payoff());
        if merit.payoff() < 0.0 && matches!(merit, Merit::Value(_)) {
            let known = Known { game: &self.game, truth: &*self.truth, watch, values: Mutex::default() };
            let hopes = hardest(&self.game, &known, pos, self.model);
            if watch.stopped() {
                return Err(PlayError::Stopped);
            }
            if let Some(hope) = hopes?.and_then(|hopes| hopes.into_iter().next()) {
                return Ok(Choice { opinion, line: vec![hope.mv], ..Choice::plain(hope.mv) });
            }
        }
        // A win is taken as fast as it goes; in a draw every move that holds it is as good.
        let draws = merit.payoff() == 0.0 && matches!(merit, Merit::Value(_));
        let held = if draws { self.truth.moves(pos, watch)? } else { None };
        let held = held.map(|merits| {
            let holds = merits.iter().filter(|(_, other)| other.preserves(merit));
            holds.map(|(mv, _)| *mv).collect::<Vec<AnyMove>>()
        });
        let kept = held.unwrap_or(moves);
        let mut ranked = Vec::new();
        for &mv in &kept {
            ranked.push((self.pitfalls(pos, mv, watch)?, mv));
        }
        let most = ranked.iter().map(|(share, _)| *share).fold(0.0, f64::max);
        let hardest: Vec<AnyMove> =
            ranked.iter().filter(|(share, _)| *share >= most).map(|(_, mv)| *mv).collect();
        let mv = hardest[self.rng.random_range(0..hardest.len())];
        Ok(Choice { opinion, line: vec![mv], ..Choice::plain(mv) })
    }
}
