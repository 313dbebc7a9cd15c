//! Players and values, found on threads of their own so that the screen never waits.
//!
//! Invariant: an answer carries the number of the question, and only the answer to the last question counts. A
//! question that is no longer of interest is told to stop.

use outplay_answer::{ChoiceAnswer, ChooseRequest, Entry, Place, QueryAnswer, QueryOptions, Trouble};
use outplay_core::Watch;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// What was found.
pub(crate) enum Found {
    /// A move of a player or of the dice.
    Choice(Result<ChoiceAnswer, Trouble>),
    /// The values of a position.
    Values(Result<QueryAnswer, Trouble>),
}

/// A flag that ends work.
#[derive(Default)]
struct Stop(AtomicBool);

impl Watch for Stop {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// One kind of question: at most one is open at a time.
pub(crate) struct Thought {
    number: u64,
    open: Option<Arc<Stop>>,
    sender: Sender<(u64, Found)>,
    receiver: Receiver<(u64, Found)>,
}

impl Thought {
    pub(crate) fn new() -> Thought {
        let (sender, receiver) = channel();
        Thought { number: 0, open: None, sender, receiver }
    }

    /// Whether a question is open.
    pub(crate) fn busy(&self) -> bool {
        self.open.is_some()
    }

    /// Gives up the open question.
    pub(crate) fn cancel(&mut self) {
        if let Some(stop) = self.open.take() {
            stop.0.store(true, Ordering::Relaxed);
        }
        self.number += 1;
    }

    fn ask(&mut self, work: impl FnOnce(&dyn Watch) -> Found + Send + 'static) {
        self.cancel();
        let stop = Arc::new(Stop::default());
        self.open = Some(Arc::clone(&stop));
        let (number, sender) = (self.number, self.sender.clone());
        std::thread::spawn(move || {
            // Nobody listens any more if the screen is gone.
            let _ = sender.send((number, work(&*stop)));
        });
    }

    /// Asks a player, or the dice, for a move.
    pub(crate) fn choose(&mut self, entry: Entry, request: ChooseRequest) {
        self.ask(move |watch| Found::Choice(entry.choose(&request, watch)));
    }

    /// Asks for the values of a position.
    pub(crate) fn values(&mut self, entry: Entry, place: Place, options: QueryOptions) {
        self.ask(move |watch| Found::Values(entry.query(&place, &options, watch)));
    }

    /// The answer to the open question, once there is one.
    pub(crate) fn answer(&mut self) -> Option<Found> {
        while let Ok((number, found)) = self.receiver.try_recv() {
            if number == self.number {
                self.open = None;
                return Some(found);
            }
        }
        None
    }
}

impl Drop for Thought {
    fn drop(&mut self) {
        self.cancel();
    }
}
