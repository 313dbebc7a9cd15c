//! What happened to the value in the course of a game.

use crate::ask::Asked;
use crate::guests::Visitor;
use crate::place::At;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::router::Shared;
use crate::stream::live;
use crate::workers::Attention;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use outplay_answer::Entry;
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
    let desk = Arc::clone(&shared);
    let (spec, asked) = (at.game.clone(), place.clone());
    // What makes no sense is refused before the stream begins.
    shared.workers.quick(move || Ok(desk.shelf.open(&spec)?.view(&asked)?)).await?;
    let watch = Attention::patient(Some(shared.settings.time + GRACE), &shared.workers);
    Ok(live(watch, move |watch, events| async move {
        let desk = Arc::clone(&shared);
        let search = move |_| {
            let game = desk.shelf.open(&at.game)?;
            let found = &mut |step: &_| events.send("ply", step);
            Ok(outplay_explain::history(&game, &place, &desk.steady_options(), &*watch, found)?)
        };
        shared.workers.study(visitor, search).await
    }))
}
