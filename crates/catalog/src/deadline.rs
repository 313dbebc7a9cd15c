//! A time limit for work that knows only how to be stopped.

use outplay_core::Watch;
use std::time::{Duration, Instant};

/// Stops work that takes too long, or when the watch behind it says so.
pub(crate) struct Deadline<'a> {
    end: Option<Instant>,
    watch: &'a dyn Watch,
}

impl<'a> Deadline<'a> {
    pub(crate) fn new(time: Option<Duration>, watch: &'a dyn Watch) -> Deadline<'a> {
        Deadline { end: time.and_then(|time| Instant::now().checked_add(time)), watch }
    }

    /// Whether time is up, which is no wish of the user's to stop.
    pub(crate) fn passed(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() > end)
    }
}

impl Watch for Deadline<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.watch.stage(name, total);
    }

    fn advance(&self, units: u64) {
        self.watch.advance(units);
    }

    fn stopped(&self) -> bool {
        self.passed() || self.watch.stopped()
    }
}
