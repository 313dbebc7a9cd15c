//! Conversion of positions to line boards, and of their cells back to moves, for the sources of the ladder.

use crate::GameHandle;
use outplay_core::{AnyMove, AnyPosition, LineBoard};

/// Number of playable empty cells of a board.
pub(super) fn empty_cells(board: &LineBoard) -> usize {
    board.playable_cells() - board.stones()
}

/// The board of a position, if the connect-k solver supports it.
pub(crate) fn falling(handle: &GameHandle, pos: &AnyPosition) -> Option<LineBoard> {
    handle.game().board(pos).filter(|board| outplay_connect::check(board).is_ok())
}

/// The board of a position, if the proof search supports it.
pub(super) fn provable(handle: &GameHandle, pos: &AnyPosition) -> Option<LineBoard> {
    let fits = |board: &LineBoard| board.cells.len() <= outplay_proof::MOST_CELLS;
    handle.game().board(pos).filter(|board| !board.gravity && !board.misere && fits(board))
}

/// The moves that put a stone on these cells: moves of boards are in the order of their cells.
pub(super) fn moves_to(board: &LineBoard, cells: &[usize]) -> Vec<AnyMove> {
    let open = board.open_cells();
    let place = |cell: &usize| open.iter().position(|known| known == cell);
    let mut moves: Vec<AnyMove> = cells.iter().filter_map(place).map(|at| AnyMove(at as u32)).collect();
    moves.sort_unstable();
    moves
}
