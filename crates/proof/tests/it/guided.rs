//! Playing by a proof wins, or never loses, against every opponent.

use outplay_check::{GuideError, StrategyState, TrailStep, check_seen, guide};
use outplay_core::{Content, LineBoard, Turn, cell_name};
use outplay_proof::{ProofLimits, prove};
use outplay_runtime::NoMonitor;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

fn proof(width: usize, height: usize, k: usize) -> String {
    let limits = ProofLimits { proof: true, ..ProofLimits::default() };
    let answer = prove(&LineBoard::empty(width, height, k), &limits, &NoMonitor).expect("an ordinary board");
    answer.proof.expect("a proof was asked for").to_string()
}

/// Follows a strategy without limits.
fn by_proof(text: &str, player: Turn, moves: &[&str]) -> Result<StrategyState, GuideError> {
    guide(text, player, moves, &outplay_check::CheckLimits::default(), &NoMonitor)
}

/// Whether stones of a kind have k in a row, by checking every cell and direction.
fn has_line(board: &LineBoard, cells: &[Content], stone: Content) -> bool {
    let (width, height) = (board.width as i64, board.height as i64);
    let at = |column: i64, row: i64| {
        (0..width).contains(&column)
            && (0..height).contains(&row)
            && cells[(column * height + row) as usize] == stone
    };
    let line = |column: i64, row: i64, (right, up): (i64, i64)| {
        (0..board.k as i64).all(|i| at(column + right * i, row + up * i))
    };
    let ways = [(1, 0), (0, 1), (1, 1), (1, -1)];
    (0..width).any(|column| (0..height).any(|row| ways.iter().any(|&way| line(column, row, way))))
}

/// Plays random games against every strategy of a board's proof, fewer against long ones; returns the number of
/// strategies.
fn check(width: usize, height: usize, k: usize) -> usize {
    let text = proof(width, height, k);
    let games = (100_000 / text.len() as u64).clamp(2, 60);
    let mut strategies = 0;
    for player in [Turn::First, Turn::Second] {
        let (own, other) = match player {
            Turn::First => (Content::First, Content::Second),
            _ => (Content::Second, Content::First),
        };
        for seed in 0..games {
            let mut rng = SmallRng::seed_from_u64(seed);
            let mut moves: Vec<String> = Vec::new();
            loop {
                let words: Vec<&str> = moves.iter().map(String::as_str).collect();
                let stands = match by_proof(&text, player, &words) {
                    Ok(stands) => stands,
                    Err(GuideError::NoStrategy(_)) => break,
                    Err(error) => panic!("{width}x{height},{k} {player:?} {moves:?}: {error}"),
                };
                strategies += usize::from(seed == 0 && moves.is_empty());
                let mut cells = stands.board.cells.clone();
                for placed in &stands.stones {
                    assert_eq!(cells[placed.cell], Content::Empty, "{moves:?}");
                    cells[placed.cell] = if placed.by == player { own } else { other };
                }
                assert!(!has_line(&stands.board, &cells, other), "{width}x{height},{k} {player:?} {moves:?}");
                assert_eq!(has_line(&stands.board, &cells, own), stands.over, "{moves:?}");
                if stands.over {
                    break;
                }
                let empty: Vec<usize> = (0..cells.len()).filter(|&c| cells[c] == Content::Empty).collect();
                // Cells that the strategy mentions are where it could fail.
                let waits = stands.waiting.iter();
                let named: Vec<usize> =
                    waits.flat_map(|part| part.arms.iter().flat_map(|(cells, _)| cells.clone())).collect();
                let named: Vec<usize> = named.into_iter().filter(|cell| empty.contains(cell)).collect();
                let list = if named.is_empty() || rng.random_bool(0.5) { &empty } else { &named };
                let Some(&cell) = list.choose(&mut rng) else {
                    assert!(!stands.wins, "a win ends with a line: {moves:?}");
                    break;
                };
                moves.push(cell_name(cell / height, cell % height));
            }
        }
    }
    strategies
}

#[test]
fn wins_end_with_a_line() {
    for (width, height, k) in [(4, 3, 3), (4, 4, 3), (5, 5, 3), (7, 3, 3), (6, 5, 4)] {
        assert_eq!(check(width, height, k), 1, "{width}x{height},{k}");
    }
}

#[test]
fn draws_are_held() {
    // The first player holds an empty board by strategy stealing, which gives no moves.
    for (width, height, k) in [(3, 3, 3), (4, 4, 4), (5, 4, 4), (5, 5, 4), (6, 6, 5), (8, 8, 6), (10, 10, 9)]
    {
        assert_eq!(check(width, height, k), 1, "{width}x{height},{k}");
    }
}

#[test]
fn illegal_moves_are_errors() {
    let text = proof(4, 3, 3);
    for moves in [&["z9"][..], &["b2", "b2"], &["nonsense"]] {
        assert!(matches!(by_proof(&text, Turn::First, moves), Err(GuideError::Move(_))), "{moves:?}");
    }
    assert!(matches!(by_proof(&text, Turn::Second, &[]), Err(GuideError::NoStrategy(_))));
    assert!(matches!(by_proof("nothing", Turn::First, &[]), Err(GuideError::Proof(_))));
}

/// Every followed step is reported once, with alternating stones on different cells.
#[test]
fn every_followed_step_is_reported() {
    for (width, height, k) in [(4, 3, 3), (3, 3, 3), (5, 5, 4)] {
        let (text, mut reported, mut deepest) = (proof(width, height, k), 0, 0);
        let mut eyes = |followed: &TrailStep<'_>| {
            reported += 1;
            deepest = deepest.max(followed.depth);
            assert!(followed.stones.len() <= followed.depth);
            for (i, (cell, _)) in followed.stones.iter().enumerate() {
                assert!(followed.stones[..i].iter().all(|(other, _)| other != cell));
            }
            if let Some((_, by)) = followed.stones.last() {
                assert!(
                    followed.depth > followed.stones.len() || (*by == followed.attacker) != followed.attacks
                );
            }
        };
        let limits = outplay_check::CheckLimits::default();
        let claim = check_seen(&text, &limits, &NoMonitor, Some(&mut eyes)).expect("the proof is right");
        assert_eq!(reported, claim.followed);
        assert!(deepest > 0);
        assert_eq!(outplay_check::check(&text), Ok(claim));
    }
}
