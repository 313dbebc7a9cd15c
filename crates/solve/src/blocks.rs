//! Work on all numbers of a tier: divided among threads, in pieces that keep the budget.
//!
//! ```text
//! tier ──▶ blocks of 32,768 numbers, one to a thread ──▶ pieces of a few milliseconds, a question before each
//! ```

use crate::SolveError;
use outplay_core::{Pace, Watch, threads};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Numbers that one thread takes at a time; a multiple of the bits in a word.
pub(crate) const BLOCK: u64 = 1 << 15;

/// Runs `work` on all numbers below `len`, on all threads if there is more than a block.
///
/// The work's type is hidden, here and wherever threads share work: each type of it would bring along a copy of the
/// machinery, for every game. What closures a generic function makes are types of their own, too.
///
/// # Errors
///
/// A stop.
pub(crate) fn for_blocks(
    len: u64,
    watch: &dyn Watch,
    work: impl Fn(Range<u64>) + Send + Sync,
) -> Result<(), SolveError> {
    share_blocks(len, watch, &work)
}

fn share_blocks(len: u64, watch: &dyn Watch, work: &(dyn Fn(Range<u64>) + Sync)) -> Result<(), SolveError> {
    let stop = Stop::new(watch);
    let block = |i: u64| stop.pieces(i * BLOCK..((i + 1) * BLOCK).min(len), &mut |piece| work(piece));
    threads::each(len.div_ceil(BLOCK) as usize, &|i| block(i as u64));
    stop.result()
}

/// Work on the codes from a number on.
type Part<'a, C> = dyn Fn(u64, &mut [C]) + Sync + 'a;

/// Runs `work` on all of a tier's codes, in the same way.
///
/// # Errors
///
/// A stop.
pub(crate) fn for_parts<C: Send>(
    codes: &mut [C],
    watch: &dyn Watch,
    work: impl Fn(u64, &mut [C]) + Sync,
) -> Result<(), SolveError> {
    share_parts(codes, watch, &work)
}

fn share_parts<C: Send>(codes: &mut [C], watch: &dyn Watch, work: &Part<'_, C>) -> Result<(), SolveError> {
    let stop = Stop::new(watch);
    threads::parts(codes, BLOCK as usize, &|i, codes| {
        stop.pieces(0..codes.len() as u64, &mut |piece| {
            let (from, range) = (i as u64 * BLOCK + piece.start, piece.start as usize..piece.end as usize);
            work(from, &mut codes[range]);
        });
    });
    stop.result()
}

/// What the threads know of each other: that one was told to stop, and how large a piece may be.
struct Stop<'a> {
    watch: &'a dyn Watch,
    stopped: AtomicBool,
    size: AtomicU64,
}

impl<'a> Stop<'a> {
    fn new(watch: &'a dyn Watch) -> Stop<'a> {
        Stop { watch, stopped: AtomicBool::new(false), size: AtomicU64::new(Pace::PIECE) }
    }

    fn pieces(&self, range: Range<u64>, work: &mut dyn FnMut(Range<u64>)) {
        if self.stopped.load(Relaxed) {
            return;
        }
        let mut size = self.size.load(Relaxed);
        if Pace::pieces_from(self.watch, range, &mut size, work) {
            self.stopped.store(true, Relaxed);
        }
        self.size.store(size.min(BLOCK), Relaxed);
    }

    fn result(self) -> Result<(), SolveError> {
        if self.stopped.into_inner() { Err(SolveError::Stopped) } else { Ok(()) }
    }
}

/// A list of `len` items, made without standing still for long.
///
/// # Errors
///
/// No memory, or a stop.
pub(crate) fn list<T>(
    len: u64,
    watch: &dyn Watch,
    mut make: impl FnMut(u64) -> T,
) -> Result<Vec<T>, SolveError> {
    let refused = || SolveError::NoMemory(len.saturating_mul(size_of::<T>() as u64));
    let mut items = Vec::new();
    items.try_reserve_exact(usize::try_from(len).map_err(|_| refused())?).map_err(|_| refused())?;
    if Pace::pieces(watch, 0..len, &mut |piece| items.extend(piece.map(&mut make))) {
        return Err(SolveError::Stopped);
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Quiet;

    struct Stopped;

    impl Watch for Stopped {
        fn stage(&self, _name: &str, _total: u64) {}
        fn advance(&self, _units: u64) {}
        fn stopped(&self) -> bool {
            true
        }
    }

    #[test]
    fn every_number_is_worked_on_once() {
        for len in [0, 1, 100, BLOCK, BLOCK + 1, 5 * BLOCK + 77] {
            let sum = AtomicU64::new(0);
            let add = |piece: Range<u64>| {
                sum.fetch_add(piece.sum(), Relaxed);
            };
            assert_eq!(for_blocks(len, &Quiet, add), Ok(()));
            assert_eq!(sum.into_inner(), (0..len).sum());
            let mut items = list(len, &Quiet, |n| n).unwrap();
            let double = |from: u64, part: &mut [u64]| {
                assert_eq!(part[0], from);
                part.iter_mut().for_each(|item| *item *= 2);
            };
            assert_eq!(for_parts(&mut items, &Quiet, double), Ok(()));
            assert!(items.into_iter().eq((0..len).map(|n| 2 * n)));
        }
    }

    #[test]
    fn who_is_stopped_does_nothing() {
        assert_eq!(for_blocks(9, &Stopped, |_| panic!("stopped")), Err(SolveError::Stopped));
        assert_eq!(for_parts(&mut [1], &Stopped, |_, _| panic!("stopped")), Err(SolveError::Stopped));
        assert_eq!(list(9, &Stopped, |n| n), Err(SolveError::Stopped));
        let much = list(1 << 62, &Quiet, |n| n);
        assert!(matches!(much, Err(SolveError::NoMemory(_))));
    }
}
