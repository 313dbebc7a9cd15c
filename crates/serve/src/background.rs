//! Background jobs (matches, experiments) below the priority of requests.
//!
//! ```text
//!  JobList  running and finished jobs: ids, owners, a limit on concurrency
//!  behind   a thread at the lowest scheduling priority (nice 19)
//!  Lease    stops a job that no client polls any more, unless the request had `"stay": true`
//! ```
//!
//! Invariant: only the client that started a job may stop or resume it. Finished jobs stay listed for a while.

use crate::net::ClientId;
use crate::refusal::Refusal;
use crate::workers::Progress;
use axum::http::StatusCode;
use serde::Serialize;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lease time: long enough to survive a page reload.
const ALONE: Duration = Duration::from_secs(15);

/// Locks a mutex, ignoring poison: every value behind one here is replaced or appended to in a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Liveness of a job's clients, renewed by each poll; a job that stays needs none.
pub(crate) struct Lease {
    stay: bool,
    seen: Mutex<Instant>,
}

impl Lease {
    pub(crate) fn new(stay: bool) -> Lease {
        Lease { stay, seen: Mutex::new(Instant::now()) }
    }

    /// Renews the lease.
    pub(crate) fn renew(&self) {
        *lock(&self.seen) = Instant::now();
    }

    /// Whether the lease has expired.
    pub(crate) fn is_over(&self) -> bool {
        !self.stay && lock(&self.seen).elapsed() > ALONE
    }
}

/// A background job.
pub(crate) trait Work: Send + Sync {
    /// Its name in messages.
    const NAME: &'static str;
    /// The client that started it.
    fn visitor(&self) -> ClientId;
    /// Whether it is running.
    fn runs(&self) -> bool;
    /// Requests a stop.
    fn stop(&self);
}

/// Status of a job, with its subject.
#[derive(Serialize)]
pub(crate) struct JobStatus<'a, A, F> {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) about: A,
    pub(crate) state: &'static str,
    pub(crate) seconds: f64,
    #[serde(flatten)]
    pub(crate) stage: Stage<'a, F>,
}

/// Progress, result or error of a job.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Stage<'a, F> {
    Running(Progress),
    Done(F),
    Failed(&'a Refusal),
}

/// The last id, and jobs by id.
type JobsById<W> = (u64, Vec<(u64, Arc<W>)>);

/// Running and finished jobs.
pub(crate) struct JobList<W> {
    list: Mutex<JobsById<W>>,
    /// Jobs that may run concurrently.
    most: usize,
    /// Finished jobs that stay listed.
    kept: usize,
}

impl<W: Work> JobList<W> {
    pub(crate) fn new(most: usize, kept: usize) -> JobList<W> {
        JobList { list: Mutex::default(), most, kept }
    }

    /// Adds a job and returns its id; refuses if the list is full or the client already has a running job.
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

    /// Refuses if no further job may run.
    pub(crate) fn room(&self, visitor: ClientId) -> Result<(), Refusal> {
        let list = lock(&self.list);
        let running = || list.1.iter().filter(|(_, work)| work.runs());
        let name = W::NAME;
        let busy =
            |error: String, cure: String| Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, cure));
        if running().any(|(_, work)| work.visitor() == visitor) {
            return busy(
                format!("busy: {name} that you started is still running"),
                "stop it, or wait until it has finished".into(),
            );
        }
        if running().count() >= self.most {
            return busy(
                format!("busy: this server already runs its maximum of {name}"),
                "try again in a minute".into(),
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
                "the server removes jobs some time after they have finished, and all of them when it exits; start it again",
            )
        })
    }

    /// Finds a job by id for a change; refuses clients that did not start it.
    pub(crate) fn own(&self, id: &str, visitor: ClientId) -> Result<(u64, Arc<W>), Refusal> {
        let (id, work) = self.find(id)?;
        if work.visitor() != visitor {
            let error = format!("{} {id} was started by another client", W::NAME);
            return Err(Refusal::new(StatusCode::FORBIDDEN, error, "watch it, or start your own"));
        }
        Ok((id, work))
    }

    /// Returns all jobs, latest first.
    pub(crate) fn all(&self) -> Vec<(u64, Arc<W>)> {
        lock(&self.list).1.iter().rev().cloned().collect()
    }

    /// Stops all jobs at shutdown.
    pub(crate) fn stop(&self) {
        lock(&self.list).1.iter().for_each(|(_, work)| work.stop());
    }
}

/// Spawns a task. Boxed, so that the runtime's task code is compiled once and not once per future type.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    let task: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(task);
    drop(tokio::spawn(task));
}

/// Runs work on a thread at the lowest scheduling priority; threads that it starts inherit the priority.
pub(crate) fn behind(name: &str, work: Box<dyn FnOnce() + Send>) -> Result<(), Refusal> {
    let run = move || {
        // Only Linux has a nice value per thread; elsewhere jobs yield between their steps.
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

    struct Task(ClientId, AtomicBool);

    impl Work for Task {
        const NAME: &'static str = "a task";
        fn visitor(&self) -> ClientId {
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
    fn running_jobs_are_limited_and_recent_ones_listed() {
        let ledger = JobList::new(2, 3);
        let task = |last: u8| Arc::new(Task(ClientId::at([10, 0, 0, last].into()), AtomicBool::new(true)));
        assert_eq!(ledger.add(task(1)).unwrap(), 1);
        assert_eq!(ledger.add(task(1)).unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE, "one each");
        assert_eq!(ledger.add(task(2)).unwrap(), 2);
        assert!(ledger.add(task(3)).is_err(), "two in all");
        let mine = ClientId::at([10, 0, 0, 1].into());
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
    fn lease_expires_without_polls() {
        let long_ago = |lease: &Lease| *lock(&lease.seen) = Instant::now().checked_sub(2 * ALONE).unwrap();
        let (short, stays) = (Lease::new(false), Lease::new(true));
        assert!(!short.is_over());
        long_ago(&short);
        long_ago(&stays);
        assert!(short.is_over() && !stays.is_over());
        short.renew();
        assert!(!short.is_over());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn background_thread_has_lowest_priority() {
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
