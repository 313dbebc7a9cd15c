//! Review of a game: its moves, its result and its turning point, in sentences.
//!
//! The turning point is the last mistake that decided the result. Positions are evaluated from the last to the first
//! within a time limit; a position whose value is not found in time is reported as unknown.

use crate::play_session::{PlaySession, Seat};
use crate::sight::{best, move_list, shown, words};
use outplay_core::{Game, Notation, Payoff, Turn, Verdict};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_teach::Mistake;
use outplay_workbench::{Answer, PositionRef, Trouble};
use std::time::Duration;

/// Time limit of a review: the user has asked to leave.
const REVIEW: Duration = Duration::from_secs(3);

/// Describes a game for the ordinary screen, below the picture of its last position.
pub fn summary(session: &PlaySession, known: Option<&str>) -> String {
    let game = session.view().game.as_str();
    let [(first, one), (second, other)] = session.names();
    let mut lines = vec![format!("{game}: {first} ({one}) against {second} ({other})"), session.status()];
    if session.mover().is_some() {
        lines[1] = format!("The game is not finished. {}", lines[1]);
    }
    match move_list(session, true).as_slice() {
        [one] => lines.push(format!("Moves: {one}")),
        turns => {
            lines.push("Moves, with rolls in parentheses:".into());
            lines.extend(turns.iter().map(|turn| format!("  {turn}")));
        }
    }
    match known {
        Some(known) => lines.push(known.into()),
        // An error about values is reported with the exit code of the next command that needs them.
        None => lines.extend(review(session, &NoMonitor).ok()),
    }
    let at = match session.place() {
        PositionRef::Moves(moves) => format!("--moves {}", moves.replace(' ', ",")),
        PositionRef::MovesFrom { position, moves } => {
            format!("--position '{position}' --moves {}", moves.replace(' ', ","))
        }
        _ => String::new(),
    };
    lines.push(format!("Every value: outplay history {game} {at}"));
    if session.entry().game().has_dice() || session.seats().iter().any(|seat| *seat != Seat::Human) {
        lines.push(format!("Seed: {0} (--seed {0} repeats all random choices)", session.seed));
    }
    lines.join("\n")
}

/// Finds the turning point of the game so far.
///
/// # Errors
///
/// A damaged table, or a stop.
pub(crate) fn review(session: &PlaySession, monitor: &dyn Monitor) -> Result<String, Trouble> {
    let mut limited = session.session().clone();
    limited.time = Some(REVIEW);
    let (entry, place) = (session.entry(), session.place());
    let history = outplay_teach::history(&limited, entry, &place, monitor, &mut |_| {})?;
    let steps = &history.plies[history.plies.len() - session.moves().len() - 1..];
    let answers: Vec<&Answer> = steps.iter().map(|step| &step.answer).collect();
    let mut sentences = Vec::new();
    let outcome = session.view().outcome;
    if let (None, Some(last)) = (outcome, answers.last()) {
        let side = session.names()[usize::from(session.view().to_move == Turn::Second)].0;
        let of = match last.verdict() {
            Some(Verdict::Win | Verdict::Loss) => format!(" for {side}"),
            _ => String::new(),
        };
        sentences.push(format!("The value of the last position: {}{of}.", words(last)));
    }
    let unknown = answers.iter().filter(|answer| !answer.is_known()).count();
    let turning = outplay_teach::turning_point(steps, outcome, entry.game().has_dice());
    // The step after a move has the number of moves before it, one higher.
    let turning = turning.and_then(|at| Some((at - 1, steps[at].mistake.as_ref()?)));
    sentences.push(match turning {
        Some((at, mistake)) => {
            let before = session.place_after(&session.moves()[..at]);
            let answer = outplay_workbench::query(&limited, entry, &before, monitor)?;
            let better = best(&answer).map(|mv| shown(mv).to_string());
            let as_known = if unknown > 0 { ", as far as the values are known" } else { "" };
            mistake_words(session, at, mistake, better.as_deref()) + as_known + "."
        }
        None if unknown > 0 => {
            let all = answers.len();
            format!(
                "The turning point is unknown: {unknown} of the game's {all} positions have no known value."
            )
        }
        None => no_mistake(session, outcome),
    });
    Ok(sentences.join(" "))
}

