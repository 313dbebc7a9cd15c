//! The player `perfect`: optimal moves from an exact oracle; it takes the shortest win and the longest loss.

use crate::{Best, Choice, Distribution, ExactOracle, PlayError, Player};
use outplay_core::{AnyGame, AnyPosition, Game, Turn};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// The player `perfect`; ties in value and distance are broken uniformly at random.
pub struct Perfect {
    game: AnyGame,
    truth: Arc<dyn ExactOracle>,
    rng: SmallRng,
}

impl Perfect {
    /// A player with exact values from `truth`.
    pub fn new(game: AnyGame, truth: Arc<dyn ExactOracle>) -> Perfect {
        Perfect { game, truth, rng: SmallRng::seed_from_u64(0) }
    }
}

/// Returns the optimal moves, or an error if none is known.
pub(crate) fn best(
    game: &AnyGame,
    truth: &dyn ExactOracle,
    pos: &AnyPosition,
    monitor: &dyn Monitor,
) -> Result<Best, PlayError> {
    if game.outcome(pos).is_some() || game.turn(pos) == Turn::Chance {
        return Err(PlayError::NoMove);
    }
    match truth.best(pos, monitor)? {
        Some(best) if !best.moves.is_empty() => Ok(best),
        _ if monitor.stopped() => Err(PlayError::Stopped),
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

    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let Best { merit, moves, .. } = best(&self.game, &*self.truth, pos, monitor)?;
        let mv = moves[self.rng.random_range(0..moves.len())];
        Ok(Choice { opinion: Some(100.0 * merit.payoff()), line: vec![mv], ..Choice::plain(mv) })
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        let Best { moves, all, .. } = best(&self.game, &*self.truth, pos, monitor)?;
        // Which of the optimal moves are found first depends on earlier queries.
        if all { Ok(Some(Distribution::Equal(moves))) } else { Err(PlayError::Unknown) }
    }
}
