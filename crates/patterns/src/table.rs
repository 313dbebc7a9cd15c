//! Transposition table with lockless hashing by XOR (Hyatt and Mann 2002).
//!
//! An entry is two words: the data, and the position's hash XOR the data. Two threads that write one entry at
//! the same time may leave halves of different entries; the hash then matches neither, and the probe misses. A
//! race costs an entry, never correctness. Replacement overwrites the shallower of two neighbouring entries.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Kind of score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// Data of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TranspositionEntry {
    pub(crate) score: i16,
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
    /// The hash move; 0 for none.
    pub(crate) place: u32,
}

impl TranspositionEntry {
    fn pack(self) -> u64 {
        u64::from(self.place) & 0xff_ffff
            | u64::from(self.score as u16) << 24
            | u64::from(self.depth) << 40
            | (self.bound as u64) << 48
    }

    fn unpack(data: u64) -> TranspositionEntry {
        let bound = [Bound::Exact, Bound::AtLeast, Bound::AtMost, Bound::AtMost][(data >> 48 & 3) as usize];
        TranspositionEntry {
            place: (data & 0xff_ffff) as u32,
            score: (data >> 24) as u16 as i16,
            depth: (data >> 40) as u8,
            bound,
        }
    }
}

/// Transposition table: pairs of entries, of which a new one replaces the shallower.
pub(crate) struct TranspositionTable {
    entries: Vec<[AtomicU64; 2]>,
}

impl TranspositionTable {
    /// Creates a table of `entries` entries, rounded up to a power of two, at least two.
    pub(crate) fn new(entries: usize) -> TranspositionTable {
        let mut table = Vec::new();
        table.resize_with(entries.max(2).next_power_of_two(), Default::default);
        TranspositionTable { entries: table }
    }

    fn pair(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.entries.len() - 1) & !1
    }

    pub(crate) fn probe(&self, hash: u64) -> Option<TranspositionEntry> {
        let pair = self.pair(hash);
        self.entries[pair..pair + 2].iter().find_map(|[mixed, data]| {
            let data = data.load(Relaxed);
            (mixed.load(Relaxed) ^ data == hash && data != 0).then(|| TranspositionEntry::unpack(data))
        })
    }

    pub(crate) fn store(&self, hash: u64, known: TranspositionEntry) {
        let pair = self.pair(hash);
        let read = |at: usize| {
            let [mixed, data] = &self.entries[at];
            let data = data.load(Relaxed);
            (mixed.load(Relaxed) ^ data, TranspositionEntry::unpack(data).depth)
        };
        let ((first, depth), (second, other)) = (read(pair), read(pair + 1));
        let at = if first == hash || (second != hash && depth <= other) { pair } else { pair + 1 };
        let data = known.pack();
        self.entries[at][0].store(hash ^ data, Relaxed);
        self.entries[at][1].store(data, Relaxed);
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.entries.iter_mut().for_each(|entry| *entry = Default::default());
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * size_of::<[AtomicU64; 2]>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_entries_are_found() {
        let table = TranspositionTable::new(64);
        for (hash, score) in [(1 << 20, -31_990), (7 << 40, 12), (u64::MAX, 0)] {
            let known = TranspositionEntry { score, depth: 250, bound: Bound::AtLeast, place: 1_064_959 };
            assert_eq!(table.probe(hash), None);
            table.store(hash, known);
            assert_eq!(table.probe(hash), Some(known));
        }
    }

    #[test]
    fn the_shallower_entry_is_replaced() {
        let table = TranspositionTable::new(2);
        let known = |depth| TranspositionEntry { score: 1, depth, bound: Bound::Exact, place: 3 };
        table.store(1, known(9));
        table.store(2, known(4));
        table.store(3, known(5));
        assert_eq!(
            [1, 2, 3].map(|hash| table.probe(hash).map(|known| known.depth)),
            [Some(9), None, Some(5)]
        );
    }
}
