//! Round trips: written values are read back.

use crate::common;

use common::{SPEC, agrees, check, codes, files, identity, write};
use outplay_core::Tier;
use outplay_runtime::Monitor;
use outplay_table::{Cell, CellKind, Identity, Table, TableError, TierWriter, Values, Writer, list, remove};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn tiers_of_all_sizes_round_trip() {
    let dir = tempfile::tempdir().expect("a directory");
    let slots = [0, 1, 2, 255, 256, 257, 1000, 4096, 16_385, 65_535, 65_536, 65_537, 300_000];
    write(dir.path(), &slots).expect("writes");
    check(dir.path(), &slots);
    // Probe by probe as well, from several threads.
    let table = Table::open(dir.path(), SPEC, Values::Distance).expect("opens");
    for (i, &slots) in slots.iter().enumerate() {
        let (tier, codes) = (Tier(i as u32), codes(slots, i as u64));
        let step = 1 + codes.len() / 20_000;
        codes.par_iter().enumerate().step_by(step).for_each(|(slot, &code)| {
            let found: Option<i8> = table.code(tier, slot as u64).expect("reads");
            assert!(code.is_unknown() || found == Some(code), "tier {i} slot {slot}");
        });
        let error = table.code::<i8>(tier, slots).expect_err("beyond the end");
        assert!(matches!(error, TableError::NoSlot { .. }), "{error}");
    }
    table.check().expect("is undamaged");
    assert!(matches!(table.code::<i8>(Tier(99), 0), Err(TableError::NoTier { .. })));
    assert!(matches!(table.code::<i32>(Tier(1), 0), Err(TableError::Misuse { .. })));
}

fn check_cells<C: Cell>(cells: &[C], most_bytes: u64) {
    let dir = tempfile::tempdir().expect("a directory");
    let identity = Identity {
        spec: "cells".into(),
        version: 1,
        values: Values::Expected,
        cell: C::KIND,
        slots: vec![cells.len() as u64],
    };
    let writer = Writer::open(dir.path(), identity.clone()).expect("opens");
    let tier: TierWriter<'_, C> = writer.tier(Tier(0)).expect("begins");
    tier.put_all(cells).expect("puts");
    tier.finish().expect("writes");
    let table = writer.table().expect("opens");
    assert!(!table.complete());
    assert!(agrees(&table.read_tier::<C>(Tier(0)).expect("reads"), cells));
    for (slot, &cell) in cells.iter().enumerate().step_by(97) {
        let found = table.code::<C>(Tier(0), slot as u64).expect("reads");
        assert!(cell.is_unknown() || found == Some(cell));
    }
    assert!(table.bytes() <= most_bytes, "{} bytes for {} cells", table.bytes(), cells.len());
}

#[test]
fn random_data_of_every_cell_type_round_trips() {
    let mut rng = SmallRng::seed_from_u64(11);
    check_cells::<i8>(&(0..200_000).map(|_| rng.random_range(-127..=127)).collect::<Vec<i8>>(), 210_000);
    check_cells::<i8>(&(0..200_000).map(|_| rng.random_range(-128..=127)).collect::<Vec<i8>>(), 215_000);
    check_cells::<i32>(&(0..90_000).map(|_| rng.random()).collect::<Vec<i32>>(), 362_000);
    check_cells::<i32>(&(0..90_000).map(|i| (i / 1000) * 1_000_003).collect::<Vec<i32>>(), 2_000);
    check_cells::<f64>(&(0..70_000).map(|_| rng.random()).collect::<Vec<f64>>(), 565_000);
    let sparse: Vec<f64> =
        (0..70_000).map(|i| if i % 7 == 0 { f64::from(i / 700) } else { f64::NAN }).collect();
    check_cells(&sparse, 4_000);
}

