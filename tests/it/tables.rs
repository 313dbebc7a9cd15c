//! Tables as a user meets them: a kill at any moment, damage, wrong values, strange directories.

use crate::shell;

use outplay::games::mnk::{Mnk, MnkIndex, Rules};
use outplay::solve::{canonical, settled};
use outplay_core::laws::random_play;
use outplay_core::{Index, Tier};
use outplay_table::{Table, Values, Writer};
use shell::{command, json, outplay, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const GAME: &str = "connect4:5x4";
const NAME: &str = "connect4-5x4";

/// The files of a table without the lock.
fn files(data: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(data.join(NAME)).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    named
        .filter(|(name, _)| !name.contains("lock"))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    let whole = tempfile::tempdir().unwrap();
    assert!(outplay(whole.path(), &["solve", GAME]).status.success());
    let wanted = files(whole.path());
    let data = tempfile::tempdir().unwrap();
    let mut killed = 0;
    for round in 0..40u64 {
        let mut child = command(data.path(), &["solve", GAME])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(3 + 17 * round % 230));
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        if round % 8 == 7 {
            // Begin anew now and then, so that early moments are met too.
            fs::remove_dir_all(data.path().join(NAME)).ok();
        }
    }
    assert!(killed > 10, "the solver was too quick to be killed: {killed}");
    assert!(outplay(data.path(), &["solve", GAME]).status.success());
    assert_eq!(files(data.path()).keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
    for (name, bytes) in files(data.path()) {
        assert!(wanted[&name] == bytes, "{name} differs from that of an uninterrupted run");
    }
}

#[test]
fn sweep_and_dense_tables_answer_alike() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let game = "connect:4x4,k=3,obstacles=b1";
    for (data, method) in [(one.path(), "sweep"), (two.path(), "dense")] {
        assert!(outplay(data, &["solve", game, "--method", method]).status.success());
        let report = json(data, &["verify", game]);
        assert_eq!(report["wrong"], 0);
        let stats = json(data, &["stats", game]);
        assert_eq!(stats["positions"]["legal"], report["checked"]);
    }
    let tiers = |data| json(data, &["stats", game])["tiers"].clone();
    assert_eq!(tiers(one.path()), tiers(two.path()));
}

#[test]
fn damage_is_named_with_its_cure_and_mended() {
    let data = tempfile::tempdir().unwrap();
    assert!(outplay(data.path(), &["solve", GAME]).status.success());
    let file = data.path().join(NAME).join("tier-12.opt");
    let good = fs::read(&file).unwrap();
    for place in [0, 40, good.len() / 3, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[place] ^= 0x10;
        fs::write(&file, &bad).unwrap();
        let output = outplay(data.path(), &["verify", GAME]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "byte {place}: {error}");
        assert!(
            error.contains("connect4-5x4/tier-12.opt") && error.contains("outplay solve connect4:5x4"),
            "{error}"
        );
    }
    fs::write(&file, &good[..good.len() - 7]).unwrap();
    let error = text(&outplay(data.path(), &["verify", GAME]).stderr);
    assert!(error.contains("tier-12.opt") && !error.contains("panicked"), "{error}");
    // The cure works, and the file comes out as it was.
    assert!(outplay(data.path(), &["solve", GAME]).status.success());
    assert_eq!(fs::read(&file).unwrap(), good);
    assert!(outplay(data.path(), &["verify", GAME]).status.success());
}

/// The slot of a position that the table must hold: not settled by the rules, and first of its images.
fn stored_slot() -> (Tier, u64) {
    let game: Mnk<u64> = Mnk::new(Rules::parse(GAME).unwrap()).unwrap();
    let index = MnkIndex::new(&game).unwrap();
    let mut found = None;
    random_play(&game, 50, 3, |pos| {
        let (tier, slot) = index.rank(pos);
        let stored = settled(&game, pos, &mut Vec::new()).is_none()
            && canonical(&game, &index, pos, &mut Vec::new()) == (tier, slot);
        if tier == Tier(9) && stored {
            found = Some((tier, slot));
        }
    });
    found.unwrap()
}

