//! Room for deep recursion.

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
pub(crate) fn large() -> thread::Builder {
    thread::Builder::new().stack_size(STACK_BYTES)
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
