//! How long work tells where it is and learns that it should stop.
//!
//! ```text
//! Watch    who asks for the work: says when to stop, because of a key, a closed page or the clock
//! Timed    a watch that also says stop when time is up
//! Pace     how a kernel asks: by steps in the loop, by time in effect
//! ```

use std::ops::Range;
use std::time::{Duration, Instant};

/// Someone who watches long work: a progress bar, a web page, or nobody.
///
/// Calls come from several threads and must be cheap; kernels ask a few hundred times a second, see [`Pace`].
pub trait Watch: Send + Sync {
    /// A new stage begins, with `total` units of work ahead (0 if unknown).
    fn stage(&self, name: &str, total: u64);
    /// `units` more are done.
    fn advance(&self, units: u64);
    /// Whether to give up as soon as possible: somebody wants it, or time is up.
    fn stopped(&self) -> bool;
    /// What is left of the time after which [`Watch::stopped`] says so; `None` if there is no limit.
    fn time_left(&self) -> Option<Duration> {
        None
    }
    /// How things stand, in a few words; the next call replaces them.
    fn status(&self, _words: &str) {}
    /// Something worth knowing before the work begins, such as the memory it will take.
    fn note(&self, _sentence: &str) {}
}

/// Nobody watches, and the work runs to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Watch for Quiet {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        false
    }
}

/// Stops work that takes too long, or when the watch behind it says so.
#[derive(Clone, Copy)]
pub struct Deadline<'a> {
    end: Option<Instant>,
    watch: &'a dyn Watch,
    silent: bool,
}

