//! Work for all threads of the present pool, compiled once whatever the work is.
//!
//! ```text
//!  each      a piece of work for every number
//!  try_each  the same, until one fails
//!  map       what every number leads to, in order
//!  parts     a list in pieces, each with the number of the piece
//! ```
//!
//! A parallel iterator is compiled anew for every closure and every game that it is used with; here the closure is
//! behind a pointer, and a piece of work should be worth more than calling it.

use rayon::prelude::*;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Does a piece of work for every number below `count`.
pub fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    match count {
        0 | 1 => (0..count).for_each(work),
        _ => (0..count).into_par_iter().for_each(work),
    }
}

/// Does a piece of work for every number below `count`; pieces that were not begun when one failed are left out.
///
/// # Errors
///
/// The first failure, in time.
pub fn try_each<E: Send + Sync>(
    count: usize,
    work: &(dyn Fn(usize) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let failure = OnceLock::new();
    each(count, &|i| {
        if failure.get().is_none() {
            // Whoever fails second has nothing to add.
            let _ = work(i).map_err(|error| failure.set(error));
        }
    });
    failure.into_inner().map_or(Ok(()), Err)
}

/// What every number below `count` leads to.
pub fn map<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    parts(&mut found, 1, &|i, place| place[0] = Some(work(i)));
    found.into_iter().flatten().collect()
}

/// Works on a list in pieces of `size`, the last one shorter; each comes with its number.
pub fn parts<T: Send>(list: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let pieces: Vec<Mutex<&mut [T]>> = list.chunks_mut(size).map(Mutex::new).collect();
    // Nobody else asks for a piece: the lock is there to say so.
    each(pieces.len(), &|i| work(i, &mut pieces[i].lock().unwrap_or_else(PoisonError::into_inner)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn every_number_has_its_turn_once() {
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
    fn a_failure_is_told() {
        let failed = try_each(1000, &|i| if i == 500 { Err(i) } else { Ok(()) });
        assert_eq!(failed, Err(500));
        assert_eq!(try_each(1000, &|_| Ok::<(), u8>(())), Ok(()));
    }
}
