//! One run of the program: under a time limit, interrupted or killed, with what can be held against it.

use super::report::{Failure, Row};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A command without a time limit of its own ends within this; all of them take a second or two on an idle machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// What a run left.
pub(crate) struct Ran {
    /// None if it did not end.
    status: Option<ExitStatus>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

/// The program in a directory, which is both its data directory and its working directory.
pub(crate) fn program(data: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outplay"));
    command.args(line.split_whitespace()).arg("--quiet").env("OUTPLAY_DATA", data).current_dir(data);
    command.stdin(Stdio::null());
    command
}

/// Runs a command, sends it `signal` if it has not ended by then, and gives it up after the limit.
pub(crate) fn run_until(mut command: Command, signal: Option<(Duration, &str)>, limit: Duration) -> Ran {
    let [mut out, mut err] = [(); 2].map(|()| tempfile::tempfile().unwrap());
    command.stdout(out.try_clone().unwrap()).stderr(err.try_clone().unwrap());
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut signal = signal;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        let took = start.elapsed();
        if let Some((at, name)) = signal
            && took >= at
        {
            signal = None;
            match name {
                "KILL" => child.kill().unwrap(),
                name => {
                    drop(Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status())
                }
            }
        }
        if took > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_micros(500));
    };
    let text = |file: &mut File| {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.take(1 << 20).read_to_end(&mut bytes)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ran { status, stdout: text(&mut out), stderr: text(&mut err), took: start.elapsed() }
}

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Ran {
    run_until(command, None, LIMIT)
}

impl Ran {
    pub(crate) fn ok(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    pub(crate) fn killed(&self) -> bool {
        self.status.is_some_and(|status| status.signal() == Some(9))
    }

    /// The last words, for a report.
    pub(crate) fn said(&self) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let code = self.status.map_or("no end".into(), |status| status.to_string());
        format!("{code}: {}", text.trim().chars().take(300).collect::<String>().replace('\n', " / "))
    }

    /// What is wrong with the manner in which it ended, if anything is.
    pub(crate) fn rude(&self) -> Option<Failure> {
        let all = [self.stdout.as_str(), self.stderr.as_str()];
        let Some(status) = self.status else { return Some(Failure::Hang) };
        match status.code() {
            _ if all.iter().any(|text| text.contains("panicked at")) => Some(Failure::Panic),
            Some(0 | 130) => None,
            // An error is a sentence.
            Some(1..=3) if all.iter().all(|text| text.trim().is_empty()) => Some(Failure::Wrong),
            Some(1..=3) => None,
            _ => Some(Failure::Panic),
        }
    }

    /// Counts a bad manner, with how to repeat it. Whether the run was civil.
    pub(crate) fn judge(&self, row: &mut Row, how: &dyn Fn() -> String) -> bool {
        match self.rude() {
            None => true,
            Some(failure) => {
                row.fail(failure, format!("{}: {}", how(), self.said()));
                false
            }
        }
    }
}

/// Whether an answer agrees with the known one: what it leaves open or leaves out is no contradiction.
pub(crate) fn agrees(found: &Value, known: &Value) -> bool {
    const COMPARED: [&str; 12] = [
        "game",
        "position",
        "value",
        "expected",
        "checked",
        "wrong",
        "positions",
        "by_turn",
        "longest",
        "steps",
        "valid",
        "distance",
    ];
    let open = |value: &Value| value.is_null() || value == "unknown";
    let same = |found: &Value, known: &Value| open(found) || open(known) || found == known;
    let by_name = |name: &Value| {
        let moves = known["moves"].as_array().into_iter().flatten();
        moves.clone().find(|known| known["move"] == *name)
    };
    let moves = found["moves"].as_array().into_iter().flatten().all(|found| {
        by_name(&found["move"])
            .is_none_or(|known| ["value", "distance"].iter().all(|key| same(&found[*key], &known[*key])))
    });
    let best =
        found["best"].as_array().into_iter().flatten().all(|name| {
            known["best"].as_array().is_none_or(|best| best.contains(name)) || open(&found["value"])
        });
    COMPARED.iter().all(|key| same(&found[*key], &known[*key])) && moves && best
}

/// Copies a directory and everything below.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
