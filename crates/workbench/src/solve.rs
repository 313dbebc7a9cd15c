//! `solve`: the value of a position and, with strong methods, of all positions.
//!
//! ```text
//!  choose the method (a board is planned once) → run it, tier by tier → commit the table → answer → cache
//!
//!  auto ──┬─ chance ───────────────────────────▶ chance
//!         ├─ a board whose planes fit ─────────▶ dense
//!         ├─ cheap sources (book, theory, …) ──▶ their value
//!         ├─ any other board ──────────────────▶ search │ proof          with a note why not dense
//!         ├─ a theorem, and too many positions ▶ theory
//!         └─ any other game ───────────────────▶ retrograde │ sweep │ memo
//! ```
//!
//! The methods are in `methods/`; `--method search` and `--method proof` run the ladder's own sources.

use crate::Trouble;
use crate::answers::{Answer, How, SolveAnswer, Source};
use crate::handle::GameHandle;
use crate::kernels::Numbering;
use crate::ladder::{Effort, Ladder};
use crate::means::solve_by_chance;
use crate::methods::bitplane::{BoardPlan, solve_board, solve_planned};
use crate::methods::distributed::solve_together;
use crate::methods::minimax::{memo, plain};
use crate::methods::retrograde::{solve_by_retrograde, solve_until_stable};
use crate::methods::single::{search, solve_by_proof};
use crate::methods::sweep::sweep;
use crate::methods::textbook::{solve_by_breadth, solve_through_dice};
use crate::move_values::Detail;
use crate::request::{Method, Place, SolveRequest};
use crate::results::{CachedResult, WORTH_KEEPING};
use crate::session::Session;
use crate::solve_answer::blank_answer;
use outplay_bitplane::DenseError;
use outplay_core::Notation;
use outplay_runtime::{Deadline, Monitor};
use outplay_search::DiceMethod;
use std::time::{Duration, Instant};

/// Slots of a board that is solved slab by slab without `--disk`: some minutes of work.
const MINUTES: u128 = 20_000_000_000;

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
    let clock = Deadline::new(session.time, watch);
    let timed_out = |trouble: &Trouble| trouble.is_stop() && clock.passed() && !watch.stopped();
    let solved = match session.crew() {
        Some(crew) => solve_together(session, handle, request, crew, &clock),
        None => run_method(session, handle, request, request.method, &clock),
    };
    match solved {
        Err(trouble) if timed_out(&trouble) => {
            let mut answer = blank_answer(handle, request, How::By(request.method), None, 0)?;
            answer.notes.push("time was up before the value was known".into());
            Ok(answer)
        }
        // An interrupted search has bounds, but an interrupt is an error.
        Ok(answer) if watch.stopped() && matches!(answer.answer, Answer::Unknown { .. }) => {
            Err(Trouble::stopped())
        }
        Ok(answer) => {
            remember(session, handle, request, &answer, began.elapsed(), &clock);
            Ok(answer)
        }
        failed => failed,
    }
}

/// Chooses the method for the game and the limits.
fn choose(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    clock: &Deadline<'_>,
) -> Result<Choice, Trouble> {
    if handle.game().has_dice() {
        return Ok(Choice::Run(Method::Chance, None));
    }
    if handle.game().has_board() {
        return choose_for_board(session, handle, request, clock);
    }
    if let Some(answer) = known_at_once(session, handle, request, clock)? {
        return Ok(Choice::Known(Box::new(answer), None));
    }
    Ok(match session.numbering(handle, handle.most_explored(session.memory), clock)? {
        Numbering::Cycles(_) => Choice::RetrogradeOrSearch,
        Numbering::Sweeps(sweeps) if sweeps.sweep_bytes() > u128::from(session.memory) => {
            Choice::Run(Method::Memo, None)
        }
        _ => Choice::Run(Method::Sweep, None),
    })
}

/// Chooses between bit-planes, cheap sources and a search of one position.
fn choose_for_board(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    clock: &Deadline<'_>,
) -> Result<Choice, Trouble> {
    let board = handle.game().board(&handle.start()?).filter(|_| !handle.is_large());
    let planned = board.clone().map(|board| BoardPlan::new(session, handle, request, board));
    let why = match planned {
        Some(Ok(planned)) if needs_permission(session, handle, request, &planned) => Some(format!(
            "the values of all positions do not fit in memory, so this is one position; solved slab by slab they take {:.0} GB of disk and a while, if they may",
            planned.plan.disk_bytes as f64 / 1e9
        )),
        Some(Ok(planned)) => return Ok(Choice::Board(Box::new(planned))),
        Some(Err(DenseError::Memory { needs, allowed, .. })) => {
            Some(single_position_note(needs.into(), allowed))
        }
        _ => None,
    };
    if let Some(answer) = known_at_once(session, handle, request, clock)? {
        return Ok(Choice::Known(Box::new(answer), why));
    }
    let falls = board.as_ref().is_some_and(|board| outplay_connect::check(board).is_ok());
    let proves = board.is_some_and(|board| !board.gravity && !board.misere);
    // Misère boards have no special search; the generic engine takes any game.
    let method = if proves && !falls { Method::Proof } else { Method::Search };
    Ok(Choice::Run(method, why))
}

