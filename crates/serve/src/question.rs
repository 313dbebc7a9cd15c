//! Questions to a game that may take seconds, and what each may use.

use crate::refusal::Refusal;
use crate::router::Shared;
use crate::stream::{Events, live};
use crate::workers::{Attention, Leash};
use axum::response::IntoResponse;
use outplay_answer::{Entry, Place, QueryOptions};
use outplay_door::Visitor;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// Searches keep their time themselves; this is for those that do not.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

impl Shared {
    /// Asks a game, which hears how many threads it may use; a visitor who leaves stops the work.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        visitor: Visitor,
        game: String,
        question: impl FnOnce(&Entry, usize, &Attention) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let watch = Attention::new(Some(self.settings.time + GRACE));
        let _leash = Leash(Arc::clone(&watch));
        let desk = Arc::clone(self);
        let search = move |threads| question(&desk.shelf.open(&game)?, threads, &watch);
        self.workers.search(visitor, search).await
    }

    /// Looks at a place of a game for some milliseconds: what makes no sense is refused before a stream begins.
    pub(crate) async fn glance<T: Send + 'static>(
        self: &Arc<Self>,
        game: &str,
        place: &Place,
        look: impl FnOnce(&Shared, &Entry, &Place) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let desk = Arc::clone(self);
        let (game, place) = (game.to_string(), place.clone());
        self.workers.quick(move || look(&desk, &desk.shelf.open(&game)?, &place)).await
    }

    /// Streams what a study of a game finds; a visitor who leaves stops it.
    pub(crate) fn stream<T: Serialize + Send + 'static>(
        self: Arc<Self>,
        visitor: Visitor,
        game: String,
        time: Duration,
        study: impl FnOnce(&Shared, &Entry, &Attention, &Events) -> Result<T, Refusal> + Send + 'static,
    ) -> impl IntoResponse {
        let watch = Attention::patient(Some(time), &self.workers);
        live(watch, move |watch, events| async move {
            let desk = Arc::clone(&self);
            let study = move |_| study(&desk, &desk.shelf.open(&game)?, &watch, &events);
            self.workers.study(visitor, study).await
        })
    }

    /// Does work that needs no game; a visitor who leaves stops it.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        visitor: Visitor,
        work: impl FnOnce(&Attention) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let watch = Attention::new(Some(self.settings.time + GRACE));
        let _leash = Leash(Arc::clone(&watch));
        self.workers.search(visitor, move |_| work(&watch)).await
    }

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
