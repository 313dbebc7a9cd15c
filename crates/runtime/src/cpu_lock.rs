//! Priority lock around CPU-bound work: one thread of a process computes at a time, with all of the process's cores.
//!
//! Ranks (processes) that write a table together overlap two kinds of work, each on threads of its own: solving a tier,
//! and compressing the tier before. While one of them waits for another rank, the other one computes. Without the lock
//! both would compute at the same time, and the process would use twice its cores.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Priority lock around CPU-bound work.
#[derive(Debug, Default)]
pub struct CpuLock {
    state: Mutex<LockState>,
    free: Condvar,
}

#[derive(Debug, Default)]
struct LockState {
    taken: bool,
    /// Number of urgent waiters.
    urgent: usize,
}

/// Guard of a [`CpuLock`]; dropping it releases the lock.
#[derive(Debug)]
pub struct CpuGuard<'a>(&'a CpuLock);

impl CpuLock {
    /// Locks; urgent waiters come first.
    pub fn lock(&self) -> CpuGuard<'_> {
        let mut state = self.state();
        while state.taken || state.urgent > 0 {
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.taken = true;
        CpuGuard(self)
    }

    /// Locks ahead of all other waiters: for work that other ranks wait for.
    pub fn lock_urgent(&self) -> CpuGuard<'_> {
        let mut state = self.state();
        state.urgent += 1;
        while state.taken {
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.urgent -= 1;
        state.taken = true;
        CpuGuard(self)
    }

    fn wanted(&self) -> bool {
        self.state().urgent > 0
    }

    fn state(&self) -> MutexGuard<'_, LockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> CpuGuard<'a> {
    /// Releases the lock to urgent waiters, if there are any, and locks again.
    pub fn yield_to_urgent(self) -> CpuGuard<'a> {
        let lock = self.0;
        if !lock.wanted() {
            return self;
        }
        drop(self);
        lock.lock()
    }
}

impl Drop for CpuGuard<'_> {
    fn drop(&mut self) {
        self.0.state().taken = false;
        self.0.free.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    #[test]
    fn lock_is_exclusive() {
        let (lock, inside, turns) = (CpuLock::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (lock, inside, turns) = (&lock, &inside, &turns);
                scope.spawn(move || {
                    for _ in 0..200 {
                        let _held = if thread == 0 { lock.lock_urgent() } else { lock.lock() };
                        assert_eq!(inside.fetch_add(1, SeqCst), 0);
                        turns.fetch_add(1, SeqCst);
                        inside.fetch_sub(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 800);
    }

    #[test]
    fn urgent_waiters_come_first() {
        let (lock, order) = (CpuLock::default(), Mutex::new(Vec::new()));
        let come = |name, first: bool| {
            let _held = if first { lock.lock_urgent() } else { lock.lock() };
            order.lock().expect("no thread panicked").push(name);
        };
        std::thread::scope(|scope| {
            let held = lock.lock();
            let held = held.yield_to_urgent();
            scope.spawn(|| come("patient", false));
            std::thread::sleep(Duration::from_millis(20));
            scope.spawn(|| come("urgent", true));
            while !lock.wanted() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let held = held.yield_to_urgent();
            assert_eq!(order.lock().expect("no thread panicked")[0], "urgent");
            drop(held);
        });
        let mut order = order.into_inner().expect("no thread panicked");
        assert_eq!((order.len(), order.pop()), (2, Some("patient")));
    }
}
