//! Node budget, deadline and cancellation of a search.
//!
//! Threads draw nodes from one shared budget in batches, so a limit of n nodes is exact for any number of threads, and
//! the hot path is one decrement. The clock, the monitor and the rules (which may report a fault) are polled when a
//! batch is used up. Batches start small and double while they are used up quickly, so that a slow evaluation function
//! exceeds a time limit only slightly. Long work within a single node polls separately.

use crate::{Limit, SearchError, SearchLimits};
use outplay_runtime::{Deadline, Monitor, Pace};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Largest batch, in nodes.
const MAX_BATCH: u64 = 1024;
/// First batch, in nodes.
const FIRST_BATCH: u64 = 1;
/// Duration above which a batch was too large.
const SLOW_BATCH: Duration = Duration::from_micros(500);

/// Reason for ending a search early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// A limit was hit.
    Limit(Limit),
    /// The search failed.
    Error(SearchError),
    /// Another thread has finished.
    Done,
}

/// Node budget and stop flag shared by all threads of a search.
pub(crate) struct NodeBudget<'a> {
    left: AtomicU64,
    monitor: Deadline<'a>,
    fault: &'a (dyn Fn() -> Option<String> + Sync),
    closed: AtomicBool,
    why: Mutex<Option<StopReason>>,
}

impl<'a> NodeBudget<'a> {
    pub(crate) fn new(
        limits: &SearchLimits,
        monitor: &'a dyn Monitor,
        fault: &'a (dyn Fn() -> Option<String> + Sync),
    ) -> NodeBudget<'a> {
        NodeBudget {
            left: AtomicU64::new(limits.nodes.unwrap_or(u64::MAX)),
            monitor: Deadline::new(limits.time, monitor),
            fault,
            closed: AtomicBool::new(false),
            why: Mutex::new(None),
        }
    }

    /// Stops all threads; the first reason is kept.
    pub(crate) fn close(&self, why: StopReason) {
        // A poisoned lock only means that another thread panicked while it held a plain value.
        let mut first = self.why.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(why);
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Returns why the search ended early, if it did.
    pub(crate) fn why(&self) -> Option<StopReason> {
        self.why.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Reports a stage of the work to the monitor.
    pub(crate) fn stage(&self, name: &str) {
        self.monitor.stage(name, 0);
    }

    /// Ends the search because of the deadline or the monitor.
    fn give_up(&self) {
        let limit = if self.monitor.passed() { Limit::Time } else { Limit::Monitor };
        self.close(StopReason::Limit(limit));
    }

    /// Draws a batch of nodes; 0 when the search must stop.
    fn draw(&self, used: u64, most: u64) -> u64 {
        self.monitor.advance(used);
        if self.closed.load(Ordering::Relaxed) {
            return 0;
        }
        if self.monitor.poll() {
            self.give_up();
            return 0;
        }
        if let Some(why) = (self.fault)() {
            self.close(StopReason::Error(SearchError::Fault(why)));
            return 0;
        }
        let mut left = self.left.load(Ordering::Relaxed);
        loop {
            // Batches shrink towards the end of the budget, so that no thread starves.
            let take = left.div_ceil(8).min(most);
            if take == 0 {
                self.close(StopReason::Limit(Limit::Nodes));
                return 0;
            }
            match self.left.compare_exchange_weak(left, left - take, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return take,
                Err(now) => left = now,
            }
        }
    }
}

/// One thread's batch of the node budget.
pub(crate) struct Clock<'a> {
    pub(crate) budget: &'a NodeBudget<'a>,
    left: u64,
    drawn: u64,
    last: u64,
    /// Size of the next batch, and when the last one was drawn.
    batch: u64,
    since: Option<Instant>,
    /// Polling for long work within a single node.
    pace: Pace<'a>,
    /// Set while the search unwinds: results returned from now on are meaningless.
    pub(crate) stopped: bool,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(budget: &'a NodeBudget<'a>) -> Clock<'a> {
        let pace = Pace::new(&budget.monitor);
        Clock { budget, left: 0, drawn: 0, last: 0, batch: FIRST_BATCH, since: None, pace, stopped: false }
    }

    /// Counts one more node; true if the search must stop before entering it.
    #[inline(always)]
    pub(crate) fn must_stop(&mut self) -> bool {
        if self.left == 0 && !self.refill() {
            return true;
        }
        self.left -= 1;
        false
    }

    /// Counts a step of work that enters no node, such as one of a million moves; true if the search must stop.
    #[inline]
    pub(crate) fn must_pause(&mut self) -> bool {
        if !self.stopped && self.pace.step() {
            self.budget.give_up();
            self.stopped = true;
        }
        self.stopped
    }

    /// Number of nodes counted so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.drawn - self.left
    }

    /// Stops all threads.
    #[cold]
    pub(crate) fn stop(&mut self, why: StopReason) {
        self.budget.close(why);
        self.stopped = true;
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> bool {
        if !self.stopped {
            let now = Instant::now();
            if let Some(since) = self.since.replace(now) {
                let took = now - since;
                // A batch that took far too long is followed by a much smaller one.
                self.batch = match (took.as_nanos() / SLOW_BATCH.as_nanos()).min(u64::MAX.into()) as u64 {
                    0 => (self.batch * 2).min(MAX_BATCH),
                    times => (self.batch / (times + 1)).max(1),
                };
            }
            self.left = self.budget.draw(self.last, self.batch);
            self.last = self.left;
            self.drawn += self.left;
            self.stopped = self.left == 0;
        }
        !self.stopped
    }
}
