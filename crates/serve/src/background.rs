//! Work that goes on behind the questions of visitors: matches and experiments.
//!
//! ```text
//!  Ledger   what runs and what ran: numbered, a few at a time, somebody's
//!  behind   a thread of its own that gives way to every other one
//!  Tenure   work that nobody looks at any more is stopped, unless it was told to stay
//! ```
//!
//! Invariant: only who began something may stop it or go on with it, and what is over is kept for a while.

use crate::refusal::Refusal;
use crate::workers::Progress;
use axum::http::StatusCode;
use outplay_door::Visitor;
use serde::Serialize;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long work goes on that nobody looks at: a page that is reloaded is back sooner.
const ALONE: Duration = Duration::from_secs(15);

/// What a lock guards here is replaced or added to as a whole, so that a panic elsewhere leaves it sound.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether somebody looks, or does not have to.
pub(crate) struct Tenure {
    stay: bool,
    seen: Mutex<Instant>,
}

impl Tenure {
    pub(crate) fn new(stay: bool) -> Tenure {
        Tenure { stay, seen: Mutex::new(Instant::now()) }
    }

    /// Somebody looks.
    pub(crate) fn look(&self) {
        *lock(&self.seen) = Instant::now();
    }

    /// Nobody has looked for a while, and somebody should.
    pub(crate) fn is_over(&self) -> bool {
        !self.stay && lock(&self.seen).elapsed() > ALONE
    }
}

/// Something that goes on in the background.
pub(crate) trait Work: Send + Sync {
    /// What it is called in sentences.
    const NAME: &'static str;
    /// Who began it.
    fn visitor(&self) -> Visitor;
    /// Whether it is under way.
    fn runs(&self) -> bool;
    /// Tells it to stop.
    fn stop(&self);
}

/// How work stands, beside what it is about.
#[derive(Serialize)]
pub(crate) struct Report<'a, A, F> {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) about: A,
    pub(crate) state: &'static str,
    pub(crate) seconds: f64,
    #[serde(flatten)]
    pub(crate) stage: Stage<'a, F>,
}

/// What there is to tell of work: how far it is, what it found, or why it found nothing.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Stage<'a, F> {
    Running(Progress),
    Done(F),
    Failed(&'a Refusal),
}

/// The last number that was given, and what has which number.
type Numbered<W> = (u64, Vec<(u64, Arc<W>)>);

/// What runs and what ran.
pub(crate) struct Ledger<W> {
    list: Mutex<Numbered<W>>,
    /// How many may be under way.
    most: usize,
    /// How many are remembered.
    kept: usize,
}

impl<W: Work> Ledger<W> {
    pub(crate) fn new(most: usize, kept: usize) -> Ledger<W> {
        Ledger { list: Mutex::default(), most, kept }
    }

    /// Adds work if there is room for it and its visitor has none under way; its number.
    pub(crate) fn add(&self, work: Arc<W>) -> Result<u64, Refusal> {
        self.room(work.visitor())?;
        let mut list = lock(&self.list);
        let (last, works) = &mut *list;
        *last += 1;
        works.push((*last, work));
        while works.len() > self.kept {
            let Some(at) = works.iter().position(|(_, work)| !work.runs()) else { break };
            works.remove(at);
        }
        Ok(*last)
    }

    /// Refuses if no more may run.
    pub(crate) fn room(&self, visitor: Visitor) -> Result<(), Refusal> {
        let list = lock(&self.list);
        let running = || list.1.iter().filter(|(_, work)| work.runs());
        let name = W::NAME;
        let busy =
            |error: String, cure: String| Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, cure));
        if running().any(|(_, work)| work.visitor() == visitor) {
            return busy(format!("busy: {name} of yours is under way"), "stop it, or wait for it".into());
        }
        if running().count() >= self.most {
            return busy(
                format!("busy: as much is under way as this server runs of {name}"),
                "wait a minute".into(),
            );
        }
        Ok(())
    }

    pub(crate) fn find(&self, id: &str) -> Result<(u64, Arc<W>), Refusal> {
        let number: Option<u64> = id.parse().ok();
        let list = lock(&self.list);
        let found = list.1.iter().find(|(known, _)| Some(*known) == number);
        found.map(|(known, work)| (*known, Arc::clone(work))).ok_or_else(|| {
            let id: String = id.chars().take(20).collect();
            let error = format!("there is no {id} of {}", W::NAME);
            Refusal::new(
                StatusCode::NOT_FOUND,
                error,
                "the server forgets what is long over, and all of it when it ends; begin anew",
            )
        })
    }

    /// The same for somebody who wants to change something about it.
    pub(crate) fn own(&self, id: &str, visitor: Visitor) -> Result<(u64, Arc<W>), Refusal> {
        let (id, work) = self.find(id)?;
        if work.visitor() != visitor {
            let error = format!("this was begun by somebody else ({} {id})", W::NAME);
            return Err(Refusal::new(StatusCode::FORBIDDEN, error, "watch it, or begin one of your own"));
        }
        Ok((id, work))
    }

    /// All of them, the latest first.
    pub(crate) fn all(&self) -> Vec<(u64, Arc<W>)> {
        lock(&self.list).1.iter().rev().cloned().collect()
    }

    /// Tells everything to stop, because the server ends.
    pub(crate) fn stop(&self) {
        lock(&self.list).1.iter().for_each(|(_, work)| work.stop());
    }
}

