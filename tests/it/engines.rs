//! Engines by protocol, as hosts and as engines: programs that play, and programs that misbehave.

use crate::shell;
use serde_json::Value;
use shell::text;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const OUTPLAY: &str = env!("CARGO_BIN_EXE_outplay");

/// The engine that the documentation shows.
const EXAMPLE: &str = concat!("ugi:python3 '", env!("CARGO_MANIFEST_DIR"), "/examples/my_engine.py'");

/// An engine that does one thing wrong when it is asked for a move.
fn misbehaving(act: &str) -> String {
    format!(
        r#"
import sys, time, os
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["ugi"]: print("ugiok")
    elif words[:1] == ["isready"]: print("readyok")
    elif words[:1] == ["go"]:
        {act}
    sys.stdout.flush()
"#
    )
}

fn script(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    format!("python3 '{}'", path.display())
}

fn engine(words: &str) -> String {
    format!("'{OUTPLAY}' engine ugi {words}")
}

/// The report of a match, its exit code and the games of its record.
fn play(folder: &Path, words: &[&str]) -> (Value, Vec<Value>) {
    let record = folder.join("games.jsonl");
    let _ = std::fs::remove_file(&record);
    let words = [&["match"], words, &["--json", "--out", "games.jsonl"]].concat();
    let output = shell::command(folder, &words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{words:?}: {} {}", text(&output.stdout), text(&output.stderr));
    let games = std::fs::read_to_string(record).unwrap();
    let games = games.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    (serde_json::from_str(&text(&output.stdout)).unwrap(), games)
}

/// Two copies of the program play each other through the protocol, on games of every kind.
#[test]
fn two_copies_play_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (strong, weak) = (engine(""), engine("--player random"));
    let check = |words: &[&str], games: u64| {
        let players = [format!("ugi@30ms:{strong}"), format!("ugi@depth=2:{weak}")];
        let words = [&words[..1], &[players[0].as_str(), players[1].as_str()], &words[1..]].concat();
        let (report, played) = play(folder.path(), &words);
        assert_eq!(report["games"], games, "{words:?}");
        assert!(played.iter().all(|game| game["why"].is_null()), "{words:?}: {played:?}");
        report["players"][0]["score"].as_f64().unwrap()
    };
    assert!(check(&["connect4", "--games", "4"], 4) > 0.9);
    assert!(check(&["tictactoe", "--games", "6"], 6) > 0.5);
    assert!(check(&["morris:three,lines=6", "--games", "2", "--plies", "60"], 2) >= 0.5);
    // A game without a start: White mates whoever it is, so each wins once.
    let place = [
        "chess:KQK",
        "--position",
        "8/8/3k4/8/8/8/8/K6Q w",
        "--games",
        "2",
        "--openings",
        "0",
        "--plies",
        "60",
    ];
    assert!(check(&place, 2) >= 0.5);
}

#[test]
fn the_example_engine_plays() {
    let folder = tempfile::tempdir().unwrap();
    let ours = format!("ugi@20ms:{}", engine(""));
    let (report, games) = play(folder.path(), &["connect4", EXAMPLE, &ours, "--games", "4"]);
    assert!(games.iter().all(|game| game["end"] == "rules"), "{games:?}");
    assert_eq!(report["players"][1]["wins"], 4);
    // The positions in its `info` are counted.
    assert!(report["players"][0]["nodes_per_move"].as_f64().unwrap() > 4.0);
    let (report, games) = play(folder.path(), &["connect4", EXAMPLE, "random", "--games", "8"]);
    assert!(games.iter().all(|game| game["end"] == "rules"), "{games:?}");
    assert!(report["players"][0]["wins"].as_u64().unwrap() >= 7, "{report}");
}

