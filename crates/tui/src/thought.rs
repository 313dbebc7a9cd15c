//! Background queries: computer players and exact values run on threads, so that the screen never blocks.
//!
//! Invariant: a result carries the id of its query, and only the result of the latest query is used. A superseded query
//! is cancelled.

use outplay_runtime::Monitor;
use outplay_workbench::{
    ChoiceAnswer, ChooseRequest, GameHandle, PositionRef, QueryAnswer, Session, Trouble,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Result of a query.
pub(crate) enum QueryResult {
    /// A move of a player or of the dice.
    Choice(Result<ChoiceAnswer, Trouble>),
    /// The values of a position.
    Values(Result<QueryAnswer, Trouble>),
    /// The reasons for a position's value, or the review of a game, in words.
    Words(Result<String, Trouble>),
}

/// Cancellation flag.
#[derive(Default)]
struct StopFlag(AtomicBool);

impl Monitor for StopFlag {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runner of one kind of query, at most one at a time.
pub(crate) struct BackgroundQuery {
    number: u64,
    open: Option<Arc<StopFlag>>,
    sender: Sender<(u64, QueryResult)>,
    receiver: Receiver<(u64, QueryResult)>,
}

impl BackgroundQuery {
    pub(crate) fn new() -> BackgroundQuery {
        let (sender, receiver) = channel();
        BackgroundQuery { number: 0, open: None, sender, receiver }
    }

    /// Whether a query is running.
    pub(crate) fn busy(&self) -> bool {
        self.open.is_some()
    }

    /// Cancels the running query.
    pub(crate) fn cancel(&mut self) {
        if let Some(stop) = self.open.take() {
            stop.0.store(true, Ordering::Relaxed);
        }
        self.number += 1;
    }

    fn ask(&mut self, work: impl FnOnce(&dyn Monitor) -> QueryResult + Send + 'static) {
        self.cancel();
        let stop = Arc::new(StopFlag::default());
        self.open = Some(Arc::clone(&stop));
        let (number, sender) = (self.number, self.sender.clone());
        std::thread::spawn(move || {
            // The receiver is gone if the screen was closed.
            let _ = sender.send((number, work(&*stop)));
        });
    }

    /// Lets a player or the dice choose a move.
    pub(crate) fn choose(&mut self, session: Session, entry: GameHandle, request: ChooseRequest) {
        self.ask(move |monitor| {
            QueryResult::Choice(outplay_workbench::choose(&session, &entry, &request, monitor))
        });
    }

    /// Runs a query whose answer is a text.
    pub(crate) fn words(
        &mut self,
        work: impl FnOnce(&dyn Monitor) -> Result<String, Trouble> + Send + 'static,
    ) {
        self.ask(move |monitor| QueryResult::Words(work(monitor)));
    }

    /// Computes the values of a position.
    pub(crate) fn values(&mut self, session: Session, entry: GameHandle, place: PositionRef) {
        self.ask(move |monitor| {
            QueryResult::Values(outplay_workbench::query(&session, &entry, &place, monitor))
        });
    }

    /// Returns the result of the running query, once there is one.
    pub(crate) fn answer(&mut self) -> Option<QueryResult> {
        while let Ok((number, found)) = self.receiver.try_recv() {
            if number == self.number {
                self.open = None;
                return Some(found);
            }
        }
        None
    }
}

impl Drop for BackgroundQuery {
    fn drop(&mut self) {
        self.cancel();
    }
}
