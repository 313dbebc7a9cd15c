//! Tests that `solve` repairs any damage to the files of a table.

use crate::{GameBuilder, GameHandle, Session, SolveRequest, solve, verify};
use outplay_games::Spec;
use outplay_games::mnk::{Mnk, MnkIndex, Rules};
use outplay_games::nim::Nim;
use outplay_games::pig::{Pig, PigIndex};
use outplay_runtime::NoMonitor;
use outplay_table::{Table, Values, Writer};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn board(spec: &str) -> GameHandle {
    let rules = Spec::parse(spec).and_then(Rules::from_spec).expect("a board");
    GameBuilder::new(Mnk::<u64>::new(rules).expect("small")).lines().index(MnkIndex::new).build()
}

fn nim(spec: &str) -> GameHandle {
    GameBuilder::new(Spec::parse(spec).and_then(Nim::from_spec).expect("nim")).acyclic().build()
}

fn pig(spec: &str) -> GameHandle {
    GameBuilder::new(Spec::parse(spec).and_then(Pig::from_spec).expect("pig"))
        .rolls_index(PigIndex::new)
        .build()
}

/// The files of all tables in a data directory, without locks.
fn files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let inside = |dir: PathBuf| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let all = inside(data.to_path_buf()).flat_map(inside).filter(|path| path.is_file());
    let named = all.filter(|path| path.file_name().is_some_and(|name| name != "lock"));
    named.map(|path| (path.clone(), fs::read(&path).expect("a file"))).collect()
}

/// Damages one file: changes, appends, cuts or removes bytes.
fn damage(path: &Path, bytes: &[u8], rng: &mut SmallRng) -> String {
    let mut bad = bytes.to_vec();
    let place = rng.random_range(0..bad.len());
    let kind = rng.random_range(0..7);
    match kind {
        0 | 1 => bad[place] ^= 1 << rng.random_range(0..8),
        2 => bad[place..].iter_mut().take(40).for_each(|byte| *byte = rng.random()),
        3 => bad.truncate(place),
        4 => bad.extend([7; 9]),
        5 => bad.iter_mut().take(64).for_each(|byte| *byte = 0),
        _ => fs::remove_file(path).unwrap_or_default(),
    }
    if kind < 6 {
        fs::write(path, &bad).expect("room");
    }
    format!("{}: kind {kind} at {place} of {}", path.display(), bytes.len())
}

fn mended(game: &GameHandle, values: Values, rounds: u64) {
    let data = tempfile::tempdir().expect("a directory");
    let mut request = SolveRequest::default();
    (request.store, request.values) = (true, values);
    let session = Session::at(data.path());
    let first = solve(&session, game, &request, &NoMonitor).expect("a small game");
    let wrong = || verify(&session, game, Some(values), &NoMonitor).expect("a table").wrong;
    assert_eq!(wrong(), 0);
    let whole = files(data.path());
    assert!(whole.len() > 2);
    for seed in 0..rounds {
        let rng = &mut SmallRng::seed_from_u64(seed);
        let mut what = Vec::new();
        for _ in 0..rng.random_range(1..=3) {
            let (path, bytes) = whole.iter().nth(rng.random_range(0..whole.len())).expect("a file");
            what.push(damage(path, bytes, rng));
        }
        let again =
            solve(&session, game, &request, &NoMonitor).unwrap_or_else(|error| panic!("{what:?}: {error}"));
        assert_eq!(again.answer, first.answer, "{what:?}");
        let now = files(data.path());
        let differs: Vec<&PathBuf> = whole.keys().filter(|path| now.get(*path) != whole.get(*path)).collect();
        assert!(differs.is_empty() && now.len() == whole.len(), "{what:?}: {differs:?}");
        assert!(seed % 8 > 0 || wrong() == 0, "{what:?}");
    }
}

#[test]
fn solve_repairs_any_damage() {
    mended(&board("mnk:3x3,k=3"), Values::Distance, 100);
    mended(&board("connect:4x3,k=3"), Values::Wdl, 100);
    mended(&nim("nim:2+3+4"), Values::Distance, 60);
    mended(&nim("nim:2+3+4"), Values::Wdl, 40);
    mended(&pig("piglet:5"), Values::Expected, 40);
}

#[test]
fn forged_counts_are_found() {
    for (game, values) in [
        (board("mnk:3x3,k=3"), Values::Distance),
        (board("mnk:3x3,k=3"), Values::Wdl),
        (nim("nim:2+3"), Values::Distance),
    ] {
        let data = tempfile::tempdir().expect("a directory");
        let mut request = SolveRequest::default();
        (request.store, request.values) = (true, values);
        let session = Session::at(data.path());
        solve(&session, &game, &request, &NoMonitor).expect("a small game");
        let verified = || verify(&session, &game, Some(values), &NoMonitor).expect("a table");
        assert_eq!(verified().wrong, 0);
        let table = Table::open(data.path(), &game.spec(), values).expect("a table");
        let mut summary = table.summary().expect("counts").clone();
        let tiers = summary["tiers"].as_array_mut().expect("tiers").iter_mut();
        let row = tiers.flat_map(|tier| tier["first"].as_array_mut().expect("rows")).next().expect("a row");
        row[2] = (row[2].as_u64().expect("a count") + 1).into();
        let writer = Writer::open(data.path(), table.identity().clone()).expect("a table");
        writer.finish(summary).expect("room");
        let report = verified();
        let named = report.flaw.as_ref().is_some_and(|flaw| flaw.contains("manifest.json"));
        assert!(report.wrong > 0 && named, "{report:?}");
        fs::remove_file(data.path().join(table.name()).join("manifest.json")).expect("a manifest");
        solve(&session, &game, &request, &NoMonitor).expect("a small game");
        assert_eq!(verified().wrong, 0);
    }
}
