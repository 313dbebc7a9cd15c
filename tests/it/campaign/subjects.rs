//! The kinds of files that the program writes, each with the command that makes it and the one that reads it.

use super::report::{Failure, Row};
use super::trial::{self, Ran, agrees, copy, program, run, run_until};
use crate::faults::files;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Files by name, without what differs between two runs: locks, and times in records.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A kind of file. Commands run with their data directory as working directory.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) kind: &'static str,
    /// Commands that run before, undisturbed.
    pub(crate) before: &'static [&'static str],
    /// The command that makes it, and mends or resumes it where it was disturbed.
    pub(crate) make: String,
    /// The command that reads it, where there is another one.
    pub(crate) ask: &'static str,
    /// A part of the names of the files that are damaged; none where the program never reads them.
    pub(crate) part: Option<&'static str>,
    /// Files that are damaged are those of a run that was stopped when they had so many bytes in all.
    pub(crate) midway: Option<u64>,
    /// Whether making it twice gives the same bytes; else only answers are compared.
    pub(crate) stable: bool,
    /// Files that are written whole or not at all.
    pub(crate) outputs: &'static [&'static str],
    /// Whether the command refuses to replace an output.
    pub(crate) once: bool,
    /// Whether the program may ask its user to remove what was damaged.
    pub(crate) refusable: bool,
    /// The word for another game with files of the same names, and what file names have instead.
    pub(crate) foreign: Option<[&'static str; 4]>,
}

const PLAIN: Subject = Subject {
    kind: "",
    before: &[],
    make: String::new(),
    ask: "",
    part: None,
    midway: None,
    stable: true,
    outputs: &[],
    once: false,
    refusable: false,
    foreign: None,
};

