//! Validation of recorded games by replay.
//!
//! Invariant: a recorded game that passes begins with its opening, contains only legal moves, and ended by its rules or
//! by the limits of the match. Time overruns, crashes and illegal moves are not visible in the moves of the record; for
//! games decided by such a fault, the replay checks that the loser was the player to move.

use crate::contest::Bout;
use crate::opening::Opening;
use crate::record::GameRecord;
use crate::referee::{End, House};
use outplay_core::{AnyPosition, Game, Notation, Turn};
use outplay_players::PlayerContext;
use rustc_hash::FxHashMap;

/// Replays a recorded game; the error describes what does not follow from its moves.
pub(crate) fn replay(
    kit: &PlayerContext,
    start: &AnyPosition,
    opening: &Opening,
    bout: &Bout,
    house: &House,
    record: &GameRecord,
) -> Result<(), String> {
    let game = &kit.game;
    if (record.opening, record.first, record.second) != (bout.opening as u64, bout.first, bout.second) {
        return Err("it has other players or another opening".into());
    }
    let words = game.split_moves(&record.moves);
    if record.opening_moves != opening.moves.len() || words.len() < opening.moves.len() {
        return Err("it does not start with its opening".into());
    }
    let mut pos = start.clone();
    let mut seen: FxHashMap<AnyPosition, u32> = FxHashMap::default();
    for (ply, word) in words.iter().enumerate() {
        let mv = game.read_move(&pos, word).map_err(|error| format!("move {}: {error}", ply + 1))?;
        match opening.moves.get(ply) {
            Some(expected) if *expected != mv => return Err("it does not start with its opening".into()),
            Some(_) => {}
            None if game.outcome(&pos).is_some() => {
                return Err("it has moves after the end of the game".into());
            }
            None => *seen.entry(pos.clone()).or_default() += 1,
        }
        pos = game.play(&pos, mv);
    }
    let loses = if game.turn(&pos) == Turn::Second { 1 } else { -1 };
    let expected = match (record.end, game.outcome(&pos)) {
        (End::Rules, Some(payoff)) => payoff,
        (End::Rules, None) => return Err("the game is not over after its moves".into()),
        (_, Some(_)) => return Err("the game is over by the rules".into()),
        // The last position is its third occurrence.
        (End::Repetition, None) if seen.get(&pos).is_none_or(|&times| times < 2) => {
            return Err("no position occurred three times".into());
        }
        (End::Plies, None) if words.len() < house.plies as usize => {
            return Err("it is shorter than the limit on plies".into());
        }
        (End::Repetition | End::Plies, None) => 0,
        (End::Crash | End::Illegal | End::Time | End::Refusal, None) => loses,
    };
    match record.payoff == expected {
        true => Ok(()),
        false => Err(format!("it records payoff {}, but its moves lead to {expected}", record.payoff)),
    }
}
