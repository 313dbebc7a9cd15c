//! What a newcomer types: names of games, pasted boards, a move, opinions, levels.

use crate::shell;
use serde_json::Value;
use shell::text;
use std::io::Write;
use std::process::Stdio;

/// The object on standard output and the text on standard error, with the exit code; `input` is standard input.
fn run(words: &[&str], input: &str) -> (i32, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    // Without --quiet: notes are part of the answer.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_outplay"));
    command.args(words).args(["--json", "--threads", "1"]).env("OUTPLAY_DATA", folder.path());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let json = serde_json::from_str(&text(&output.stdout)).unwrap_or(Value::Null);
    (output.status.code().unwrap(), json, text(&output.stderr))
}

#[test]
fn games_have_other_names() {
    let check = |spec: &str, canonical: &str| {
        let (code, answer, error) = run(&["move", spec, "--level", "random"], "");
        assert_eq!((code, &answer["game"]), (0, &canonical.into()), "{spec}: {error}");
    };
    check("ttt", "tictactoe");
    check("Tic-Tac-Toe", "tictactoe");
    check("c4", "connect4");
    check("Connect_Four:6x5", "connect4:6x5");
    check("connect-5:6x6", "connect:6x6,k=5");
    check("gomoku", "mnk:15x15,k=5");
    check("Gomoku:19x19,misere", "mnk:19x19,k=5,misere");
}

#[test]
fn specs_that_are_nearly_right_are_corrected() {
    let check = |spec: &str, words: &str| {
        let (code, answer, _) = run(&["show", spec], "");
        let error = answer["error"].as_str().unwrap_or_default().to_string();
        assert!(code == 2 && error.contains(words), "{spec}: {code} {error}");
    };
    check("nim:3,4,5", "write `nim:3+4+5`");
    check("mnk:3,3,3", "`mnk:3x3,k=3`");
    check("mnk:4x4x4", "three are not supported");
    check("gomokku", "did you mean `gomoku`?");
    check("othello", "docs/your-own-game.md");
}

#[test]
fn default_k_of_a_large_board_is_noted() {
    let check = |spec: &str, note: &str| {
        let (_, _, error) = run(&["move", spec, "--level", "random"], "");
        assert_eq!(error, if note.is_empty() { String::new() } else { format!("note: {note}\n") }, "{spec}");
    };
    check("mnk:15x15", "k=3 by default; gomoku is mnk:15x15,k=5");
    check("mnk:7x6", "k=3 by default; five in a row is mnk:7x6,k=5");
    check("mnk:15x15,k=5", "");
    check("mnk:4x4", "");
}

#[test]
fn boards_come_from_arguments_files_and_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.txt");
    let picture = " x | o |   \n---+---+---\n   | x |   \n---+---+---\n   |   |   \n";
    std::fs::write(&file, picture).unwrap();
    let file = file.to_str().unwrap();
    let named = format!("@{file}");
    for (position, input) in [(picture, ""), ("-", picture), (file, ""), (named.as_str(), "")] {
        let (code, answer, error) = run(&["query", "tictactoe", "--position", position], input);
        assert_eq!((code, &answer["position"]), (0, &"xo./.x./...".into()), "{position}: {error}");
    }
    let (code, answer, error) =
        run(&["query", "connect4", "--position", "-"], "R . . . . . .\n. . . . . . .\n");
    assert_eq!((code, answer["error"].as_str().unwrap().contains("2 rows")), (2, true), "{error}");
    let (_, answer, error) = run(&["query", "tictactoe", "--position", "...\n.o.\n..."], "");
    assert_eq!(answer["position"], ".../.x./...");
    assert!(error.contains("the colours are swapped"), "{error}");
    let (code, _, error) = run(&["query", "tictactoe", "--position", "@no/such/file"], "");
    assert!(code == 2 && error.is_empty(), "{error}");
}