/// A table with right checksums and one wrong value.
#[test]
fn a_forged_value_is_found_and_its_position_named() {
    let (honest, forged) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(outplay(honest.path(), &["solve", GAME]).status.success());
    let table = Table::open(honest.path(), GAME, Values::Distance).unwrap();
    let writer = Writer::open(forged.path(), table.identity().clone()).unwrap();
    let (wrong_tier, wrong_slot) = stored_slot();
    for t in 0..table.identity().slots.len() as u32 {
        let mut codes: Vec<i8> = table.read_tier(Tier(t)).unwrap();
        if Tier(t) == wrong_tier {
            let code = &mut codes[wrong_slot as usize];
            *code = if *code == 0 { 100 } else { -*code };
        }
        let file = writer.tier(Tier(t)).unwrap();
        file.put_all(&codes).unwrap();
        file.finish().unwrap();
    }
    writer.finish(table.summary().unwrap().clone()).unwrap();
    let output = outplay(forged.path(), &["verify", GAME, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["wrong"].as_u64().unwrap() >= 1);
    let position = report["first_wrong"].as_str().unwrap();
    let stones = position.chars().filter(|c| "xo".contains(*c)).count();
    assert!(stones == 8 || stones == 9, "{position}");
}

#[test]
fn a_second_writer_is_turned_away() {
    let data = tempfile::tempdir().unwrap();
    assert!(outplay(data.path(), &["solve", GAME]).status.success());
    let identity = Table::open(data.path(), GAME, Values::Distance).unwrap().identity().clone();
    // A complete table is only read; there must be something to write.
    fs::remove_file(data.path().join(NAME).join("tier-03.opt")).unwrap();
    let writer = Writer::open(data.path(), identity).unwrap();
    let output = outplay(data.path(), &["solve", GAME]);
    assert_eq!(output.status.code(), Some(3), "it is not known yet, and no check failed");
    assert!(text(&output.stderr).contains("is writing this table"), "{}", text(&output.stderr));
    drop(writer);
    assert!(outplay(data.path(), &["solve", GAME]).status.success());
}

#[test]
fn strange_directories_are_one_sentence() {
    let data = tempfile::tempdir().unwrap();
    let check = |words: &[&str], data: &Path, part: &str| {
        let output = outplay(data, words);
        let error = text(&output.stderr);
        assert!(!output.status.success(), "{words:?}");
        assert!(
            error.starts_with("error: ") && error.contains(part) && !error.contains("panicked"),
            "{error}"
        );
    };
    check(&["verify", GAME], data.path(), "there is no such table");
    check(&["stats", GAME], data.path(), "there is no such table");
    check(&["bench", "probe", GAME], data.path(), "there is no such table");
    check(&["tables", "--remove", "nothing"], data.path(), "nothing");
    let file = data.path().join("file");
    fs::write(&file, "not a directory").unwrap();
    check(&["solve", GAME], &file, "file");
    check(&["solve", GAME], Path::new("/proc/nowhere"), "/proc");
    // The table of another game under this one's name.
    assert!(outplay(data.path(), &["solve", "connect4:4x4"]).status.success());
    fs::rename(data.path().join("connect4-4x4"), data.path().join(NAME)).unwrap();
    check(&["solve", GAME], data.path(), "this table holds `connect4:4x4`");
    check(&["query", GAME], data.path(), "this table holds `connect4:4x4`");
}

#[test]
fn tables_are_listed_and_removed() {
    let data = tempfile::tempdir().unwrap();
    assert!(outplay(data.path(), &["solve", "tictactoe"]).status.success());
    assert!(outplay(data.path(), &["solve", "tictactoe", "--values", "wdl"]).status.success());
    let listed = json(data.path(), &["tables"]);
    assert_eq!(listed["tables"].as_array().unwrap().len(), 2);
    let second = json(data.path(), &["solve", "tictactoe"]);
    assert_eq!((&second["method"], &second["table"]["found"]), (&"table".into(), &true.into()));
    let wdl = json(data.path(), &["verify", "tictactoe", "--values", "wdl"]);
    assert_eq!((&wdl["checked"], &wdl["wrong"]), (&5478.into(), &0.into()));
    assert!(outplay(data.path(), &["tables", "--remove", "tictactoe"]).status.success());
    let listed = json(data.path(), &["tables"]);
    assert_eq!(listed["tables"].as_array().unwrap().len(), 1);
}

/// The files of all tables in a data directory, locks left out.
fn all_files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let inside = |dir: PathBuf| fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().path());
    let files = inside(data.into()).flat_map(inside).filter(|path| path.is_file() && !path.ends_with("lock"));
    files.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// Runs the first command of the cure that was printed, as a shell reads it.