impl<'a> Deadline<'a> {
    /// A limit of so much time from now, if any; a time beyond what clocks can count is none.
    pub fn new(time: Option<Duration>, watch: &'a dyn Watch) -> Deadline<'a> {
        Deadline::until(time.and_then(|time| Instant::now().checked_add(time)), watch)
    }

    /// A limit at a moment, if any.
    pub fn until(end: Option<Instant>, watch: &'a dyn Watch) -> Deadline<'a> {
        Deadline { end, watch, silent: false }
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
        self.end.is_some_and(|end| Instant::now() >= end)
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

    fn time_left(&self) -> Option<Duration> {
        [self.rest(), self.watch.time_left()].into_iter().flatten().min()
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

/// Work between two questions to a watch is meant to take about this long.
const SOON: Duration = Duration::from_millis(2);
/// The most steps between two questions, so that steps which suddenly become slow are noticed before long.
const MOST_STEPS: u32 = 1 << 12;

/// Asks a watch as often as a few milliseconds of work allow, however long a step takes.
///
/// A kernel counts its steps here. The first step asks at once; then the number of steps between two questions
/// doubles while they take less than 2 ms and shrinks when they take more. A step that can be much slower than
/// others should count as several: see [`Pace::steps`].
///
/// # Examples
///
/// ```
/// use outplay_core::{Pace, Quiet};
///
/// let mut pace = Pace::new(&Quiet);
/// let sum: u64 = (0..1000).take_while(|_| !pace.step()).sum();
/// assert_eq!(sum, 499_500);
/// ```
pub struct Pace<'a> {
    watch: &'a dyn Watch,
    /// Steps left before the next question.
    left: u32,
    /// Steps between two questions.
    stride: u32,
    asked: Instant,
    stopped: bool,
}

impl<'a> Pace<'a> {
    /// A pace that asks at its first step.
    pub fn new(watch: &'a dyn Watch) -> Pace<'a> {
        Pace { watch, left: 0, stride: 1, asked: Instant::now(), stopped: false }
    }

    /// Counts a step and says whether to stop; once it has said so, it always does.
    #[inline(always)]
    pub fn step(&mut self) -> bool {
        self.steps(1)
    }

    /// Counts a step that costs as much as so many.
    #[inline(always)]
    pub fn steps(&mut self, cost: usize) -> bool {
        if (self.left as usize) < cost {
            return self.ask();
        }
        self.left -= cost as u32;
        false
    }

    /// Whether a step has said stop.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    #[cold]
    #[inline(never)]
    fn ask(&mut self) -> bool {
        if !self.stopped {
            let now = Instant::now();
            let took = now - self.asked;
            self.asked = now;
            if took > 2 * SOON {
                let times = (took.as_nanos() / SOON.as_nanos()).min(MOST_STEPS.into()) as u32;
                self.stride = (self.stride / times).max(1);
            } else if took < SOON {
                self.stride = (self.stride * 2).min(MOST_STEPS);
            }
            // The step at hand is done after the question.
            self.left = self.stride - 1;
            self.stopped = self.watch.stopped();
            if self.stopped {
                self.left = 0;
            }
        }
        self.stopped
    }

    /// Works through a range in pieces that take a few milliseconds each, asking before every piece. Says whether it
    /// was stopped before the end.
    pub fn pieces(watch: &dyn Watch, range: Range<u64>, work: &mut dyn FnMut(Range<u64>)) -> bool {
        Pace::pieces_from(watch, range, &mut { Pace::PIECE }, work)
    }

    /// What [`Pace::pieces`] begins with: even positions with thousands of moves take little longer than they should.
    pub const PIECE: u64 = 32;

    /// The same with a size for the first piece, which becomes that of the next one: for ranges that follow each
    /// other.
    pub fn pieces_from(
        watch: &dyn Watch,
        range: Range<u64>,
        size: &mut u64,
        work: &mut dyn FnMut(Range<u64>),
    ) -> bool {
        let mut from = range.start;
        let mut asked = Instant::now();
        while from < range.end {
            if watch.stopped() {
                return true;
            }
            let piece = from..range.end.min(from.saturating_add(*size));
            // A piece at the end of a range says little about how large pieces can be.
            let whole = piece.end - piece.start == *size;
            from = piece.end;
            work(piece);
            let now = Instant::now();
            let took = now - asked;
            asked = now;
            if took > 2 * SOON {
                let times = (took.as_nanos() / SOON.as_nanos()).min(u64::MAX.into()) as u64;
                *size = (*size / times).max(1);
            } else if took < SOON && whole {
                // Sizes grow without a bound here: pieces are of one kind, and ranges end.
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

    /// Says stop from the n-th question on, and counts them.
    struct After {
        questions: AtomicU64,
        most: u64,
    }

    impl After {
        fn new(most: u64) -> After {
            After { questions: AtomicU64::new(0), most }
        }
    }

    impl Watch for After {
        fn stage(&self, _name: &str, _total: u64) {}
        fn advance(&self, _units: u64) {}
        fn stopped(&self) -> bool {
            self.questions.fetch_add(1, Relaxed) + 1 >= self.most
        }
    }

    #[test]
    fn the_first_step_asks_and_a_stop_lasts() {
        let watch = After::new(1);
        let mut pace = Pace::new(&watch);
        assert!(pace.step() && pace.step() && pace.steps(7) && pace.stopped());
        // A watch that said stop is not asked again.
        assert_eq!(watch.questions.load(Relaxed), 1);
    }

    #[test]
    fn slow_steps_are_asked_about_one_by_one() {
        let watch = After::new(6);
        let mut pace = Pace::new(&watch);
        let mut steps = 0;
        while !pace.step() {
            std::thread::sleep(3 * SOON);
            steps += 1;
        }
        assert!(steps <= 8, "{steps}");
    }

    #[test]
    fn quick_steps_are_not_asked_about_each() {
        let watch = After::new(u64::MAX);
        let mut pace = Pace::new(&watch);
        assert!((0..1_000_000).all(|_| !pace.step()));
        let questions = watch.questions.load(Relaxed);
        assert!((240..100_000).contains(&questions), "{questions}");
        // Costly steps are asked about sooner.
        let (watch, before) = (After::new(u64::MAX), questions);
        let mut pace = Pace::new(&watch);
        assert!((0..1_000_000).all(|_| !pace.steps(100)));
        assert!(watch.questions.load(Relaxed) > 2 * before.min(10_000));
    }

    #[test]
    fn pieces_cover_the_range_in_order_until_a_stop() {
        let mut seen = Vec::new();
        assert!(!Pace::pieces(&Quiet, 5..100_000, &mut |piece| seen.extend(piece)));
        assert!(seen.iter().copied().eq(5..100_000));
        let (watch, mut pieces) = (After::new(4), 0);
        assert!(Pace::pieces(&watch, 0..1_000_000, &mut |_| pieces += 1));
        assert_eq!(pieces, 3);
        assert!(!Pace::pieces(&After::new(1), 3..3, &mut |_| panic!("nothing to do")));
    }

    #[test]
    fn time_runs_out() {
        assert!(!Deadline::new(None, &Quiet).stopped());
        assert!(!Deadline::new(Some(Duration::MAX), &Quiet).stopped());
        assert!(Deadline::new(Some(Duration::ZERO), &Quiet).stopped());
        assert!(Deadline::until(None, &After::new(1)).stopped());
    }
}
