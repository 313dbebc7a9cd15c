//! Value source `connect` (see `ladder`): exact search of one position of a gravity board by the connect-k solver.

use super::board::{empty_cells, falling};
use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource, between, books};
use outplay_connect::{ConnectError, Depth, SolverLimits};
use outplay_core::{Counters, LineBoard, Value};
use outplay_runtime::Monitor;

/// Number of empty cells up to which the solver usually answers in seconds.
const SEARCHABLE: usize = 36;

/// Exact connect-k search.
pub(crate) struct ConnectSource;

/// The result of a search of one position.
pub(crate) struct ConnectSearch {
    pub(crate) proven: ProvenValue,
    pub(crate) score: Option<i32>,
    /// Empty cells.
    pub(crate) left: u32,
    pub(crate) nodes: u64,
    pub(crate) counters: Counters,
}

impl ValueSource for ConnectSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        let Some(board) = falling(ask.handle, ask.pos) else { return Cost::Never };
        Cost::Open { likely: empty_cells(&board) <= SEARCHABLE || books::book(&board).is_some() }
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let Some(board) = falling(ask.handle, ask.pos) else { return Ok(None) };
        let found = search(ask, &board)?;
        let enough = if ask.verdict { found.proven.is_settled() } else { found.proven.is_timed() };
        let result = SourceResult::new(found.proven, Source::Search);
        Ok(Some(SourceResult { nodes: found.nodes, unfinished: !enough, ..result }))
    }
}

/// Searches a board for its score, or for win, draw or loss if that is enough.
pub(crate) fn search(ask: &Question<'_>, board: &LineBoard) -> Result<ConnectSearch, ConnectError> {
    ask.clock.stage("searching", 0);
    let depth = if ask.verdict { Depth::Verdict } else { Depth::Score };
    let found = ask.session.with_solver(ask.handle, board, |solver| {
        solver.solve(board, depth, limits(ask), &ask.quiet(), ask.session.threads)
    })?;
    let proven = match found.value() {
        Some(value) => ProvenValue::Exact(value),
        None => between(found.low.signum(), found.high.signum()),
    };
    let (score, left) = (found.score(), found.left);
    Ok(ConnectSearch { proven, score, left, nodes: found.nodes, counters: found.counters })
}

/// The cells of all moves that keep a score, by null-window searches of the replies. Adds to the counters of
/// `search`.
pub(crate) fn best_cells(
    ask: &Question<'_>,
    board: &LineBoard,
    score: i32,
    search: &mut ConnectSearch,
) -> Result<Vec<usize>, ConnectError> {
    // Central moves are best most often.
    let mut cells = board.open_cells();
    cells.sort_by_key(|cell| (2 * (cell / board.height) + 1).abs_diff(board.width));
    let mut best = Vec::new();
    for cell in cells {
        let reply = ask.session.with_solver(ask.handle, board, |solver| {
            let depth = Depth::AtLeast(1 - score);
            solver.solve(&board.after(cell), depth, limits(ask), ask.clock, ask.session.threads)
        })?;
        search.nodes += reply.nodes;
        search.counters += reply.counters;
        // The opponent cannot do better than -score.
        if !reply.stopped && reply.high <= -score {
            best.push(cell);
        }
    }
    best.sort_unstable();
    Ok(best)
}

fn limits(ask: &Question<'_>) -> SolverLimits {
    SolverLimits { nodes: None, time: ask.clock.rest() }
}

/// Converts a value that counts from a board to a connect-k score.
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
