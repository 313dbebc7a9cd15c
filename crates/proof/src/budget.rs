//! How much work may be done, and how much has been.

use outplay_core::{Pace, Watch};

/// Counts looks at positions and stops the work at a limit or when the watch says so.
pub(crate) struct Budget<'a> {
    watch: &'a dyn Watch,
    pace: Pace<'a>,
    left: u64,
    /// Looks so far.
    pub(crate) looks: u64,
    /// Lines of the board: what everything takes time in proportion to.
    lines: usize,
    /// There is no memory for more.
    full: bool,
}

/// Progress is told once in so many looks.
const INTERVAL: u64 = 256;

impl<'a> Budget<'a> {
    pub(crate) fn new(watch: &'a dyn Watch, looks: u64, lines: usize) -> Self {
        Budget { watch, pace: Pace::new(watch), left: looks, looks: 0, lines, full: false }
    }

    /// Counts one look.
    pub(crate) fn spend(&mut self) {
        self.looks += 1;
        self.left = self.left.saturating_sub(1);
        self.pace.steps(1 + self.lines / 2);
        if self.looks.is_multiple_of(INTERVAL) {
            self.watch.advance(INTERVAL);
        }
    }

    /// Counts a part of a look, or of other work, that goes through the lines once; says whether the watch wants the
    /// work to end.
    pub(crate) fn part(&mut self) -> bool {
        self.pace.steps(1 + self.lines / 64)
    }

    /// Whether the work must end now.
    pub(crate) fn spent(&self) -> bool {
        self.left == 0 || self.pace.stopped() || self.full
    }

    /// Whether the watch wants the work to end.
    pub(crate) fn stopped(&self) -> bool {
        self.pace.stopped()
    }

    /// There is no memory for more.
    pub(crate) fn fill(&mut self) {
        self.full = true;
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
