//! Every answer equals plain minimax on small boards.

use outplay_connect::{Depth, Limits, Solver};
use outplay_core::{Content, LineBoard, Quiet, Turn};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

/// The plain rules, one position at a time.
struct Plain {
    lines: Vec<Vec<usize>>,
    known: HashMap<Vec<Content>, i32>,
}

impl Plain {
    fn new(board: &LineBoard) -> Plain {
        Plain { lines: board.lines(), known: HashMap::new() }
    }

    /// The score for the player to move.
    fn score(&mut self, board: &mut LineBoard) -> i32 {
        if let Some(&score) = self.known.get(&board.cells) {
            return score;
        }
        let left = (board.playable_cells() - self.stones(board)) as i32;
        let last = if board.turn == Turn::First { Content::Second } else { Content::First };
        let next = if board.turn == Turn::First { Content::First } else { Content::Second };
        let finished = self.lines.iter().any(|line| line.iter().all(|&cell| board.cells[cell] == last));
        let score = if finished {
            -(left / 2 + 1)
        } else {
            let mut best = if left == 0 { 0 } else { i32::MIN };
            for cell in board.open_cells() {
                board.cells[cell] = next;
                board.turn = board.turn.other();
                best = best.max(-self.score(board));
                board.turn = board.turn.other();
                board.cells[cell] = Content::Empty;
            }
            best
        };
        self.known.insert(board.cells.clone(), score);
        score
    }

    fn stones(&self, board: &LineBoard) -> usize {
        (0..board.cells.len())
            .filter(|&c| board.playable(c) && matches!(board.cells[c], Content::First | Content::Second))
            .count()
    }
}

/// A board of at most `most` free cells with obstacles, presets and any player to move.
fn random_board(random: &mut StdRng, most: usize) -> LineBoard {
    loop {
        let (width, height) = (random.random_range(1..=7), random.random_range(1..=7));
        let mut board = LineBoard::empty(width, height, random.random_range(1..=5));
        board.gravity = true;
        if random.random_bool(0.5) {
            board.k = board.k.max(3);
        }
        for cell in 0..board.cells.len() {
            if random.random_bool(0.06) {
                board.cells[cell] = Content::Blocked;
            }
        }
        let stones = random.random_range(0..=width * height);
        for turn in 0..stones {
            let open = board.open_cells();
            if open.is_empty() {
                break;
            }
            let cell = open[random.random_range(0..open.len())];
            board.cells[cell] = if turn % 2 == 0 { Content::First } else { Content::Second };
            if random.random_bool(0.02) {
                board.cells[cell] = Content::First;
            }
        }
        if random.random_bool(0.5) {
            board.turn = Turn::Second;
        }
        let mover = if board.turn == Turn::First { Content::First } else { Content::Second };
        if board.open_cells().is_empty() || board.has_line(mover) {
            continue;
        }
        if board.has_line(Content::First) && board.has_line(Content::Second) {
            continue;
        }
        let free =
            (0..board.cells.len()).filter(|&c| board.playable(c) && board.cells[c] == Content::Empty).count();
        if free <= most {
            return board;
        }
    }
}

fn check_random(seed: u64, boards: usize, most: usize) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut solver = Solver::new(1 << 10);
    for _ in 0..boards {
        let mut board = random_board(&mut random, most);
        let expected = Plain::new(&board).score(&mut board);
        let answer = solver.solve(&board, Depth::Score, Limits::default(), &Quiet, 1).unwrap();
        assert_eq!(answer.score(), Some(expected), "{board:?}");
        let weak = solver.solve(&board, Depth::Verdict, Limits::default(), &Quiet, 1).unwrap();
        assert_eq!(weak.verdict(), Some(expected.signum()), "{board:?}");
    }
}

#[test]
fn random_small_boards() {
    check_random(1, 4000, 12);
}

#[test]
#[ignore = "a minute"]
fn random_medium_boards() {
    check_random(2, 100_000, 12);
    check_random(3, 3000, 16);
}
