//! Damage detection: any change to the files causes a specific error with a remedy, never a wrong value or a panic.

use crate::common;

use common::{SPEC, check, codes, files, identity, write};
use outplay_core::Tier;
use outplay_runtime::{Monitor, NoMonitor};
use outplay_table::{Cell, Identity, Table, TableError, Values, Writer};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A table small enough to damage every byte of it.
const SLOTS: [u64; 4] = [1, 300, 1500, 8000];

fn made() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    write(dir.path(), &SLOTS).expect("writes");
    let table = dir.path().join(identity(&SLOTS).name());
    (dir, table)
}

/// Reads the whole table in every way; every value returned must be right.
fn read_everything(data: &Path, expected: &[Vec<i8>]) -> Vec<TableError> {
    let mut errors = Vec::new();
    let table = match Table::open(data, SPEC, Values::Distance) {
        Ok(table) => table,
        Err(error) => return vec![error],
    };
    errors.extend(table.check().err());
    for (i, codes) in expected.iter().enumerate() {
        let tier = Tier(i as u32);
        match table.read_tier::<i8>(tier) {
            Ok(found) => assert!(common::agrees(&found, codes), "wrong values in tier {i}"),
            Err(error) => errors.push(error),
        }
        for (slot, &code) in codes.iter().enumerate().step_by(61) {
            match table.code::<i8>(tier, slot as u64) {
                Ok(found) => assert!(code.is_unknown() || found == Some(code), "wrong value at {slot}"),
                Err(error) => errors.push(error),
            }
        }
    }
    errors
}

#[test]
fn every_flipped_byte_is_detected_and_no_wrong_value_returned() {
    let (dir, table) = made();
    let expected: Vec<Vec<i8>> = SLOTS.iter().enumerate().map(|(i, &slots)| codes(slots, i as u64)).collect();
    assert!(read_everything(dir.path(), &expected).is_empty());
    let mut flips = 0;
    for (name, bytes) in files(dir.path(), &identity(&SLOTS).name()) {
        let path = table.join(&name);
        for place in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[place] ^= [1, 0x80, 0xff, 0x10][place % 4];
            fs::write(&path, &bad).expect("writes");
            let errors = read_everything(dir.path(), &expected);
            assert!(!errors.is_empty(), "{name}: nobody noticed byte {place}");
            for error in errors {
                let text = format!("{error}; {}", error.cure());
                assert!(text.contains(&name) && text.contains("solve made:up,k=3"), "{text}");
                assert!(matches!(error, TableError::Damaged { .. }), "{text}");
            }
            flips += 1;
        }
        fs::write(&path, &bytes).expect("writes");
    }
    assert!(flips > 2000, "only {flips} bytes were tried");
    assert!(read_everything(dir.path(), &expected).is_empty());
}

#[test]
fn damage_in_one_block_leaves_the_others_readable() {
    let (dir, table) = made();
    let path = table.join("tier-03.opt");
    let mut bytes = fs::read(&path).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&path, &bytes).expect("writes");
    let table = Table::open(dir.path(), SPEC, Values::Distance).expect("opens");
    let codes = codes(SLOTS[3], 3);
    let answers: Vec<_> = (0..SLOTS[3]).map(|slot| table.code::<i8>(Tier(3), slot)).collect();
    let bad = answers.iter().filter(|answer| answer.is_err()).count();
    assert!(bad > 0 && bad < codes.len() / 2, "{bad} slots cannot be read");
    let errors: std::collections::HashSet<String> =
        answers.iter().filter_map(|answer| answer.as_ref().err()).map(ToString::to_string).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.into_iter().next().expect("one");
    assert!(error.starts_with("made-up,k=3/tier-03.opt: block "), "{error}");
    assert!(error.ends_with(" fails its checksum"), "{error}");
}

