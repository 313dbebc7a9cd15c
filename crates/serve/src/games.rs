//! Handlers for lists: the games, the players and the experiments of this server, and its health.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{Reply, at_once, json};
use outplay_catalog::Catalog;
use outplay_core::Game;
use outplay_players::{Levels, PlayerKind, ROSTER};
use serde::Serialize;
use serde_json::json;

/// The answer of `GET /api/v1/games`.
#[derive(Serialize)]
struct Games<'a> {
    games: Vec<Family<'a>>,
    /// A few levels that most games have; a view lists those of its game.
    #[serde(flatten)]
    levels: Levels,
    players: &'a [PlayerKind],
}

/// A family of games.
#[derive(Serialize)]
struct Family<'a> {
    about: &'a str,
    example: &'a str,
    name: &'a str,
    parameters: &'a str,
    /// Whether its games have no start of their own.
    startless: bool,
}

/// `GET /api/v1/games`
pub(crate) fn games(asked: &ApiRequest) -> Result<Reply, Refusal> {
    Ok(asked.quick(|desk, _| {
        let families = desk.shelf.catalog().families().iter();
        let games = families.map(|family| Family {
            about: family.about(),
            example: family.example(),
            name: family.name(),
            parameters: family.options(),
            startless: is_startless(desk.shelf.catalog(), family.example()),
        });
        Ok(json(&Games { games: games.collect(), levels: Levels::generic(), players: &ROSTER }))
    }))
}

/// Whether the game of an example, a spec with options of the command line, has no start.
fn is_startless(catalog: &Catalog, example: &str) -> bool {
    let spec = example.split_whitespace().next().unwrap_or_default();
    catalog.open(spec).is_ok_and(|game| game.game().start().is_none())
}

/// `GET /api/v1/experiments` of a server that was built without experiments.
#[cfg(not(feature = "experiments"))]
pub(crate) fn no_experiments(_: &ApiRequest) -> Result<Reply, Refusal> {
    at_once(json(&json!({ "experiments": [], "latest": {} })))
}

/// `GET /healthz`
pub(crate) fn health(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (running, waiting) = asked.shared.workers.load();
    at_once(json(&json!({ "status": "ok", "searches": running, "waiting": waiting })))
}
