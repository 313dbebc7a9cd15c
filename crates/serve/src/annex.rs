//! What stands beside the board: statistics, the arena, experiments, puzzles, and what one shares.

use crate::router::Shared;
use crate::{arena, puzzles, runs, sharing, stats};
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

/// The addresses of the annex.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v1/stats.csv", get(stats::lines))
        .route("/api/v1/stats/examples", get(stats::examples))
        .route("/api/v1/stats/records", get(stats::records))
        .route("/api/v1/match", get(arena::list).post(arena::start))
        .route("/api/v1/match/{id}", get(arena::show).delete(arena::stop))
        .route("/api/v1/match/{id}/stream", get(arena::stream))
        .route("/api/v1/match/{id}/resume", post(arena::resume))
        .route("/api/v1/match/{id}/record", get(arena::record))
        .route("/api/v1/puzzles", get(puzzles::sets))
        .route("/api/v1/puzzle/set", get(puzzles::one))
        .route("/api/v1/puzzle/daily", get(puzzles::daily))
        .route("/api/v1/qr.svg", get(sharing::code))
        .route("/", get(sharing::home))
        .route("/embed", get(sharing::embed))
        .route("/shell.json", get(sharing::shell))
        .route("/api/v1/experiments/run", post(runs::start))
        .route("/api/v1/experiments/run/{id}", get(runs::show).delete(runs::stop))
}