/// All of them.
pub(crate) fn subjects() -> Vec<Subject> {
    let labels = "tune connect4:4x4 --by labels --positions 100 --held-out 50 --sprt-games 0 --threads 1 --force --out w.json";
    let games = "tune connect4:4x4 --population 4 --games 1 --generations 4 --depth 2 --sprt-games 0 --threads 1 \
                 --checkpoint c.json --resume --force --out w.json";
    vec![
        Subject {
            kind: "tables of distances",
            make: "solve tictactoe".into(),
            ask: "query tictactoe --moves b2 --json",
            part: Some("tictactoe/"),
            foreign: Some(["tictactoe", "mnk:3x3,k=3,misere", "tictactoe/", "mnk-3x3,k=3,misere/"]),
            ..PLAIN
        },
        Subject {
            kind: "tables of wins and losses",
            make: "solve mnk:4x3,k=3 --values wdl".into(),
            ask: "verify mnk:4x3,k=3 --values wdl --json",
            part: Some(".wdl/"),
            foreign: Some(["mnk:4x3,k=3", "mnk:4x3,k=4", "mnk-4x3,k=3.wdl", "mnk-4x3,k=4.wdl"]),
            ..PLAIN
        },
        Subject {
            kind: "tables of means",
            make: "solve piglet:5".into(),
            ask: "query piglet:5 --json",
            part: Some(".expected/"),
            foreign: Some(["piglet:5", "piglet:6", "piglet-5.", "piglet-6."]),
            ..PLAIN
        },
        Subject {
            kind: "kept results",
            make: "query connect4:6x6 --moves 33 --json --threads 1".into(),
            ask: "query connect4:6x6 --moves 33 --json --time 0.05",
            part: Some("notes/"),
            stable: false,
            foreign: Some(["connect4:6x6", "connect:6x6,k=3", "connect4-6x6", "connect-6x6,k=3"]),
            ..PLAIN
        },
        Subject {
            kind: "labels of `tune`",
            make: labels.into(),
            part: Some("labels/"),
            outputs: &["w.json"],
            foreign: Some(["connect4:4x4", "connect4:4x5", "connect4-4x4-3-12", "connect4-4x5-3-16"]),
            ..PLAIN
        },
        Subject {
            kind: "checkpoints of `tune`",
            make: games.into(),
            part: Some("c.json"),
            midway: Some(100),
            outputs: &["w.json"],
            refusable: true,
            foreign: Some(["connect4:4x4", "connect4:4x5", "", ""]),
            ..PLAIN
        },
        Subject {
            kind: "unfinished files of `label`",
            make: "label connect4:6x5 --random 60 --plies 8..24 --threads 1 --out l.jsonl".into(),
            part: Some(".partial"),
            midway: Some(1500),
            outputs: &["l.jsonl"],
            once: true,
            foreign: Some(["connect4:6x5", "connect4:6x5,misere", "", ""]),
            ..PLAIN
        },
        Subject {
            kind: "slabs",
            make: format!("solve connect4:4x4 --method dense --disk 1G --memory {}", least_memory("connect4:4x4")),
            part: Some("stash/"),
            midway: Some(20_000),
            foreign: Some(["connect4:4x4", "connect4:4x4,misere", "connect4-4x4/", "connect4-4x4,misere/"]),
            ..PLAIN
        },
        Subject {
            kind: "exports",
            before: &["solve tictactoe"],
            make: "export tictactoe --out e.npz".into(),
            outputs: &["e.npz", "e.npz.md"],
            ..PLAIN
        },
        Subject {
            kind: "records of matches",
            make: "match tictactoe greedy random --games 12 --openings 2 --threads 1 --out m.jsonl --resume --report m.html"
                .into(),
            part: Some("m.jsonl"),
            outputs: &["m.html"],
            refusable: true,
            foreign: Some(["tictactoe", "mnk:3x3,k=3,misere", "", ""]),
            ..PLAIN
        },
        Subject {
            kind: "books of openings",
            make: "book build connect4:4x4 --plies 4 --out b.book".into(),
            ask: "query connect4:4x4 --moves 3 --book b.book --json",
            part: Some("b.book"),
            refusable: true,
            foreign: Some(["connect4:4x4", "connect4:4x5", "", ""]),
            ..PLAIN
        },
        Subject {
            kind: "proofs",
            make: "solve mnk:4x3,k=3 --method proof --proof p.txt".into(),
            ask: "check p.txt mnk:4x3,k=3 --json",
            part: Some("p.txt"),
            outputs: &["p.txt"],
            foreign: Some(["mnk:4x3,k=3", "mnk:4x3,k=4", "", ""]),
            ..PLAIN
        },
        Subject {
            kind: "pictures",
            before: &["solve tictactoe"],
            make: "stats tictactoe --svg s.svg".into(),
            outputs: &["s.svg"],
            ..PLAIN
        },
        Subject { kind: "rates of `plan`", make: "plan connect4:5x4 --json".into(), ..PLAIN },
    ]
}

/// The memory in which a board is only just solved slab by slab, as the program itself states it.
fn least_memory(game: &str) -> String {
    let data = tempfile::tempdir().unwrap();
    let ran = run(program(data.path(), &format!("solve {game} --method dense --disk 1G --memory 1M")));
    let said = format!("{} {}", ran.stdout, ran.stderr);
    let words: Vec<&str> = said.split_whitespace().collect();
    let needs = words.windows(3).find(|words| words[0] == "needs" && words[2].starts_with("MB"));
    let megabytes: f64 = needs.and_then(|words| words[1].parse().ok()).unwrap_or(26.0);
    format!("{}K", (megabytes * 1000.0) as u64 + 60)
}

/// A subject with what an undisturbed run makes of it.
pub(crate) struct Prepared {
    pub(crate) subject: Subject,
    /// The directory before the subject is made.
    pub(crate) base: TempDir,
    /// The directory with the files that are to be damaged.
    pub(crate) seed: TempDir,
    pub(crate) whole: Files,
    pub(crate) answer: Value,
    /// The time that an undisturbed run takes.
    pub(crate) took: Duration,
}

