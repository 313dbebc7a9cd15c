//! Every search polls its monitor often, however slow a position is, and ends soon after a stop request.
//!
//! Bounds are generous, so that a busy machine does not fail them; the times themselves are printed, see
//! `cargo test --release -p outplay-search --test it budget -- --nocapture --test-threads 1`.

use outplay_core::Game;
use outplay_games::Spec;
use outplay_games::hypergammon::Hypergammon;
use outplay_games::mnk::{LargeMnk, Mnk, Rules};
use outplay_games::nim::Nim;
use outplay_runtime::{Meter, Monitor};
use outplay_search::{
    DiceMethod, PlayoutOptions, SearchEngine, SearchLimits, SearchMethod, SearchOptions, TreeOptions, Zero,
    breadth_first, expectimax, playouts, tree,
};
use std::time::Duration;

/// Upper bound of the time between polls on any machine; the target is 20 ms.
const NEVER: Duration = Duration::from_millis(600);

/// Stops the work at several moments.
fn check(name: &str, work: impl Fn(&dyn Monitor)) {
    let last = if cfg!(debug_assertions) { 200 } else { 2000 };
    for most in [1, 5, 60, last] {
        let meter = Meter::new(most);
        work(&meter);
        let (gap, after) = (meter.longest_gap(), meter.since_stop());
        println!("{name:28} {most:5} questions: longest gap {gap:9.1?}, end after {after:9.1?}");
        assert!(gap < NEVER && (after < NEVER || !meter.has_stopped()), "{name}: {gap:?}, {after:?}");
        // After a stop request a search stops polling, but for one poll per remaining move.
        assert!(meter.questions() <= most + 10_000, "{name}: {} questions", meter.questions());
    }
}

fn all<G: Game>(name: &str, game: &G) {
    let start = game.start().unwrap();
    let limits = SearchLimits { time: Some(Duration::from_secs(5)), ..SearchLimits::NONE };
    for (mode, options) in [
        ("bare", SearchOptions::bare(SearchMethod::AlphaBeta)),
        ("full", SearchOptions::default()),
        ("threads", SearchOptions { threads: 3, ..SearchOptions::default() }),
    ] {
        check(&format!("{mode} {name}"), |watch| {
            SearchEngine::new(game, options).search(&start, limits, watch).unwrap();
        });
    }
    check(&format!("each move {name}"), |watch| {
        SearchEngine::new(game, SearchOptions::default()).each_move(&start, limits, watch).unwrap();
    });
    check(&format!("breadth {name}"), |watch| {
        let _ = breadth_first(game, &start, &Zero, 6, 100_000, watch);
    });
    check(&format!("tree {name}"), |watch| {
        let _ = tree(game, &start, &Zero, 6, TreeOptions::default(), watch);
    });
    check(&format!("playouts {name}"), |watch| {
        playouts(game, &start, PlayoutOptions::games(u64::MAX), watch).unwrap();
    });
}

#[test]
fn a_small_board() {
    let game: Mnk<u64> = Mnk::new(Rules::parse("mnk:7x7,k=5").unwrap()).unwrap();
    all("mnk:7x7", &game);
}

#[test]
fn many_moves() {
    all("nim:1000+1000", &Nim::from_spec(Spec::parse("nim:1000+1000").unwrap()).unwrap());
    all("mnk:19x20", &LargeMnk::new(Rules::parse("mnk:19x20,k=5").unwrap()));
    all("mnk:90x90", &LargeMnk::new(Rules::parse("mnk:90x90,k=5").unwrap()));
}

#[test]
fn dice() {
    let start = Hypergammon.start().unwrap();
    let limits = SearchLimits { depth: Some(12), ..SearchLimits::NONE };
    for method in [DiceMethod::Expectiminimax, DiceMethod::Star1, DiceMethod::Star2] {
        check(&format!("{method:?}"), |watch| {
            expectimax(&Hypergammon, &start, &Zero, method, limits, watch).unwrap();
        });
    }
}