#[test]
fn truncated_and_lengthened_files_are_named() {
    let (dir, table) = made();
    let expected: Vec<Vec<i8>> = SLOTS.iter().enumerate().map(|(i, &slots)| codes(slots, i as u64)).collect();
    let path = table.join("tier-02.opt");
    let bytes = fs::read(&path).expect("reads");
    for length in (0..bytes.len()).step_by(37).chain([bytes.len() + 1, bytes.len() + 1000]) {
        let mut bad = bytes.clone();
        bad.resize(length, 0);
        fs::write(&path, &bad).expect("writes");
        let errors = read_everything(dir.path(), &expected);
        assert!(!errors.is_empty());
        for error in errors {
            assert!(matches!(error, TableError::Truncated { tier: Tier(2), .. }), "{error}");
            assert!(error.cure().to_string().contains("rebuild that tier"), "{}", error.cure());
        }
    }
    // A file that is truncated while it is open.
    fs::write(&path, &bytes).expect("writes");
    let open = Table::open(dir.path(), SPEC, Values::Distance).expect("opens");
    open.code::<i8>(Tier(2), 0).expect("reads");
    fs::OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(100)).expect("cuts");
    assert!(matches!(open.read_tier::<i8>(Tier(2)), Err(TableError::Truncated { .. })));
    // A file that was removed.
    fs::remove_file(&path).expect("removes");
    let error = read_everything(dir.path(), &expected).pop().expect("missing");
    assert!(matches!(error, TableError::NoTier { tier: Tier(2), .. }), "{error}");
    assert_eq!(error.to_string(), "made-up,k=3/tier-02.opt: this tier is missing");
}

/// Monitor that records stages, counts units, and cancels after some of them.
struct Supervisor {
    stages: Mutex<Vec<(String, u64)>>,
    done: AtomicU64,
    most: u64,
}

impl Monitor for Supervisor {
    fn stage(&self, name: &str, total: u64) {
        self.stages.lock().expect("no panic").push((name.into(), total));
    }
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }
    fn stopped(&self) -> bool {
        self.done.load(Relaxed) >= self.most
    }
}

#[test]
fn checking_shows_progress_and_can_be_stopped() {
    let (dir, table) = made();
    fs::remove_file(table.join("tier-02.opt")).expect("removes");
    let supervisor = |most| Supervisor { stages: Mutex::default(), done: AtomicU64::new(0), most };
    let there = SLOTS[0] + SLOTS[1] + SLOTS[3];
    for most in [0, SLOTS[0], SLOTS[0] + SLOTS[1]] {
        let error = Writer::open_with(dir.path(), identity(&SLOTS), &supervisor(most)).map(|_| ());
        let error = error.expect_err("stopped");
        assert!(matches!(error, TableError::Stopped { .. }), "{error}");
        assert!(error.cure().to_string().contains("to resume"), "{}", error.cure());
    }
    let patient = supervisor(u64::MAX);
    let writer = Writer::open_with(dir.path(), identity(&SLOTS), &patient).expect("opens");
    // A cancelled check changes nothing.
    assert!([0, 1, 3].into_iter().all(|tier| writer.has(Tier(tier))) && !writer.has(Tier(2)));
    assert_eq!(*patient.stages.lock().expect("no panic"), [("checking the table".to_string(), there)]);
    assert_eq!(patient.done.into_inner(), there);
    drop(writer);
    write(dir.path(), &SLOTS).expect("writes");
    let read = Table::open_as(dir.path(), &identity(&SLOTS)).expect("opens");
    assert!(matches!(read.check_with(&supervisor(1)), Err(TableError::Stopped { .. })));
    read.check_with(&supervisor(u64::MAX)).expect("is undamaged");
}

