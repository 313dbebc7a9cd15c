//! Thread pools with admission control: quick requests, interactive searches and background studies.
//!
//! ```text
//!  pool     concurrency                         queue                          work
//!  quick    2 × threads, milliseconds each      2,000 requests, then 503       views, tables, books
//!  search   `searches`                          `queue` requests, then 503     interactive: a reply, a hint
//!  study    `searches`, throttled               `queue` requests, then 503     analysis of a position or a game
//! ```
//!
//! Searches have priority: they never queue behind studies, and a study that polls its monitor sleeps [`ASIDE`] each
//! time while a search runs. Studies are throttled and never suspended, because a study may hold a lock that the
//! search needs.
//!
//! Invariant: work whose client has disconnected is cancelled, because the [`CancelOnDrop`] guard is dropped with the
//! request.

use crate::net::ClientId;
use crate::refusal::Refusal;
use axum::http::StatusCode;
use outplay_runtime::Monitor;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::sync::oneshot;

/// Length of the queue of quick requests.
const QUICK_QUEUE: usize = 2_000;
/// Time that a search may queue.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time that a study may queue.
const LEISURE: Duration = Duration::from_secs(120);
/// Sleep of a study per poll while a search runs; solvers poll a few hundred times a second, so a study nearly stops.
const ASIDE: Duration = Duration::from_millis(50);

/// A unit of work. Boxed, so that the functions that run it are compiled once per result type and not once per closure.
pub(crate) type Work<T> = Box<dyn FnOnce() -> Result<T, Refusal> + Send>;

/// A unit of work that receives its number of threads.
pub(crate) type Threaded<T> = Box<dyn FnOnce(usize) -> Result<T, Refusal> + Send>;

/// Progress and cancellation of the work for one request.
#[derive(Debug)]
pub(crate) struct JobProgress {
    stop: AtomicBool,
    end: Option<Instant>,
    done: AtomicU64,
    total: AtomicU64,
    stage: std::sync::Mutex<String>,
    /// Count of running searches, for work that yields to them.
    before: Option<Arc<AtomicUsize>>,
}

impl JobProgress {
    /// Creates a monitor with an optional time limit.
    pub(crate) fn new(time: Option<Duration>) -> Arc<JobProgress> {
        Arc::new(JobProgress::begin(time, None))
    }

    /// Creates a monitor for a study: its work yields to running searches.
    pub(crate) fn yielding(time: Option<Duration>, workers: &Workers) -> Arc<JobProgress> {
        Arc::new(JobProgress::begin(time, Some(Arc::clone(&workers.running))))
    }

    fn begin(time: Option<Duration>, before: Option<Arc<AtomicUsize>>) -> JobProgress {
        JobProgress {
            stop: AtomicBool::new(false),
            end: time.and_then(|time| Instant::now().checked_add(time)),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            stage: std::sync::Mutex::new(String::new()),
            before,
        }
    }

    /// Cancels the work.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns the current stage and its progress.
    pub(crate) fn progress(&self) -> Progress {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let stage = self.stage.lock().map(|stage| stage.clone()).unwrap_or_default();
        Progress { done: count(&self.done), stage, total: count(&self.total) }
    }
}

/// Stage and progress of work.
#[derive(Serialize)]
pub(crate) struct Progress {
    /// Units done in the current stage.
    done: u64,
    stage: String,
    /// Units in the current stage; 0 if unknown.
    total: u64,
}

impl Monitor for JobProgress {
    fn stage(&self, name: &str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        if let Ok(mut stage) = self.stage.lock() {
            stage.clear();
            stage.push_str(name);
        }
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() > end)
    }

    fn yield_to_urgent(&self) {
        let urgent = || self.before.as_ref().is_some_and(|before| before.load(Ordering::Relaxed) > 0);
        if !self.stopped() && urgent() {
            std::thread::sleep(ASIDE);
        }
    }
}

