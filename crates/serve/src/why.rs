//! Handlers for explanations of a value, for puzzles, and for the terms of an evaluation.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{Reply, json};

/// `GET /api/v1/why`
pub(crate) fn why(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let session = asked.shared.steady_session();
    Ok(asked
        .ask(game, move |game, budget| Ok(json(&outplay_teach::why(&session, game, &place, budget.watch)?))))
}

/// `GET /api/v1/puzzle`
pub(crate) fn puzzle(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let seed: u64 = asked.text("seed")?.unwrap_or("0").parse().map_err(|_| {
        Refusal::bad(
            "the seed of a puzzle is not a whole number below 2^64",
            "leave it out, or give a number such as 7",
        )
    })?;
    let session = asked.shared.steady_session();
    Ok(asked
        .ask(game, move |game, budget| Ok(json(&outplay_teach::puzzle(&session, game, seed, budget.watch)?))))
}

/// `GET /api/v1/evaluation`
pub(crate) fn evaluation(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let eval = asked.needed("eval")?.to_string();
    let (game, place) = asked.place()?;
    let session = asked.shared.steady_session();
    Ok(asked.ask(game, move |game, _| {
        // Clients cannot name files.
        Ok(json(&outplay_teach::evaluate_unread(&session, game, &place, &eval)?))
    }))
}
