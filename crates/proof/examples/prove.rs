//! Computes the value of empty boards: `cargo run --release -p outplay-proof --example prove -- 7x7,5 --proof
//! FILE`.
//!
//! Options: `--proof FILE` writes the proof of the last board, `--seconds S` sets a time limit.

use outplay_core::LineBoard;
use outplay_proof::{ProofLimits, prove};
use outplay_runtime::NoMonitor;
use std::time::Duration;

fn board(text: &str) -> Option<LineBoard> {
    let (size, k) = text.split_once(',')?;
    let (width, height) = size.split_once('x')?;
    let k = k.trim_start_matches("k=");
    Some(LineBoard::empty(width.parse().ok()?, height.parse().ok()?, k.parse().ok()?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut limits = ProofLimits::default();
    let mut file = None;
    let mut boards = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--proof" => file = Some(words.next().ok_or("--proof needs a file name")?),
            "--seconds" => {
                let seconds = words.next().ok_or("--seconds needs a number")?;
                limits.time = Some(Duration::from_secs_f64(seconds.parse()?));
            }
            text => boards.push((word.clone(), board(text).ok_or("write boards as 7x6,4")?)),
        }
    }
    limits.proof = file.is_some();
    for (name, board) in &boards {
        let answer = prove(board, &limits, &NoMonitor)?;
        let value = match answer.verdict() {
            Some(verdict) => verdict.to_string(),
            None => format!("unknown, between {} and {}", answer.low, answer.high),
        };
        let (positions, seconds) = (answer.positions, answer.time.as_secs_f64());
        println!("{name}: {value}, {positions} positions, {seconds:.3} s");
        if let (Some(file), Some(proof)) = (&file, &answer.proof) {
            std::fs::write(file, proof.to_string())?;
            println!("{} steps written to {file}", proof.len());
        }
    }
    Ok(())
}
