//! Node budget of a proof search, with cancellation by a monitor.

use outplay_runtime::{Monitor, Pace};

/// Counts nodes and ends the search at a limit or when the monitor requests it.
pub(crate) struct NodeBudget<'a> {
    monitor: &'a dyn Monitor,
    pace: Pace<'a>,
    left: u64,
    /// Nodes so far.
    pub(crate) nodes: u64,
    /// Number of lines of the board; the cost of a node is proportional to it.
    lines: usize,
    /// Whether a table failed to allocate memory.
    full: bool,
}

/// Nodes between two progress reports.
const INTERVAL: u64 = 256;

impl<'a> NodeBudget<'a> {
    pub(crate) fn new(monitor: &'a dyn Monitor, nodes: u64, lines: usize) -> Self {
        NodeBudget { monitor, pace: Pace::new(monitor), left: nodes, nodes: 0, lines, full: false }
    }

    /// Counts one node.
    pub(crate) fn spend(&mut self) {
        self.nodes += 1;
        self.left = self.left.saturating_sub(1);
        self.pace.steps(1 + self.lines / 2);
        if self.nodes.is_multiple_of(INTERVAL) {
            self.monitor.advance(INTERVAL);
        }
    }

    /// Counts work that traverses the lines once; returns whether the monitor requests a stop.
    pub(crate) fn part(&mut self) -> bool {
        self.pace.steps(1 + self.lines / 64)
    }

    /// Whether the search must end now.
    pub(crate) fn spent(&self) -> bool {
        self.left == 0 || self.pace.stopped() || self.full
    }

    /// Whether the monitor requests a stop.
    pub(crate) fn stopped(&self) -> bool {
        self.pace.stopped()
    }

    /// Records that a table could not grow.
    pub(crate) fn fill(&mut self) {
        self.full = true;
    }

    /// Sets a tighter limit for a sub-search; returns the value to pass to [`NodeBudget::leave`].
    pub(crate) fn enter(&mut self, nodes: u64) -> u64 {
        let outside = self.left.saturating_sub(nodes);
        self.left = self.left.min(nodes);
        outside
    }

    /// Ends a sub-search started by [`NodeBudget::enter`].
    pub(crate) fn leave(&mut self, outside: u64) {
        self.left = self.left.saturating_add(outside);
    }
}
