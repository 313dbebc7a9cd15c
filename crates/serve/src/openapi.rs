//! The description of the interface for programs: OpenAPI 3.1, made from one table.

use axum::Json;
use serde_json::{Map, Value, json};

/// Parameters that several addresses share, with what they mean.
const PARAMETERS: [(&str, &str, bool); 17] = [
    ("game", "the game's spec, such as `tictactoe` or `connect4:6x5`", true),
    ("position", "a position in the game's notation; the start unless given", false),
    ("moves", "moves from there, separated by commas or spaces", false),
    ("seed", "a whole number that decides which puzzle", false),
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

/// One address: method, path, what it answers, parameters, schema of the answer.
type Route = (&'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const AT: &[&str] = &["game", "position", "moves"];
const GAME: &[&str] = &["game"];

/// Every address of the interface.
pub(crate) const ROUTES: [Route; 49] = [
    ("get", "/api/v1/games", "The games and players that there are", &[], "Games"),
    ("get", "/api/v1/view", "What a position looks like and which moves it has", AT, "View"),
    ("get", "/api/v1/position", "The value of a position and of each of its moves", AT, "Query"),
    ("get", "/api/v1/position/stream", "The same as events: move, progress, done or error", AT, "events"),
    (
        "get",
        "/api/v1/history",
        "The value of every position that the moves go through, with mistakes",
        AT,
        "History",
    ),
    ("get", "/api/v1/history/stream", "The same as events: ply, progress, done or error", AT, "events"),
    ("post", "/api/v1/move", "The move that a player would make", &[], "Choice"),
    (
        "get",
        "/api/v1/why",
        "The reason behind a value: a sentence, marks and the line of best play",
        AT,
        "Why",
    ),
    (
        "get",
        "/api/v1/puzzle",
        "A position with exactly one move that keeps its value",
        &["game", "seed"],
        "Puzzle",
    ),
    (
        "get",
        "/api/v1/evaluation",
        "What an evaluation sees in a position: its score, the parts of it, what every cell is worth, a picture",
        &["game", "position", "moves", "eval"],
        "Evaluation",
    ),
    ("get", "/api/v1/rules", "The rules of a game in words, and written out if it is small", GAME, "Rules"),
    (
        "get",
        "/api/v1/tree",
        "A search recorded step by step: every position entered, its window, its worth and what became of it",
        &[
            "game", "position", "moves", "depth", "method", "eval_at", "order", "seed", "most", "stop",
            "distance",
        ],
        "Trace",
    ),
    (
        "get",
        "/api/v1/index",
        "The size of a game's index, the number of a position, or the position of a number",
        &["game", "position", "number"],
        "Index",
    ),
    (
        "get",
        "/api/v1/waves",
        "How many positions each wave of retrograde analysis decides, for a game with loops",
        GAME,
        "Waves",
    ),
    ("post", "/api/v1/values", "The values of a list of positions of a game with loops", &[], "Values"),
    ("get", "/api/v1/proof", "The value of a board of lines with its written proof", AT, "Proof"),
    ("post", "/api/v1/check", "Checks a written proof and tells what was followed", &[], "Checked"),
    ("post", "/api/v1/walk", "A proof's answers to moves of the opponent", &[], "Walk"),
    (
        "get",
        "/api/v1/experiments",
        "The experiments that there are: question, source and verdict of each",
        &[],
        "Experiments",
    ),
    ("post", "/api/v1/solve", "Begins to solve a whole game in the background", &[], "Job"),
    ("get", "/api/v1/solve/{id}", "How far a solve is, or its answer", &[], "Job"),
    ("get", "/api/v1/solve/{id}/stream", "The same as events: progress, done or error", &[], "events"),
    ("delete", "/api/v1/solve/{id}", "Cancels a solve", &[], "Job"),
    (
        "get",
        "/api/v1/knowledge",
        "How large a game is, whether it can be solved here, and its statistics",
        GAME,
        "Knowledge",
    ),
    (
        "get",
        "/api/v1/opinions/stream",
        "What the program thinks of moves whose exact value is out of reach, as events: move, progress, done or error",
        AT,
        "events",
    ),
    ("get", "/api/v1/stats", "Positions by ply, value and distance, from the game's table", GAME, "Stats"),
    ("get", "/api/v1/stats.svg", "The same as a picture", GAME, "picture"),
    ("get", "/api/v1/stats.csv", "The same as lines of comma-separated values", GAME, "lines"),
    (
        "get",
        "/api/v1/stats/examples",
        "Positions of a table of one kind",
        &["game", "tier", "value", "seed"],
        "Examples",
    ),
    ("get", "/api/v1/stats/records", "The longest and the hardest wins of a table", GAME, "Records"),
    ("get", "/api/v1/match", "Matches and leagues of late", &[], "Matches"),
    ("post", "/api/v1/match", "Begins a match or a league in the background", &[], "Match"),
    ("get", "/api/v1/match/{id}", "How a match stands: score with bounds, test, boards", &[], "Match"),
    ("delete", "/api/v1/match/{id}", "Stops a match; what was played counts", &[], "Match"),
    ("post", "/api/v1/match/{id}/resume", "Goes on with a match that was stopped", &[], "Match"),
    ("get", "/api/v1/match/{id}/stream", "What is new in a match as events: match, done", &[], "events"),
    ("get", "/api/v1/match/{id}/record", "The games of a match, one per line", &[], "lines"),
    ("post", "/api/v1/experiments/run", "Runs an experiment again in the background", &[], "Run"),
    ("get", "/api/v1/experiments/run/{id}", "How far a run is, or what it found, with plots", &[], "Run"),
    ("delete", "/api/v1/experiments/run/{id}", "Stops a run", &[], "Run"),
    ("get", "/api/v1/puzzles", "The sets of puzzles that were made beforehand", &[], "PuzzleSets"),
    ("get", "/api/v1/puzzle/set", "A puzzle of a set", &["game", "number"], "Puzzle"),
    ("get", "/api/v1/puzzle/daily", "The puzzle of a day", &["date"], "Puzzle"),
    ("get", "/api/v1/qr.svg", "A QR code", &["text"], "picture"),
    ("get", "/embed", "A board for other people's pages", AT, "page"),
    ("get", "/shell.json", "The files of the page", &[], "object"),
    ("get", "/api/openapi.json", "This description", &[], "object"),
    ("get", "/healthz", "Whether the server answers, and how busy it is", &[], "Health"),
    ("get", "/", "The page", &[], "page"),
];

/// `GET /api/openapi.json`
pub(crate) async fn describe() -> Json<Value> {
    Json(document())
}

/// The whole description.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for route in &ROUTES {
        let path = paths.entry(route.1).or_insert_with(|| json!({}));
        path[route.0] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "outplay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Exact values of two-player games, their reasons, and players. Values, distances and scores are for the side to move, in `moves` for the player who makes the move.",
        },
        "paths": paths,
        "components": { "schemas": all_schemas() },
    })
}

