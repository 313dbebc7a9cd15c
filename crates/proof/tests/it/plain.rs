//! Plain minimax and random boards, as oracles.

use outplay_core::{Content, LineBoard, Turn, Verdict};
use rand::RngExt;
use rand::rngs::StdRng;
use std::collections::HashMap;

fn stone(player: Turn) -> Content {
    if player == Turn::First { Content::First } else { Content::Second }
}

/// Returns the value of a board by plain minimax.
pub(crate) fn minimax(board: &LineBoard) -> Verdict {
    let mover = stone(board.turn);
    let lines = board.lines();
    if lines.iter().any(|line| line.iter().all(|&cell| board.cells[cell] == mover)) {
        return Verdict::Win;
    }
    value(&mut board.clone(), &lines, &mut HashMap::new())
}

/// Minimax with memoisation, by the rules alone.
fn value(board: &mut LineBoard, lines: &[Vec<usize>], known: &mut HashMap<Vec<Content>, Verdict>) -> Verdict {
    let other = stone(board.turn.other());
    if lines.iter().any(|line| line.iter().all(|&cell| board.cells[cell] == other)) {
        return Verdict::Loss;
    }
    if let Some(&verdict) = known.get(&board.cells) {
        return verdict;
    }
    let mut best = None;
    for cell in board.open_cells() {
        board.cells[cell] = stone(board.turn);
        board.turn = board.turn.other();
        let after = value(board, lines, known).flipped();
        board.turn = board.turn.other();
        board.cells[cell] = Content::Empty;
        best = best.max(Some(after));
        if best == Some(Verdict::Win) {
            break;
        }
    }
    let verdict = best.unwrap_or(Verdict::Draw);
    known.insert(board.cells.clone(), verdict);
    verdict
}

/// Creates a board with at most `most` empty cells and no line on it.
pub(crate) fn random_board(rng: &mut StdRng, most: usize) -> LineBoard {
    loop {
        let (width, height) = (rng.random_range(1..=6), rng.random_range(1..=5));
        let k = rng.random_range(2..=5);
        let mut board = LineBoard::empty(width, height, k);
        let (obstacles, stones) = (rng.random_range(0..=20), rng.random_range(0..=60));
        for cell in &mut board.cells {
            let roll = rng.random_range(0..100);
            if roll < obstacles {
                *cell = Content::Blocked;
            } else if roll < obstacles + stones {
                *cell = if rng.random_bool(0.5) { Content::First } else { Content::Second };
            }
        }
        board.turn = if rng.random_bool(0.5) { Turn::First } else { Turn::Second };
        let over = board.has_line(Content::First) || board.has_line(Content::Second);
        if board.open_cells().len() <= most && !over {
            return board;
        }
    }
}
