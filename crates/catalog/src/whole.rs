//! A small board solved once and kept, so that every later question about its game is a look-up.

use crate::boards;
use crate::entry::Entry;
use crate::handle::QueryOptions;
use outplay_core::{Game, LineBoard, Notation, Value, Watch};
use outplay_dense::Dense;
use outplay_table::Values;
use std::sync::Arc;

/// Positions of the largest board that is kept: some tens of megabytes.
const KEPT: u128 = 50_000_000;

/// All values of a game of lines.
pub(crate) struct Whole {
    dense: Dense,
}

impl Whole {
    /// The value of a position that play reaches; `None` of any other.
    pub(crate) fn value(&self, board: &LineBoard, start: &LineBoard) -> Option<Value> {
        // The planes take the turn from the number of stones; a position may say otherwise.
        let placed = board.stones().checked_sub(start.stones())?;
        let turn = if placed.is_multiple_of(2) { start.turn } else { start.turn.other() };
        if board.turn != turn {
            return None;
        }
        self.dense.value(board)
    }
}

impl<G: Game + Notation> Entry<G> {
    /// The value of a position from the planes of the whole game, which are made at the first question if they have
    /// at most `most` positions.
    pub(crate) fn whole_value(
        &self,
        pos: &G::Position,
        options: &QueryOptions,
        most: u128,
        watch: &dyn Watch,
    ) -> Option<Value> {
        if let Some(payoff) = self.game.outcome(pos) {
            return Some(Value::new(self.game.turn(pos).sees(payoff), 0));
        }
        let to_board = self.board?;
        let start = to_board(&self.game, &self.game.start()?);
        let whole = self.whole(&start, options, most.min(KEPT), watch)?;
        whole.value(&to_board(&self.game, pos), &start)
    }

    fn whole(
        &self,
        start: &LineBoard,
        options: &QueryOptions,
        most: u128,
        watch: &dyn Watch,
    ) -> Option<Arc<Whole>> {
        // A thread that failed while making planes left none.
        let mut kept = self.whole.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(whole) = &*kept {
            return Some(Arc::clone(whole));
        }
        let planes = boards::options(Values::Distance, options.threads, options.memory, None);
        let planes = outplay_dense::Options { counts: false, ..planes };
        let plan = outplay_dense::plan(start, &planes, false).ok()?;
        if plan.slots > most {
            return None;
        }
        // Too little memory, or a stop: the question is answered in another way, or not at all.
        let dense = Dense::new(start, &planes, watch).ok()?;
        Some(Arc::clone(kept.insert(Arc::new(Whole { dense }))))
    }
}
