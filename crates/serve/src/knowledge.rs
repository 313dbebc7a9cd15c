//! Handler for the summary of a game: its number of positions, the statistics of its table, and whether solving it is
//! expected to finish.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{Reply, json};
use outplay_workbench::{PositionRef, StatsReport};
use serde::Serialize;

/// Positions that a table made for a visitor may have: minutes of work.
const MOST: u128 = 1_000_000_000;

/// The answer of `knowledge`.
#[derive(Serialize)]
struct Knowledge {
    game: String,
    /// How many positions there are, at most; as text, because scripts lose digits beyond 2⁵³. None if nobody counted.
    positions: Option<String>,
    /// Whether the game rolls dice.
    chance: bool,
    /// Whether a solve of the whole game can be expected to end.
    solvable: bool,
    /// The statistics of its table, if there is one.
    statistics: Option<StatsReport>,
}

/// `GET /api/v1/knowledge`
pub(crate) fn knowledge(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    Ok(asked.quick(move |desk, _| {
        let game = desk.shelf.open(&game)?;
        let slots = outplay_workbench::slots(&game);
        let solvable = match slots {
            Some(slots) => slots <= MOST,
            None => outplay_workbench::is_tractable(&desk.steady_session(), &game, &PositionRef::Start)
                .unwrap_or(false),
        };
        Ok(json(&Knowledge {
            game: game.spec(),
            positions: slots.map(|slots| slots.to_string()),
            chance: game.game().has_dice(),
            solvable: solvable && !desk.settings.read_only,
            // No table, and no statistics of games with dice, are no trouble here.
            statistics: outplay_workbench::stats(&desk.steady_session(), &game, None).ok(),
        }))
    }))
}
