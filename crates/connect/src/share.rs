//! Parallel search: simplified ABDADA (Kerrigan 2017, after Weill 1996).
//!
//! All threads run the same search on the same transposition table. A thread defers a move that another thread
//! is searching and tries the remaining moves first; when it returns to the deferred move, the result is
//! usually in the table. The first thread that finishes the root search raises a flag that stops the others.
//!
//! As in Kerrigan's version, the marks of positions being searched live in a small lossy table of their own
//! rather than in the transposition table.

use crate::table::TranspositionTable;
use outplay_index::Bits;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// State shared by all threads of a search.
pub(crate) struct SearchContext<'a> {
    pub(crate) table: &'a TranspositionTable,
    /// The positions being searched; `None` with one thread.
    pub(crate) busy: Option<&'a BusyTable>,
    pub(crate) signal: &'a StopSignal,
    pub(crate) nodes: &'a AtomicU64,
    pub(crate) node_limit: u64,
    pub(crate) monitor: &'a dyn outplay_runtime::Monitor,
}

/// Flags that end the search on all threads.
#[derive(Default)]
pub(crate) struct StopSignal(AtomicU8);

impl StopSignal {
    /// A thread has finished the current null-window search.
    pub(crate) const ANSWERED: u8 = 1;
    /// A limit or the monitor ended the search.
    pub(crate) const GAVE_UP: u8 = 2;

    /// Clears the flags before the next null-window search.
    pub(crate) fn reset(&self) {
        self.0.store(0, Relaxed);
    }

    /// Whether a limit or the monitor ended the search.
    pub(crate) fn gave_up(&self) -> bool {
        self.0.load(Relaxed) & StopSignal::GAVE_UP != 0
    }

    pub(crate) fn raised(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    pub(crate) fn raise(&self, why: u8) {
        self.0.fetch_or(why, Relaxed);
    }
}

/// Hash table of the positions being searched, which spreads the threads over the tree.
///
/// A slot holds the hash of a position that a thread has entered; other threads defer that move. Slots are
/// overwritten without synchronisation: a lost mark only means that two threads search the same subtree.
pub(crate) struct BusyTable(Vec<AtomicU64>);

impl BusyTable {
    const SLOTS: usize = 1 << 12;

    pub(crate) fn new() -> BusyTable {
        BusyTable((0..BusyTable::SLOTS).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn slot<B: Bits>(&self, key: B) -> (&AtomicU64, u64) {
        let mixed = (key.wide() ^ (key.wide() >> 64)) as u64;
        let mixed = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (&self.0[(mixed >> 52) as usize], mixed | 1)
    }
}
