//! Value source `bitplane` (see `ladder`): solves all positions that can follow on a board; the cost is estimated
//! beforehand.

use super::board::{empty_cells, falling, moves_to, provable};
use super::solved::SolvedSubgame;
use crate::{Cost, ProvenValue, Question, Session, Source, SourceResult, Trouble, ValueSource, planes};
use outplay_bitplane::{Dense, DenseError};
use outplay_core::LineBoard;
use outplay_runtime::Monitor;
use outplay_table::Values;
use std::sync::Arc;
use std::time::Duration;

/// Positions per second and thread, with gravity and without.
const FALLING: f64 = 1e9;
const STAYING: f64 = 1.5e8;

/// A board that takes at most this long is solved completely before cheaper sources are asked: its planes then answer
/// every later query.
const QUICK: Duration = Duration::from_millis(250);

/// Time limit for distances if the proof search would soon find win, draw or loss.
const DISTANCES: Duration = Duration::from_secs(4);

/// Size limit of planes that are kept for later queries: 64 MiB, or a fraction of the memory limit.
const KEPT: u64 = 64 << 20;
const SHARE: u64 = 16;

/// Estimated cost of solving a board by bit-planes.
#[derive(Clone, Copy)]
pub(crate) struct Planes {
    /// Time, on this machine or a similar one.
    pub(crate) time: Duration,
    /// Bytes of all values, if they are kept.
    pub(crate) bytes: u64,
}

impl Planes {
    /// Estimates the cost of a board; the error is the reason why it cannot be solved.
    pub(crate) fn of(board: &LineBoard, session: &Session) -> Result<Planes, DenseError> {
        let plan = outplay_bitplane::plan(board, &planes::options(Values::Distance, session, false), false)?;
        let rate = if board.gravity { FALLING } else { STAYING };
        let seconds = plan.slots as f64 / rate / session.threads.max(1) as f64;
        let bytes = plan.tiers.iter().map(|tier| tier.bytes).fold(0, u64::saturating_add);
        Ok(Planes { time: Duration::from_secs_f64(seconds.min(1e9)), bytes })
    }

    /// Whether all values may be kept in memory.
    fn may_stay(&self, session: &Session) -> bool {
        self.bytes <= KEPT.max(session.memory / SHARE).min(session.memory / 2)
    }
}

/// Bit-planes of a board, on the ladder twice: early for quick boards, late for slower ones without a better source.
pub(super) struct BitplaneSource {
    early: bool,
}

impl BitplaneSource {
    pub(super) const EARLY: BitplaneSource = BitplaneSource { early: true };
    pub(super) const LATE: BitplaneSource = BitplaneSource { early: false };
}

impl ValueSource for BitplaneSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        let Some(board) = ask.handle.game().board(ask.pos) else { return Cost::Never };
        if self.early { early_cost(ask, &board) } else { late_cost(ask, &board) }
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        if self.early
            && let Some(found) = solve_whole_game(ask)?
        {
            return Ok(Some(found));
        }
        solve(ask)
    }
}

/// Whether a board has too many empty cells for its cost to be worth counting.
fn is_vast(board: &LineBoard) -> bool {
    let empty = empty_cells(board);
    // With one or two columns, gravity leaves few positions however high the columns are.
    if board.gravity { empty > 28 && board.width > 2 } else { empty > 20 }
}

fn cost(ask: &Question<'_>, board: &LineBoard) -> Result<Planes, Cost> {
    // On a million cells even the estimate would take too long.
    if ask.handle.is_large() {
        return Err(Cost::Never);
    }
    Planes::of(board, ask.session).map_err(|error| match error {
        DenseError::Memory { needs, allowed, .. } => Cost::Beyond(format!(
            "the values of all positions need {:.1} GB of memory and {:.1} GB are allowed, so this position is searched instead",
            needs as f64 / 1e9,
            allowed as f64 / 1e9
        )),
        _ => Cost::Never,
    })
}