/// Cancels the work when dropped.
pub(crate) struct CancelOnDrop(pub(crate) Arc<JobProgress>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// RAII counter of a queue's length.
struct QueueTicket<'a>(&'a AtomicUsize);

impl<'a> QueueTicket<'a> {
    fn join(queue: &'a AtomicUsize, room: usize) -> Result<QueueTicket<'a>, Refusal> {
        let waiting = QueueTicket(queue);
        match queue.fetch_add(1, Ordering::Relaxed) < room {
            true => Ok(waiting),
            false => Err(Refusal::busy()),
        }
    }
}

impl Drop for QueueTicket<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Number of searches per client, running and queued.
type ClientCounts = Mutex<HashMap<ClientId, usize>>;

/// RAII counter of a client's searches.
struct ClientTicket(Arc<ClientCounts>, ClientId);

impl ClientTicket {
    fn take(shares: &Arc<ClientCounts>, visitor: ClientId, most: usize) -> Result<ClientTicket, Refusal> {
        let mut counts = shares.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(visitor).or_default();
        if *count >= most {
            let error = format!("busy: {most} searches of your address are already running or queued");
            let cure = "retry in a few seconds, or close pages that you no longer need";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, cure));
        }
        *count += 1;
        Ok(ClientTicket(Arc::clone(shares), visitor))
    }
}

impl Drop for ClientTicket {
    fn drop(&mut self) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Clients at zero are removed, so that the map does not grow without bound.
        match counts.get_mut(&self.1) {
            Some(count) if *count > 1 => *count -= 1,
            _ => _ = counts.remove(&self.1),
        }
    }
}

/// The admission limits of a server.
pub(crate) struct Workers {
    quick: Arc<Semaphore>,
    quick_waiting: AtomicUsize,
    searches: Arc<Semaphore>,
    waiting: AtomicUsize,
    running: Arc<AtomicUsize>,
    studies: Arc<Semaphore>,
    studies_waiting: AtomicUsize,
    studying: Arc<AtomicUsize>,
    shares: Arc<ClientCounts>,
    queue: usize,
    each: usize,
    threads: usize,
}

impl Workers {
    /// Creates the pools: concurrent searches, queue length and searches of one client.
    pub(crate) fn new(threads: usize, searches: usize, queue: usize, each: usize) -> Workers {
        Workers {
            quick: Arc::new(Semaphore::new(2 * threads.max(1))),
            quick_waiting: AtomicUsize::new(0),
            searches: Arc::new(Semaphore::new(searches.max(1))),
            waiting: AtomicUsize::new(0),
            running: Arc::new(AtomicUsize::new(0)),
            studies: Arc::new(Semaphore::new(searches.max(1))),
            studies_waiting: AtomicUsize::new(0),
            studying: Arc::new(AtomicUsize::new(0)),
            shares: Arc::default(),
            queue: queue + searches,
            each: each.max(1),
            threads: threads.max(1),
        }
    }

    /// Returns the numbers of running and of queued searches and studies.
    pub(crate) fn load(&self) -> (usize, usize) {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let running = count(&self.running) + count(&self.studying);
        let all = count(&self.waiting) + count(&self.studies_waiting);
        (running, all.saturating_sub(running))
    }

