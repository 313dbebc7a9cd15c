//! What is known of a game as a whole, and whether solving it here would come to an end.

use crate::ask::Asked;
use crate::refusal::Refusal;
use crate::reply::{Reply, json};
use outplay_answer::{Place, StatsReport};
use serde::Serialize;

/// Positions that a table made for a visitor may have: minutes of work.
const MOST: u128 = 1_000_000_000;

/// The answer of `knowledge`.
#[derive(Serialize)]
struct Knowledge {
    game: String,
    /// How many positions there are, at most; as text, because scripts lose digits beyond 2⁵³. None if nobody counted.
    positions: Option<String>,
    /// Whether a solve of the whole game can be expected to end.
    solvable: bool,
    /// The statistics of its table, if there is one.
    statistics: Option<StatsReport>,
}

/// `GET /api/v1/knowledge`
pub(crate) fn knowledge(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    Ok(asked.quick(move |desk, _| {
        let game = desk.shelf.open(&game)?;
        let slots = game.slots();
        let solvable = match slots {
            Some(slots) => slots <= MOST,
            None => game.exact(&Place::Start, &desk.steady_options()).unwrap_or(false),
        };
        Ok(json(&Knowledge {
            game: game.spec(),
            positions: slots.map(|slots| slots.to_string()),
            solvable: solvable && !desk.settings.read_only,
            // No table, and no statistics of games with dice, are no trouble here.
            statistics: game.stats(&desk.settings.data, None).ok(),
        }))
    }))
}
