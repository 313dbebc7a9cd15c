//! Advice for the user: a hint, and the reasons for a position's value, in the notation of the game's players.

use crate::play_session::PlaySession;
use crate::sight::{best, opinion, shown, words};
use outplay_core::{AnyPosition, Game, Notation};
use outplay_runtime::Monitor;
use outplay_workbench::{ChoiceAnswer, Trouble};
use std::time::Duration;

/// Time limit of a search for a proven move where none is expected.
const PROOF: Duration = Duration::from_secs(1);

/// Suggests a move: the best one, or the opinion of the strongest searching level where exact values are out of reach.
///
/// # Errors
///
/// A damaged table, or a stop.
pub(crate) fn hint(session: &PlaySession, monitor: &dyn Monitor) -> Result<String, Trouble> {
    if session.view().scene.moves.is_empty() {
        return Ok("there are no legal moves".into());
    }
    let (entry, place) = (session.entry(), session.place());
    let answer = if outplay_workbench::is_tractable(session.session(), entry, &place)? {
        outplay_workbench::query(session.session(), entry, &place, monitor)?
    } else {
        // A proof comes before an opinion, even where it is not expected.
        let mut limited = session.session().clone();
        limited.time = Some(limited.time.map_or(PROOF, |time| time.min(PROOF)));
        outplay_workbench::query_best(&limited, entry, &place, monitor)?
    };
    if let Some(mv) = best(&answer) {
        return Ok(format!("hint: {} ({})", shown(mv), words(&mv.answer)));
    }
    let Some(level) = session.levels().iter().rev().find(|level| level.player != "perfect") else {
        return Ok("hint: the values of these moves are unknown".into());
    };
    let choice = choose(session, &level.player, monitor)?;
    let pos = entry.locate(&place)?;
    let mv = entry.game().read_move(&pos, &choice.mv)?;
    let text = entry.game().spoken(&pos, mv).unwrap_or(choice.mv.clone());
    let by = format!("level {}, {}", level.number, level.name);
    Ok(format!("hint: {text}{}, an opinion of {by}; the exact value is unknown", opinion(&choice)))
}

/// Explains the value of the position.
///
/// # Errors
///
/// A damaged table, or a stop.
pub(crate) fn why(session: &PlaySession, monitor: &dyn Monitor) -> Result<Vec<String>, Trouble> {
    let (game, place) = (session.entry().game(), session.place());
    let reason = outplay_teach::why(session.session(), session.entry(), &place, monitor)?;
    let mut pos = session.entry().locate(&place)?;
    let mut moves = Vec::new();
    game.moves(&pos, &mut moves);
    let named = |pos: &AnyPosition, mv| Some((game.write_move(pos, mv), game.spoken(pos, mv)?));
    let mut names: Vec<(String, String)> = moves.into_iter().filter_map(|mv| named(&pos, mv)).collect();
    let mut line = Vec::new();
    for step in &reason.line {
        let Ok(mv) = game.read_move(&pos, &step.mv) else { break };
        let text = named(&pos, mv);
        line.push(text.as_ref().map_or(step.mv.clone(), |(_, spoken)| spoken.clone()));
        names.extend(text);
        pos = game.play(&pos, mv);
    }
    let mut lines = vec![renamed(&reason.sentence, &names)];
    if !line.is_empty() {
        lines.push(format!("Best play: {}", line.join(" ")));
    }
    Ok(lines)
}

/// Replaces whole words, each by the first of its names.
fn renamed(text: &str, names: &[(String, String)]) -> String {
    let word = |word: &str| names.iter().find(|(known, _)| known == word).map(|(_, name)| name.clone());
    let mut out = String::new();
    for part in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let bare = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        match word(bare) {
            Some(name) => out += &(name + &part[bare.len()..]),
            None => out += part,
        }
    }
    out
}

/// Lets a player or the dice choose a move.
///
/// # Errors
///
/// A player that cannot play here, or a stop.
pub(crate) fn choose(
    session: &PlaySession,
    player: &str,
    monitor: &dyn Monitor,
) -> Result<ChoiceAnswer, Trouble> {
    outplay_workbench::choose(session.session(), session.entry(), &session.request(player), monitor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play_session::Seat;
    use outplay_catalog::Catalog;
    use outplay_runtime::NoMonitor;
    use outplay_workbench::{PositionRef, Session};

    #[test]
    fn hints_prefer_a_proof_to_an_opinion() {
        let check = |spec: &str, words: &str| {
            let game = Catalog::standard().open(spec).unwrap();
            let humans = [Seat::Human, Seat::Human];
            let session = PlaySession::new(Session::default(), game, PositionRef::Start, humans, 1).unwrap();
            let hint = hint(&session, &NoMonitor).unwrap();
            assert!(hint.contains(words), "{spec}: {hint}");
        };
        // No exact values are expected on 36 cells, but the proof search finds a win.
        check("mnk:6x6,k=4", "(win");
        check("mnk:15x15,k=5", "the exact value is unknown");
    }

    #[test]
    fn whole_words_are_renamed() {
        let names = [("e4d5".to_string(), "Kxd5".to_string()), ("e2".into(), "?".into())];
        let check = |text, wanted: &str| assert_eq!(renamed(text, &names), wanted);
        check("e4d5 is the only move that wins; e4d5.", "Kxd5 is the only move that wins; Kxd5.");
        check("e4d5x e4, be4d5", "e4d5x e4, be4d5");
        check("", "");
    }
}
