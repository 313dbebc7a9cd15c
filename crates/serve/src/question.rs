//! Questions to a game that may take seconds, and what each may use.

use crate::ask::Asked;
use crate::refusal::Refusal;
use crate::reply::{Reply, Soon};
use crate::router::Shared;
use crate::workers::{Attention, Leash};
use axum::response::Response;
use outplay_answer::{Entry, QueryOptions};
use std::sync::Arc;
use std::time::Duration;

/// Searches keep their time themselves; this is for those that do not.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// What is done for a request, each behind a pointer: whatever waits for it is compiled once.
type Look<T> = Box<dyn FnOnce(&Arc<Shared>, &Attention) -> Result<T, Refusal> + Send>;
type Question = Box<dyn FnOnce(&Entry, usize, &Attention) -> Result<Response, Refusal> + Send>;
type Search = Box<dyn FnOnce(usize, &Attention) -> Result<Response, Refusal> + Send>;

impl Asked {
    /// Does what takes milliseconds.
    pub(crate) fn quick<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Arc<Shared>, &Attention) -> Result<T, Refusal> + Send + 'static,
    ) -> Soon<T> {
        self.look(Box::new(look))
    }

    fn look<T: Send + 'static>(&self, look: Look<T>) -> Soon<T> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let watch = Attention::new(Some(GRACE));
            let _leash = Leash(Arc::clone(&watch));
            let desk = Arc::clone(&shared);
            shared.workers.quick(Box::new(move || look(&desk, &watch))).await
        })
    }

    /// Asks a game, which hears how many threads it may use; a visitor who leaves stops the work.
    pub(crate) fn ask(
        &self,
        game: String,
        question: impl FnOnce(&Entry, usize, &Attention) -> Result<Response, Refusal> + Send + 'static,
    ) -> Reply {
        self.put(game, Box::new(question))
    }

    fn put(&self, game: String, question: Question) -> Reply {
        let desk = Arc::clone(&self.shared);
        self.search(Box::new(move |threads, watch| question(&desk.shelf.open(&game)?, threads, watch)))
    }

    /// Does work that needs no game; a visitor who leaves stops it.
    pub(crate) fn work(
        &self,
        work: impl FnOnce(usize, &Attention) -> Result<Response, Refusal> + Send + 'static,
    ) -> Reply {
        self.search(Box::new(work))
    }

    fn search(&self, work: Search) -> Reply {
        let (shared, visitor) = (Arc::clone(&self.shared), self.visitor);
        Box::pin(async move {
            // Its time begins when somebody waits for it.
            let watch = Attention::new(Some(shared.settings.time + GRACE));
            let _leash = Leash(Arc::clone(&watch));
            shared.workers.search(visitor, Box::new(move |threads| work(threads, &watch))).await
        })
    }
}

impl Shared {
    /// What one answer may use. What was kept before counts; visitors leave nothing behind.
    pub(crate) fn options(&self, threads: usize) -> QueryOptions {
        let settings = &self.settings;
        let mut options = QueryOptions::default();
        options.memory = settings.share();
        options.hash = settings.hash();
        options.threads = threads;
        options.time = Some(settings.time);
        options.data = Some(settings.data.clone());
        options.recall = true;
        options.keep = false;
        options
    }

    /// Options that do not change from request to request, for what keeps what it learned under them.
    pub(crate) fn steady_options(&self) -> QueryOptions {
        self.options(self.settings.threads.div_ceil(2))
    }
}
