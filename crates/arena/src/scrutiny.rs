//! Move accuracy: the share of a player's moves in a game that preserve the exact value of the position.

use crate::ArenaError;
use outplay_core::{AnyMove, AnyPosition, Content, Game, Turn};
use outplay_players::PlayerContext;
use outplay_runtime::Monitor;
use serde::{Deserialize, Serialize};

/// Counts of moves, and of those that preserved the exact value of their position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PreservedMoves {
    /// Examined moves.
    pub moves: u64,
    /// Value-preserving moves.
    pub kept: u64,
}

impl PreservedMoves {
    /// Counts a move.
    pub fn add(&mut self, kept: bool) {
        self.moves += 1;
        self.kept += u64::from(kept);
    }

    /// Adds other moves.
    pub fn join(&mut self, other: &PreservedMoves) {
        self.moves += other.moves;
        self.kept += other.kept;
    }

    /// The share of value-preserving moves; `None` without moves.
    pub fn share(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.kept as f64 / self.moves as f64)
    }
}

/// Move accuracy of one player in one game, by exact values.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Scrutiny {
    /// All moves whose value is known.
    pub all: PreservedMoves,
    /// Moves at positions where some move loses value.
    pub choices: PreservedMoves,
    /// Those of them at quiet positions, on k-in-a-row boards.
    pub quiet: PreservedMoves,
    /// The ply (from 1) of the first error.
    pub first_error: Option<u32>,
    /// The plies of all errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<u32>,
}

/// Whether a position is quiet: neither side could win with its next stone. `None` for games other than k in a row.
pub fn quiet(kit: &PlayerContext, pos: &AnyPosition) -> Option<bool> {
    let board = kit.game.board(pos)?;
    let wins = |cell: usize| board.completes(cell, Content::First) || board.completes(cell, Content::Second);
    Some(!board.open_cells().into_iter().any(wins))
}

/// Compares the moves from index `from` with exact values, for the first and the second player. Positions without
/// exact values are skipped.
///
/// # Errors
///
/// An oracle that fails, or a stop.
pub fn scrutinise(
    kit: &PlayerContext,
    start: &AnyPosition,
    moves: &[AnyMove],
    from: usize,
    monitor: &dyn Monitor,
) -> Result<Option<[Scrutiny; 2]>, ArenaError> {
    let Some(truth) = &kit.truth else { return Ok(None) };
    let mut found = <[Scrutiny; 2]>::default();
    let mut pos = start.clone();
    for (ply, &mv) in moves.iter().enumerate() {
        let seat = match kit.game.turn(&pos) {
            Turn::First => Some(0),
            Turn::Second => Some(1),
            Turn::Chance => None,
        };
        if let Some(seat) = seat.filter(|_| ply >= from)
            && let Some(merits) = truth.moves(&pos, monitor)?
            && let Some(best) = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))
            && let Some((_, merit)) = merits.iter().find(|(other, _)| *other == mv)
        {
            let kept = merit.preserves(best);
            let scrutiny = &mut found[seat];
            scrutiny.all.add(kept);
            if !merits.iter().all(|(_, merit)| merit.preserves(best)) {
                scrutiny.choices.add(kept);
                if quiet(kit, &pos) == Some(true) {
                    scrutiny.quiet.add(kept);
                }
            }
            if !kept {
                scrutiny.first_error.get_or_insert(ply as u32 + 1);
                scrutiny.errors.push(ply as u32 + 1);
            }
        }
        pos = kit.game.play(&pos, mv);
    }
    Ok(Some(found))
}
