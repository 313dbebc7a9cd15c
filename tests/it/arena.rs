//! Matches, tuning and experiments as a user meets them.

use crate::shell;

use serde_json::Value;
use shell::text;
use std::path::Path;
use std::process::Output;

fn outplay_in(data: &Path, words: &[&str]) -> Output {
    shell::command(data, words).current_dir(data).output().unwrap()
}

fn outplay(words: &[&str]) -> Output {
    outplay_in(tempfile::tempdir().unwrap().path(), words)
}

fn json(output: &Output) -> Value {
    let out = text(&output.stdout);
    assert_eq!(out.lines().count(), 1, "exactly one line: {out} {}", text(&output.stderr));
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_match_prints_what_it_should() {
    let words = ["match", "tictactoe", "greedy", "random", "--games", "20", "--judge"];
    let output = outplay(&words);
    assert!(output.status.success());
    let out = text(&output.stdout);
    for word in
        ["20 games", "different", "W/D/L", "score", "Elo", "superior", "pairs 0 ½ 1 1½ 2", "memory", "quiet"]
    {
        assert!(out.contains(word), "{word} is missing in:\n{out}");
    }
    let report = json(&outplay(&[&words[..], &["--json"]].concat()));
    assert_eq!((&report["game"], &report["games"]), (&"tictactoe".into(), &20.into()));
    let row = &report["players"][0];
    for key in ["wins", "draws", "losses", "score", "superiority", "ms_per_move", "bytes", "crashes"] {
        assert!(row[key].is_number(), "{key}");
    }
    assert!(row["strength"]["elo"].is_number() && row["pairs"].as_array().unwrap().len() == 5);
    assert!(row["judged"]["kept"].as_f64().unwrap() > 0.5);
    assert!(report["distinct_games"].as_u64().unwrap() > 10);
}

#[test]
fn one_sided_results_print_no_infinities() {
    for words in [
        ["match", "connect4", "alphabeta:depth=4,eval=lines", "random", "--games", "20"],
        // Nobody can win: nothing but draws.
        ["match", "mnk:2x2,k=3", "random", "greedy", "--games", "20"],
    ] {
        for form in [vec![], vec!["--json"]] {
            let out = text(&outplay(&[&words[..], &form].concat()).stdout).to_lowercase();
            assert!(out.contains("20"), "{out}");
            assert!(!out.contains("nan") && !out.contains("inf"), "{out}");
        }
    }
}

#[test]
fn mistakes_are_one_sentence_and_end_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("other.json");
    let other = r#"{"game":"connect4:6x5","player":"lines","features":"paper","weights":{"centre":1.0}}"#;
    std::fs::write(&weights, other).unwrap();
    let check = |words: &[&str], expected: &str| {
        let output = outplay_in(folder.path(), words);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(expected), "{words:?}: {error}");
        assert!(!error.contains("panicked"), "{words:?}: {error}");
    };
    check(&["match", "connect4", "random", "--games", "2"], "at least two players");
    check(&["match", "connect4", "random", "greedy", "--games", "0"], "at least one game");
    check(&["match", "connect4", "random", "gredy", "--games", "2"], "did you mean `greedy`?");
    check(&["match", "connect4", "random", "alphabeta:deph=3", "--games", "2"], "depth");
    check(&["match", "connect4", "random", "lines:tree=3", "--games", "2"], "`tree`");
    check(&["match", "connect4", "random", "lines:weights=other.json", "--games", "2"], "connect4:6x5");
    check(&["match", "connect4", "random", "greedy", "--sprt", "5,5"], "smaller first");
    check(&["match", "connect4", "random", "greedy", "--resume"], "--out");
    check(&["match", "nowhere", "random", "greedy"], "nowhere");
    check(&["match", "chess:KQK", "random", "greedy", "--games", "2"], "");
    check(&["tune", "nim:3+4"], "k in a row");
    check(&["tune", "connect4", "--player", "random"], "no weights");
    check(&["tune", "connect4", "--incumbent", "lines:tree=3"], "tree");
    check(&["tune", "connect4", "--population", "1"], "at least 4");
    check(&["experiment", "nothing"], "connect4-ga");
}

