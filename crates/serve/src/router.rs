//! Which address leads where, and what every request goes through.

use crate::background::Ledger;
use crate::cache::{Answers, Shelf};
use crate::jobs::Jobs;
use crate::lent::Loan;
use crate::matches::Match;
use crate::refusal::Refusal;
use crate::runs::Run;
use crate::settings::{BODY, MATCHES, RUNS, Settings};
use crate::workers::Workers;
use crate::{
    annex, games, gate, history, jobs, knowledge, learn, openapi, opinions, page, position, proof, runs,
    stats, why,
};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
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

/// Everything that the server answers.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let log = shared.settings.log;
    let handlers = Router::new()
        .route("/api/v1/games", get(games::games))
        .route("/api/v1/view", get(position::view))
        .route("/api/v1/position", get(position::position))
        .route("/api/v1/position/stream", get(position::position_stream))
        .route("/api/v1/move", post(position::choose))
        .route("/api/v1/history", get(history::history))
        .route("/api/v1/history/stream", get(history::history_stream))
        .route("/api/v1/why", get(why::why))
        .route("/api/v1/puzzle", get(why::puzzle))
        .route("/api/v1/evaluation", get(why::evaluation))
        .route("/api/v1/rules", get(learn::rules))
        .route("/api/v1/tree", get(learn::tree))
        .route("/api/v1/index", get(learn::index))
        .route("/api/v1/waves", get(learn::waves))
        .route("/api/v1/values", post(learn::values))
        .route("/api/v1/proof", get(proof::prove))
        .route("/api/v1/check", post(proof::check))
        .route("/api/v1/walk", post(proof::walk))
        .route("/api/v1/experiments", get(runs::list))
        .route("/api/v1/solve", post(jobs::start))
        .route("/api/v1/solve/{id}", get(jobs::show).delete(jobs::cancel))
        .route("/api/v1/solve/{id}/stream", get(jobs::listen))
        .route("/api/v1/knowledge", get(knowledge::knowledge))
        .route("/api/v1/opinions/stream", get(opinions::opinions_stream))
        .route("/api/v1/stats", get(stats::stats))
        .route("/api/v1/stats.svg", get(stats::picture))
        .merge(annex::routes())
        .route("/api/openapi.json", get(openapi::describe))
        .route("/healthz", get(games::health))
        .route("/api/{*rest}", get(nowhere))
        .fallback(get(page::file))
        .method_not_allowed_fallback(wrong_method)
        .with_state(Arc::clone(&shared))
        .layer(DefaultBodyLimit::max(BODY));
    let kept = door::inner(handlers, fault).layer(middleware::from_fn_with_state(shared, gate::pass));
    door::outer(kept, log)
}

async fn nowhere(uri: Uri) -> Refusal {
    let path: String = uri.path().chars().take(80).collect();
    let error = format!("there is nothing at {path}");
    Refusal::new(StatusCode::NOT_FOUND, error, "/api/openapi.json lists what there is")
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