fn operation(&(method, path, summary, parameters, answer): &Route) -> Value {
    let content = match answer {
        "events" => json!({ "text/event-stream": { "schema": { "type": "string" } } }),
        "picture" => json!({ "image/svg+xml": { "schema": { "type": "string" } } }),
        "lines" => json!({ "text/plain": { "schema": { "type": "string" } } }),
        "page" => json!({ "text/html": { "schema": { "type": "string" } } }),
        "object" => json!({ "application/json": { "schema": { "type": "object" } } }),
        name => json!({ "application/json": { "schema": reference(name) } }),
    };
    let error = |about: &str| json!({ "description": about, "content": { "application/json": { "schema": reference("Error") } } });
    let begins = ["/api/v1/solve", "/api/v1/match", "/api/v1/experiments/run"];
    let done = if method == "post" && begins.contains(&path) { "202" } else { "200" };
    let mut operation = json!({
        "summary": summary,
        "responses": {
            done: { "description": summary, "content": content },
            "4XX": error("The request makes no sense or asks for too much; the sentence says why"),
            "503": error("Busy: ask again after the seconds that Retry-After names"),
        },
    });
    let known = |name: &&str| PARAMETERS.iter().find(|(known, ..)| known == name);
    let mut list: Vec<Value> = parameters
        .iter()
        .filter_map(known)
        .map(|(name, about, required)| {
            // An evaluation is needed in one place and can be left out in another; it has one name.
            let name = name.trim_end_matches("_at");
            json!({ "name": name, "in": "query", "required": required, "description": about, "schema": { "type": "string" } })
        })
        .collect();
    if path.contains("{id}") {
        let about = "the number of the job, match or run";
        list.push(json!({ "name": "id", "in": "path", "required": true, "description": about, "schema": { "type": "integer" } }));
    }
    if !list.is_empty() {
        operation["parameters"] = json!(list);
    }
    if method == "post" {
        let body = match path.rsplit('/').next() {
            Some("move") => "MoveRequest",
            Some("values") => "ValuesRequest",
            Some("check") => "CheckRequest",
            Some("walk") => "WalkRequest",
            Some("match") => "MatchRequest",
            Some("run") => "RunRequest",
            Some("resume") => "Nothing",
            _ => "SolveRequest",
        };
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": reference(body) } } });
    }
    operation
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// What is counted while a search runs.
fn counters() -> Value {
    let number = json!({ "type": "integer" });
    json!({
        "nodes": number, "static_evaluations": number, "dynamic_evaluations": number, "alpha_cutoffs": number,
        "beta_cutoffs": number, "best_payoff_cutoffs": number, "dice_cutoffs": number, "distinct_keys": number,
        "cache_hits": number, "table_hits": number, "table_cutoffs": number, "collisions": number, "probe_hits": number,
        "quiescence_nodes": number,
    })
}

/// One table after the other: a single one is more than the macro takes.
fn all_schemas() -> Value {
    let mut all = schemas();
    for more in [lesson_schemas(), annex_schemas()] {
        if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
            all.extend(more);
        }
    }
    all
}

