//! Requests that need computation, and the budget (time, memory, threads) of each.
//!
//! ```text
//!  handler ─ at_once              a response that is ready
//!          ├ quick, ask, work     a function of a Budget: deadline, memory, threads
//!          └ stream               a function of a Study: a budget with an event stream
//! ```
//!
//! Invariant: a [`Reply`] can only be made here, so all work for a client has a [`Budget`].
//! `every_address_keeps_its_time_and_memory` (budgets.rs) sends each route a request that exceeds its budget.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::Soon;
use crate::router::ServerState;
use crate::workers::{CancelOnDrop, JobProgress};
use axum::response::Response;
use outplay_runtime::Deadline;
use outplay_workbench::{GameHandle, Session};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

/// Extra time before the server cancels a search that ignores its own deadline.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// A pending response: ready, or computed within a [`Budget`].
pub(crate) struct Reply(Soon<Response>);

impl Reply {
    /// Waits for the response.
    pub(crate) async fn response(self) -> Result<Response, Refusal> {
        self.0.await
    }
}

/// Wraps a response that is ready.
pub(crate) fn at_once(response: Response) -> Result<Reply, Refusal> {
    Ok(Reply(Box::pin(ready(Ok(response)))))
}

/// Resources of the work for one request.
pub(crate) struct Budget<'a> {
    shared: &'a ServerState,
    /// Number of threads.
    pub(crate) threads: usize,
    /// Cancels the work at its deadline or when the client disconnects.
    pub(crate) watch: &'a JobProgress,
}

impl Budget<'_> {
    /// Memory limit in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.shared.settings.share()
    }

    /// Returns a deadline that starts now.
    pub(crate) fn clock(&self) -> Deadline<'_> {
        Deadline::new(Some(self.shared.settings.time), self.watch)
    }

    /// Returns a session with these limits.
    pub(crate) fn session(&self) -> Session {
        self.shared.session(self.threads)
    }
}

/// Work of a request. Boxed, so that the functions that run it are compiled once.
type QuickWork<T> = Box<dyn FnOnce(&Arc<ServerState>, &Budget<'_>) -> Result<T, Refusal> + Send>;
type GameWork = Box<dyn FnOnce(&GameHandle, &Budget<'_>) -> Result<Response, Refusal> + Send>;
type SearchWork = Box<dyn FnOnce(&Budget<'_>) -> Result<Response, Refusal> + Send>;

impl ApiRequest {
    /// Runs work that takes milliseconds.
    pub(crate) fn quick(
        &self,
        look: impl FnOnce(&Arc<ServerState>, &Budget<'_>) -> Result<Response, Refusal> + Send + 'static,
    ) -> Reply {
        Reply(self.look(Box::new(look)))
    }

    /// Tries a lookup that bypasses the search queue; otherwise queues a search.
    pub(crate) fn quick_or(
        &self,
        look: impl FnOnce(&Arc<ServerState>, &Budget<'_>) -> Result<Option<Response>, Refusal> + Send + 'static,
        search: Reply,
    ) -> Reply {
        let known = self.look(Box::new(look));
        Reply(Box::pin(async move {
            match known.await? {
                Some(response) => Ok(response),
                None => search.0.await,
            }
        }))
    }

    fn look<T: Send + 'static>(&self, look: QuickWork<T>) -> Soon<T> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let watch = JobProgress::new(Some(GRACE));
            let _guard = CancelOnDrop(Arc::clone(&watch));
            let desk = Arc::clone(&shared);
            let look = move || look(&desk, &Budget { shared: &desk, threads: 1, watch: &watch });
            shared.workers.quick(Box::new(look)).await
        })
    }

    /// Runs a query on a game; cancelled when the client disconnects.
    pub(crate) fn ask(
        &self,
        game: String,
        question: impl FnOnce(&GameHandle, &Budget<'_>) -> Result<Response, Refusal> + Send + 'static,
    ) -> Reply {
        self.put(game, Box::new(question))
    }

    fn put(&self, game: String, question: GameWork) -> Reply {
        self.search(Box::new(move |budget| question(&budget.shared.shelf.open(&game)?, budget)))
    }

    /// Runs work that needs no game; cancelled when the client disconnects.
    pub(crate) fn work(
        &self,
        work: impl FnOnce(&Budget<'_>) -> Result<Response, Refusal> + Send + 'static,
    ) -> Reply {
        self.search(Box::new(work))
    }

    fn search(&self, work: SearchWork) -> Reply {
        let (shared, visitor) = (Arc::clone(&self.shared), self.visitor);
        Reply(Box::pin(async move {
            // The time limit starts when the reply is awaited.
            let watch = JobProgress::new(Some(shared.settings.time + GRACE));
            let _guard = CancelOnDrop(Arc::clone(&watch));
            let desk = Arc::clone(&shared);
            let work = move |threads| work(&Budget { shared: &desk, threads, watch: &watch });
            shared.workers.search(visitor, Box::new(work)).await
        }))
    }
}

impl ServerState {
    /// Limits of one request on the given number of threads. Cached results are read, but none are written.
    pub(crate) fn session(&self, threads: usize) -> Session {
        let settings = &self.settings;
        self.caches.with(|session| {
            session.memory = settings.share();
            session.hash = settings.hash();
            session.threads = threads;
            session.time = Some(settings.time);
            session.recall = true;
        })
    }

    /// Limits that are equal for all requests, for state that is cached across requests under them.
    pub(crate) fn steady_session(&self) -> Session {
        self.session(self.settings.threads.div_ceil(2))
    }
}
