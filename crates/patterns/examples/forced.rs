//! Generates positions of 15x15,k=5 with a forced win of 5 to 15 plies, one from each self-play game: `cargo
//! run --release -p outplay-patterns --example forced -- SEED`. `tests/forced.txt` has those of the seeds 12 to
//! 15, a few minutes each.
//!
//! Each win was found by VCT, and its proof was checked.

use outplay_core::{Content, LineBoard};
use outplay_patterns::{PatternEngine, PatternLimits, Settings};
use outplay_proof::Proof;
use outplay_runtime::NoMonitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

const WANTED: usize = 100;
const PATIENCE: u64 = 60_000;

fn main() {
    let mut engine =
        PatternEngine::new(&LineBoard::empty(15, 15, 5), Settings::default()).expect("a board that fits");
    let mut rng =
        SmallRng::seed_from_u64(std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(12));
    let mut written = 0;
    // As many short ones as long ones.
    let mut by_length = [0; 16];
    while written < WANTED {
        let mut board = LineBoard::empty(15, 15, 5);
        let obstacles = if rng.random_bool(0.3) { 8 } else { 0 };
        for _ in 0..obstacles {
            let cell = rng.random_range(0..225);
            board.cells[cell] = Content::Blocked;
        }
        for _ in 0..rng.random_range(3..7) {
            let (x, y) = (rng.random_range(4..11), rng.random_range(4..11));
            let cell = board.cell(x, y);
            if board.cells[cell] == Content::Empty {
                board = board.after(cell);
            }
        }
        for _ in 0..40 {
            engine.clear();
            let limits = PatternLimits { depth: Some(3), ..PatternLimits::default() };
            let Some(found) = engine.think(&board, &limits, &NoMonitor) else { break };
            let over = board.completes(found.cell, board.mover());
            let attack = engine.attack(&board, PATIENCE, &NoMonitor).filter(|_| board.stones() > 6);
            if let Some(attack) = attack {
                let plies = attack.plies() as usize;
                if (5..=15).contains(&plies) && by_length[plies] < WANTED / 5 {
                    let proof = Proof::of_attack(&board, &attack).to_string();
                    outplay_check::check(&proof).expect("a sound attack");
                    println!("{plies} {}", line(&board));
                    by_length[plies] += 1;
                    written += 1;
                    break;
                }
            }
            if over {
                break;
            }
            board = board.after(found.cell);
        }
    }
}

/// Formats the board as rows from the top, and the player to move.
fn line(board: &LineBoard) -> String {
    let stone = |column, row| match board.cells[board.cell(column, row)] {
        Content::Empty => '.',
        Content::Blocked => '#',
        Content::First => 'x',
        Content::Second => 'o',
    };
    let rows = (0..board.height).rev().map(|row| (0..board.width).map(|column| stone(column, row)).collect());
    let turn = if board.mover() == Content::First { 'x' } else { 'o' };
    format!("{} {turn}", rows.collect::<Vec<String>>().join("/"))
}
