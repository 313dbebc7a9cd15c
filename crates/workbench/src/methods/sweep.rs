//! `--method sweep`: backward induction from the last tier of an index to the first.

use crate::Trouble;
use crate::answers::{How, SolveAnswer};
use crate::handle::GameHandle;
use crate::kernels::Numbering;
use crate::proven_value::ProvenValue;
use crate::request::{Method, SolveRequest};
use crate::session::Session;
use crate::solve_answer::{answer_from_table, blank_answer, filled, finish, table_writer};
use outplay_core::AnyPosition;
use outplay_runtime::Monitor;

/// Sweeps over the index that the game was built with, or over all explored positions.
pub(crate) fn sweep(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    watch: &dyn Monitor,
) -> Result<SolveAnswer, Trouble> {
    let sweeps = match session.numbering(handle, handle.most_positions(session.memory), watch)? {
        Numbering::Sweeps(sweeps) => sweeps,
        Numbering::Cycles(_) => {
            let why = format!("{} has cycles", handle.spec());
            return Err(Trouble::method(why, Method::Retrograde));
        }
        Numbering::Means(_) => {
            return Err(Trouble::method(format!("{} has dice", handle.spec()), Method::Chance));
        }
    };
    let needed = sweeps.sweep_bytes();
    if needed > u128::from(session.memory) {
        return Err(Trouble::Memory { needed, allowed: session.memory });
    }
    if let Some(answer) = answer_from_table(session, handle, &*sweeps, request, watch)? {
        return Ok(answer);
    }
    let writer = table_writer(session, handle, request, watch)?;
    let solved = sweeps.sweep(&handle.start()?, watch)?;
    let tally = solved.tally();
    let value = |pos: &AnyPosition| {
        Ok(solved.value(pos).map(|value| ProvenValue::Exact(request.requested_value(value))))
    };
    let how = How::By(Method::Sweep);
    let blank = blank_answer(handle, request, how, Some(tally), tally.first_view().total())?;
    let mut answer = filled(handle, &handle.locate(&request.place)?, &value, blank)?;
    if let Some(writer) = writer {
        solved.store(&writer, watch)?;
        answer.table = Some(finish(session, handle, writer, tally, request)?);
    }
    Ok(answer)
}
