//! Every answer equals plain minimax on small boards.

use outplay_connect::{Depth, Solver, SolverLimits};
use outplay_core::{Content, LineBoard, Turn};
use outplay_runtime::NoMonitor;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

/// Plain minimax on the rules, as an oracle.
struct Plain {
    lines: Vec<Vec<usize>>,
    known: HashMap<Vec<Content>, i32>,
}

impl Plain {
    fn new(board: &LineBoard) -> Plain {
        Plain { lines: board.lines(), known: HashMap::new() }
    }

    /// Returns the score for the player to move.
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

/// Creates a board of at most `most` free cells with obstacles, presets and either player to move.
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

/// Creates a board of more than 64 bits, most of it obstacles.
fn random_wide_board(random: &mut StdRng, most: usize) -> LineBoard {
    let height = random.random_range(5..=9);
    let width = random.random_range(64 / (height + 1) + 1..=128 / (height + 1));
    let mut board = LineBoard::empty(width, height, random.random_range(2..=4));
    board.gravity = true;
    let mut free = 0;
    for column in 0..width {
        let cells = random.random_range(0..=height).min(random.random_range(0..=3)).min(most - free);
        free += cells;
        if cells < height {
            let blocked = board.cell(column, height - 1 - cells);
            board.cells[blocked] = Content::Blocked;
        }
    }
    for turn in 0..random.random_range(0..=2) {
        let open = board.open_cells();
        if let Some(&cell) = open.get(turn) {
            board.cells[cell] = if turn == 0 { Content::First } else { Content::Second };
        }
    }
    board
}

fn check_random(seed: u64, boards: usize, make: impl Fn(&mut StdRng) -> LineBoard) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut solver = Solver::new(1 << 10);
    for round in 0..boards {
        let mut board = make(&mut random);
        let mut plain = Plain::new(&board);
        let expected = plain.score(&mut board);
        let mut solve = |depth, threads| {
            solver.solve(&board, depth, SolverLimits::default(), &NoMonitor, threads).unwrap()
        };
        let answer = solve(Depth::Score, 1 + round % 2);
        assert_eq!(answer.score(), Some(expected), "{board:?}");
        assert_eq!(solve(Depth::Verdict, 1).verdict(), Some(expected.signum()), "{board:?}");
        assert!(solve(Depth::AtLeast(expected), 1).low >= expected, "{board:?}");
        assert!(solve(Depth::AtLeast(expected + 1), 1).high <= expected, "{board:?}");
        if round % 16 == 0 {
            check_moves(&mut solver, &mut plain, board, expected);
        }
    }
}

/// Checks that every move has its minimax value, and that the principal variation is as long as the score
/// implies.
fn check_moves(solver: &mut Solver, plain: &mut Plain, board: LineBoard, expected: i32) {
    let finished = board.has_line(Content::First) || board.has_line(Content::Second);
    let line = solver.principal_variation(&board, SolverLimits::default(), &NoMonitor, 1).unwrap();
    let answer = solver.solve(&board, Depth::Score, SolverLimits::default(), &NoMonitor, 1).unwrap();
    assert_eq!(finished || answer.left == 0, answer.left == 0 || expected < -(answer.left as i32 / 2));
    let distance = answer.value().unwrap().distance().unwrap_or(answer.left);
    assert_eq!(line.len(), distance as usize, "{board:?}");
    if finished {
        return;
    }
    for cell in board.open_cells() {
        let mut next = board.after(cell);
        let answer = solver.solve(&next, Depth::Score, SolverLimits::default(), &NoMonitor, 1).unwrap();
        assert_eq!(answer.score(), Some(plain.score(&mut next)), "{board:?}");
    }
}

#[test]
fn random_small_boards() {
    check_random(1, 4000, |random| random_board(random, 12));
}

#[test]
fn random_wide_boards() {
    check_random(2, 500, |random| random_wide_board(random, 9));
}

#[test]
#[ignore = "two minutes"]
fn random_medium_boards() {
    check_random(3, 100_000, |random| random_board(random, 12));
    check_random(4, 3000, |random| random_board(random, 16));
    check_random(5, 5000, |random| random_wide_board(random, 11));
}
