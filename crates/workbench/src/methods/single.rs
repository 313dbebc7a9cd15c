//! `--method search` and `--method proof`: the value of one position, by the sources of the ladder.

use crate::methods::textbook::solve_through_dice;
use crate::sources::connect::{self, best_cells};
use crate::sources::{engine, falling, proof};
use crate::{
    GameHandle, Method, PositionRef, ProvedValue, Question, Session, SolveAnswer, SolveJob, SolveOrigin,
    Trouble, check_stop,
};
use outplay_core::{AnyPosition, LineBoard, Notation, Value};
use outplay_runtime::{Deadline, Monitor};
use outplay_search::DiceMethod;

/// Searches the exact value of one position: connect-k on gravity boards, Star2 through chance nodes, else the
/// generic engine.
pub(crate) fn search(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, clock, .. } = job;
    if handle.game().has_dice() {
        return solve_through_dice(job, DiceMethod::Star2);
    }
    let pos = job.place()?;
    let ask = Question { session, handle, pos: &pos, verdict: false, clock };
    match falling(handle, &pos) {
        Some(board) => search_connect(job, &ask, &board),
        None => search_engine(job, &ask),
    }
}

fn search_connect(job: SolveJob<'_>, ask: &Question<'_>, board: &LineBoard) -> Result<SolveAnswer, Trouble> {
    let mut found = connect::search(ask, board)?;
    let best = match found.score {
        Some(score) => best_cells(ask, board, score, &mut found)?,
        None => Vec::new(),
    };
    let mut answer = job.blank(SolveOrigin::By(Method::Search), None, found.nodes)?;
    (answer.counters, answer.depth) = (Some(found.counters), Some(found.left));
    answer.answer = ask.handle.proven_answer(ask.pos, found.proven);
    answer.score = found.score;
    answer.best = best.iter().map(|&cell| board.move_name(cell)).collect();
    Ok(answer)
}

fn search_engine(job: SolveJob<'_>, ask: &Question<'_>) -> Result<SolveAnswer, Trouble> {
    let table = ask.session.table(ask.handle, ask.clock)?;
    let known = |pos: &AnyPosition| -> Result<Option<Value>, Trouble> {
        table.as_ref().map_or(Ok(None), |table| table.value(pos))
    };
    let refused = || {
        Trouble::method(
            "the method `search` supports only games without dice; choose another method",
            Method::Chance,
        )
    };
    let found = engine::search(ask, table.is_some().then_some(&known))?.ok_or_else(refused)?;
    let counts = found.report.counts;
    let mut answer = job.blank(SolveOrigin::By(Method::Search), None, counts.nodes)?;
    (answer.counters, answer.depth) = (Some(counts), Some(found.report.depth));
    answer.answer = ask.handle.proven_answer(ask.pos, found.proven);
    answer.best = ask.handle.names(ask.pos, &found.best);
    answer.probe_hits = found.probe_hits();
    Ok(answer)
}

/// Proves win, draw or loss of a board, with a proof file on request.
pub(crate) fn solve_by_proof(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, request, clock } = job;
    let pos = job.place()?;
    let Some(board) = handle.game().board(&pos) else {
        let why = "the method `proof` supports only games of k in a row on a board; choose another method";
        return Err(Trouble::method(why, Method::Search));
    };
    let (proven, found) = proof::prove(session, &board, request.proof.is_some(), clock)?;
    let mut answer = job.blank(SolveOrigin::By(Method::Proof), None, found.positions)?;
    answer.answer = handle.proven_answer(&pos, proven);
    answer.best = found.best.map(|cell| board.move_name(cell)).into_iter().collect();
    if let (Some(file), Some(proof)) = (&request.proof, &found.proof) {
        outplay_files::write_output(file, proof.to_string().as_bytes())?;
        answer.proof = Some(file.display().to_string());
    }
    Ok(answer)
}

/// Proves the value of a position; the proof has the format of docs/proof-format.md.
///
/// # Errors
///
/// Bad input, a game of another kind, or a stop.
pub fn prove(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
) -> Result<ProvedValue, Trouble> {
    let pos = handle.locate(place)?;
    let Some(board) = handle.game().board(&pos) else {
        return Err(Trouble::unable(
            "the method `proof` supports only games of k in a row on a board; choose another method",
        ));
    };
    let (proven, found) = proof::prove(session, &board, true, &Deadline::new(session.time, watch))?;
    check_stop(watch)?;
    Ok(ProvedValue {
        game: handle.spec(),
        position: handle.game().write_position(&pos),
        answer: handle.proven_answer(&pos, proven),
        nodes: found.positions,
        steps: found.proof.as_ref().map_or(0, |proof| proof.len()),
        proof: found.proof.map(|proof| proof.to_string()),
    })
}
