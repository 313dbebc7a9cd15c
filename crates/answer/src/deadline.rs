//! A time limit for work that knows only how to be stopped.

use outplay_core::Watch;
use std::time::{Duration, Instant};

/// Stops work that takes too long, or when the watch behind it says so.
pub struct Deadline<'a> {
    end: Option<Instant>,
    watch: &'a dyn Watch,
    silent: bool,
}

impl<'a> Deadline<'a> {
    /// A limit of so much time from now, if any.
    pub fn new(time: Option<Duration>, watch: &'a dyn Watch) -> Deadline<'a> {
        Deadline { end: time.and_then(|time| Instant::now().checked_add(time)), watch, silent: false }
    }

    /// Keeps progress to itself: the work is a part of something that counts in other units.
    pub fn silent(self) -> Deadline<'a> {
        Deadline { silent: true, ..self }
    }

    /// The same, within a shorter time.
    pub fn within(&'a self, time: Duration) -> Deadline<'a> {
        let end = Instant::now().checked_add(time);
        let end = [self.end, end].into_iter().flatten().min();
        Deadline { end, watch: self.watch, silent: self.silent }
    }

    /// What is left of the time; `None` if there is no limit.
    pub fn rest(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether time is up, which is no wish of the user's to stop.
    pub fn passed(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() > end)
    }
}

impl Watch for Deadline<'_> {
    fn stage(&self, name: &str, total: u64) {
        if !self.silent {
            self.watch.stage(name, total);
        }
    }

    fn advance(&self, units: u64) {
        if !self.silent {
            self.watch.advance(units);
        }
    }

    fn stopped(&self) -> bool {
        self.passed() || self.watch.stopped()
    }

    fn status(&self, words: &str) {
        if !self.silent {
            self.watch.status(words);
        }
    }

    fn note(&self, sentence: &str) {
        self.watch.note(sentence);
    }
}
