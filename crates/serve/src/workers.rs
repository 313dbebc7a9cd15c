//! Who does the work: threads for what takes time, so that the ones that answer clicks never wait for it.
//!
//! ```text
//!  quick    many at a time, milliseconds each       views, tables, books
//!  search   `searches` at a time, `queue` waiting   what somebody waits for: a reply, a hint; then "busy"
//!  study    the same number, beside them            analysis, which steps aside while anybody waits
//! ```
//!
//! Whoever waits comes first: a search never queues behind studies, and a study that asks its watch whether to go on
//! is kept there for a moment whenever a search runs, so that the search has the machine nearly to itself. A study is
//! only slowed, never halted: it may hold what the search needs.
//!
//! Invariant: work whose request is gone is told to stop, because the [`Leash`] is dropped with the request.

use crate::refusal::Refusal;
use axum::http::StatusCode;
use outplay_core::Watch;
use outplay_door::Visitor;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::sync::oneshot;

/// Quick work that may wait.
const QUICK_QUEUE: usize = 2_000;
/// How long a search waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same for a study, which nobody waits for.
const LEISURE: Duration = Duration::from_secs(120);
/// How long a study stands aside at a time; kernels ask a few hundred times a second, so little is left to it.
const ASIDE: Duration = Duration::from_millis(50);

/// Work that ends in something. Behind a pointer, so that what is done for work is compiled once for each kind of end
/// instead of for each piece of work.
pub(crate) type Work<T> = Box<dyn FnOnce() -> Result<T, Refusal> + Send>;

/// The same that hears how many threads it may use.
pub(crate) type Threaded<T> = Box<dyn FnOnce(usize) -> Result<T, Refusal> + Send>;

/// Watches work on behalf of a request.
#[derive(Debug)]
pub(crate) struct Attention {
    stop: AtomicBool,
    end: Option<Instant>,
    done: AtomicU64,
    total: AtomicU64,
    stage: std::sync::Mutex<String>,
    /// Searches that this work steps aside for.
    before: Option<Arc<AtomicUsize>>,
}

impl Attention {
    /// Attention for so long.
    pub(crate) fn new(time: Option<Duration>) -> Arc<Attention> {
        Arc::new(Attention::begin(time, None))
    }

    /// Attention for so long, for work that lets everything go first that somebody waits for.
    pub(crate) fn patient(time: Option<Duration>, workers: &Workers) -> Arc<Attention> {
        Arc::new(Attention::begin(time, Some(Arc::clone(&workers.running))))
    }

    fn begin(time: Option<Duration>, before: Option<Arc<AtomicUsize>>) -> Attention {
        Attention {
            stop: AtomicBool::new(false),
            end: time.and_then(|time| Instant::now().checked_add(time)),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            stage: std::sync::Mutex::new(String::new()),
            before,
        }
    }

    /// Tells the work to stop.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What the work is at.
    pub(crate) fn progress(&self) -> Progress {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let stage = self.stage.lock().map(|stage| stage.clone()).unwrap_or_default();
        Progress { done: count(&self.done), stage, total: count(&self.total) }
    }
}

/// How far work is.
#[derive(Serialize)]
pub(crate) struct Progress {
    /// Units of work done in the present stage.
    done: u64,
    stage: String,
    /// Units of work of the present stage; 0 if unknown.
    total: u64,
}

impl Watch for Attention {
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
        let over = || self.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() > end);
        if !over() && self.before.as_ref().is_some_and(|before| before.load(Ordering::Relaxed) > 0) {
            std::thread::sleep(ASIDE);
        }
        over()
    }
}

/// Stops the work when it is dropped.
pub(crate) struct Leash(pub(crate) Arc<Attention>);

