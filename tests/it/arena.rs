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
    check(&["match", "connect4", "random", "greedy", "--games", "0"], "no games");
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
    for name in ["dp", "minimax-cost", "connect4-ga"] {
        assert!(names.contains(&name), "{names:?}");
    }
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
