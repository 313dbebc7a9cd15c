//! Out-of-core solves give the values, counts and slots of in-memory ones, after kills too.

use outplay_bitplane::{
    BitplaneOptions, DenseError, Part, Sink, SlabBytes, SlabKey, SlabStore, Slots, Solution, plan, solve,
};
use outplay_core::{Content, LineBoard, Turn};
use outplay_runtime::{Monitor, NoMonitor};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// In-memory slab store that fails after a number of calls.
#[derive(Debug)]
pub(crate) struct TestStore {
    pub(crate) slabs: Mutex<BTreeMap<SlabKey, SlabBytes>>,
    pub(crate) puts: AtomicUsize,
    pub(crate) most: AtomicUsize,
}

impl TestStore {
    pub(crate) fn new() -> Arc<TestStore> {
        Arc::new(TestStore {
            slabs: Mutex::default(),
            puts: AtomicUsize::new(0),
            most: AtomicUsize::new(usize::MAX),
        })
    }
}

impl SlabStore for TestStore {
    fn has(&self, key: SlabKey) -> bool {
        self.slabs.lock().expect("no panic").contains_key(&key)
    }
    fn get(&self, key: SlabKey) -> Result<SlabBytes, String> {
        self.slabs.lock().expect("no panic").get(&key).cloned().ok_or_else(|| format!("{key:?} is not there"))
    }
    fn put(&self, key: SlabKey, bytes: SlabBytes) -> Result<(), String> {
        if self.puts.fetch_add(1, Relaxed) >= self.most.load(Relaxed) {
            return Err("the disk is full".into());
        }
        self.slabs.lock().expect("no panic").insert(key, bytes);
        Ok(())
    }
    fn forget(&self, part: Part, tier: usize) -> Result<(), String> {
        self.slabs.lock().expect("no panic").retain(|key, _| key.part != part || key.tier != tier);
        Ok(())
    }
    fn keys(&self) -> Vec<SlabKey> {
        self.slabs.lock().expect("no panic").keys().copied().collect()
    }
    fn bytes(&self) -> (u64, u64) {
        let now = self.slabs.lock().expect("no panic").values().map(|bytes| bytes.len() as u64).sum();
        (now, now)
    }
}

/// Sink that stores the defined slots.
#[derive(Default)]
pub(crate) struct Keep {
    pub(crate) slots: Mutex<BTreeMap<(usize, u64), i8>>,
    pub(crate) ended: Mutex<Vec<usize>>,
}

impl Sink for Keep {
    fn wants(&self, tier: usize) -> bool {
        !self.ended.lock().expect("no panic").contains(&tier)
    }
    fn put(&self, slots: Slots<'_>) -> Result<(), String> {
        let mut all = self.slots.lock().expect("no panic");
        for (slot, &code) in (slots.first()..).zip(slots.codes).filter(|(_, code)| **code != i8::MIN) {
            all.insert((slots.tier, slot), code);
        }
        Ok(())
    }
    fn end(&self, tier: usize) -> Result<(), String> {
        self.ended.lock().expect("no panic").push(tier);
        Ok(())
    }
}

fn same(board: &LineBoard, options: &BitplaneOptions) {
    let keep = Keep::default();
    let expected = solve(board, options, &NoMonitor, Some(&keep)).expect("a small board");
    for slab_bytes in [0, 700, 1 << 20] {
        let fresh = || BitplaneOptions {
            slabs: true,
            depot: Some(TestStore::new()),
            slab_bytes: Some(slab_bytes),
            ..options.clone()
        };
        assert!(plan(board, &fresh(), true).expect("a plan").slabwise());
        let slabs = Keep::default();
        agree(&solve(board, &fresh(), &NoMonitor, Some(&slabs)).expect("slabs"), &expected);
        assert_eq!(*slabs.slots.lock().expect("no panic"), *keep.slots.lock().expect("no panic"));
        agree(&solve(board, &fresh(), &NoMonitor, None).expect("slabs"), &expected);
    }
}

