//! Explicit enumeration of a small game as a tuple (S, I, Succs, T, V): positions, start, successors, terminal
//! positions and their payoffs.

use outplay_core::{AnyPosition, Chance, Game, Notation, Turn};
use outplay_runtime::Monitor;
use outplay_solve::{ExploredGame, SolveError};
use outplay_workbench::{GameHandle, PositionRef, Trouble};
use serde::Serialize;

/// A game written out as a tuple (S, I, Succs, T, V).
#[derive(Clone, Debug, Serialize)]
pub struct WrittenOut {
    /// The canonical spec.
    pub game: String,
    /// S: every position.
    pub positions: Vec<String>,
    /// I: the start.
    pub start: String,
    /// Succs: each position that is not finished, with its successors.
    pub successors: Vec<(String, Vec<String>)>,
    /// The probability of each successor, for each chance node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probabilities: Vec<(String, Vec<(String, f64)>)>,
    /// T and V: the finished positions and the first player's payoff there.
    pub terminals: Vec<(String, i32)>,
}

/// Enumerates the game as (S, I, Succs, T, V), if it has at most `most` positions.
///
/// # Errors
///
/// Bad input, a larger game, or a stop.
pub fn write_out(
    handle: &GameHandle,
    place: &PositionRef,
    most: u64,
    watch: &dyn Monitor,
) -> Result<WrittenOut, Trouble> {
    let game = handle.game();
    let start = handle.locate(place)?;
    let listed = game.textbook_positions().filter(|listed| listed.len() as u64 <= most);
    let positions = match listed {
        Some(listed) => listed,
        None => match ExploredGame::new(game, &start, most, watch) {
            Ok(explored) => explored.positions().to_vec(),
            Err(SolveError::TooLarge(most)) => {
                let why = format!("{} has more than {most} positions, too many to write out", game.spec());
                return Err(Trouble::unable(why + "; choose a smaller game, such as `nim:2+2`"));
            }
            Err(error) => return Err(error.into()),
        },
    };
    let name = |pos: &AnyPosition| game.textbook(pos);
    let place_of = |pos: &AnyPosition| positions.iter().position(|known| known == pos);
    let (mut successors, mut terminals, mut probabilities) = (Vec::new(), Vec::new(), Vec::new());
    for pos in &positions {
        if let Some(payoff) = game.outcome(pos) {
            terminals.push((name(pos), payoff));
            continue;
        }
        let mut next: Vec<AnyPosition> = game.list(pos).map(|mv| game.play(pos, mv)).collect();
        next.sort_by_key(&place_of);
        next.dedup();
        if game.turn(pos) == Turn::Chance {
            let odds = odds(handle, pos);
            let likely = |next: &AnyPosition| {
                odds.iter().filter(|(known, _)| known == next).map(|(_, odds)| odds).sum::<f64>()
            };
            probabilities.push((name(pos), next.iter().map(|next| (name(next), likely(next))).collect()));
        }
        successors.push((name(pos), next.iter().map(name).collect()));
    }
    Ok(WrittenOut {
        game: game.spec(),
        positions: positions.iter().map(name).collect(),
        start: name(&start),
        successors,
        probabilities,
        terminals,
    })
}

/// The chance outcomes of a position with their probabilities.
fn odds(handle: &GameHandle, pos: &AnyPosition) -> Vec<(AnyPosition, f64)> {
    let mut falls = Vec::new();
    handle.game().outcomes(pos, &mut falls);
    falls.into_iter().map(|(mv, odds)| (handle.game().play(pos, mv), odds)).collect()
}