#[test]
fn writing_again_repairs_just_what_is_damaged() {
    let (dir, table) = made();
    let name = identity(&SLOTS).name();
    let expected = files(dir.path(), &name);
    let repair = |rewritten: &[u32]| {
        let writer = Writer::open(dir.path(), identity(&SLOTS)).expect("opens");
        let missing: Vec<u32> = (0..SLOTS.len() as u32).filter(|&tier| !writer.has(Tier(tier))).collect();
        assert_eq!(missing, rewritten);
        drop(writer);
        write(dir.path(), &SLOTS).expect("writes");
        assert_eq!(files(dir.path(), &name), expected);
        check(dir.path(), &SLOTS);
    };
    repair(&[]);
    let damage = |file: &str, place: usize| {
        let mut bytes = fs::read(table.join(file)).expect("reads");
        let place = place.min(bytes.len() - 1);
        bytes[place] ^= 1;
        fs::write(table.join(file), bytes).expect("writes");
    };
    damage("tier-01.opt", 20); // header
    repair(&[1]);
    damage("tier-03.opt", usize::MAX); // index
    repair(&[3]);
    damage("tier-03.opt", expected["tier-03.opt"].len() / 2); // a block
    repair(&[3]);
    fs::remove_file(table.join("tier-00.opt")).expect("removes");
    repair(&[0]);
    fs::write(table.join("tier-02.opt"), b"short").expect("writes");
    repair(&[2]);
    // Without its manifest, the table is reconstructed from its files.
    fs::remove_file(table.join("manifest.json")).expect("removes");
    repair(&[]);
    damage("manifest.json", 40);
    repair(&[]);
    fs::remove_file(table.join("manifest.json")).expect("removes");
    damage("tier-03.opt", expected["tier-03.opt"].len() / 2);
    repair(&[3]);
    // The file of another tier in place of one.
    fs::copy(table.join("tier-02.opt"), table.join("tier-01.opt")).expect("copies");
    repair(&[1]);
    fs::write(table.join("tmp-tier-01.opt"), b"left over").expect("writes");
    repair(&[]);
}

#[test]
fn another_game_format_or_nothing_under_the_name_is_one_sentence() {
    let (dir, table) = made();
    let open =
        |spec: &str| Table::open(dir.path(), spec, Values::Distance).map(|_| ()).expect_err("no table");
    let error = open("other:game");
    assert!(matches!(error, TableError::NoTable { .. }), "{error}");
    assert_eq!(error.cure().to_string(), "solve other:game to create it");

    fs::rename(&table, dir.path().join("other-game")).expect("renames");
    let error = open("other:game");
    assert!(matches!(error, TableError::OtherGame { .. }), "{error}");
    assert!(error.to_string().contains("`made:up,k=3`"), "{error}");
    let other = Identity { spec: "other:game".into(), ..identity(&SLOTS) };
    let error = Writer::open(dir.path(), other).map(|_| ()).expect_err("another game");
    assert!(matches!(error, TableError::OtherGame { .. }), "{error}");
    fs::rename(dir.path().join("other-game"), &table).expect("renames");

    let mut more = identity(&SLOTS);
    more.slots.push(5);
    let error = Writer::open(dir.path(), more).map(|_| ()).expect_err("other tiers");
    assert!(matches!(error, TableError::OtherGame { .. }), "{error}");

    let before = fs::read(table.join("manifest.json")).expect("reads");
    fs::write(table.join("manifest.json"), "{\"format\": 7}").expect("writes");
    let error = open(SPEC);
    assert!(matches!(error, TableError::Version { found: 7, .. }), "{error}");
    assert!(error.cure().to_string().contains("remove made-up,k=3"), "{}", error.cure());
    let error = Writer::open(dir.path(), identity(&SLOTS)).map(|_| ()).expect_err("another format");
    assert!(matches!(error, TableError::Version { found: 7, .. }), "{error}");
    fs::write(table.join("manifest.json"), before).expect("writes");
    check(dir.path(), &SLOTS);
}

/// A table of another version of the rules is an error to a reader, and its writer restarts it.
#[test]
fn a_table_of_other_rules_is_named_and_rebuilt() {
    let (dir, table) = made();
    let newer = Identity { version: 2, ..identity(&SLOTS) };
    let error = Table::open_as(dir.path(), &newer).map(|_| ()).expect_err("other rules");
    assert_eq!(error.to_string(), "made-up,k=3: this table was made by other rules (version 1, now 2)");
    assert_eq!(error.cure().to_string(), "solve made:up,k=3 to rebuild it");
    let writer = Writer::open(dir.path(), newer.clone()).expect("opens");
    assert!(!writer.complete());
    assert!((0..SLOTS.len() as u32).all(|tier| !writer.has(Tier(tier))), "nothing of it is taken over");
    drop(writer);
    let text = fs::read_to_string(table.join("manifest.json")).expect("reads");
    assert!(text.contains("\"version\": 2"), "{text}");
    // Without its manifest, the old files are still not the new table's.
    fs::remove_file(table.join("manifest.json")).expect("removes");
    let writer = Writer::open(dir.path(), newer).expect("opens");
    assert!((0..SLOTS.len() as u32).all(|tier| !writer.has(Tier(tier))));
    drop(writer);
    let error = Table::open_as(dir.path(), &identity(&SLOTS)).map(|_| ()).expect_err("other rules");
    assert!(matches!(error, TableError::OtherRules { found: 2, now: 1, .. }), "{error}");
}

