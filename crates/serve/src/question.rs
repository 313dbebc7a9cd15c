//! Questions to a game that may take seconds, and what each may use.

use crate::refusal::Refusal;
use crate::router::Shared;
use crate::workers::{Attention, Leash};
use outplay_catalog::{GameHandle, QueryOptions};
use std::sync::Arc;
use std::time::Duration;

/// Searches keep their time themselves; this is for those that do not.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

impl Shared {
    /// Asks a game, which hears how many threads it may use; a visitor who leaves stops the work.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        game: String,
        question: impl FnOnce(&dyn GameHandle, usize, &Attention) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let watch = Attention::new(Some(self.settings.time + GRACE));
        let _leash = Leash(Arc::clone(&watch));
        let desk = Arc::clone(self);
        let search = move |threads| question(&*desk.shelf.open(&game)?, threads, &watch);
        self.workers.search(search).await
    }

    /// What one answer may use.
    pub(crate) fn options(&self, threads: usize) -> QueryOptions {
        let settings = &self.settings;
        QueryOptions {
            memory: settings.memory / (settings.searches as u64 + 1),
            hash: settings.hash(),
            threads,
            time: Some(settings.time),
            data: Some(settings.data.clone()),
        }
    }

    /// Options that do not change from request to request, for what keeps what it learned under them.
    pub(crate) fn steady_options(&self) -> QueryOptions {
        self.options(self.settings.threads.div_ceil(2))
    }
}