/// Whether a board needs enough disk and time to require `--disk`. An unfinished or damaged table is completed
/// without it, as cures promise.
fn needs_permission(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    planned: &BoardPlan,
) -> bool {
    let plan = &planned.plan;
    let long = plan.slabwise() && request.disk.is_none() && plan.slots > MINUTES;
    let name = outplay_table::name(&handle.spec(), request.values);
    let begun = |data: &std::path::Path| data.join(&name).join("manifest.json").is_file();
    long && !request.data(session, handle).is_some_and(begun)
}

/// The note why only one position is solved.
fn single_position_note(needed: u128, allowed: u64) -> String {
    format!(
        "the values of all positions need {:.1} GB of memory and {:.1} GB are allowed, so this is one position",
        needed as f64 / 1e9,
        allowed as f64 / 1e9
    )
}

/// Runs the choice.
fn run(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    choice: Choice,
    clock: &Deadline<'_>,
) -> Result<SolveAnswer, Trouble> {
    let (mut answer, note) = match choice {
        Choice::Known(answer, note) => (*answer, note),
        Choice::Board(planned) => (solve_planned(session, handle, request, &planned, clock)?, None),
        Choice::Run(method, note) => (run_method(session, handle, request, method, clock)?, note),
        Choice::RetrogradeOrSearch => match solve_by_retrograde(session, handle, request, clock, None) {
            // One position can be solved without all others.
            Err(Trouble::Memory { needed, allowed }) if !matches!(request.place, Place::Start) => {
                (search(session, handle, request, clock)?, Some(single_position_note(needed, allowed)))
            }
            solved => (solved?, None),
        },
    };
    answer.notes.extend(note);
    Ok(answer)
}

/// Runs a method; `auto` chooses one first.
fn run_method(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    method: Method,
    clock: &Deadline<'_>,
) -> Result<SolveAnswer, Trouble> {
    match method {
        Method::Auto => {
            let choice = choose(session, handle, request, clock)?;
            run(session, handle, request, choice, clock)
        }
        Method::Plain => plain(handle, request, clock),
        Method::Memo => memo(session, handle, request, clock),
        Method::Sweep => sweep(session, handle, request, clock),
        Method::Retrograde => solve_by_retrograde(session, handle, request, clock, None),
        Method::UntilStable => solve_until_stable(session, handle, request, clock),
        Method::Chance => solve_by_chance(session, handle, request, clock),
        Method::Dense => solve_board(session, handle, request, clock),
        Method::Search => search(session, handle, request, clock),
        Method::Proof => solve_by_proof(session, handle, request, clock),
        Method::Breadth => solve_by_breadth(session, handle, request, clock),
        Method::Expectimax => solve_through_dice(handle, DiceMethod::Expectiminimax, request, clock),
        Method::Star1 => solve_through_dice(handle, DiceMethod::Star1, request, clock),
        Method::Star2 => solve_through_dice(handle, DiceMethod::Star2, request, clock),
    }
}

/// The value by a book, a theorem or the result cache, if no table is possible or requested.
fn known_at_once(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    clock: &Deadline<'_>,
) -> Result<Option<SolveAnswer>, Trouble> {
    let Some(pos) = handle.locate_if_any(&request.place)? else { return Ok(None) };
    let mut options = session.clone();
    // A table that this solve is to build does not count as known.
    options.data = options.data.filter(|_| options.recall);
    let ladder = Ladder::new(&options, handle, clock, Effort::AtOnce);
    let asked = match ladder.moves(&pos, Detail::Best, false, &mut |_| {}) {
        // The method that writes a damaged table repairs it.
        Err(Trouble::Table(_) | Trouble::Probe(_)) if request.data(session, handle).is_some() => {
            return Ok(None);
        }
        asked => asked?,
    };
    let how = match asked.known.source {
        Source::Book => How::Book,
        Source::Kept => How::Kept,
        Source::Theory => How::Theory,
        // A strong method finds its table itself, and reads the counts from it.
        Source::Table if handle.game().has_board() => How::Table,
        Source::Table | Source::Rules | Source::Search => return Ok(None),
    };
    if !asked.known.proven.is_settled() || asked.best.is_empty() {
        return Ok(None);
    }
    // All best moves, if they are free to look up.
    let all = match ladder.moves(&pos, Detail::Moves, false, &mut |_| {}) {
        Err(Trouble::Table(_) | Trouble::Probe(_)) if request.data(session, handle).is_some() => {
            return Ok(None);
        }
        all => all?,
    };
    let best = if all.best.is_empty() { asked.best } else { all.best };
    let mut answer = blank_answer(handle, request, how, None, 0)?;
    answer.answer = handle.proven_answer(&pos, asked.known.proven);
    answer.score = handle.score(&pos, asked.known.proven);
    answer.best = handle.names(&pos, &best);
    Ok(Some(answer))
}

/// Caches the result of a slow search of one position; strong methods have their tables.
fn remember(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    answer: &SolveAnswer,
    took: Duration,
    watch: &dyn Monitor,
) {
    let searched = matches!(answer.method, How::By(Method::Search | Method::Proof));
    if session.keep
        && searched
        && took >= WORTH_KEEPING
        && let Some(results) = session.results(handle, watch)
        && let Some(value) = answer.answer.value()
        && let Ok(pos) = handle.locate(&request.place)
    {
        let best = answer.best.iter().filter_map(|word| handle.game().read_move(&pos, word).ok()).collect();
        results.add(handle.game(), &pos, &CachedResult { value, best }, watch);
    }
}
