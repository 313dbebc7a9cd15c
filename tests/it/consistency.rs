//! What the commands print of one game agrees, whatever the limits: values, exit codes, notes, sizes and files.
//!
//! Random triples of a game, a command and limits run on one data directory per game, so that each meets the tables,
//! unfinished tables and kept results that others left. Every answer is compared with all earlier ones of its game, with
//! `tables`, and with the files.

use crate::shell::{outplay, text};
use outplay::catalog::Catalog;
use outplay::workbench::{PositionRef, Session, is_tractable};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Games whose solve takes well under a second, some that no limit here suffices for, and endings without a start.
const GAMES: &[&str] = &[
    "tictactoe",
    "mnk:4x3,k=3",
    "mnk:4x4,k=3,misere",
    "mnk:9x9,k=5",
    "connect4:4x4",
    "connect4:5x4",
    "connect4",
    "nim:3+4+5",
    "nim:30+40+50",
    "morris:tapatan",
    "morris:six",
    "chess:KQK",
    "chess:KRPKR",
    "pig:10",
    "pig:100",
    "piglet:3",
];

const COMMANDS: &[&str] = &["solve", "solve", "query", "show", "stats", "verify"];

const LIMITS: &[&[&str]] = &[
    &["--time", "0.01"],
    &["--time", "0.1"],
    &["--time", "0.3"],
    &["--time", "0.3", "--memory", "1M"],
    &["--time", "0.3", "--memory", "20M"],
    &["--time", "0.3", "--no-save"],
];

/// What is known of a game.
#[derive(Default)]
struct Facts {
    /// Win, draw, loss or a mean of the start, and its distance, with the command that printed it.
    value: Option<(String, Option<u64>, String)>,
    /// Counts of a whole game, with the command.
    positions: Option<(Value, String)>,
}

/// The size of a table's files without its lock.
fn bytes_on_disk(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let entries = entries.map(Result::unwrap).filter(|entry| entry.file_name() != "lock");
    let size = |entry: std::fs::DirEntry| match entry.metadata().unwrap() {
        data if data.is_dir() => bytes_on_disk(&entry.path()),
        data => data.len(),
    };
    entries.map(size).sum()
}

fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// The tables that `tables` lists, each of them compared with its files.
fn tables(data: &Path) -> BTreeMap<String, Value> {
    let listed = parsed(&outplay(data, &["tables", "--json"]));
    let tables = listed["tables"].as_array().unwrap().iter();
    let named = tables.map(|table| (table["name"].as_str().unwrap().to_string(), table.clone()));
    named
        .inspect(|(name, table)| {
            assert_eq!(table["bytes"], bytes_on_disk(&data.join(name)), "{table}");
            let all = table["tiers_written"] == table["tiers"];
            assert!(all || table["complete"] == false, "{table}");
        })
        .collect()
}

/// Whether the game's own tables with distances or means are complete.
fn is_stored(game: &str, tables: &BTreeMap<String, Value>) -> bool {
    tables
        .values()
        .any(|table| table["game"] == game && table["complete"] == true && table["values"] != "wdl")
}

impl Facts {
    /// A value that contradicts no earlier one.
    fn value(&mut self, answer: &Value, line: &str) {
        let verdict = match (&answer["value"], &answer["mean"]) {
            (Value::String(verdict), _) => verdict.clone(),
            (_, Value::Number(mean)) => format!("{:.9}", mean.as_f64().unwrap()),
            // A game without a start has no value.
            _ => return,
        };
        let payoff = |verdict: &str| match verdict {
            "win" => 1,
            "loss" => -1,
            _ => 0,
        };
        if verdict == "unknown" {
            let bound = |n: usize| answer["bounds"][n].as_i64().unwrap();
            if let Some((known, ..)) = self.value.as_ref().filter(|_| answer["expected"].is_null()) {
                assert!(
                    known.contains('.') || (bound(0)..=bound(1)).contains(&payoff(known)),
                    "{line}: {answer}"
                );
            }
            return;
        }
        let distance = answer["distance"].as_u64();
        let (known, plies, by) =
            self.value.get_or_insert_with(|| (verdict.clone(), distance, line.to_string()));
        assert_eq!(*known, verdict, "{by} and {line}");
        // A proof knows no distance.
        assert!(plies.is_none() || distance.is_none() || *plies == distance, "{by} and {line}: {answer}");
        *plies = plies.or(distance);
    }

