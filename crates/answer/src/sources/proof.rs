//! The proof search: win, draw or loss of boards on which stones stay where they are put.

use super::board::{empty_cells, moves_to, provable};
use crate::Trouble;
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, between};
use outplay_core::Watch;
use std::time::Duration;

/// Empty cells with which the proof search mostly finds an answer in seconds.
const PROVED: usize = 30;

/// A verdict with a strategy.
pub(super) struct Proved;

impl Rung for Proved {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        match provable(ask.entry, ask.pos) {
            Some(board) => Cost::Open { likely: empty_cells(&board) <= PROVED },
            None => Cost::Never,
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let Some(board) = provable(ask.entry, ask.pos) else { return Ok(None) };
        ask.clock.stage("proving", 0);
        let limits = outplay_proof::Limits {
            time: ask.clock.rest(),
            bytes: ask.options.memory / 2,
            ..outplay_proof::Limits::default()
        };
        let found = outplay_proof::prove(&board, &limits, &ask.clock.within(Duration::MAX).silent())?;
        let worth = between(found.low as i32 - 1, found.high as i32 - 1);
        // A move that keeps what is not known yet is no advice.
        let best = found.best.filter(|_| worth.is_settled()).into_iter().collect::<Vec<usize>>();
        let best = moves_to(&board, &best);
        Ok(Some(Known { best, nodes: found.positions, ..Known::new(worth, Source::Search) }))
    }
}