/// The symbols of a block can leave the rANS state where it began, with no word pushed; it is a valid block all the
/// same.
#[test]
fn blocks_that_take_next_to_nothing_are_not_lost() {
    const BLOCK: usize = 1 << 14;
    let mut cells = vec![i8::UNKNOWN; 481 * BLOCK];
    for (block, cells) in cells.chunks_mut(BLOCK).enumerate() {
        match block {
            0..469 => cells[0] = 1,
            469..471 => {
                cells[..8].fill(1);
                cells[8] = 2;
            }
            _ => cells[0] = 2,
        }
    }
    check_cells(&cells, 4_000 + 481 * 9);
}

#[test]
fn wins_draws_and_losses_without_order_take_little_more_than_their_entropy() {
    let mut rng = SmallRng::seed_from_u64(12);
    let cells: Vec<i8> = (0..1_000_000).map(|_| rng.random_range(-1..=1)).collect();
    // log2 3 = 1.585 bits each; runs of random values cost a little more than the values.
    check_cells(&cells, 235_000);
}

#[test]
fn dont_cares_cost_next_to_nothing() {
    check_cells(&vec![i8::UNKNOWN; 10_000_000], 1_000);
    check_cells(&vec![f64::NAN; 1_000_000], 1_000);
    // One value among millions of don't-cares.
    let mut cells = vec![i8::UNKNOWN; 10_000_000];
    cells[7_654_321] = 5;
    check_cells(&cells, 1_200);
}

#[test]
fn an_empty_table_can_be_finished() {
    let dir = tempfile::tempdir().expect("a directory");
    Writer::open(dir.path(), identity(&[])).expect("opens").finish(serde_json::Value::Null).expect("ends");
    assert!(Table::open(dir.path(), SPEC, Values::Distance).expect("opens").complete());
}

#[test]
fn files_depend_on_the_cells_alone() {
    let slots = [400_000];
    let reference = tempfile::tempdir().expect("a directory");
    write(reference.path(), &slots).expect("writes");
    let name = identity(&slots).name();
    let expected = files(reference.path(), &name);
    let codes = codes(slots[0], 0);
    for seed in 0..6 {
        let dir = tempfile::tempdir().expect("a directory");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + seed as usize).build().expect("a pool");
        pool.install(|| {
            let writer = Writer::open(dir.path(), identity(&slots)).expect("opens");
            let tier: TierWriter<'_, i8> = writer.tier(Tier(0)).expect("begins");
            // Cut anywhere, in any order; don't-cares need not be put.
            let mut rng = SmallRng::seed_from_u64(seed);
            let mut cuts: Vec<usize> = (0..200).map(|_| rng.random_range(0..codes.len())).collect();
            cuts.extend([0, 65_536, codes.len()]);
            cuts.sort_unstable();
            let mut parts: Vec<(usize, usize)> = cuts.windows(2).map(|cut| (cut[0], cut[1])).collect();
            parts.shuffle(&mut rng);
            parts.par_iter().for_each(|&(start, end)| {
                let part = &codes[start..end];
                let known = |code: &i8| !code.is_unknown();
                let first = part.iter().position(known).unwrap_or(part.len());
                let last = part.iter().rposition(known).map_or(first, |last| last + 1);
                tier.put((start + first) as u64, &part[first..last]).expect("puts");
            });
            tier.finish().expect("writes");
            writer.finish(serde_json::json!({"tiers": 1})).expect("ends");
        });
        assert_eq!(files(dir.path(), &name), expected, "seed {seed}");
    }
}

