//! A dense solve polls its monitor often in every phase, and ends soon after it is cancelled.
//!
//! Bounds are generous, so that a busy machine does not fail them; the times themselves are printed, see
//! `cargo test --release -p outplay-bitplane --test it budget -- --nocapture --test-threads 1`.

use outplay_bitplane::{BitplaneOptions, DenseError, Sink, Slots, solve};
use outplay_core::LineBoard;
use outplay_runtime::Meter;
use std::time::Duration;

/// Upper bound on any gap between polls, on any machine; the target is 20 ms.
const NEVER: Duration = Duration::from_millis(600);

/// Sink that discards all slots.
struct Abyss;

impl Sink for Abyss {
    fn wants(&self, _tier: usize) -> bool {
        true
    }
    fn put(&self, _slots: Slots<'_>) -> Result<(), String> {
        Ok(())
    }
    fn end(&self, _tier: usize) -> Result<(), String> {
        Ok(())
    }
}

fn check(board: &LineBoard, threads: usize, export: bool) {
    let name = format!("{}x{} {threads} {export}", board.width, board.height);
    let options = BitplaneOptions { threads, counts: export, ..BitplaneOptions::distance() };
    let run = |meter: &Meter| solve(board, &options, meter, export.then_some(&Abyss as &dyn Sink));
    let last = if cfg!(debug_assertions) { 1000 } else { 20_000 };
    for most in [1, 5, 60, 400, last] {
        let meter = Meter::new(most);
        let result = run(&meter);
        let (gap, after) = (meter.longest_gap(), meter.since_stop());
        println!("{name:16} {most:5} questions: longest gap {gap:9.1?}, end after {after:9.1?}");
        assert_eq!(matches!(result, Err(DenseError::Stopped)), meter.has_stopped(), "{name}");
        assert!(gap < NEVER && (after < NEVER || !meter.has_stopped()), "{name}: {gap:?}, {after:?}");
        assert!(meter.questions() <= most + 64, "{name}: {} questions", meter.questions());
    }
}

#[test]
fn every_phase_can_be_cancelled() {
    let falling = LineBoard { gravity: true, ..LineBoard::empty(6, 5, 4) };
    let free = LineBoard::empty(5, 4, 4);
    for board in [&falling, &free] {
        for threads in [1, 2] {
            check(board, threads, false);
            check(board, threads, true);
        }
    }
}