/// Crashes, silence, lies, nonsense and floods lose the game, with the reason; the match goes on.
#[test]
fn what_engines_do_wrong_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let check = |act: &str, ends: &[&str], why: &str| {
        let bad = format!("ugi:{}", script(folder.path(), "bad.py", &misbehaving(act)));
        // Only who says nothing is waited for: a limit for the others would make the reason a matter of speed.
        let time: &[&str] = if ends.contains(&"time") { &["--move-time", "0.3"] } else { &[] };
        let words = [&["connect4", &bad, "random", "--games", "2", "--openings", "0"], time].concat();
        let (report, games) = play(folder.path(), &words);
        assert_eq!(report["players"][0]["losses"], 2, "{act}: {report}");
        for game in &games {
            assert!(ends.contains(&game["end"].as_str().unwrap()), "{act}: {game}");
            assert!(game["why"].as_str().unwrap().contains(why), "{act}: {game}");
        }
    };
    check("sys.exit(3)", &["crash"], "exit code 3");
    check("raise ValueError('lost my mind')", &["crash"], "lost my mind");
    check("os.kill(os.getpid(), 11)", &["crash"], "signal 11");
    check("time.sleep(100)", &["time"], "");
    check("print('bestmove 9')", &["illegal"], "`9`");
    check("print('bestmove')", &["refusal"], "without a move");
    check(
        "sys.stdout.write('spam and eggs ' * 800000 + chr(10) * 9000000); sys.stdout.flush()",
        &["refusal"],
        "MB",
    );
    // One that talks without end and never moves.
    check("\n        while True: print('info string still thinking', flush=True)", &["time", "refusal"], "");
}

/// An engine that does not start ends the command at once, with its command and the reason.
#[test]
fn engines_that_do_not_start_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let missing = "ugi:python3 no_such_engine.py";
    let engine = format!("lost={missing}");
    let check = |words: &[&str], spec: &str, why: &str| {
        let output = shell::outplay(folder.path(), words);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
        assert!(
            error.contains(&format!("the engine `{spec}` does not start: exited with")),
            "{words:?}: {error}"
        );
        assert!(error.contains(why), "{words:?}: {error}");
    };
    check(&["match", "tictactoe", missing, "random", "--games", "2"], missing, "no_such_engine.py");
    check(&["match", "tictactoe", "random", "ugi:true", "--games", "2"], "ugi:true", "without an answer");
    check(&["play", "tictactoe", "--plain", "--second", missing], missing, "exit code 2");
    check(&["move", "tictactoe", "--player", missing], missing, "exit code 2");
    check(&["serve", "--addr", "127.0.0.1:0", "--engine", &engine], missing, "exit code 2");
}

/// Nothing runs on after a match, whatever its engines started.
#[test]
fn no_engine_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let act = format!(
        "open('{}', 'a').write(str(os.getpid()) + ' ' + str(__import__('subprocess').Popen(['sleep', '600']).pid) + ' '); time.sleep(600)",
        pids.display()
    );
    let bad = format!("ugi:{}", script(folder.path(), "bad.py", &misbehaving(&act)));
    play(
        folder.path(),
        &["connect4", &bad, "random", "--games", "2", "--move-time", "0.3", "--openings", "0"],
    );
    let noted = std::fs::read_to_string(&pids).unwrap();
    let noted: Vec<&str> = noted.split_whitespace().collect();
    assert!(noted.len() >= 4, "{noted:?}");
    for pid in noted {
        let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
        // Whoever buries orphans may take a moment.
        let gone = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            state().is_none_or(|state| state.contains(") Z"))
        });
        assert!(gone, "{pid}: {:?}", state());
    }
}

/// A match that is killed takes its engines with it.
#[test]
fn no_engine_outlives_a_match_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let act = format!(
        "open('{0}.new', 'w').write(str(os.getpid())); os.rename('{0}.new', '{0}'); time.sleep(600)",
        pid.display()
    );
    let bad = format!("ugi:{}", script(folder.path(), "bad.py", &misbehaving(&act)));
    let words = ["match", "connect4", &bad, "random", "--games", "2", "--openings", "0"];
    let mut host = Served(shell::command(folder.path(), &words).stderr(Stdio::null()).spawn().unwrap());
    let soon = |what: &dyn Fn() -> bool| {
        (0..1000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            what()
        })
    };
    assert!(soon(&|| pid.exists()));
    let engine = std::fs::read_to_string(&pid).unwrap();
    host.0.kill().unwrap();
    host.0.wait().unwrap();
    let state = || std::fs::read_to_string(format!("/proc/{engine}/stat")).ok();
    assert!(soon(&|| state().is_none_or(|state| state.contains(") Z"))), "{:?}", state());
}

