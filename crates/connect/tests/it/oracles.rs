//! Known scores: files of positions (where present) and boards of the literature.

use outplay_connect::{ConnectError, Depth, Solver, SolverLimits};
use outplay_core::{Content, LineBoard, Turn, Verdict};
use outplay_runtime::NoMonitor;
use std::path::PathBuf;
use std::time::Duration;

fn empty(width: usize, height: usize, k: usize) -> LineBoard {
    LineBoard { gravity: true, ..LineBoard::empty(width, height, k) }
}

fn after(mut board: LineBoard, moves: &str) -> LineBoard {
    for column in moves.bytes() {
        let column = usize::from(column - b'1');
        let cell = board.open_cells().into_iter().find(|cell| cell / board.height == column).unwrap();
        board.cells[cell] = if board.turn == Turn::First { Content::First } else { Content::Second };
        board.turn = board.turn.other();
    }
    board
}

fn solve(board: &LineBoard, entries: usize) -> outplay_connect::ScoreBounds {
    Solver::new(entries).solve(board, Depth::Score, SolverLimits::default(), &NoMonitor, 1).unwrap()
}

/// Compares the first lines of a file of positions, if it exists.
fn check_file(name: &str, limit: usize) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles/connect4").join(name);
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let mut solver = Solver::new(1 << 20);
    for line in text.lines().take(limit) {
        let (moves, score) = line.split_once(' ').unwrap();
        let board = after(empty(7, 6, 4), moves);
        let answer = solver.solve(&board, Depth::Score, SolverLimits::default(), &NoMonitor, 1).unwrap();
        assert_eq!(answer.score(), Some(score.parse().unwrap()), "{name}: {moves}");
    }
}

#[test]
fn positions_of_the_files() {
    check_file("Test_L3_R1.txt", 1000);
    check_file("Test_L2_R1.txt", 1000);
    check_file("Test_L2_R2.txt", 100);
    check_file("Test_L1_R1.txt", 100);
    check_file("Test_L1_R2.txt", 5);
}

#[test]
#[ignore = "minutes"]
fn all_positions_of_the_files() {
    for name in ["Test_L2_R2.txt", "Test_L1_R1.txt", "Test_L1_R2.txt"] {
        check_file(name, usize::MAX);
    }
}

/// Checks the verdict and the ply of the last move on an empty board.
fn check_value(width: usize, height: usize, verdict: Verdict, last_ply: u32) {
    let answer = solve(&empty(width, height, 4), 1 << 22);
    let value = answer.value().unwrap();
    assert_eq!(value.verdict(), verdict, "{width}x{height}");
    assert_eq!(value.distance().unwrap_or(answer.left), last_ply, "{width}x{height}");
}

#[test]
fn values_of_empty_boards() {
    use Verdict::{Draw, Loss};
    check_value(4, 4, Draw, 16);
    check_value(5, 4, Draw, 20);
    check_value(6, 4, Loss, 24);
    check_value(7, 4, Draw, 28);
    check_value(4, 5, Draw, 20);
    check_value(5, 5, Draw, 25);
    check_value(4, 6, Draw, 24);
    check_value(5, 6, Draw, 30);
    check_value(4, 7, Draw, 28);
    check_value(4, 8, Draw, 32);
}

#[test]
#[ignore = "minutes"]
fn values_of_larger_empty_boards() {
    use Verdict::{Draw, Loss, Win};
    check_value(6, 5, Draw, 30);
    check_value(8, 4, Loss, 32);
    check_value(9, 4, Loss, 36);
    check_value(10, 4, Loss, 40);
    check_value(7, 5, Draw, 35);
    check_value(8, 5, Win, 39);
    check_value(6, 6, Loss, 36);
    check_value(7, 6, Win, 41);
    check_value(5, 7, Draw, 35);
    check_value(6, 7, Win, 41);
    check_value(5, 8, Draw, 40);
}

#[test]
fn values_with_other_k() {
    let check = |w, h, k, verdict| {
        let value = solve(&empty(w, h, k), 1 << 16).value().unwrap();
        assert_eq!(value.verdict(), verdict, "{w}x{h},k={k}");
    };
    check(3, 3, 3, Verdict::Draw);
    check(3, 4, 3, Verdict::Draw);
    check(4, 3, 3, Verdict::Win);
    check(5, 3, 3, Verdict::Win);
    check(4, 4, 3, Verdict::Win);
    check(4, 4, 9, Verdict::Draw);
    check(2, 1, 1, Verdict::Win);
}

#[test]
fn rejected_boards_have_a_reason() {
    let check =
        |board: &LineBoard| Solver::new(1).solve(board, Depth::Score, SolverLimits::default(), &NoMonitor, 1);
    assert_eq!(check(&LineBoard::empty(7, 6, 4)), Err(ConnectError::NoGravity));
    assert_eq!(check(&LineBoard { misere: true, ..empty(7, 6, 4) }), Err(ConnectError::Misere));
    assert!(matches!(check(&empty(12, 12, 4)), Err(ConnectError::TooLarge { .. })));
    assert!(matches!(check(&empty(0, 6, 4)), Err(ConnectError::Malformed { .. })));
    let mut board = empty(7, 6, 4);
    board.cells[2] = Content::First;
    assert_eq!(check(&board), Err(ConnectError::Floating { column: 1, row: 3 }));
}

#[test]
fn a_stopped_search_gives_bounds_that_hold() {
    let board = empty(7, 6, 4);
    for threads in [1, 2] {
        let limits = SolverLimits { nodes: Some(50_000), time: None };
        let answer = Solver::new(1 << 16).solve(&board, Depth::Score, limits, &NoMonitor, threads).unwrap();
        assert!(answer.stopped && answer.low <= 1 && answer.high >= 1 && answer.nodes < 100_000);
        let limits = SolverLimits { nodes: None, time: Some(Duration::from_millis(20)) };
        let answer = Solver::new(1 << 16).solve(&board, Depth::Score, limits, &NoMonitor, threads).unwrap();
        assert!(answer.stopped && answer.low <= 1 && answer.high >= 1);
    }
}

#[test]
fn the_largest_boards_fit() {
    for (width, height) in [(16, 7), (8, 15), (2, 63), (64, 1), (1, 127)] {
        let limits = SolverLimits { nodes: Some(5000), time: None };
        let answer = Solver::new(1 << 10)
            .solve(&empty(width, height, 4), Depth::Score, limits, &NoMonitor, 2)
            .unwrap();
        assert_eq!(answer.left as usize, width * height);
        assert!(answer.low <= answer.high && answer.stopped == (answer.low < answer.high));
    }
}

#[test]
fn two_threads_agree_with_one() {
    let board = after(empty(7, 6, 4), "32751571231557");
    let mut solver = Solver::new(1 << 18);
    let answer = solver.solve(&board, Depth::Score, SolverLimits::default(), &NoMonitor, 2).unwrap();
    assert_eq!(answer.score(), Some(-3));
}
