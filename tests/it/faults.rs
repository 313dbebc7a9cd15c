//! Fault injection: each system call that can fail fails once, in turn, and large allocations fail. The program prints one
//! error sentence; a rerun produces the same bytes.
//!
//! The calls are intercepted by `tests/faults/shim.rs` (LD_PRELOAD).

use crate::shell::{command, outplay, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The shim, compiled once; none where that does not work.
pub(crate) fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let compile = || {
        let folder = tempfile::tempdir().ok()?;
        let library = folder.path().join("shim.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.rs");
        let words =
            ["--edition", "2024", "--crate-type", "cdylib", "-C", "panic=abort", "-C", "opt-level=1", "-o"];
        let made = Command::new("rustc").args(words).arg(&library).arg(source).output().ok()?;
        if !made.status.success() {
            eprintln!("left out: {}", text(&made.stderr));
            return None;
        }
        Some((folder, library))
    };
    SHIM.get_or_init(compile).as_ref().map(|(_, library)| library.as_path())
}

/// Runs a command of which one call fails; none if it does not make so many.
fn failing(data: &Path, words: &[&str], what: (&str, &str), at: usize) -> Option<Output> {
    let said = tempfile::tempdir().unwrap();
    let said = said.path().join("said");
    let mut command = command(data, words);
    command.env("LD_PRELOAD", shim()?).env(what.0, what.1);
    command.env("FAULT_AT", at.to_string()).env("FAULT_SAY", &said);
    let output = command.output().unwrap();
    said.exists().then_some(output)
}

/// Nothing worse than an error in a sentence.
fn is_civil(output: &Output, words: &[&str], at: usize) {
    let error = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(
        matches!(code, Some(0..=3)) && !error.contains("panicked"),
        "{words:?}, call {at}: {:?}, {error}",
        output.status
    );
    assert!(code != Some(2) || !error.is_empty(), "{words:?}, call {at}: {code:?} without a word");
}

/// All files below a directory but locks, and what a writer that was in trouble left for the next one to clear away.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if entry.file_name() != "lock" && !entry.file_name().to_string_lossy().starts_with("tmp-")
            {
                found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(path).unwrap());
            }
        }
    }
    found
}

/// A directory whose name the shim looks for.
fn directory() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("fault-data");
    (folder, data)
}

/// Each call about files fails once; then the same command makes the same files as ever.
fn files_fail(words: &[&str]) -> usize {
    let whole = {
        let (_folder, data) = directory();
        let words: Vec<String> =
            words.iter().map(|word| word.replace("DATA", data.to_str().unwrap())).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        fs::create_dir(&data).unwrap();
        assert!(outplay(&data, &words).status.success());
        files(&data)
    };
    assert!(!whole.is_empty());
    for at in 1.. {
        let (_folder, data) = directory();
        let words: Vec<String> =
            words.iter().map(|word| word.replace("DATA", data.to_str().unwrap())).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        fs::create_dir(&data).unwrap();
        let Some(output) = failing(&data, &words, ("FAULT_FILES", "fault-data"), at) else { return at - 1 };
        is_civil(&output, &words, at);
        let again = outplay(&data, &words);
        assert!(again.status.success(), "{words:?}, after call {at}: {}", text(&again.stderr));
        assert!(files(&data) == whole, "{words:?}, after call {at}");
    }
    0
}

#[test]
fn every_call_for_a_table_fails_once() {
    let calls = files_fail(&["solve", "mnk:2x2,k=2"]);
    assert!(shim().is_none() || calls > 30, "{calls}");
    let calls = files_fail(&["solve", "piglet:2"]);
    assert!(shim().is_none() || calls > 20, "{calls}");
}

#[test]
fn every_call_for_a_book_fails_once() {
    let calls = files_fail(&["book", "build", "connect4:4x4", "--plies", "2", "--out", "DATA/b.book"]);
    assert!(shim().is_none() || calls > 8, "{calls}");
}

/// Reading fails, too: no wrong answer, and the next question is answered.
#[test]
fn every_call_of_a_reader_fails_once() {
    let (_folder, data) = directory();
    outplay(&data, &["solve", "tictactoe"]);
    for words in [
        &["query", "tictactoe", "--json"][..],
        &["verify", "tictactoe"],
        &["tables"],
        &["stats", "tictactoe"],
    ] {
        let whole = outplay(&data, words);
        for at in 1..60 {
            let Some(output) = failing(&data, words, ("FAULT_FILES", "fault-data"), at) else { break };
            is_civil(&output, words, at);
            if words[0] == "verify" && output.status.success() {
                assert_eq!(output.stdout, whole.stdout, "call {at}");
            }
        }
        assert_eq!(outplay(&data, words).stdout, whole.stdout);
    }
}

/// Commands with large buffers: some of them are refused, one in each run.
#[test]
fn every_large_buffer_is_refused_once() {
    let data = tempfile::tempdir().unwrap();
    let mut refused = 0;
    for words in [
        &["solve", "nim:300+300", "--method", "sweep"][..],
        &["solve", "einstein", "--method", "chance"],
        &["solve", "mnk:11x6,x=a1", "--method", "sweep-until-stable"],
        &["solve", "mnk:5x5,k=4", "--method", "search"],
        &["solve", "chess:KQKR", "--method", "retrograde"],
        &["index", "einstein"],
    ] {
        let words = &[words, &["--no-save", "--time", "0.5"]].concat();
        for at in [1, 2, 4, 7] {
            let Some(output) = failing(data.path(), words, ("FAULT_BYTES", "1000000"), at) else { break };
            is_civil(&output, words, at);
            refused += 1;
        }
    }
    assert!(shim().is_none() || refused > 6, "{refused}");
}