/// Whether a search for one value is faster than planes that later queries cannot use: on gravity boards whose whole
/// game is too large for planes.
fn prefers_search(ask: &Question<'_>) -> bool {
    if !ask.session.scattered || falling(ask.handle, ask.pos).is_none() {
        return false;
    }
    let serves = |start: LineBoard| {
        !is_vast(&start) && Planes::of(&start, ask.session).is_ok_and(|planes| planes.time <= QUICK)
    };
    !ask.handle.start_board().is_some_and(serves)
}

fn early_cost(ask: &Question<'_>, board: &LineBoard) -> Cost {
    if is_vast(board) || prefers_search(ask) {
        return Cost::Never;
    }
    match cost(ask, board) {
        Ok(planes) if planes.time <= QUICK => Cost::Estimated(planes.time),
        _ => Cost::Never,
    }
}

fn late_cost(ask: &Question<'_>, board: &LineBoard) -> Cost {
    if falling(ask.handle, ask.pos).is_some() {
        return Cost::Never;
    }
    let planes = cost(ask, board);
    if provable(ask.handle, ask.pos).is_some() {
        // The proof search finds win, draw or loss, so no limit is reported.
        let (Ok(planes), false) = (planes, ask.verdict) else { return Cost::Never };
        let cheap = planes.time <= DISTANCES && ask.has_time_for(planes.time * 4);
        return if cheap { Cost::Estimated(planes.time) } else { Cost::Never };
    }
    let planes = match planes {
        Ok(planes) => planes,
        Err(cost) => return cost,
    };
    match ask.has_time_for(planes.time) {
        true => Cost::Estimated(planes.time),
        false => Cost::Beyond(format!(
            "the values of all positions take about {}, which is more than the time allowed",
            outplay_core::figures::duration(planes.time.as_secs_f64())
        )),
    }
}

/// Solves the game from its start and keeps it, if that is quick, so that it answers every later query.
fn solve_whole_game(ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
    let start = ask.handle.start_board().filter(|start| {
        let small = |planes: Planes| planes.time <= QUICK && planes.may_stay(ask.session);
        Planes::of(start, ask.session).is_ok_and(small) && !is_solved(ask, start)
    });
    let Some(start) = start else { return Ok(None) };
    keep(ask, start)
}

/// Whether the planes of a board are in memory.
fn is_solved(ask: &Question<'_>, board: &LineBoard) -> bool {
    let is_it = |whole: &Arc<SolvedSubgame>| matches!(&**whole, SolvedSubgame::Planes { start, .. } if start == board);
    ask.session.subgames(ask.handle).iter().any(is_it)
}

/// Solves a board, keeps all of its values and looks the position up; `None` on a timeout.
fn keep(ask: &Question<'_>, start: LineBoard) -> Result<Option<SourceResult>, Trouble> {
    let options = planes::options(Values::Distance, ask.session, false);
    let dense = Dense::new(&start, &options, &ask.quiet()).map_err(Trouble::from);
    let Some(dense) = ask.unless_late(dense)? else { return Ok(None) };
    ask.keep(SolvedSubgame::Planes { dense: Box::new(dense), start })
}

/// Solves the board of a position. A small board is kept; of a large one only the value and best moves.
fn solve(ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
    let Some(board) = ask.handle.game().board(ask.pos) else { return Ok(None) };
    if Planes::of(&board, ask.session).is_ok_and(|planes| planes.may_stay(ask.session)) {
        return keep(ask, board);
    }
    let options = planes::options(Values::Distance, ask.session, false);
    ask.clock.stage("solving", 0);
    let solved = planes::dense(&board, &options, None, &ask.quiet());
    let Some((solution, _)) = ask.unless_late(solved)? else { return Ok(None) };
    let Some(value) = solution.value else { return Ok(None) };
    let best = moves_to(&board, &solution.best);
    Ok(Some(SourceResult { best, ..SourceResult::new(ProvenValue::Exact(value), Source::Search) }))
}
