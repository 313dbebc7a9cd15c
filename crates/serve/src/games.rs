//! Which games and players there are.

use crate::router::Shared;
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use std::sync::Arc;

/// `GET /api/v1/games`
pub(crate) async fn games(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let families: Vec<Value> = shared.shelf.catalog().families().iter().map(|family| {
        json!({
            "name": family.name(), "about": family.about(), "parameters": family.options(), "example": family.example(),
        })
    }).collect();
    Json(json!({ "games": families, "players": players(), "levels": levels() }))
}

/// Every player with a line about it.
pub(crate) fn players() -> Value {
    json!([{ "name": "random", "about": "any legal move", "example": "random" }])
}

/// Players from the weakest to the strongest.
pub(crate) fn levels() -> Value {
    json!([{ "player": "random", "name": "Random" }])
}

/// `GET /healthz`
pub(crate) async fn health(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let (running, waiting) = shared.workers.load();
    Json(json!({ "status": "ok", "searches": running, "waiting": waiting }))
}
