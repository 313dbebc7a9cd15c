//! The connect-k solver, where stones fall.

use super::board::{empty_cells, falling};
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, Worth, between};
use crate::{Trouble, books};
use outplay_connect::{Depth, Limits};
use outplay_core::{LineBoard, Value, Watch};
use std::time::Duration;

/// Empty cells with which the solver mostly finds an answer in seconds.
const SEARCHABLE: usize = 36;

/// Exact search with gravity.
pub(super) struct Falling;

impl Rung for Falling {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        let Some(board) = falling(ask.entry, ask.pos) else { return Cost::Never };
        Cost::Open { likely: empty_cells(&board) <= SEARCHABLE || books::book(&board).is_some() }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let Some(board) = falling(ask.entry, ask.pos) else { return Ok(None) };
        ask.clock.stage("searching", 0);
        let depth = if ask.verdict { Depth::Verdict } else { Depth::Score };
        let limits = Limits { nodes: None, time: ask.clock.rest() };
        let quiet = ask.clock.within(Duration::MAX).silent();
        let found = ask.entry.with_solver(&board, ask.options.hash, |solver| {
            solver.solve(&board, depth, limits, &quiet, ask.options.threads)
        })?;
        let worth = match found.value() {
            Some(value) => Worth::Exact(value),
            None => between(found.low.signum(), found.high.signum()),
        };
        Ok(Some(Known { nodes: found.nodes, ..Known::new(worth, Source::Search) }))
    }
}

/// The connect-k score of a value that counts from a board.
pub(crate) fn score_of(board: &LineBoard, value: Value) -> Option<i32> {
    if !board.gravity {
        return None;
    }
    if value.payoff() == 0 {
        return Some(0);
    }
    let end = board.stones() as i32 + value.distance()? as i32;
    Some(value.payoff().signum() * ((board.playable_cells() as i32 - end) / 2 + 1))
}