/// Describes a mistake, without the full stop.
fn mistake_words(session: &PlaySession, at: usize, mistake: &Mistake, better: Option<&str>) -> String {
    let name = session.names()[usize::from(mistake.by == Turn::Second)].0;
    let (played, number) = (&session.moves()[at].shown, move_number(session, at));
    if !session.entry().game().has_dice() {
        let better = better.map(|better| format!("; {better} keeps it")).unwrap_or_default();
        return format!("{name} lost the {} at move {number}: {played}{better}", mistake.from);
    }
    let cost = match session.entry().game().best_payoff() {
        ..=1 => format!("{:.1} % of winning probability", 50.0 * mistake.loss),
        _ => format!("{:.3} points on average", mistake.loss),
    };
    let better = better.map(|better| format!("; {better} is better")).unwrap_or_default();
    format!("The costliest decision was {name}'s {played} in turn {number}: it cost {cost}{better}")
}

/// Describes a game without mistakes all of whose values are known.
fn no_mistake(session: &PlaySession, outcome: Option<Payoff>) -> String {
    let names = session.names();
    match outcome {
        _ if session.entry().game().has_dice() => "No decision of either side cost anything.".into(),
        None => "No move so far has changed the value of the game.".into(),
        Some(0) => "There was no turning point: neither side missed a win.".into(),
        Some(payoff) => {
            let winner = names[usize::from(payoff < 0)].0;
            format!("There was no turning point: {winner} had a won game from the start.")
        }
    }
}

/// Returns the number of a move: of the turn in games with dice, of both sides' moves in chess, else of the ply.
pub(crate) fn move_number(session: &PlaySession, at: usize) -> usize {
    let moves = session.moves();
    if moves.iter().any(|made| made.dice) {
        return 1 + moves[..=at].windows(2).filter(|pair| pair[0].by != pair[1].by).count();
    }
    match session.entry().game().mates() {
        true => (at + usize::from(moves[0].by == Turn::Second)) / 2 + 1,
        false => at + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_catalog::Catalog;
    use outplay_workbench::Session;

    fn played(spec: &str, moves: &str) -> PlaySession {
        let game = Catalog::standard().open(spec).unwrap();
        let humans = [Seat::Human, Seat::Human];
        let mut session = PlaySession::new(Session::default(), game, PositionRef::Start, humans, 1).unwrap();
        session.play(moves).unwrap();
        session
    }

    #[test]
    fn turning_points() {
        let check = |spec, moves, words: &str| {
            let review = review(&played(spec, moves), &NoMonitor).unwrap();
            assert!(review.contains(words), "{spec} {moves}: {review}");
        };
        check("tictactoe", "b2 b1 a1 c3 a2 c2 a3", "Second lost the draw at move 2: b1; ");
        check(
            "tictactoe",
            "b2 a1 c3 c1 b1 b3 a3 a2 c2",
            "There was no turning point: neither side missed a win.",
        );
        check(
            "tictactoe",
            "b2 a1",
            "The value of the last position: draw. No move so far has changed the value",
        );
        check(
            "tictactoe",
            "b2 b1",
            "The value of the last position: win in 3 moves for First. Second lost the draw",
        );
        check("nim:1+2", "2-1 1-1 1-1", "First lost the win at move 1: 2-1; 2-2 keeps it.");
        check("pig:5", "roll 2 hold roll 3 roll 1 roll 3", "decision");
        check("mnk:15x15,k=5", "h8 h9", "The turning point is unknown: 3 of the game's 3 positions");
    }

    #[test]
    fn turns_of_dice_games_are_numbered() {
        let session = played("pig:20", "roll 2 hold roll 1 roll 3");
        assert_eq!(
            move_list(&session, true),
            [" 1. First  roll (2) hold", " 2. Second roll (1)", " 3. First  roll (3)"]
        );
        let text = summary(&session, Some("The review."));
        assert!(text.contains("The game is not finished.") && text.contains("The review."), "{text}");
        assert!(text.contains("--moves roll,2,hold,roll,1,roll,3\nSeed: 1 "), "{text}");
    }
}
