//! Line-based play, for scripts, pipes and screen readers. The commands:
//!
//! ```text
//!  c2        a move                      undo, redo      take back or replay moves
//!  hint      a good move                 values, why     the value of every move, and the reasons
//!  board     draw the position           moves, rules    the legal moves, the rules of play
//!  level 4   choose the opponent         levels, sides   list the levels, exchange the sides
//!  info      statistics of a search      new, quit       restart, leave
//! ```

use crate::advice::{choose, hint, why};
use crate::cure::sentence;
use crate::play_session::{Mover, PlaySession};
use crate::sight::{details, ranked, report, shown, words};
use outplay_core::{Game, Notation};
use outplay_runtime::Monitor;
use outplay_workbench::Trouble;
use std::io::{self, BufRead, Write};

const HELP: &str = "type a move, or a command: undo, redo, hint, values, why, board, moves, rules, levels, level N, \
                    sides, info, new, help, quit";

/// Plays until the input ends or `quit`; with `talk` off, moves are made and nothing is printed.
///
/// # Errors
///
/// The output cannot be written; or a player cannot play the game.
pub fn prompt(
    session: &mut PlaySession,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    talk: bool,
    monitor: &dyn Monitor,
) -> Result<(), PromptError> {
    let mut say = |text: &str| -> io::Result<()> {
        if talk {
            writeln!(out, "{text}")?;
            out.flush()?;
        }
        Ok(())
    };
    say(&picture(session)?)?;
    say(&session.status())?;
    if let Some(task) = session.task() {
        say(task)?;
    }
    let mut statistics = vec!["no search was made".to_string()];
    let humans = session.seats().contains(&crate::Seat::Human);
    if humans {
        say(HELP)?;
    }
    loop {
        match session.mover() {
            Some(Mover::Player(spec)) => {
                let spec = spec.to_string();
                let choice = choose(session, &spec, monitor)?;
                session.accept(&choice)?;
                say(&report(session, &choice))?;
                statistics = details(&choice);
                say(&picture(session)?)?;
                say(&session.status())?;
                continue;
            }
            Some(Mover::Dice) => {
                let roll = choose(session, "dice", monitor)?;
                session.play(&roll.mv)?;
                say(&report(session, &roll))?;
                if session.mover() == Some(Mover::Human) {
                    say(&picture(session)?)?;
                    say(&session.status())?;
                }
                continue;
            }
            None if !humans => return Ok(()),
            Some(Mover::Human) | None => {}
        }
        let mut line = Vec::new();
        // A bound on the line length: no move is longer.
        let read = io::Read::take(&mut *input, LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&line).trim().to_string();
        match text.as_str() {
            "" => {}
            "quit" | "q" | "exit" => return Ok(()),
            "info" => say(&statistics.join("\n"))?,
            text => say(&answer(session, text, monitor)?)?,
        }
        if monitor.stopped() {
            return Ok(());
        }
    }
}

/// Obeys a command or plays a move; returns what to print.
fn answer(session: &mut PlaySession, text: &str, monitor: &dyn Monitor) -> Result<String, Trouble> {
    let changed = |session: &PlaySession| Ok(format!("{}\n{}", picture(session)?, session.status()));
    match text {
        "help" | "?" => Ok(HELP.into()),
        "board" => picture(session),
        "moves" => legal(session),
        "undo" | "u" if !session.undo() => Ok("there is no move to undo".into()),
        "redo" | "r" if !session.redo() => Ok("there is no move to redo".into()),
        "undo" | "u" | "redo" | "r" => changed(session),
        "new" | "n" => {
            session.restart();
            changed(session)
        }
        "why" => Ok(why(session, monitor)?.join("\n")),
        "rules" => Ok(session.rules.clone()),
        "levels" => {
            let levels = session.levels().iter();
            let lines = levels.map(|level| format!("{:>2} {}", level.number, level.name));
            Ok(lines.collect::<Vec<_>>().join("\n"))
        }
        "sides" => {
            session.swap_sides();
            Ok(session.status())
        }
        "hint" | "h" => hint(session, monitor),
        "values" | "v" => values(session, monitor),
        text => match text.strip_prefix("level ") {
            Some(word) => match session.levels().find(word).map(|level| level.player.clone()) {
                Ok(player) => {
                    session.set_opponent(&player);
                    Ok(session.status())
                }
                Err(error) => Ok(format!("error: {error}")),
            },
            None => match session.play(text) {
                Ok(()) => changed(session),
                Err(trouble) => Ok(sentence(&trouble)),
            },
        },
    }
}

/// Longest input line in bytes.
const LONGEST: u64 = 100_000;

/// Error of the line-based prompt.
#[derive(Debug)]
pub enum PromptError {
    /// A player cannot play, or a table is damaged.
    Trouble(Trouble),
    /// Reading the input or writing the output failed.
    Io(io::Error),
}

impl From<Trouble> for PromptError {
    fn from(trouble: Trouble) -> PromptError {
        PromptError::Trouble(trouble)
    }
}

impl From<io::Error> for PromptError {
    fn from(error: io::Error) -> PromptError {
        PromptError::Io(error)
    }
}

fn picture(session: &PlaySession) -> Result<String, Trouble> {
    Ok(outplay_workbench::draw(session.entry(), &session.place(), None)?.plain().trim_end().to_string())
}

fn legal(session: &PlaySession) -> Result<String, Trouble> {
    let (game, pos) = (session.entry().game(), session.entry().locate(&session.place())?);
    let mut moves = Vec::new();
    if !session.view().scene.moves.is_empty() {
        game.moves(&pos, &mut moves);
    }
    let word = |mv| game.spoken(&pos, mv).unwrap_or_else(|| game.write_move(&pos, mv));
    let words: Vec<String> = moves.into_iter().map(word).collect();
    Ok(if words.is_empty() { "there are no legal moves".into() } else { words.join(" ") })
}

fn values(session: &PlaySession, monitor: &dyn Monitor) -> Result<String, Trouble> {
    let answer = outplay_workbench::query(session.session(), session.entry(), &session.place(), monitor)?;
    let mut lines = vec![format!("value: {}", words(&answer.answer))];
    for mv in ranked(&answer) {
        let best = if answer.best.contains(&mv.mv) { "  *" } else { "" };
        lines.push(format!("  {:<6} {}{best}", shown(mv), words(&mv.answer)));
    }
    lines.extend(answer.notes);
    Ok(lines.join("\n"))
}