impl Prepared {
    pub(crate) fn new(subject: Subject) -> Prepared {
        let [base, made, seed] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        for line in subject.before {
            assert!(run(program(base.path(), line)).ok(), "{line}");
        }
        copy(base.path(), made.path());
        let ran = run(program(made.path(), &subject.make));
        assert!(ran.ok() || subject.make.starts_with("tune"), "{}: {}", subject.make, ran.said());
        let answer = match subject.ask {
            "" => Value::Null,
            line => {
                // Where what is kept answers partly, the run that found it answers fully.
                let said = if subject.stable { run(program(made.path(), line)).stdout } else { ran.stdout };
                serde_json::from_str(&said).unwrap_or_else(|error| panic!("{line}: {error}: {said}"))
            }
        };
        let whole = normal(made.path(), subject.stable);
        match (subject.midway, subject.part) {
            (Some(bytes), Some(part)) => stopped(&subject, base.path(), part, bytes, seed.path()),
            _ => copy(made.path(), seed.path()),
        }
        Prepared { subject, base, seed, whole, answer, took: ran.took }
    }

    /// The files that can be damaged.
    pub(crate) fn damageable(&self) -> Vec<PathBuf> {
        let Some(part) = self.subject.part else { return Vec::new() };
        let found = files(self.seed.path()).into_keys();
        found.filter(|path| path.to_string_lossy().contains(part)).collect()
    }

    /// Asks about the subject: the answer agrees with the known one, or there is a sentence.
    pub(crate) fn ask(&self, data: &Path, row: &mut Row, how: &dyn Fn() -> String) -> bool {
        if self.subject.ask.is_empty() {
            return true;
        }
        let ran = run(program(data, self.subject.ask));
        let how = || format!("{}, then `{}`", how(), self.subject.ask);
        if !ran.judge(row, &how) {
            return false;
        }
        let wrong = match serde_json::from_str::<Value>(&ran.stdout) {
            Ok(found) => ran.ok() && !agrees(&found, &self.answer),
            Err(_) => ran.ok(),
        };
        if wrong {
            row.fail(Failure::Wrong, format!("{}: {}", how(), ran.stdout.trim()));
        }
        !wrong
    }

    /// Makes the subject (again): it becomes what it is without disturbance. `extra`: nothing else may be left.
    pub(crate) fn repeat(&self, data: &Path, row: &mut Row, extra: bool, how: &dyn Fn() -> String) -> bool {
        let subject = &self.subject;
        let how = || format!("{}, then `{}`", how(), subject.make);
        let ran = run(program(data, &subject.make));
        if !ran.judge(row, &how) {
            return false;
        }
        // A run that was killed after its last step has done everything.
        let done = subject.once && self.difference(data, false).is_none();
        if !self.succeeded(&ran) && !done {
            row.fail(Failure::Lost, format!("{}: {}", how(), ran.said()));
            return false;
        }
        if subject.stable
            && let Some(difference) = self.difference(data, extra)
        {
            let failure = if difference.starts_with("differs") { Failure::Wrong } else { Failure::Lost };
            row.fail(failure, format!("{}: {difference}", how()));
            return false;
        }
        true
    }

    /// Whether a run ended as an undisturbed one does: `tune` without a test of its result has the answer "no".
    pub(crate) fn succeeded(&self, ran: &Ran) -> bool {
        ran.ok() || (self.subject.make.starts_with("tune") && ran.rude().is_none() && ran.stderr.is_empty())
    }

    fn difference(&self, data: &Path, extra: bool) -> Option<String> {
        let found = normal(data, true);
        for (path, bytes) in &self.whole {
            match found.get(path) {
                None => return Some(format!("missing: {}", path.display())),
                Some(other) if other != bytes => return Some(format!("differs: {}", path.display())),
                Some(_) => {}
            }
        }
        let left = found.keys().find(|path| extra && !self.whole.contains_key(*path))?;
        Some(format!("left behind: {}", left.display()))
    }