#[test]
fn misuse_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let writer = Writer::open(dir.path(), identity(&[100_000])).expect("opens");
    let misuse = |result: Result<(), TableError>| {
        assert!(matches!(result, Err(TableError::Misuse { .. })), "{result:?}");
    };
    let tier: TierWriter<'_, i8> = writer.tier(Tier(0)).expect("begins");
    misuse(tier.put(99_996, &[1; 5]));
    misuse(tier.put(u64::MAX, &[1; 5]));
    misuse(tier.put_all(&[1; 5]));
    tier.put(1000, &[1; 70_000]).expect("puts");
    tier.put(999, &[1; 2]).expect("puts");
    misuse(tier.finish());
    misuse(writer.tier::<i8>(Tier(1)).map(|_| ()));
    misuse(writer.tier::<i32>(Tier(0)).map(|_| ()));
    misuse(writer.finish(serde_json::Value::Null));
    // The unfinished tier leaves no files.
    assert_eq!(files(dir.path(), &identity(&[]).name()).keys().collect::<Vec<_>>(), ["manifest.json"]);
}

#[test]
fn monitor_sees_all_slots_and_can_cancel_a_tier() {
    struct Counter(AtomicU64, bool);
    impl Monitor for Counter {
        fn stage(&self, _name: &str, _total: u64) {}
        fn advance(&self, units: u64) {
            self.0.fetch_add(units, Ordering::Relaxed);
        }
        fn stopped(&self) -> bool {
            self.1
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    let writer = Writer::open(dir.path(), identity(&[300_000])).expect("opens");
    for stop in [true, false] {
        let watch = Counter(AtomicU64::new(0), stop);
        let tier: TierWriter<'_, i8> = writer.tier(Tier(0)).expect("begins");
        tier.put_all(&codes(300_000, 0)).expect("puts");
        let result = tier.finish_watched(&watch);
        assert_eq!(matches!(result, Err(TableError::Stopped { .. })), stop, "{result:?}");
        assert_eq!(result.is_ok(), !stop);
        assert_eq!(writer.has(Tier(0)), !stop);
        assert_eq!(watch.0.into_inner(), if stop { 0 } else { 300_000 });
        let there = files(dir.path(), writer.name()).len();
        assert_eq!(there, if stop { 1 } else { 2 });
    }
}

#[test]
fn tables_are_listed_and_removed() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path();
    assert!(list(&data.join("nowhere")).expect("lists").is_empty());
    write(data, &[10, 1000]).expect("writes");
    let half = Identity { values: Values::Wdl, ..identity(&[10, 1000]) };
    let writer = Writer::open(data, half.clone()).expect("opens");
    std::fs::create_dir(data.join("not-a-table")).expect("creates");
    std::fs::create_dir(data.join("damaged")).expect("creates");
    std::fs::write(data.join("damaged/manifest.json"), "{").expect("writes");
    let found = list(data).expect("lists");
    let names: Vec<&str> = found.iter().map(|listed| listed.name.as_str()).collect();
    assert_eq!(names, ["damaged", "made-up,k=3", "made-up,k=3.wdl"]);
    let trouble = found[0].table.as_ref().expect_err("is damaged");
    assert!(matches!(trouble, TableError::Damaged { .. }), "{trouble}");
    assert!(trouble.cure().to_string().contains("remove damaged"), "{}", trouble.cure());
    let whole = found[1].table.as_ref().expect("reads");
    assert!(whole.complete && whole.tiers_written == 2 && whole.summary.is_some());
    assert_eq!((whole.identity.spec.as_str(), whole.identity.cell), (SPEC, CellKind::I8));
    assert!(found[1].bytes > 200);
    let part = found[2].table.as_ref().expect("reads");
    assert!(!part.complete && part.tiers_written == 0 && part.summary.is_none());

    assert!(matches!(remove(data, "made-up,k=3.wdl"), Err(TableError::Locked { .. })));
    drop(writer);
    for name in ["made-up,k=3.wdl", "made-up,k=3", "damaged"] {
        remove(data, name).expect("removes");
    }
    for name in ["made-up,k=3", "not-a-table", "..", "../x", "", "/", "."] {
        assert!(matches!(remove(data, name), Err(TableError::NoTable { .. })), "{name}");
    }
    assert!(list(data).expect("lists").is_empty());
    assert!(data.join("not-a-table").is_dir());
}
