//! What is known of a game as a whole, and whether solving it here would come to an end.

use crate::ask::Asked;
use crate::place::At;
use crate::refusal::Refusal;
use crate::router::Shared;
use axum::Json;
use axum::extract::State;
use outplay_answer::{Place, StatsReport};
use serde::Serialize;
use std::sync::Arc;

/// Positions that a table made for a visitor may have: minutes of work.
const MOST: u128 = 1_000_000_000;

/// The answer of `knowledge`.
#[derive(Serialize)]
pub(crate) struct Knowledge {
    game: String,
    /// How many positions there are, at most; as text, because scripts lose digits beyond 2⁵³. None if nobody counted.
    positions: Option<String>,
    /// Whether a solve of the whole game can be expected to end.
    solvable: bool,
    /// The statistics of its table, if there is one.
    statistics: Option<StatsReport>,
}

/// `GET /api/v1/knowledge`
pub(crate) async fn knowledge(
    State(shared): State<Arc<Shared>>,
    Asked(at): Asked<At>,
) -> Result<Json<Knowledge>, Refusal> {
    at.place()?;
    let desk = Arc::clone(&shared);
    let look = move || {
        let game = desk.shelf.open(&at.game)?;
        let slots = game.slots();
        let solvable = match slots {
            Some(slots) => slots <= MOST,
            None => game.exact(&Place::Start, &desk.steady_options()).unwrap_or(false),
        };
        Ok(Knowledge {
            game: game.spec(),
            positions: slots.map(|slots| slots.to_string()),
            solvable: solvable && !desk.settings.read_only,
            // No table, and no statistics of games with dice, are no trouble here.
            statistics: game.stats(&desk.settings.data, None).ok(),
        })
    };
    shared.workers.quick(look).await.map(Json)
}
