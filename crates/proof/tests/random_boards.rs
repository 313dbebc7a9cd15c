//! Random small boards: the value equals plain minimax, and every proof passes the checker.

use outplay_core::{Content, LineBoard, Quiet, Turn, Verdict};
use outplay_proof::{Limits, prove};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

fn stone(player: Turn) -> Content {
    if player == Turn::First { Content::First } else { Content::Second }
}

/// Plain minimax with a memory, by the rules alone.
fn minimax(
    board: &mut LineBoard,
    lines: &[Vec<usize>],
    known: &mut HashMap<Vec<Content>, Verdict>,
) -> Verdict {
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
        let value = minimax(board, lines, known).flipped();
        board.turn = board.turn.other();
        board.cells[cell] = Content::Empty;
        best = best.max(Some(value));
        if best == Some(Verdict::Win) {
            break;
        }
    }
    let verdict = best.unwrap_or(Verdict::Draw);
    known.insert(board.cells.clone(), verdict);
    verdict
}

/// A board with at most `most` empty cells and no line on it.
fn random_board(rng: &mut StdRng, most: usize) -> LineBoard {
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

fn compare(seed: u64, boards: usize, most: usize) -> [usize; 3] {
    let mut rng = StdRng::seed_from_u64(seed);
    let limits = Limits { proof: true, ..Limits::default() };
    let mut seen = [0; 3];
    for _ in 0..boards {
        let mut board = random_board(&mut rng, most);
        let lines = board.lines();
        let expected = minimax(&mut board, &lines, &mut HashMap::new());
        let answer = prove(&board, &limits, &Quiet).expect("an ordinary board");
        assert_eq!(answer.verdict(), Some(expected), "{board:?}");
        let proof = answer.proof.expect("a proof was asked for").to_string();
        let claim = outplay_check::check(&proof).unwrap_or_else(|error| panic!("{error}\n{proof}"));
        assert_eq!(claim.verdict, expected);
        assert_eq!(claim.board, board);
        seen[expected as usize] += 1;
    }
    seen
}

#[test]
fn values_equal_minimax_and_proofs_pass() {
    let seen = compare(1, 4000, 9);
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

#[test]
fn values_equal_minimax_on_wider_boards() {
    let seen = compare(2, 300, 12);
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}

#[test]
#[ignore = "minutes"]
fn values_equal_minimax_on_many_boards() {
    compare(3, 20_000, 12);
}
