//! `solve`: the value of a position and, with strong methods, of all positions.
//!
//! ```text
//!  choose the method (for a board: one memory plan) → run it, tier by tier → commit the table → answer → cache
//!
//!  auto ──┬─ chance ───────────────────────────▶ chance
//!         ├─ a board whose planes fit ─────────▶ dense
//!         ├─ cheap sources (book, theory, …) ──▶ their value
//!         ├─ any other board ──────────────────▶ search │ proof          with a note why not `dense`
//!         ├─ a theorem, and too many positions ▶ theory
//!         └─ any other game ───────────────────▶ retrograde │ sweep │ memo
//! ```
//!
//! The methods are in `methods/`; `--method search` and `--method proof` run the ladder's own sources.

use crate::means::solve_by_chance;
use crate::methods::bitplane::{BoardPlan, solve_board, solve_planned};
use crate::methods::distributed::solve_together;
use crate::methods::minimax::{memo, plain};
use crate::methods::retrograde::{solve_by_retrograde, solve_until_stable};
use crate::methods::single::{search, solve_by_proof};
use crate::methods::sweep::sweep;
use crate::methods::textbook::{solve_by_breadth, solve_through_dice};
use crate::move_values::Detail;
use crate::results::{CachedResult, WORTH_KEEPING};
use crate::{
    Answer, Effort, GameHandle, Ladder, Method, Numbering, PositionRef, Session, SolveAnswer, SolveJob,
    SolveOrigin, SolveRequest, Source, Trouble,
};
use outplay_bitplane::DenseError;
use outplay_core::Notation;
use outplay_runtime::{Deadline, Monitor};
use outplay_search::DiceMethod;
use std::time::{Duration, Instant};

/// Slots of a board that is solved slab by slab without `--disk`: some minutes of work.
const MINUTES: u128 = 20_000_000_000;

/// A board with more slots for each byte of memory than this is not even planned: the planes of `connect4` take one
/// byte for 90 slots, those of smaller boards one for fewer.
const SLOTS_PER_BYTE: u128 = 1000;

/// The choice of `--method auto`.
enum Choice {
    /// A method; the note names the limit that prevented a better one.
    Run(Method, Option<String>),
    /// Bit-planes, as planned.
    Board(Box<BoardPlan>),
    /// Retrograde analysis, or search if that does not fit in memory and a single position is requested.
    RetrogradeOrSearch,
    /// A cheap source had the value.
    Known(Box<SolveAnswer>, Option<String>),
}

/// Solves a position and, with strong methods, all positions.
///
/// # Errors
///
/// Bad input, a game beyond the method or the memory, or a stop. A timeout is no error: the answer has bounds.
pub fn solve(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    watch: &dyn Monitor,
) -> Result<SolveAnswer, Trouble> {
    let began = Instant::now();
    let clock = &Deadline::new(session.time, watch);
    let job = SolveJob { session, handle, request, clock };
    let timed_out = |trouble: &Trouble| trouble.is_stop() && clock.passed() && !watch.stopped();
    let solved = match session.crew() {
        Some(crew) => solve_together(job, crew),
        None => run_method(job, request.method),
    };
    match solved {
        Err(trouble) if timed_out(&trouble) => out_of_time(job, watch),
        // An interrupted search has bounds, but an interrupt is an error.
        Ok(answer) if watch.stopped() && matches!(answer.answer, Answer::Unknown { .. }) => {
            Err(Trouble::stopped())
        }
        Ok(answer) if request.method == Method::Auto && matches!(answer.answer, Answer::Unknown { .. }) => {
            Ok(known_for_free(job, watch)?.unwrap_or(answer))
        }
        Ok(answer) => {
            remember(job, &answer, began.elapsed());
            Ok(answer)
        }
        failed => failed,
    }
}

/// The answer of a solve that timed out: a free source's value, or unknown with what the table holds so far.
pub(crate) fn out_of_time(job: SolveJob<'_>, watch: &dyn Monitor) -> Result<SolveAnswer, Trouble> {
    if job.request.method == Method::Auto
        && let Some(answer) = known_for_free(job, watch)?
    {
        return Ok(answer);
    }
    let mut answer = job.blank(SolveOrigin::By(job.request.method), None, 0)?;
    // A game without a start has no value of its own, and yet it is not solved.
    answer.answer = job.handle.unknown();
    answer.partial = job.partial_table();
    answer.notes.push("the time limit was reached before the value was known".into());
    Ok(answer)
}

