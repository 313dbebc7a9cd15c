//! Plies of a played game: which player each belongs to, and whether it is a chance event.
//!
//! ```text
//!  Pig      roll   4      roll   1      roll   …
//!  by       first  first  first  first  second
//!  chance          x             x                    x: by chance; a roll belongs to the player who rolls
//! ```

use outplay_core::{AnyPosition, Chance, Game, Notation, Turn};
use outplay_workbench::{GameHandle, PositionRef, Trouble};
use serde::Serialize;

/// A ply of a played game: the move, the player, and whether chance decided it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ply {
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The player who made it; of a roll, the player whose roll it was.
    pub by: Turn,
    /// Whether chance decided it.
    pub chance: bool,
    /// The words that follow the player's name in a report; empty for a move that is not worth one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// A position of a played game, with the ply that led to it.
#[derive(Clone, Debug)]
pub struct VisitedPosition {
    /// The position.
    pub pos: AnyPosition,
    /// Whose turn it is: the player to move or, at a roll, the player whose roll it is.
    pub turn_of: Turn,
    /// The ply that led here; none at the beginning.
    pub made: Option<Ply>,
}

/// Follows the moves of a place from where they begin; `visit` gets every position, the first one included.
///
/// # Errors
///
/// Bad input, before any position is visited.
pub fn follow(
    handle: &GameHandle,
    place: &PositionRef,
    visit: &mut dyn FnMut(VisitedPosition),
) -> Result<(), Trouble> {
    handle.locate(place)?;
    let game = handle.game();
    let (from, moves) = match place {
        PositionRef::Start | PositionRef::Position(_) | PositionRef::At(_) => (place.clone(), ""),
        PositionRef::Moves(moves) => (PositionRef::Start, moves.as_str()),
        PositionRef::MovesFrom { position, moves } => {
            (PositionRef::Position(position.clone()), moves.as_str())
        }
    };
    let mut pos = handle.locate(&from)?;
    let mut by = turn_of(handle, &pos, None);
    visit(VisitedPosition { pos: pos.clone(), turn_of: by, made: None });
    for word in game.split_moves(moves) {
        let mv = game.read_move(&pos, &word)?;
        let chance = game.turn(&pos) == Turn::Chance;
        let made = Ply { mv: game.write_move(&pos, mv), by, chance, said: game.said(&pos, mv) };
        pos = game.play(&pos, mv);
        by = turn_of(handle, &pos, Some(by));
        visit(VisitedPosition { pos: pos.clone(), turn_of: by, made: Some(made) });
    }
    Ok(())
}

/// The player whose turn a position is. Where a roll may hand the move to either player, it is the roll of the one who
/// moved last, and of the first player where no move was made.
fn turn_of(handle: &GameHandle, pos: &AnyPosition, last: Option<Turn>) -> Turn {
    match handle.game().turn(pos) {
        Turn::Chance => handle.game().roller(pos).or(last).unwrap_or(Turn::First),
        side => side,
    }
}
