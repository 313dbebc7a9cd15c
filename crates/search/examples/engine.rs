//! Benchmark of the engine: `cargo run --release -p outplay-search --example engine`.
//!
//! Prints nodes per second of bare alpha-beta on connect-four and playouts per second, single-threaded, median
//! of several runs, each with its target. Measures CPU time where the system reports it, so that load on the
//! machine matters little.

use outplay_core::Game;
use outplay_games::mnk::{Mnk, Rules};
use outplay_runtime::NoMonitor;
use outplay_search::{PlayoutOptions, SearchEngine, SearchLimits, SearchMethod, SearchOptions, playouts};
use std::time::Instant;

const RUNS: usize = 9;

/// The median of `work`'s results.
fn median(mut work: impl FnMut() -> f64) -> f64 {
    let mut results: Vec<f64> = (0..RUNS).map(|_| work()).collect();
    results.sort_by(f64::total_cmp);
    results[RUNS / 2]
}

/// Runs `work` and returns the seconds it took.
fn seconds(work: impl FnOnce()) -> f64 {
    // Nanoseconds this thread has been running.
    let processor = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    };
    let (begin, wall) = (processor(), Instant::now());
    work();
    match (begin, processor()) {
        (Some(begin), Some(end)) if end > begin => end - begin,
        _ => wall.elapsed().as_secs_f64(),
    }
}

fn board(spec: &str) -> Mnk<u64> {
    // Both specs below are boards that fit 64 bits.
    Mnk::new(Rules::parse(spec).expect("a board")).expect("a small board")
}

/// Searches connect-four and prints what it took.
fn search(name: &str, options: SearchOptions, depth: u32, asked: &str) {
    let game = board("connect4");
    let start = game.start().expect("boards have a start");
    let mut nodes = 0;
    let speed = median(|| {
        let mut engine = SearchEngine::new(&game, options);
        // The table is made by the first search.
        engine.search(&start, SearchLimits::depth(1), &NoMonitor).expect("no dice here");
        let time = seconds(|| {
            let report = engine.search(&start, SearchLimits::depth(depth), &NoMonitor).expect("no dice here");
            nodes = report.counts.nodes;
        });
        nodes as f64 / time
    });
    println!("{name}, connect4, depth {depth}: {nodes} nodes, {:.1} million/s{asked}", speed / 1e6);
}

fn main() {
    let bare = SearchOptions::bare(SearchMethod::AlphaBeta);
    search("alpha-beta, no table", bare, 11, " (asked: 60)");
    search("alpha-beta, no table, best payoff", SearchOptions { best_payoff: true, ..bare }, 11, "");
    search("everything", SearchOptions::default(), 14, "");
    for spec in ["tictactoe", "connect4"] {
        let game = board(spec);
        let start = game.start().expect("boards have a start");
        let options = PlayoutOptions::games(300_000);
        let speed = median(|| {
            let time = seconds(|| {
                let played = playouts(&game, &start, options, &NoMonitor).expect("no dice here");
                assert_eq!(played.games(), options.games);
            });
            options.games as f64 / time
        });
        println!("random games, {spec}: {:.1} million/s (asked: 3)", speed / 1e6);
    }
}
