//! Several ranks that write one table produce the bytes of a single process.

use crate::common::{codes, files, identity, write};
use outplay_core::Tier;
use outplay_runtime::{Communicator, LocalCommunicator, NoMonitor};
use outplay_table::{Cell, CellKind, Identity, TableError, TierWriter, Values, Writer};
use std::path::Path;
use std::sync::Arc;

/// Ranges of slots with the rank that puts them, of odd sizes.
fn dealt(slots: u64, ranks: u64) -> Vec<(u64, u64, u64)> {
    let (mut parts, mut at, mut i) = (Vec::new(), 0, 0u64);
    while at < slots {
        let end = (at + 1 + (i * 7919) % 50_000).min(slots);
        parts.push((at, end, i % ranks));
        (at, i) = (end, i + 1);
    }
    parts
}

fn write_share(data: &Path, slots: &[u64], crew: &Arc<dyn Communicator>) -> Result<(), TableError> {
    let writer = Writer::open_together(data, identity(slots), crew, &NoMonitor)?;
    for (i, &slots) in slots.iter().enumerate().rev() {
        let tier = Tier(i as u32);
        if writer.has(tier) {
            continue;
        }
        let file: TierWriter<'_, i8> = writer.tier(tier)?;
        let codes = codes(slots, i as u64);
        for (from, to, rank) in dealt(slots, crew.size() as u64) {
            if rank == crew.rank() as u64 {
                file.put(from, &codes[from as usize..to as usize])?;
            }
        }
        file.finish()?;
    }
    writer.finish(serde_json::json!({"tiers": slots.len()}))
}

fn together<T: Send>(size: usize, work: impl Fn(Arc<dyn Communicator>) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let members: Vec<_> =
            LocalCommunicator::of(size).into_iter().map(|crew| scope.spawn(move || work(crew))).collect();
        members.into_iter().map(|member| member.join().expect("no panic")).collect()
    })
}

#[test]
fn files_equal_those_of_one_process() {
    let slots = [0, 1, 300, 65_536, 65_537, 1_000_000];
    let alone = tempfile::tempdir().expect("a directory");
    write(alone.path(), &slots).expect("writes");
    let name = identity(&slots).name();
    let expected = files(alone.path(), &name);
    for size in 1..=4 {
        let dir = tempfile::tempdir().expect("a directory");
        together(size, |crew| write_share(dir.path(), &slots, &crew).expect("writes"));
        assert!(files(dir.path(), &name) == expected, "{size} ranks");
    }
}

#[test]
fn ranks_may_have_separate_directories() {
    let slots = [70_000, 3];
    let alone = tempfile::tempdir().expect("a directory");
    write(alone.path(), &slots).expect("writes");
    let name = identity(&slots).name();
    let dirs: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a directory")).collect();
    together(3, |crew| write_share(dirs[crew.rank()].path(), &slots, &crew).expect("writes"));
    assert!(files(dirs[0].path(), &name) == files(alone.path(), &name));
    assert!(files(dirs[1].path(), &name).is_empty());
}

#[test]
fn raw_cells_are_encoded_together_too() {
    let cells: Vec<f64> =
        (0..200_000u32).map(|n| if n % 5 == 0 { f64::NAN } else { f64::from(n).sqrt() }).collect();
    let (spec, values) = ("means".to_string(), Values::Expected);
    let identity =
        Identity { spec, version: 1, values, cell: CellKind::F64, slots: vec![cells.len() as u64] };
    let store = |data: &Path, crew: Option<&Arc<dyn Communicator>>| -> Result<(), TableError> {
        let writer = match crew {
            Some(crew) => Writer::open_together(data, identity.clone(), crew, &NoMonitor)?,
            None => Writer::open(data, identity.clone())?,
        };
        let file: TierWriter<'_, f64> = writer.tier(Tier(0))?;
        let (rank, size) = crew.map_or((0, 1), |crew| (crew.rank(), crew.size()));
        for (from, to, of) in dealt(cells.len() as u64, size as u64) {
            if of == rank as u64 {
                file.put(from, &cells[from as usize..to as usize])?;
            }
        }
        file.finish()?;
        writer.finish(serde_json::json!({}))
    };
    assert!(cells[0].is_unknown());
    let (one, three) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    store(one.path(), None).expect("writes");
    together(3, |crew| store(three.path(), Some(&crew)).expect("writes"));
    assert!(files(one.path(), &identity.name()) == files(three.path(), &identity.name()));
}

#[test]
fn lock_and_double_put_errors_reach_all_ranks() {
    let dir = tempfile::tempdir().expect("a directory");
    let held = Writer::open(dir.path(), identity(&[9])).expect("opens");
    let refused =
        together(3, |crew| Writer::open_together(dir.path(), identity(&[9]), &crew, &NoMonitor).is_err());
    assert_eq!(refused, [true; 3]);
    drop(held);
    let refused = together(2, |crew| {
        let writer = Writer::open_together(dir.path(), identity(&[9]), &crew, &NoMonitor).expect("opens");
        let file: TierWriter<'_, i8> = writer.tier(Tier(0)).expect("begins");
        file.put(crew.rank() as u64, &[1, 2, 3]).expect("room");
        file.finish().is_err()
    });
    assert_eq!(refused, [true; 2]);
}
