//! Solves the positions of a file, each with an empty transposition table, and prints nodes and times.
//!
//! ```text
//! cargo run --release -p outplay-connect --example positions -- FILE --limit 100 --threads 1
//! ```
//!
//! Each line has the moves from the empty 7x6 board (a digit from 1 to 7 for each column) and the expected score, as in
//! `4455 2`; a different result ends the program.

use outplay_connect::{Depth, Solver, SolverLimits};
use outplay_core::{Content, LineBoard, Turn};
use outplay_runtime::NoMonitor;
use std::time::{Duration, Instant};

fn board(moves: &str) -> LineBoard {
    let mut board = LineBoard::empty(7, 6, 4);
    board.gravity = true;
    for column in moves.bytes() {
        let column = (column - b'1') as usize;
        let cell = (0..6).map(|row| board.cell(column, row)).find(|&c| board.cells[c] == Content::Empty);
        let stone = if board.turn == Turn::First { Content::First } else { Content::Second };
        board.cells[cell.expect("the column is full")] = stone;
        board.turn = board.turn.other();
    }
    board
}

/// CPU time of this thread, where the system reports it; steadier than wall time on a busy machine.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e9
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1)?.parse::<usize>().ok()
    };
    let file = arguments.first().expect("the first argument is a file of positions");
    let (limit, threads) = (option("--limit").unwrap_or(usize::MAX), option("--threads").unwrap_or(1));
    let skip = option("--skip").unwrap_or(0);
    let text = std::fs::read_to_string(file).expect("the file can be read");
    let mut solver = Solver::new(1 << option("--log").unwrap_or(24));
    solver.prepare(&board("")).expect("there is memory for the table");
    let busy = cpu_seconds();
    let (mut count, mut wrong, mut nodes, mut time) = (0u32, 0, 0, Duration::ZERO);
    for line in text.lines().skip(skip).take(limit) {
        let (moves, score) = line.split_once(' ').expect("a line is `moves score`");
        let board = board(moves);
        solver.clear();
        let start = Instant::now();
        let answer = solver.solve(&board, Depth::Score, SolverLimits::default(), &NoMonitor, threads);
        time += start.elapsed();
        let answer = answer.expect("the board is well formed");
        count += 1;
        nodes += answer.nodes;
        wrong += i32::from(answer.score() != score.parse().ok());
    }
    println!(
        "n {count}  wrong {wrong}  mean nodes {:.1}  mean ms {:.4}  nodes/s {:.3e}  mean CPU ms with clearing {:.4}",
        nodes as f64 / f64::from(count),
        time.as_secs_f64() * 1e3 / f64::from(count),
        nodes as f64 / time.as_secs_f64(),
        (cpu_seconds() - busy) * 1e3 / f64::from(count)
    );
}