impl Drop for Leash {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Counts somebody in a queue while it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn join(queue: &'a AtomicUsize, room: usize) -> Result<Waiting<'a>, Refusal> {
        let waiting = Waiting(queue);
        match queue.fetch_add(1, Ordering::Relaxed) < room {
            true => Ok(waiting),
            false => Err(Refusal::busy()),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Searches of each visitor, under way and waiting.
type Shares = Mutex<HashMap<Visitor, usize>>;

/// Counts a visitor's search while it lives.
struct Share(Arc<Shares>, Visitor);

impl Share {
    fn take(shares: &Arc<Shares>, visitor: Visitor, most: usize) -> Result<Share, Refusal> {
        let mut counts = shares.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(visitor).or_default();
        if *count >= most {
            let error = format!("busy: {most} searches for your address are under way or waiting already");
            let cure = "ask again in a few seconds, or leave pages that you no longer look at";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, cure));
        }
        *count += 1;
        Ok(Share(Arc::clone(shares), visitor))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever has none left is forgotten, so that the list does not grow with the visitors of a day.
        match counts.get_mut(&self.1) {
            Some(count) if *count > 1 => *count -= 1,
            _ => _ = counts.remove(&self.1),
        }
    }
}

/// The threads of a server.
pub(crate) struct Workers {
    quick: Arc<Semaphore>,
    quick_waiting: AtomicUsize,
    searches: Arc<Semaphore>,
    waiting: AtomicUsize,
    running: Arc<AtomicUsize>,
    studies: Arc<Semaphore>,
    studies_waiting: AtomicUsize,
    studying: Arc<AtomicUsize>,
    shares: Arc<Shares>,
    queue: usize,
    each: usize,
    threads: usize,
}

impl Workers {
    /// Workers for so many searches at a time with so many waiting, of one visitor so many in all.
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

    /// Searches and studies under way and waiting.
    pub(crate) fn load(&self) -> (usize, usize) {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let running = count(&self.running) + count(&self.studying);
        let all = count(&self.waiting) + count(&self.studies_waiting);
        (running, all.saturating_sub(running))
    }

    /// Does work that takes milliseconds.
    pub(crate) async fn quick<T: Send + 'static>(&self, work: Work<T>) -> Result<T, Refusal> {
        let _waiting = Waiting::join(&self.quick_waiting, QUICK_QUEUE)?;
        let permit = Arc::clone(&self.quick).acquire_owned().await.map_err(|_| Refusal::busy())?;
        run(Box::new(move || {
            let _permit = permit;
            work()
        }))
        .await
    }

    /// Does work that somebody waits for and that may take seconds; it hears how many threads it may use.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        visitor: Visitor,
        work: Threaded<T>,
    ) -> Result<T, Refusal> {
        self.run(visitor, (&self.searches, &self.waiting, &self.running, PATIENCE), work).await
    }

    /// Does work that may take long and that nobody waits for; its watch should be [`Attention::patient`].
    pub(crate) async fn study<T: Send + 'static>(
        &self,
        visitor: Visitor,
        work: Threaded<T>,
    ) -> Result<T, Refusal> {
        self.run(visitor, (&self.studies, &self.studies_waiting, &self.studying, LEISURE), work).await
    }

    async fn run<T: Send + 'static>(
        &self,
        visitor: Visitor,
        (seats, waiting, running, patience): (&Arc<Semaphore>, &AtomicUsize, &Arc<AtomicUsize>, Duration),
        work: Threaded<T>,
    ) -> Result<T, Refusal> {
        let share = Share::take(&self.shares, visitor, self.each)?;
        let _waiting = Waiting::join(waiting, self.queue)?;
        let permit = tokio::time::timeout(patience, Arc::clone(seats).acquire_owned()).await;
        let permit = permit.map_err(|_| Refusal::busy())?.map_err(|_| Refusal::busy())?;
        let running = Arc::clone(running);
        let threads = self.threads;
        run(Box::new(move || {
            // A search that nobody waits for any more counts until it has stopped.
            let (_permit, _share) = (permit, share);
            let others = running.fetch_add(1, Ordering::Relaxed);
            let _running = Running(running);
            work((threads / (others + 1)).max(1))
        }))
        .await
    }
}

/// Counts a search while it runs.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Does work on a thread of its own; a fault inside it becomes a refusal.
pub(crate) async fn run<T: Send + 'static>(work: Work<T>) -> Result<T, Refusal> {
    let (tell, told) = oneshot::channel();
    let work: Box<dyn FnOnce() + Send> = Box::new(move || {
        // Whoever asked may be gone.
        let _ = tell.send(work());
    });
    drop(tokio::task::spawn_blocking(work));
    told.await.unwrap_or_else(|_| {
        let error = "the work failed for a reason that should not exist";
        let cure = "please report the address that you asked for; other answers are not affected";
        Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error, cure))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_does_not_queue_behind_a_study_and_slows_it() {
        let workers = Workers::new(1, 1, 4, 8);
        let watch = Attention::patient(None, &workers);
        let (asks, asked) = (Arc::new(AtomicU64::new(0)), Arc::clone(&watch));
        let counted = Arc::clone(&asks);
        let visitor = Visitor::at([10, 0, 0, 1].into());
        let study = workers.study(
            visitor,
            Box::new(move |_| {
                while !asked.stopped() {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            }),
        );
        let search = async {
            while asks.load(Ordering::Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            // The only seat for studies is taken, and still the search begins; meanwhile the study hardly asks.
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
    fn a_visitor_has_a_share_of_the_searches() {
        let shares = Arc::new(Shares::default());
        let visitor = |last| Visitor::at([10, 0, 0, last].into());
        let mine: Vec<Share> = (0..3).map(|_| Share::take(&shares, visitor(1), 3).unwrap()).collect();
        let refused = Share::take(&shares, visitor(1), 3).err().unwrap();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        let other = Share::take(&shares, visitor(2), 3).unwrap();
        drop(mine);
        let again = Share::take(&shares, visitor(1), 3).unwrap();
        drop((other, again));
        assert!(shares.lock().unwrap().is_empty(), "nobody is remembered");
    }
}
