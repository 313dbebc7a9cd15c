//! The reason behind a value, puzzles, and what evaluations see.

use crate::ask::Asked;
use crate::place::At;
use crate::refusal::Refusal;
use crate::router::Shared;
use axum::Json;
use axum::extract::State;
use outplay_answer::Evaluation;
use outplay_door::Visitor;
use outplay_explain::{Puzzle, Why};
use serde::Deserialize;
use std::sync::Arc;

/// `GET /api/v1/why`
pub(crate) async fn why(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<Json<Why>, Refusal> {
    let place = at.place()?;
    let options = shared.steady_options();
    shared
        .ask(visitor, at.game, move |game, _, watch| Ok(outplay_explain::why(game, &place, &options, watch)?))
        .await
        .map(Json)
}

/// Which puzzle.
#[derive(Deserialize)]
pub(crate) struct PuzzleRequest {
    #[serde(flatten)]
    at: At,
    /// Decides which one.
    #[serde(default)]
    seed: Option<String>,
}

/// `GET /api/v1/puzzle`
pub(crate) async fn puzzle(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(request): Asked<PuzzleRequest>,
) -> Result<Json<Puzzle>, Refusal> {
    request.at.place()?;
    let seed = request.seed.as_deref().unwrap_or("0");
    let seed: u64 = seed.parse().map_err(|_| {
        Refusal::bad(
            "the seed of a puzzle is not a whole number below 2^64",
            "leave it out, or give one such as 7",
        )
    })?;
    let options = shared.steady_options();
    shared
        .ask(visitor, request.at.game, move |game, _, watch| {
            Ok(outplay_explain::puzzle(game, seed, &options, watch)?)
        })
        .await
        .map(Json)
}

/// Which evaluation of which position.
#[derive(Deserialize)]
pub(crate) struct EvaluationRequest {
    #[serde(flatten)]
    at: At,
    /// Its spec.
    eval: String,
}

/// `GET /api/v1/evaluation`
pub(crate) async fn evaluation(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(request): Asked<EvaluationRequest>,
) -> Result<Json<Evaluation>, Refusal> {
    let (place, eval) = (request.at.place()?, request.eval);
    let options = shared.steady_options();
    shared
        .ask(visitor, request.at.game, move |game, _, _| {
            // Visitors name no files.
            Ok(game.evaluate_unread(&place, &eval, &options)?)
        })
        .await
        .map(Json)
}
