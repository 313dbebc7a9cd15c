//! The command as a user meets it: answers, JSON, errors, exit codes, pipes.

use crate::shell;

use outplay::catalog::Catalog;
use outplay::workbench::Session;
use outplay_runtime::NoMonitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use shell::text;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the command with a data directory that has nothing in it and keeps nothing.
fn outplay(words: &[&str]) -> Output {
    shell::outplay(tempfile::tempdir().unwrap().path(), words)
}

fn json(words: &[&str]) -> Value {
    shell::json(tempfile::tempdir().unwrap().path(), words)
}

#[test]
fn solve_prints_what_scripts_rely_on() {
    for method in ["auto", "memo", "sweep"] {
        let answer = json(&["solve", "tictactoe", "--method", method]);
        assert_eq!(answer["game"], "tictactoe");
        assert_eq!(answer["value"], "draw");
        assert_eq!(answer["distance"], 9);
        let positions =
            serde_json::json!({"legal": 5478, "win": 2936, "draw": 1068, "loss": 1474, "finished": 958});
        assert_eq!(answer["positions"], positions, "{method}");
        let side = |turn: &str, key: &str| answer["by_turn"][turn][key].as_u64().unwrap();
        let both = |key: &str| side("first", key) + side("second", key);
        assert_eq!((both("win"), both("draw"), both("loss")), (2836, 1068, 1574), "{method}");
        assert_eq!(answer["longest"]["first"]["win"], 5);
        for key in ["nodes", "seconds", "cpu_seconds", "peak_bytes", "threads"] {
            assert!(answer[key].is_number(), "{key}");
        }
    }
    let plain = json(&["solve", "tictactoe", "--method", "plain"]);
    assert_eq!((&plain["value"], &plain["nodes"]), (&"draw".into(), &549_946.into()));
}

#[test]
fn known_values_and_counts() {
    let check = |spec: &str, value: &str, legal: u64| {
        let answer = json(&["solve", spec]);
        assert_eq!(answer["value"], value, "{spec}");
        assert_eq!(answer["positions"]["legal"], legal, "{spec}");
    };
    check("mnk:4x3,k=3", "win", 111_973);
    check("connect4:4x4", "draw", 161_029);
    check("mnk:3x3,k=3,gravity", "draw", 694);
    check("nim:2+2", "loss", 9);
}

#[test]
fn query_values_every_move() {
    let answer = json(&["query", "tictactoe", "--moves", "a1,b1"]);
    assert_eq!(answer["value"], "win");
    assert_eq!(answer["to_move"], "first");
    assert_eq!(answer["source"], "search");
    assert_eq!(answer["moves"].as_array().unwrap().len(), 7);
    assert_eq!(answer["score"], Value::Null);
    let ending = json(&["query", "tictactoe", "--position", "xx./oo./..."]);
    assert_eq!((&ending["value"], &ending["distance"]), (&"win".into(), &1.into()));
    assert_eq!(ending["best"], serde_json::json!(["c3"]));
    let over = json(&["query", "tictactoe", "--position", "xxx/oo./..."]);
    assert_eq!(
        (&over["value"], &over["distance"], &over["source"]),
        (&"loss".into(), &0.into(), &"rules".into())
    );
    // The convention of the Connect-4 world: a win with the last stone scores 1.
    let score = json(&["query", "connect4:4x4", "--moves", "1122"]);
    let best = score["moves"].as_array().unwrap().iter().map(|mv| mv["score"].as_i64().unwrap()).max();
    assert_eq!(score["score"].as_i64(), best);
}

#[test]
fn every_printed_position_can_be_pasted_back() {
    for (game, moves) in
        [("tictactoe", "b2 a1 c3"), ("connect4:5x4,obstacles=b2", "1232"), ("nim:1+2+3", "3-2")]
    {
        let first = json(&["query", game, "--moves", moves]);
        let again = json(&["query", game, "--position", first["position"].as_str().unwrap()]);
        assert_eq!(first["moves"], again["moves"], "{game}");
    }
}

