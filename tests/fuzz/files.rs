//! Small files that the program writes for itself or is given: kept results, labels, checkpoints, slabs, sums, openings.
//!
//! Invariant: a reader returns what was written, or rejects the damaged file and the value is recomputed.

use super::{Reader, mend, options, text};
use outplay::arena::opening;
use outplay::arena::tune::labels::{LabelFile, Sampling, labels, parse_labels};
use outplay::arena::tune::{Checkpoint, Setting, breed::Candidate};
use outplay::catalog::Catalog;
use outplay::core::Game;
use outplay::runtime::{Monitor, NoMonitor};
use outplay::table::{Identity, Table, Values, Writer, read_sums};
use outplay::workbench::export::{LabelRequest, Positions, count_partial, label};
use outplay::workbench::{PositionRef, Session};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// All files below a directory.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Limits, and no tables.
fn without_data() -> Session {
    let mut options = options();
    options.data = None;
    options
}

/// Results kept by a search of seconds, far above the 0.1 s from which results are kept. Within 5 ms nothing else can answer.
pub(super) fn kept_results(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    const GAME: &str = "connect4:6x6";
    let entry = Catalog::standard().open(GAME).unwrap();
    let data = tempfile::tempdir().unwrap();
    let place = PositionRef::Start;
    let mut asking = options();
    (asking.data, asking.recall, asking.keep) = (Some(data.path().into()), true, true);
    let known = outplay::workbench::query(&asking, &entry, &place, &NoMonitor).unwrap();
    let known = serde_json::to_value(&known).unwrap();
    let file = files(data.path()).into_iter().find(|path| path.is_file() && !path.ends_with("lock"));
    let file = file.expect("a search of this length is kept");
    let seed = fs::read(&file).unwrap();
    asking.keep = false;
    asking.time = Some(Duration::from_millis(5));
    let read = move |input: &[u8]| {
        let _data = &data;
        fs::write(&file, input).unwrap();
        let Ok(found) = outplay::workbench::query(&asking, &entry, &place, &NoMonitor) else { return true };
        let found = serde_json::to_value(&found).unwrap();
        let same = found["value"] == "unknown" || found["value"] == known["value"];
        assert!(same || !blind, "a damaged note is believed: {found}");
        let _ = outplay::workbench::count_kept(&entry, &mend::sealed(input));
        true
    };
    (vec![seed], Box::new(read))
}

/// Stops after so many steps.
struct Stops(AtomicU64);

impl Monitor for Stops {
    fn stage(&self, _name: &str, _total: u64) {}

    fn advance(&self, steps: u64) {
        self.0.fetch_sub(steps.min(self.0.load(Relaxed)), Relaxed);
    }

