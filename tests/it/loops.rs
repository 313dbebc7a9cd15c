//! Games with loops and games with dice as a user meets them: every figure comes through the command line's JSON.

#[path = "../../examples/chase.rs"]
mod chase;
#[path = "../../crates/solve/tests/it/literature.rs"]
mod literature;

use crate::shell;

use literature::{FOUR, Line, THREE};
use outplay::catalog::Catalog;
use outplay::workbench::{
    GameBuilder, GameHandle, Method, PositionRef, Session, SolveAnswer, SolveOrigin, SolveRequest, solve,
    verify,
};
use outplay_core::{Chance, Game, InputError, Notation, Payoff, Tier, Turn, Verdict};
use outplay_runtime::NoMonitor;
use outplay_table::{Cell, Table, Values, Writer};
use serde_json::Value;
use shell::{command, json, lines, outplay, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn split(value: &Value) -> [u64; 3] {
    ["win", "draw", "loss"].map(|word| value[word].as_u64().unwrap())
}

/// Moves of the longest win and the longest loss, from plies.
fn moves(longest: &Value) -> [Option<u32>; 2] {
    let plies = |word: &str| longest[word].as_u64().map(|plies| plies as u32);
    [plies("win").map(|plies| plies.div_ceil(2)), plies("loss").map(|plies| plies / 2)]
}

fn check_ending(answer: &Value, line: &Line) {
    let name = line.ending;
    assert_eq!(answer["game"], format!("chess:{name}"));
    assert!(answer["value"].is_null() && answer["position"].is_null(), "{name} has no start");
    assert_eq!(split(&answer["by_turn"]["first"]), line.white, "{name} white to move");
    assert_eq!(split(&answer["by_turn"]["second"]), line.black, "{name} black to move");
    let (first, second) = (&answer["longest"]["first"], &answer["longest"]["second"]);
    let (win, loss, black_win) = line.longest;
    assert_eq!((moves(first)[0], moves(second)[1]), (win, loss), "{name}");
    if black_win.is_some() {
        assert_eq!(moves(second)[0], black_win, "{name}");
    }
}

#[test]
fn endings_of_three_men() {
    let data = tempfile::tempdir().unwrap();
    let answers = lines(data.path(), &["solve", "chess:all3"]);
    assert_eq!(answers.len(), 5);
    for ending in &THREE {
        let game = format!("chess:{}", ending.ending);
        check_ending(answers.iter().find(|answer| answer["game"] == game.as_str()).unwrap(), ending);
        // Every ending has a table of its own, found again by name.
        let again = json(data.path(), &["solve", &game]);
        check_ending(&again, ending);
        assert_eq!((&again["method"], &again["table"]["found"]), (&"table".into(), &true.into()));
        assert_eq!(json(data.path(), &["verify", &game])["wrong"], 0, "{game}");
    }
    let stats = json(data.path(), &["stats", "chess:KRK"]);
    assert_eq!((&stats["tiers"][0]["tier"], &stats["tiers"][0]["loss"]), (&"KRK".into(), &0.into()));
    // The figure of the literature: mate in 16 moves at most.
    let longest = stats["tiers"][0]["win_in"].as_object().unwrap().keys().map(|plies| plies.parse().unwrap());
    assert_eq!(longest.max(), Some(32u32));
}

#[test]
fn smaller_endings_are_solved_first_and_found_again() {
    let data = tempfile::tempdir().unwrap();
    check_ending(&json(data.path(), &["solve", "chess:KPK"]), &THREE[2]);
    let names = |tables: Value| -> Vec<String> {
        let list = tables["tables"].as_array().unwrap().iter();
        list.map(|table| table["name"].as_str().unwrap().to_string()).collect()
    };
    let all = ["chess-KBK", "chess-KK", "chess-KNK", "chess-KPK", "chess-KQK", "chess-KRK"];
    assert_eq!(names(json(data.path(), &["tables"])), all);
    // A table that is lost is made again, byte for byte, and the others are read.
    let file = data.path().join("chess-KQK/tier-00.opt");
    let bytes = fs::read(&file).unwrap();
    fs::remove_dir_all(data.path().join("chess-KQK")).unwrap();
    check_ending(&json(data.path(), &["solve", "chess:KPK"]), &THREE[2]);
    assert!(fs::read(&file).unwrap() == bytes);
    // A promotion and a capture lead to other tables.
    let place = ["query", "chess:KPK", "--position", "8/1P6/8/8/8/2k5/8/K7 w"];
    let answer = json(data.path(), &place);
    assert_eq!((&answer["value"], &answer["source"]), (&"win".into(), &"table".into()));
    let promoted = answer["moves"].as_array().unwrap().iter().filter(|mv| mv["value"] == "draw");
    let words: Vec<&str> = promoted.map(|mv| mv["move"].as_str().unwrap()).collect();
    assert_eq!(words, ["b7b8b", "b7b8n"], "two minor pieces win nothing");
}

/// Where the values of all tiers do not fit in memory, tiers are read from their tables again when they are needed.
#[test]
fn tiers_leave_the_memory_while_they_are_not_needed() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let game = "chess:KPPK";
    let all = json(whole.path(), &["solve", game]);
    let refused = outplay(parts.path(), &["solve", game, "--memory", "100M"]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
    // Two tables are there already, and are loaded for the others.
    json(parts.path(), &["solve", "chess:KQQK"]);
    let limited = json(parts.path(), &["solve", game, "--memory", "170M"]);
    for field in ["value", "positions", "longest", "method"] {
        assert_eq!(all[field], limited[field], "{field}");
    }
    assert_eq!(limited["table"]["found"], false, "{limited}");
    let sums = |data: &Path| text(&outplay(data, &["tables", "--checksums"]).stdout);
    assert_eq!(sums(whole.path()), sums(parts.path()));
    assert!(sums(whole.path()).contains("chess-KPPK"), "{}", sums(whole.path()));
    // Without a data directory there is nothing to read them from.
    let refused = outplay(parts.path(), &["solve", "chess:KRPK", "--no-save", "--memory", "100M"]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
}

#[test]
#[ignore = "a minute: all 35 endings of three and four men"]
fn endings_of_four_men() {
    let data = tempfile::tempdir().unwrap();
    let answers = lines(data.path(), &["solve", "chess:all4"]);
    assert_eq!(answers.len(), 35);
    for ending in THREE.iter().chain(&FOUR) {
        let game = format!("chess:{}", ending.ending);
        check_ending(answers.iter().find(|answer| answer["game"] == game.as_str()).unwrap(), ending);
    }
    let sum = |field: &str| answers.iter().map(|answer| answer[field].as_f64().unwrap()).sum::<f64>();
    let bytes: u64 = answers.iter().map(|answer| answer["table"]["bytes"].as_u64().unwrap()).sum();
    eprintln!(
        "{:.1} CPU s of solving, {:.1} of writing, {bytes} bytes",
        sum("solve_cpu_seconds"),
        sum("write_cpu_seconds")
    );
    assert!(sum("solve_cpu_seconds") < 60.0 && bytes <= 40_000_000);
    let verified = json(data.path(), &["verify", "chess:all4"]);
    assert_eq!((&verified["wrong"], &verified["first_wrong"]), (&0.into(), &Value::Null));
}

/// Values of positions that everybody knows.
#[test]
fn positions_of_endings() {
    let data = tempfile::tempdir().unwrap();
    let check = |game: &str, fen: &str, value: &str, distance: Option<u64>| {
        let answer = json(data.path(), &["query", game, "--position", fen]);
        assert_eq!((&answer["value"], answer["distance"].as_u64()), (&value.into(), distance), "{fen}");
        answer
    };
    let mate = check("chess:KQK", "8/8/8/8/8/1K6/8/k6Q b", "loss", Some(0));
    assert_eq!(mate["source"], "rules");
    let stalemate = check("chess:KQK", "8/8/8/8/8/1Q6/8/k1K5 b", "draw", None);
    assert!(stalemate["repetition"].is_null(), "a stalemate is a tie");
    let bare = check("chess:KK", "8/8/8/8/8/2k5/8/K7 w", "draw", None);
    assert_eq!(bare["repetition"], true);
    // The same with colours swapped, and the symmetric position, have the same value.
    check("chess:KQK", "8/8/8/8/8/2k5/8/K6Q w", "win", Some(11));
    check("chess:KQK", "k6q/8/2K5/8/8/8/8/8 b", "win", Some(11));
}

#[test]
fn small_morris() {
    let data = tempfile::tempdir().unwrap();
    let check = |game: &str, value: &str, distance: Option<u64>, counts: [u64; 3]| {
        let answer = json(data.path(), &["solve", game]);
        assert_eq!((&answer["value"], answer["distance"].as_u64()), (&value.into(), distance), "{game}");
        assert_eq!(answer["merged"], true);
        assert_eq!(split(&answer["positions"]), counts, "{game}");
        assert_eq!(split(&answer["by_turn"]["mover"]), counts, "{game}");
        let stable = json(data.path(), &["solve", game, "--method", "sweep-until-stable"]);
        for field in ["value", "distance", "best", "positions", "by_turn", "longest"] {
            assert_eq!(stable[field], answer[field], "{game} {field}");
        }
        let verified = json(data.path(), &["verify", game]);
        assert_eq!((&verified["checked"], &verified["wrong"]), (&answer["positions"]["legal"], &0.into()));
        let wdl = json(data.path(), &["solve", game, "--values", "wdl"]);
        assert_eq!((&wdl["value"], &wdl["positions"]), (&answer["value"], &answer["positions"]));
        assert_eq!(json(data.path(), &["verify", game, "--values", "wdl"])["wrong"], 0);
        let query = json(data.path(), &["query", game]);
        assert_eq!((&query["best"], &query["source"]), (&answer["best"], &"table".into()));
    };
    check("morris:three,lines=6", "draw", None, [1434, 2066, 410]);
    check("morris:three,lines=8", "win", Some(9), [2121, 980, 769]);
    check("morris:tapatan", "win", Some(9), [2161, 936, 773]);
}

fn six(data: &Path, men: u32, counts: [u64; 3], longest: u64) {
    let game = format!("morris:six,men={men}");
    let answer = json(data, &["solve", &game]);
    assert_eq!(answer["value"], "draw", "{game}");
    assert!(answer["probe_hits"].as_u64().unwrap() > 0, "the search for the start asks the table");
    assert_eq!(split(&answer["positions"]), counts, "{game}");
    let plies = |word: &str| answer["longest"]["mover"][word].as_u64().unwrap();
    assert_eq!(plies("win").max(plies("loss")), longest, "{game}");
    assert_eq!(json(data, &["verify", &game])["wrong"], 0, "{game}");
    // The engine asks the table too when it is told to search.
    let place = ["--moves", "a1"];
    let searched = json(data, &[&["solve", &game, "--method", "search"], &place[..]].concat());
    assert_eq!(searched["value"], "draw");
    assert!(searched["probe_hits"].as_u64().unwrap() > 0);
}

#[test]
fn six_mens_morris_with_three_men() {
    six(tempfile::tempdir().unwrap().path(), 3, [70_696, 58_952, 30_512], 15);
}

#[test]
#[ignore = "seconds with four men, minutes with six"]
fn six_mens_morris() {
    six(tempfile::tempdir().unwrap().path(), 4, [1_041_772, 186_508, 633_580], 38);
    six(tempfile::tempdir().unwrap().path(), 6, [10_590_988, 935_548, 7_680_652], 119);
}

/// The counts are those of tests/second/morris.py.
#[test]
fn nine_mens_morris() {
    let data = tempfile::tempdir().unwrap();
    let ask = |words: &[&str]| json(data.path(), words);
    let answer = ask(&["solve", "morris:nine,men=3+3"]);
    assert_eq!(answer["positions"]["legal"], 2_691_920);
    assert_eq!(split(&answer["by_turn"]["mover"]), [2_232_160, 4_112, 455_648]);
    assert!(answer["value"].is_null(), "an ending has no start");
    assert_eq!(ask(&["verify", "morris:nine,men=3+3"])["wrong"], 0);
    // The whole game asks what there is of its endings.
    let three = ["--position", ".../.xx/.o./....../o.o/.../..x o 18"];
    let [whole, ending] =
        ["morris:nine", "morris:nine,men=3+3"].map(|game| ask(&[&["query", game], &three[..]].concat()));
    assert_eq!((&whole["source"], &whole["value"]), (&"table".into(), &ending["value"]));
    assert_eq!((&whole["distance"], &whole["best"]), (&ending["distance"], &ending["best"]));
    // A mill leads from three against four to a position that the table knows: the mill opens and closes once more.
    assert_eq!(
        split(&ask(&["solve", "morris:nine,men=3+3,flying=off"])["positions"]),
        [1_442_092, 614_124, 635_704]
    );
    let four = ["--position", ".../o../..o/..o..x/.../..o/xx. x 18", "--method", "search"];
    let searched = ask(&[&["solve", "morris:nine,flying=off"], &four[..]].concat());
    assert_eq!(searched["distance"], 5);
    assert_eq!(searched["value"], "win");
    assert!(searched["probe_hits"].as_u64().unwrap() > 0);
}

fn check_dice(data: &Path, game: &str, expected: f64, digits: f64) {
    let answer = json(data, &["solve", game]);
    let found = answer["expected"].as_f64().unwrap();
    assert!((found - expected).abs() < digits, "{game}: {found} instead of {expected}");
    assert!(answer["value"].is_null() && answer["tolerance"].as_f64().unwrap() <= 1e-13, "{game}");
    assert_eq!(json(data, &["verify", game])["wrong"], 0, "{game}");
    let query = json(data, &["query", game]);
    assert_eq!((&query["expected"], &query["source"]), (&answer["expected"], &"table".into()), "{game}");
}

#[test]
fn dice() {
    let data = tempfile::tempdir().unwrap();
    check_dice(data.path(), "piglet:2", 4.0 / 7.0, 1e-12);
    check_dice(data.path(), "piglet:3", 6.0 / 11.0, 1e-12);
    check_dice(data.path(), "piglet:5", 0.532987012987, 1e-12);
    check_dice(data.path(), "pig:10", 0.709424322598, 1e-10);
    // At a roll the answer lists what can be rolled, how likely it is and what it brings.
    let rolled = json(data.path(), &["query", "pig:10", "--moves", "roll"]);
    assert_eq!(rolled["to_move"], "chance");
    let rolls = rolled["moves"].as_array().unwrap().iter();
    let mean: f64 =
        rolls.map(|roll| roll["probability"].as_f64().unwrap() * roll["expected"].as_f64().unwrap()).sum();
    assert!((mean - rolled["expected"].as_f64().unwrap()).abs() < 1e-12);
    // Without a table the answer is the same.
    let nowhere = tempfile::tempdir().unwrap();
    let query = json(nowhere.path(), &["query", "pig:10"]);
    assert!((query["expected"].as_f64().unwrap() - 0.709424322598).abs() < 1e-10);
    assert_eq!(query["source"], "search");
}

#[test]
#[ignore = "a minute"]
fn larger_pigs() {
    let data = tempfile::tempdir().unwrap();
    for (game, expected) in [
        ("pig:30", 0.567914744493),
        ("pig:40", 0.544694393482),
        ("pig:50", 0.546150844167),
        ("pig:100", 0.530592725274),
    ] {
        check_dice(data.path(), game, expected, 1e-10);
    }
    // From 0-0 hold at 21.
    let best = |turn: u32| json(data.path(), &["query", "pig:100", "--position", &format!("0-0 A {turn}")]);
    assert_eq!(best(20)["best"], serde_json::json!(["roll"]));
    assert_eq!(best(21)["best"], serde_json::json!(["hold"]));
}

#[test]
#[ignore = "a quarter of an hour"]
fn hypergammon() {
    let data = tempfile::tempdir().unwrap();
    check_dice(data.path(), "hypergammon", 0.0836795444708631, 1e-9);
}

#[test]
fn star2_visits_at_most_half_the_leaves() {
    let data = tempfile::tempdir().unwrap();
    let report = json(data.path(), &["bench", "chance", "einstein:4x4", "--depth", "8"]);
    let game = &report["games"][0];
    assert!(report["star2_leaves"].as_f64().unwrap() <= 0.5, "{report}");
    assert!(game["difference"].as_f64().unwrap() < 1e-9, "{report}");
    let rows = game["rows"].as_array().unwrap();
    let leaves: Vec<u64> = rows.iter().map(|row| row["leaves"].as_u64().unwrap()).collect();
    assert!(leaves[1] < leaves[0] && 2 * leaves[2] <= leaves[0], "{leaves:?}");
}

/// Writes over a tier of a table.
fn forge<C: Cell>(data: &Path, game: &str, values: Values, change: impl Fn(u64, C) -> C) {
    let table = Table::open(data, game, values).unwrap();
    let (identity, summary) = (table.identity().clone(), table.summary().unwrap().clone());
    let cells: Vec<C> = table.read_tier(Tier(0)).unwrap();
    let writer = Writer::open(data, identity).unwrap();
    let file = writer.tier::<C>(Tier(0)).unwrap();
    let changed: Vec<C> = cells.iter().enumerate().map(|(n, &cell)| change(n as u64, cell)).collect();
    file.put_all(&changed).unwrap();
    file.finish().unwrap();
    writer.finish(summary).unwrap();
}

/// Two bare kings: say that white wins everywhere. Each such win has a move to a "lost" position and each loss only
/// moves to "won" ones, so that every value follows from its neighbours', and all of them from nothing.
#[test]
fn verify_finds_wins_that_support_each_other() {
    let data = tempfile::tempdir().unwrap();
    let verdict = |words: &[&str]| {
        let output = outplay(data.path(), &[&["verify", "chess:KK", "--json"], words].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report["wrong"].as_u64().unwrap(), report["flaw"].to_string())
    };
    json(data.path(), &["solve", "chess:KK", "--values", "wdl"]);
    assert_eq!(verdict(&["--values", "wdl"]), (Some(0), 0, "null".to_string()));
    let half = 462;
    forge::<i8>(data.path(), "chess:KK", Values::Wdl, |n, _| if n < half { 1 } else { -1 });
    let (code, wrong, flaw) = verdict(&["--values", "wdl"]);
    assert_eq!((code, wrong), (Some(1), 2 * half), "{flaw}");
    assert!(flaw.contains("depends only on itself"), "{flaw}");
    // With distances the same claim cannot even be written down without a contradiction.
    json(data.path(), &["solve", "chess:KK"]);
    assert_eq!(verdict(&[]).1, 0);
    forge::<i16>(data.path(), "chess:KK", Values::Distance, |n, _| if n < half { 32_766 } else { -32_765 });
    let (code, wrong, flaw) = verdict(&[]);
    assert!(code == Some(1) && wrong > 0 && flaw.contains("its moves give"), "{flaw}");
}

#[test]
fn verify_finds_a_wrong_mean() {
    let data = tempfile::tempdir().unwrap();
    json(data.path(), &["solve", "piglet:3"]);
    forge::<f64>(
        data.path(),
        "piglet:3",
        Values::Expected,
        |n, cell| if n == 0 { cell + 1e-9 } else { cell },
    );
    let output = outplay(data.path(), &["verify", "piglet:3", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(report["wrong"].as_u64().unwrap() > 0 && report["first_wrong"].is_string(), "{report}");
}

/// The files of a table without the lock.
fn files(data: &Path, name: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(data.join(name)).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let kept = named.filter(|(name, _)| !name.contains("lock") && !name.starts_with("tmp-"));
    kept.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    for (game, name) in [("morris:six,men=3", "morris-six,men=3"), ("pig:10", "pig-10.expected")] {
        let whole = tempfile::tempdir().unwrap();
        json(whole.path(), &["solve", game]);
        let data = tempfile::tempdir().unwrap();
        for round in 0..12u64 {
            let quiet =
                |child: &mut Command| child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let mut child = quiet(&mut command(data.path(), &["solve", game]));
            std::thread::sleep(Duration::from_millis(5 + 31 * round % 170));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let answer = json(data.path(), &["solve", game]);
        let wanted = files(whole.path(), name);
        let found = files(data.path(), name);
        assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
        for (file, bytes) in found.iter().filter(|(file, _)| file.ends_with(".opt")) {
            assert!(wanted[file] == *bytes, "{game}: {file} differs from that of an uninterrupted run");
        }
        assert_eq!(json(whole.path(), &["solve", game])["positions"], answer["positions"], "{game}");
    }
}

#[test]
fn bad_input_is_one_sentence() {
    let data = tempfile::tempdir().unwrap();
    let check = |words: &[&str], part: &str| {
        let output = outplay(data.path(), words);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(part), "{words:?}: {message}");
        // A sentence, and what to do about it on a line of its own where the sentence does not say.
        let cure = message.trim_end().lines().skip(1).all(|line| line.starts_with("  "));
        assert!(message.trim_end().lines().count() <= 2 && cure, "{message}");
    };
    let fen = |game: &'static str, fen: &'static str, part: &str| {
        check(&["query", game, "--position", fen], part);
    };
    fen("chess:KQK", "8/8/8/8/8/2k5/8/K6X w", "`X` in row 1 is neither a man");
    fen("chess:KQK", "8/8/8/8/8/2k5/8 w", "7 rows instead of 8");
    fen("chess:KQK", "8/8/8/8/8/2k5/8/K6Q", "the side to move is missing");
    fen("chess:KQK", "8/8/8/8/8/k7/8/K6Q w - e3 0 1", "en passant");
    fen("chess:KQK", "8/8/8/8/8/k7/8/K6Q w KQ - 0 1", "castling");
    fen("chess:KQK", "8/8/8/8/8/8/1k6/K6Q w", "next to each other");
    fen("chess:KQK", "8/8/8/8/8/2k4Q/8/K7 w", "the black king is in check");
    fen("chess:KQK", "8/8/8/8/8/2k5/8/K5QQ w", "4 men are on the board, but chess:KQK has at most 3");
    fen("chess:KQK", "8/8/8/8/8/2k5/8/K6R w", "these men are neither those of chess:KQK");
    fen("chess:KPK", "P7/8/8/8/8/2k5/8/K7 w", "a pawn cannot stand on a8");
    check(&["solve", "chess:KQXK"], "`X` is not one of the letters KQRBNP");
    check(&["solve", "chess:KQQQKR"], "but 6 were given");
    check(&["query", "chess:KQK"], "no start position");
    check(&["solve", "morris:ten"], "the variant is missing");
    check(&["query", "pig:10", "--moves", "jump"], "not a legal move");
    check(&["solve", "pig:10", "--method", "dense"], "games of k in a row");
    check(&["solve", "tictactoe", "--method", "chance"], "has no dice");
    check(&["solve", "pig:10", "--method", "retrograde"], "has dice");
    check(&["solve", "morris:three", "--method", "breadth"], "never end");
    check(&["solve", "tictactoe", "--method", "star1"], "has no dice");
    // Where a command cures it, the command stands in a line of its own.
    let output = outplay(data.path(), &["verify", "pig:10"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("no such table") && message.contains("outplay solve pig:10"), "{message}");
    check(&["bench", "chance", "tictactoe"], "has no dice");
}

/// A wheel with four places: chance pushes it on, and a player may push it back.
#[derive(Clone)]
struct Wheel {
    /// The probability of going on to the end, where there is one.
    ends: f64,
    sum: f64,
}

impl Game for Wheel {
    type Position = u8;
    type Move = u8;
    fn start(&self) -> Option<u8> {
        Some(0)
    }
    fn turn(&self, pos: &u8) -> Turn {
        if *pos == 1 { Turn::Chance } else { Turn::First }
    }
    fn moves(&self, pos: &u8, out: &mut Vec<u8>) {
        match pos {
            0 => out.push(1),
            1 if self.ends > 0.0 => out.extend([0, 2]),
            1 => out.push(0),
            _ => {}
        }
    }
    fn play(&self, _pos: &u8, mv: u8) -> u8 {
        mv
    }
    fn outcome(&self, pos: &u8) -> Option<Payoff> {
        (*pos == 2).then_some(1)
    }
}

impl Chance for Wheel {
    fn outcomes(&self, _pos: &u8, out: &mut Vec<(u8, f64)>) {
        out.push((0, self.sum - self.ends));
        if self.ends > 0.0 {
            out.push((2, self.ends));
        }
    }
}

impl Notation for Wheel {
    fn spec(&self) -> String {
        "wheel".to_string()
    }
    fn write_position(&self, pos: &u8) -> String {
        pos.to_string()
    }
    fn read_position(&self, text: &str) -> Result<u8, InputError> {
        text.parse().ok().filter(|pos| *pos < 3).ok_or_else(|| InputError::position(text, "write 0, 1 or 2"))
    }
    fn write_move(&self, _pos: &u8, mv: u8) -> String {
        mv.to_string()
    }
}

fn solve_by(
    handle: &GameHandle,
    method: Method,
    data: Option<&Path>,
) -> Result<SolveAnswer, outplay::workbench::Trouble> {
    let mut request = SolveRequest::default();
    (request.method, request.store) = (method, data.is_some());
    let mut session = Session::default();
    (session.threads, session.hash, session.data) = (2, 1 << 24, data.map(Path::to_path_buf));
    solve(&session, handle, &request, &NoMonitor)
}

#[test]
fn dice_that_make_no_sense_are_refused() {
    let solve = |ends: f64, sum: f64| {
        solve_by(&GameBuilder::new(Wheel { ends, sum }).chance().build(), Method::Auto, None)
    };
    let fine = solve(0.5, 1.0).unwrap();
    assert!((fine.answer.expected().unwrap() - 1.0).abs() < 1e-12, "it ends some day, and then it pays 1");
    let sentence = |ends, sum| solve(ends, sum).unwrap_err().to_string();
    assert!(sentence(0.5, 0.9).contains("sum to 0.9 instead of 1"), "{}", sentence(0.5, 0.9));
    assert!(sentence(0.0, 1.0).contains("no roll and no move ever ends the game"), "{}", sentence(0.0, 1.0));
}

#[test]
fn a_game_of_ones_own_may_go_round_in_circles() {
    let mut catalog = Catalog::standard();
    catalog.add(chase::family());
    let data = tempfile::tempdir().unwrap();
    let mut values = Vec::new();
    for spec in ["chase:3x3", "chase:4x3", "chase:4x4", "chase:5x5"] {
        let game = catalog.open(spec).unwrap();
        let solved = solve_by(&game, Method::Auto, Some(data.path())).unwrap();
        assert_eq!(solved.method, SolveOrigin::By(Method::Retrograde), "{spec}");
        let stable = solve_by(&game, Method::UntilStable, None).unwrap();
        assert_eq!((&stable.answer, stable.positions), (&solved.answer, solved.positions), "{spec}");
        let verified = verify(&Session::at(data.path()), &game, None, &NoMonitor).unwrap();
        assert_eq!((verified.wrong, verified.checked), (0, solved.positions.unwrap().legal), "{spec}");
        let found = solve_by(&game, Method::Auto, Some(data.path())).unwrap();
        assert_eq!((found.method, &found.answer), (SolveOrigin::Table, &solved.answer), "{spec}");
        values.push(solved.answer);
    }
    let words: Vec<(Verdict, bool)> =
        values.iter().map(|answer| (answer.verdict().unwrap(), answer.is_repetition())).collect();
    let (draw, win) = (Verdict::Draw, Verdict::Win);
    // On 4x3 the guard is in time, on the others both can keep clear of each other for ever.
    assert_eq!(words, [(draw, true), (win, false), (draw, true), (draw, true)], "{values:?}");
}

/// A game with dice that has an index of its own is solved on the way to an answer if it is small.
#[test]
fn small_games_with_dice_need_no_table() {
    let mut session = Session::default();
    session.data = None;
    for (text, win) in [("piglet:2", 4.0 / 7.0), ("piglet:3", 6.0 / 11.0), ("pig:30", 0.567_914_744_493)] {
        let entry = Catalog::standard().open(text).unwrap();
        let answer =
            outplay::workbench::query(&session, &entry, &PositionRef::default(), &NoMonitor).unwrap();
        assert!((answer.answer.expected().unwrap() - win).abs() < 1e-10, "{text}: {answer:?}");
    }
}

#[test]
fn memory_limits_games_with_dice() {
    let entry = Catalog::standard().open("pig:1000").unwrap();
    let error = solve_by(&entry, Method::Auto, None).unwrap_err();
    assert!(error.to_string().starts_with("this needs 8.07 GB of memory"), "{error}");
}
