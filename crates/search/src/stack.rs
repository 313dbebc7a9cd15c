//! Threads with large stacks, for searches that recurse deeply.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Maximum depth of a search: each ply is a recursive call, and even a large stack is finite.
pub const MOST_PLIES: u32 = 20_000;
/// Searches this deep run on the caller's stack.
pub(crate) const SHALLOW: u32 = 64;
/// Virtual memory: pages are touched only as deep as the search recurses.
const STACK_BYTES: usize = 128 << 20;

/// Maximum length of a stored principal variation: every ply of the path keeps one, so memory is quadratic.
pub(crate) const MOST_LINE: usize = 512;

/// Builder of a thread with a large stack.
fn large() -> thread::Builder {
    thread::Builder::new().stack_size(STACK_BYTES)
}

/// Runs `lead` on a large stack beside `helpers` calls of `help`, numbered from 1; `led` is called as soon as
/// the lead returns. The closures are trait objects, so this code is compiled once. If the lead's thread cannot
/// be started, the lead runs on the caller's stack without helpers.
pub(crate) fn with_helpers(
    helpers: usize,
    lead: &mut (dyn FnMut() + Send),
    led: &dyn Fn(),
    help: &(dyn Fn(usize) + Sync),
) {
    // A failed spawn drops its closure, so the lead is borrowed through a mutex.
    let lead = Mutex::new(lead);
    let run = || (lead.lock().unwrap_or_else(PoisonError::into_inner))();
    thread::scope(|scope| {
        let Ok(leader) = large().spawn_scoped(scope, run) else { return run() };
        let handles: Vec<_> =
            (1..=helpers).filter_map(|n| large().spawn_scoped(scope, move || help(n)).ok()).collect();
        let over = leader.join();
        led();
        for over in handles.into_iter().map(thread::ScopedJoinHandle::join).chain([over]) {
            over.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// Runs `work`, which recurses up to `plies` deep, on a stack that is large enough.
pub(crate) fn with_room<T: Send>(plies: u32, work: impl FnOnce() -> T + Send) -> T {
    if plies <= SHALLOW {
        return work();
    }
    let mut result = None;
    let (mut work, slot) = (Some(work), &mut result);
    on_large_stack(&mut || *slot = work.take().map(|work| work()));
    match result {
        Some(result) => result,
        None => unreachable!("the work was done or has panicked"),
    }
}

/// Runs a trait object on a large stack, so this code is compiled once.
fn on_large_stack(work: &mut (dyn FnMut() + Send)) {
    thread::scope(|scope| match large().spawn_scoped(scope, work) {
        Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        // If no thread can be started, the machine is out of memory.
        Err(error) => panic!("cannot start a thread: {error}"),
    })
}
