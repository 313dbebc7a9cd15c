//! Which games, players and experiments there are.

use crate::router::Shared;
use axum::Json;
use axum::extract::State;
use outplay_players::ROSTER;
use serde_json::{Value, json};
use std::sync::Arc;

/// Players from the weakest to the strongest, for games that say nothing better; a view lists those of its game.
const LEVELS: [&str; 7] = [
    "random",
    "noisy:p=0.3,inner=greedy",
    "greedy",
    "alphabeta:depth=2",
    "alphabeta:depth=4",
    "alphabeta:depth=8",
    "perfect",
];

/// `GET /api/v1/games`
pub(crate) async fn games(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let families: Vec<Value> = shared.shelf.catalog().families().iter().map(|family| {
        json!({
            "name": family.name(), "about": family.about(), "parameters": family.options(), "example": family.example(),
        })
    }).collect();
    Json(json!({ "games": families, "players": ROSTER, "levels": LEVELS }))
}

/// `GET /healthz`
pub(crate) async fn health(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let (running, waiting) = shared.workers.load();
    Json(json!({ "status": "ok", "searches": running, "waiting": waiting }))
}
