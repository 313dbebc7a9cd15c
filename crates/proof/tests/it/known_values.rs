//! Boards whose value is known from the literature, each with a proof that passes the checker.

use outplay_core::{Content, LineBoard, Turn, Verdict};
use outplay_proof::{ProofLimits, ProveError, prove};
use outplay_runtime::{Monitor, NoMonitor};
use std::time::Duration;

/// Checks `board`, written `WxH,k`, and its proof.
fn check(board: &str, expected: Verdict) {
    let (size, k) = board.split_once(',').expect("a board");
    let (width, height) = size.split_once('x').expect("a size");
    let number = |text: &str| text.parse().expect("a number");
    let board = LineBoard::empty(number(width), number(height), number(k));
    let limits = ProofLimits { proof: true, ..ProofLimits::default() };
    let answer = prove(&board, &limits, &NoMonitor).expect("an ordinary board");
    assert_eq!(answer.verdict(), Some(expected), "{size},{k}");
    let proof = answer.proof.expect("a proof was asked for").to_string();
    let claim = outplay_check::check(&proof).expect("the proof is right");
    assert_eq!((claim.verdict, claim.board), (expected, board));
}

#[test]
fn three_in_a_row() {
    check("3x3,3", Verdict::Draw);
    for board in ["1x9,3", "2x2,3", "7x2,3", "2x30,3"] {
        check(board, Verdict::Draw);
    }
    for board in ["4x3,3", "3x4,3", "4x4,3", "5x3,3", "6x5,3", "8x8,3", "12x10,3", "30x4,3", "15x15,3"] {
        check(board, Verdict::Win);
    }
}

#[test]
fn tiny_k() {
    for board in ["1x1,1", "5x5,1", "2x2,2", "3x1,2", "6x6,2"] {
        check(board, Verdict::Win);
    }
    check("2x1,2", Verdict::Draw);
    check("1x1,2", Verdict::Draw);
}

#[test]
fn four_in_a_row() {
    for board in ["3x3,4", "9x3,4", "20x3,4", "4x4,4", "5x4,4", "4x5,4", "6x4,4"] {
        check(board, Verdict::Draw);
    }
    // Blocking alone fails here: the draw needs threats of the second player.
    check("5x5,4", Verdict::Draw);
    check("6x5,4", Verdict::Win);
}

#[test]
fn five_in_a_row() {
    for board in ["5x5,5", "6x5,5", "7x5,5", "8x5,5", "6x6,5"] {
        check(board, Verdict::Draw);
    }
}

#[test]
fn six_in_a_row_and_more() {
    for board in ["7x6,6", "7x7,6", "9x6,6", "8x8,6", "10x10,9", "19x19,10", "4x4,7"] {
        check(board, Verdict::Draw);
    }
}

#[test]
#[ignore = "a minute or so each"]
fn large_boards() {
    check("6x6,4", Verdict::Win);
    check("7x4,4", Verdict::Draw);
    check("7x7,5", Verdict::Draw);
    check("7x6,4", Verdict::Win);
    check("8x4,4", Verdict::Draw);
}

#[test]
fn a_limit_gives_bounds() {
    let board = LineBoard::empty(8, 8, 5);
    let limits = ProofLimits { positions: 500, ..ProofLimits::default() };
    let answer = prove(&board, &limits, &NoMonitor).expect("an ordinary board");
    assert_eq!((answer.low, answer.high, answer.verdict()), (Verdict::Draw, Verdict::Win, None));
    let limits = ProofLimits { time: Some(Duration::from_millis(50)), ..ProofLimits::default() };
    let mut board = board;
    board.cells[0] = Content::Blocked;
    let answer = prove(&board, &limits, &NoMonitor).expect("an ordinary board");
    assert!(answer.low < Verdict::Win && answer.high > Verdict::Loss);
    assert!(answer.time < Duration::from_secs(5));
}

/// Monitor that stops the work at the first poll.
struct Impatient;

impl Monitor for Impatient {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        true
    }
}

#[test]
fn a_stop_gives_bounds() {
    let mut board = LineBoard::empty(9, 9, 5);
    board.cells[40] = Content::First;
    board.turn = Turn::Second;
    let answer = prove(&board, &ProofLimits::default(), &Impatient).expect("an ordinary board");
    assert_eq!(answer.verdict(), None);
    assert!(answer.positions < 5000);
}

#[test]
fn finished_and_full_boards() {
    let mut board = LineBoard::empty(3, 1, 2);
    board.cells = vec![Content::First, Content::First, Content::Empty];
    board.turn = Turn::Second;
    let limits = ProofLimits { proof: true, ..ProofLimits::default() };
    let answer = prove(&board, &limits, &NoMonitor).expect("a finished board");
    assert_eq!(answer.verdict(), Some(Verdict::Loss));
    let proof = answer.proof.expect("a proof was asked for").to_string();
    assert!(outplay_check::check(&proof).is_ok());
    assert!(outplay_check::check(&proof.replace("claim loss", "claim draw")).is_err());
    board.cells = vec![Content::First, Content::Second, Content::First];
    let answer = prove(&board, &limits, &NoMonitor).expect("a full board");
    assert_eq!(answer.verdict(), Some(Verdict::Draw));
    assert!(outplay_check::check(&answer.proof.expect("a proof was asked for").to_string()).is_ok());
}

#[test]
fn unsupported_boards_are_errors() {
    let refuse =
        |board: &LineBoard| prove(board, &ProofLimits::default(), &NoMonitor).expect_err("no such board");
    let mut board = LineBoard::empty(3, 3, 3);
    board.gravity = true;
    assert_eq!(refuse(&board), ProveError::Gravity);
    board.gravity = false;
    board.misere = true;
    assert_eq!(refuse(&board), ProveError::Misere);
    let large = LineBoard::empty(100, 100, 5);
    assert_eq!(refuse(&large), ProveError::Large { cells: 10_000, most: 384 });
}
