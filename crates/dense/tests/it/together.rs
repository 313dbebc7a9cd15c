//! Slabs dealt over ranks: the same values, counts and slots as one process, whatever happens on the way.

use crate::slabs::{Keep, Shelf, agree, falling};
use outplay_core::{Crew, LineBoard, Quiet, Team};
use outplay_dense::{DenseError, Depot, Options, Solution, solve};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

type Slots = BTreeMap<(usize, u64), i8>;

/// Every rank's answer, and the slots of all of them.
fn together(
    board: &LineBoard,
    options: &Options,
    shelves: &[Arc<Shelf>],
    keeps: &[Keep],
) -> Vec<Result<Solution, DenseError>> {
    std::thread::scope(|scope| {
        let rank = |crew: Arc<dyn Crew>| {
            let (depot, keep) = (shelves[crew.rank()].clone(), &keeps[crew.rank()]);
            let options = Options { crew: Some(crew), depot: Some(depot), ..options.clone() };
            scope.spawn(move || solve(board, &options, &Quiet, Some(keep)))
        };
        let ranks: Vec<_> = Team::of(shelves.len()).into_iter().map(rank).collect();
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
fn ranks_give_what_one_process_gives() {
    let boards = [
        (falling(4, 4, 4), Options::distance()),
        (falling(4, 4, 3), Options::wdl()),
        (LineBoard { misere: true, ..LineBoard::empty(4, 3, 3) }, Options::distance()),
    ];
    for (board, options) in boards {
        let options = Options { threads: 1, low: 4, ..options.with_counts() };
        let keep = Keep::default();
        let expected = solve(&board, &options, &Quiet, Some(&keep)).expect("a small board");
        for size in 1..=4 {
            for slab_bytes in [None, Some(0)] {
                let shelves: Vec<_> = (0..size).map(|_| Shelf::new()).collect();
                let keeps: Vec<_> = (0..size).map(|_| Keep::default()).collect();
                let options = Options { slab_bytes, ..options.clone() };
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
fn a_failed_rank_ends_all_and_others_go_on() {
    let board = falling(4, 4, 4);
    let options = Options { threads: 1, low: 5, slab_bytes: Some(0), ..Options::wdl().with_counts() };
    let keep = Keep::default();
    let expected = solve(&board, &Options { slab_bytes: None, ..options.clone() }, &Quiet, Some(&keep));
    let expected = expected.expect("a small board");
    let mut rng = SmallRng::seed_from_u64(3);
    for round in 0..4 {
        let mut shelves: Vec<_> = (0..3).map(|_| Shelf::new()).collect();
        let weak = round % 3;
        shelves[weak].most.store(rng.random_range(1..90), Relaxed);
        let keeps: Vec<_> = (0..3).map(|_| Keep::default()).collect();
        let failed = together(&board, &options, &shelves, &keeps);
        assert!(failed.iter().all(Result::is_err), "nobody hangs, nobody believes");
        // With two ranks, one of which takes over what the third had.
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
fn no_disk_will_do() {
    let board = falling(4, 4, 3);
    let options = Options { threads: 1, ..Options::distance().with_counts() };
    let expected = solve(&board, &options, &Quiet, None).expect("a small board");
    std::thread::scope(|scope| {
        for crew in Team::of(3) {
            let options = Options { crew: Some(crew), ..options.clone() };
            let (board, expected) = (&board, &expected);
            scope.spawn(move || agree(&solve(board, &options, &Quiet, None).expect("ranks agree"), expected));
        }
    });
}