#[test]
fn a_record_can_be_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["match", "connect4:5x4", "greedy", "random", "--out", "games.jsonl", "--games"];
    let few = outplay_in(folder.path(), &[&words[..], &["10"]].concat());
    assert!(few.status.success(), "{}", text(&few.stderr));
    let again = outplay_in(folder.path(), &[&words[..], &["10"]].concat());
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("resume"));
    // Openings of two plies were enough for ten games, so they are for forty.
    let more = json(&outplay_in(
        folder.path(),
        &[&words[..], &["40", "--openings", "2", "--resume", "--json"]].concat(),
    ));
    assert_eq!(more["games"], 40);
    let lines = std::fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 41);
}

#[test]
fn tuning_writes_weights_that_can_be_played_with() {
    let folder = tempfile::tempdir().unwrap();
    let words = [
        "tune",
        "connect4:4x4",
        "--by",
        "labels",
        "--positions",
        "300",
        "--held-out",
        "100",
        "--steps",
        "100",
        "--sprt-games",
        "0",
        "--out",
        "w.json",
        "--report",
        "page.html",
        "--json",
    ];
    let output = outplay_in(folder.path(), &words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = json(&output);
    assert!(report["measured"]["shares"]["all"].as_f64().unwrap() > 0.7);
    assert!(report["weights"].as_array().unwrap().len() <= 60);
    assert!(std::fs::read_to_string(folder.path().join("page.html")).unwrap().contains("<svg"));
    let play = ["match", "connect4:4x4", "lines:weights=w.json", "random", "--games", "10"];
    assert!(outplay_in(folder.path(), &play).status.success());
}

#[test]
fn experiments_are_listed_and_run() {
    let listed = json(&outplay(&["experiment", "--json"]));
    let names: Vec<&str> =
        listed["experiments"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    for name in ["dp", "minimax-cost", "connect4-ga", "filtering", "loops-alphabeta", "league"] {
        assert!(names.contains(&name), "{names:?}");
    }
    // What is exact has no use for repetitions.
    let refused = outplay(&["experiment", "slippery", "--runs", "3"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`slippery` is exact"), "{}", text(&refused.stderr));
    let found = json(&outplay(&["experiment", "dp", "--games", "3", "--json"]));
    assert_eq!(found["tables"][0]["rows"].as_array().unwrap().len(), 4);
    // Pictures and pages stand alone.
    let files = tempfile::tempdir().unwrap();
    let [svg, html] = ["ice.svg", "ice.html"].map(|name| files.path().join(name));
    let words = ["experiment", "slippery", "--games", "2", "--json", "--svg"];
    let found =
        json(&outplay(&[&words[..], &[svg.to_str().unwrap(), "--html", html.to_str().unwrap()]].concat()));
    assert_eq!((&found["holds"], &found["tables"][0]["rows"][0][1]), (&true.into(), &"+0.000000".into()));
    let (svg, html) = (std::fs::read_to_string(svg).unwrap(), std::fs::read_to_string(html).unwrap());
    assert!(
        svg.contains("probability p that a stone slips") && html.contains("<svg") && html.contains("<table>")
    );
    let few = json(&outplay(&["experiment", "visibility", "--games", "4", "--json"]));
    assert_eq!(few["tables"][0]["rows"].as_array().unwrap().len(), 8);
}

#[test]
fn an_odd_number_of_games_is_played_as_asked() {
    let report = json(&outplay(&["match", "tictactoe", "greedy", "random", "--games", "3", "--json"]));
    assert_eq!((&report["games"], &report["planned"]), (&3.into(), &3.into()));
    assert_eq!(report["stopped"], false);
}

/// The verdict of a test is the exit code: 0 the bold claim, 1 the modest one, 3 neither.
#[test]
fn the_verdict_is_the_exit_code() {
    let code = |words: &[&str]| {
        let output = outplay(&[&["match", "connect4:5x4"], words].concat());
        (output.status.code().unwrap(), text(&output.stdout))
    };
    let (strong, weak) = ("alphabeta:depth=3,eval=lines", "random");
    assert_eq!(code(&[strong, weak, "--sprt", "0,100", "--games", "400"]).0, 0);
    assert_eq!(code(&[weak, strong, "--sprt", "0,100", "--games", "400"]).0, 1);
    let (undecided, out) = code(&[weak, weak, "--sprt", "0,5", "--games", "4"]);
    assert_eq!(undecided, 3, "{out}");
    assert_eq!(code(&[weak, weak, "--games", "4"]).0, 0);
    // Errors that are allowed more often are decided sooner.
    let games = |alpha: &str| {
        let words = ["match", "connect4:5x4", strong, weak, "--sprt", "0,100", "--games", "400", "--json"];
        let report = json(&outplay(&[&words[..], &["--alpha", alpha, "--beta", alpha]].concat()));
        assert_eq!(report["sprt"]["alpha"], alpha.parse::<f64>().unwrap());
        report["games"].as_u64().unwrap()
    };
    assert!(games("0.2") < games("0.0001"));
    assert_eq!(code(&[strong, weak, "--sprt", "0,100", "--alpha", "0.7"]).0, 2);
}

#[test]
fn openings_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("book.txt"), "# two openings\n44\n\n1 7 4\n").unwrap();
    let words = [
        "match",
        "connect4",
        "greedy",
        "random",
        "--opening-file",
        "book.txt",
        "--games",
        "6",
        "--out",
        "g.jsonl",
    ];
    let output = outplay_in(folder.path(), &words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let record = std::fs::read_to_string(folder.path().join("g.jsonl")).unwrap();
    let games: Vec<Value> = record.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    for game in &games {
        let opening = if game["opening"] == 1 { "1 7 4 " } else { "4 4 " };
        assert!(game["moves"].as_str().unwrap().starts_with(opening), "{game}");
        assert_eq!(game["opening_moves"], opening.len() / 2);
    }
    // Another list is another match.
    std::fs::write(folder.path().join("book.txt"), "44\n1 7 5\n").unwrap();
    let other = outplay_in(folder.path(), &[&words[..], &["--resume"]].concat());
    assert!(text(&other.stderr).contains("other openings"), "{}", text(&other.stderr));
    for (lines, words) in [("48\n", "line 1"), ("", "is empty"), ("1212121\n", "over")] {
        std::fs::write(folder.path().join("bad.txt"), lines).unwrap();
        let words_of = ["match", "connect4", "greedy", "random", "--opening-file", "bad.txt"];
        let output = outplay_in(folder.path(), &words_of);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(words), "{lines}: {}", text(&output.stderr));
    }
}

#[test]
fn three_players_are_put_on_one_scale() {
    let words = ["match", "tictactoe", "random", "perfect", "greedy", "--games", "20"];
    let report = json(&outplay(&[&words[..], &["--json"]].concat()));
    let ratings: Vec<(f64, f64, f64)> = report["ratings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| [&row["low"], &row["elo"], &row["high"]].map(|number| number.as_f64().unwrap()).into())
        .collect();
    assert!(ratings.iter().all(|(low, elo, high)| low < elo && elo < high), "{ratings:?}");
    assert!(ratings[1].1 > ratings[2].1 && ratings[2].1 > ratings[0].1, "{ratings:?}");
    assert!(ratings.iter().map(|rating| rating.1).sum::<f64>().abs() < 1e-6);
    let points = |a: usize, b: usize| report["cross_table"]["points"][a][b].as_f64().unwrap();
    assert_eq!(points(0, 1) + points(1, 0), 20.0);
    let out = text(&outplay(&words).stdout);
    assert!(out.contains("1. perfect") && out.contains("3. random"), "{out}");
}

#[test]
fn a_match_is_told_by_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let words = [
        "match",
        "tictactoe",
        "greedy",
        "random",
        "--games",
        "10",
        "--judge",
        "--report",
        "page.html",
        "--sprt",
        "0,400",
    ];
    outplay_in(folder.path(), &words);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    for part in
        ["Score over time", "Game lengths", "Moves that lost value", "SPRT", "<svg", "prefers-color-scheme"]
    {
        assert!(page.contains(part), "{part} is missing");
    }
    // Nothing is loaded from elsewhere.
    assert!(!page.contains("http") && !page.contains("<script") && !page.contains("src="));
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn games_of_gomocup_are_imported() {
    let folder = tempfile::tempdir().unwrap();
    let won = "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n1,1,0\r\n8,9,10\r\n2,1,10\r\n8,10,10\r\n3,1,10\r\n8,11,10\r\n5,1,10\r\n8,12,10\r\nA.zip\r\nB.zip\r\n-1\r\n";
    std::fs::write(folder.path().join("1.psq"), won).unwrap();
    std::fs::write(folder.path().join("2.psq"), won.replace("A.zip\r\nB.zip", "B.zip\r\nA.zip")).unwrap();
    let words = ["import", "1.psq", "2.psq", "--out", "games.jsonl"];
    let report = json(&outplay_in(folder.path(), &[&words[..], &["--json"]].concat()));
    assert_eq!((&report["game"], &report["games"]), (&"mnk:15x15,k=5".into(), &2.into()));
    assert_eq!(report["standings"]["players"][0]["wins"], 1);
    let record = std::fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    let game: Value = serde_json::from_str(record.lines().nth(1).unwrap()).unwrap();
    assert!(game["moves"].as_str().unwrap().starts_with("h8 a15 h7 b15"), "{game}");
    // What is imported can be shown.
    let moves = game["moves"].as_str().unwrap();
    assert!(outplay(&["show", "mnk:15x15,k=5", "--moves", moves]).status.success());
    let output = outplay_in(folder.path(), &["import", "games.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not a Gomocup record"));
}

/// Labels agree with a solver that shares nothing with the one that made them, in every form of file.
#[test]
fn labels_are_right_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["label", "connect4:5x4", "--random", "60", "--plies", "2..12"];
    for form in ["a.jsonl", "a.csv", "a.npz"] {
        let output = outplay_in(folder.path(), &[&words[..], &["--out", form]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let rows: Vec<Value> = std::fs::read_to_string(folder.path().join("a.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 60);
    let csv = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    assert_eq!(csv.lines().count(), 61);
    for (row, line) in rows.iter().zip(csv.lines().skip(1)).take(20) {
        assert!(line.starts_with(row["position"].as_str().unwrap()), "{line}");
        assert!((2..=12).contains(&row["ply"].as_u64().unwrap()));
        let words = [
            "solve",
            "connect4:5x4",
            "--method",
            "memo",
            "--position",
            row["position"].as_str().unwrap(),
            "--json",
        ];
        let solved = json(&outplay(&words));
        let value = match solved["value"].as_str().unwrap() {
            "win" => 1,
            "draw" => 0,
            _ => -1,
        };
        assert_eq!((&row["value"], &row["distance"]), (&value.into(), &solved["distance"]), "{row} {solved}");
    }
    assert_eq!(&std::fs::read(folder.path().join("a.npz")).unwrap()[..4], b"PK\x03\x04");
    // With best moves, from a file of positions and moves.
    std::fs::write(folder.path().join("list.txt"), "33\n\nxo.../xo.../xo.../ox...\n").unwrap();
    let output =
        outplay_in(folder.path(), &["label", "connect4:5x4", "list.txt", "--moves", "--out", "b.jsonl"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let text_of = std::fs::read_to_string(folder.path().join("b.jsonl")).unwrap();
    let rows: Vec<Value> = text_of.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[0]["ply"], &rows[1]["ply"]), (&2.into(), &8.into()));
    for row in &rows {
        let asked = json(&outplay(&[
            "query",
            "connect4:5x4",
            "--position",
            row["position"].as_str().unwrap(),
            "--json",
        ]));
        assert_eq!(row["best"], asked["best"], "{row}");
        let ones = row["mask"].as_str().unwrap().matches('1').count();
        assert_eq!(ones, row["best"].as_array().unwrap().len());
    }
}

/// A run that was killed goes on, and ends with the very file of one that was not.
#[test]
fn labels_go_on_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["label", "tictactoe", "--random", "40", "--plies", "1..6", "--json", "--out"];
    let whole = json(&outplay_in(folder.path(), &[&words[..], &["whole.jsonl"]].concat()));
    assert_eq!((&whole["positions"], &whole["found_before"]), (&40.into(), &0.into()));
    let rows = std::fs::read_to_string(folder.path().join("whole.jsonl")).unwrap();
    // What a kill leaves: some rows in any order, and half a line.
    let identity = outplay::files::Identity {
        kind: "label rows".into(),
        format: 2,
        game: "tictactoe".into(),
        rules: 1,
        program: outplay::workbench::program_version(),
        about: "random 40 Sampling { from: 1, to: 6, spread: Even, seed: 1 }".into(),
    };
    let record = |(number, row): (usize, &str)| format!("{{\"number\":{number},\"row\":{row}}}");
    let third = |(number, _): &(usize, &str)| number % 3 == 1;
    let records: Vec<String> = rows.lines().enumerate().filter(third).map(record).collect();
    let sealed = |identity: &outplay::files::Identity, records: &[String]| {
        outplay::files::encode(identity, records.iter().map(String::as_str))
    };
    let partial = sealed(&identity, &records);
    let torn = [&partial[..], b"0123 {\"number\":2,\"row\":{\"posi"].concat();
    let resumed = |name: &str, bytes: &[u8]| {
        let part = folder.path().join(format!("{name}.partial"));
        std::fs::write(&part, bytes).unwrap();
        let again = json(&outplay_in(folder.path(), &[&words[..], &[name]].concat()));
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), rows, "{name}");
        assert!(!part.exists());
        again["found_before"].as_u64().unwrap()
    };
    assert_eq!(resumed("again.jsonl", &torn), 13);
    // Values that were altered, with and without a right checksum, are computed again; so is another version's work.
    let drawn = records.iter().position(|record| record.contains("\"value\":0")).unwrap();
    let altered = String::from_utf8(partial.clone()).unwrap().replacen("\"value\":0", "\"value\":1", 1);
    assert_eq!(resumed("altered.jsonl", altered.as_bytes()), 12);
    let mut forged = records.clone();
    forged[drawn] = forged[drawn].replace("\"value\":0", "\"value\":7");
    forged[drawn + 1] = forged[drawn + 1].replacen("\"number\":", "\"number\":1", 1);
    assert_eq!(resumed("forged.jsonl", &sealed(&identity, &forged)), 11);
    let older = outplay::files::Identity { program: "0.0.1 r0".into(), ..identity.clone() };
    assert_eq!(resumed("older.jsonl", &sealed(&older, &records)), 0);
    assert!(folder.path().join("older.jsonl.partial.stale").exists());
    assert_eq!(resumed("unsealed.jsonl", b"{\"labels\":\"outplay 1\"}\n"), 0);
    // The work for another request is left alone.
    let other = outplay::files::Identity { about: "random 41".into(), ..identity };
    let other = sealed(&other, &records);
    std::fs::write(folder.path().join("other.jsonl.partial"), &other).unwrap();
    let refused = outplay_in(folder.path(), &[&words[..], &["other.jsonl"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(std::fs::read(folder.path().join("other.jsonl.partial")).unwrap(), other);
    let nameless = outplay_in(folder.path(), &[&words[..], &["rows.txt"]].concat());
    assert!(text(&nameless.stdout).contains(".jsonl, .csv or .npz"), "{}", text(&nameless.stdout));
}
