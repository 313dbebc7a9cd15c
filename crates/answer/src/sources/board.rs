//! Boards of lines as solvers see them, and back from cells to moves.

use crate::entry::Entry;
use outplay_core::{AnyMove, AnyPosition, LineBoard};

/// Empty cells of a board that can still be played on.
pub(super) fn empty_cells(board: &LineBoard) -> usize {
    board.playable_cells() - board.stones()
}

/// The board of a position, if the connect-k solver knows its kind.
pub(super) fn falling(entry: &Entry, pos: &AnyPosition) -> Option<LineBoard> {
    entry.game().board(pos).filter(|board| outplay_connect::check(board).is_ok())
}

/// The board of a position, if the proof search knows its kind.
pub(super) fn provable(entry: &Entry, pos: &AnyPosition) -> Option<LineBoard> {
    let fits = |board: &LineBoard| board.cells.len() <= outplay_proof::MOST_CELLS;
    entry.game().board(pos).filter(|board| !board.gravity && !board.misere && fits(board))
}

/// The moves that put a stone on these cells: moves of boards come in the order of their cells.
pub(super) fn moves_to(board: &LineBoard, cells: &[usize]) -> Vec<AnyMove> {
    let open = board.open_cells();
    let place = |cell: &usize| open.iter().position(|known| known == cell);
    let mut moves: Vec<AnyMove> = cells.iter().filter_map(place).map(|at| AnyMove(at as u32)).collect();
    moves.sort_unstable();
    moves
}
