//! Move-time management that adapts to scheduling delays.
//!
//! A search polls the clock often, but a thread that is not scheduled cannot poll. An exponential moving average of
//! past overruns is subtracted from the time of the next moves. An average is used rather than the maximum, because
//! otherwise a single long delay would take most of the time of the next dozen moves.

use std::time::{Duration, Instant};

/// A deadline calculator with a reserve for scheduling delays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Punctual {
    reserve: Duration,
}

impl Punctual {
    /// Returns when to stop searching a move that may take `time` from `began` on.
    pub fn end(&self, began: Instant, time: Duration) -> Instant {
        let spare = (time / 20).clamp(Duration::from_micros(500), Duration::from_millis(50));
        // However busy the machine is, the search gets at least three quarters of the time.
        let reserve = (spare + self.reserve).min(time / 4);
        began + time.saturating_sub(reserve)
    }

    /// Records the overrun of a move that was due at `end`.
    pub fn made(&mut self, end: Instant) {
        let late = Instant::now().saturating_duration_since(end);
        self.reserve = (self.reserve * 3 + late) / 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One long scheduling delay does not take the time of the moves that follow.
    #[test]
    fn a_single_delay_leaves_most_of_the_time_for_thinking() {
        let (mut clock, time) = (Punctual::default(), Duration::from_millis(50));
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_millis(40)) else { return };
        clock.made(long_ago);
        for _ in 0..5 {
            let began = Instant::now();
            let end = clock.end(began, time);
            assert!(end >= began + time * 3 / 4, "{:?}", end - began);
            clock.made(end);
        }
        let began = Instant::now();
        assert!(clock.end(began, time) >= began + time * 9 / 10);
    }
}
