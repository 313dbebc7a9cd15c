//! Builds, describes and checks opening books.
//!
//! ```text
//! cargo run --release -p outplay-connect --example book -- build --plies 8 --out connect4.book
//! cargo run --release -p outplay-connect --example book -- info --out connect4.book
//! cargo run --release -p outplay-connect --example book -- check --out connect4.book --sample 100
//! ```
//!
//! `build` resumes an interrupted run. Options: --width 7 --height 6 --k 4 --threads 2 --log 26 (the
//! transposition table has 2^log entries).

use outplay_connect::{Author, Book, BookError, Solver};
use outplay_core::LineBoard;
use outplay_runtime::Monitor;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Monitor that prints a line every ten seconds.
struct ProgressPrinter {
    start: Instant,
    last: Mutex<Instant>,
    total: AtomicU64,
    done: AtomicU64,
}

impl Monitor for ProgressPrinter {
    fn stage(&self, name: &str, total: u64) {
        self.total.store(total, Relaxed);
        eprintln!("{name}: {total} parts");
    }
    fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Relaxed) + units;
        let mut last = self.last.lock().expect("printing does not fail");
        if last.elapsed() > Duration::from_secs(10) {
            *last = Instant::now();
            let (total, seconds) = (self.total.load(Relaxed), self.start.elapsed().as_secs_f64());
            eprintln!(
                "{done} of {total} in {seconds:.0} s, {:.0} s to go",
                seconds / done as f64 * (total - done) as f64
            );
        }
    }
    fn stopped(&self) -> bool {
        false
    }
}

fn main() -> Result<(), BookError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str, fallback: usize| text(name).and_then(|a| a.parse().ok()).unwrap_or(fallback);
    let path = PathBuf::from(text("--out").map_or("connect4.book", String::as_str));
    let (entries, threads) = (1 << number("--log", 26), number("--threads", 2));
    let now = Instant::now();
    let monitor = ProgressPrinter {
        start: now,
        last: Mutex::new(now),
        total: AtomicU64::new(0),
        done: AtomicU64::new(0),
    };
    match arguments.first().map(String::as_str) {
        Some("build") => {
            let mut board = LineBoard::empty(number("--width", 7), number("--height", 6), number("--k", 4));
            board.gravity = true;
            let author = Author::new(&board, number("--plies", 8), &path)?;
            let book = author.build(entries, &monitor, threads)?;
            println!("{} bytes in {:.0} s", book.to_bytes().len(), now.elapsed().as_secs_f64());
        }
        Some("info") => {
            let book = Book::open(&path)?;
            book.verify()?;
            let (board, score) = (book.board(), book.probe(book.board()));
            println!(
                "{}x{}, k={}, up to {} stones, {} bytes, score of the empty board {score:?}",
                board.width,
                board.height,
                board.k,
                book.plies(),
                book.to_bytes().len()
            );
        }
        Some("check") => {
            let mut solver = Solver::new(entries);
            let seed = number("--seed", 1) as u64;
            let checked =
                Book::open(&path)?.check(&mut solver, number("--sample", 100), seed, &monitor, threads)?;
            println!("checked {}  wrong {}", checked.checked, checked.wrong.len());
            std::process::exit(i32::from(!checked.wrong.is_empty()));
        }
        _ => {
            eprintln!("usage: book build|info|check --out FILE [--plies N] [--threads N] [--log N]");
            std::process::exit(2);
        }
    }
    Ok(())
}