    /// Runs work that takes milliseconds.
    pub(crate) async fn quick<T: Send + 'static>(&self, work: Work<T>) -> Result<T, Refusal> {
        let _waiting = QueueTicket::join(&self.quick_waiting, QUICK_QUEUE)?;
        let permit = Arc::clone(&self.quick).acquire_owned().await.map_err(|_| Refusal::busy())?;
        run(Box::new(move || {
            let _permit = permit;
            work()
        }))
        .await
    }

    /// Runs an interactive search; the work receives its number of threads.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        visitor: ClientId,
        work: Threaded<T>,
    ) -> Result<T, Refusal> {
        self.run(visitor, (&self.searches, &self.waiting, &self.running, PATIENCE), work).await
    }

    /// Runs a background study; its monitor should be [`JobProgress::yielding`].
    pub(crate) async fn study<T: Send + 'static>(
        &self,
        visitor: ClientId,
        work: Threaded<T>,
    ) -> Result<T, Refusal> {
        self.run(visitor, (&self.studies, &self.studies_waiting, &self.studying, LEISURE), work).await
    }

    async fn run<T: Send + 'static>(
        &self,
        visitor: ClientId,
        (permits, waiting, running, queue_time): (&Arc<Semaphore>, &AtomicUsize, &Arc<AtomicUsize>, Duration),
        work: Threaded<T>,
    ) -> Result<T, Refusal> {
        let share = ClientTicket::take(&self.shares, visitor, self.each)?;
        let _waiting = QueueTicket::join(waiting, self.queue)?;
        let permit = tokio::time::timeout(queue_time, Arc::clone(permits).acquire_owned()).await;
        let permit = permit.map_err(|_| Refusal::busy())?.map_err(|_| Refusal::busy())?;
        let running = Arc::clone(running);
        let threads = self.threads;
        run(Box::new(move || {
            // A cancelled search keeps its permit until it has returned.
            let (_permit, _share) = (permit, share);
            let others = running.fetch_add(1, Ordering::Relaxed);
            let _running = RunningGuard(running);
            work((threads / (others + 1)).max(1))
        }))
        .await
    }
}

/// RAII counter of running searches.
struct RunningGuard(Arc<AtomicUsize>);

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs work on a blocking thread; a panic becomes an error 500.
pub(crate) async fn run<T: Send + 'static>(work: Work<T>) -> Result<T, Refusal> {
    let (sender, receiver) = oneshot::channel();
    let work: Box<dyn FnOnce() + Send> = Box::new(move || {
        // The receiver is gone if the client has disconnected.
        let _ = sender.send(work());
    });
    drop(tokio::task::spawn_blocking(work));
    receiver.await.unwrap_or_else(|_| {
        let error = "internal error: the search crashed";
        let cure = "please report this bug with the address of the request; other requests are not affected";
        Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error, cure))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn search_bypasses_and_throttles_studies() {
        let workers = Workers::new(1, 1, 4, 8);
        let watch = JobProgress::yielding(None, &workers);
        let (asks, asked) = (Arc::new(AtomicU64::new(0)), Arc::clone(&watch));
        let counted = Arc::clone(&asks);
        let visitor = ClientId::at([10, 0, 0, 1].into());
        let study = workers.study(
            visitor,
            Box::new(move |_| {
                while !asked.poll() {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            }),
        );
        let search = async {
            while asks.load(Ordering::Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            // The only study permit is taken and the search still starts; meanwhile the study polls rarely.
            let counted = Arc::clone(&asks);
            let during = workers.search(
                visitor,
                Box::new(move |_| {
                    std::thread::sleep(ASIDE / 2);
                    let before = counted.load(Ordering::Relaxed);
                    std::thread::sleep(4 * ASIDE);
                    Ok(counted.load(Ordering::Relaxed) - before)
                }),
            );
            let during = during.await.map_err(|refusal| refusal.error).unwrap();
            watch.stop();
            during
        };
        let (studied, during) = tokio::join!(study, search);
        assert!(studied.is_ok());
        assert!(during <= 6, "the study asked {during} times");
    }

    #[test]
    fn searches_per_client_are_limited() {
        let shares = Arc::new(ClientCounts::default());
        let visitor = |last| ClientId::at([10, 0, 0, last].into());
        let mine: Vec<ClientTicket> =
            (0..3).map(|_| ClientTicket::take(&shares, visitor(1), 3).unwrap()).collect();
        let refused = ClientTicket::take(&shares, visitor(1), 3).err().unwrap();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        let other = ClientTicket::take(&shares, visitor(2), 3).unwrap();
        drop(mine);
        let again = ClientTicket::take(&shares, visitor(1), 3).unwrap();
        drop((other, again));
        assert!(shares.lock().unwrap().is_empty(), "nobody is remembered");
    }
}
