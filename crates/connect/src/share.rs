//! How the threads of one search know of each other.
//!
//! All run the same search on the same table. A thread that comes to a move which another one is busy
//! with tries the other moves first; by the time it comes back, the answer is usually in the table.
//! Who answers the question first tells the others to stop.

use crate::table::Table;
use outplay_index::Bits;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// What all threads of a search share.
pub(crate) struct Shared<'a> {
    pub(crate) table: &'a Table,
    /// The positions other threads are at; `None` with one thread.
    pub(crate) busy: Option<&'a Busy>,
    pub(crate) signal: &'a Signal,
    pub(crate) nodes: &'a AtomicU64,
    pub(crate) node_limit: u64,
    pub(crate) watch: &'a dyn outplay_core::Watch,
}

/// Why the threads should end what they do.
#[derive(Default)]
pub(crate) struct Signal(AtomicU8);

impl Signal {
    /// Some thread knows the answer to the question at hand.
    pub(crate) const ANSWERED: u8 = 1;
    /// A limit or the watcher ended the search.
    pub(crate) const GAVE_UP: u8 = 2;

    /// A new question.
    pub(crate) fn reset(&self) {
        self.0.store(0, Relaxed);
    }

    /// Whether a limit or the watcher ended the search.
    pub(crate) fn gave_up(&self) -> bool {
        self.0.load(Relaxed) & Signal::GAVE_UP != 0
    }

    pub(crate) fn raised(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    pub(crate) fn raise(&self, why: u8) {
        self.0.fetch_or(why, Relaxed);
    }
}

/// Which positions the threads are at, so that they spread over the tree.
///
/// A slot holds the key of a position that some thread has entered; the others put that move off. Slots
/// are overwritten without care: a lost one only means that two threads do the same work.
pub(crate) struct Busy(Vec<AtomicU64>);

impl Busy {
    const SLOTS: usize = 1 << 12;

    pub(crate) fn new() -> Busy {
        Busy((0..Busy::SLOTS).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn slot<B: Bits>(&self, key: B) -> (&AtomicU64, u64) {
        let mixed = (key.wide() ^ (key.wide() >> 64)) as u64;
        let mixed = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (&self.0[(mixed >> 52) as usize], mixed | 1)
    }
}
