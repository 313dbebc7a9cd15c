//! What stands beside the board: statistics, the arena, experiments, puzzles, and what one shares.

use crate::router::Shared;
use crate::{arena, runs, stats};
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
        .route("/api/v1/experiments/run", post(runs::start))
        .route("/api/v1/experiments/run/{id}", get(runs::show).delete(runs::stop))
}
