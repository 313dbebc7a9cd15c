//! Value source `memo` (see `ladder`): memoised minimax, for games that no other source solves.

use super::solved::SolvedSubgame;
use crate::{Cost, Question, SourceResult, Trouble, ValueSource};
use outplay_core::Game;
use outplay_runtime::Monitor;
use outplay_solve::SolveError;

/// Limit on the positions in the memo table.
const REMEMBERED: u64 = 20_000_000;

/// Minimax with a hash map of positions.
pub(super) struct MemoSource;

impl ValueSource for MemoSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        let game = ask.handle.game();
        // A board that is too large for bit-planes is too large for a hash map.
        if game.has_board() || game.has_dice() || ask.handle.kernels().loops() == Some(true) {
            return Cost::Never;
        }
        let large = game.most_positions().is_some_and(|positions| positions > REMEMBERED as f64);
        if large || ask.session.is_cyclic(ask.handle) { Cost::Never } else { Cost::Open { likely: true } }
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let most = ask.handle.most_positions(ask.session.memory).min(REMEMBERED);
        ask.clock.stage("searching", 0);
        let Some(memo) = ask.handle.kernels().memo(ask.pos, most, &ask.quiet()) else { return Ok(None) };
        let memo = match memo {
            Ok(memo) => memo,
            Err(SolveError::Loops(_)) => {
                ask.session.mark_cyclic(ask.handle);
                return Ok(None);
            }
            Err(SolveError::TooLarge(_)) => return Ok(None),
            Err(error) => return ask.unless_late(Err(error.into())),
        };
        let nodes = memo.found().nodes;
        Ok(ask.keep(SolvedSubgame::Memory(memo))?.map(|found| SourceResult { nodes, ..found }))
    }
}