    fn positions(&mut self, positions: &Value, line: &str) {
        if positions.is_object() {
            let (known, by) = self.positions.get_or_insert_with(|| (positions.clone(), line.to_string()));
            assert_eq!(known, positions, "{by} and {line}");
        }
    }
}

/// Compares an answer with the exit code, with earlier answers and with what is on disk.
fn compare(game: &str, line: &str, output: &Output, facts: &mut Facts, before: bool, data: &Path) {
    let (answer, code) = (parsed(output), output.status.code().unwrap());
    let tables = tables(data);
    let command = line.split(' ').next().unwrap();
    if !answer["error"].is_null() {
        assert!([2, 3].contains(&code), "{line}: {code} {answer}");
        assert!(command != "stats" || !before || game.starts_with("pig"), "{line}: {answer}");
        return;
    }
    match command {
        "solve" | "query" | "show" => {
            let known = answer["value"] != "unknown";
            assert!(
                code == 0 && known || code == 3 && !known || command == "show",
                "{line}: {code} {answer}"
            );
            facts.value(&answer, line);
        }
        "stats" | "verify" => {
            assert_eq!(code, 0, "{line}: {answer}");
            assert!(before, "{line} without a table: {answer}");
        }
        _ => unreachable!(),
    }
    if command == "stats" {
        facts.positions(&answer["positions"], line);
        let own = tables.values().find(|table| table["game"] == game && table["values"] != "wdl").unwrap();
        assert_eq!(answer["table_bytes"], own["bytes"], "{line}");
    }
    if command == "verify" {
        assert!(answer["wrong"] == 0 && answer["checked"].as_u64().unwrap() > 0, "{line}: {answer}");
    }
    if command == "solve" {
        facts.positions(&answer["positions"], line);
        let listed = |entry: &Value| tables.get(entry["name"].as_str().unwrap());
        if !answer["table"].is_null() {
            let listed = listed(&answer["table"]).unwrap_or_else(|| panic!("{line}: not listed: {answer}"));
            assert_eq!(
                (&listed["complete"], &listed["bytes"]),
                (&true.into(), &answer["table"]["bytes"]),
                "{line}"
            );
        }
        let unfinished = || tables.values().any(|table| table["game"] == game && table["complete"] == false);
        match &answer["partial"] {
            Value::Null => {
                // A search of the position alone resumes no table.
                let solves = answer["method"] != "search" && answer["method"] != "proof";
                let hidden =
                    answer["value"] == "unknown" && solves && !line.contains("--no-save") && unfinished();
                assert!(!hidden, "{line}: a table is left that the answer is silent about: {tables:?}");
            }
            partial => {
                assert_eq!(code, 3, "{line}");
                if let Some(listed) = listed(partial) {
                    assert_eq!(partial["bytes"], listed["bytes"], "{line}");
                    assert_eq!(partial["tiers_written"], listed["tiers_written"], "{line}");
                    assert_eq!(partial["tiers"], listed["tiers"], "{line}");
                } else {
                    let all: u64 = tables.values().map(|table| table["bytes"].as_u64().unwrap()).sum();
                    assert_eq!(partial["bytes"], all, "{line}");
                }
            }
        }
    }
}

/// Compares the text of a command with its exit code and with the tables on disk.
fn compare_text(game: &str, line: &str, output: &Output, data: &Path) {
    let (text, code) = (text(&output.stdout), output.status.code().unwrap());
    if code > 3 || line.split(' ').next() != Some("solve") || text.is_empty() {
        return;
    }
    let open = text.contains(": unknown so far") || text.contains(": not solved");
    assert_eq!(open, code == 3, "{line}: {text}");
    assert!(!(open && text.contains(": solved")), "{line}: {text}");
    let tables = tables(data);
    let own = |table: &Value, complete: bool| table["game"] == game && table["complete"] == complete;
    // A search of the position alone resumes no table.
    let solves = !text.contains(" by search in ") && !text.contains(" by proof in ");
    // Tables of other games are the endings that this one leads to.
    let begun = tables.values().any(|table| table["game"] != game || table["complete"] == false);
    let left = open && solves && !line.contains("--no-save") && begun;
    assert_eq!(text.contains("unfinished table in"), left, "{line}: {text}");
    assert!(!left || !text.contains("no table was stored"), "{line}: {text}");
    if text.contains("stored in") || text.contains("found in") {
        assert!(tables.values().any(|table| own(table, true)), "{line}: {text}");
    }
}

