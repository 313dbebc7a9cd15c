//! `outplay check`: verifies proof certificates with the independent checker.

use crate::args::{At, parse_seconds};
use crate::commands::{Failure, NO, Run, UNKNOWN};
use crate::output;
use crate::terminal::harmless;
use clap::Args;
use outplay_check::{CheckError, CheckLimits, Claim, check_watched};
use outplay_core::LineBoard;
use outplay_core::figures::grouped;
use outplay_runtime::{Deadline, Monitor};
use outplay_workbench::{PositionRef, Trouble};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Check a proof file with an independent checker
#[derive(Args)]
pub(crate) struct CheckArgs {
    /// Proof file, written by `solve --method proof --proof FILE`
    file: PathBuf,
    /// Game that the proof must be about, such as mnk:4x3; with --moves or --position, also the position (default:
    /// any)
    game: Option<String>,
    #[command(flatten)]
    at: At,
    /// Time limit of the check
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<f64>,
}

pub(crate) fn check(run: &mut Run<'_, impl Write>, args: &CheckArgs) -> Result<u8, Failure> {
    let wanted = match &args.game {
        Some(game) => Some(board_of(run, game, &args.at)?),
        None if args.at.place() != PositionRef::Start => {
            let why = "--moves and --position need a game; add the spec of the game that the proof is about";
            return Err(Trouble::unable(why).into());
        }
        None => None,
    };
    let clock = Deadline::new(args.time.map(Duration::from_secs_f64), run.progress);
    let text = run.read_file(&args.file)?;
    // A step takes several times the memory of its text.
    let limits = CheckLimits { bytes: run.memory() as usize / 4, ..CheckLimits::default() };
    run.progress.stage("checking", 0);
    let checked = check_watched(&text, &limits, &clock);
    let file = args.file.display().to_string();
    match checked {
        Err(CheckError::Stopped) if !run.progress.stopped() => {
            let why =
                "the check reached its time limit, so whether the proof is valid is unknown; raise --time";
            undecided(run, &file, why)
        }
        Err(CheckError::Stopped) => Err(Trouble::stopped().into()),
        Err(error) if error.is_undecided() => undecided(run, &file, &error.to_string()),
        Err(error) => wrong(run, &file, &error.to_string()),
        Ok(claim) if wanted.is_some_and(|wanted| wanted != claim.board) => elsewhere(run, &file, &claim),
        Ok(claim) => right(run, &file, &claim),
    }
}

/// Reports a check that reached a limit.
fn undecided(run: &mut Run<'_, impl Write>, file: &str, why: &str) -> Result<u8, Failure> {
    let answer = serde_json::json!({ "file": file, "valid": null, "error": why });
    run.print(&answer, |out, _| writeln!(out, "{file}: {why}"))?;
    Ok(UNKNOWN)
}

/// Reports an invalid proof.
fn wrong(run: &mut Run<'_, impl Write>, file: &str, error: &str) -> Result<u8, Failure> {
    let answer = serde_json::json!({ "file": file, "valid": false, "error": error });
    run.print(&answer, |out, _| writeln!(out, "{file}: the proof is invalid: {}", harmless(error)))?;
    Ok(NO)
}

/// Reports a valid proof of another position than the requested one.
fn elsewhere(run: &mut Run<'_, impl Write>, file: &str, claim: &Claim) -> Result<u8, Failure> {
    let (game, position) = output::claimed(&claim.board);
    let error = format!("the proof is valid, but it is about {game} at {position}");
    let answer = serde_json::json!({
        "file": file, "valid": true, "about": false, "game": game, "position": position, "error": error,
    });
    run.print(&answer, |out, _| writeln!(out, "{file}: {error}"))?;
    Ok(NO)
}

/// Reports a valid proof.
fn right(run: &mut Run<'_, impl Write>, file: &str, claim: &Claim) -> Result<u8, Failure> {
    let (game, position) = output::claimed(&claim.board);
    let answer = serde_json::json!({
        "file": file, "valid": true, "value": claim.verdict.word(),
        "game": game, "position": position, "steps": claim.steps, "followed": claim.followed,
    });
    run.print(&answer, |out, _| {
        let (verdict, steps) = (claim.verdict, grouped(claim.steps as u128));
        writeln!(out, "{file}: the proof is valid ({steps} steps)")?;
        writeln!(out, "  {game} at {position}: a {verdict} for the player to move")
    })
}

/// Returns the board of a position of a connect-k or m,n,k-game.
fn board_of(run: &Run<'_, impl Write>, game: &str, at: &At) -> Result<LineBoard, Failure> {
    let entry = run.open_at(game, at)?;
    let pos = entry.locate(&at.place())?;
    let board = entry.game().board(&pos);
    board.ok_or_else(|| {
        Trouble::unable("proofs exist only for k-in-a-row games; use a game such as mnk:4x3").into()
    })
}
