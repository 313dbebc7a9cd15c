//! Parallel loops over the ranks of a tier, with cooperative cancellation.
//!
//! ```text
//! tier ──▶ blocks of 32,768 ranks, one per task ──▶ pieces of a few milliseconds, with a poll before each
//! ```

use crate::SolveError;
use crate::error::check_stop;
use outplay_runtime::{Monitor, Pace, threads};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Numbers per task; a multiple of the bits in a word.
pub(crate) const BLOCK: u64 = 1 << 15;

/// Runs `work` on all numbers below `len`, in parallel if there is more than one block.
///
/// The closure's type is erased here, as in `threads`: rayon's machinery would otherwise be compiled again for every
/// closure and every game.
///
/// # Errors
///
/// Cancellation.
pub(crate) fn for_blocks(
    len: u64,
    monitor: &dyn Monitor,
    work: impl Fn(Range<u64>) + Send + Sync,
) -> Result<(), SolveError> {
    share_blocks(len, monitor, &work)
}

fn share_blocks(
    len: u64,
    monitor: &dyn Monitor,
    work: &(dyn Fn(Range<u64>) + Sync),
) -> Result<(), SolveError> {
    let stop = Cancellation::new(monitor);
    let block = |i: u64| stop.pieces(i * BLOCK..((i + 1) * BLOCK).min(len), &mut |piece| work(piece));
    threads::each(len.div_ceil(BLOCK) as usize, &|i| block(i as u64));
    stop.result()
}

/// Work on the codes from a number on.
type CodeWork<'a, C> = dyn Fn(u64, &mut [C]) + Sync + 'a;

/// Runs `work` on all codes of a tier, in the same way.
///
/// # Errors
///
/// Cancellation.
pub(crate) fn for_parts<C: Send>(
    codes: &mut [C],
    monitor: &dyn Monitor,
    work: impl Fn(u64, &mut [C]) + Sync,
) -> Result<(), SolveError> {
    share_parts(codes, monitor, &work)
}

fn share_parts<C: Send>(
    codes: &mut [C],
    monitor: &dyn Monitor,
    work: &CodeWork<'_, C>,
) -> Result<(), SolveError> {
    let stop = Cancellation::new(monitor);
    threads::parts(codes, BLOCK as usize, &|i, codes| {
        stop.pieces(0..codes.len() as u64, &mut |piece| {
            let (from, range) = (i as u64 * BLOCK + piece.start, piece.start as usize..piece.end as usize);
            work(from, &mut codes[range]);
        });
    });
    stop.result()
}

/// State shared by the threads: whether one was cancelled, and the current size of a piece.
struct Cancellation<'a> {
    monitor: &'a dyn Monitor,
    stopped: AtomicBool,
    size: AtomicU64,
}

impl<'a> Cancellation<'a> {
    fn new(monitor: &'a dyn Monitor) -> Cancellation<'a> {
        Cancellation { monitor, stopped: AtomicBool::new(false), size: AtomicU64::new(Pace::PIECE) }
    }

    fn pieces(&self, range: Range<u64>, work: &mut dyn FnMut(Range<u64>)) {
        if self.stopped.load(Relaxed) {
            return;
        }
        let mut size = self.size.load(Relaxed);
        if Pace::pieces_from(self.monitor, range, &mut size, work) {
            self.stopped.store(true, Relaxed);
        }
        self.size.store(size.min(BLOCK), Relaxed);
    }

    fn result(self) -> Result<(), SolveError> {
        if self.stopped.into_inner() { Err(SolveError::Stopped) } else { Ok(()) }
    }
}

/// A list of `len` items, filled in pieces so that cancellation stays prompt.
///
/// # Errors
///
/// No memory, or cancellation.
pub(crate) fn list<T>(
    len: u64,
    monitor: &dyn Monitor,
    mut make: impl FnMut(u64) -> T,
) -> Result<Vec<T>, SolveError> {
    let refused = || SolveError::NoMemory(len.saturating_mul(size_of::<T>() as u64));
    let mut items = Vec::new();
    items.try_reserve_exact(usize::try_from(len).map_err(|_| refused())?).map_err(|_| refused())?;
    check_stop(Pace::pieces(monitor, 0..len, &mut |piece| items.extend(piece.map(&mut make))))?;
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;

    struct Stopped;

    impl Monitor for Stopped {
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
            assert_eq!(for_blocks(len, &NoMonitor, add), Ok(()));
            assert_eq!(sum.into_inner(), (0..len).sum());
            let mut items = list(len, &NoMonitor, |n| n).unwrap();
            let double = |from: u64, part: &mut [u64]| {
                assert_eq!(part[0], from);
                part.iter_mut().for_each(|item| *item *= 2);
            };
            assert_eq!(for_parts(&mut items, &NoMonitor, double), Ok(()));
            assert!(items.into_iter().eq((0..len).map(|n| 2 * n)));
        }
    }

    #[test]
    fn cancelled_work_does_nothing() {
        assert_eq!(for_blocks(9, &Stopped, |_| panic!("stopped")), Err(SolveError::Stopped));
        assert_eq!(for_parts(&mut [1], &Stopped, |_, _| panic!("stopped")), Err(SolveError::Stopped));
        assert_eq!(list(9, &Stopped, |n| n), Err(SolveError::Stopped));
        let much = list(1 << 62, &NoMonitor, |n| n);
        assert!(matches!(much, Err(SolveError::NoMemory(_))));
    }
}
