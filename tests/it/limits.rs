//! Limits of single commands: counts that no memory holds, time limits, and foreign text on a terminal.

use crate::shell::{outplay, text};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::fs;
use std::io::Read;
use std::time::{Duration, Instant};

/// A count that does not fit is refused in a sentence before anything is allocated.
#[test]
fn counts_beyond_memory_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let out = data.path().join("labels.jsonl");
    let check = |words: &[&str]| {
        for count in ["18446744073709551615", "9007199254740993", "4294967295", "100000000"] {
            let output = outplay(data.path(), &[words, &[count]].concat());
            let error = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{words:?} {count}: {error}");
            assert!(!error.contains("panicked"), "{words:?} {count}: {error}");
        }
    };
    check(&["match", "tictactoe", "random", "greedy", "--games"]);
    check(&["tune", "connect4:4x4", "--population"]);
    check(&["tune", "connect4:4x4", "--games"]);
    check(&["tune", "connect4:4x4", "--by", "labels", "--positions"]);
    check(&["tune", "connect4:4x4", "--by", "labels", "--held-out"]);
    check(&["label", "connect4:4x4", "--out", out.to_str().unwrap(), "--random"]);
}

#[test]
fn a_tree_keeps_to_its_time() {
    let data = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let words = ["show", "mnk:6x6,k=5", "--tree", "--minimax", "--depth", "30", "--time", "0.5"];
    let output = outplay(data.path(), &words);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("time limit"), "{}", text(&output.stderr));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

/// Runs a command on a pseudo-terminal and returns the bytes that reach it.
fn on_terminal(folder: &std::path::Path, words: &[&str]) -> Vec<u8> {
    let size = PtySize { rows: 50, cols: 200, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_outplay"));
    command.args(words);
    command.cwd(folder);
    command.env("OUTPLAY_DATA", folder);
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().unwrap();
    let mut bytes = Vec::new();
    // Reading a terminal whose other end is closed is an error on Linux.
    let _ = output.read_to_end(&mut bytes);
    child.wait().unwrap();
    bytes
}

/// Names of players come from files of others: they must not move the cursor or set the window's title.
#[test]
fn names_in_files_reach_a_terminal_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let game = "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n1,1,0\r\n8,9,10\r\n2,1,10\r\n8,10,10\r\n3,1,10\r\n8,11,10\r\n5,1,10\r\n8,12,10\r\nEVIL\x1b]0;title\x07\x1b[2J\x1b[8mhidden\u{202e}.zip\r\nB.zip\r\n-1\r\n";
    fs::write(folder.path().join("1.psq"), game).unwrap();
    let shown = on_terminal(folder.path(), &["import", "1.psq", "--out", "games.jsonl"]);
    let said = String::from_utf8_lossy(&shown);
    assert!(said.contains("EVIL"), "{said:?}");
    for raw in ["\x1b]", "\x07", "\x1b[2J", "\x1b[8m", "\u{202e}"] {
        assert!(!said.contains(raw), "{raw:?} reaches the terminal: {said:?}");
    }
}

/// So do engines: their file names, their `id name` and what they print to standard error before they end.
#[test]
fn words_of_engines_reach_a_terminal_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let engine = r"while read -r word rest; do case $word in
        ugi) printf 'id name \033]0;title\007EVIL\033[2J\nugiok\n';;
        isready) echo readyok;;
        go) printf 'LAST WORDS \033]0;title\007\033[2J\033[8mhidden\342\200\256\n' >&2; exit 3;;
    esac; done";
    let name = "engine\x1b]0;title\x07\x1b[8m\u{202e}.sh";
    fs::write(folder.path().join(name), engine).unwrap();
    let engine = format!("ugi:sh '{name}'");
    let words = ["match", "tictactoe", &engine, "random", "--games", "2", "--openings", "0"];
    let shown = on_terminal(folder.path(), &words);
    let said = String::from_utf8_lossy(&shown);
    for escaped in ["engine\\u{1b}]0;title\\u{7}", "exit code 3: LAST WORDS \\u{1b}]0;title\\u{7}"] {
        assert!(said.contains(escaped), "{escaped:?} is missing: {said:?}");
    }
    for raw in ["\x1b]", "\x07", "\x1b[2J", "\x1b[8m", "\u{202e}"] {
        assert!(!said.contains(raw), "{raw:?} reaches the terminal: {said:?}");
    }
}
