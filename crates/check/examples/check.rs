//! Verifies a proof: `cargo run --release -p outplay-check --example check -- FILE`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("error: name a proof file");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {file}: {error}");
            return ExitCode::from(2);
        }
    };
    match outplay_check::check(&text) {
        Ok(claim) => {
            let board = &claim.board;
            println!(
                "{}x{},k={}: {} for the player to move; {} steps, {} positions followed",
                board.width, board.height, board.k, claim.verdict, claim.steps, claim.followed
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{file}: {error}");
            ExitCode::from(1)
        }
    }
}
