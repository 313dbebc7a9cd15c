//! Textbook methods for demonstration: breadth-first minimax, retrograde analysis of acyclic games, expectiminimax,
//! Star1 and Star2 (Ballard 1983).
//!
//! ```text
//! method                           algorithm
//! breadth                          minimax level by level
//! retrograde, sweep-until-stable   for acyclic games on request, by the explored graph; one sweep would suffice
//! expectimax, star1, star2         iterative deepening through chance nodes
//! ```
//!
//! These methods run on the type-erased [`AnyGame`](outplay_core::AnyGame), so that they are compiled once; the other
//! methods are faster.

use crate::kernels::{Cycles, CyclicIndex, LoopValues};
use crate::{GameHandle, Method, PATIENCE, ProvenValue, SolveAnswer, SolveJob, SolveOrigin, Trouble, filled};
use outplay_core::{AnyPosition, Game, Index, Native};
use outplay_runtime::{Deadline, Monitor};
use outplay_search::{DiceMethod, MOST_PLIES, SearchError, SearchLimits, Zero, breadth_first};
use outplay_solve::{ExploredGame, RetrogradeOptions, SolveError, WideLoopCode, retrograde_by_graph};
use std::sync::Arc;

/// Approximate heap bytes of a type-erased position and its moves.
const HELD: u64 = 200;

/// The number of type-erased positions that fit in memory, at least 1000.
fn most_hidden(handle: &GameHandle, pos: &AnyPosition, memory: u64) -> u64 {
    (memory / (ExploredGame::bytes_per_position(handle.game(), pos) + HELD)).max(1000)
}

/// `solve --method breadth`: all positions of a level before any of the next.
pub(crate) fn solve_by_breadth(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, clock, .. } = job;
    let pos = job.place()?;
    if handle.game().has_dice() {
        return Err(Trouble::method(format!("{} has dice", handle.spec()), Method::Chance));
    }
    if handle.kernels().loops() == Some(true) {
        let why = format!("{} has cycles, so its levels never end", handle.spec());
        return Err(Trouble::method(why, Method::Retrograde));
    }
    clock.stage("expanding level by level", 0);
    let most = most_hidden(handle, &pos, session.memory);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found = match breadth_first(handle.game(), &pos, &Zero, MOST_PLIES, most, clock) {
        Err(SearchError::TooLarge(_)) => return Err(SolveError::TooLarge(most as u64).into()),
        found => found?,
    };
    let report = found.report;
    if report.answer.exact().is_none() && clock.stopped() {
        return Err(Trouble::stopped());
    }
    let proven = job.proven(ProvenValue::found(report.answer, handle.game().best_payoff()));
    let mut answer = job.blank(SolveOrigin::By(Method::Breadth), None, report.counts.nodes)?;
    answer.answer = handle.proven_answer(&pos, proven);
    let best: Vec<_> = report.best.filter(|_| proven.is_settled()).into_iter().collect();
    answer.best = handle.names(&pos, &best);
    answer.depth = Some(found.levels.len().saturating_sub(1) as u32);
    answer.counters = Some(report.counts);
    answer.levels = Some(found.levels);
    Ok(answer)
}

/// `retrograde` and `sweep-until-stable` on an acyclic game: explores all positions reachable from here and solves
/// them as if the graph had cycles. Nothing is stored, because other methods do that.
pub(crate) fn solve_acyclic_game(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, request, clock } = job;
    let game = handle.game();
    let pos = job.place()?;
    clock.stage("exploring the positions", 0);
    let most = most_hidden(handle, &pos, session.memory);
    let index = Arc::new(ExploredGame::new(game, &pos, most, clock)?);
    clock.stage("solving", index.positions().len() as u64);
    let solved = if request.method == Method::UntilStable {
        CyclicIndex::listed(Native::new(game.clone()), index.clone()).until_stable(clock)?
    } else {
        let options = RetrogradeOptions { distance: job.is_timed(), ..RetrogradeOptions::default() };
        LoopValues::new(retrograde_by_graph::<_, _, WideLoopCode>(game, &*index, options, clock)?)
    };
    let tally = job.tally(&solved.tally);
    let value = |pos: &AnyPosition| {
        let (tier, number) = index.rank(pos);
        Ok(solved.value(tier, number).map(|value| ProvenValue::Exact(job.value(value))))
    };
    let nodes = tally.first_view().total();
    let blank = job.blank(SolveOrigin::By(request.method), Some(&tally), nodes)?;
    let mut answer = filled(handle, &pos, &value, blank)?;
    answer.sweeps = solved.changes;
    let why = "this game is acyclic, so one sweep from the end would have been enough";
    answer.notes.push(why.into());
    Ok(answer)
}

/// Iterative deepening through chance nodes until the mean is exact.
pub(crate) fn solve_through_dice(job: SolveJob<'_>, method: DiceMethod) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, request, clock } = job;
    let pos = job.place()?;
    if !handle.game().has_dice() {
        return Err(Trouble::method(format!("{} has no dice", handle.spec()), Method::Search));
    }
    clock.stage("searching", 0);
    // Where play can go on for ever, no depth is ever enough.
    let limit = Deadline::new(session.time.is_none().then_some(PATIENCE), clock);
    let clock = &limit;
    let mut answer = job.blank(SolveOrigin::By(request.method), None, 0)?;
    let mut counters = outplay_core::Counters::default();
    let mut opinion = None;
    for depth in 1..=MOST_PLIES {
        let limits = SearchLimits { time: clock.time_left(), ..SearchLimits::depth(depth) };
        let Some(report) = handle.kernels().expect(&pos, method, limits, clock) else { break };
        let report = report?;
        counters += report.counters();
        let Some(mean) = report.value else { break };
        answer.depth = Some(depth);
        if report.exact {
            answer.answer = handle.proven_answer(&pos, ProvenValue::Mean(mean));
            answer.best = handle.names(&pos, &report.best.into_iter().collect::<Vec<_>>());
            opinion = None;
            break;
        }
        opinion = Some((depth, mean));
        if clock.stopped() {
            break;
        }
    }
    if let Some((depth, mean)) = opinion {
        answer
            .notes
            .push(format!("at depth {depth} the mean is {mean:+.6}, with unfinished games counted as 0"));
    }
    if limit.passed() {
        let seconds = PATIENCE.as_secs();
        answer.notes.push(format!(
            "the search was stopped after {seconds} s, its default time limit; the method `chance` finds exact means"
        ));
    }
    answer.nodes = counters.nodes;
    answer.counters = Some(counters);
    Ok(answer)
}