/// Waits for something beside whatever else is waited for. Behind a pointer, so that what a runtime does for a task is
/// compiled once instead of for each kind.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    let task: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(task);
    drop(tokio::spawn(task));
}

/// Does work on a thread of its own that gives way to every other one; threads that it starts do the same.
pub(crate) fn behind(name: &str, work: Box<dyn FnOnce() + Send>) -> Result<(), Refusal> {
    let run = move || {
        // Elsewhere this would slow down the whole process, not the thread; there, work gives way between its steps.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::nice(19);
        work();
    };
    std::thread::Builder::new().name(name.into()).spawn(run).map(|_| ()).map_err(|_| Refusal::busy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Task(Visitor, AtomicBool);

    impl Work for Task {
        const NAME: &'static str = "a task";
        fn visitor(&self) -> Visitor {
            self.0
        }
        fn runs(&self) -> bool {
            self.1.load(Ordering::Relaxed)
        }
        fn stop(&self) {
            self.1.store(false, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_few_run_and_the_last_ones_are_kept() {
        let ledger = Ledger::new(2, 3);
        let task = |last: u8| Arc::new(Task(Visitor::at([10, 0, 0, last].into()), AtomicBool::new(true)));
        assert_eq!(ledger.add(task(1)).unwrap(), 1);
        assert_eq!(ledger.add(task(1)).unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE, "one each");
        assert_eq!(ledger.add(task(2)).unwrap(), 2);
        assert!(ledger.add(task(3)).is_err(), "two in all");
        let mine = Visitor::at([10, 0, 0, 1].into());
        assert_eq!(ledger.own("2", mine).err().unwrap().status, StatusCode::FORBIDDEN);
        ledger.own("1", mine).unwrap().1.stop();
        for last in 3..6 {
            let id = ledger.add(task(last)).unwrap();
            ledger.find(&id.to_string()).unwrap().1.stop();
        }
        assert!(ledger.find("2").is_ok(), "what runs is not forgotten");
        for gone in ["1", "3", "x", "-1", "99999999999999999999999"] {
            assert_eq!(ledger.find(gone).err().unwrap().status, StatusCode::NOT_FOUND, "{gone}");
        }
        ledger.stop();
        assert!(ledger.all().iter().all(|(_, task)| !task.runs()));
    }

    #[test]
    fn work_that_nobody_looks_at_is_over() {
        let long_ago = |tenure: &Tenure| *lock(&tenure.seen) = Instant::now().checked_sub(2 * ALONE).unwrap();
        let (short, stays) = (Tenure::new(false), Tenure::new(true));
        assert!(!short.is_over());
        long_ago(&short);
        long_ago(&stays);
        assert!(short.is_over() && !stays.is_over());
        short.look();
        assert!(!short.is_over());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn work_behind_gives_way() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let nice = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            stat.rsplit(") ").next().unwrap().split(' ').nth(16).unwrap().parse::<i32>().unwrap()
        };
        let before = nice();
        let work = move || {
            let child = std::thread::spawn(nice).join().unwrap();
            sender.send((nice(), child)).unwrap();
        };
        behind("test", Box::new(work)).unwrap();
        let (own, child) = receiver.recv().unwrap();
        assert!(own > before && child == own, "{own} {child}");
        assert_eq!(nice(), before, "nobody else became slower");
    }
}
