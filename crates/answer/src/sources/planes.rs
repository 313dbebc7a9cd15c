//! Bit-planes: every position of a board from here on, in a time that is known beforehand.

use super::board::{empty_cells, falling, moves_to, provable};
use super::solved::Whole;
use crate::Trouble;
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, Worth};
use crate::planes;
use crate::request::QueryOptions;
use outplay_core::{Game, LineBoard, Watch};
use outplay_dense::{Dense, DenseError};
use outplay_table::Values;
use std::sync::Arc;
use std::time::Duration;

/// Positions that one thread does in a second where stones fall, and where they stay.
const FALLING: f64 = 1e9;
const STAYING: f64 = 1.5e8;

/// What is done without further thought.
const BLINK: Duration = Duration::from_millis(250);

/// What distances are worth where the proof search would soon know who wins.
const WORTHWHILE: Duration = Duration::from_secs(4);

/// The largest planes that are kept for the next question: some tens of megabytes, or a share of the memory.
const KEPT: u64 = 64 << 20;
const SHARE: u64 = 16;

/// What solving a board by planes takes.
#[derive(Clone, Copy)]
pub(crate) struct Planes {
    /// How long, on this machine or one like it.
    pub(crate) time: Duration,
    /// Bytes that all values together take, if they are kept.
    pub(crate) bytes: u64,
}

impl Planes {
    /// What a board would take; an error says why it cannot be solved.
    pub(crate) fn of(board: &LineBoard, options: &QueryOptions) -> Result<Planes, DenseError> {
        let plan = outplay_dense::plan(board, &planes::options(Values::Distance, options, false), false)?;
        let rate = if board.gravity { FALLING } else { STAYING };
        let seconds = plan.slots as f64 / rate / options.threads.max(1) as f64;
        let bytes = plan.tiers.iter().map(|tier| tier.bytes).fold(0, u64::saturating_add);
        Ok(Planes { time: Duration::from_secs_f64(seconds.min(1e9)), bytes })
    }

    /// Whether all values may stay in memory.
    fn may_stay(&self, options: &QueryOptions) -> bool {
        self.bytes <= KEPT.max(options.memory / SHARE).min(options.memory / 2)
    }
}

/// Boards that take a blink.
pub(super) struct Blink;

/// Boards that take longer, where nothing else would do as well.
pub(super) struct Longer;

/// Whether a board has so many empty cells that what it takes need not be counted.
fn is_vast(board: &LineBoard) -> bool {
    let empty = empty_cells(board);
    // Stones that fall into one or two columns have few positions however high the columns are.
    if board.gravity { empty > 28 && board.width > 2 } else { empty > 20 }
}

fn cost(ask: &Ask<'_>, board: &LineBoard) -> Result<Planes, Cost> {
    // A million cells are too many even to count what they would take.
    if ask.entry.is_large() {
        return Err(Cost::Never);
    }
    Planes::of(board, ask.options).map_err(|error| match error {
        DenseError::Memory { needs, allowed, .. } => Cost::Beyond(format!(
            "the values of all positions need {:.1} GB of memory and {:.1} GB are allowed, so this is by search",
            needs as f64 / 1e9,
            allowed as f64 / 1e9
        )),
        _ => Cost::Never,
    })
}

/// Whether a search for one value is quicker than planes that the next question has no use for: where stones fall, and
/// where the planes of the whole game are too large to serve them all.
fn passed_over(ask: &Ask<'_>) -> bool {
    if !ask.options.scattered || falling(ask.entry, ask.pos).is_none() {
        return false;
    }
    let start = ask.entry.game().start().and_then(|start| ask.entry.game().board(&start));
    let serves = |start: LineBoard| {
        !is_vast(&start) && Planes::of(&start, ask.options).is_ok_and(|planes| planes.time <= BLINK)
    };
    !start.is_some_and(serves)
}

impl Rung for Blink {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        let Some(board) = ask.entry.game().board(ask.pos) else { return Cost::Never };
        if is_vast(&board) || passed_over(ask) {
            return Cost::Never;
        }
        match cost(ask, &board) {
            Ok(planes) if planes.time <= BLINK => Cost::About(planes.time),
            _ => Cost::Never,
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let game = ask.entry.game();
        // The planes of the whole game serve every later question, if they take no longer than a blink either.
        let start = game.start().and_then(|start| game.board(&start));
        let start = start.filter(|start| {
            let small = |planes: Planes| planes.time <= BLINK && planes.may_stay(ask.options);
            Planes::of(start, ask.options).is_ok_and(small) && !ask.entry.has_planes(start)
        });
        if let Some(start) = start
            && keep(ask, start)?
            && let Some(worth) = latest(ask)?
        {
            return Ok(Some(Known::new(worth, Source::Search)));
        }
        solve(ask)
    }
}

impl Rung for Longer {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        let Some(board) = ask.entry.game().board(ask.pos) else { return Cost::Never };
        if falling(ask.entry, ask.pos).is_some() {
            return Cost::Never;
        }
        let planes = cost(ask, &board);
        if provable(ask.entry, ask.pos).is_some() {
            // A proof tells who wins, and what memory or time would allow is nobody's concern.
            let (Ok(planes), false) = (planes, ask.verdict) else { return Cost::Never };
            let worthwhile = planes.time <= WORTHWHILE && ask.has_time_for(planes.time * 4);
            return if worthwhile { Cost::About(planes.time) } else { Cost::Never };
        }
        let planes = match planes {
            Ok(planes) => planes,
            Err(cost) => return cost,
        };
        match ask.has_time_for(planes.time) {
            true => Cost::About(planes.time),
            false => Cost::Beyond(format!(
                "the values of all positions take about {}, which is more than the time allowed",
                outplay_core::figures::duration(planes.time.as_secs_f64())
            )),
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        solve(ask)
    }
}

/// What the planes that were kept last say.
fn latest(ask: &Ask<'_>) -> Result<Option<Worth>, Trouble> {
    match ask.entry.wholes().first() {
        Some(whole) => whole.worth(ask.entry.game(), ask.pos),
        None => Ok(None),
    }
}

/// Solves a board and keeps all of its values; false if time was up.
fn keep(ask: &Ask<'_>, start: LineBoard) -> Result<bool, Trouble> {
    let options = planes::options(Values::Distance, ask.options, false);
    let quiet = ask.clock.within(Duration::MAX).silent();
    let dense = Dense::new(&start, &options, &quiet).map_err(Trouble::from);
    let Some(dense) = ask.unless_late(dense)? else { return Ok(false) };
    ask.entry.keep_whole(Arc::new(Whole::Planes { dense: Box::new(dense), start }));
    Ok(true)
}

/// Solves the board of a position: kept if it is small, else its value and best moves only.
fn solve(ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
    let Some(board) = ask.entry.game().board(ask.pos) else { return Ok(None) };
    if Planes::of(&board, ask.options).is_ok_and(|planes| planes.may_stay(ask.options)) {
        if !keep(ask, board)? {
            return Ok(None);
        }
        return Ok(latest(ask)?.map(|worth| Known::new(worth, Source::Search)));
    }
    let options = planes::options(Values::Distance, ask.options, false);
    ask.clock.stage("solving", 0);
    let solved = planes::dense(&board, &options, None, &ask.clock.within(Duration::MAX).silent());
    let Some((solution, _)) = ask.unless_late(solved)? else { return Ok(None) };
    let Some(value) = solution.value else { return Ok(None) };
    let best = moves_to(&board, &solution.best);
    Ok(Some(Known { best, ..Known::new(Worth::Exact(value), Source::Search) }))
}
