//! `outplay solve`: computes the value of a game, or of each game of a set such as `chess:all4`.

use crate::args::{At, SearchArgs, parse_bytes, parse_method, parse_values};
use crate::commands::{Failure, KNOWN, NO, Run, UNKNOWN, output_error};
use crate::{output, usage};
use clap::Args;
use outplay_workbench::{
    Answer, Clock, GameHandle, Method, PositionRef, Session, SolveAnswer, SolveRequest, Trouble, Values,
};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Solve a game: find its value and, where possible, write a table of all positions
#[derive(Args)]
pub(crate) struct SolveArgs {
    /// Game spec, such as tictactoe or connect4:5x4
    game: String,
    #[command(flatten)]
    at: At,
    /// auto; for all positions: sweep, dense (k-in-a-row boards), retrograde or sweep-until-stable (games with
    /// cycles) or chance (games with dice); for one position: search, proof (boards without gravity), expectimax,
    /// star1 or star2 (games with dice); textbook minimax: plain, memo or breadth
    #[arg(long, default_value = "auto", value_parser = parse_method)]
    method: Method,
    /// Values to compute: wdl (win, draw or loss) or distance (wdl and distance to the end)
    #[arg(long, default_value = "distance", value_parser = parse_values)]
    values: Values,
    #[command(flatten)]
    effort: SearchArgs,
    /// Disk limit, such as 50G; allows boards larger than memory to be solved on disk, however long it takes
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    disk: Option<u64>,
    /// Write the proof to this file (with --method proof)
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
}

/// The answer of `solve`, with its time and memory.
#[derive(Serialize)]
struct SolveRow<'a> {
    #[serde(flatten)]
    answer: &'a SolveAnswer,
    seconds: f64,
    cpu_seconds: f64,
    peak_bytes: u64,
    threads: usize,
}

pub(crate) fn solve(run: &mut Run<'_, impl Write>, args: &SolveArgs) -> Result<u8, Failure> {
    let mut request = SolveRequest::default();
    request.place = args.at.place();
    request.method = args.method;
    request.values = args.values;
    request.store = !run.common.no_save;
    request.disk = args.disk;
    request.proof = args.proof.clone();
    let mut session = run.session(Some(&args.effort));
    session.crew = run.crew.clone();
    if args.proof.is_some() && args.method != Method::Proof {
        let why = "--proof needs the proof search; add `--method proof`";
        return Err(Trouble::unable(why).into());
    }
    let entry = run.open_at(&args.game, &args.at)?;
    solve_each(run, &session, &entry, &request)
}

/// Solves a game, or each game of a set, and prints each answer as soon as it is known.
fn solve_each(
    run: &mut Run<'_, impl Write>,
    session: &Session,
    entry: &GameHandle,
    request: &SolveRequest,
) -> Result<u8, Failure> {
    let (mut clock, mut failure) = (Clock::start(), None);
    let (mut proved, mut known) = (true, true);
    let elsewhere = request.place != PositionRef::Start;
    let words = output::PlayerNames::of(entry);
    let progress = run.progress;
    let mut each = |answer: SolveAnswer| {
        let solved = SolveRow {
            answer: &answer,
            seconds: clock.seconds(),
            cpu_seconds: clock.cpu_seconds(),
            peak_bytes: usage::peak_bytes(),
            threads: rayon::current_num_threads(),
        };
        proved = answer.proof.is_some();
        known &= !matches!(answer.answer, Answer::Unknown { .. });
        let printed = run.print(&solved, |out, solved| {
            output::solve(out, &words, solved.answer, elsewhere, solved.seconds, solved.peak_bytes)
        });
        let printed = printed.and_then(|_| run.out.flush().map_err(output_error));
        failure = failure.take().or(printed.err());
        // Each game of a set is timed separately.
        clock = Clock::start();
    };
    outplay_workbench::solve_each(session, entry, request, progress, &mut each)?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    Ok(match (known, request.proof.is_some() && !proved) {
        (false, _) => UNKNOWN,
        // A requested proof that could not be written counts as a failure.
        (true, true) => NO,
        (true, false) => KNOWN,
    })
}
