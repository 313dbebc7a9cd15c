//! Solves an empty board and prints score, nodes and time.
//!
//! ```text
//! cargo run --release -p outplay-connect --example empty -- 7 6 4 --threads 1 --log 24
//! ```
//!
//! The arguments are width, height and k; the table has 2^log entries.

use outplay_connect::{Depth, Solver, SolverLimits};
use outplay_core::LineBoard;
use outplay_runtime::NoMonitor;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, fallback| arguments.get(at).and_then(|a| a.parse().ok()).unwrap_or(fallback);
    let option = |name: &str, fallback| {
        arguments.iter().position(|a| a == name).map_or(fallback, |at| number(at + 1, fallback))
    };
    let mut board = LineBoard::empty(number(0, 7), number(1, 6), number(2, 4));
    board.gravity = true;
    let mut solver = Solver::new(1 << option("--log", 24));
    let start = Instant::now();
    let answer =
        solver.solve(&board, Depth::Score, SolverLimits::default(), &NoMonitor, option("--threads", 1));
    let (answer, seconds) = (answer.expect("the board is well formed"), start.elapsed().as_secs_f64());
    let rate = answer.nodes as f64 / seconds;
    println!("score {:?}  nodes {}  seconds {seconds:.2}  nodes/s {rate:.3e}", answer.score(), answer.nodes);
}