/// The value that free sources know although the limits do not allow a solve; alone, and without the time limit.
fn known_for_free(job: SolveJob<'_>, watch: &dyn Monitor) -> Result<Option<SolveAnswer>, Trouble> {
    if job.session.crew().is_some() {
        return Ok(None);
    }
    known_at_once(SolveJob { clock: &Deadline::new(None, watch), ..job })
}

/// Chooses the method for the game and the limits.
fn choose(job: SolveJob<'_>) -> Result<Choice, Trouble> {
    let SolveJob { session, handle, .. } = job;
    if handle.game().has_dice() {
        return Ok(Choice::Run(Method::Chance, None));
    }
    if handle.game().has_board() {
        return choose_for_board(job);
    }
    if let Some(answer) = known_at_once(job)? {
        return Ok(Choice::Known(Box::new(answer), None));
    }
    Ok(match job.numbering()? {
        Numbering::Cycles(_) => Choice::RetrogradeOrSearch,
        Numbering::Sweeps(sweeps) if sweeps.sweep_bytes() > u128::from(session.memory) => {
            Choice::Run(Method::Memo, None)
        }
        _ => Choice::Run(Method::Sweep, None),
    })
}

/// Chooses between bit-planes, cheap sources and a search of one position.
fn choose_for_board(job: SolveJob<'_>) -> Result<Choice, Trouble> {
    let handle = job.handle;
    if let Some((answer, note)) = known_without_plan(job)? {
        return Ok(Choice::Known(Box::new(answer), note));
    }
    let board = handle.game().board(&handle.start()?).filter(|_| !handle.is_large());
    let planned = board.clone().map(|board| BoardPlan::new(job, board));
    let why = match planned {
        Some(Ok(planned)) if needs_permission(job, &planned) => Some(format!(
            "the values of all positions do not fit in memory, so only this position is solved; to solve the whole board on disk ({:.0} GB), set a disk limit",
            planned.plan.disk_bytes as f64 / 1e9
        )),
        Some(Ok(planned)) => return Ok(Choice::Board(Box::new(planned))),
        Some(Err(DenseError::Memory { needs, allowed, .. })) => {
            Some(single_position_note(needs.into(), allowed))
        }
        _ => None,
    };
    if let Some(answer) = known_at_once(job)? {
        return Ok(Choice::Known(Box::new(answer), why));
    }
    let falls = board.as_ref().is_some_and(|board| outplay_connect::check(board).is_ok());
    let proves = board.is_some_and(|board| !board.gravity && !board.misere);
    // Misère boards have no special search; the generic engine takes any game.
    let method = if proves && !falls { Method::Proof } else { Method::Search };
    Ok(Choice::Run(method, why))
}

/// The answer from the complete table; or from another free source, if the board is too large for any table here. Even
/// the plan of such a board takes seconds.
fn known_without_plan(job: SolveJob<'_>) -> Result<Option<(SolveAnswer, Option<String>)>, Trouble> {
    let SolveJob { session, handle, request, .. } = job;
    let Some(Numbering::Sweeps(sweeps)) = handle.index().filter(|_| session.crew().is_none()) else {
        return Ok(None);
    };
    if let Some(answer) = job.answer_from_table(&*sweeps)? {
        return Ok(Some((answer, None)));
    }
    let vast = sweeps.numbers().total() / SLOTS_PER_BYTE > session.memory.into();
    if !vast || request.disk.is_some() || is_begun(job) {
        return Ok(None);
    }
    let why = "the values of all positions do not fit in memory, so only this position is solved";
    Ok(known_at_once(job)?.map(|answer| (answer, Some(why.into()))))
}

/// Whether the table of the requested values was begun.
fn is_begun(job: SolveJob<'_>) -> bool {
    let name = outplay_table::name(&job.handle.spec(), job.request.values);
    job.data().is_some_and(|data| data.join(name).join("manifest.json").is_file())
}

/// Whether a board needs enough disk and time to require `--disk`. An unfinished or damaged table is completed
/// without it, as cures promise.
fn needs_permission(job: SolveJob<'_>, planned: &BoardPlan) -> bool {
    let plan = &planned.plan;
    let long = plan.slabwise() && job.request.disk.is_none() && plan.slots > MINUTES;
    long && !is_begun(job)
}

