//! Random small boards: the value equals plain minimax, and every proof passes the checker.

use crate::plain;

use outplay_core::{Content, Turn, Verdict};
use outplay_proof::{ProofLimits, prove};
use outplay_runtime::NoMonitor;
use plain::{minimax, random_board};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn compare(seed: u64, boards: usize, most: usize) -> [usize; 3] {
    let mut rng = StdRng::seed_from_u64(seed);
    let limits = ProofLimits { proof: true, ..ProofLimits::default() };
    let mut seen = [0; 3];
    for _ in 0..boards {
        let board = random_board(&mut rng, most);
        let expected = minimax(&board);
        let answer = prove(&board, &limits, &NoMonitor).expect("an ordinary board");
        assert_eq!(answer.verdict(), Some(expected), "{board:?}");
        let proof = answer.proof.expect("a proof was asked for").to_string();
        let claim = outplay_check::check(&proof).unwrap_or_else(|error| panic!("{error}\n{proof}"));
        assert_eq!(claim.verdict, expected);
        assert_eq!(claim.board, board);
        seen[expected as usize] += 1;
        let over = board.has_line(Content::First) || board.has_line(Content::Second);
        assert!(answer.best.is_some() || over || expected != Verdict::Win, "a win without a move: {board:?}");
        if let Some(cell) = answer.best {
            let mut next = board.clone();
            assert_eq!(next.cells[cell], Content::Empty, "{board:?}");
            next.cells[cell] = if board.turn == Turn::First { Content::First } else { Content::Second };
            next.turn = board.turn.other();
            assert_eq!(minimax(&next), expected.flipped(), "{cell} of {board:?}");
        }
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
