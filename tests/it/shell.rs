//! The command as a script runs it, with a data directory of the test's own.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub(crate) fn command(data: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outplay"));
    command.args(words).arg("--quiet").env("OUTPLAY_DATA", data).stdin(Stdio::null());
    command
}

pub(crate) fn outplay(data: &Path, words: &[&str]) -> Output {
    command(data, words).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// One object for each line of the answer.
pub(crate) fn lines(data: &Path, words: &[&str]) -> Vec<Value> {
    let output = outplay(data, &[words, &["--json"]].concat());
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The object of an answer that is one line.
pub(crate) fn json(data: &Path, words: &[&str]) -> Value {
    let mut lines = lines(data, words);
    assert_eq!(lines.len(), 1, "{words:?} prints exactly one line");
    lines.remove(0)
}

/// Writes an engine that starts and exits instead of moving; returns its player spec.
pub(crate) fn failing_engine(folder: &Path) -> String {
    let script = folder.join("failing-engine.sh");
    let replies = "ugi) echo ugiok;; isready) echo readyok;; go*) exit;;";
    std::fs::write(&script, format!("while read -r line; do case $line in {replies} esac; done\n")).unwrap();
    format!("ugi:sh {}", script.display())
}