/// What lessons, trees and proofs are made of.
fn lesson_schemas() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let number = json!({ "type": "integer" });
    let objects = json!({ "type": "array", "items": { "type": "object" } });
    let plies = json!({ "type": ["integer", "null"] });
    let value = json!({ "type": ["string", "null"], "enum": ["win", "draw", "loss", "unknown", null] });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties });
    json!({
        "Rules": object(&["game", "name", "rules"], json!({
            "game": text, "name": text, "about": text, "rules": text, "parameters": text, "example": text,
            "textbook": { "type": ["object", "null"] },
        })),
        "Trace": object(&["game", "method", "depth", "counters", "nodes"], json!({
            "game": text, "position": text, "method": text, "order": text, "depth": number,
            "counters": reference("Counters"), "recorded_plies": number, "note": { "type": ["string", "null"] }, "nodes": objects,
        })),
        "Index": object(&["game"], json!({
            "game": text, "index": text, "tiers": objects, "size": number, "reachable": plies, "ratio": { "type": ["number", "null"] },
            "number": number, "tier": text, "place": number, "position": { "type": ["string", "null"] },
            "unreached": { "type": ["string", "null"] },
        })),
        "Waves": object(&["game", "positions", "draws", "waves"], json!({
            "game": text, "positions": number, "draws": number, "waves": objects,
        })),
        "Values": object(&["values"], json!({ "values": objects })),
        "Proof": object(&["game", "value", "proof"], json!({
            "game": text, "position": text, "value": value, "nodes": number, "steps": number, "proof": { "type": ["string", "null"] },
        })),
        "Checked": object(&["valid", "seen"], json!({
            "valid": { "type": "boolean" }, "value": text, "steps": number, "followed": number, "error": text, "step": plies,
            "seen": objects,
        })),
        "Walk": object(&["player", "wins", "over", "stones", "waiting"], json!({
            "player": text, "wins": { "type": "boolean" }, "over": { "type": "boolean" }, "stones": objects, "waiting": objects,
        })),
        "ValuesRequest": object(&["game", "positions"], json!({ "game": text, "positions": texts })),
        "CheckRequest": object(&["proof"], json!({ "proof": text })),
        "WalkRequest": object(&["proof", "player"], json!({
            "proof": text, "player": { "type": "string", "enum": ["first", "second"] }, "moves": texts,
        })),
    })
}