/// The note why only one position is solved.
fn single_position_note(needed: u128, allowed: u64) -> String {
    format!(
        "the values of all positions need {:.1} GB of memory and {:.1} GB are allowed, so only this position is solved",
        needed as f64 / 1e9,
        allowed as f64 / 1e9
    )
}

/// Chooses a method and runs it.
fn run_best(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let (mut answer, note) = match choose(job)? {
        Choice::Known(answer, note) => (*answer, note),
        Choice::Board(planned) => (solve_planned(job, &planned)?, None),
        Choice::Run(method, note) => (run_method(job, method)?, note),
        Choice::RetrogradeOrSearch => match solve_by_retrograde(job, None) {
            // One position can be solved without all others.
            Err(Trouble::Memory { needed, allowed }) if !matches!(job.request.place, PositionRef::Start) => {
                (search(job)?, Some(single_position_note(needed, allowed)))
            }
            solved => (solved?, None),
        },
    };
    answer.notes.extend(note);
    Ok(answer)
}

/// Runs a method; `auto` chooses one first.
fn run_method(job: SolveJob<'_>, method: Method) -> Result<SolveAnswer, Trouble> {
    match method {
        Method::Auto => run_best(job),
        Method::Plain => plain(job),
        Method::Memo => memo(job),
        Method::Sweep => sweep(job),
        Method::Retrograde => solve_by_retrograde(job, None),
        Method::UntilStable => solve_until_stable(job),
        Method::Chance => solve_by_chance(job),
        Method::Dense => solve_board(job),
        Method::Search => search(job),
        Method::Proof => solve_by_proof(job),
        Method::Breadth => solve_by_breadth(job),
        Method::Expectimax => solve_through_dice(job, DiceMethod::Expectiminimax),
        Method::Star1 => solve_through_dice(job, DiceMethod::Star1),
        Method::Star2 => solve_through_dice(job, DiceMethod::Star2),
    }
}

/// The value by a book, a theorem or the result cache, if no table is possible or requested.
fn known_at_once(job: SolveJob<'_>) -> Result<Option<SolveAnswer>, Trouble> {
    let SolveJob { session, handle, clock, .. } = job;
    let Some(pos) = job.place_if_any()? else { return Ok(None) };
    let mut options = session.clone();
    // A table that this solve is to build does not count as known.
    options.data = options.data.filter(|_| options.recall);
    let ladder = Ladder::new(&options, handle, clock, Effort::AtOnce);
    let ask = |detail| match ladder.moves(&pos, detail, false, &mut |_| {}) {
        // The method that writes a damaged table repairs it.
        Err(Trouble::Table(_) | Trouble::Probe(_)) if job.data().is_some() => Ok(None),
        asked => asked.map(Some),
    };
    let Some(asked) = ask(Detail::Best)? else { return Ok(None) };
    let how = match asked.known.source {
        Source::Book => SolveOrigin::Book,
        Source::Kept => SolveOrigin::Kept,
        Source::Theory => SolveOrigin::Theory,
        // A strong method finds its table itself, and reads the counts from it.
        Source::Table if handle.game().has_board() => SolveOrigin::Table,
        Source::Table | Source::Rules | Source::Search => return Ok(None),
    };
    if !asked.known.proven.is_settled() || asked.best.is_empty() {
        return Ok(None);
    }
    // All best moves, if they are free to look up.
    let Some(all) = ask(Detail::Moves)? else { return Ok(None) };
    let best = if all.best.is_empty() { asked.best } else { all.best };
    let mut answer = job.blank(how, None, 0)?;
    answer.answer = handle.proven_answer(&pos, asked.known.proven);
    answer.score = handle.score(&pos, asked.known.proven);
    answer.best = handle.names(&pos, &best);
    Ok(Some(answer))
}

/// Caches the result of a slow search of one position; strong methods have their tables.
fn remember(job: SolveJob<'_>, answer: &SolveAnswer, took: Duration) {
    let SolveJob { session, handle, clock, .. } = job;
    let searched = matches!(answer.method, SolveOrigin::By(Method::Search | Method::Proof));
    if session.keep
        && searched
        && took >= WORTH_KEEPING
        && let Some(results) = session.results(handle, clock)
        && let Some(value) = answer.answer.value()
        && let Ok(pos) = job.place()
    {
        let best = answer.best.iter().filter_map(|word| handle.game().read_move(&pos, word).ok()).collect();
        results.add(handle.game(), &pos, &CachedResult { value, best, line: Vec::new() }, clock);
    }
}
