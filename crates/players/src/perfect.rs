//! Never gives anything away: the best move by exact knowledge, as fast to a win and as slow to a loss as it goes.

use crate::{Best, Choice, PlayError, Player, Truth};
use outplay_core::{AnyGame, AnyPosition, Game, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// The player `perfect`; equally good and equally fast moves are equally likely.
pub struct Perfect {
    game: AnyGame,
    truth: Arc<dyn Truth>,
    rng: SmallRng,
}

impl Perfect {
    /// A player that asks `truth`.
    pub fn new(game: AnyGame, truth: Arc<dyn Truth>) -> Perfect {
        Perfect { game, truth, rng: SmallRng::seed_from_u64(0) }
    }
}

/// The best moves, or a sentence why none is known.
pub(crate) fn best(
    game: &AnyGame,
    truth: &dyn Truth,
    pos: &AnyPosition,
    watch: &dyn Watch,
) -> Result<Best, PlayError> {
    if game.outcome(pos).is_some() || game.turn(pos) == Turn::Chance {
        return Err(PlayError::NoMove);
    }
    match truth.best(pos, watch)? {
        Some(best) if !best.moves.is_empty() => Ok(best),
        _ if watch.stopped() => Err(PlayError::Stopped),
        _ => Err(PlayError::Unknown),
    }
}

impl Player for Perfect {
    fn spec(&self) -> String {
        "perfect".into()
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let Best { merit, moves, .. } = best(&self.game, &*self.truth, pos, watch)?;
        let mv = moves[self.rng.random_range(0..moves.len())];
        Ok(Choice { opinion: Some(100.0 * merit.payoff()), line: vec![mv], ..Choice::plain(mv) })
    }
}
