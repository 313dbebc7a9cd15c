//! `--method sweep`: backward induction from the last tier of an index to the first.

use crate::{Method, Numbering, ProvenValue, SolveAnswer, SolveJob, SolveOrigin, Trouble, filled};
use outplay_core::AnyPosition;

/// Sweeps over the index that the game was built with, or over all explored positions.
pub(crate) fn sweep(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, clock, .. } = job;
    let sweeps = match session.numbering(handle, handle.most_positions(session.memory), clock)? {
        Numbering::Sweeps(sweeps) => sweeps,
        Numbering::Cycles(_) => {
            let why = format!("{} has cycles", handle.spec());
            return Err(Trouble::method(why, Method::Retrograde));
        }
        Numbering::Means(_) => {
            return Err(Trouble::method(format!("{} has dice", handle.spec()), Method::Chance));
        }
    };
    session.check_memory(sweeps.sweep_bytes())?;
    if let Some(answer) = job.answer_from_table(&*sweeps)? {
        return Ok(answer);
    }
    let writer = job.table_writer()?;
    let solved = sweeps.sweep(&handle.start()?, clock)?;
    let tally = solved.tally();
    let value = |pos: &AnyPosition| Ok(solved.value(pos).map(|value| ProvenValue::Exact(job.value(value))));
    let blank = job.blank(SolveOrigin::By(Method::Sweep), Some(tally), tally.first_view().total())?;
    let mut answer = filled(handle, &job.place()?, &value, blank)?;
    if let Some(writer) = writer {
        solved.store(&writer, clock)?;
        answer.table = Some(job.finish(writer, tally)?);
    }
    Ok(answer)
}
