//! Keeping a time limit on a machine where others work, too.
//!
//! A search looks at the clock often, but a thread that has to wait for a processor cannot look at all. How late
//! it came back is remembered and kept in reserve for the next moves.

use std::time::{Duration, Instant};

/// Somebody who learns from being late.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Punctual {
    reserve: Duration,
}

impl Punctual {
    /// When to stop thinking about a move that may take so long.
    pub(crate) fn end(&self, began: Instant, time: Duration) -> Instant {
        let spare = (time / 20).clamp(Duration::from_micros(500), Duration::from_millis(50));
        // However late others make us, a quarter of the time is for thinking.
        let reserve = (spare + self.reserve).min(time * 3 / 4);
        began + time.saturating_sub(reserve)
    }

    /// A move is made: how long after its end, `end`, counts for the next ones.
    pub(crate) fn made(&mut self, end: Instant) {
        let late = Instant::now().saturating_duration_since(end);
        self.reserve = late.max(self.reserve * 9 / 10);
    }
}
