//! `--method plain` and `--method memo`: depth-first minimax, without and with memoisation.

use crate::{Method, ProvenValue, SolveAnswer, SolveJob, SolveOrigin, Trouble, filled};
use outplay_core::AnyPosition;
use outplay_runtime::Monitor;

/// Minimax without memory.
pub(crate) fn plain(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { handle, clock, .. } = job;
    let pos = job.place()?;
    clock.stage("searching", 0);
    let refused = || {
        Trouble::method(
            "plain minimax supports only games without cycles and dice; choose another method",
            Method::Auto,
        )
    };
    let found = handle.kernels().plain(&pos, clock).ok_or_else(refused)??;
    // Evaluating the moves costs as much as evaluating the position.
    let value = |next: &AnyPosition| {
        let known = if *next == pos { Some(Ok(found)) } else { handle.kernels().plain(next, clock) };
        Ok(known.transpose()?.map(|found| ProvenValue::Exact(found.value)))
    };
    let mut blank = job.blank(SolveOrigin::By(Method::Plain), None, found.nodes)?;
    (blank.counters, blank.depth) = (Some(found.counters()), Some(found.plies));
    filled(handle, &pos, &value, blank)
}

/// Minimax with a hash map of all visited positions.
pub(crate) fn memo(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, clock, .. } = job;
    let pos = job.place()?;
    clock.stage("searching", 0);
    let most = handle.most_positions(session.memory);
    let refused = || {
        Trouble::method(
            "memoised minimax supports only games without cycles and dice; choose another method",
            Method::Auto,
        )
    };
    let memo = handle.kernels().memo(&pos, most, clock).ok_or_else(refused)??;
    let (tally, found) = (memo.tally(), memo.found());
    let value = |pos: &AnyPosition| Ok(memo.value(pos).map(ProvenValue::Exact));
    let mut blank = job.blank(SolveOrigin::By(Method::Memo), Some(&tally), found.nodes)?;
    (blank.counters, blank.depth) = (Some(found.counters()), Some(found.plies));
    filled(handle, &pos, &value, blank)
}
