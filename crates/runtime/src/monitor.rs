//! Progress reporting and cooperative cancellation.
//!
//! ```text
//! Monitor    receives progress and cancels work, for example after Ctrl-C or when a browser tab closes
//! Deadline   a monitor that wraps another one and also cancels after a timeout
//! Pace       polls a monitor every few milliseconds from within a kernel's loop
//! ```

use std::ops::Range;
use std::time::{Duration, Instant};

/// Receiver of progress and source of cancellation: a progress bar, a web page, or [`NoMonitor`].
///
/// Calls come from several threads and must be cheap; kernels poll a few hundred times per second, see [`Pace`].
pub trait Monitor: Send + Sync {
    /// A new stage begins, with `total` units of work (0 if unknown).
    fn stage(&self, name: &str, total: u64);
    /// `units` more are done.
    fn advance(&self, units: u64);
    /// The next stage is this portion of the whole work: `0.3..1.0` is what follows the first 30 %. Without it, a stage
    /// is the whole work.
    fn portion(&self, _portion: Range<f64>) {}
    /// Whether to stop as soon as possible: the caller cancelled, or a timeout expired.
    fn stopped(&self) -> bool;
    /// Waits while more urgent work runs; a no-op by default.
    fn yield_to_urgent(&self) {}
    /// Yields to urgent work, then returns whether to stop: the poll of a kernel.
    fn poll(&self) -> bool {
        self.yield_to_urgent();
        self.stopped()
    }
    /// Time left before [`Monitor::stopped`] becomes true by a timeout; `None` without one.
    fn time_left(&self) -> Option<Duration> {
        None
    }
    /// Reports the current status in a few words; the next call replaces them.
    fn status(&self, _words: &str) {}
    /// Reports a fact before the work begins, such as the memory it will take.
    fn note(&self, _sentence: &str) {}
}

/// Monitor that discards progress and never cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMonitor;

impl Monitor for NoMonitor {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        false
    }
}

/// Monitor that cancels after a timeout, or when the monitor it wraps does.
#[derive(Clone, Copy)]
pub struct Deadline<'a> {
    end: Option<Instant>,
    monitor: &'a dyn Monitor,
    silent: bool,
}

