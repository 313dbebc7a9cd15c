//! What happened to the value in the course of a game.

use crate::ask::Asked;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::reply::{Reply, json, written};

/// `GET /api/v1/history`
pub(crate) fn history(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let options = asked.shared.steady_options();
    Ok(asked.ask(game, move |game, _, watch| {
        Ok(json(&outplay_explain::history(game, &place, &options, watch, &mut |_| {})?))
    }))
}

/// `GET /api/v1/history/stream`: `event: ply` for each position, the last one first.
pub(crate) fn history_stream(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let (visitor, time) = (asked.visitor, asked.shared.settings.time + GRACE);
    Ok(asked.quick(move |desk, _| {
        // What makes no sense is refused before the stream begins.
        desk.shelf.open(&game)?.view(&place)?;
        Ok(desk.stream(visitor, game, time, move |study| {
            let found = &mut |step: &_| study.events.send("ply", step);
            let options = study.desk.steady_options();
            Ok(written(&outplay_explain::history(study.game, &place, &options, study.watch, found)?))
        }))
    }))
}
