//! HTTP requests to every address that the server's own description lists, well formed and not.

use super::report::{Failure, Row};
use super::{Amount, Job};
use crate::fuzz::{TOKENS, mutate};
use crate::serve::{Server, ask};
use rand::RngExt;
use rand::rngs::SmallRng;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The server's time limit is half a second; an answer takes no longer than this, on a busy machine too.
const LIMIT: Duration = Duration::from_secs(10);

/// Values for parameters and fields, right ones among them.
const VALUES: [(&str, &[&str]); 14] = [
    (
        "game",
        &["tictactoe", "connect4:4x4", "nim:3+4", "piglet:3", "morris:tapatan", "mnk:4x3,k=3", "chess:KQK"],
    ),
    ("position", &["x../.o./...", "", "4/4/4/4", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"]),
    ("moves", &["a1,b2", "3 3", "44", ""]),
    ("player", &["greedy", "random", "perfect", "alphabeta:depth=2", "first", "second"]),
    ("seed", &["1", "18446744073709551615"]),
    ("eval", &["paper", "lines", "helpful"]),
    ("method", &["alphabeta", "minimax", "auto", "sweep"]),
    ("depth", &["2", "0", "4294967295"]),
    ("most", &["100", "0", "18446744073709551615"]),
    ("number", &["1", "340282366920938463463374607431768211455"]),
    ("tier", &["3", "99999"]),
    ("value", &["win", "draw", "loss"]),
    ("date", &["2026-05-01", "9999-12-31", "0000-00-00"]),
    ("text", &["http://localhost/"]),
];

/// One address of the description.
struct Address {
    method: String,
    path: String,
    parameters: Vec<String>,
    /// A body that fits its schema, if it has one.
    body: Option<Value>,
}

pub(crate) fn jobs() -> Vec<Job> {
    vec![Box::new(|amount| vec![requests(amount)])]
}

fn addresses(server: &Server) -> Vec<Address> {
    let described = server.get("/api/openapi.json");
    let mut found = Vec::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for (method, about) in methods.as_object().unwrap() {
            let parameters = about["parameters"].as_array().into_iter().flatten();
            let names = parameters.filter(|parameter| parameter["in"] == "query");
            let schema = &about["requestBody"]["content"]["application/json"]["schema"];
            found.push(Address {
                method: method.to_uppercase(),
                path: path.clone(),
                parameters: names
                    .filter_map(|parameter| Some(parameter["name"].as_str()?.to_string()))
                    .collect(),
                body: (!schema.is_null()).then(|| example(schema, &described, 0)),
            });
        }
    }
    found
}

/// Something that fits a schema.
fn example(schema: &Value, described: &Value, depth: usize) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next())
        && depth < 6
    {
        return example(&described["components"]["schemas"][name], described, depth + 1);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            fields.map(|(name, schema)| (name.clone(), example(schema, described, depth + 1))).collect()
        }
        Some("array") => json!([example(&schema["items"], described, depth + 1)]),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        _ => schema["enum"].get(0).cloned().unwrap_or(json!("a1")),
    }
}

/// A value for a name: most often one that makes sense.
fn value(rng: &mut SmallRng, name: &str) -> String {
    let known = VALUES.iter().find(|(known, _)| *known == name).map_or(&["1"][..], |(_, values)| values);
    let value = known[rng.random_range(0..known.len())];
    match rng.random_range(0..4) {
        0 => {
            let token = TOKENS[rng.random_range(0..TOKENS.len())];
            String::from_utf8_lossy(&mutate(rng, value.as_bytes(), token)).into_owned()
        }
        _ => value.to_string(),
    }
}

/// Puts values that make sense into the fields of a body, and nonsense into some.
fn fill(rng: &mut SmallRng, name: &str, body: &mut Value) {
    match body {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| fill(rng, name, field)),
        Value::Array(items) => items.iter_mut().for_each(|item| fill(rng, name, item)),
        Value::String(text) if name == "proof" => {
            let proof = include_bytes!("../../corpus/proof-win.txt");
            *text = String::from_utf8_lossy(&mutate(rng, proof, proof)).into_owned();
        }
        // Games between players that think would go on in the background.
        Value::String(text) if name == "players" => *text = "greedy".into(),
        Value::String(text) => *text = value(rng, name),
        Value::Number(_) if rng.random_range(0..4) == 0 => {
            let odd = [json!(-1), json!(0), json!(1e300), json!(u64::MAX), json!("one"), Value::Null];
            *body = odd[rng.random_range(0..odd.len())].clone();
        }
        _ => {}
    }
}

fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":,=.-_/".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn requests(amount: Amount) -> Row {
    let mut row = Row::new("HTTP requests", "every address, with right and malformed parameters and bodies");
    let mut rng = amount.rng("requests");
    let server = Server::start(&["--time", "0.5", "--memory", "300M", "--threads", "1"]);
    let addresses = addresses(&server);
    assert!(addresses.len() >= 40, "{}", addresses.len());
    // Each address at least once, whatever the scale.
    for number in 0..amount.of(5500).max(addresses.len()) {
        let address = &addresses[number % addresses.len()];
        // Experiments take minutes and go on when the answer is there; their names are refused.
        let runs = address.path.contains("/experiments/run");
        let mut path = address.path.replace("{id}", &rng.random_range(0..4).to_string());
        let mut pairs = Vec::new();
        for name in &address.parameters {
            if rng.random_range(0..10) > 0 {
                pairs.push(format!("{name}={}", escaped(&value(&mut rng, name))));
            }
        }
        if !pairs.is_empty() {
            path += &format!("?{}", pairs.join("&"));
        }
        let body = address.body.clone().map(|mut body| {
            fill(&mut rng, "", &mut body);
            let text = if runs { json!({ "name": "none" }).to_string() } else { body.to_string() };
            match rng.random_range(0..6) {
                0 if !path.contains("match") => {
                    String::from_utf8_lossy(&mutate(&mut rng, text.as_bytes(), text.as_bytes())).into_owned()
                }
                _ => text,
            }
        });
        row.tried(1);
        let start = Instant::now();
        let answer = ask(server.addr, "host: localhost", &address.method, &path, body.as_deref());
        let how = || format!("{} {path} {}", address.method, body.clone().unwrap_or_default());
        match answer {
            Ok((status, ..)) if status >= 500 && status != 503 => {
                row.fail(Failure::Panic, format!("{}: {status}", how()))
            }
            Ok((status, _, said)) if (400..500).contains(&status) && said.trim().is_empty() => {
                row.fail(Failure::Wrong, format!("{}: {status} without a sentence", how()));
            }
            Ok(_) if start.elapsed() > LIMIT => {
                row.fail(Failure::Hang, format!("{}: {:.0?}", how(), start.elapsed()))
            }
            Ok(_) => {}
            Err(_) if start.elapsed() > LIMIT => row.fail(Failure::Hang, how()),
            Err(error) => row.fail(Failure::Panic, format!("{}: {error}", how())),
        }
        if number % 50 == 0 {
            let (status, _, said) = server.ask("GET", "/api/v1/position?game=tictactoe&moves=b2", None);
            let value = serde_json::from_str::<Value>(&said).map(|answer| answer["value"].clone());
            if status != 503 && !value.as_ref().is_ok_and(|value| value == "draw") {
                row.fail(Failure::Wrong, format!("after {}: tictactoe is {status} {said}", how()));
            }
        }
        if row.count(Failure::Hang) >= 3 {
            break;
        }
    }
    row
}
