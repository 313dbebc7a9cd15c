//! `outplay play`: plays a game, full screen on a terminal and line by line otherwise.

use crate::args::{PlayArgs, PlaySide};
use crate::commands::{Failure, KNOWN, Run, output_error};
use crate::output;
use outplay_players::Levels;
use outplay_tui::{ColourDepth, PlaySession, PromptError, Seat, full_screen, prompt};
use outplay_workbench::Trouble;
use std::io::{self, BufReader, IsTerminal, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Default time limit of a player's move and of a search for values.
const PATIENCE: Duration = Duration::from_secs(10);

/// Plays a game.
pub(crate) fn play(run: &mut Run<'_, impl Write>, args: &PlayArgs) -> Result<u8, Failure> {
    let mut session = run.query_session(&args.effort);
    let entry = run.open_at(&args.game, &args.at)?;
    let (common, progress) = (run.common, run.progress);
    session.time = session.time.or(Some(PATIENCE));
    let seats = seats(args, &outplay_workbench::players(&session, &entry).levels)?;
    let [first, second] = seats.each_ref().map(|seat| match seat {
        Seat::Human => "human".to_string(),
        Seat::Player(spec) => spec.clone(),
    });
    let mut play =
        PlaySession::new(session, entry, args.at.place(), seats, args.seed.unwrap_or_else(rand_seed))?;
    if let Ok(family) = run.catalog.family(&args.game) {
        play.rules = family.rules().into();
    }
    check_players(&play)?;
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if terminal && !args.plain && !common.json {
        let colours = ColourDepth::of_environment(|name| std::env::var(name).ok());
        let review = full_screen(&mut play, args.values, colours).map_err(output_error)?;
        summarise(run, &play, review.as_deref())?;
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
        let moves: Vec<&str> = play.moves().iter().map(|made| made.mv.as_str()).collect();
        let end = serde_json::json!({
            "game": view.game, "position": view.position, "moves": moves, "to_move": view.to_move,
            "outcome": view.outcome, "first": first, "second": second, "counters": play.counters(),
        });
        writeln!(run.out, "{end}").map_err(output_error)?;
    }
    Ok(KNOWN)
}

/// Prints the last position and the summary of a game on the ordinary screen; nothing if no move was made.
fn summarise(run: &mut Run<'_, impl Write>, play: &PlaySession, review: Option<&str>) -> Result<(), Failure> {
    if play.moves().is_empty() {
        return Ok(());
    }
    let picture = outplay_workbench::draw(play.entry(), &play.place(), None)?;
    let summary = outplay_tui::summary(play, review);
    run.print(&summary, |out, summary| {
        output::picture(out, &picture)?;
        writeln!(out, "\n{summary}")
    })?;
    Ok(())
}

/// The controllers of the sides, as the options have them: by default the user against the middle level.
fn seats(args: &PlayArgs, levels: &Levels) -> Result<[Seat; 2], Failure> {
    let named = |spec: &Option<String>| spec.as_deref().is_some_and(|spec| Seat::new(spec) != Seat::Human);
    if args.level.is_some() && named(&args.second) {
        return Err(Trouble::unable(
            "`--level` and `--second` both name the opponent; leave out one of them, or write `--first` for the player",
        )
        .into());
    }
    let level = match &args.level {
        Some(level) => levels.find(level)?,
        None => levels.iter().nth(levels.iter().count() / 2).unwrap_or(levels.strongest()),
    };
    let seat = |spec: &Option<String>| spec.as_deref().map(Seat::new);
    let opponent = Seat::Player(level.player.clone());
    Ok(match (args.side, seat(&args.first), seat(&args.second)) {
        (Some(PlaySide::Second), ..) => [opponent, Seat::Human],
        // A level with a human second is the first player's.
        (_, None, Some(Seat::Human)) if args.level.is_some() => [opponent, Seat::Human],
        (_, first, second) => [first.unwrap_or(Seat::Human), second.unwrap_or(opponent)],
    })
}

/// A seed that differs from run to run.
fn rand_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed.
    (now.as_nanos() as u64 / 1000) % 1_000_000
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
