//! When to stop: positions, time, and the wish of whoever watches.
//!
//! Threads draw positions from one shared purse in small handfuls, so a limit of n positions is kept to the
//! position by any number of threads, and the hot path is one decrement. Everything slow (the time, the
//! watch, faults of the rules) is looked at when a handful is used up. Handfuls begin small and grow while
//! they are used up quickly, so that slow evaluations overrun a time limit by little.

use crate::{Limit, Limits, SearchError};
use outplay_core::Watch;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The most positions per handful.
const HANDFUL: u64 = 1024;
/// Positions of the first handful under a time limit.
const FIRST: u64 = 1;
/// A handful that takes longer than this was too large.
const LONG: Duration = Duration::from_micros(500);

/// Why the search ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It ran into a limit.
    Limit(Limit),
    /// It cannot go on.
    Error(SearchError),
    /// Another thread has the answer.
    Done,
}

/// What all threads of one search share.
pub(crate) struct Purse<'a> {
    left: AtomicU64,
    deadline: Option<Instant>,
    watch: &'a dyn Watch,
    fault: &'a (dyn Fn() -> Option<String> + Sync),
    closed: AtomicBool,
    why: Mutex<Option<Stop>>,
}

impl<'a> Purse<'a> {
    pub(crate) fn new(
        limits: &Limits,
        watch: &'a dyn Watch,
        fault: &'a (dyn Fn() -> Option<String> + Sync),
    ) -> Purse<'a> {
        Purse {
            left: AtomicU64::new(limits.nodes.unwrap_or(u64::MAX)),
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            watch,
            fault,
            closed: AtomicBool::new(false),
            why: Mutex::new(None),
        }
    }

    /// Ends the search on all threads; the first reason counts.
    pub(crate) fn close(&self, why: Stop) {
        // A poisoned lock only means that another thread panicked while it held a plain value.
        let mut first = self.why.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(why);
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Why the search ended early, if it did.
    pub(crate) fn why(&self) -> Option<Stop> {
        self.why.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Announces a stage of the work.
    pub(crate) fn stage(&self, name: &str) {
        self.watch.stage(name, 0);
    }

    /// Takes a handful of positions; none when it is time to stop.
    fn draw(&self, used: u64, most: u64) -> u64 {
        self.watch.advance(used);
        if self.closed.load(Ordering::Relaxed) {
            return 0;
        }
        if self.watch.stopped() {
            self.close(Stop::Limit(Limit::Watch));
            return 0;
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.close(Stop::Limit(Limit::Time));
            return 0;
        }
        if let Some(why) = (self.fault)() {
            self.close(Stop::Error(SearchError::Fault(why)));
            return 0;
        }
        let mut left = self.left.load(Ordering::Relaxed);
        loop {
            // Towards the end of the purse handfuls become small, so that no thread goes without.
            let take = left.div_ceil(8).min(most);
            if take == 0 {
                self.close(Stop::Limit(Limit::Nodes));
                return 0;
            }
            match self.left.compare_exchange_weak(left, left - take, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return take,
                Err(now) => left = now,
            }
        }
    }
}

/// One thread's handful.
pub(crate) struct Clock<'a> {
    pub(crate) purse: &'a Purse<'a>,
    left: u64,
    drawn: u64,
    last: u64,
    /// How large the next handful may be, and when the last one was drawn.
    handful: u64,
    since: Option<Instant>,
    /// The search unwinds: whatever it returns from now on means nothing.
    pub(crate) stopped: bool,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(purse: &'a Purse<'a>) -> Clock<'a> {
        let handful = if purse.deadline.is_some() { FIRST } else { HANDFUL };
        Clock { purse, left: 0, drawn: 0, last: 0, handful, since: None, stopped: false }
    }

    /// Counts one more position, or says that the search must stop before entering it.
    #[inline(always)]
    pub(crate) fn must_stop(&mut self) -> bool {
        if self.left == 0 && !self.refill() {
            return true;
        }
        self.left -= 1;
        false
    }

    /// Positions counted so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.drawn - self.left
    }

    /// Stops all threads.
    #[cold]
    pub(crate) fn stop(&mut self, why: Stop) {
        self.purse.close(why);
        self.stopped = true;
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> bool {
        if !self.stopped {
            if self.purse.deadline.is_some() {
                let now = Instant::now();
                let long = self.since.replace(now).is_some_and(|since| now - since > LONG);
                let known = self.drawn > 0;
                self.handful = if long {
                    (self.handful / 2).max(1)
                } else if known {
                    (self.handful * 2).min(HANDFUL)
                } else {
                    self.handful
                };
            }
            self.left = self.purse.draw(self.last, self.handful);
            self.last = self.left;
            self.drawn += self.left;
            self.stopped = self.left == 0;
        }
        !self.stopped
    }
}