pub(crate) fn agree(found: &Solution, expected: &Solution) {
    assert_eq!(found.verdict, expected.verdict);
    assert_eq!(found.value, expected.value);
    assert_eq!(found.best, expected.best);
    assert_eq!(found.counts, expected.counts);
}

pub(crate) fn falling(width: usize, height: usize, k: usize) -> LineBoard {
    LineBoard { gravity: true, ..LineBoard::empty(width, height, k) }
}

#[test]
fn out_of_core_equals_in_memory() {
    for values in [BitplaneOptions::wdl(), BitplaneOptions::distance()] {
        for threads in [1, 2] {
            let options = BitplaneOptions { threads, low: 3, ..values.clone().with_counts() };
            same(&falling(4, 4, 4), &options);
            same(&falling(5, 3, 3), &options);
            same(&LineBoard::empty(3, 3, 3), &options);
            same(&LineBoard { misere: true, ..falling(3, 4, 3) }, &options);
        }
        same(&falling(5, 4, 4), &values.with_counts());
    }
}

#[test]
fn low_memory_limit_solves_out_of_core() {
    let board = falling(6, 5, 4);
    let options = BitplaneOptions {
        memory: Some(400_000_000),
        slabs: true,
        depot: Some(TestStore::new()),
        threads: 2,
        ..BitplaneOptions::distance().with_counts()
    };
    let slabs = plan(&board, &options, true).expect("slabs fit");
    assert!(slabs.slabwise() && slabs.peak_bytes <= 400_000_000, "{}", slabs.peak_bytes);
    let alone = BitplaneOptions { slabs: false, ..options };
    assert!(matches!(plan(&board, &alone, true), Err(DenseError::Memory { .. })));
}

#[test]
fn random_boards_agree() {
    let mut rng = SmallRng::seed_from_u64(11);
    for round in 0..60 {
        let (width, height) = (rng.random_range(2..=4), rng.random_range(2..=4));
        let mut board = LineBoard::empty(width, height, rng.random_range(2..=4));
        board.gravity = rng.random_bool(0.6);
        board.misere = rng.random_bool(0.3);
        for cell in board.cells.iter_mut() {
            if rng.random_bool(0.15) {
                *cell = [Content::Blocked, Content::First, Content::Second][rng.random_range(0..3)];
            }
        }
        if rng.random_bool(0.3) {
            board.turn = Turn::Second;
        }
        let free = board.cells.iter().filter(|&&cell| cell == Content::Empty).count();
        if free > 12 && !board.gravity {
            continue;
        }
        let values = if round % 2 == 0 { BitplaneOptions::wdl() } else { BitplaneOptions::distance() };
        let options = BitplaneOptions { low: [1, 3, 12][round % 3], threads: 1, ..values.with_counts() };
        same(&board, &options);
    }
}

/// Monitor that cancels after a number of polls.
struct Patience(AtomicUsize);

