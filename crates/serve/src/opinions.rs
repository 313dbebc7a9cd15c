//! Handler for heuristic evaluations of moves, where exact values are out of reach, as an event stream.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{Reply, written};
use std::time::Duration;

/// Time limit of all rounds.
const TIME: Duration = Duration::from_secs(4);

/// `GET /api/v1/opinions/stream`: `event: move` for each estimate as it improves.
pub(crate) fn opinions_stream(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let visitor = asked.visitor;
    Ok(asked.quick(move |desk, _| {
        outplay_workbench::view(&desk.shelf.open(&game)?, &place)?;
        Ok(desk.stream(visitor, game, TIME, move |study| {
            let found = &mut |opinion: &_| study.events.send("move", opinion);
            let session = study.desk.steady_session();
            Ok(written(&outplay_workbench::opinions(&session, study.game, &place, study.watch, found)?))
        }))
    }))
}
