//! Answers as they are found: server-sent events.
//!
//! ```text
//!  event: move      one move with its value; known ones at once
//!  event: progress  what the work is at, twice a second
//!  event: done      the whole answer          or          event: error   a sentence and its cure
//! ```
//!
//! The work stops when the client closes the connection, because the events then have nowhere to go.

use crate::refusal::Refusal;
use crate::workers::{Attention, Leash};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_core::Stream;
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How often progress is reported.
const PULSE: Duration = Duration::from_millis(500);

/// Where work puts its events.
#[derive(Clone)]
pub(crate) struct Events(UnboundedSender<Event>);

impl Events {
    /// Sends an event; whether anybody listens shows in the watch.
    pub(crate) fn send(&self, name: &str, content: &impl Serialize) {
        // Answers are maps with string keys and finite numbers, which always serialise.
        if let Ok(event) = Event::default().event(name).json_data(content) {
            let _ = self.0.send(event);
        }
    }
}

/// Events that stop the work behind them when the last who hears them drops them.
pub(crate) struct Live {
    events: UnboundedReceiver<Event>,
    _leash: Option<Arc<Leash>>,
}

impl Stream for Live {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// Starts work that reports through events and stops when nobody listens. How much it can report is bounded by the
/// moves of a position, so the channel needs no bound of its own.
pub(crate) fn live<F, T>(
    watch: Arc<Attention>,
    work: impl FnOnce(Arc<Attention>, Events) -> F,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>>
where
    F: Future<Output = Result<T, Refusal>> + Send + 'static,
    T: Serialize,
{
    let leash = Leash(Arc::clone(&watch));
    watched(watch, Some(Arc::new(leash)), work)
}

/// The same for work that goes on elsewhere: without a leash it does not end with its listeners, with a shared one it
/// ends with the last.
pub(crate) fn watched<F, T>(
    watch: Arc<Attention>,
    leash: Option<Arc<Leash>>,
    work: impl FnOnce(Arc<Attention>, Events) -> F,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>>
where
    F: Future<Output = Result<T, Refusal>> + Send + 'static,
    T: Serialize,
{
    let (sender, events) = unbounded_channel();
    let sender = Events(sender);
    let work = work(Arc::clone(&watch), sender.clone());
    tokio::spawn(async move {
        tokio::pin!(work);
        let mut pulse = tokio::time::interval(PULSE);
        pulse.tick().await;
        loop {
            tokio::select! {
                result = &mut work => {
                    match result {
                        Ok(answer) => sender.send("done", &answer),
                        Err(refusal) => sender.send("error", &refusal.json()),
                    }
                    return;
                }
                _ = pulse.tick() => {
                    let (done, total) = (watch.done.load(Ordering::Relaxed), watch.total.load(Ordering::Relaxed));
                    sender.send("progress", &json!({ "stage": watch.stage_name(), "done": done, "total": total }));
                }
                // Nobody listens: work that still waits for its turn gives it up.
                () = sender.0.closed() => return,
            }
        }
    });
    Sse::new(Live { events, _leash: leash }).keep_alive(KeepAlive::default())
}