impl Monitor for Patience {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
    fn stopped(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn stopped_solve_resumes() {
    let board = falling(5, 4, 4);
    let options = BitplaneOptions { threads: 1, low: 5, ..BitplaneOptions::wdl().with_counts() };
    let keep = Keep::default();
    let expected = solve(&board, &options, &NoMonitor, Some(&keep)).expect("a small board");
    let mut rng = SmallRng::seed_from_u64(2);
    for _ in 0..6 {
        let shelf = TestStore::new();
        let options = BitplaneOptions {
            slabs: true,
            depot: Some(shelf.clone()),
            slab_bytes: Some(0),
            ..options.clone()
        };
        let slabs = Keep::default();
        let mut stops = 0;
        let found = loop {
            // Alternate between a cancellation and a full disk.
            let full = rng.random_bool(0.5);
            let left = if full { rng.random_range(1..600) } else { usize::MAX };
            shelf.most.store(shelf.puts.load(Relaxed).saturating_add(left), Relaxed);
            let patience = if full { usize::MAX } else { rng.random_range(20..2000) };
            match solve(&board, &options, &Patience(AtomicUsize::new(patience)), Some(&slabs)) {
                Ok(found) => break found,
                Err(DenseError::Stopped) => stops += 1,
                Err(DenseError::SlabStore { why }) => {
                    assert_eq!(why, "the disk is full");
                    stops += 1;
                }
                Err(other) => panic!("{other}"),
            }
        };
        assert!(stops > 1, "nothing was interrupted");
        agree(&found, &expected);
        assert_eq!(*slabs.slots.lock().expect("no panic"), *keep.slots.lock().expect("no panic"));
        // A tier lost afterwards depends on discarded slabs: all of them are recomputed.
        slabs.ended.lock().expect("no panic").retain(|&tier| tier != 9);
        slabs.slots.lock().expect("no panic").retain(|&(tier, _), _| tier != 9);
        shelf.most.store(usize::MAX, Relaxed);
        agree(&solve(&board, &options, &NoMonitor, Some(&slabs)).expect("slabs"), &expected);
        assert_eq!(*slabs.slots.lock().expect("no panic"), *keep.slots.lock().expect("no panic"));
    }
}

#[test]
fn damaged_slabs_are_errors() {
    let board = falling(4, 4, 4);
    let options = BitplaneOptions { threads: 1, ..BitplaneOptions::wdl().with_counts() };
    let mut rng = SmallRng::seed_from_u64(3);
    for _ in 0..40 {
        let shelf = TestStore::new();
        let options = BitplaneOptions {
            slabs: true,
            depot: Some(shelf.clone()),
            slab_bytes: Some(0),
            ..options.clone()
        };
        shelf.most.store(rng.random_range(20..70), Relaxed);
        assert!(matches!(solve(&board, &options, &NoMonitor, None), Err(DenseError::SlabStore { .. })));
        {
            let mut slabs = shelf.slabs.lock().expect("no panic");
            let planes = |key: &SlabKey| !matches!(key.part, Part::ReachCensus | Part::ValueCensus);
            let keys: Vec<SlabKey> = slabs.keys().copied().filter(planes).collect();
            let slab = slabs.get_mut(&keys[rng.random_range(0..keys.len())]).expect("a slab");
            let mut bytes = slab.to_vec();
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..2) {
                0 => bytes.truncate(at),
                _ => bytes[at] ^= 1 << rng.random_range(0..8),
            }
            *slab = bytes.into();
        }
        shelf.most.store(usize::MAX, Relaxed);
        // Checksums are the store's task; here it is enough that nothing panics.
        match solve(&board, &options, &NoMonitor, None) {
            Ok(_) | Err(DenseError::SlabStore { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn slabs_of_another_layout_are_discarded() {
    let board = falling(4, 4, 4);
    let options = BitplaneOptions { threads: 1, low: 3, ..BitplaneOptions::distance().with_counts() };
    let keep = Keep::default();
    let expected = solve(&board, &options, &NoMonitor, Some(&keep)).expect("a small board");
    for puts in [1, 5, 20, 60, 100] {
        let shelf = TestStore::new();
        let cut = |slab_bytes: u64| BitplaneOptions {
            slabs: true,
            depot: Some(shelf.clone()),
            slab_bytes: Some(slab_bytes),
            ..options.clone()
        };
        let slabs = Keep::default();
        shelf.most.store(puts, Relaxed);
        assert!(solve(&board, &cut(0), &NoMonitor, Some(&slabs)).is_err());
        shelf.most.store(usize::MAX, Relaxed);
        agree(&solve(&board, &cut(3000), &NoMonitor, Some(&slabs)).expect("slabs"), &expected);
        assert_eq!(*slabs.slots.lock().expect("no panic"), *keep.slots.lock().expect("no panic"));
    }
}
