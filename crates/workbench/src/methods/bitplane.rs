//! `--method dense`: the bit-plane solver for line boards, in memory or slab by slab on disk.

use crate::{
    Effort, Ladder, Method, Numbering, PositionRef, ProvenValue, SolveAnswer, SolveJob, SolveOrigin, Trouble,
    filled, planes,
};
use outplay_bitplane::{BitplaneOptions, DenseError, Plan, Solution};
use outplay_core::{AnyPosition, LineBoard, Value};
use outplay_runtime::{Deadline, Monitor};
use outplay_table::Values;

/// A solve that takes less memory than this is not announced.
const WORTH_SAYING: u64 = 100_000_000;

/// Estimated cost of solving a board, computed once.
pub(crate) struct BoardPlan {
    board: LineBoard,
    options: BitplaneOptions,
    pub(crate) plan: Plan,
}

impl BoardPlan {
    /// Plans the solve of a board.
    ///
    /// # Errors
    ///
    /// A board beyond the solver, or beyond the memory.
    pub(crate) fn new(job: SolveJob<'_>, board: LineBoard) -> Result<BoardPlan, DenseError> {
        let SolveJob { session, request, .. } = job;
        let mut options = planes::options(request.values, session, request.counts);
        options.slabs = job.data().is_some();
        options.crew = session.crew().cloned();
        let plan = outplay_bitplane::plan(&board, &options, request.store)?;
        Ok(BoardPlan { board, options, plan })
    }

    /// Reports the estimated cost of a large solve.
    fn announce(&self, clock: &Deadline<'_>) {
        let plan = &self.plan;
        if plan.peak_bytes < WORTH_SAYING {
            return;
        }
        let disk = match plan.disk_bytes {
            0 => String::new(),
            bytes => format!(" and about {:.1} GB of disk, slab by slab", bytes as f64 / 1e9),
        };
        let memory = plan.peak_bytes as f64 / 1e9;
        let slots = outplay_core::figures::grouped(plan.slots);
        clock.note(&format!("plan: an index of {slots} slots, {memory:.1} GB of memory{disk}"));
    }
}

/// Solves the board of the game's start.
pub(crate) fn solve_board(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let Some(board) = job.handle.game().board(&job.handle.start()?) else {
        let why = "the method `dense` supports only games of k in a row on a board; choose another method";
        return Err(Trouble::method(why, Method::Sweep));
    };
    // A board that cannot be solved is refused before anything is written.
    solve_planned(job, &BoardPlan::new(job, board)?)
}

/// Solves a board as planned.
pub(crate) fn solve_planned(job: SolveJob<'_>, planned: &BoardPlan) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, request, clock } = job;
    let mut writer = None;
    if let Some(Numbering::Sweeps(sweeps)) = handle.index() {
        if session.crew().is_none()
            && let Some(answer) = job.answer_from_table(&*sweeps)?
        {
            return Ok(answer);
        }
        writer = job.table_writer()?;
    }
    if let Some(writer) = &mut writer {
        writer.allow(request.disk);
    }
    planned.announce(clock);
    clock.stage("solving", u64::try_from(planned.plan.slots).unwrap_or(0));
    let (solution, tally) = planes::dense(&planned.board, &planned.options, writer.as_ref(), clock)?;
    let nodes = u64::try_from(planned.plan.slots).unwrap_or(u64::MAX);
    let counted = request.counts.then_some(&tally);
    let blank = job.blank(SolveOrigin::By(Method::Dense), counted, nodes)?;
    let mut answer = match request.place {
        PositionRef::Start => start_answer(job, &planned.board, &solution, blank)?,
        _ => position_answer(job, blank)?,
    };
    answer.colourings = Some(planned.plan.colourings);
    report_balance(&solution, clock);
    if let Some(writer) = writer {
        answer.table = Some(job.finish(writer, &tally)?);
    }
    Ok(answer)
}

/// The answer for the start, read from the solution.
fn start_answer(
    job: SolveJob<'_>,
    board: &LineBoard,
    solution: &Solution,
    blank: SolveAnswer,
) -> Result<SolveAnswer, Trouble> {
    let (handle, start) = (job.handle, job.handle.start()?);
    let value = solution.value.unwrap_or_else(|| Value::untimed(solution.verdict as i32 - 1));
    let proven = ProvenValue::Exact(job.value(value));
    Ok(SolveAnswer {
        answer: handle.proven_answer(&start, proven),
        score: handle.score(&start, proven),
        best: solution.best.iter().map(|&cell| board.move_name(cell)).collect(),
        ..blank
    })
}

/// The answer for another position, whose board the ladder solves.
fn position_answer(job: SolveJob<'_>, blank: SolveAnswer) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, request, clock } = job;
    let session = session.off_disk();
    let ladder = Ladder::new(&session, handle, clock, Effort::Full);
    let value = |pos: &AnyPosition| {
        let proven = ladder.ask(pos, request.values == Values::Wdl, &mut |_| {})?.proven;
        Ok(Some(proven).filter(|proven| proven.is_settled()).map(|proven| job.proven(proven)))
    };
    filled(handle, &job.place()?, &value, blank)
}

/// Reports the load balance between ranks.
fn report_balance(solution: &Solution, clock: &Deadline<'_>) {
    let Some(balance) = &solution.balance else { return };
    clock.note(&format!(
        "{} ranks: the busiest computed {:.1} s, {:.0} % longer than the average; {} of slabs were sent between ranks",
        balance.busy.len(),
        balance.busy.iter().copied().fold(0.0, f64::max),
        100.0 * balance.imbalance(),
        outplay_core::figures::bytes(balance.moved)
    ));
}
