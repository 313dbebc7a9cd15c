//! Helper functions on line boards with gravity: playable columns, and the board after a move.

use outplay_core::{Content, LineBoard, Turn};

/// Number of bits of the bitboard: the cells and a sentinel bit on top of each column.
pub(crate) fn key_bits(board: &LineBoard) -> u32 {
    (board.width * (board.height + 1)) as u32
}

/// Returns the board without its stones; obstacles stay.
pub(crate) fn without_stones(board: &LineBoard) -> LineBoard {
    let content = |cell| if board.playable(cell) { Content::Empty } else { Content::Blocked };
    let cells = (0..board.cells.len()).map(content).collect();
    LineBoard { cells, turn: Turn::First, ..board.clone() }
}

/// Returns the playable columns; none if the game is over.
pub(crate) fn columns(board: &LineBoard) -> Vec<usize> {
    if board.has_line(Content::First) || board.has_line(Content::Second) {
        return Vec::new();
    }
    board.open_cells().into_iter().map(|cell| cell / board.height).collect()
}

/// Returns the board after a move into a column that is not full.
pub(crate) fn after(board: &LineBoard, column: usize) -> LineBoard {
    let mut next = board.clone();
    let open = board.open_cells().into_iter().find(|cell| cell / board.height == column);
    let cell = open.expect("the column is not full");
    next.cells[cell] = if board.turn == Turn::First { Content::First } else { Content::Second };
    next.turn = board.turn.other();
    next
}
