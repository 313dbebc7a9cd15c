//! Damaged files: the program reads on, refuses or mends them, and never believes them.
//!
//! Most mutations are given to the readers of `tests/fuzz` in this process; for every kind of file some are made on the
//! disk, and the program itself is run.

use super::report::{Failure, Row};
use super::subjects::Prepared;
use super::trial::{copy, program, run};
use crate::fuzz::mutate;
use crate::fuzz::targets::mend;
use rand::RngExt;
use rand::rngs::SmallRng;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn mutations(prepared: &Prepared, tries: usize, rng: &mut SmallRng) -> Option<Row> {
    let mut row =
        Row::new(prepared.subject.kind, "flipped, inserted, deleted and cut off bytes, on the disk");
    let files = prepared.damageable();
    if files.is_empty() {
        return None;
    }
    for _ in 0..tries {
        let data = tempfile::tempdir().unwrap();
        copy(prepared.seed.path(), data.path());
        let name = &files[rng.random_range(0..files.len())];
        let path = data.path().join(name);
        let before = fs::read(&path).unwrap();
        let other = fs::read(data.path().join(&files[rng.random_range(0..files.len())])).unwrap();
        let after = mutate(rng, &before, &other);
        if after == before {
            continue;
        }
        fs::write(&path, &after).unwrap();
        row.tried(1);
        let subject = &prepared.subject;
        let how =
            || format!("{} of `{}` damaged: {}", name.display(), subject.make, difference(&before, &after));
        if !prepared.ask(data.path(), &mut row, &how) {
            continue;
        }
        if subject.refusable {
            let ran = run(program(data.path(), &subject.make));
            if !ran.judge(&mut row, &how) {
                continue;
            }
            // A sentence that asks to remove the file is an answer; then it is removed.
            if !prepared.succeeded(&ran) {
                fs::remove_file(&path).unwrap();
            }
        }
        if prepared.repeat(data.path(), &mut row, false, &how) {
            prepared.ask(data.path(), &mut row, &how);
        }
    }
    row.tries().ge(&1).then_some(row)
}

/// Where two inputs differ, and what stands there.
fn difference(before: &[u8], after: &[u8]) -> String {
    let at = before.iter().zip(after).take_while(|(one, two)| one == two).count();
    let rest = before.len().min(after.len()) - at;
    let same =
        before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(one, two)| one == two).count();
    let part = |bytes: &[u8]| {
        let part = &bytes[at..bytes.len() - same];
        part[..part.len().min(200)].escape_ascii().to_string()
    };
    format!("bytes {at}.. `{}` became `{}`", part(before), part(after))
}

/// Files of one game under the name of another: refused or recomputed, never believed.
pub(crate) fn foreign(prepared: &Prepared) -> Option<Row> {
    let subject = &prepared.subject;
    let [game, other, name, other_name] = subject.foreign?;
    let mut row = Row::new(subject.kind, "files of another game under this name, also sealed again");
    let mut stranger = subject.clone();
    stranger.make = subject.make.replace(game, other);
    stranger.ask = subject.ask.replace(game, other).leak();
    stranger.midway = None;
    let known = Prepared::new(stranger);
    let files = prepared.damageable();
    let sealed = files.iter().any(|file| file.ends_with("manifest.json"));
    for resealed in [false, true].into_iter().filter(|resealed| sealed || !resealed) {
        let data = tempfile::tempdir().unwrap();
        copy(known.base.path(), data.path());
        for from in &files {
            let to = data.path().join(from.to_string_lossy().replace(name, other_name));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let mut bytes = fs::read(prepared.seed.path().join(from)).unwrap();
            if resealed && from.ends_with("manifest.json") {
                let said = String::from_utf8_lossy(&bytes).replace(game, other);
                bytes = mend::manifest(said.as_bytes());
            }
            fs::write(to, bytes).unwrap();
        }
        row.tried(1);
        let seal = if resealed { ", sealed again" } else { "" };
        let how = || format!("files of `{}`{seal} in place of those of `{other}`", subject.make);
        is_refused(&known, data.path(), &mut row, &how);
    }
    Some(row)
}