fn schemas() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let number = json!({ "type": "integer" });
    let objects = json!({ "type": "array", "items": { "type": "object" } });
    let plies = json!({ "type": ["integer", "null"] });
    let value = json!({ "type": ["string", "null"], "enum": ["win", "draw", "loss", "unknown", null] });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties });
    json!({
        "Error": object(&["error", "cure"], json!({ "error": text, "cure": { "type": ["string", "null"] } })),
        "Health": object(&["status"], json!({ "status": text, "searches": number, "waiting": number })),
        "Games": object(&["games", "players", "levels"], json!({ "games": objects, "players": objects, "levels": texts })),
        "View": object(&["game", "position", "to_move", "scene"], json!({
            "game": text, "position": text, "to_move": text, "outcome": plies, "scene": { "type": "object" },
            "warning": { "type": ["string", "null"] }, "players": objects, "engines": texts, "levels": texts, "exact": { "type": "boolean" },
        })),
        "Move": object(&["move", "value"], json!({ "move": text, "san": text, "value": value, "distance": plies, "score": plies })),
        "Query": object(&["game", "position", "to_move", "value", "moves"], json!({
            "game": text, "position": text, "to_move": text, "value": value, "distance": plies, "score": plies,
            "best": texts, "moves": { "type": "array", "items": reference("Move") }, "line": texts,
            "source": { "type": "string", "enum": ["rules", "theory", "table", "book", "kept", "search"] },
            "notes": texts,
        })),
        "History": object(&["game", "plies"], json!({ "game": text, "plies": objects })),
        "Choice": object(&["game", "position", "player", "move"], json!({
            "game": text, "position": text, "player": text, "move": text, "nodes": number, "depth": number,
            "opinion": { "type": ["number", "null"] }, "line": texts, "seconds": { "type": "number" },
            "counters": reference("Counters"),
        })),
        "Counters": object(&["nodes"], counters()),
        "Why": object(&["sentence", "marks", "line"], json!({
            "game": text, "position": text, "to_move": text, "value": value, "distance": plies, "sentence": text,
            "marks": objects, "line": objects,
        })),
        "Puzzle": object(&["position", "task", "solution"], json!({
            "game": text, "position": text, "to_move": text, "kind": text, "task": text, "value": value, "distance": plies,
            "solution": text, "line": texts, "choices": number, "steps": objects, "themes": texts,
            "difficulty": { "type": "object" }, "number": number, "of": number, "date": text,
        })),
        "Evaluation": object(&["game", "position", "to_move", "eval", "score", "parts", "cells"], json!({
            "game": text, "position": text, "to_move": text, "eval": text, "score": number, "opinion": { "type": "number" },
            "scale": { "type": "number" }, "parts": objects, "cells": objects, "best": texts, "svg": text,
        })),
        "Experiments": object(&["experiments"], json!({ "experiments": objects, "latest": { "type": "object" } })),
        "Knowledge": object(&["game", "positions", "solvable", "statistics"], json!({
            "game": text, "positions": { "type": ["string", "null"] }, "solvable": { "type": "boolean" },
            "statistics": { "type": ["object", "null"] },
        })),
        "Job": object(&["id", "game", "state"], json!({
            "id": number, "game": text, "state": { "type": "string", "enum": ["running", "stopping", "done", "cancelled", "failed"] },
            "stage": text, "done": number, "total": number, "seconds": { "type": "number" }, "answer": { "type": "object" },
            "error": text, "cure": { "type": ["string", "null"] },
        })),
        "Stats": object(&["game", "tiers", "positions"], json!({ "game": text, "tiers": objects, "positions": { "type": "object" } })),
        "MoveRequest": object(&["game", "player"], json!({
            "game": text, "position": text, "moves": text, "player": text, "seed": number,
        })),
        "SolveRequest": object(&["game"], json!({
            "game": text, "method": text, "values": { "type": "string", "enum": ["wdl", "distance"] }, "save": { "type": "boolean" },
            "stay": { "type": "boolean" },
        })),
    })
}

/// Schemas of what stands beside the board.
fn annex_schemas() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let (number, truth) = (json!({ "type": "integer" }), json!({ "type": "boolean" }));
    let objects = json!({ "type": "array", "items": { "type": "object" } });
    let plies = json!({ "type": ["integer", "null"] });
    let maybe = json!({ "type": ["string", "null"] });
    let state = json!({ "type": "string", "enum": ["running", "stopping", "stopped", "done", "failed"] });
    let seconds = json!({ "type": "number" });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties });
    json!({
        "Examples": object(&["game", "examples"], json!({ "game": text, "examples": objects })),
        "Records": object(&["game", "longest", "hardest"], json!({
            "game": text, "longest_plies": plies, "longest_count": number, "longest": objects, "hardest": objects,
        })),
        "Matches": object(&["matches"], json!({ "matches": objects })),
        "Match": object(&["id", "game", "players", "state"], json!({
            "id": number, "game": text, "players": texts, "mine": truth, "games": number, "planned": number,
            "state": state,
            "each": number, "seed": number, "seconds": seconds, "standings": { "type": "object" },
            "sprt": { "type": ["object", "null"] }, "points": { "type": "array" }, "results": { "type": "array" },
            "boards": objects, "error": maybe, "cure": maybe,
        })),
        "Run": object(&["id", "name", "state"], json!({
            "id": number, "name": text, "seed": number, "sample": plies, "mine": truth,
            "state": state,
            "stage": text, "done": number, "total": number, "seconds": seconds, "findings": { "type": "object" },
            "pictures": texts, "error": text, "cure": maybe,
        })),
        "PuzzleSets": object(&["sets"], json!({ "sets": objects })),
        "Nothing": object(&[], json!({})),
        "MatchRequest": object(&["game", "players"], json!({
            "game": text, "position": text, "moves": text, "players": texts, "games": number, "openings": number, "seed": number,
            "sprt": { "type": "object", "properties": { "elo0": seconds, "elo1": seconds } },
            "boards": number, "pace": number, "stay": truth,
        })),
        "RunRequest": object(&["name"], json!({ "name": text, "seed": number, "sample": number, "stay": truth })),
    })
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
        for (method, path, ..) in ROUTES {
            assert!(document["paths"][path].get(method).is_some(), "{method} {path}");
        }
    }
}
