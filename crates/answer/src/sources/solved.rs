//! Whole games that an earlier question left in memory.
//!
//! A rung that has to solve everything that follows from a position (planes, memory, loops, means) leaves it here, so
//! that the position's moves, and the next question of a game that is played, are looked up.

use crate::Trouble;
use crate::answers::Source;
use crate::kernels::{Cycles, LoopValues, Remembered};
use crate::ladder::{Ask, Cost, Known, Rung, Worth};
use crate::means::KnownMeans;
use outplay_core::{AnyGame, AnyPosition, LineBoard};
use outplay_dense::Dense;
use std::sync::Arc;

/// The values of everything that follows from some position.
pub(crate) enum Whole {
    /// Bit-planes of a board.
    Planes { dense: Box<Dense>, start: LineBoard },
    /// A hash map of positions.
    Memory(Box<dyn Remembered>),
    /// A game with loops.
    Loops { cycles: Arc<dyn Cycles>, values: Box<dyn LoopValues> },
    /// A game with dice.
    Means(KnownMeans),
}

impl Whole {
    /// What it knows of a position.
    pub(crate) fn worth(&self, game: &AnyGame, pos: &AnyPosition) -> Result<Option<Worth>, Trouble> {
        Ok(match self {
            Whole::Planes { dense, start } => {
                let Some(board) = game.board(pos) else { return Ok(None) };
                // The planes take the turn from the number of stones; a position may say otherwise.
                let placed = board.stones().checked_sub(start.stones());
                let turn = placed.map(|n| if n.is_multiple_of(2) { start.turn } else { start.turn.other() });
                if turn == Some(board.turn) { dense.value(&board).map(Worth::Exact) } else { None }
            }
            Whole::Memory(memory) => memory.value(pos).map(Worth::Exact),
            Whole::Loops { cycles, values } => {
                let stored = |tier, number| Ok(values.value(tier, number));
                cycles.numbers().look_up(pos, &stored)?.map(Worth::Exact)
            }
            Whole::Means(means) => means.mean(pos)?.map(Worth::Mean),
        })
    }
}

/// What is in memory.
pub(super) struct InMemory;

impl Rung for InMemory {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        if ask.entry.wholes().is_empty() { Cost::Never } else { Cost::Free }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        for whole in ask.entry.wholes() {
            if let Some(worth) = whole.worth(ask.entry.game(), ask.pos)? {
                return Ok(Some(Known::new(worth, Source::Search)));
            }
        }
        Ok(None)
    }
}