fn no_two_commands_contradict_each_other(count: usize, seed: u64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut games: BTreeMap<&str, (TempDir, Facts)> = BTreeMap::new();
    let mut pick = |list: usize| rng.random_range(0..list);
    for _ in 0..count {
        let game = GAMES[pick(GAMES.len())];
        let (command, limits, asks_json) =
            (COMMANDS[pick(COMMANDS.len())], LIMITS[pick(LIMITS.len())], pick(3) > 0);
        let (data, facts) =
            games.entry(game).or_insert_with(|| (tempfile::tempdir().unwrap(), Facts::default()));
        // Verification and statistics have no time limit.
        let limits = match command {
            "stats" | "verify" => &limits[2..],
            _ => limits,
        };
        let mut words = [&[command, game], limits].concat();
        let line = words.join(" ");
        let before = is_stored(game, &tables(data.path()));
        if asks_json {
            words.push("--json");
            compare(game, &line, &outplay(data.path(), &words), facts, before, data.path());
        } else {
            compare_text(game, &line, &outplay(data.path(), &words), data.path());
        }
    }
}

#[test]
fn random_commands_agree() {
    no_two_commands_contradict_each_other(40, 1);
}

#[test]
#[ignore = "two minutes"]
fn two_hundred_random_commands_agree() {
    no_two_commands_contradict_each_other(200, 2);
}

