//! OpenAPI 3.1 description of the HTTP API, generated from the route table.

use crate::addresses::{ADDRESSES, Address, HttpMethod};
use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{self, Reply, at_once};
use crate::schemas::{reference, schemas};
use serde_json::{Map, Value, json};

/// Parameters that several addresses share, with what they mean.
const PARAMETERS: [(&str, &str, bool); 18] = [
    ("game", "the game's spec, such as `tictactoe` or `connect4:6x5`", true),
    ("position", "a position in the game's notation; the start unless given", false),
    ("moves", "moves from there, separated by commas or spaces", false),
    ("at", "how many of the moves to show the position after; all unless given", false),
    ("seed", "a whole number that decides which puzzle, or which start", false),
    ("eval", "the evaluation's spec, such as `helpful`, `polynomial` or `lines`", true),
    ("eval_at", "the evaluation at the horizon, as the parameter `eval`; nothing unless given", false),
    ("depth", "plies that the search looks ahead, 0 to 64 (2 unless given)", false),
    ("method", "minimax or alphabeta; with dice expectiminimax, star1 or star2", false),
    ("order", "which moves are tried first: rules, best, worst or shuffled", false),
    ("most", "positions to record, 1 to 2000 (400 unless given)", false),
    ("stop", "`never`: do not leave a position where nothing better is possible", false),
    ("distance", "`off`: a win is a win, whether soon or late", false),
    ("number", "a whole number of the index, or of a set of puzzles", false),
    ("tier", "the name of a tier, as the statistics have it", false),
    ("value", "win, draw or loss, as the statistics count", false),
    ("date", "a day such as 2026-11-17; today unless given", false),
    ("text", "what the code says", true),
];

/// `GET /api/openapi.json`
pub(crate) fn describe(_: &ApiRequest) -> Result<Reply, Refusal> {
    at_once(reply::json(&document()))
}

/// The whole description.
fn document() -> Value {
    let mut paths = Map::new();
    for address in ADDRESSES {
        let path = paths.entry(address.path).or_insert_with(|| json!({}));
        path[name(address.method)] = operation(address);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "outplay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Exact values of two-player games, their reasons, and players. Values, distances and scores are for the side to move, in `moves` for the player who makes the move.",
        },
        "paths": paths,
        "components": { "schemas": schemas() },
    })
}

fn name(method: HttpMethod) -> &'static str {
    match method {
        HttpMethod::Get => "get",
        HttpMethod::Post => "post",
        HttpMethod::Delete => "delete",
    }
}

fn operation(address: &Address) -> Value {
    let Address { path, parameters, body, answer, about: summary, .. } = address;
    let text = json!({ "type": "string" });
    let (kind, schema) = match *answer {
        "events" => ("text/event-stream", text),
        "picture" => ("image/svg+xml", text),
        "lines" => ("text/plain", text),
        "page" => ("text/html", text),
        "object" => ("application/json", json!({ "type": "object" })),
        name => ("application/json", reference(name)),
    };
    let content = |kind: &str, schema: Value| json!({ kind: { "schema": schema } });
    let response = |about: &str, content: Value| json!({ "description": about, "content": content });
    let error = |about: &str| response(about, content("application/json", reference("Error")));
    let begins = ["/api/v1/solve", "/api/v1/match", "/api/v1/experiments/run"];
    let done = if body.is_some() && begins.contains(path) { "202" } else { "200" };
    let mut operation = json!({
        "summary": summary,
        "responses": {
            done: response(summary, content(kind, schema)),
            "4XX": error("Refused: invalid, not found, forbidden or over a limit; `error` has the reason and `cure` the remedy"),
            "503": error("Busy; retry after the number of seconds in Retry-After"),
        },
    });
    let known = |name: &str| PARAMETERS.iter().find(|(known, ..)| *known == name);
    let mut list: Vec<Value> = parameters
        .split_whitespace()
        .filter_map(known)
        .map(|(name, about, required)| {
            // An evaluation is needed in one place and can be left out in another; it has one name.
            let name = name.trim_end_matches("_at");
            json!({ "name": name, "in": "query", "required": required, "description": about, "schema": { "type": "string" } })
        })
        .collect();
    if address.has_id() {
        let about = "the number of the job, match or run";
        list.push(json!({ "name": "id", "in": "path", "required": true, "description": about, "schema": { "type": "integer" } }));
    }
    if !list.is_empty() {
        operation["parameters"] = json!(list);
    }
    if let Some(body) = body {
        operation["requestBody"] =
            json!({ "required": true, "content": content("application/json", reference(body)) });
    }
    operation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let text = document.to_string();
        for piece in text.split("#/components/schemas/").skip(1) {
            let name = piece.split('"').next().unwrap_or_default();
            assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
        }
        for Address { path, method, parameters, .. } in ADDRESSES {
            assert!(document["paths"][path].get(name(*method)).is_some(), "{path}");
            let known = |word: &str| PARAMETERS.iter().any(|(known, ..)| *known == word);
            assert!(parameters.split_whitespace().all(known), "{path}: {parameters}");
        }
    }
}
