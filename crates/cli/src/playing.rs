//! `outplay play`: full screen on a terminal, line by line otherwise.

use crate::args::{Common, PlayArgs};
use crate::commands::{Failure, output_error};
use crate::progress::Progress;
use outplay_answer::{Entry, QueryOptions, Trouble};
use outplay_play::{PromptError, Seat, Session, full_screen, prompt};
use std::io::{self, BufReader, IsTerminal, Write};
use std::time::Duration;

/// How long a player or a search for values thinks unless told.
const PATIENCE: Duration = Duration::from_secs(10);

/// Plays a game.
pub(crate) fn play(
    entry: Entry,
    mut options: QueryOptions,
    common: &Common,
    args: &PlayArgs,
    progress: &Progress,
    out: &mut impl Write,
) -> Result<u8, Failure> {
    options.time = options.time.or(Some(PATIENCE));
    let strongest = || entry.players(&options).levels.pop().unwrap_or_else(|| "random".into());
    let second = args.second.clone().unwrap_or_else(strongest);
    let seats = [Seat::new(&args.first), Seat::new(&second)];
    let mut session = Session::new(entry.clone(), args.at.place(), seats, args.seed, options)?;
    check_players(&session)?;
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if terminal && !args.plain && !common.json {
        full_screen(&mut session, args.values).map_err(output_error)?;
    } else {
        let mut input = BufReader::new(io::stdin().lock());
        // The board is watched by whoever types: no progress bar between the lines.
        let result = prompt(&mut session, &mut input, out, !common.json, progress);
        result.map_err(|error| match error {
            PromptError::Trouble(trouble) => Failure::Trouble(trouble),
            PromptError::Io(error) => Failure::Output(error),
        })?;
    }
    if common.json {
        let view = session.view();
        let end = serde_json::json!({
            "game": view.game, "position": view.position, "moves": session.moves(), "to_move": view.to_move,
            "outcome": view.outcome, "first": args.first, "second": second, "counters": session.counters(),
        });
        writeln!(out, "{end}").map_err(output_error)?;
    }
    Ok(0)
}

/// A player that the game cannot have is refused before the screen is taken.
fn check_players(session: &Session) -> Result<(), Trouble> {
    for seat in session.seats() {
        if let Seat::Player(spec) = seat {
            session.entry().check_player(spec, session.options())?;
        }
    }
    Ok(())
}