/// What stands in place of a subject's files is not taken for them; with a sentence, they may have to be removed.
fn is_refused(known: &Prepared, data: &Path, row: &mut Row, how: &dyn Fn() -> String) {
    if !known.ask(data, row, how) {
        return;
    }
    let ran = run(program(data, &known.subject.make));
    if !ran.judge(row, how) {
        return;
    }
    if known.succeeded(&ran) {
        known.repeat(data, row, false, how);
    } else if !ran.stderr.contains("error") {
        row.fail(Failure::Wrong, format!("{}: no sentence: {}", how(), ran.said()));
    }
}

/// Sealed files of another version of the rules or of the program: the values are altered and every checksum is right, so
/// that only the identity keeps them from being used.
pub(crate) fn outdated(prepared: &Prepared) -> Option<Row> {
    let files = prepared.damageable();
    let read = |name: &Path| fs::read_to_string(prepared.seed.path().join(name)).ok();
    let sealed = |name: &&PathBuf| read(name).is_some_and(|text| text.get(17..).is_some_and(is_header));
    let files: Vec<&PathBuf> = files.iter().filter(sealed).collect();
    if files.is_empty() {
        return None;
    }
    let subject = &prepared.subject;
    let mut row =
        Row::new(subject.kind, "another version of rules or program, altered values, right checksums");
    for (key, version) in [("rules", json!(0)), ("rules", json!(2)), ("program", json!("0.0.9 r1"))] {
        let data = tempfile::tempdir().unwrap();
        copy(prepared.seed.path(), data.path());
        let mut altered = 0;
        for name in &files {
            let text = read(name).unwrap();
            let (header, records) = text.split_once('\n').unwrap();
            let mut identity: Value = serde_json::from_str(&header[17..]).unwrap();
            identity[key] = version.clone();
            let forged = records.lines().map(|line| falsified(&line[17..])).collect::<Vec<_>>();
            altered += forged.iter().zip(records.lines()).filter(|(new, old)| new[..] != old[17..]).count();
            let lines = std::iter::once(identity.to_string()).chain(forged);
            let text: String = lines.map(|line| format!("{:017}{line}\n", 0)).collect();
            fs::write(data.path().join(name), mend::sealed(text.as_bytes())).unwrap();
        }
        assert!(altered > 0, "{}: no value was altered of {files:?}", subject.kind);
        row.tried(1);
        let how = || format!("files of `{}` with other values, sealed with {key} {version}", subject.make);
        // The first run sets the file aside, with a sentence; the second one is like an undisturbed run.
        if prepared.ask(data.path(), &mut row, &how)
            && run(program(data.path(), &subject.make)).judge(&mut row, &how)
            && prepared.repeat(data.path(), &mut row, false, &how)
        {
            prepared.ask(data.path(), &mut row, &how);
        }
    }
    Some(row)
}

/// Whether this is the first line of a sealed file, without its checksum.
fn is_header(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.starts_with("{\"kind\":") && line.contains("\"program\":"))
}

/// A record with other values: payoffs, values of moves, weights.
fn falsified(record: &str) -> String {
    let swaps = [
        ("\"payoff\":1", "\"payoff\":-1"),
        ("\"value\":\"win\"", "\"value\":\"loss\""),
        ("\"value\":1", "\"value\":-1"),
        ("\"value\":0", "\"value\":1"),
        ("15.0", "16.0"),
    ];
    if let Some((from, to)) = swaps.iter().find(|(from, _)| record.contains(from)) {
        return record.replace(from, to);
    }
    match record.split_once(' ') {
        // A label: its number, then the value of every move.
        Some((number, values)) if number.parse::<u64>().is_ok() => {
            let other = |value| if value == '+' { '-' } else { '+' };
            format!("{number} {}", values.chars().map(other).collect::<String>())
        }
        _ => record.to_string(),
    }
}

/// Targets of `tests/fuzz` that read files, with how many mutations each gets.
const READERS: [(&str, usize); 13] = [
    ("tiers", 2000),
    ("manifests", 2000),
    ("books", 2000),
    ("slabs", 1000),
    ("records", 1000),
    ("weights", 1000),
    ("psq", 1000),
    ("kept", 500),
    ("labels", 500),
    ("partials", 500),
    ("checkpoints", 500),
    ("sums", 500),
    ("openings", 500),
];

pub(crate) fn jobs() -> Vec<super::Job> {
    super::inputs::in_process(&READERS, "mutated bytes, read in this process; checksums mended, too")
}
