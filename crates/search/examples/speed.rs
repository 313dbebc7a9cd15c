//! How fast the engine is: `cargo run --release -p outplay-search --example speed`.
//!
//! Prints positions per second of bare alpha-beta on connect-four and random games per second, one thread, the
//! median of several runs, each with the figure it should reach.

use outplay_core::{Game, Quiet};
use outplay_games::mnk::{Mnk, Rules};
use outplay_search::{Engine, Limits, Method, Options, PlayoutOptions, playouts};
use std::time::Instant;

const RUNS: usize = 9;

/// The median of `work`'s results.
fn median(mut work: impl FnMut() -> f64) -> f64 {
    let mut results: Vec<f64> = (0..RUNS).map(|_| work()).collect();
    results.sort_by(f64::total_cmp);
    results[RUNS / 2]
}

fn board(spec: &str) -> Mnk<u64> {
    // Both specs below are boards that fit 64 bits.
    Mnk::new(Rules::parse(spec).expect("a board")).expect("a small board")
}

fn main() {
    let game = board("connect4");
    let start = game.start().expect("boards have a start");
    for (name, options) in [
        ("alpha-beta", Options::bare(Method::AlphaBeta)),
        ("alpha-beta, best payoff", Options { best_payoff: true, ..Options::bare(Method::AlphaBeta) }),
    ] {
        let mut nodes = 0;
        let speed = median(|| {
            let report =
                Engine::new(&game, options).search(&start, Limits::depth(11), &Quiet).expect("no dice here");
            nodes = report.counts.nodes;
            report.nodes_per_second()
        });
        println!(
            "{name}, connect4, depth 11, no table: {nodes} nodes, {:.1} million/s (asked: 60)",
            speed / 1e6
        );
    }
    let mut nodes = 0;
    let mut hits = 0;
    let speed = median(|| {
        let report = Engine::new(&game, Options::default())
            .search(&start, Limits::depth(14), &Quiet)
            .expect("no dice here");
        (nodes, hits) = (report.counts.nodes, report.counts.table_hits);
        report.nodes_per_second()
    });
    println!(
        "everything, connect4, depth 14: {nodes} nodes, {hits} table hits, {:.1} million/s",
        speed / 1e6
    );
    for spec in ["tictactoe", "connect4"] {
        let game = board(spec);
        let start = game.start().expect("boards have a start");
        let games = 300_000;
        let speed = median(|| {
            let begin = Instant::now();
            let played = playouts(&game, &start, PlayoutOptions::games(games), &Quiet).expect("no dice here");
            played.games() as f64 / begin.elapsed().as_secs_f64()
        });
        println!("random games, {spec}: {:.1} million/s (asked: 3)", speed / 1e6);
    }
}
