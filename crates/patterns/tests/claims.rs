//! Claims of the engine hold: small boards against plain minimax, large ones by written proofs.

use outplay_core::{Content, LineBoard, Turn};
use outplay_patterns::{PatternEngine, PatternLimits, Settings};
use outplay_proof::Proof;
use outplay_runtime::NoMonitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

/// Plain minimax value for the player to move.
fn minimax(board: &LineBoard, known: &mut HashMap<Vec<Content>, i32>) -> i32 {
    if let Some(&value) = known.get(&board.cells) {
        return value;
    }
    let mover = board.mover();
    let line = if board.misere { -1 } else { 1 };
    let mut best = None;
    for cell in board.open_cells() {
        let value = match board.completes(cell, mover) {
            true => line,
            false => -minimax(&board.after(cell), known),
        };
        best = best.max(Some(value));
        if best == Some(1) {
            break;
        }
    }
    let value = best.unwrap_or(0);
    known.insert(board.cells.clone(), value);
    value
}

/// Creates a board with obstacles and stones on which neither player has a line yet.
fn random_board(rng: &mut SmallRng, (width, height): (usize, usize), k: usize, stones: usize) -> LineBoard {
    let mut board = LineBoard::empty(width, height, k);
    for _ in 0..rng.random_range(0..3) {
        let cell = rng.random_range(0..board.cells.len());
        board.cells[cell] = Content::Blocked;
    }
    for _ in 0..stones {
        let open: Vec<usize> =
            board.open_cells().into_iter().filter(|&cell| !board.completes(cell, board.mover())).collect();
        if open.len() < 2 {
            break;
        }
        board = board.after(open[rng.random_range(0..open.len())]);
    }
    board
}

#[test]
fn claims_on_small_boards_are_the_values_of_minimax() {
    let mut rng = SmallRng::seed_from_u64(3);
    let (mut claimed, mut boards) = (0, 0);
    for round in 0..400 {
        let size: (usize, usize) = (rng.random_range(3..6), rng.random_range(3..5));
        let cells = size.0 * size.1;
        let k = rng.random_range(3..5);
        let stones = cells.saturating_sub(rng.random_range(6..11));
        let mut board = random_board(&mut rng, size, k, stones);
        match round % 5 {
            3 => board.misere = true,
            4 => {
                board = LineBoard { gravity: true, ..LineBoard::empty(size.0, size.1, k) };
                for _ in 0..stones {
                    let open: Vec<usize> = board
                        .open_cells()
                        .into_iter()
                        .filter(|&cell| !board.completes(cell, board.mover()))
                        .collect();
                    let Some(&cell) = open.get(rng.random_range(0..open.len().max(1))) else { break };
                    board = board.after(cell);
                }
            }
            _ => {}
        }
        if board.open_cells().is_empty() {
            continue;
        }
        boards += 1;
        let value = minimax(&board, &mut HashMap::new());
        let mut engine =
            PatternEngine::new(&board, Settings { entries: 1 << 10, ..Settings::default() }).unwrap();
        for depth in [1, 3, 6, 14] {
            let limits = PatternLimits { depth: Some(depth), ..PatternLimits::default() };
            let found = engine.think(&board, &limits, &NoMonitor).unwrap();
            assert!(board.open_cells().contains(&found.cell), "{board:?} {found:?}");
            if found.wins_in.is_some() {
                assert_eq!(value, 1, "{board:?} {found:?}");
                // The move that is claimed to win does.
                let wins = board.completes(found.cell, board.mover()) && !board.misere
                    || minimax(&board.after(found.cell), &mut HashMap::new()) == -1;
                assert!(wins, "{board:?} {found:?}");
                claimed += 1;
            }
            if found.loses_in.is_some() {
                assert_eq!(value, -1, "{board:?} {found:?}");
                claimed += 1;
            }
        }
        if let Some(attack) = engine.attack(&board, 10_000, &NoMonitor) {
            assert_eq!(value, 1, "{board:?} {attack:?}");
        }
    }
    assert!(boards > 300 && claimed > 300, "{boards} {claimed}");
}

/// Creates a board of 15x15 with clustered stones.
fn crowded(rng: &mut SmallRng, stones: usize) -> LineBoard {
    let mut board = LineBoard::empty(15, 15, 5);
    for _ in 0..4 {
        let cell = rng.random_range(0..225);
        board.cells[cell] = Content::Blocked;
    }
    while board.stones() < stones {
        let (x, y) = (rng.random_range(4..11), rng.random_range(4..11));
        let cell = board.cell(x, y);
        if board.cells[cell] == Content::Empty && !board.completes(cell, board.mover()) {
            board = board.after(cell);
        }
    }
    board
}

#[test]
fn attacks_can_be_written_as_proofs() {
    let mut rng = SmallRng::seed_from_u64(5);
    let (mut proved, mut longest) = (0, 0);
    for _ in 0..80 {
        let stones = rng.random_range(6..20);
        let mut board = crowded(&mut rng, stones);
        if rng.random_bool(0.5) {
            board.turn = Turn::First;
        }
        let mut engine = PatternEngine::new(&board, Settings::default()).unwrap();
        let Some(attack) = engine.attack(&board, 4_000, &NoMonitor) else { continue };
        let text = Proof::of_attack(&board, &attack).to_string();
        outplay_check::check(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        proved += 1;
        longest = longest.max(attack.plies());
    }
    assert!(proved > 20 && longest >= 7, "{proved} {longest}");
}