    /// After a disturbance, files that are replaced whole are the old ones or the new ones.
    pub(crate) fn outputs_are_whole(&self, data: &Path, old: bool, row: &mut Row, how: &dyn Fn() -> String) {
        let old = old && !self.subject.once;
        for name in self.subject.outputs {
            let found = fs::read(data.join(name)).ok();
            let whole = match &found {
                None => !old,
                Some(bytes) => {
                    (old && bytes == OLD) || normalised(name, bytes) == self.whole[Path::new(name)]
                }
            };
            if !whole {
                let bytes = found.map_or("gone".into(), |found| format!("{} bytes", found.len()));
                row.fail(Failure::Lost, format!("{}: {name} is {bytes}, neither old nor new", how()));
            }
        }
    }

    /// A fresh directory, before the subject is made; with `old`, in place of its outputs there are other files.
    pub(crate) fn fresh(&self, data: &Path, old: bool) {
        copy(self.base.path(), data);
        for name in self.subject.outputs.iter().filter(|_| old && !self.subject.once) {
            fs::write(data.join(name), OLD).unwrap();
        }
    }
}

/// The bytes of a file that stands where an output goes.
const OLD: &[u8] = b"an older file\n";

/// The files of a directory without locks, times in records, kept results (unless they are the subject) and labels of
/// `tune`, whose number depends on where a run was stopped.
fn normal(data: &Path, stable: bool) -> Files {
    let found = files(data).into_iter();
    let found =
        found.filter(|(path, _)| !stable || !["notes", "labels"].iter().any(|part| path.starts_with(part)));
    found.map(|(path, bytes)| (path.clone(), normalised(&path.to_string_lossy(), &bytes))).collect()
}

/// The bytes of a file without the times in records and in the reports on them.
fn normalised(name: &str, bytes: &[u8]) -> Vec<u8> {
    if name.ends_with(".html") {
        let text = String::from_utf8_lossy(bytes);
        let took = text.find(" s.</p>").and_then(|end| Some((text[..end].rfind(", ")?, end)));
        return took.map_or(bytes.to_vec(), |(from, to)| [&text[..from], &text[to..]].concat().into_bytes());
    }
    if !name.ends_with("m.jsonl") {
        return bytes.to_vec();
    }
    let text = String::from_utf8_lossy(bytes);
    let line = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(mut game) => {
            game.as_object_mut().map(|game| game.remove("spent"));
            game.to_string()
        }
        Err(_) => line.to_string(),
    };
    text.lines().map(line).collect::<Vec<String>>().join("\n").into_bytes()
}

/// What a run leaves that is killed as soon as the files have so many bytes.
fn stopped(subject: &Subject, base: &Path, part: &str, bytes: u64, seed: &Path) {
    for _ in 0..50 {
        let data = tempfile::tempdir().unwrap();
        copy(base, data.path());
        let mut child = program(data.path(), &subject.make)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let size = || {
            let found = sizes(data.path()).into_iter();
            found
                .filter(|(path, _)| path.to_string_lossy().contains(part))
                .map(|(_, bytes)| bytes)
                .sum::<u64>()
        };
        while child.try_wait().unwrap().is_none() && size() < bytes {}
        child.kill().unwrap();
        child.wait().unwrap();
        if size() >= bytes {
            copy(data.path(), seed);
            return;
        }
    }
    panic!("{} never has {bytes} bytes of {part}", subject.make);
}

/// The sizes of files that come and go.
fn sizes(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(data) if data.is_dir() => found.extend(sizes(&entry.path())),
            Ok(data) => found.push((entry.path(), data.len())),
            Err(_) => {}
        }
    }
    found
}

/// Runs the command that makes the subject and kills it after so long. Whether it was killed before it ended.
pub(crate) fn kill(prepared: &Prepared, data: &Path, after: Duration) -> Ran {
    run_until(program(data, &prepared.subject.make), Some((after, "KILL")), trial::LIMIT)
}
