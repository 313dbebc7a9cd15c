//! What happened to the value in the course of a game.

use crate::ask::Asked;
use crate::place::At;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::router::Shared;
use crate::workers::Attention;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use outplay_answer::Entry;
use outplay_door::Visitor;
use outplay_explain::History;
use std::sync::Arc;

/// `GET /api/v1/history`
pub(crate) async fn history(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<Json<History>, Refusal> {
    let place = at.place()?;
    let options = shared.steady_options();
    let look = move |game: &Entry, _, watch: &Attention| {
        Ok(outplay_explain::history(game, &place, &options, watch, &mut |_| {})?)
    };
    shared.ask(visitor, at.game, look).await.map(Json)
}

/// `GET /api/v1/history/stream`: `event: ply` for each position, the last one first.
pub(crate) async fn history_stream(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<impl IntoResponse, Refusal> {
    let place = at.place()?;
    shared.glance(&at.game, &place, |_, game, place| Ok(game.view(place)?)).await?;
    let time = shared.settings.time + GRACE;
    Ok(shared.stream(visitor, at.game, time, move |desk, game, watch, events| {
        let found = &mut |step: &_| events.send("ply", step);
        Ok(outplay_explain::history(game, &place, &desk.steady_options(), watch, found)?)
    }))
}
