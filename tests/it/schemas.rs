//! The JSON schemas in docs/schemas: every output of a command agrees with the schema of its kind, and has no field that
//! the schema does not describe.

use crate::shell;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schemas");

/// All schemas by file name without its ending.
fn schemas() -> &'static BTreeMap<String, Value> {
    static FOUND: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let files = fs::read_dir(SCHEMAS).unwrap().map(|file| file.unwrap().path());
        let schema = |path: &Path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        files.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), schema(&path))).collect()
    })
}

/// The schema of what a command prints, by its words.
fn kind(words: &[String]) -> String {
    let has = |option: &str| words.iter().any(|word| word == option);
    let second = words.get(1).map_or("", String::as_str);
    let with = |options: &[(&str, &str)], otherwise: &str| {
        let found = options.iter().find(|(option, _)| has(option));
        found.map_or(otherwise, |(_, kind)| kind).to_string()
    };
    let named = !second.is_empty() && !second.starts_with('-');
    match words[0].as_str() {
        "games" if has("--check") => "games-check".into(),
        "games" if named => "games-rules".into(),
        "players" if named => "players-game".into(),
        "experiment" if !named => "experiments".into(),
        "stats" => with(&[("--records", "stats-records")], "stats"),
        "export" => with(&[("--policy", "export-policy")], "export"),
        "show" => with(&[("--all", "show-all"), ("--tree", "show-tree"), ("--eval", "show-eval")], "query"),
        "index" => {
            with(&[("--rank", "index-rank"), ("--unrank", "index-rank"), ("--check", "index-check")], "index")
        }
        "tables" => match words.iter().position(|word| word == "--checksums").map(|at| words.get(at + 1)) {
            Some(Some(file)) if !file.starts_with('-') => "tables-compare".into(),
            Some(_) => "tables-checksums".into(),
            None => with(&[("--remove", "tables-remove"), ("--forget", "tables-forget")], "tables"),
        },
        "book" => with(&[("check", "book-check")], "book"),
        "bench" => format!("bench-{second}"),
        other => other.to_string(),
    }
}

/// Checks each line of a command's output that is JSON.
pub(crate) fn check(words: &[String], stdout: &str) {
    for line in stdout.lines() {
        let Ok(Value::Object(fields)) = serde_json::from_str(line) else { continue };
        let is_error = fields.len() == 2 && fields.contains_key("error") && fields.contains_key("cure");
        let kind = if is_error { "error".to_string() } else { kind(words) };
        let Some(schema) = schemas().get(&kind) else {
            panic!("docs/schemas has no {kind}.json for `outplay {}`", words.join(" "));
        };
        let mut faults = Vec::new();
        compare(schema, &Value::Object(fields), &kind, &mut faults);
        assert!(faults.is_empty(), "`outplay {}`: {}", words.join(" "), faults.join("; "));
    }
}

/// Collects where a value disagrees with a schema; the subset of JSON Schema that docs/schemas uses.
fn compare(schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("common.json#/$defs/").expect("a reference to common.json");
        return compare(&schemas()["common"]["$defs"][name], value, path, faults);
    }
    let types = types(schema);
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !types.iter().any(|known| *known == kind || (*known == "number" && kind == "integer")) {
        faults.push(format!("{path} is {kind}, not {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        faults.push(format!("{path} is {value}"));
    }
    if let (Value::Array(list), Some(items)) = (value, schema.get("items")) {
        list.iter().for_each(|item| compare(items, item, &format!("{path}[]"), faults));
    }
    let Value::Object(fields) = value else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            faults.push(format!("{path}.{name} is missing"));
        }
    }
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    for (name, value) in fields {
        match properties.get(name).or(schema.get("additionalProperties")) {
            Some(schema) => compare(schema, value, &format!("{path}.{name}"), faults),
            None if properties.is_empty() => {}
            None => faults.push(format!("{path}.{name} is not described")),
        }
    }
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Fields of the HTTP interface with the same name as fields of a command have the same type.
pub(crate) fn agrees_with(openapi: &Value) {
    let pairs = [
        ("Query", "query"),
        ("Why", "why"),
        ("Puzzle", "puzzle"),
        ("Evaluation", "show-eval"),
        ("History", "history"),
        ("Stats", "stats"),
        ("Error", "error"),
    ];
    let without_null = |schema: &Value| {
        let mut types: Vec<String> = types(schema).into_iter().map(str::to_string).collect();
        types.retain(|kind| kind != "null");
        types
    };
    for (ours, theirs) in pairs {
        let fields = openapi["components"]["schemas"][ours]["properties"].as_object().unwrap();
        for (name, field) in fields {
            let other = &schemas()[theirs]["properties"][name];
            if field.get("type").is_some() && other.get("type").is_some() {
                assert_eq!(without_null(field), without_null(other), "{ours}.{name}");
            }
        }
    }
}

#[test]
fn every_schema_is_listed_and_described() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.md")).unwrap();
    for (name, schema) in schemas() {
        let title = schema["title"].as_str().unwrap();
        assert!(
            name == "common" || page.contains(&format!("| {title} | [{name}](schemas/{name}.json) |")),
            "{name}"
        );
        let text = schema.to_string();
        assert!(!text.contains("\"description\":\"\""), "{name}");
    }
}

/// A field that a schema lacks, one that is missing and one of another type are faults.
#[test]
fn faults_are_found() {
    let check = |value: Value, expected: &str| {
        let mut faults = Vec::new();
        compare(&schemas()["error"], &value, "error", &mut faults);
        assert_eq!(faults.join("; "), expected);
    };
    check(serde_json::json!({ "error": "a", "cure": null }), "");
    check(serde_json::json!({ "error": "a" }), "error.cure is missing");
    check(serde_json::json!({ "error": 1, "cure": null }), "error.error is integer, not [\"string\"]");
    check(serde_json::json!({ "error": "a", "cure": "b", "x": 1 }), "error.x is not described");
}

/// Outputs that no recorded command has.
#[test]
fn the_other_outputs_agree_with_their_schemas() {
    let data = tempfile::tempdir().unwrap();
    shell::json(data.path(), &["solve", "nim:2+2"]);
    let sums = shell::text(&shell::outplay(data.path(), &["tables", "--checksums"]).stdout);
    let file = data.path().join("sums.txt");
    fs::write(&file, sums).unwrap();
    let words = ["tables", "--checksums", file.to_str().unwrap()];
    let compared = shell::json(data.path(), &words);
    check(&words.map(str::to_string), &compared.to_string());
    let policy = data.path().join("policy.csv");
    let policy = policy.to_str().unwrap();
    let outputs: [&[&str]; 3] = [
        &["stats", "connect4:4x4", "--records"],
        &["export", "tictactoe", "--policy", policy],
        &["export", "pig:10", "--policy", policy],
    ];
    for words in outputs {
        let printed = shell::json(data.path(), words);
        check(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>(), &printed.to_string());
    }
    let mut server = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(["serve", "--json", "--addr", "127.0.0.1:0"])
        .env("OUTPLAY_DATA", data.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let _ = server.kill();
    let _ = server.wait();
    assert!(line.contains("http://"), "{line}");
    check(&["serve".to_string()], &line);
}
