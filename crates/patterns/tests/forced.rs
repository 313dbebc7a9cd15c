//! VCT on 15x15: short wins within a node limit, 95 of 100 wins within a second each, and a checked proof of every
//! claim.

use outplay_core::{Content, LineBoard, Turn};
use outplay_patterns::{PatternEngine, PatternLimits, Settings};
use outplay_proof::Proof;
use outplay_runtime::NoMonitor;
use std::time::{Duration, Instant};

/// Positions with the length of the win found when the file was generated.
fn positions() -> Vec<(u32, LineBoard)> {
    let read = |line: &str| {
        let [plies, rows, turn] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut board = LineBoard::empty(15, 15, 5);
        for (down, row) in rows.split('/').enumerate() {
            for (column, stone) in row.chars().enumerate() {
                let cell = board.cell(column, 14 - down);
                board.cells[cell] = match stone {
                    'x' => Content::First,
                    'o' => Content::Second,
                    '#' => Content::Blocked,
                    _ => Content::Empty,
                };
            }
        }
        board.turn = if turn == "x" { Turn::First } else { Turn::Second };
        (plies.parse().unwrap(), board)
    };
    include_str!("forced.txt").lines().map(read).collect()
}

#[test]
fn short_wins_are_found_within_a_node_limit() {
    let positions = positions();
    assert_eq!(positions.len(), 100);
    let short: Vec<_> = positions.iter().filter(|(plies, _)| *plies <= 9).collect();
    assert!(short.len() >= 20);
    for (_, board) in short {
        let mut engine = PatternEngine::new(board, Settings::default()).unwrap();
        let limits = PatternLimits { nodes: Some(400_000), ..PatternLimits::default() };
        let found = engine.think(board, &limits, &NoMonitor).unwrap();
        assert!(found.wins_in.is_some(), "{board:?} {found:?}");
    }
}

/// `cargo test --release -p outplay-patterns --test forced -- --ignored --nocapture`
#[test]
#[ignore = "a second for each of a hundred positions"]
fn wins_found_in_a_second_each() {
    let (mut found, mut proved) = (0, 0);
    for (plies, board) in positions() {
        let mut engine =
            PatternEngine::new(&board, Settings { entries: 1 << 20, ..Settings::default() }).unwrap();
        let limits =
            PatternLimits { end: Some(Instant::now() + Duration::from_secs(1)), ..PatternLimits::default() };
        let claim = engine.think(&board, &limits, &NoMonitor).unwrap();
        if claim.wins_in.is_none() {
            println!("not found: {plies} plies");
            continue;
        }
        found += 1;
        // The claimed move wins: a proof covers every reply.
        let attack = engine.attack(&board, u64::MAX, &NoMonitor).expect("an attack");
        let text = Proof::of_attack(&board, &attack).to_string();
        outplay_check::check(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        proved += 1;
    }
    println!("{found} of 100 found in a second each, {proved} of these claims proved and checked");
    assert!(found >= 95 && proved == found);
}
