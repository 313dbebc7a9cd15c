//! Monitor for tests that measures how often a kernel polls for cancellation, and how fast it stops.

use crate::Monitor;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A monitor that cancels at the n-th poll and measures the time between polls.
pub struct Meter {
    most: u64,
    questions: AtomicU64,
    times: Mutex<Times>,
}

struct Times {
    last: Instant,
    longest: Duration,
    stopped: Option<Instant>,
}

impl Meter {
    /// Cancels from the n-th poll on.
    pub fn new(most: u64) -> Meter {
        let times = Times { last: Instant::now(), longest: Duration::ZERO, stopped: None };
        Meter { most, questions: AtomicU64::new(0), times: Mutex::new(times) }
    }

    fn times<T>(&self, read: impl FnOnce(&mut Times) -> T) -> T {
        // A poisoned lock only means that another thread panicked; the plain values are intact.
        read(&mut self.times.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// Number of polls.
    pub fn questions(&self) -> u64 {
        self.questions.load(Relaxed)
    }

    /// Whether it has cancelled.
    pub fn has_stopped(&self) -> bool {
        self.questions() >= self.most
    }

    /// The longest time between two polls, by any thread, up to the first cancellation.
    pub fn longest_gap(&self) -> Duration {
        self.times(|times| times.longest)
    }

    /// The time since cancellation, or since the last poll if it has not cancelled.
    pub fn since_stop(&self) -> Duration {
        self.times(|times| times.stopped.unwrap_or(times.last).elapsed())
    }
}

impl Monitor for Meter {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        let number = self.questions.fetch_add(1, Relaxed) + 1;
        self.times(|times| {
            if times.stopped.is_none() {
                let now = Instant::now();
                times.longest = times.longest.max(now - times.last);
                times.last = now;
                if number >= self.most {
                    times.stopped = Some(now);
                }
            }
        });
        number >= self.most
    }
}
