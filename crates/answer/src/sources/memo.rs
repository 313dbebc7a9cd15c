//! Any other game: minimax with every position remembered.

use super::solved::Whole;
use crate::Trouble;
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung};
use outplay_core::{Game, Watch};
use outplay_solve::SolveError;
use std::sync::Arc;
use std::time::Duration;

/// Up to this many positions are remembered.
const REMEMBERED: u64 = 20_000_000;

/// A hash map of positions.
pub(super) struct Remembering;

impl Rung for Remembering {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        let game = ask.entry.game();
        // A board that was too large for planes is too large to remember.
        if game.has_board() || game.has_dice() || ask.entry.kernels().loops() == Some(true) {
            return Cost::Never;
        }
        let large = game.most_positions().is_some_and(|positions| positions > REMEMBERED as f64);
        if large || ask.entry.goes_in_circles() { Cost::Never } else { Cost::Open { likely: true } }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let most = ask.entry.most_positions(ask.options.memory).min(REMEMBERED);
        ask.clock.stage("searching", 0);
        let quiet = ask.clock.within(Duration::MAX).silent();
        let Some(memo) = ask.entry.kernels().memo(ask.pos, most, &quiet) else { return Ok(None) };
        let memo = match memo {
            Ok(memo) => memo,
            Err(SolveError::Loops(_)) => {
                ask.entry.found_circles();
                return Ok(None);
            }
            Err(SolveError::TooLarge(_)) => return Ok(None),
            Err(error) => return ask.unless_late(Err(error.into())),
        };
        let nodes = memo.found().nodes;
        let whole = Arc::new(Whole::Memory(memo));
        ask.entry.keep_whole(whole.clone());
        let worth = whole.worth(ask.entry.game(), ask.pos)?;
        Ok(worth.map(|worth| Known { nodes, ..Known::new(worth, Source::Search) }))
    }
}