fn follow_cure(failed: &Output) -> String {
    let error = text(&failed.stderr);
    let cure = error.split('`').find(|part| part.starts_with("outplay "));
    let cure = cure.unwrap_or_else(|| panic!("no cure: {error}")).to_string();
    let programs = Path::new(env!("CARGO_BIN_EXE_outplay")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &cure]).env("PATH", path).env("OUTPLAY_DATA", "/proc/nowhere").stdin(Stdio::null());
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{cure}: {}", text(&output.stderr));
    cure
}

/// Damages files of `table`, which belongs to the tables of `game`; each cure that a command prints makes them whole.
fn cured(game: &str, values: &[&str], position: &[&str], table: &str, most: usize) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("it's data");
    let place = ["--data", data.to_str().unwrap()];
    let run = |word: &str| {
        // A query takes whichever values there are.
        let words = if word == "query" { position } else { values };
        outplay(dir.path(), &[&[word, game], words, &place].concat())
    };
    let solved = run("solve");
    assert!(solved.status.success(), "{}", text(&solved.stderr));
    let whole = all_files(&data);
    let files: Vec<_> = whole.iter().filter(|(path, _)| path.starts_with(data.join(table))).collect();
    assert!(files.len() > 1, "{table}: {:?}", whole.keys());
    let step = files.len().div_ceil(most);
    for (path, bytes) in files.into_iter().rev().step_by(step) {
        for (word, must) in [("verify", true), ("stats", false), ("query", false)] {
            let mut bad = bytes.clone();
            let place = bad.len() - 1 - bad.len() / 3;
            bad[place] ^= 0x20;
            fs::write(path, &bad).unwrap();
            let output = run(word);
            // Statistics and single positions need not read the damaged bytes, and games with dice have no statistics.
            if !must && output.status.code() != Some(1) {
                assert!(!text(&output.stderr).contains("checksum"), "{}", text(&output.stderr));
                fs::write(path, bytes).unwrap();
                continue;
            }
            assert_eq!(output.status.code(), Some(1), "{word} {}: {}", path.display(), text(&output.stderr));
            let cure = follow_cure(&output);
            assert_eq!(cure.contains("--values wdl"), values.contains(&"wdl"), "{cure}");
            let (now, again) = (all_files(&data), run("verify"));
            assert!(again.status.success(), "{cure}: {}", text(&again.stderr));
            let differs: Vec<_> = whole.keys().filter(|path| now.get(*path) != whole.get(*path)).collect();
            assert!(differs.is_empty(), "{word}, then {cure}: {differs:?}");
        }
    }
}

#[test]
fn the_cure_that_is_printed_mends_the_table() {
    cured("connect4:4x4", &[], &[], "connect4-4x4", 4);
    cured("connect4:4x4", &["--values", "wdl"], &[], "connect4-4x4.wdl", 4);
    cured("nim:2+3+4", &["--values", "wdl"], &[], "nim-2+3+4.wdl", 3);
    cured("piglet:5", &[], &[], "piglet-5.expected", 3);
    cured("morris:tapatan", &[], &[], "morris-tapatan", 2);
    cured("morris:tapatan", &["--values", "wdl"], &[], "morris-tapatan.wdl", 2);
}

#[test]
fn the_cure_for_an_ending_that_an_ending_leads_to_mends_it() {
    let rook = ["--position", "7k/8/8/8/8/8/8/KR6 w - - 0 1"];
    cured("chess:KRK", &["--values", "wdl"], &rook, "chess-KK.wdl", 2);
    // The queen can take the rook.
    let queen = ["--position", "7k/7r/8/8/8/8/8/KQ6 w - - 0 1"];
    cured("chess:KQKR", &[], &queen, "chess-KQK", 1);
}
