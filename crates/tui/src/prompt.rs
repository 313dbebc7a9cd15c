//! Line-based play: for scripts, pipes and screen readers.
//!
//! ```text
//!  c2        a move                      undo, redo      take back or replay moves
//!  hint      the best move               values          the value of every move
//!  board     draw the position           new, quit       restart, leave
//! ```

use crate::cure::sentence;
use crate::play_session::{Mover, PlaySession};
use crate::sight::{effort, ranked, words};
use outplay_runtime::Monitor;
use outplay_workbench::{Trouble, View};
use std::io::{self, BufRead, Write};

const HELP: &str = "type a move, or a command: undo, redo, hint, values, board, moves, new, help, quit";

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
    let humans = session.seats().contains(&crate::Seat::Human);
    if humans {
        say(HELP)?;
    }
    loop {
        match session.mover() {
            Some(Mover::Player(spec)) => {
                let spec = spec.to_string();
                let choice = session.choose(&spec, monitor)?;
                session.accept(&choice)?;
                say(&format!("{spec} plays {}", choice.mv))?;
                if let Some(effort) = effort(&choice) {
                    say(&effort)?;
                }
                say(&picture(session)?)?;
                say(&session.status())?;
                continue;
            }
            Some(Mover::Dice) => {
                let roll = session.choose("dice", monitor)?;
                session.play(&roll.mv)?;
                say(&format!("the dice show {}", roll.mv))?;
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
            "help" | "?" => say(HELP)?,
            "board" => say(&picture(session)?)?,
            "moves" => say(&legal(session.view()))?,
            "undo" | "u" => {
                let said = if session.undo() { picture(session)? } else { "there is no move to undo".into() };
                say(&said)?;
                say(&session.status())?;
            }
            "redo" | "r" => {
                let said = if session.redo() { picture(session)? } else { "there is no move to redo".into() };
                say(&said)?;
                say(&session.status())?;
            }
            "new" | "n" => {
                session.restart();
                say(&picture(session)?)?;
                say(&session.status())?;
            }
            "hint" | "h" => say(&hint(session, monitor)?)?,
            "values" | "v" => say(&values(session, monitor)?)?,
            mv => match session.play(mv) {
                Ok(()) => {
                    say(&picture(session)?)?;
                    say(&session.status())?;
                }
                Err(trouble) => say(&sentence(&trouble))?,
            },
        }
        if monitor.stopped() {
            return Ok(());
        }
    }
}

/// Longest input line in bytes.
const LONGEST: u64 = 100_000;

/// Errors of a prompt.
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

fn legal(view: &View) -> String {
    let words: Vec<&str> = view.scene.moves.iter().map(|gesture| gesture.mv.as_str()).collect();
    if words.is_empty() { "there are no legal moves".into() } else { words.join(" ") }
}

/// Returns the best known move.
pub(crate) fn hint(session: &PlaySession, monitor: &dyn Monitor) -> Result<String, Trouble> {
    let answer = session.values(monitor)?;
    Ok(match (answer.best.first(), ranked(&answer).first()) {
        (Some(best), Some(mv)) => format!("hint: {best} ({})", words(&mv.answer)),
        (None, Some(_)) => "hint: the values of these moves are unknown".into(),
        (_, None) => "there are no legal moves".into(),
    })
}

fn values(session: &PlaySession, monitor: &dyn Monitor) -> Result<String, Trouble> {
    let answer = session.values(monitor)?;
    let mut lines = vec![format!("value: {}", words(&answer.answer))];
    for mv in ranked(&answer) {
        let best = if answer.best.contains(&mv.mv) { "  *" } else { "" };
        lines.push(format!("  {:<6} {}{best}", mv.mv, words(&mv.answer)));
    }
    lines.extend(answer.notes);
    Ok(lines.join("\n"))
}
