//! Recorded files and answers of an earlier build: this build has to read the files and to repeat the answers.
//!
//! ```text
//!  tests/fixtures/data/           a data directory with one or more files of every kind that the program reads back
//!  tests/fixtures/commands.txt    command lines          commands.jsonl   their exit codes, answers and files
//!  tests/fixtures/requests.txt    HTTP requests          requests.jsonl   their statuses and answers
//! ```
//!
//! Every line of `commands.txt` runs in a copy of `data` of its own; `requests.txt` is one conversation with one server.
//! Answers are compared field by field after [`masked`] has removed measurements and prose. `OUTPLAY_FIXTURES=write`
//! records them anew, which is for additions: a recorded answer that changes is a change of the contract.
//!
//! Kept results, labels, checkpoints and partial files carry the identity of the program (`SOLVER_REVISION` and the
//! version, docs/files.md). The recorded answers show that this build reads them (`"source": "kept"`, for example). A build
//! with another revision or version has to set them aside as `.stale` and to find the values again; these files are then
//! made anew with the commands in tests/fixtures/README.md.

mod http;
mod mask;

use crate::faults::files;
use mask::{is_compared, masked, masked_file};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The directory of everything recorded.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// Commands that run at the same time.
const WORKERS: usize = 2;

/// Options of every command that does not set them itself: one thread for repeatable node counts, and a fixed memory limit
/// because the default depends on the machine.
const DEFAULTS: [(&str, Option<&str>); 4] =
    [("--json", None), ("--quiet", None), ("--threads", Some("1")), ("--memory", Some("1G"))];

#[test]
fn commands_answer_as_recorded() {
    let lines = recorded_lines("commands.txt");
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(line) = lines.get(number) else { return };
                    let answer = run_line(line);
                    answers.lock().unwrap().push((number, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap();
    answers.sort_by_key(|(number, _)| *number);
    let answers: Vec<Value> = answers.into_iter().map(|(_, answer)| answer).collect();
    compare("commands.jsonl", &answers);
}

#[test]
fn addresses_answer_as_recorded() {
    let lines = recorded_lines("requests.txt");
    let data = std::sync::Arc::new(fresh_data());
    let server = crate::serve::Server::start_in(&data, &["--quiet", "--threads", "1", "--memory", "1G"]);
    let openapi = server.get("/api/openapi.json");
    crate::schemas::agrees_with(&openapi);
    let uncovered = http::uncovered(&openapi, &lines);
    assert!(uncovered.is_empty(), "tests/fixtures/requests.txt has no request for {uncovered:?}");
    let answers: Vec<Value> = lines.iter().map(|line| http::answer(&server, line, data.path())).collect();
    compare("requests.jsonl", &answers);
}

/// The lines of a list without comments and blank ones.
fn recorded_lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(FIXTURES).join(name)).unwrap();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_string).collect()
}

/// A copy of the recorded data directory.
fn fresh_data() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for (path, bytes) in files(&Path::new(FIXTURES).join("data")) {
        let path = copy.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    copy
}

/// Runs the steps of a line, separated by `&&`, in a copy of the data directory: the exit code and the answer of each, and
/// the files that all of them wrote.
fn run_line(line: &str) -> Value {
    let data = fresh_data();
    let before = files(data.path());
    let steps: Vec<Value> = line.split(" && ").map(|step| run_step(step, data.path())).collect();
    let mut answer = json!({ "line": line, "steps": steps });
    let written = written(&before, &files(data.path()), data.path());
    if !written.is_empty() {
        answer["files"] = Value::Object(written);
    }
    answer
}

/// Runs one command. What follows `<<<` is its standard input, with `\n` for the end of a line.
fn run_step(step: &str, data: &Path) -> Value {
    let (step, input) = step.split_once(" <<< ").map_or((step, ""), |(step, input)| (step, input.trim()));
    let mut words = words(step);
    for (option, value) in DEFAULTS {
        if !words.iter().any(|word| word == option) {
            words.extend([Some(option), value].into_iter().flatten().map(str::to_string));
        }
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(&words)
        .env("OUTPLAY_DATA", data)
        .current_dir(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that does not read its input may have ended.
    let _ = stdin.write_all(input.replace("\\n", "\n").as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("panicked"), "{step}: {stderr}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    crate::schemas::check(&words, &stdout);
    json!({ "code": output.status.code(), "answer": masked(mask::parsed(&stdout), data) })
}

/// The words of a command line; double quotes hold words with spaces together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_string).collect(),
        _ => vec![part.to_string()],
    });
    words.collect()
}

/// Files that were added or changed, each with what of it is compared; files that are gone are null.
fn written(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
    data: &Path,
) -> Map<String, Value> {
    let gone = before.keys().filter(|path| is_compared(path) && !after.contains_key(*path));
    let gone = gone.map(|path| (path.display().to_string(), Value::Null));
    let changed = after.iter().filter(|(path, bytes)| is_compared(path) && before.get(*path) != Some(bytes));
    gone.chain(changed.map(|(path, bytes)| (path.display().to_string(), masked_file(path, bytes, data))))
        .collect()
}

/// Compares answers with the recorded ones, or records them. The lists have the same lines in the same order.
fn compare(name: &str, answers: &[Value]) {
    let path = Path::new(FIXTURES).join(name);
    if std::env::var_os("OUTPLAY_FIXTURES").is_some_and(|word| word == "write") {
        let text: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
        fs::write(path, text).unwrap();
        return;
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    let recorded: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut wrong = Vec::new();
    for (number, answer) in answers.iter().enumerate() {
        let mut found = Vec::new();
        differences("", recorded.get(number).unwrap_or(&Value::Null), answer, &mut found);
        if !found.is_empty() {
            found.truncate(8);
            wrong.push(format!("{}\n    {}", answer["line"], found.join("\n    ")));
        }
    }
    assert!(
        wrong.is_empty() && recorded.len() == answers.len(),
        "{} of {} answers differ from the {} in {name}:\n{}",
        wrong.len(),
        answers.len(),
        recorded.len(),
        wrong.join("\n")
    );
}

/// Where two answers differ: the path of each field with both values.
fn differences(path: &str, recorded: &Value, found: &Value, into: &mut Vec<String>) {
    match (recorded, found) {
        (Value::Object(recorded), Value::Object(found)) => {
            for (key, value) in recorded {
                match found.get(key) {
                    Some(found) => differences(&format!("{path}.{key}"), value, found, into),
                    None => into.push(format!("{path}.{key} is gone; it was {}", short(value))),
                }
            }
            let added = found.iter().filter(|(key, _)| !recorded.contains_key(*key));
            into.extend(added.map(|(key, value)| format!("{path}.{key} is new: {}", short(value))));
        }
        (Value::Array(recorded), Value::Array(found)) if recorded.len() == found.len() => {
            for (number, (recorded, found)) in recorded.iter().zip(found).enumerate() {
                differences(&format!("{path}[{number}]"), recorded, found, into);
            }
        }
        (Value::Number(recorded), Value::Number(found)) if close(recorded, found) => {}
        _ if recorded == found => {}
        _ => into.push(format!("{path} was {}, is {}", short(recorded), short(found))),
    }
}

/// Whether two numbers are the same: whole ones exactly, others to nine digits.
fn close(recorded: &serde_json::Number, found: &serde_json::Number) -> bool {
    match (recorded.as_f64(), found.as_f64()) {
        (Some(a), Some(b)) if recorded.is_f64() && found.is_f64() => {
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        _ => recorded == found,
    }
}

/// The beginning of a value's text.
fn short(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}