#[test]
fn hostile_manifests_do_not_allocate() {
    let dir = tempfile::tempdir().expect("a directory");
    // The writer trusts its caller; the reader must not trust the file.
    let huge = identity(&[u64::MAX, 1 << 60]);
    let writer = Writer::open(dir.path(), huge.clone()).expect("opens");
    drop(writer);
    let table = Table::open(dir.path(), SPEC, Values::Distance).expect("opens");
    assert!(matches!(table.read_tier::<i8>(Tier(0)), Err(TableError::NoTier { .. })));
    assert!(matches!(table.code::<i8>(Tier(1), 1 << 59), Err(TableError::NoTier { .. })));
    let path = dir.path().join(huge.name()).join("manifest.json");
    fs::File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    let error = Table::open(dir.path(), SPEC, Values::Distance).map(|_| ()).expect_err("too large");
    assert!(matches!(error, TableError::Damaged { .. }), "{error}");
}

/// A tier of another table of the same game, valid and equally large, but not the one in the manifest.
#[test]
fn exchanged_tier_is_detected() {
    let made = |code: i8| {
        let dir = tempfile::tempdir().expect("a directory");
        let writer = Writer::open(dir.path(), identity(&[3])).expect("opens");
        let file = writer.tier::<i8>(Tier(0)).expect("begins");
        file.put_all(&[code; 3]).expect("writes");
        file.finish().expect("finishes");
        writer.finish(serde_json::json!({})).expect("finishes");
        dir
    };
    let path = |dir: &tempfile::TempDir| dir.path().join(identity(&[3]).name()).join("tier-00.opt");
    let (one, other) = (made(100), made(99));
    let sizes = [&one, &other].map(|dir| fs::metadata(path(dir)).expect("is there").len());
    assert_eq!(sizes[0], sizes[1], "another size would be noticed anyway");
    fs::copy(path(&other), path(&one)).expect("copies");
    let found =
        Table::open(one.path(), SPEC, Values::Distance).and_then(|table| table.read_tier::<i8>(Tier(0)));
    assert!(matches!(found, Err(TableError::Damaged { .. })), "{found:?}");
}

/// A large table is not read as a whole before every answer.
#[test]
fn large_table_is_checked_if_a_file_changed_or_damage_was_found() {
    let dir = tempfile::tempdir().expect("a directory");
    let slots = [6_000_000];
    let writer = Writer::open(dir.path(), identity(&slots)).expect("opens");
    let file = writer.tier::<i8>(Tier(0)).expect("opens");
    file.put_all(&(0..slots[0]).map(|slot| (slot * slot % 97) as i8).collect::<Vec<_>>()).expect("writes");
    file.finish().expect("finishes");
    writer.finish(serde_json::json!({})).expect("finishes");
    let table = || Table::open_as(dir.path(), &identity(&slots)).expect("opens");
    let path = dir.path().join(table().name()).join("tier-00.opt");
    let dated = |age: u64| {
        let file = std::fs::File::options().append(true).open(&path).expect("opens");
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age))
            .expect("is dated");
    };
    let mut bytes = std::fs::read(&path).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    let check = || table().check_if_changed(&NoMonitor);
    assert!(check().is_err(), "the file is newer than the manifest");
    dated(1000);
    check().expect("nothing has changed");
    assert!(table().read_tier::<i8>(Tier(0)).is_err());
    assert!(check().is_err(), "damage was found");
}
