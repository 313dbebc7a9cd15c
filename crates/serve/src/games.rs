//! Which games, players and experiments there are.

use crate::ask::Asked;
use crate::refusal::Refusal;
use crate::reply::{Reply, at_once, json};
use outplay_players::{About, ROSTER};
use serde::Serialize;
use serde_json::json;

/// Players from the weakest to the strongest, for games that say nothing better; a view lists those of its game.
const LEVELS: [&str; 7] = [
    "random",
    "noisy:p=0.3,inner=greedy",
    "greedy",
    "alphabeta:depth=2",
    "alphabeta:depth=4",
    "alphabeta:depth=8",
    "perfect",
];

/// The answer of `games`.
#[derive(Serialize)]
struct Games<'a> {
    games: Vec<Family<'a>>,
    levels: [&'static str; 7],
    players: &'a [About],
}

/// A family of games.
#[derive(Serialize)]
struct Family<'a> {
    about: &'a str,
    example: &'a str,
    name: &'a str,
    parameters: &'a str,
}

/// `GET /api/v1/games`
pub(crate) fn games(asked: &Asked) -> Result<Reply, Refusal> {
    let families = asked.shared.shelf.catalog().families().iter();
    let games = families.map(|family| Family {
        about: family.about(),
        example: family.example(),
        name: family.name(),
        parameters: family.options(),
    });
    at_once(json(&Games { games: games.collect(), levels: LEVELS, players: &ROSTER }))
}

/// `GET /healthz`
pub(crate) fn health(asked: &Asked) -> Result<Reply, Refusal> {
    let (running, waiting) = asked.shared.workers.load();
    at_once(json(&json!({ "status": "ok", "searches": running, "waiting": waiting })))
}
