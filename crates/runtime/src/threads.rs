//! Type-erased parallel loops on the current rayon pool, compiled once for all closures.
//!
//! ```text
//!  each      calls a closure for every index
//!  try_each  the same, until one fails
//!  map       the results for every index, in order
//!  parts     a slice in chunks, each with its index
//! ```
//!
//! A rayon iterator is monomorphized for every closure and every game. Here the closure is a `dyn` reference, so an
//! item of work should cost much more than an indirect call.

use rayon::prelude::*;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Calls `work` for every index below `count`.
pub fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    match count {
        0 | 1 => (0..count).for_each(work),
        _ => (0..count).into_par_iter().for_each(work),
    }
}

/// Calls `work` for every index below `count`; calls that have not begun when one fails are skipped.
///
/// # Errors
///
/// The first failure in time.
pub fn try_each<E: Send + Sync>(
    count: usize,
    work: &(dyn Fn(usize) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let failure = OnceLock::new();
    each(count, &|i| {
        if failure.get().is_none() {
            // Later failures are dropped.
            let _ = work(i).map_err(|error| failure.set(error));
        }
    });
    failure.into_inner().map_or(Ok(()), Err)
}

/// Returns the results for every index below `count`, in order.
pub fn map<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    parts(&mut found, 1, &|i, place| place[0] = Some(work(i)));
    found.into_iter().flatten().collect()
}

/// Calls `work` for every chunk of `size` items, with its index; the last chunk may be shorter.
pub fn parts<T: Send>(list: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let pieces: Vec<Mutex<&mut [T]>> = list.chunks_mut(size).map(Mutex::new).collect();
    // The lock is never contended: it only makes the exclusive access safe.
    each(pieces.len(), &|i| work(i, &mut pieces[i].lock().unwrap_or_else(PoisonError::into_inner)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn every_index_is_called_once() {
        for count in [0, 1, 2, 77, 1000] {
            let sum = AtomicU64::new(0);
            each(count, &|i| _ = sum.fetch_add(1 + i as u64 * 10_000, Relaxed));
            let n = count as u64;
            assert_eq!(sum.into_inner(), n + 10_000 * (n * n.saturating_sub(1) / 2));
            assert_eq!(map(count, &|i| 3 * i), (0..count).map(|i| 3 * i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_list_is_worked_on_piece_by_piece() {
        let mut list: Vec<usize> = (0..1000).collect();
        parts(&mut list, 7, &|i, piece| {
            assert_eq!(piece[0], 7 * i);
            piece.iter_mut().for_each(|x| *x += i);
        });
        assert!(list.iter().enumerate().all(|(i, &x)| x == i + i / 7));
        parts(&mut [] as &mut [u8], 3, &|_, _| unreachable!());
    }

    #[test]
    fn a_failure_is_returned() {
        let failed = try_each(1000, &|i| if i == 500 { Err(i) } else { Ok(()) });
        assert_eq!(failed, Err(500));
        assert_eq!(try_each(1000, &|_| Ok::<(), u8>(())), Ok(()));
    }
}
