//! Answers as they are found: server-sent events.
//!
//! ```text
//!  event: move      one move with its value; known ones at once
//!  event: progress  what the work is at, twice a second
//!  event: done      the whole answer          or          event: error   a sentence and its cure
//! ```
//!
//! The work stops when the client closes the connection, because the events then have nowhere to go.

use crate::background::spawn;
use crate::refusal::Refusal;
use crate::reply::{Soon, written};
use crate::router::Shared;
use crate::workers::{Attention, Leash};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use outplay_answer::Entry;
use outplay_door::Visitor;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
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
        self.say(name, written(content));
    }

    /// Sends an event that is written already.
    pub(crate) fn say(&self, name: &str, text: String) {
        let _ = self.0.send(Event::default().event(name).data(text));
    }

    /// Waits until nobody listens.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}

/// Events that stop the work behind them when the last who hears them drops them.
pub(crate) struct Live {
    events: UnboundedReceiver<Event>,
    leash: Option<Arc<Leash>>,
}

impl Stream for Live {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context).map(|event| event.map(Ok))
    }
}

impl Live {
    /// Events, and where they are put. How many come is bounded by what there is to tell, so the channel needs no bound
    /// of its own.
    pub(crate) fn new() -> (Events, Live) {
        let (sender, events) = unbounded_channel();
        (Events(sender), Live { events, leash: None })
    }

    /// The events as an answer.
    pub(crate) fn response(self) -> Response {
        Sse::new(self).keep_alive(KeepAlive::default()).into_response()
    }

    /// The same with progress until the end, which is the whole answer, written. Without a leash the work does not end with its listeners, with a
    /// shared one it ends with the last.
    pub(crate) fn until(
        mut self,
        mut end: Soon<String>,
        events: Events,
        watch: Arc<Attention>,
        leash: Option<Arc<Leash>>,
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
                    // Nobody listens: work that still waits for its turn gives it up.
                    () = events.closed() => return,
                }
            }
        });
        self.leash = leash;
        self.response()
    }
}

/// A game that is studied for somebody who watches.
pub(crate) struct Study<'a> {
    pub(crate) desk: &'a Shared,
    pub(crate) game: &'a Entry,
    /// Threads that it may use.
    pub(crate) threads: usize,
    pub(crate) watch: &'a Attention,
    pub(crate) events: &'a Events,
}

/// What a study does; the whole answer, written.
type Studied = Box<dyn FnOnce(&Study<'_>) -> Result<String, Refusal> + Send>;

impl Shared {
    /// Streams what a study of a game finds; a visitor who leaves stops it.
    pub(crate) fn stream(
        self: &Arc<Self>,
        visitor: Visitor,
        game: String,
        time: Duration,
        study: impl FnOnce(&Study<'_>) -> Result<String, Refusal> + Send + 'static,
    ) -> Response {
        self.studied(visitor, game, time, Box::new(study))
    }

    fn studied(self: &Arc<Self>, visitor: Visitor, game: String, time: Duration, study: Studied) -> Response {
        let watch = Attention::patient(Some(time), &self.workers);
        let leash = Leash(Arc::clone(&watch));
        let (events, live) = Live::new();
        let (desk, watched, told) = (Arc::clone(self), Arc::clone(&watch), events.clone());
        let study = Box::new(move |threads| {
            let game = desk.shelf.open(&game)?;
            study(&Study { desk: &desk, game: &game, threads, watch: &watched, events: &told })
        });
        let desk = Arc::clone(self);
        let end = Box::pin(async move { desk.workers.study(visitor, study).await });
        live.until(end, events, watch, Some(Arc::new(leash)))
    }
}
