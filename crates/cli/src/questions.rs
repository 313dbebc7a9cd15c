//! The commands about one position or one game record: `query`, `why`, `puzzle` and `history`.

use crate::args::{At, SearchArgs};
use crate::commands::{Failure, KNOWN, Run, UNKNOWN, output_error};
use crate::errors::{code, cure};
use crate::output;
use crate::progress::Progress;
use crate::terminal::harmless;
use clap::Args;
use outplay_teach::HistoryStep;
use outplay_workbench::{GameHandle, PositionRef, QueryAnswer, Session, Trouble};
use std::io::{self, BufRead, Write};

/// Print the value of a position and of each of its moves
#[derive(Args)]
pub(crate) struct QueryArgs {
    /// Game spec, such as tictactoe or connect4:5x4
    game: String,
    #[command(flatten)]
    at: At,
    /// Read moves (or positions, with --stdin=position) from standard input, one query per line
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "moves", value_parser = ["moves", "position"], conflicts_with_all = ["moves", "position"])]
    stdin: Option<String>,
    /// Print only the value and a best move, as soon as both are proved
    #[arg(long)]
    best: bool,
    /// Omit the heuristic estimates (≈) of moves whose value is unknown
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    effort: SearchArgs,
}

/// Explain the value of a position
#[derive(Args)]
pub(crate) struct WhyArgs {
    /// Game spec, such as tictactoe or connect4:5x4
    game: String,
    #[command(flatten)]
    at: At,
    #[command(flatten)]
    effort: SearchArgs,
}

/// Print a puzzle: a position with one best move
#[derive(Args)]
pub(crate) struct PuzzleArgs {
    /// Game spec, such as tictactoe or chess:KQKR
    game: String,
    /// Random seed; each seed gives another puzzle
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the solution
    #[arg(long)]
    solution: bool,
    #[command(flatten)]
    effort: SearchArgs,
}

/// Annotate a played game: the value of every position, and the mistakes
#[derive(Args)]
pub(crate) struct HistoryArgs {
    /// Game spec, such as connect4:5x4
    game: String,
    #[command(flatten)]
    at: At,
    #[command(flatten)]
    effort: SearchArgs,
}

/// Exit code of an answer.
pub(crate) fn known(answer: &QueryAnswer) -> u8 {
    if answer.answer.is_known() { KNOWN } else { UNKNOWN }
}

impl QueryArgs {
    /// The answer at a position, with opinions on a few moves where its value is unknown.
    fn answer(
        &self,
        session: &Session,
        entry: &GameHandle,
        place: &PositionRef,
        progress: &Progress,
    ) -> Result<QueryAnswer, Trouble> {
        if self.best {
            return outplay_workbench::query_best(session, entry, place, progress);
        }
        let mut answer = outplay_workbench::query(session, entry, place, progress)?;
        if !self.exact {
            outplay_workbench::add_opinions(session, entry, place, &mut answer, progress)?;
        }
        Ok(answer)
    }
}

pub(crate) fn query(run: &mut Run<'_, impl Write>, args: &QueryArgs) -> Result<u8, Failure> {
    if let Some(kind) = &args.stdin {
        return query_lines(run, args, kind == "position");
    }
    let entry = run.open_at(&args.game, &args.at)?;
    let mut session = run.query_session(&args.effort);
    let place = args.at.place();
    run.limit_search(&mut session, &entry, &place, outplay_workbench::PATIENCE)?;
    let answer = args.answer(&session, &entry, &place, run.progress)?;
    let words = output::PlayerNames::of(&entry);
    run.print(&answer, |out, answer| output::query(out, &words, answer, args.best))?;
    Ok(known(&answer))
}

/// Answers line by line; an invalid line gets an error in its place and the rest are answered.
fn query_lines(run: &mut Run<'_, impl Write>, args: &QueryArgs, positions: bool) -> Result<u8, Failure> {
    let entry = run.open(&args.game)?;
    let session = run.query_session(&args.effort);
    let words = output::PlayerNames::of(&entry);
    let mut worst = KNOWN;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(worst),
            Ok(_) => {}
            Err(error) => {
                return Err(Trouble::unable(format!("cannot read standard input: {error}")).into());
            }
        }
        let result = match std::str::from_utf8(&line) {
            Err(_) => Err(Trouble::unable("a line of standard input is not UTF-8 text")),
            Ok(text) => {
                let text = text.trim().to_string();
                let place = if positions { PositionRef::Position(text) } else { PositionRef::Moves(text) };
                args.answer(&session, &entry, &place, run.progress)
            }
        };
        match result {
            Ok(answer) => {
                run.print(&answer, |out, answer| output::query(out, &words, answer, args.best))?;
                // Bad input outweighs an unknown value.
                if worst == KNOWN {
                    worst = known(&answer);
                }
            }
            Err(trouble) if trouble.is_stop() => return Err(trouble.into()),
            Err(trouble) => {
                worst = code(&trouble);
                if run.common.json {
                    let cure = cure(&trouble, run.common.data.as_deref());
                    run.json(&serde_json::json!({ "error": trouble.to_string(), "cure": cure }))?;
                } else {
                    writeln!(run.out, "error: {}", harmless(&trouble.to_string())).map_err(output_error)?;
                }
            }
        }
        // A script may wait for each answer before it writes the next line.
        run.out.flush().map_err(output_error)?;
    }
}

pub(crate) fn why(run: &mut Run<'_, impl Write>, args: &WhyArgs) -> Result<u8, Failure> {
    let entry = run.open_at(&args.game, &args.at)?;
    let place = args.at.place();
    let why = outplay_teach::why(&run.query_session(&args.effort), &entry, &place, run.progress)?;
    let picture = outplay_workbench::draw(&entry, &place, None)?;
    run.print(&why, |out, why| {
        output::picture(out, &picture)?;
        output::why(out, why)
    })?;
    Ok(KNOWN)
}

pub(crate) fn puzzle(run: &mut Run<'_, impl Write>, args: &PuzzleArgs) -> Result<u8, Failure> {
    let entry = run.open(&args.game)?;
    let puzzle = outplay_teach::puzzle(&run.query_session(&args.effort), &entry, args.seed, run.progress)?;
    let place = PositionRef::Position(puzzle.position.clone());
    let picture = outplay_workbench::draw(&entry, &place, None)?;
    run.print(&puzzle, |out, puzzle| {
        output::picture(out, &picture)?;
        output::puzzle(out, puzzle, args.solution, args.seed)
    })
}

pub(crate) fn history(run: &mut Run<'_, impl Write>, args: &HistoryArgs) -> Result<u8, Failure> {
    let entry = run.open_at(&args.game, &args.at)?;
    let session = run.query_session(&args.effort);
    let history =
        outplay_teach::history(&session, &entry, &args.at.place(), run.progress, &mut |_: &HistoryStep| {})?;
    let words = output::PlayerNames::of(&entry);
    run.print(&history, |out, history| output::history(out, &words, history))?;
    let all = history.plies.iter().all(|step| step.answer.is_known());
    Ok(if all { KNOWN } else { UNKNOWN })
}
