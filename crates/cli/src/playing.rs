//! `outplay play`: full screen on a terminal, line by line otherwise.

use crate::args::PlayArgs;
use crate::commands::{Failure, KNOWN, Run, output_error};
use outplay_tui::{PlaySession, PromptError, Seat, full_screen, prompt};
use outplay_workbench::Trouble;
use std::io::{self, BufReader, IsTerminal, Write};
use std::time::Duration;

/// Default time limit of a player's move and of a search for values.
const PATIENCE: Duration = Duration::from_secs(10);

/// Plays a game.
pub(crate) fn play(run: &mut Run<'_, impl Write>, args: &PlayArgs) -> Result<u8, Failure> {
    let mut session = run.query_session(&args.effort);
    let entry = run.open_at(&args.game, &args.at)?;
    let (common, progress) = (run.common, run.progress);
    session.time = session.time.or(Some(PATIENCE));
    let levels = outplay_workbench::players(&session, &entry).levels;
    let level = args.level.as_deref().map_or(Ok(levels.strongest()), |level| levels.find(level))?;
    let mut sides = [args.first.clone(), args.second.clone().unwrap_or_else(|| level.player.clone())];
    if args.level.is_some() && args.second.is_some() {
        // The user plays second, so that the level is the first player's.
        sides[0].clone_from(&level.player);
    }
    let seats = [Seat::new(&sides[0]), Seat::new(&sides[1])];
    let mut play = PlaySession::new(session, entry, args.at.place(), seats, args.seed)?;
    check_players(&play)?;
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if terminal && !args.plain && !common.json {
        full_screen(&mut play, args.values).map_err(output_error)?;
    } else {
        let mut input = BufReader::new(io::stdin().lock());
        // An interactive game shows no progress bar between its lines.
        let result = prompt(&mut play, &mut input, run.out, !common.json, progress);
        result.map_err(|error| match error {
            PromptError::Trouble(trouble) => Failure::Trouble(trouble),
            PromptError::Io(error) => Failure::Output(error),
        })?;
    }
    if common.json {
        let view = play.view();
        let end = serde_json::json!({
            "game": view.game, "position": view.position, "moves": play.moves(), "to_move": view.to_move,
            "outcome": view.outcome, "first": sides[0], "second": sides[1], "counters": play.counters(),
        });
        writeln!(run.out, "{end}").map_err(output_error)?;
    }
    Ok(KNOWN)
}

/// Refuses players that cannot play the game, and engines that do not start, before the screen is opened.
fn check_players(play: &PlaySession) -> Result<(), Trouble> {
    for seat in play.seats() {
        if let Seat::Player(spec) = seat {
            outplay_workbench::start_player(play.session(), play.entry(), spec)?;
        }
    }
    Ok(())
}
