//! Every solver polls its monitor often, however large the game, and returns soon after cancellation.
//!
//! Bounds are generous, so that a busy machine does not fail them; the times themselves are printed, see
//! `cargo test --release -p outplay-solve --test budget -- --nocapture --test-threads 1`.

use outplay_core::{Game, Index, Tier, Value};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex};
use outplay_games::hypergammon::{HyperIndex, Hypergammon};
use outplay_games::mnk::{LargeMnk, Mnk, MnkIndex, Rules};
use outplay_games::morris::{Morris, MorrisIndex};
use outplay_games::nim::Nim;
use outplay_games::pig::Pig;
use outplay_runtime::{Meter, Monitor, NoMonitor};
use outplay_solve::{
    ExploredGame, LoopCode, RetrogradeOptions, Settle, SolveError, chance, chance_rolls, memo, plain, reach,
    remembered_sweep, retrograde, retrograde_by_graph, sweep, sweep_until_stable, verify, verify_loops,
    verify_rolls,
};
use std::time::Duration;

/// Limit on the time between polls that holds on any machine; the target is 20 ms.
const NEVER: Duration = Duration::from_millis(600);

/// Cancels the work at several points.
fn check<T>(name: &str, work: impl Fn(&dyn Monitor) -> Result<T, SolveError>) {
    check_until(if cfg!(debug_assertions) { 300 } else { 3000 }, name, work);
}

fn check_until<T>(last: u64, name: &str, work: impl Fn(&dyn Monitor) -> Result<T, SolveError>) {
    for most in [1, 5, 60, last] {
        let meter = Meter::new(most);
        let result = work(&meter).map(|_| ());
        let (gap, after) = (meter.longest_gap(), meter.since_stop());
        println!("{name:28} {most:5} questions: longest gap {gap:9.1?}, end after {after:9.1?}");
        match meter.has_stopped() {
            true => assert_eq!(result, Err(SolveError::Stopped), "{name}"),
            false => assert_eq!(result, Ok(()), "{name}"),
        }
        assert!(gap < NEVER && after < NEVER, "{name}: {gap:?}, {after:?}");
        // A cancelled solver polls at most once more per thread and block.
        assert!(meter.questions() <= most + 64, "{name}: {} questions", meter.questions());
    }
}

fn spec(text: &str) -> Spec {
    Spec::parse(text).unwrap()
}

fn from_the_top<G: Game>(last: u64, name: &str, game: &G) {
    let start = game.start().unwrap();
    check_until(last, &format!("plain {name}"), |monitor| plain(game, &start, monitor));
    check_until(last, &format!("memo {name}"), |monitor| memo(game, &start, u64::MAX, monitor));
    check_until(last, &format!("explored {name}"), |monitor| {
        ExploredGame::new(game, &start, u64::MAX, monitor)
    });
}

#[test]
fn searches_from_the_top() {
    from_the_top(300, "nim:1000+1000", &Nim::from_spec(spec("nim:1000+1000")).unwrap());
    // Each of these positions is large: longer work would exhaust the memory.
    from_the_top(100, "mnk:300x300", &LargeMnk::new(Rules::parse("mnk:300x300,k=5").unwrap()));
    let game: Mnk<u64> = Mnk::new(Rules::parse("mnk:7x7,k=5").unwrap()).unwrap();
    from_the_top(300, "mnk:7x7", &game);
}

#[test]
fn every_phase_of_an_exploration() {
    let game = Nim::from_spec(spec("nim:150+150")).unwrap();
    let meter = Meter::new(u64::MAX);
    ExploredGame::new(&game, &game.start().unwrap(), u64::MAX, &meter).unwrap();
    // The exploration ends at whichever poll it is cancelled.
    let questions = meter.questions();
    for most in (1..=questions).step_by(1 + questions as usize / 40) {
        let meter = Meter::new(most);
        let explored = ExploredGame::new(&game, &game.start().unwrap(), u64::MAX, &meter);
        assert!(meter.since_stop() < NEVER);
        assert!(!meter.has_stopped() || explored.err() == Some(SolveError::Stopped));
    }
}

#[test]
fn sweeps() {
    let game: Mnk<u64> = Mnk::new(Rules::parse("connect4:5x5").unwrap()).unwrap();
    let (index, start) = (MnkIndex::new(&game).unwrap(), game.start().unwrap());
    check("reach", |monitor| reach(&game, &index, &start, monitor));
    check("sweep", |monitor| sweep::<_, _, i8>(&game, &index, None, monitor));
    check("remembered sweep", |monitor| remembered_sweep(&game, &index, &start, monitor));
    let none = |tier| Ok::<Vec<i8>, SolveError>(vec![i8::MIN; Index::<Mnk<u64>>::len(&index, tier) as usize]);
    check("verify", |monitor| verify(&game, &index, &start, none, monitor));
}

#[test]
fn loops() {
    let game = Morris::from_spec(spec("morris:six")).unwrap();
    let index = MorrisIndex::new(&game);
    for distance in [true, false] {
        let options = RetrogradeOptions { distance, ..RetrogradeOptions::default() };
        check("retrograde", |monitor| retrograde::<_, _, LoopCode>(&game, &index, options, monitor));
    }
    check("retrograde by graph", |monitor| {
        retrograde_by_graph::<_, _, LoopCode>(&game, &index, RetrogradeOptions::default(), monitor)
    });
    check("until stable", |monitor| sweep_until_stable(&game, &index, monitor));
    check("verify loops", |monitor| verify_loops(&game, &index, false, |_, _| Some(Value::TIE), monitor));
}

#[test]
fn sets() {
    let game = Chess::from_spec(spec("chess:KQKR")).unwrap();
    let index = ChessIndex::new(&game);
    check("retrograde by sets", |monitor| {
        retrograde::<_, _, LoopCode>(&game, &index, RetrogradeOptions::default(), monitor)
    });
}

#[test]
fn dice() {
    let game = Pig::from_spec(spec("pig:60")).unwrap();
    let start = game.start().unwrap();
    check("explored pig", |monitor| ExploredGame::new(&game, &start, u64::MAX, monitor));
    let explored = ExploredGame::new(&game, &start, u64::MAX, &NoMonitor).unwrap();
    check("chance", |monitor| chance(&game, &explored, Settle::default(), monitor));
    let (game, index) = (Hypergammon, HyperIndex::new());
    check("rolls", |monitor| chance_rolls(&game, &index, Settle::default(), monitor));
    let values: Vec<Vec<f64>> = (0..index.tiers()).map(|t| vec![0.0; index.len(Tier(t)) as usize]).collect();
    check("verify rolls", |monitor| verify_rolls(&game, &index, &values, 1.0, monitor));
}

/// Memory limits are respected: the estimate per position is no less than the actual use.
#[test]
fn too_many_positions_are_noticed_at_once() {
    let game = LargeMnk::new(Rules::parse("mnk:300x300,k=5").unwrap());
    let start = game.start().unwrap();
    // A position has 90,000 moves, and a limit of 100 positions is met among those of the first.
    assert_eq!(ExploredGame::new(&game, &start, 100, &NoMonitor).err(), Some(SolveError::TooLarge(100)));
    assert_eq!(memo(&game, &start, 100, &NoMonitor).err(), Some(SolveError::TooLarge(100)));
    let each = outplay_solve::memo_bytes_per_position(&game, &start);
    assert!((90_000..100_000).contains(&each), "{each}");
    assert!(ExploredGame::bytes_per_position(&game, &start) > 2 * 90_000);
}
