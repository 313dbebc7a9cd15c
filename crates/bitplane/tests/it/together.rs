//! Distributed solves give the values, counts and slots of one process, after failures too.

use crate::slabs::{Keep, TestStore, agree, falling};
use outplay_bitplane::{BitplaneOptions, DenseError, SlabStore, Solution, solve};
use outplay_core::LineBoard;
use outplay_runtime::{Communicator, LocalCommunicator, NoMonitor};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

type Slots = BTreeMap<(usize, u64), i8>;

/// The solution of every rank, and the slots of all of them.
fn together(
    board: &LineBoard,
    options: &BitplaneOptions,
    shelves: &[Arc<TestStore>],
    keeps: &[Keep],
) -> Vec<Result<Solution, DenseError>> {
    std::thread::scope(|scope| {
        let rank = |crew: Arc<dyn Communicator>| {
            let (depot, keep) = (shelves[crew.rank()].clone(), &keeps[crew.rank()]);
            let options = BitplaneOptions { crew: Some(crew), depot: Some(depot), ..options.clone() };
            scope.spawn(move || solve(board, &options, &NoMonitor, Some(keep)))
        };
        let ranks: Vec<_> = LocalCommunicator::of(shelves.len()).into_iter().map(rank).collect();
        ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

fn slots(keeps: &[Keep]) -> Slots {
    let mut all = Slots::new();
    for keep in keeps {
        for (&slot, &code) in &*keep.slots.lock().expect("no panic") {
            assert_eq!(all.insert(slot, code), None, "a slot was put twice");
        }
    }
    all
}

#[test]
fn distributed_solve_equals_one_process() {
    let boards = [
        (falling(4, 4, 4), BitplaneOptions::distance()),
        (falling(4, 4, 3), BitplaneOptions::wdl()),
        (LineBoard { misere: true, ..LineBoard::empty(4, 3, 3) }, BitplaneOptions::distance()),
    ];
    for (board, options) in boards {
        let options = BitplaneOptions { threads: 1, low: 4, ..options.with_counts() };
        let keep = Keep::default();
        let expected = solve(&board, &options, &NoMonitor, Some(&keep)).expect("a small board");
        for size in 1..=4 {
            for slab_bytes in [None, Some(0)] {
                let shelves: Vec<_> = (0..size).map(|_| TestStore::new()).collect();
                let keeps: Vec<_> = (0..size).map(|_| Keep::default()).collect();
                let options = BitplaneOptions { slab_bytes, ..options.clone() };
                for found in together(&board, &options, &shelves, &keeps) {
                    let found = found.expect("ranks agree");
                    agree(&found, &expected);
                    assert_eq!(found.balance.expect("told").busy.len(), size);
                }
                assert!(slots(&keeps) == *keep.slots.lock().expect("no panic"), "{size} ranks");
                let shares: Vec<u64> = shelves.iter().map(|shelf| shelf.puts.load(Relaxed) as u64).collect();
                assert!(shares.iter().all(|&puts| puts > 0), "everybody works: {shares:?}");
            }
        }
    }
}

#[test]
fn failed_rank_stops_all_and_fewer_ranks_resume() {
    let board = falling(4, 4, 4);
    let options =
        BitplaneOptions { threads: 1, low: 5, slab_bytes: Some(0), ..BitplaneOptions::wdl().with_counts() };
    let keep = Keep::default();
    let expected =
        solve(&board, &BitplaneOptions { slab_bytes: None, ..options.clone() }, &NoMonitor, Some(&keep));
    let expected = expected.expect("a small board");
    let mut rng = SmallRng::seed_from_u64(3);
    for round in 0..4 {
        let mut shelves: Vec<_> = (0..3).map(|_| TestStore::new()).collect();
        let weak = round % 3;
        shelves[weak].most.store(rng.random_range(1..90), Relaxed);
        let keeps: Vec<_> = (0..3).map(|_| Keep::default()).collect();
        let failed = together(&board, &options, &shelves, &keeps);
        assert!(failed.iter().all(Result::is_err), "nobody hangs, nobody believes");
        // With two ranks, one of which adopts the slabs of the third.
        let lost = shelves.pop().expect("three");
        let mut taken = std::mem::take(&mut *lost.slabs.lock().expect("no panic"));
        shelves[0].slabs.lock().expect("no panic").append(&mut taken);
        shelves.iter().for_each(|shelf| shelf.most.store(usize::MAX, Relaxed));
        let before: usize = shelves.iter().map(|shelf| shelf.keys().len()).sum();
        let keeps: Vec<_> = (0..2).map(|_| Keep::default()).collect();
        for found in together(&board, &options, &shelves, &keeps) {
            agree(&found.expect("ranks agree"), &expected);
        }
        assert!(slots(&keeps) == *keep.slots.lock().expect("no panic"), "after {before} parts");
    }
}

#[test]
fn ranks_recompute_lost_slabs() {
    let board = falling(4, 4, 4);
    let options = BitplaneOptions {
        threads: 1,
        low: 5,
        slab_bytes: Some(0),
        ..BitplaneOptions::distance().with_counts()
    };
    let keep = Keep::default();
    let expected =
        solve(&board, &BitplaneOptions { slab_bytes: None, ..options.clone() }, &NoMonitor, Some(&keep));
    let expected = expected.expect("a small board");
    let mut rng = SmallRng::seed_from_u64(8);
    for round in 0..6 {
        let shelves: Vec<_> = (0..2).map(|_| TestStore::new()).collect();
        shelves[round % 2].most.store(rng.random_range(20..200), Relaxed);
        let keeps: Vec<_> = (0..2).map(|_| Keep::default()).collect();
        assert!(together(&board, &options, &shelves, &keeps).iter().any(Result::is_err));
        for _ in 0..rng.random_range(1..6) {
            let mut slabs = shelves[rng.random_range(0..2)].slabs.lock().expect("no panic");
            let keys: Vec<_> = slabs.keys().copied().collect();
            slabs.remove(&keys[rng.random_range(0..keys.len())]);
        }
        shelves.iter().for_each(|shelf| shelf.most.store(usize::MAX, Relaxed));
        let keeps: Vec<_> = (0..2).map(|_| Keep::default()).collect();
        for found in together(&board, &options, &shelves, &keeps) {
            agree(&found.expect("ranks agree"), &expected);
        }
        assert!(slots(&keeps) == *keep.slots.lock().expect("no panic"), "round {round}");
    }
}

#[test]
fn ranks_without_a_disk_keep_slabs_in_memory() {
    let board = falling(4, 4, 3);
    let options = BitplaneOptions { threads: 1, ..BitplaneOptions::distance().with_counts() };
    let expected = solve(&board, &options, &NoMonitor, None).expect("a small board");
    std::thread::scope(|scope| {
        for crew in LocalCommunicator::of(3) {
            let options = BitplaneOptions { crew: Some(crew), ..options.clone() };
            let (board, expected) = (&board, &expected);
            scope.spawn(move || {
                agree(&solve(board, &options, &NoMonitor, None).expect("ranks agree"), expected)
            });
        }
    });
}
