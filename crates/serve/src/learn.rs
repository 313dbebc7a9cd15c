//! What lessons are made of: searches recorded step by step, positions as numbers, waves of retrograde analysis, and
//! the rules of a game in its own words.

use crate::ask::Asked;
use crate::place::At;
use crate::refusal::Refusal;
use crate::reply::{Reply, json};
use crate::settings::POSITION;
use outplay_answer::{DiceMethod, Place, Rules, TraceRequest, TreeOrder, Valued};
use serde::{Deserialize, Serialize};

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

/// A whole number of a request within bounds.
fn number(asked: &Asked, name: &str, or: u64, least: u64, most: u64) -> Result<u64, Refusal> {
    let Some(text) = asked.text(name)?.filter(|text| !text.is_empty()) else { return Ok(or) };
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => {
            let error = format!("`{name}` is not a whole number from {least} to {most}");
            Err(Refusal::bad(error, format!("leave it out, or give one such as {or}")))
        }
    }
}

/// Which search is recorded.
fn search(asked: &Asked) -> Result<TraceRequest, Refusal> {
    let mut request = TraceRequest::default();
    request.depth = number(asked, "depth", 2, 0, PLIES.into())? as u32;
    request.most = number(asked, "most", 400, 1, NODES as u64)? as usize;
    let seed = number(asked, "seed", 1, 0, u64::MAX)?;
    (request.prune, request.dice) = match asked.text("method")?.unwrap_or("alphabeta") {
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
    request.order = match asked.text("order")?.unwrap_or("rules") {
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
    request.best_payoff = asked.text("stop")? != Some("never");
    request.distance = asked.text("distance")? != Some("off");
    let eval = asked.text("eval")?.unwrap_or_default();
    if eval.len() > EVAL {
        let error = format!("the evaluation's spec has more than {EVAL} characters");
        return Err(Refusal::bad(error, "name one, such as `lines` or `helpful`"));
    }
    request.eval = (!eval.is_empty()).then(|| eval.to_string());
    Ok(request)
}

/// `GET /api/v1/tree`
pub(crate) fn tree(asked: &Asked) -> Result<Reply, Refusal> {
    let ((game, place), request) = (asked.place()?, search(asked)?);
    let options = asked.shared.steady_options();
    Ok(asked.ask(game, move |game, _, watch| Ok(json(&game.trace(&place, &request, &options, watch)?))))
}

/// The rules of a game: its family's words, and everything written out if it is small.
#[derive(Serialize)]
struct RulesAnswer<'a> {
    game: String,
    name: &'a str,
    about: &'a str,
    rules: &'a str,
    parameters: &'a str,
    example: &'a str,
    /// (S, I, Succs, T, V); null for games with more positions than anybody reads.
    textbook: Option<Rules>,
}

/// `GET /api/v1/rules`
pub(crate) fn rules(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let family = asked.shared.shelf.catalog().family(&game)?.clone();
    Ok(asked.ask(game, move |game, _, watch| {
        Ok(json(&RulesAnswer {
            game: game.spec(),
            name: family.name(),
            about: family.about(),
            rules: family.rules(),
            parameters: family.options(),
            example: family.example(),
            // A game too large to be written out has rules nevertheless.
            textbook: game.rules(&Place::Start, WRITTEN, watch).ok(),
        }))
    }))
}

/// `GET /api/v1/index`: its size, the number of a position, or the position of a number.
pub(crate) fn index(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let number: Option<u128> = match asked.text("number")? {
        None | Some("") => None,
        Some(text) => Some(text.parse().map_err(|_| {
            Refusal::bad("`number` is not a whole number below 2^128", "give one such as 1234, or a position")
        })?),
    };
    let position = asked.text("position")?.unwrap_or_default().trim().to_string();
    let memory = asked.shared.steady_options().memory;
    Ok(asked.ask(game, move |game, _, watch| {
        Ok(match number {
            Some(number) => json(&game.unrank(number, memory, watch)?),
            None if !position.is_empty() => json(&game.rank(&position, memory, watch)?),
            None => json(&game.index_report(memory, false, watch)?),
        })
    }))
}

/// `GET /api/v1/waves`
pub(crate) fn waves(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let options = asked.shared.steady_options();
    Ok(asked.ask(game, move |game, _, watch| Ok(json(&game.waves(&options, watch)?))))
}

/// A list of positions.
#[derive(Deserialize)]
struct ListRequest {
    #[serde(flatten)]
    at: At,
    positions: Vec<String>,
}

/// Their values.
#[derive(Serialize)]
struct List {
    values: Vec<Valued>,
}

/// `POST /api/v1/values`
pub(crate) fn values(asked: &Asked) -> Result<Reply, Refusal> {
    let ListRequest { at, positions } = asked.told()?;
    at.place()?;
    if positions.len() > LIST || positions.iter().any(|position| position.len() > POSITION) {
        let error = format!("a list has at most {LIST} positions of {POSITION} characters");
        return Err(Refusal::bad(error, "ask for fewer at a time"));
    }
    let options = asked.shared.steady_options();
    Ok(asked.ask(at.game, move |game, _, watch| {
        Ok(json(&List { values: game.values(&positions, &options, watch)? }))
    }))
}
