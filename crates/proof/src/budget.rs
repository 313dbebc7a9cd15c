//! How much work may be done, and how much has been.

use outplay_core::Watch;
use std::time::Instant;

/// Counts looks at positions and stops the work at a limit, a deadline or on request.
pub(crate) struct Budget<'a> {
    watch: &'a dyn Watch,
    deadline: Option<Instant>,
    left: u64,
    /// Looks so far.
    pub(crate) looks: u64,
    stopped: bool,
}

/// Clock and watch are asked once in so many looks.
const INTERVAL: u64 = 256;

impl<'a> Budget<'a> {
    pub(crate) fn new(watch: &'a dyn Watch, deadline: Option<Instant>, looks: u64) -> Self {
        Budget { watch, deadline, left: looks, looks: 0, stopped: false }
    }

    /// Counts one look.
    pub(crate) fn spend(&mut self) {
        self.looks += 1;
        self.left = self.left.saturating_sub(1);
        if self.looks.is_multiple_of(INTERVAL) {
            self.watch.advance(INTERVAL);
            self.stopped |= self.watch.stopped() || self.deadline.is_some_and(|d| Instant::now() >= d);
        }
    }

    /// Whether the work must end now.
    pub(crate) fn spent(&self) -> bool {
        self.left == 0 || self.stopped
    }

    /// Gives a part of the work a limit of its own; returns what to hand to [`Budget::leave`].
    pub(crate) fn enter(&mut self, looks: u64) -> u64 {
        let outside = self.left.saturating_sub(looks);
        self.left = self.left.min(looks);
        outside
    }

    /// Ends a part of the work that [`Budget::enter`] began.
    pub(crate) fn leave(&mut self, outside: u64) {
        self.left = self.left.saturating_add(outside);
    }
}