#[test]
fn bulk_queries_answer_line_by_line() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(["query", "tictactoe", "--json", "--stdin", "--data", "/nonexistent"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"b2\nz9\n\xff\xfe\nb2 a1\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["value"], "draw");
    assert!(lines[1]["error"].as_str().unwrap().contains("not on the board"));
    assert!(lines[2]["error"].as_str().unwrap().contains("UTF-8"));
    assert_eq!(lines[3]["to_move"], "first");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_tight_index_of_connect_four() {
    let report = json(&["index", "connect4"]);
    assert_eq!(report["size"], 70_728_639_995_483u64);
    assert_eq!(report["tiers"].as_array().unwrap().len(), 43);
    let small = json(&["index", "tictactoe"]);
    assert_eq!((&small["size"], &small["reachable"]), (&6046.into(), &5478.into()));
    assert!(text(&outplay(&["index", "mnk:19x19,k=5"]).stdout).contains("exceeds 128 bits"));
}

/// Figure 8 of Hayes and Loge, and a search that cuts nothing off.
#[test]
fn evaluations_and_trees_can_be_seen() {
    let figure = ["show", "mnk:4x4,k=4", "--position", ".oox/xxoo/xoxo/.x..", "--eval", "helpful"];
    let seen = json(&figure);
    let cell = |name: &str| {
        let mut cells = seen["cells"].as_array().unwrap().iter();
        cells.find(|cell| cell["move"] == name).unwrap()["total"].as_i64().unwrap()
    };
    assert_eq!(["a4", "a1", "c1", "d1"].map(cell), [6, 5, 2, 5]);
    assert_eq!(seen["best"], serde_json::json!(["a4"]));
    assert!(seen["svg"].as_str().unwrap().contains("prefers-color-scheme:dark"));
    assert!(text(&outplay(&figure).stdout).contains("chooses a4"));
    // One row and one column of three with a stone each, less those of the other.
    let sum = json(&["show", "tictactoe", "--moves", "b2", "--eval", "polynomial"]);
    assert_eq!(sum["score"], 4 - (4 + 20));
    let minimax = json(&["show", "tictactoe", "--tree", "--depth", "9", "--minimax"]);
    let plain = json(&["solve", "tictactoe", "--method", "plain", "--no-save"]);
    assert_eq!((&minimax["positions"], &plain["nodes"]), (&549_946.into(), &549_946.into()));
    // Leaves are judged as whoever moves at the root sees them: a stone in the middle is an advantage.
    let leaves = text(&outplay(&["show", "connect4", "--tree", "--depth", "1", "--eval", "lines"]).stdout);
    assert!(leaves.contains("├─ 1 ? +0.00") && leaves.contains("├─ 4 ? +0.05"), "{leaves}");
    let none = outplay(&["show", "nim:2+2", "--eval", "helpful"]);
    assert!(text(&none.stderr).contains("k in a row") && none.status.code() == Some(2));
}

/// The hash that the 2020 report looked for, and back.
#[test]
fn a_position_by_number() {
    let there = json(&["index", "connect4", "--unrank", "12345678901234"]);
    let position = there["position"].as_str().unwrap();
    let back = json(&["index", "connect4", "--rank", position]);
    assert_eq!((&back["number"], &back["position"]), (&12_345_678_901_234u64.into(), &there["position"]));
    let (session, entry) = (Session::default(), Catalog::standard().open("connect4").unwrap());
    let mut rng = SmallRng::seed_from_u64(1);
    for _ in 0..10_000 {
        let number = rng.random_range(0..70_728_639_995_483u128);
        let position = outplay::workbench::unrank(&session, &entry, number, 1 << 30, &NoMonitor)
            .unwrap()
            .position
            .unwrap();
        assert_eq!(
            outplay::workbench::rank(&session, &entry, &position, 1 << 30, &NoMonitor).unwrap().number,
            number
        );
    }
    // What the report asks of a hash.
    let tight = json(&["index", "tictactoe", "--check"]);
    let counts = ["checked", "holes", "twice", "back"].map(|field| tight[field].as_u64().unwrap());
    assert_eq!(counts, [6046, 0, 0, 0]);
    // A game with cycles has no such hash.
    let loops = outplay(&["index", "morris:tapatan", "--check"]);
    assert!(text(&loops.stdout).contains("moves lead back") && loops.status.code() == Some(1));
    let beyond = outplay(&["index", "tictactoe", "--unrank", "6046"]);
    assert!(text(&beyond.stderr).contains("end before 6046") && beyond.status.code() == Some(2));
}

#[test]
fn the_lecture_s_nim() {
    let rules = text(&outplay(&["show", "nim:2+2", "--all"]).stdout);
    for line in [
        "I = (ii,ii)-A",
        "Succs (i,ii)-A = { (_,i)-B, (_,ii)-B, (i,i)-B }",
        "Succs (ii,ii)-B = { (_,ii)-A, (i,ii)-A }",
        "V (_,_)-A = +1",
        "V (_,_)-B = -1",
    ] {
        assert!(rules.lines().any(|l| l == line), "{line} is missing in\n{rules}");
    }
}

#[test]
fn conditions_of_game_theory() {
    let report = json(&["games", "--check", "nim:2+2"]);
    for key in
        ["two_players", "zero_sum", "finite", "deterministic", "perfect_information", "acyclic", "complete"]
    {
        assert_eq!(report[key], true, "{key}");
    }
}

/// What more memory would answer is not known within the limits.
#[test]
fn too_little_memory_is_one_sentence_and_code_3() {
    let output = outplay(&["solve", "connect4", "--method", "sweep"]);
    let error = text(&output.stderr);
    assert!(error.starts_with("error: this needs") && error.contains("--memory"), "{error}");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
}

#[test]
fn plans_are_for_the_machine_that_is_described() {
    let words =
        ["plan", "connect4:7x6", "--values", "wdl", "--memory", "1000G", "--disk", "10T", "--cores", "32"];
    let report = json(&[&words[..], &["--ranks", "16", "--network", "25G"]].concat());
    assert_eq!((&report["memory"], &report["threads"]), (&1_000_000_000_000_u64.into(), &32.into()));
    let ways = report["ways"].as_array().expect("a list");
    let way = |how: &str| ways.iter().find(|way| way["how"] == how).unwrap_or_else(|| panic!("{ways:?}"));
    assert_eq!((&way("in memory")["fits"], &way("on 16 ranks")["fits"]), (&false.into(), &true.into()));
    // A shape and its neighbours, whoever has them.
    assert!(way("on 16 ranks")["memory"].as_u64() < Some(830_000_000_000));
    // Slabs are put aside, and a tier longer than by one process; the work is shared.
    assert!(way("on 16 ranks")["disk"].as_u64() > way("slab by slab")["disk"].as_u64());
    assert!(way("on 16 ranks")["seconds"].as_f64() < way("slab by slab")["seconds"].as_f64());
    // What is enough for one process is too little for ranks, and the report says how much would do.
    let words = words.map(|word| if word == "10T" { "350G" } else { word });
    let report = json(&[&words[..], &["--ranks", "16"]].concat());
    let ranks = &report["ways"][2];
    assert_eq!((&ranks["how"], &ranks["fits"]), (&"on 16 ranks".into(), &false.into()));
    assert!(ranks["notes"][0].as_str().is_some_and(|note| note.contains("of disk, all ranks together")));
}

#[test]
fn bad_input_is_one_sentence_and_code_2() {
    let long = "x".repeat(100_000);
    for words in [
        vec!["solve", "tictacto"],
        vec!["solve", ""],
        vec!["solve", &long],
        vec!["solve", "mnk:3x3,k=0"],
        vec!["solve", "mnk:3x3,obstacles=d4"],
        vec!["solve", "mnk:3x3,obstacles=a1+a1"],
        vec!["solve", "mnk:3x3,x=a1,o=a1"],
        vec!["solve", "mnk:0x0"],
        vec!["solve", "mnk:100000x100000"],
        vec!["solve", "nim:0+2"],
        vec!["solve", "nim:"],
        vec!["query", "tictactoe", "--position", "xxx/.../..."],
        vec!["query", "tictactoe", "--position", "xxx/ooo/..."],
        vec!["query", "connect4:4x4", "--position", "x.../..../..../...."],
        vec!["query", "connect4:4x4", "--moves", "11111"],
        vec!["query", "tictactoe", "--moves", "b2,b2"],
        vec!["show", "tictactoe", "--moves", "a1,b1,a2,b2,a3,b3"],
        vec!["solve", "tictactoe", "--method", "magic"],
        vec!["solve", "tictactoe", "--memory", "lots"],
        vec!["solve", "tictactoe", "--threads", "0"],
        vec!["bench", "classic", "--trials", "0"],
        vec!["dance"],
    ] {
        let output = outplay(&words);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.starts_with("error: "), "{words:?}: {error}");
        assert!(!error.contains("panicked"), "{words:?}: {error}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
}

#[cfg(unix)]
#[test]
fn words_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let word = std::ffi::OsStr::from_bytes(b"nim:\xff");
    let output = Command::new(env!("CARGO_BIN_EXE_outplay")).arg("solve").arg(word).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: "));
}

#[test]
fn a_broken_pipe_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(["show", "mnk:3x2,k=2", "--all"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn warnings_go_to_standard_error() {
    let output = outplay(&["solve", "mnk:2x2,k=3", "--json"]);
    assert!(text(&output.stderr).contains("neither player can win"));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["value"], "draw");
}

#[test]
fn typing_errors_find_what_was_meant() {
    let catalog = outplay::catalog::Catalog::standard();
    let message = |text: &str| catalog.open(text).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message("tictacto").contains("did you mean `tictactoe`?"));
    assert!(message("conect4:5x5").contains("did you mean `connect4`?"));
    assert!(!message("go:19x19").contains("did you mean"));
    assert!(message("mnk:5x4,k=3,missere").contains("did you mean `misere`?"));
    assert!(message("connect4:5x4,obstacle=c1").contains("did you mean `obstacles`?"));
    assert_eq!(catalog.open("mnk:5X4,k=3").unwrap().spec(), "mnk:5x4,k=3");
    assert_eq!(message("nim:2+2"), "");
}

/// Positions that fixed searches enter. The number changes only when a search is meant to behave differently; whoever
/// means it writes the new one here.
#[test]
fn the_signature_of_searches() {
    let data = tempfile::tempdir().unwrap();
    let report = shell::json(data.path(), &["bench", "signature"]);
    assert_eq!(report["signature"], 3_155_437, "{report}");
}
