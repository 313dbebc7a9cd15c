//! Perfect, and out to set problems: when all is lost, the move that is hardest to refute; in a draw, the one
//! after which the most replies go wrong.

use crate::perfect::{merits, top};
use crate::words::spelled;
use crate::{Choice, Merit, PlayError, Player, Truth};
use outplay_core::{Game, Probe, ProbeError, Value, Watch};
use outplay_solve::{Fallible, hardest};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// The player `swindler`.
pub struct Swindler<G: Game> {
    game: G,
    truth: Arc<dyn Truth<G>>,
    model: Fallible,
    rng: SmallRng,
}

impl<G: Game> Swindler<G> {
    /// A player that asks `truth` and expects opponents to err as `model` says.
    pub fn new(game: G, truth: Arc<dyn Truth<G>>, model: Fallible) -> Swindler<G> {
        Swindler { game, truth, model, rng: SmallRng::seed_from_u64(0) }
    }

    /// The share of the opponent's replies to a move that give something away.
    fn pitfalls(&self, pos: &G::Position, mv: G::Move, watch: &dyn Watch) -> Result<f64, PlayError> {
        let next = self.game.play(pos, mv);
        if self.game.outcome(&next).is_some() || self.game.turn(&next) != self.game.turn(pos).other() {
            return Ok(0.0);
        }
        let Some(replies) = self.truth.moves(&next, watch)? else { return Ok(0.0) };
        let Some(best) = top(&replies) else { return Ok(0.0) };
        let errors = replies.iter().filter(|(_, merit)| !merit.preserves(best)).count();
        Ok(errors as f64 / replies.len() as f64)
    }
}

/// A truth as a source of values, each asked for once.
struct Known<'a, G: Game> {
    game: &'a G,
    truth: &'a dyn Truth<G>,
    watch: &'a dyn Watch,
    values: Mutex<FxHashMap<G::Position, Option<Value>>>,
}

impl<G: Game> Probe<G> for Known<'_, G> {
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError> {
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

impl<G: Game> Player<G> for Swindler<G> {
    fn spec(&self) -> String {
        spelled("swindler", &[("horizon", self.model.horizon.to_string())])
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &G::Position, watch: &dyn Watch) -> Result<Choice<G::Move>, PlayError> {
        let merits = merits(&self.game, &*self.truth, pos, watch)?;
        let Some(best) = top(&merits) else { return Err(PlayError::NoMove) };
        let opinion = Some(100.0 * best.payoff());
        if best.payoff() < 0.0 && matches!(best, Merit::Value(_)) {
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
        let draws = best.payoff() == 0.0 && matches!(best, Merit::Value(_));
        let kept = |merit: &Merit| if draws { merit.preserves(best) } else { merit.equals(best) };
        let kept: Vec<G::Move> = merits.iter().filter(|(_, merit)| kept(merit)).map(|(mv, _)| *mv).collect();
        let mut ranked = Vec::new();
        for &mv in &kept {
            ranked.push((self.pitfalls(pos, mv, watch)?, mv));
        }
        let most = ranked.iter().map(|(share, _)| *share).fold(0.0, f64::max);
        let hardest: Vec<G::Move> =
            ranked.iter().filter(|(share, _)| *share >= most).map(|(_, mv)| *mv).collect();
        let mv = hardest[self.rng.random_range(0..hardest.len())];
        Ok(Choice { opinion, line: vec![mv], ..Choice::plain(mv) })
    }
}
