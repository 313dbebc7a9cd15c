//! Room for deep recursion.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// How far a search can look ahead: each ply is a call, and even a large stack is finite.
pub const MOST_PLIES: u32 = 20_000;
/// Searches this deep run on the caller's stack.
pub(crate) const SHALLOW: u32 = 64;
/// Reserved, not used: memory is touched only as deep as the search goes.
const STACK_BYTES: usize = 128 << 20;

/// Moves kept of a best line: all plies of the path keep one, so that long ones would fill the memory.
pub(crate) const MOST_LINE: usize = 512;

/// A thread with a large stack.
fn large() -> thread::Builder {
    thread::Builder::new().stack_size(STACK_BYTES)
}

/// Runs `lead` beside `helpers` calls of `help`, each with its number from 1 on and a large stack; `led` is called as
/// soon as the lead is over. Their types are hidden, so that there is one copy of the machinery. If no thread can be
/// had for the lead, the caller's own stack has to do, without help.
pub(crate) fn with_helpers(
    helpers: usize,
    lead: &mut (dyn FnMut() + Send),
    led: &dyn Fn(),
    help: &(dyn Fn(usize) + Sync),
) {
    // A thread that cannot be started drops its work, so the lead is lent from here.
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

/// Runs `work`, which recurses up to `plies` deep, where there is room for it.
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

/// The same with the type of the work hidden, so that there is one copy of it.
fn on_large_stack(work: &mut (dyn FnMut() + Send)) {
    thread::scope(|scope| match large().spawn_scoped(scope, work) {
        Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        // Without threads there is no deep search either; the machine is out of memory.
        Err(error) => panic!("no thread can be started: {error}"),
    })
}