/// Endings have no start, so no value says whether they are solved.
#[test]
fn unfinished_solve_says_so_and_what_it_kept() {
    let data = tempfile::tempdir().unwrap();
    let output = outplay(data.path(), &["solve", "chess:KRPKR", "--time", "2"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.starts_with("chess:KRPKR: not solved\n"), "{said}");
    assert!(said.contains("unfinished table in") && said.contains("the same command resumes it"), "{said}");
    let answer = parsed(&outplay(data.path(), &["solve", "chess:KRPKR", "--time", "0.5", "--json"]));
    assert_eq!((&answer["value"], &answer["position"]), (&"unknown".into(), &Value::Null));
    assert!(answer["partial"]["tiers_written"].as_u64() < answer["partial"]["tiers"].as_u64(), "{answer}");
    // A set of endings has the same limit.
    let set = outplay(data.path(), &["solve", "chess:all4", "--time", "0.5"]);
    assert_eq!(set.status.code(), Some(3), "{set:?}");
    assert!(text(&set.stdout).contains("chess:all4: not solved"), "{set:?}");
}

#[test]
fn solve_knows_what_the_book_knows() {
    let data = tempfile::tempdir().unwrap();
    let answer = parsed(&outplay(data.path(), &["solve", "connect4", "--time", "0.1", "--json"]));
    assert_eq!((&answer["value"], &answer["method"]), (&"win".into(), &"book".into()));
    assert_eq!(answer["best"], serde_json::json!(["4"]));
}

#[test]
fn kept_result_keeps_its_line() {
    let data = tempfile::tempdir().unwrap();
    let query = ["query", "connect4", "--position", "......./......./......./...o.../..ox.../.oxxxo."];
    let ask = || parsed(&outplay(data.path(), &[&query[..], &["--json"]].concat()));
    let (first, again) = (ask(), ask());
    assert_eq!((&first["source"], &again["source"]), (&"search".into(), &"kept".into()));
    assert_eq!(first["line"].as_array().unwrap().len(), 28);
    assert_eq!((&first["line"], &again["line"]), (&again["line"], &first["line"]));
    assert!(first["line_complete"].is_null(), "it is not cut");
    // The line of the start ends where the book does.
    let start = parsed(&outplay(data.path(), &["query", "connect4", "--json"]));
    assert_eq!(start["line_complete"], false, "{start}");
    let said = text(&outplay(data.path(), &["query", "connect4"]).stdout);
    let line = said.lines().find(|line| line.starts_with("best line: ")).unwrap();
    assert!(line.ends_with(" …"), "{line}");
}

#[test]
fn table_has_one_size_everywhere() {
    let data = tempfile::tempdir().unwrap();
    let ask = |words: &[&str]| parsed(&outplay(data.path(), &[words, &["--json"]].concat()));
    let (solved, again) = (ask(&["solve", "connect4:5x4"]), ask(&["solve", "connect4:5x4"]));
    let (stats, tables) = (ask(&["stats", "connect4:5x4"]), ask(&["tables"]));
    let size = bytes_on_disk(&data.path().join("connect4-5x4"));
    let printed = [
        &solved["table"]["bytes"],
        &again["table"]["bytes"],
        &stats["table_bytes"],
        &tables["tables"][0]["bytes"],
    ];
    assert!(printed.iter().all(|bytes| **bytes == size), "{printed:?} are not {size}");
    let said = text(&outplay(data.path(), &["solve", "connect4:5x4", "--no-save"]).stdout);
    assert!(said.contains("3,945,711 positions by bit-planes in "), "{said}");
}

#[test]
fn records_of_an_ending_in_one_command() {
    let data = tempfile::tempdir().unwrap();
    let records = parsed(&outplay(data.path(), &["stats", "chess:KRK", "--records", "--json"]));
    // Mate in 16: 31 plies with the move, 32 against it.
    for (record, plies, value) in [("longest_wins", 31, "win"), ("longest_losses", 32, "loss")] {
        assert_eq!(records[record]["plies"], plies, "{records}");
        let positions = records[record]["positions"].as_array().unwrap();
        assert!(
            !positions.is_empty() && records[record]["count"].as_u64().unwrap() >= positions.len() as u64
        );
        for example in positions {
            let position = example["position"].as_str().unwrap();
            let asked =
                parsed(&outplay(data.path(), &["query", "chess:KRK", "--position", position, "--json"]));
            assert_eq!((&asked["value"], &asked["distance"]), (&value.into(), &plies.into()), "{position}");
        }
    }
    let said = text(&outplay(data.path(), &["stats", "chess:KRK", "--records"]).stdout);
    assert!(said.contains("longest win   31 plies") && said.contains("moves win"), "{said}");
}

#[test]
fn policy_of_pig_is_exported() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("policy.csv");
    let export = |file: &Path| {
        parsed(&outplay(data.path(), &["export", "pig:20", "--policy", file.to_str().unwrap(), "--json"]))
    };
    let report = export(&file);
    let written = std::fs::read_to_string(&file).unwrap();
    let (heading, rows) = written.split_once('\n').unwrap();
    assert_eq!(heading, "position,own,other,turn,to_move,value,best");
    assert_eq!(report["rows"], rows.lines().count());
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    let at = |own: &str, other: &str, turn: &str| rows.iter().find(|row| row[1..4] == [own, other, turn]);
    // Whoever can bank the goal holds; nobody holds nothing.
    assert_eq!(at("0", "0", "0").unwrap()[6], "roll");
    for row in rows.iter().step_by(97) {
        let asked = parsed(&outplay(data.path(), &["query", "pig:20", "--position", row[0], "--json"]));
        let best: Vec<&str> =
            asked["best"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
        assert_eq!(row[6], best.join(" "), "{row:?}");
        assert!((row[5].parse::<f64>().unwrap() - asked["mean"].as_f64().unwrap()).abs() < 1e-9, "{row:?}");
    }
    // A game without dice, as JSON lines.
    let lines = data.path().join("policy.jsonl");
    outplay(data.path(), &["export", "tictactoe", "--policy", lines.to_str().unwrap()]);
    let written = std::fs::read_to_string(&lines).unwrap();
    let row: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    assert_eq!((&row["position"], &row["value"]), (&".../.../...".into(), &0.into()), "{row}");
    assert_eq!(written.lines().count(), 5478 - 958, "every position at which the game goes on");
}

#[test]
fn reasons_and_values_of_dice_agree() {
    let data = tempfile::tempdir().unwrap();
    let ask = |command| parsed(&outplay(data.path(), &[command, "piglet:5", "--json"]));
    let (why, query) = (ask("why"), ask("query"));
    assert_eq!(why["expected"], query["expected"], "{why}");
    assert!(why["expected"].is_number() && why["value"].is_null(), "{why}");
}

/// A search of `chess:KPKP` does not end within a minute; solving the whole ending takes nine seconds.
#[test]
fn endings_cheaper_to_solve_than_to_search_are_solved() {
    let entry = Catalog::standard().open("chess:KPKP").unwrap();
    let mut session = Session::default();
    session.threads = 2;
    let place = PositionRef::Position("8/8/8/8/1p1k4/8/2P5/3K4 w".into());
    assert!(is_tractable(&session, &entry, &place).unwrap());
    // Within the limits of time and memory.
    assert!(!is_tractable(&session.with(|session| session.memory = 50_000_000), &entry, &place).unwrap());
    let hurried = session.with(|session| session.time = Some(std::time::Duration::from_secs(1)));
    assert!(!is_tractable(&hurried, &entry, &place).unwrap());
}
