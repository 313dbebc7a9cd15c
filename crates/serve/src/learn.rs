//! What lessons are made of: searches recorded step by step, positions as numbers, waves of retrograde analysis, and
//! the rules of a game in its own words.

use crate::ask::{Asked, Told};
use crate::place::At;
use crate::refusal::Refusal;
use crate::router::Shared;
use crate::settings::POSITION;
use axum::Json;
use axum::extract::State;
use outplay_answer::{DiceMethod, IndexReport, Place, Ranked, Rules, Trace, TraceRequest, TreeOrder};
use outplay_answer::{Valued, Waves};
use outplay_door::Visitor;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// Plies that a recorded search may look ahead.
const PLIES: u32 = 64;
/// Positions that an answer may have.
const NODES: usize = 2_000;
/// Positions of a game that is written out.
const WRITTEN: u64 = 400;
/// Positions that may be asked for at once.
const LIST: usize = 512;
/// Characters of an evaluation's spec.
const EVAL: usize = 500;

/// Which search is recorded.
#[derive(Deserialize)]
pub(crate) struct TreeRequest {
    #[serde(flatten)]
    at: At,
    depth: Option<String>,
    method: Option<String>,
    eval: Option<String>,
    order: Option<String>,
    seed: Option<String>,
    most: Option<String>,
    stop: Option<String>,
    distance: Option<String>,
}

/// A whole number of a request within bounds.
fn number(name: &str, text: Option<&str>, or: u64, least: u64, most: u64) -> Result<u64, Refusal> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(or) };
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => {
            let error = format!("`{name}` is not a whole number from {least} to {most}");
            Err(Refusal::bad(error, format!("leave it out, or give one such as {or}")))
        }
    }
}

impl TreeRequest {
    fn request(&self) -> Result<TraceRequest, Refusal> {
        let mut request = TraceRequest::default();
        request.depth = number("depth", self.depth.as_deref(), 2, 0, PLIES.into())? as u32;
        request.most = number("most", self.most.as_deref(), 400, 1, NODES as u64)? as usize;
        let seed = number("seed", self.seed.as_deref(), 1, 0, u64::MAX)?;
        (request.prune, request.dice) = match self.method.as_deref().unwrap_or("alphabeta") {
            "minimax" => (false, None),
            "alphabeta" => (true, None),
            "expectiminimax" => (false, Some(DiceMethod::Expectiminimax)),
            "star1" => (true, Some(DiceMethod::Star1)),
            "star2" => (true, Some(DiceMethod::Star2)),
            other => {
                let other: String = other.chars().take(40).collect();
                let cure = "choose minimax or alphabeta or, with dice, expectiminimax, star1 or star2";
                return Err(Refusal::bad(format!("there is no method `{other}`"), cure));
            }
        };
        request.order = match self.order.as_deref().unwrap_or("rules") {
            "rules" => TreeOrder::Rules,
            "best" => TreeOrder::Best,
            "worst" => TreeOrder::Worst,
            "shuffled" => TreeOrder::Shuffled(seed),
            other => {
                let other: String = other.chars().take(40).collect();
                let error = format!("there is no order of moves `{other}`");
                return Err(Refusal::bad(error, "choose rules, best, worst or shuffled"));
            }
        };
        request.best_payoff = self.stop.as_deref() != Some("never");
        request.distance = self.distance.as_deref() != Some("off");
        if self.eval.as_ref().is_some_and(|eval| eval.len() > EVAL) {
            let error = format!("the evaluation's spec has more than {EVAL} characters");
            return Err(Refusal::bad(error, "name one, such as `lines` or `helpful`"));
        }
        request.eval = self.eval.clone().filter(|eval| !eval.is_empty());
        Ok(request)
    }
}

/// `GET /api/v1/tree`
pub(crate) async fn tree(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(asked): Asked<TreeRequest>,
) -> Result<Json<Trace>, Refusal> {
    let (place, request) = (asked.at.place()?, asked.request()?);
    let options = shared.steady_options();
    shared
        .ask(visitor, asked.at.game, move |game, _, watch| Ok(game.trace(&place, &request, &options, watch)?))
        .await
        .map(Json)
}

/// The rules of a game: its family's words, and everything written out if it is small.
#[derive(Serialize)]
pub(crate) struct RulesAnswer {
    game: String,
    name: String,
    about: String,
    rules: String,
    parameters: String,
    example: String,
    /// (S, I, Succs, T, V); null for games with more positions than anybody reads.
    textbook: Option<Rules>,
}

/// `GET /api/v1/rules`
pub(crate) async fn rules(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<Json<RulesAnswer>, Refusal> {
    at.place()?;
    let family = shared.shelf.catalog().family(&at.game)?.clone();
    shared
        .ask(visitor, at.game, move |game, _, watch| {
            // A game too large to be written out has rules nevertheless.
            let textbook = game.rules(&Place::Start, WRITTEN, watch).ok();
            Ok(RulesAnswer {
                game: game.spec(),
                name: family.name().into(),
                about: family.about().into(),
                rules: family.rules().into(),
                parameters: family.options().into(),
                example: family.example().into(),
                textbook,
            })
        })
        .await
        .map(Json)
}

/// What is asked of an index: its size, the number of a position, or the position of a number.
#[derive(Deserialize)]
pub(crate) struct IndexRequest {
    #[serde(flatten)]
    at: At,
    number: Option<String>,
}

/// An index as a whole, or one of its numbers.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum IndexAnswer {
    Whole(IndexReport),
    One(Ranked),
}

/// `GET /api/v1/index`
pub(crate) async fn index(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(asked): Asked<IndexRequest>,
) -> Result<Json<IndexAnswer>, Refusal> {
    asked.at.place()?;
    let number: Option<u128> = match asked.number.as_deref() {
        None | Some("") => None,
        Some(text) => Some(text.parse().map_err(|_| {
            Refusal::bad("`number` is not a whole number below 2^128", "give one such as 1234, or a position")
        })?),
    };
    let (memory, position) = (shared.steady_options().memory, asked.at.position.trim().to_string());
    shared
        .ask(visitor, asked.at.game, move |game, _, watch| {
            Ok(match number {
                Some(number) => IndexAnswer::One(game.unrank(number, memory, watch)?),
                None if !position.is_empty() => IndexAnswer::One(game.rank(&position, memory, watch)?),
                None => IndexAnswer::Whole(game.index_report(memory, false, watch)?),
            })
        })
        .await
        .map(Json)
}

/// `GET /api/v1/waves`
pub(crate) async fn waves(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<Json<Waves>, Refusal> {
    at.place()?;
    let options = shared.steady_options();
    shared.ask(visitor, at.game, move |game, _, watch| Ok(game.waves(&options, watch)?)).await.map(Json)
}

/// A list of positions.
#[derive(Deserialize)]
pub(crate) struct ListRequest {
    #[serde(flatten)]
    at: At,
    positions: Vec<String>,
}

/// `POST /api/v1/values`
pub(crate) async fn values(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Told(asked, _working): Told<ListRequest>,
) -> Result<Json<Value>, Refusal> {
    asked.at.place()?;
    let positions = asked.positions;
    if positions.len() > LIST || positions.iter().any(|position| position.len() > POSITION) {
        let error = format!("a list has at most {LIST} positions of {POSITION} characters");
        return Err(Refusal::bad(error, "ask for fewer at a time"));
    }
    let options = shared.steady_options();
    let values: Vec<Valued> = shared
        .ask(visitor, asked.at.game, move |game, _, watch| Ok(game.values(&positions, &options, watch)?))
        .await?;
    Ok(Json(json!({ "values": values })))
}