#[test]
fn a_move_has_its_value_or_an_opinion() {
    let check = |words: &[&str], mv: &[&str], value: &str, source: &str| {
        let (code, answer, error) = run(&[&["move"], words].concat(), "");
        assert_eq!(code, 0, "{words:?}: {answer} {error}");
        assert!(mv.is_empty() || mv.contains(&answer["move"].as_str().unwrap()), "{words:?}: {answer}");
        assert_eq!((&answer["value"], &answer["source"]), (&value.into(), &source.into()), "{words:?}");
        assert_eq!(answer["opinion"].is_number(), source == "player", "{words:?}: {answer}");
        answer
    };
    check(&["tictactoe", "--moves", "a1,b1"], &["a2", "b2", "c1", "a3", "c3"], "win", "search");
    check(&["connect4", "--moves", "44444"], &["1", "2", "3", "4", "5", "6", "7"], "loss", "book");
    let answer = check(&["gomoku", "--moves", "h8", "--time", "1"], &[], "unknown", "player");
    assert!(answer["opinion"].as_f64().unwrap().abs() < 1.0 && answer["seconds"].as_f64().unwrap() < 6.0);
    let near =
        |name: &str| (7..=9).any(|row| ["g", "h", "i"].iter().any(|column| name == format!("{column}{row}")));
    assert!(near(answer["move"].as_str().unwrap()), "{answer}");
    // Five in a row is at hand.
    check(&["gomoku", "--moves", "h8 a1 h9 a2 h10 a3 h11 a5"], &["h7", "h12"], "win", "rules");
    let answer = check(&["mnk:7x7,k=5", "--level", "club"], &[], "unknown", "player");
    assert_eq!(answer["level"], serde_json::json!({"number": 6, "name": "Club", "player": answer["player"]}));
    // The verdict of a move follows from the nim-sum, for the moves of all players.
    check(&["nim:3+4+5", "--level", "1", "--seed", "3"], &[], "loss", "theory");
    check(&["pig:10", "--moves", "roll"], &[], "unknown", "dice");
    let (code, answer, _) = run(&["move", "tictactoe", "--moves", "a1,b1,a2,b2,a3"], "");
    assert_eq!((code, answer["error"].is_string()), (2, true), "{answer}");
    let (code, answer, _) = run(&["move", "tictactoe", "--level", "77"], "");
    assert!(code == 2 && answer["error"].as_str().unwrap().contains("9 Perfect"), "{answer}");
}

#[test]
fn opinions_stand_beside_unknown_moves() {
    let words = ["query", "gomoku", "--moves", "h8", "--time", "0.5"];
    let (code, answer, _) = run(&words, "");
    assert_eq!((code, &answer["value"], &answer["best"]), (3, &"unknown".into(), &serde_json::json!([])));
    let moves = answer["moves"].as_array().unwrap();
    let guessed: Vec<&Value> = moves.iter().filter(|mv| mv.get("opinion").is_some()).collect();
    assert!(!guessed.is_empty() && guessed.len() <= 10, "{guessed:?}");
    for mv in guessed {
        assert_eq!(mv["value"], "unknown");
        assert!(mv["opinion"].as_f64().unwrap().abs() <= 1.0, "{mv}");
    }
    let (code, answer, _) = run(&[&words[..], &["--exact"]].concat(), "");
    assert_eq!(code, 3);
    assert!(answer["moves"].as_array().unwrap().iter().all(|mv| mv.get("opinion").is_none()));
    let output = shell::outplay(tempfile::tempdir().unwrap().path(), &words);
    assert!(text(&output.stdout).contains("  ≈ "), "{}", text(&output.stdout));
}

#[test]
fn play_takes_a_level() {
    let words = ["play", "tictactoe", "--plain", "--level", "Casual"];
    let (code, answer, error) = run(&words, "b2\nquit\n");
    assert_eq!(
        (code, &answer["second"]),
        (0, &"alphabeta:depth=2,eval=lines:weights=paper".into()),
        "{error}"
    );
    // The opponent has one name.
    let (code, answer, _) = run(&[&words[..], &["--second", "random"]].concat(), "");
    assert!(code == 2 && answer["error"].as_str().unwrap().contains("name the opponent"), "{answer}");
    let (code, answer, _) = run(&[&words[..], &["--second", "human"]].concat(), "quit\n");
    assert_eq!((code, &answer["first"]), (0, &"alphabeta:depth=2,eval=lines:weights=paper".into()));
}
