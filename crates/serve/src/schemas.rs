//! JSON schemas of requests and responses for the OpenAPI description, in a compact notation.
//!
//! ```text
//!  name        a required field, a string           name:kind      a required field of a kind in KINDS
//!  name?       an optional field, a string          name:Schema    an object of another schema
//!  name:a|b    one of these words                   name:[Schema]  a list of such objects
//! ```

use serde_json::{Map, Value, json};

/// Kinds of values, as JSON schema has them.
const KINDS: [(&str, &str); 17] = [
    ("text", r#"{ "type": "string" }"#),
    ("texts", r#"{ "type": "array", "items": { "type": "string" } }"#),
    ("maybe", r#"{ "type": ["string", "null"] }"#),
    ("number", r#"{ "type": "integer" }"#),
    ("plies", r#"{ "type": ["integer", "null"] }"#),
    ("number_or_name", r#"{ "type": ["integer", "string"] }"#),
    ("real", r#"{ "type": "number" }"#),
    ("maybe_real", r#"{ "type": ["number", "null"] }"#),
    ("truth", r#"{ "type": "boolean" }"#),
    ("object", r#"{ "type": "object" }"#),
    ("maybe_object", r#"{ "type": ["object", "null"] }"#),
    ("objects", r#"{ "type": "array", "items": { "type": "object" } }"#),
    ("list", r#"{ "type": "array" }"#),
    ("value", r#"{ "type": ["string", "null"], "enum": ["win", "draw", "loss", "unknown", null] }"#),
    (
        "claims",
        r#"{ "type": "object", "properties": { "elo0": { "type": "number" }, "elo1": { "type": "number" } } }"#,
    ),
    (
        "job",
        r#"{ "type": "string", "enum": ["waiting", "running", "stopping", "done", "cancelled", "failed"] }"#,
    ),
    ("state", r#"{ "type": "string", "enum": ["running", "stopping", "stopped", "done", "failed"] }"#),
];

/// Schemas: a name and its fields, continued on indented lines.
const SCHEMAS: &str = "\
Rules: game name about? rules parameters? example? textbook?:maybe_object
Trace: game position? method order? depth:number counters:Counters recorded_plies?:number exact?:truth
    note?:maybe nodes:objects
Index: game index? tiers?:objects size?:number reachable?:plies ratio?:maybe_real number?:number tier?
    place?:number position?:maybe unreached?:maybe
Waves: game count:number positions:number draws:number waves:objects
Values: values:objects
Proof: game position? value:value nodes?:number steps?:number proof:maybe
Checked: valid:truth value? steps?:number followed?:number error? step?:plies seen:objects
Walk: player wins:truth over:truth stones:objects waiting:objects
ValuesRequest: game positions:texts
CheckRequest: proof
WalkRequest: proof player:first|second moves?:texts
Error: error cure:maybe
Health: status searches?:number waiting?:number
Games: games:objects players:objects levels:texts named_levels:[Level]
Level: number:number name player
View: game position to_move outcome?:plies scene:object warning?:maybe players?:objects engines?:texts
    levels?:texts named_levels?:[Level] exact?:truth chance?:truth startless?:truth provable?:truth
    proof_expected?:truth seconds?:real evals?:texts begins?:first|second turn_of?:first|second at?:number plies?:[Ply]
Start: game position startless:truth
Ply: move by:first|second chance:truth said?
Move: move san? value:value distance?:plies score?:plies
Query: game position to_move value:value distance?:plies score?:plies best?:texts moves:[Move] line?:texts
    source?:rules|theory|table|book|kept|search notes?:texts
History: game plies:objects review:object
Choice: game position player move said? nodes?:number depth?:number opinion?:maybe_real line?:texts
    seconds?:real counters?:Counters
Counters: nodes:number static_evaluations?:number dynamic_evaluations?:number alpha_cutoffs?:number
    beta_cutoffs?:number best_payoff_cutoffs?:number dice_cutoffs?:number distinct_keys?:number
    cache_hits?:number table_hits?:number table_cutoffs?:number collisions?:number probe_hits?:number
    quiescence_nodes?:number
Why: game? position? to_move? value?:value distance?:plies sentence marks:objects line:objects
Puzzle: game? position to_move? kind? task value?:value distance?:plies solution line?:texts
    choices?:number steps?:objects themes?:texts difficulty?:object number?:number of?:number date?
Evaluation: game position to_move eval score:number opinion?:real scale?:real parts:objects cells:objects
    best?:texts svg?
Experiments: experiments:objects latest?:object
Knowledge: game positions:maybe chance?:truth solvable:truth statistics:maybe_object
Job: id:number game state:job stage? done?:number total?:number seconds?:real answer?:object error?
    cure?:maybe
Stats: game tiers:objects positions:object
MoveRequest: game position? moves? player? level?:number_or_name seed?:number
SolveRequest: game method? values?:wdl|distance save?:truth stay?:truth
Examples: game examples:objects
Records: game longest_plies?:plies longest_count?:number longest:objects hardest:objects
Matches: matches:objects
Match: id:number game players:texts mine?:truth games?:number planned?:number state:state each?:number
    seed?:number seconds?:real standings?:object sprt?:maybe_object points?:list results?:list
    boards?:objects error?:maybe cure?:maybe
Run: id:number name seed?:number sample?:plies mine?:truth state:state stage? done?:number total?:number
    seconds?:real findings?:object pictures?:texts error? cure?:maybe
PuzzleSets: sets:objects
Nothing:
MatchRequest: game position? moves? players:texts games?:number openings?:number seed?:number sprt?:claims
    boards?:number pace?:number stay?:truth
RunRequest: name seed?:number sample?:number stay?:truth
";

/// All schemas.
pub(crate) fn schemas() -> Map<String, Value> {
    let lines = SCHEMAS.replace("\n    ", " ");
    let schemas = lines.lines().filter_map(|line| line.split_once(':'));
    schemas.map(|(name, fields)| (name.into(), schema(fields))).collect()
}

/// A mention of a schema.
pub(crate) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn schema(fields: &str) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields.split_whitespace() {
        let (name, kind) = field.split_once(':').unwrap_or((field, "text"));
        let name = name.strip_suffix('?').unwrap_or_else(|| {
            required.push(name);
            name
        });
        properties.insert(name.into(), value(kind));
    }
    json!({ "type": "object", "required": required, "properties": properties })
}

fn value(kind: &str) -> Value {
    let known = KINDS.iter().find(|(name, _)| *name == kind);
    if let Some(known) = known.and_then(|(_, schema)| serde_json::from_slice(schema.as_bytes()).ok()) {
        return known;
    }
    if kind.contains('|') {
        return json!({ "type": "string", "enum": kind.split('|').collect::<Vec<&str>>() });
    }
    match kind.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(name) => json!({ "type": "array", "items": reference(name) }),
        None => reference(kind),
    }
}