impl<'a> Deadline<'a> {
    /// A timeout from now, if any; a time that overflows the clock means none.
    pub fn new(time: Option<Duration>, monitor: &'a dyn Monitor) -> Deadline<'a> {
        Deadline::until(time.and_then(|time| Instant::now().checked_add(time)), monitor)
    }

    /// A timeout at a given instant, if any.
    pub fn until(end: Option<Instant>, monitor: &'a dyn Monitor) -> Deadline<'a> {
        Deadline { end, monitor, silent: false }
    }

    /// Does not forward progress: the work is part of a stage that counts other units.
    pub fn silent(self) -> Deadline<'a> {
        Deadline { silent: true, ..self }
    }

    /// The same with a shorter timeout.
    pub fn within(&'a self, time: Duration) -> Deadline<'a> {
        let end = Instant::now().checked_add(time);
        let end = [self.end, end].into_iter().flatten().min();
        Deadline { end, monitor: self.monitor, silent: self.silent }
    }

    /// Time left; `None` without a timeout.
    pub fn rest(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether the timeout expired; false if only the wrapped monitor cancelled.
    pub fn passed(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

impl Monitor for Deadline<'_> {
    fn stage(&self, name: &str, total: u64) {
        if !self.silent {
            self.monitor.stage(name, total);
        }
    }

    fn advance(&self, units: u64) {
        if !self.silent {
            self.monitor.advance(units);
        }
    }

    fn portion(&self, portion: Range<f64>) {
        if !self.silent {
            self.monitor.portion(portion);
        }
    }

    fn stopped(&self) -> bool {
        self.passed() || self.monitor.stopped()
    }

    fn yield_to_urgent(&self) {
        self.monitor.yield_to_urgent();
    }

    fn time_left(&self) -> Option<Duration> {
        [self.rest(), self.monitor.time_left()].into_iter().flatten().min()
    }

    fn status(&self, words: &str) {
        if !self.silent {
            self.monitor.status(words);
        }
    }

    fn note(&self, sentence: &str) {
        self.monitor.note(sentence);
    }
}

/// Target time between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Maximum number of steps between two polls, so that steps which suddenly become slow are noticed soon.
const MOST_STEPS: u32 = 1 << 12;

/// Adaptive polling: polls a monitor about every 2 ms of work, whatever the cost of a step.
///
/// A kernel counts its steps here. The first step polls at once; then the number of steps between two polls doubles
/// while they take less than 2 ms and shrinks when they take more. A step that can be much slower than others should
/// count as several: see [`Pace::steps`].
///
/// # Examples
///
/// ```
/// use outplay_runtime::{NoMonitor, Pace};
///
/// let mut pace = Pace::new(&NoMonitor);
/// let sum: u64 = (0..1000).take_while(|_| !pace.step()).sum();
/// assert_eq!(sum, 499_500);
/// ```
pub struct Pace<'a> {
    monitor: &'a dyn Monitor,
    /// Steps left before the next poll.
    left: u32,
    /// Steps between two polls.
    stride: u32,
    polled: Instant,
    stopped: bool,
}

impl<'a> Pace<'a> {
    /// A pace that polls at its first step.
    pub fn new(monitor: &'a dyn Monitor) -> Pace<'a> {
        Pace { monitor, left: 0, stride: 1, polled: Instant::now(), stopped: false }
    }

    /// Counts a step and returns whether to stop; once true, it stays true.
    #[inline(always)]
    pub fn step(&mut self) -> bool {
        self.steps(1)
    }

    /// Counts a step that costs as much as `cost` steps.
    #[inline(always)]
    pub fn steps(&mut self, cost: usize) -> bool {
        if (self.left as usize) < cost {
            return self.poll();
        }
        self.left -= cost as u32;
        false
    }

    /// Whether a step returned true.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    #[cold]
    #[inline(never)]
    fn poll(&mut self) -> bool {
        if !self.stopped {
            let now = Instant::now();
            let took = now - self.polled;
            self.polled = now;
            if took > 2 * POLL_INTERVAL {
                let times = (took.as_nanos() / POLL_INTERVAL.as_nanos()).min(MOST_STEPS.into()) as u32;
                self.stride = (self.stride / times).max(1);
            } else if took < POLL_INTERVAL {
                self.stride = (self.stride * 2).min(MOST_STEPS);
            }
            // The current step runs after the poll.
            self.left = self.stride - 1;
            self.stopped = self.monitor.poll();
            if self.stopped {
                self.left = 0;
            }
        }
        self.stopped
    }

    /// Processes a range in pieces of a few milliseconds each, with a poll before every piece. Returns whether it was
    /// stopped before the end.
    pub fn pieces(monitor: &dyn Monitor, range: Range<u64>, work: &mut dyn FnMut(Range<u64>)) -> bool {
        Pace::pieces_from(monitor, range, &mut { Pace::PIECE }, work)
    }

    /// Initial size of a piece for [`Pace::pieces`]: small enough for positions with thousands of moves.
    pub const PIECE: u64 = 32;

    /// The same with the size of the first piece as an in-out parameter, for consecutive ranges.
    pub fn pieces_from(
        monitor: &dyn Monitor,
        range: Range<u64>,
        size: &mut u64,
        work: &mut dyn FnMut(Range<u64>),
    ) -> bool {
        let mut from = range.start;
        let mut polled = Instant::now();
        while from < range.end {
            if monitor.poll() {
                return true;
            }
            let piece = from..range.end.min(from.saturating_add(*size));
            // A shorter piece at the end of a range is no measure for the size.
            let whole = piece.end - piece.start == *size;
            from = piece.end;
            work(piece);
            let now = Instant::now();
            let took = now - polled;
            polled = now;
            if took > 2 * POLL_INTERVAL {
                let times = (took.as_nanos() / POLL_INTERVAL.as_nanos()).min(u64::MAX.into()) as u64;
                *size = (*size / times).max(1);
            } else if took < POLL_INTERVAL && whole {
                // No upper bound: the pieces of a range have similar costs, and ranges end.
                *size = size.saturating_mul(2);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Cancels from the n-th poll on, and counts polls.
    struct CancelAfter {
        polls: AtomicU64,
        most: u64,
    }

    impl CancelAfter {
        fn new(most: u64) -> CancelAfter {
            CancelAfter { polls: AtomicU64::new(0), most }
        }
    }

    impl Monitor for CancelAfter {
        fn stage(&self, _name: &str, _total: u64) {}
        fn advance(&self, _units: u64) {}
        fn stopped(&self) -> bool {
            self.polls.fetch_add(1, Relaxed) + 1 >= self.most
        }
    }

    #[test]
    fn first_step_polls_and_cancellation_is_final() {
        let monitor = CancelAfter::new(1);
        let mut pace = Pace::new(&monitor);
        assert!(pace.step() && pace.step() && pace.steps(7) && pace.stopped());
        // A monitor that cancelled is not polled again.
        assert_eq!(monitor.polls.load(Relaxed), 1);
    }

    #[test]
    fn slow_steps_poll_one_by_one() {
        let monitor = CancelAfter::new(6);
        let mut pace = Pace::new(&monitor);
        let mut steps = 0;
        while !pace.step() {
            std::thread::sleep(3 * POLL_INTERVAL);
            steps += 1;
        }
        assert!(steps <= 8, "{steps}");
    }

    #[test]
    fn quick_steps_share_a_poll() {
        let monitor = CancelAfter::new(u64::MAX);
        let mut pace = Pace::new(&monitor);
        assert!((0..1_000_000).all(|_| !pace.step()));
        let polls = monitor.polls.load(Relaxed);
        assert!((240..100_000).contains(&polls), "{polls}");
        // Costly steps are polled sooner.
        let (monitor, before) = (CancelAfter::new(u64::MAX), polls);
        let mut pace = Pace::new(&monitor);
        assert!((0..1_000_000).all(|_| !pace.steps(100)));
        assert!(monitor.polls.load(Relaxed) > 2 * before.min(10_000));
    }

    #[test]
    fn pieces_cover_the_range_in_order_until_a_stop() {
        let mut seen = Vec::new();
        assert!(!Pace::pieces(&NoMonitor, 5..100_000, &mut |piece| seen.extend(piece)));
        assert!(seen.iter().copied().eq(5..100_000));
        let (monitor, mut pieces) = (CancelAfter::new(4), 0);
        assert!(Pace::pieces(&monitor, 0..1_000_000, &mut |_| pieces += 1));
        assert_eq!(pieces, 3);
        assert!(!Pace::pieces(&CancelAfter::new(1), 3..3, &mut |_| panic!("nothing to do")));
    }

    #[test]
    fn deadline_cancels_after_its_timeout() {
        assert!(!Deadline::new(None, &NoMonitor).stopped());
        assert!(!Deadline::new(Some(Duration::MAX), &NoMonitor).stopped());
        assert!(Deadline::new(Some(Duration::ZERO), &NoMonitor).stopped());
        assert!(Deadline::until(None, &CancelAfter::new(1)).stopped());
    }
}
