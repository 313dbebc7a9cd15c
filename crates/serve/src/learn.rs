//! Handlers for lessons: recorded search trees, ranks of positions, waves of retrograde analysis, and rules of a game.

use crate::api_request::ApiRequest;
use crate::place::At;
use crate::refusal::Refusal;
use crate::reply::{Reply, json};
use crate::settings::POSITION;
use outplay_teach::{TraceRequest, ValuedPosition, WrittenOut};
use outplay_workbench::{DiceMethod, PositionRef, TreeOrder};
use serde::{Deserialize, Serialize};

/// Most plies of a recorded search.
const PLIES: u32 = 64;
/// Most positions in a response.
const NODES: usize = 2_000;
/// Most positions of a game that is written out in full.
const WRITTEN: u64 = 400;
/// Most positions of one request.
const LIST: usize = 512;
/// Longest evaluation spec, in characters.
const EVAL: usize = 500;

/// Parses an integer parameter within bounds.
fn number(asked: &ApiRequest, name: &str, or: u64, least: u64, most: u64) -> Result<u64, Refusal> {
    let Some(text) = asked.text(name)?.filter(|text| !text.is_empty()) else { return Ok(or) };
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => {
            let error = format!("`{name}` is not a whole number from {least} to {most}");
            Err(Refusal::bad(error, format!("leave it out, or give a number such as {or}")))
        }
    }
}

/// Parses which search to record.
fn search(asked: &ApiRequest) -> Result<TraceRequest, Refusal> {
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
        let error = format!("the spec of the evaluation is longer than {EVAL} characters");
        return Err(Refusal::bad(error, "use the name of an evaluation, such as `lines` or `helpful`"));
    }
    request.eval = (!eval.is_empty()).then(|| eval.to_string());
    Ok(request)
}

/// `GET /api/v1/tree`
pub(crate) fn tree(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let ((game, place), request) = (asked.place()?, search(asked)?);
    let session = asked.shared.steady_session();
    Ok(asked.ask(game, move |game, budget| {
        Ok(json(&outplay_teach::trace(&session, game, &place, &request, budget.watch)?))
    }))
}

/// Rules of a game: its family's description, and the complete textbook definition if it is small.
#[derive(Serialize)]
struct RulesAnswer<'a> {
    game: String,
    name: &'a str,
    about: &'a str,
    rules: &'a str,
    parameters: &'a str,
    example: &'a str,
    /// (S, I, Succs, T, V); null for large games.
    textbook: Option<WrittenOut>,
}

/// `GET /api/v1/rules`
pub(crate) fn rules(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let family = asked.shared.shelf.catalog().family(&game)?.clone();
    Ok(asked.ask(game, move |game, budget| {
        Ok(json(&RulesAnswer {
            game: game.spec(),
            name: family.name(),
            about: family.about(),
            rules: family.rules(),
            parameters: family.options(),
            example: family.example(),
            // A game too large to be written out still has rules.
            textbook: outplay_teach::write_out(game, &PositionRef::Start, WRITTEN, budget.watch).ok(),
        }))
    }))
}

/// `GET /api/v1/index`: the size of the index, the rank of a position, or the position of a rank.
pub(crate) fn index(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let number: Option<u128> = match asked.text("number")? {
        None | Some("") => None,
        Some(text) => Some(text.parse().map_err(|_| {
            Refusal::bad(
                "`number` is not a whole number below 2^128",
                "give a number such as 1234, or a position",
            )
        })?),
    };
    let position = asked.text("position")?.unwrap_or_default().trim().to_string();
    Ok(asked.ask(game, move |game, budget| {
        let (session, memory, watch) = (&budget.session(), budget.bytes(), budget.watch);
        Ok(match number {
            Some(number) => json(&outplay_workbench::unrank(session, game, number, memory, watch)?),
            None if !position.is_empty() => {
                json(&outplay_workbench::rank(session, game, &position, memory, watch)?)
            }
            None => json(&outplay_workbench::index_report(session, game, memory, false, watch)?),
        })
    }))
}

/// `GET /api/v1/waves`
pub(crate) fn waves(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let session = asked.shared.steady_session();
    Ok(asked.ask(game, move |game, budget| Ok(json(&outplay_teach::waves(&session, game, budget.watch)?))))
}

/// The body of `POST /api/v1/values`.
#[derive(Deserialize)]
struct ListRequest {
    #[serde(flatten)]
    at: At,
    positions: Vec<String>,
}

/// The answer of `POST /api/v1/values`.
#[derive(Serialize)]
struct ValueList {
    values: Vec<ValuedPosition>,
}

/// `POST /api/v1/values`
pub(crate) fn values(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let ListRequest { at, positions } = asked.told()?;
    at.place()?;
    if positions.len() > LIST || positions.iter().any(|position| position.len() > POSITION) {
        let error =
            format!("a request may list at most {LIST} positions of at most {POSITION} characters each");
        return Err(Refusal::bad(error, "send several smaller requests"));
    }
    let session = asked.shared.steady_session();
    Ok(asked.ask(at.game, move |game, budget| {
        Ok(json(&ValueList { values: outplay_teach::values(&session, game, &positions, budget.watch)? }))
    }))
}
