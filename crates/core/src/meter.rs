//! How a kernel keeps its budget, measured: for tests.

use crate::Watch;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A watch that says stop at its n-th question and measures how the work goes on around it.
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
    /// Says stop from the n-th question on.
    pub fn new(most: u64) -> Meter {
        let times = Times { last: Instant::now(), longest: Duration::ZERO, stopped: None };
        Meter { most, questions: AtomicU64::new(0), times: Mutex::new(times) }
    }

    fn times<T>(&self, read: impl FnOnce(&mut Times) -> T) -> T {
        // A poisoned lock only means that another thread panicked while it held plain values.
        read(&mut self.times.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// How many questions there were.
    pub fn questions(&self) -> u64 {
        self.questions.load(Relaxed)
    }

    /// Whether it has said stop.
    pub fn has_stopped(&self) -> bool {
        self.questions() >= self.most
    }

    /// The longest time from one question to the next up to the first stop, whoever asked.
    pub fn longest_gap(&self) -> Duration {
        self.times(|times| times.longest)
    }

    /// The time that has passed since it said stop, or since the last question if it has not.
    pub fn since_stop(&self) -> Duration {
        self.times(|times| times.stopped.unwrap_or(times.last).elapsed())
    }
}

impl Watch for Meter {
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
