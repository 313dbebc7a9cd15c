//! Independent verification of tables by `tests/second/table.py`, a reader and verifier in Python with its own rules.
//!
//! In each run 2,000 positions of every family, sampled block by block; `OUTPLAY_POSITIONS=100000` for more.

use crate::shell::{json, outplay, text};
use outplay::core::Tier;
use outplay_table::{Identity, Table, Values, Writer};
use std::path::Path;
use std::process::{Command, Output};

/// How many positions of each game are looked at.
fn wanted() -> u64 {
    std::env::var("OUTPLAY_POSITIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

/// What the second verifier says; none where there is no Python.
fn second(data: &Path, game: &str, more: &[&str]) -> Option<Output> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/second/table.py");
    let positions = wanted().to_string();
    let mut command = Command::new("python3");
    command.arg("-B").arg(program).arg(data).args([game, "--positions", &positions]).args(more);
    match command.output() {
        Ok(output) => Some(output),
        Err(_) => {
            eprintln!("left out: there is no python3");
            None
        }
    }
}

/// Solves a game and asks both verifiers.
fn check(game: &str) {
    let data = tempfile::tempdir().unwrap();
    let solved = json(data.path(), &["solve", game]);
    let spec = solved["game"].as_str().unwrap();
    assert_eq!(json(data.path(), &["verify", game])["wrong"], 0, "{game}");
    check_second(data.path(), spec);
}

fn check_second(data: &Path, spec: &str) {
    let Some(output) = second(data, spec, &[]) else { return };
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let line = text(&output.stdout);
    let enough = format!("{spec}: {} positions, no errors\n", wanted());
    let every = line.starts_with(&format!("{spec}: all ")) && line.ends_with(" positions, no errors\n");
    assert!(line == enough || every, "{line}");
    eprint!("{line}");
}

#[test]
fn boards() {
    check("connect4:4x4");
    check("connect:4x4,k=3,obstacles=b1+c2");
    check("mnk:4x3");
    check("mnk:4x3,k=3,misere");
    check("tictactoe,obstacles=a2");
    check("connect4:4x4,misere");
}

#[test]
fn nim() {
    check("nim:3+4+5");
    check("nim:2+3+3+4,normal");
}

#[test]
fn morris() {
    check("morris:three,lines=6");
    check("morris:tapatan");
    check("morris:six,men=3,flying");
}

#[test]
fn chess() {
    check("chess:KPK");
}

/// Pawns of both sides, so that some may be taken en passant; the first verifier has tests of its own for it.
#[test]
fn chess_with_pawns_that_pass() {
    let data = tempfile::tempdir().unwrap();
    json(data.path(), &["solve", "chess:KPKP"]);
    check_second(data.path(), "chess:KPKP");
}

#[test]
fn dice() {
    check("pig:20");
    check("piglet:30");
}

/// Win, draw and loss alone.
#[test]
fn verdicts() {
    let data = tempfile::tempdir().unwrap();
    for game in ["connect4:4x4", "morris:tapatan"] {
        json(data.path(), &["solve", game, "--values", "wdl"]);
        let Some(output) = second(data.path(), game, &["--values", "wdl"]) else { return };
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    }
}

/// Writes a table anew with some of its cells changed: every checksum is right, and the values are not.
fn forge(data: &Path, game: &str, to: &Path, tier: u32, change: impl Fn(i8) -> i8) {
    let table = Table::open(data, game, Values::Distance).unwrap();
    let identity: Identity = table.identity().clone();
    let writer = Writer::open(to, identity.clone()).unwrap();
    for t in (0..identity.slots.len() as u32).rev().map(Tier) {
        let mut cells: Vec<i8> = table.read_tier(t).unwrap();
        if t.0 == tier {
            cells.iter_mut().for_each(|cell| *cell = change(*cell));
        }
        let file = writer.tier::<i8>(t).unwrap();
        file.put_all(&cells).unwrap();
        file.finish().unwrap();
    }
    writer.finish(serde_json::json!({})).unwrap();
}

#[test]
fn both_find_what_is_forged() {
    let data = tempfile::tempdir().unwrap();
    json(data.path(), &["solve", "tictactoe"]);
    let longer = |cell: i8| if cell == 0 { 0 } else { cell - 2 * cell.signum() };
    for (tier, change) in [(2, (|_| 0) as fn(i8) -> i8), (4, |cell| -cell), (5, longer)] {
        let forged = tempfile::tempdir().unwrap();
        forge(data.path(), "tictactoe", forged.path(), tier, change);
        let first = outplay(forged.path(), &["verify", "tictactoe"]);
        assert_eq!(first.status.code(), Some(1), "{}", text(&first.stdout));
        let Some(second) = second(forged.path(), "tictactoe", &[]) else { return };
        assert_eq!(second.status.code(), Some(1), "{}{}", text(&second.stdout), text(&second.stderr));
    }
}
