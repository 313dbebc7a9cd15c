//! Which address leads where, and what every request goes through.

use crate::addresses::{ADDRESSES, Address, get};
use crate::ask::Asked;
use crate::background::Ledger;
use crate::cache::{Answers, Shelf};
use crate::jobs::Jobs;
use crate::lent::Loan;
use crate::matches::Match;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::runs::Run;
use crate::settings::{BODY, MATCHES, RUNS, Settings};
use crate::workers::Workers;
use crate::{gate, page};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, on};
use outplay_catalog::Catalog;
use outplay_door as door;
use std::sync::Arc;

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) shelf: Shelf,
    pub(crate) answers: Answers,
    pub(crate) workers: Workers,
    pub(crate) jobs: Jobs,
    pub(crate) loan: Option<Loan>,
    pub(crate) matches: Ledger<Match>,
    pub(crate) runs: Ledger<Run>,
}

impl Shared {
    pub(crate) fn new(catalog: Catalog, settings: Settings) -> Arc<Shared> {
        let loan = settings.lent.map(|lent| Loan::new(&settings.data, lent));
        let workers =
            Workers::new(settings.threads, settings.searches, settings.queue, settings.searches_each);
        let (answers, jobs) = (Answers::default(), Jobs::default());
        Arc::new(Shared {
            settings,
            shelf: Shelf::new(catalog),
            answers,
            workers,
            jobs,
            loan,
            matches: Ledger::new(MATCHES, 16),
            runs: Ledger::new(RUNS, 32),
        })
    }
}

/// What is no address of the interface, and the files of the page.
static NOWHERE: Address = get("/api/{*rest}", nowhere, "", "Error", "What is not there");
static FILES: Address = get("/{file}", page::file, "", "page", "A file of the page");

/// Everything that the server answers.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let log = shared.settings.log;
    let mut handlers = Router::new();
    for address in ADDRESSES.iter().chain([&NOWHERE]) {
        handlers = handlers.route(address.path, lead(&shared, address));
    }
    let handlers = handlers
        .fallback(lead(&shared, &FILES))
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY));
    let kept = door::inner(handlers, fault).layer(middleware::from_fn_with_state(shared, gate::pass));
    door::outer(kept, log)
}

/// The way to an address.
fn lead(shared: &Arc<Shared>, address: &'static Address) -> MethodRouter {
    let shared = Arc::clone(shared);
    on(address.filter(), move |request: Request| answer(shared, address, request))
}

async fn answer(shared: Arc<Shared>, address: &Address, request: Request) -> Response {
    let asked = match Asked::read(shared, address, request).await {
        Ok(asked) => asked,
        Err(response) => return *response,
    };
    let reply = match (address.handler)(&asked) {
        Ok(reply) => reply.await,
        Err(refusal) => Err(refusal),
    };
    reply.unwrap_or_else(IntoResponse::into_response)
}

fn nowhere(asked: &Asked) -> Result<Reply, Refusal> {
    let path: String = asked.uri.path().chars().take(80).collect();
    let error = format!("there is nothing at {path}");
    Err(Refusal::new(StatusCode::NOT_FOUND, error, "/api/openapi.json lists what there is"))
}

async fn wrong_method() -> Refusal {
    let error = "this address does not take this method";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, error, "/api/openapi.json lists what there is")
}

/// A panic that got this far ends one answer, not the server.
fn fault() -> Response {
    let error = "the server failed for a reason that should not exist";
    let cure = "please report the address that you asked for; other answers are not affected";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error, cure).into_response()
}
