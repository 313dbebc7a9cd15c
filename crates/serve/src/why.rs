//! The reason behind a value, puzzles, and what evaluations see.

use crate::ask::Asked;
use crate::refusal::Refusal;
use crate::reply::{Reply, json};

/// `GET /api/v1/why`
pub(crate) fn why(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let options = asked.shared.steady_options();
    Ok(asked.ask(game, move |game, _, watch| Ok(json(&outplay_explain::why(game, &place, &options, watch)?))))
}

/// `GET /api/v1/puzzle`
pub(crate) fn puzzle(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let seed: u64 = asked.text("seed")?.unwrap_or("0").parse().map_err(|_| {
        Refusal::bad(
            "the seed of a puzzle is not a whole number below 2^64",
            "leave it out, or give one such as 7",
        )
    })?;
    let options = asked.shared.steady_options();
    Ok(asked
        .ask(game, move |game, _, watch| Ok(json(&outplay_explain::puzzle(game, seed, &options, watch)?))))
}

/// `GET /api/v1/evaluation`
pub(crate) fn evaluation(asked: &Asked) -> Result<Reply, Refusal> {
    let eval = asked.needed("eval")?.to_string();
    let (game, place) = asked.place()?;
    let options = asked.shared.steady_options();
    Ok(asked.ask(game, move |game, _, _| {
        // Visitors name no files.
        Ok(json(&game.evaluate_unread(&place, &eval, &options)?))
    }))
}
