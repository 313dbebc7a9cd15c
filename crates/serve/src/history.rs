//! Handlers for the history of a game: the value of each position of a move list, with the mistakes.

use crate::api_request::ApiRequest;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::reply::{Reply, json, written};

/// `GET /api/v1/history`
pub(crate) fn history(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let session = asked.shared.steady_session();
    Ok(asked.ask(game, move |game, budget| {
        Ok(json(&outplay_teach::history(&session, game, &place, budget.watch, &mut |_| {})?))
    }))
}

/// `GET /api/v1/history/stream`: `event: ply` for each position, the last one first.
pub(crate) fn history_stream(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let (visitor, time) = (asked.visitor, asked.shared.settings.time + GRACE);
    Ok(asked.quick(move |desk, _| {
        // What makes no sense is refused before the stream begins.
        outplay_workbench::view(&desk.shelf.open(&game)?, &place)?;
        Ok(desk.stream(visitor, game, time, move |study| {
            let found = &mut |step: &_| study.events.send("ply", step);
            let session = study.desk.steady_session();
            Ok(written(&outplay_teach::history(&session, study.game, &place, study.watch, found)?))
        }))
    }))
}
