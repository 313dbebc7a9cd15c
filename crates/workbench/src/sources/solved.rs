//! Value source `solved` (see `ladder`): subgames that an earlier query solved and left in memory.
//!
//! A source that has to solve all positions reachable from a position (bit-planes, memo, retrograde, means) stores them
//! in this cache, so that the moves of the position, and the next query of a game being played, are lookups.

use crate::kernels::{Cycles, LoopValues, MemoTable};
use crate::means::KnownMeans;
use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource};
use outplay_bitplane::Dense;
use outplay_core::{AnyGame, AnyPosition, LineBoard};
use std::sync::Arc;

/// The values of all positions reachable from some position.
pub(crate) enum SolvedSubgame {
    /// Bit-planes of a board.
    Planes { dense: Box<Dense>, start: LineBoard },
    /// A memo table.
    Memory(Box<dyn MemoTable>),
    /// A game with cycles.
    Loops { cycles: Arc<dyn Cycles>, values: LoopValues },
    /// A game with chance.
    Means(KnownMeans),
}

impl SolvedSubgame {
    /// Looks a position up.
    pub(crate) fn proven(&self, game: &AnyGame, pos: &AnyPosition) -> Result<Option<ProvenValue>, Trouble> {
        Ok(match self {
            SolvedSubgame::Planes { dense, start } => {
                let Some(board) = game.board(pos) else { return Ok(None) };
                // The planes derive the turn from the number of stones; a position may differ.
                let placed = board.stones().checked_sub(start.stones());
                let turn = placed.map(|n| if n.is_multiple_of(2) { start.turn } else { start.turn.other() });
                if turn == Some(board.turn) { dense.value(&board).map(ProvenValue::Exact) } else { None }
            }
            SolvedSubgame::Memory(memory) => memory.value(pos).map(ProvenValue::Exact),
            SolvedSubgame::Loops { cycles, values } => {
                let stored = |tier, number| Ok(values.value(tier, number));
                cycles.numbers().look_up(pos, &stored)?.map(ProvenValue::Exact)
            }
            SolvedSubgame::Means(means) => means.mean(pos)?.map(ProvenValue::Mean),
        })
    }
}

/// The solved-subgame cache.
pub(super) struct SolvedSource;

impl ValueSource for SolvedSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(!ask.session.subgames(ask.handle).is_empty())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        for whole in ask.session.subgames(ask.handle) {
            if let Some(proven) = whole.proven(ask.handle.game(), ask.pos)? {
                return Ok(Some(SourceResult::new(proven, Source::Search)));
            }
        }
        Ok(None)
    }
}
