//! Server-sent events (SSE) that deliver results as they are found.
//!
//! ```text
//!  event: move      one move with its value, sent as soon as the value is known
//!  event: progress  stage and progress, twice a second
//!  event: done      the complete answer          or          event: error   an error with its remedy
//! ```
//!
//! The work is cancelled when the client closes the connection.

use crate::background::spawn;
use crate::net::ClientId;
use crate::refusal::Refusal;
use crate::reply::{Soon, written};
use crate::router::ServerState;
use crate::workers::{CancelOnDrop, JobProgress};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use outplay_workbench::GameHandle;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Interval of progress events.
const PULSE: Duration = Duration::from_millis(500);

/// Sender of events.
#[derive(Clone)]
pub(crate) struct Events(UnboundedSender<Event>);

impl Events {
    /// Sends an event. A closed connection is not an error here; the monitor reports it.
    pub(crate) fn send(&self, name: &str, content: &impl Serialize) {
        self.say(name, written(content));
    }

    /// Sends an event that is already serialised.
    pub(crate) fn say(&self, name: &str, text: String) {
        let _ = self.0.send(Event::default().event(name).data(text));
    }

    /// Completes when the client has disconnected.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}

/// Receiver of events; dropping the last handle cancels the work behind them.
pub(crate) struct Live {
    events: UnboundedReceiver<Event>,
    guard: Option<Arc<CancelOnDrop>>,
}

impl Stream for Live {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context).map(|event| event.map(Ok))
    }
}

impl Live {
    /// Creates a channel. It is unbounded: the size of the answer bounds the number of events.
    pub(crate) fn new() -> (Events, Live) {
        let (sender, events) = unbounded_channel();
        (Events(sender), Live { events, guard: None })
    }

    /// Returns the events as a response.
    pub(crate) fn response(self) -> Response {
        Sse::new(self).keep_alive(KeepAlive::default()).into_response()
    }

    /// Returns the events with progress until `end`, which is the complete serialised answer. Without a cancel-on-drop
    /// guard the work outlives its streams; with a shared guard it ends with the last stream.
    pub(crate) fn until(
        mut self,
        mut end: Soon<String>,
        events: Events,
        watch: Arc<JobProgress>,
        guard: Option<Arc<CancelOnDrop>>,
    ) -> Response {
        spawn(async move {
            let mut pulse = tokio::time::interval(PULSE);
            pulse.tick().await;
            loop {
                tokio::select! {
                    result = &mut end => {
                        match result {
                            Ok(answer) => events.say("done", answer),
                            Err(refusal) => events.send("error", &refusal),
                        }
                        return;
                    }
                    _ = pulse.tick() => events.send("progress", &watch.progress()),
                    // The client has disconnected: queued work leaves the queue.
                    () = events.closed() => return,
                }
            }
        });
        self.guard = guard;
        self.response()
    }
}

/// A game under analysis, with its event sender.
pub(crate) struct Study<'a> {
    pub(crate) desk: &'a ServerState,
    pub(crate) game: &'a GameHandle,
    /// Number of threads.
    pub(crate) threads: usize,
    pub(crate) watch: &'a JobProgress,
    pub(crate) events: &'a Events,
}

/// Work of a study; returns the complete serialised answer.
type StudyWork = Box<dyn FnOnce(&Study<'_>) -> Result<String, Refusal> + Send>;

impl ServerState {
    /// Streams the results of a study; cancelled when the client disconnects.
    pub(crate) fn stream(
        self: &Arc<Self>,
        visitor: ClientId,
        game: String,
        time: Duration,
        study: impl FnOnce(&Study<'_>) -> Result<String, Refusal> + Send + 'static,
    ) -> Response {
        self.studied(visitor, game, time, Box::new(study))
    }

    fn studied(
        self: &Arc<Self>,
        visitor: ClientId,
        game: String,
        time: Duration,
        study: StudyWork,
    ) -> Response {
        let watch = JobProgress::yielding(Some(time), &self.workers);
        let guard = CancelOnDrop(Arc::clone(&watch));
        let (events, live) = Live::new();
        let (desk, watched, sender) = (Arc::clone(self), Arc::clone(&watch), events.clone());
        let study = Box::new(move |threads| {
            let game = desk.shelf.open(&game)?;
            study(&Study { desk: &desk, game: &game, threads, watch: &watched, events: &sender })
        });
        let desk = Arc::clone(self);
        let end = Box::pin(async move { desk.workers.study(visitor, study).await });
        live.until(end, events, watch, Some(Arc::new(guard)))
    }
}