    fn stopped(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

/// What a run of `label` leaves that was stopped in the middle.
pub(super) fn partials(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    let entry = Catalog::standard().open("tictactoe").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sampling = Sampling { from: 2, to: 6, ..Sampling::default() };
    let out = folder.path().join("l.jsonl");
    let request = LabelRequest::new(Positions::Random { count: 20, sampling }, out.clone());
    let asking = without_data();
    label(&asking, &entry, &request, &NoMonitor).unwrap();
    let whole = fs::read(&out).unwrap();
    fs::remove_file(&out).unwrap();
    assert!(label(&asking, &entry, &request, &Stops(AtomicU64::new(10))).is_err());
    let partial = files(folder.path()).into_iter().find(|path| path.is_file()).expect("a partial file");
    let seed = fs::read(&partial).unwrap();
    let read = move |input: &[u8]| {
        fs::write(&partial, input).unwrap();
        let done = label(&asking, &entry, &request, &NoMonitor);
        if done.is_ok() {
            assert!(fs::read(&out).unwrap() == whole || !blind, "damaged labels are believed");
        }
        files(folder.path()).iter().for_each(|path| fs::remove_file(path).unwrap());
        let _ = count_partial(&entry, &request, &mend::sealed(input));
        true
    };
    (vec![seed], Box::new(read))
}

/// Labels that `tune` keeps.
pub(super) fn tune_labels(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    let entry = Catalog::standard().open("tictactoe").unwrap();
    let kit = outplay::workbench::kit(&without_data(), &entry);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("labels.txt");
    let sampling = Sampling { from: 2, to: 6, ..Sampling::default() };
    let found = move |file: &Path| {
        let file = LabelFile { path: file.to_path_buf(), own: true, limit: 1 << 20 };
        let found = labels(&kit, &sampling, 20, Some(&file), 1, &NoMonitor);
        found.ok().map(|labels| labels.into_iter().map(|label| label.payoffs).collect::<Vec<_>>())
    };
    let whole = found(&file);
    assert!(whole.is_some());
    let seed = fs::read(&file).unwrap();
    let read = move |input: &[u8]| {
        let _folder = &folder;
        fs::write(&file, input).unwrap();
        let again = found(&file);
        assert!(again.is_none() || again == whole || !blind, "damaged labels are believed");
        let _ = parse_labels(entry.game(), &sampling, &mend::sealed(input));
        true
    };
    (vec![seed], Box::new(read))
}

/// Checkpoints of `tune`.
pub(super) fn checkpoints(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.json");
    let candidates = [1.0, 2.5].map(|weight| {
        let json = serde_json::json!({ "weights": [weight, 100.0], "points": 1.5, "games": 3 });
        serde_json::from_value::<Candidate>(json).unwrap()
    });
    let game = Catalog::standard().open("connect4").unwrap();
    let setting = Setting::new(game.game(), "ga".into(), 2, 2, false);
    let whole = Checkpoint::new(candidates.to_vec(), None);
    whole.save(&file, &setting).unwrap();
    let seed = fs::read(&file).unwrap();
    let read = move |input: &[u8]| {
        let _folder = &folder;
        fs::write(&file, input).unwrap();
        if let Ok(Some(found)) = Checkpoint::load(&file, &setting, &NoMonitor) {
            assert!(found == whole || !blind, "a damaged checkpoint is believed");
        }
        let _ = Checkpoint::parse(&mend::sealed(input), &setting);
        true
    };
    (vec![seed], Box::new(read))
}

/// Slabs that a long solve puts aside.
pub(super) fn slabs(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    let data = tempfile::tempdir().unwrap();
    let identity = Identity { slots: vec![5], ..small_identity() };
    let writer = Writer::open(data.path(), identity).unwrap();
    let bytes = |number: u32| vec![number as u8; 40 + number as usize];
    let stash = writer.stash().unwrap();
    (0..3).for_each(|number| stash.put("values-01", number, &bytes(number)).unwrap());
    drop(stash);
    let file =
        files(data.path()).into_iter().find(|path| path.to_string_lossy().ends_with(".slabs")).unwrap();
    let seed = fs::read(&file).unwrap();
    let read = move |input: &[u8]| {
        let _data = &data;
        fs::write(&file, input).unwrap();
        let Ok(stash) = writer.stash() else { return true };
        for number in 0..3 {
            if let Ok(Some(found)) = stash.get("values-01", number) {
                assert!(found == bytes(number) || !blind, "a damaged slab is believed");
            }
        }
        true
    };
    (vec![seed], Box::new(read))
}

/// The identity of some small table.
fn small_identity() -> Identity {
    let data = tempfile::tempdir().unwrap();
    let mut request = outplay::workbench::SolveRequest::default();
    request.store = true;
    let session = Session::at(data.path());
    outplay::workbench::solve(
        &session,
        &Catalog::standard().open("mnk:2x2,k=2").unwrap(),
        &request,
        &NoMonitor,
    )
    .unwrap();
    Table::open(data.path(), "mnk:2x2,k=2", Values::Distance).unwrap().identity().clone()
}

/// Published sums.
pub(super) fn sums(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let seed =
        format!("{}  tictactoe/tier-05.opt\n{} *tictactoe/manifest.json\n", "0f".repeat(32), "A9".repeat(32));
    let read = |input: &[u8]| {
        let text = text(input);
        if let Ok(sums) = read_sums(&text) {
            assert!(sums.iter().all(|sum| sum.sum.len() == 64));
        }
        true
    };
    (vec![seed.into_bytes()], Box::new(read))
}

/// Lists of openings.
pub(super) fn openings(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let entry = Catalog::standard().open("connect4:5x4").unwrap();
    let kit = outplay::workbench::kit(&without_data(), &entry);
    let start = kit.game.start().unwrap();
    let read = move |input: &[u8]| {
        let lines: Vec<String> = text(input).lines().map(str::to_string).collect();
        if let Ok(found) = opening::listed(&kit, &start, &lines, 4) {
            assert!(found.iter().all(|opening| kit.game.outcome(&opening.pos).is_none()));
        }
        true
    };
    (vec![b"# openings\n3 3\n1,2,3\n\n54\n".to_vec()], Box::new(read))
}
