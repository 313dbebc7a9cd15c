//! When to stop: positions, time, and the wish of whoever watches.
//!
//! Threads draw positions from one shared purse in small handfuls, so a limit of n positions is kept to the
//! position by any number of threads, and the hot path is one decrement. Everything slow (the time, the
//! watch, faults of the rules) is looked at when a handful is used up. Handfuls begin small and grow while
//! they are used up quickly, so that slow evaluations overrun a time limit by little; what takes long within one
//! position counts its steps apart.

use crate::{Limit, Limits, SearchError};
use outplay_core::{Deadline, Pace, Watch};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The most positions per handful.
const HANDFUL: u64 = 1024;
/// Positions of the first handful.
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
    watch: Deadline<'a>,
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
            watch: Deadline::new(limits.time, watch),
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

    /// Ends the search because of the clock or whoever watches.
    fn give_up(&self) {
        let limit = if self.watch.passed() { Limit::Time } else { Limit::Watch };
        self.close(Stop::Limit(limit));
    }

    /// Takes a handful of positions; none when it is time to stop.
    fn draw(&self, used: u64, most: u64) -> u64 {
        self.watch.advance(used);
        if self.closed.load(Ordering::Relaxed) {
            return 0;
        }
        if self.watch.stopped() {
            self.give_up();
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
    /// For what takes long within one position.
    pace: Pace<'a>,
    /// The search unwinds: whatever it returns from now on means nothing.
    pub(crate) stopped: bool,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(purse: &'a Purse<'a>) -> Clock<'a> {
        let pace = Pace::new(&purse.watch);
        Clock { purse, left: 0, drawn: 0, last: 0, handful: FIRST, since: None, pace, stopped: false }
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

    /// Counts a step of work that enters no position, such as one of a million moves, or says that the search must
    /// stop.
    #[inline]
    pub(crate) fn must_pause(&mut self) -> bool {
        if !self.stopped && self.pace.step() {
            self.purse.give_up();
            self.stopped = true;
        }
        self.stopped
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
            let now = Instant::now();
            if let Some(since) = self.since.replace(now) {
                let took = now - since;
                // A handful that took far too long is followed by a far smaller one.
                self.handful = match (took.as_nanos() / LONG.as_nanos()).min(u64::MAX.into()) as u64 {
                    0 => (self.handful * 2).min(HANDFUL),
                    times => (self.handful / (times + 1)).max(1),
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