#[test]
fn gomocup_plays_gomocup() {
    let folder = tempfile::tempdir().unwrap();
    let ours = format!("gomocup@30ms:'{OUTPLAY}' engine gomocup");
    let words = ["mnk:9x8,k=5", &ours, "random", "--games", "2", "--openings", "2"];
    let (report, games) = play(folder.path(), &words);
    assert!(games.iter().all(|game| game["why"].is_null()), "{games:?}");
    assert_eq!(report["players"][0]["wins"], 2);
    // Games that the protocol has no words for are refused before anything is started.
    for game in ["connect4", "mnk:9x9,k=4", "mnk:9x9,k=5,obstacles=a1", "nim:3+4"] {
        let output = shell::outplay(folder.path(), &["match", game, &ours, "random", "--games", "2"]);
        assert_eq!(output.status.code(), Some(2), "{game}");
        assert!(
            text(&output.stderr).contains("five in a row on an empty board"),
            "{game}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn commands_that_make_no_sense_are_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (spec, words) in [
        ("ugi:", "the command is missing"),
        ("ugi", "the command is missing"),
        ("ugi:no-such-program-anywhere", "there is no program `no-such-program-anywhere`"),
        ("ugi:'sh", "is not closed"),
        ("ugi@never:sh", "is not a search limit"),
        ("gomocup@depth=3:sh", "only supports time limits"),
    ] {
        let game = if spec.starts_with("gomocup") { "mnk:15x15,k=5" } else { "tictactoe" };
        let output = shell::outplay(folder.path(), &["match", game, spec, "random", "--games", "2"]);
        assert_eq!(output.status.code(), Some(2), "{spec}");
        assert!(text(&output.stderr).contains(words), "{spec}: {}", text(&output.stderr));
    }
}

/// In `play` an engine sits where any player can.
#[test]
fn an_engine_sits_at_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut child =
        shell::command(folder.path(), &["play", "connect4", "--second", EXAMPLE, "--plain", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
    child.stdin.take().unwrap().write_all(b"4\n4\n").unwrap();
    let out = text(&child.wait_with_output().unwrap().stdout);
    let end: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(end["moves"], serde_json::json!(["4", "4", "4", "4"]), "{out}");
}

fn ask(addr: &str, body: &str) -> (u16, Value) {
    let mut stream = std::net::TcpStream::connect(addr).unwrap();
    write!(
        stream,
        "POST /api/v1/move HTTP/1.1\r\nhost: {addr}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split("\r\n\r\n").nth(1).unwrap();
    let json = &body[body.find('{').unwrap()..=body.rfind('}').unwrap()];
    (status, serde_json::from_str(json).unwrap())
}

/// Visitors choose engines by the names that the server was started with, and never start one themselves.
#[test]
fn visitors_choose_engines_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let mine = format!("mine={EXAMPLE}");
    let gone = format!("gone={}", shell::failing_engine(folder.path()));
    let words = ["serve", "--addr", "127.0.0.1:0", "--json", "--engine", &mine, "--engine", &gone];
    let mut server = Served(shell::command(folder.path(), &words).stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    let mut out = std::io::BufReader::new(server.0.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let addr = said["address"].as_str().unwrap().trim_start_matches("http://").to_string();
    let (status, choice) = ask(&addr, r#"{"game":"connect4","moves":"444444","player":"mine"}"#);
    assert_eq!((status, &choice["move"], &choice["player"]), (200, &"3".into(), &"mine".into()), "{choice}");
    let (status, failed) = ask(&addr, r#"{"game":"connect4","player":"gone"}"#);
    assert_eq!(status, 502, "{failed}");
    assert!(failed["error"].as_str().unwrap().contains("the engine `gone`"), "{failed}");
    let witness = folder.path().join("witness");
    for spec in [
        format!("ugi:touch {}", witness.display()),
        format!("gomocup:touch {}", witness.display()),
        format!("noisy:p=0.5,inner=ugi:touch {}", witness.display()),
        "ugi@1s:true".to_string(),
    ] {
        let body = serde_json::json!({ "game": "mnk:15x15,k=5", "player": spec }).to_string();
        let (status, refused) = ask(&addr, &body);
        assert_eq!(status, 400, "{spec}: {refused}");
        assert!(
            refused["error"].as_str().unwrap().contains("external programs are not allowed"),
            "{spec}: {refused}"
        );
    }
    assert!(!witness.exists());
}

/// A server that ends with the test.
struct Served(std::process::Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A host that is gone is noticed although its end of the input stays open.
#[test]
fn engine_ends_when_its_output_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let check = |words: &[&str], script: &str| {
        let mut child = shell::command(folder.path(), words);
        let mut child =
            Served(child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        let mut stdin = child.0.stdin.take().unwrap();
        stdin.write_all(script.as_bytes()).unwrap();
        // The first answer shows that the engine has begun to read.
        let mut out = std::io::BufReader::new(child.0.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut String::new()).unwrap();
        drop(out);
        let ended = (0..1000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            child.0.try_wait().unwrap().is_some()
        });
        assert!(ended, "{words:?} {script:?}");
        drop(stdin);
    };
    check(&["engine", "ugi", "--game", "connect4"], "isready\nposition startpos\ngo infinite\n");
    check(&["engine", "ugi", "--game", "mnk:9x9,k=5"], "isready\nposition startpos\ngo movetime 600000\n");
    check(&["engine", "gomocup"], "START 15\nINFO timeout_turn 600000\nTURN 7,7\n");
    // One that waits for orders, too.
    check(&["engine", "ugi"], "isready\n");
}

/// The lines that a host says and what comes back, through the program itself.
#[test]
fn the_program_is_an_engine() {
    let folder = tempfile::tempdir().unwrap();
    let said = |words: &[&str], script: &str| {
        let mut child = shell::command(folder.path(), words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        text(&output.stdout)
    };
    let script = "ugi\nsetoption name Game value nim:3+4+5\nisready\nposition startpos\nquery p1turn\ngo movetime 100\nquit\n";
    let out = said(&["engine", "ugi"], script);
    assert!(out.contains("ugiok\nreadyok\nresponse true\n") && out.contains("\nbestmove "), "{out}");
    let out = said(
        &["engine", "ugi", "--game", "chess:KQK"],
        "position fen 8/8/8/8/8/k7/8/K6Q w\ngo movetime 500\n",
    );
    assert!(out.contains("score cp 100"), "{out}");
    // A player with more time than the host has answers with what it has found.
    let script = "position startpos moves 1 2 5 5 6 7 1 1 2 2 7 7 6\ngo movetime 500\n";
    let out = said(&["engine", "ugi", "--game", "connect4", "--player", "alphabeta:time=10s"], script);
    assert!(out.contains("\nbestmove 4\n") || out.contains("\nbestmove 6\n"), "{out}");
    let script = "START 15\nINFO timeout_turn 300\nTURN 7,7\nEND\n";
    let out = said(&["engine", "gomocup", "--player", "alphabeta:time=10s"], script);
    let stone: Vec<i32> = out.lines().nth(1).unwrap().split(',').map(|n| n.parse().unwrap()).collect();
    assert!(stone.iter().all(|n| (n - 7).abs() <= 2), "{out}");
    // A player that cannot answer is replaced, and the host is told.
    let note = "player `perfect` returned no move";
    let out = said(
        &["engine", "ugi", "--game", "mnk:15x15,k=5", "--player", "perfect"],
        "position startpos moves h8\ngo movetime 100\n",
    );
    assert!(out.starts_with(&format!("info string {note}")) && out.contains("\nbestmove "), "{out}");
    let script = "START 15\nINFO timeout_turn 100\nTURN 7,7\nEND\n";
    let out = said(&["engine", "gomocup", "--player", "perfect"], script);
    assert!(out.starts_with(&format!("OK\nMESSAGE {note}")) && out.lines().count() == 3, "{out}");
    let script = "START 15\nINFO timeout_turn 50\nBOARD\n7,7,2\nDONE\nEND\n";
    let out = said(&["engine", "gomocup"], script);
    assert!(out.starts_with("OK\n") && out.lines().count() == 2, "{out}");
    assert!(Command::new(OUTPLAY).args(["engine", "chess"]).output().unwrap().status.code() == Some(2));
}
