//! Crash consistency, state by state: every write truncated at every byte, with or without the rename,
//! with zeros in place of unwritten data, with an older manifest or a lost tier. From each state the next writer
//! completes the table to the same bytes, and until then a reader never takes it for complete.

use crate::common;

use common::{SPEC, check, codes, files, identity, write};
use outplay_core::Tier;
use outplay_table::{Table, TierWriter, Values, Writer};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SLOTS: [u64; 4] = [3, 150, 700, 40];

type Files = BTreeMap<String, Vec<u8>>;

fn directory() -> tempfile::TempDir {
    // An in-memory file system is as good as a disk here, and faster.
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory")
}

/// The files after every step of writing; each step publishes one file.
fn history() -> Vec<Files> {
    let data = directory();
    let name = identity(&SLOTS).name();
    let writer = Writer::open(data.path(), identity(&SLOTS)).expect("opens");
    let mut history = vec![Files::new(), files(data.path(), &name)];
    for (i, &slots) in SLOTS.iter().enumerate().rev() {
        let before = files(data.path(), &name);
        let file: TierWriter<'_, i8> = writer.tier(Tier(i as u32)).expect("begins");
        file.put_all(&codes(slots, i as u64)).expect("writes");
        file.finish().expect("finishes");
        let after = files(data.path(), &name);
        // The tier is published first, then the manifest that names it.
        let mut between = after.clone();
        between.insert("manifest.json".into(), before["manifest.json"].clone());
        history.extend([between, after]);
    }
    writer.finish(serde_json::json!({"tiers": SLOTS.len()})).expect("finishes");
    history.push(files(data.path(), &name));
    history
}

/// Every state that a crash during these steps may leave.
fn states(history: &[Files]) -> Vec<Files> {
    let mut states = Vec::new();
    for step in history.windows(2) {
        let (before, after) = (&step[0], &step[1]);
        let Some((name, bytes)) = after.iter().find(|(name, bytes)| before.get(*name) != Some(bytes)) else {
            continue;
        };
        for cut in 0..=bytes.len() {
            let zeros = [&bytes[..cut], &vec![0; bytes.len() - cut]].concat();
            for written in [bytes[..cut].to_vec(), zeros] {
                // Under its temporary name, beside the earlier files.
                let mut state = before.clone();
                state.insert(format!("tmp-{name}"), written.clone());
                states.push(state);
                // The disk kept the name and lost the data.
                let mut state = before.clone();
                state.insert(name.clone(), written);
                states.push(state);
            }
        }
        // The disk kept this step and lost one before it.
        for lost in before.keys() {
            let mut state = after.clone();
            state.remove(lost);
            states.push(state);
        }
        // The disk kept the tiers and an older manifest.
        for old in history.iter().filter_map(|files| files.get("manifest.json")) {
            let mut state = after.clone();
            state.insert("manifest.json".into(), old.clone());
            states.push(state);
        }
    }
    states
}

fn lay_out(data: &Path, state: &Files) {
    let dir = data.join(identity(&SLOTS).name());
    fs::create_dir_all(&dir).expect("creates");
    for (name, bytes) in state {
        fs::write(dir.join(name), bytes).expect("writes");
    }
}

fn each(stride: usize) -> usize {
    let history = history();
    let whole = history.last().expect("an end");
    let states = states(&history);
    assert!(states.len() >= 10_000, "{}", states.len());
    let name = identity(&SLOTS).name();
    for state in states.iter().step_by(stride) {
        let data = directory();
        lay_out(data.path(), state);
        if let Ok(table) = Table::open(data.path(), SPEC, Values::Distance)
            && table.complete()
            && table.check().is_ok()
        {
            check(data.path(), &SLOTS);
        }
        write(data.path(), &SLOTS).expect("goes on");
        assert!(files(data.path(), &name) == *whole, "{:?}", state.keys());
    }
    states.len().div_ceil(stride)
}

#[test]
fn crash_states_are_completed_to_the_same_bytes() {
    assert!(each(41) > 200);
}

#[test]
#[ignore = "takes minutes"]
fn every_crash_state_is_completed_to_the_same_bytes() {
    assert!(each(1) >= 10_000);
}
