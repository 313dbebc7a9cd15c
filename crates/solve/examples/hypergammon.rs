//! Solves Hypergammon and prints its equity: `cargo run --release -p outplay-solve --example hypergammon -- 1e-13`.

use outplay_core::{Game, Index};
use outplay_games::hypergammon::{HyperIndex, Hypergammon};
use outplay_runtime::Monitor;
use outplay_solve::{Settle, chance_rolls};

/// Prints the current stage, because solving takes minutes.
struct Log;

impl Monitor for Log {
    fn stage(&self, name: &str, _total: u64) {
        eprintln!("{name}");
    }
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        false
    }
}

fn main() {
    let tolerance = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1e-13);
    let (game, index) = (Hypergammon, HyperIndex::new());
    let settle = Settle { tolerance, ..Settle::default() };
    let solved = chance_rolls(&game, &index, settle, &Log);
    match (solved, game.start()) {
        (Ok(expected), Some(start)) => {
            let (tier, number) = index.rank(&start);
            let equity = expected.value(tier, number);
            println!(
                "{equity:.16} after {} rounds, last change {:.1e}",
                expected.rounds(),
                expected.change()
            );
        }
        (Err(error), _) => {
            eprintln!("error: {error}");
            std::process::exit(1);
        }
        (_, None) => unreachable!("the game has a start"),
    }
}
