//! What searches remember of positions, shared by threads without locks.
//!
//! An entry is two words, the data and the position's hash mixed with the data. Two threads that write one entry at
//! the same time may leave halves of different entries; the hash then fits neither, and the entry is not found. So a
//! race costs an entry, never an answer.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a remembered score means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub(crate) score: i16,
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
    /// The best place; 0 for none.
    pub(crate) place: u32,
}

impl Known {
    fn pack(self) -> u64 {
        u64::from(self.place) & 0xff_ffff
            | u64::from(self.score as u16) << 24
            | u64::from(self.depth) << 40
            | (self.bound as u64) << 48
    }

    fn unpack(data: u64) -> Known {
        let bound = [Bound::Exact, Bound::AtLeast, Bound::AtMost, Bound::AtMost][(data >> 48 & 3) as usize];
        Known {
            place: (data & 0xff_ffff) as u32,
            score: (data >> 24) as u16 as i16,
            depth: (data >> 40) as u8,
            bound,
        }
    }
}

/// The table: pairs of entries, of which a new one replaces the shallower.
pub(crate) struct Table {
    entries: Vec<[AtomicU64; 2]>,
}

impl Table {
    /// A table of so many entries, at least two and a power of two.
    pub(crate) fn new(entries: usize) -> Table {
        let mut table = Vec::new();
        table.resize_with(entries.max(2).next_power_of_two(), Default::default);
        Table { entries: table }
    }

    fn pair(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.entries.len() - 1) & !1
    }

    pub(crate) fn find(&self, hash: u64) -> Option<Known> {
        let pair = self.pair(hash);
        self.entries[pair..pair + 2].iter().find_map(|[mixed, data]| {
            let data = data.load(Relaxed);
            (mixed.load(Relaxed) ^ data == hash && data != 0).then(|| Known::unpack(data))
        })
    }

    pub(crate) fn keep(&self, hash: u64, known: Known) {
        let pair = self.pair(hash);
        let read = |at: usize| {
            let [mixed, data] = &self.entries[at];
            let data = data.load(Relaxed);
            (mixed.load(Relaxed) ^ data, Known::unpack(data).depth)
        };
        let ((first, depth), (second, other)) = (read(pair), read(pair + 1));
        let at = if first == hash || (second != hash && depth <= other) { pair } else { pair + 1 };
        let data = known.pack();
        self.entries[at][0].store(hash ^ data, Relaxed);
        self.entries[at][1].store(data, Relaxed);
    }

    /// Forgets everything.
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
    fn what_is_kept_is_found() {
        let table = Table::new(64);
        for (hash, score) in [(1 << 20, -31_990), (7 << 40, 12), (u64::MAX, 0)] {
            let known = Known { score, depth: 250, bound: Bound::AtLeast, place: 1_064_959 };
            assert_eq!(table.find(hash), None);
            table.keep(hash, known);
            assert_eq!(table.find(hash), Some(known));
        }
    }

    #[test]
    fn the_shallower_of_two_makes_room() {
        let table = Table::new(2);
        let known = |depth| Known { score: 1, depth, bound: Bound::Exact, place: 3 };
        table.keep(1, known(9));
        table.keep(2, known(4));
        table.keep(3, known(5));
        assert_eq!([1, 2, 3].map(|hash| table.find(hash).map(|known| known.depth)), [Some(9), None, Some(5)]);
    }
}
