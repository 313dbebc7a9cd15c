//! Router and middleware stack, and the state that all requests share.

use crate::addresses::{ADDRESSES, Address, FALLBACKS};
use crate::api_request::ApiRequest;
use crate::background::JobList;
use crate::cache::{Answers, OpenGames};
use crate::jobs::Jobs;
use crate::matches::Match;
use crate::net;
use crate::origin_check;
use crate::quota::GuestTables;
use crate::refusal::Refusal;
use crate::reply::Reply;
#[cfg(feature = "experiments")]
use crate::runs::Run;
#[cfg(feature = "experiments")]
use crate::settings::RUNS;
use crate::settings::{BODY, MATCHES, Settings};
use crate::workers::Workers;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, on};
use outplay_catalog::Catalog;
use outplay_workbench::Session;
use std::sync::Arc;

/// State shared by all requests.
pub(crate) struct ServerState {
    pub(crate) settings: Settings,
    /// Caches of all requests; each request adds limits of its own.
    pub(crate) caches: Session,
    pub(crate) shelf: OpenGames,
    pub(crate) answers: Answers,
    pub(crate) workers: Workers,
    pub(crate) jobs: Jobs,
    pub(crate) guest_tables: Option<GuestTables>,
    pub(crate) matches: JobList<Match>,
    #[cfg(feature = "experiments")]
    pub(crate) runs: JobList<Run>,
}

impl ServerState {
    pub(crate) fn new(catalog: Catalog, settings: Settings) -> Arc<ServerState> {
        let guest_tables = settings.guest_quota.map(|quota| GuestTables::new(&settings.data, quota));
        let workers =
            Workers::new(settings.threads, settings.searches, settings.queue, settings.searches_each);
        let (answers, jobs) = (Answers::default(), Jobs::default());
        Arc::new(ServerState {
            caches: Session::at(&settings.data),
            settings,
            shelf: OpenGames::new(catalog),
            answers,
            workers,
            jobs,
            guest_tables,
            matches: JobList::new(MATCHES, 16),
            #[cfg(feature = "experiments")]
            runs: JobList::new(RUNS, 32),
        })
    }
}

/// Builds the router of the API and the page.
pub(crate) fn router(shared: Arc<ServerState>) -> Router {
    let log = shared.settings.log;
    let mut handlers = Router::new();
    let [nowhere, files] = FALLBACKS;
    for address in ADDRESSES.iter().chain([nowhere]) {
        handlers = handlers.route(address.path, lead(&shared, address));
    }
    let handlers = handlers
        .fallback(lead(&shared, files))
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY));
    let kept = net::inner(handlers, fault).layer(middleware::from_fn_with_state(shared, origin_check::pass));
    net::outer(kept, log)
}

/// Builds the route of an address.
fn lead(shared: &Arc<ServerState>, address: &'static Address) -> MethodRouter {
    let shared = Arc::clone(shared);
    on(address.filter(), move |request: Request| answer(shared, address, request))
}

async fn answer(shared: Arc<ServerState>, address: &Address, request: Request) -> Response {
    let asked = match ApiRequest::read(shared, address, request).await {
        Ok(asked) => asked,
        Err(response) => return *response,
    };
    let reply = match (address.handler)(&asked) {
        Ok(reply) => reply.response().await,
        Err(refusal) => Err(refusal),
    };
    reply.unwrap_or_else(IntoResponse::into_response)
}

pub(crate) fn nowhere(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let path: String = asked.uri.path().chars().take(80).collect();
    let error = format!("the address {path} does not exist");
    Err(Refusal::new(StatusCode::NOT_FOUND, error, "/api/openapi.json lists all addresses"))
}

async fn wrong_method() -> Refusal {
    let error = "this address does not accept this HTTP method";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, error, "/api/openapi.json lists all addresses")
}

/// Response to a panic: it ends one request, not the server.
fn fault() -> Response {
    let error = "internal error: the handler of this request crashed";
    let cure = "please report this bug with the address of the request; other requests are not affected";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error, cure).into_response()
}
