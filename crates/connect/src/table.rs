#![allow(unsafe_code)]
//! What the search remembers: bounds on the score of positions it has left.
//!
//! ```text
//! key (N bits) ── × odd number mod 2^N ──┬─ top bits ──> bucket: half a cache line of entries
//!                                        └─ low bits ──> tag
//! entry of 64 bits:   tag (47) | work (5) | high (6) | low (6)                     4 to a bucket
//! entry of 128 bits:  tag (64)  and  tag (43) | work (5) | high (8) | low (8)      2 to a bucket
//! ```
//!
//! Multiplying by an odd number is one-to-one, and the bits that choose the bucket and the tag overlap or
//! meet, so together they are the key: two positions are never taken for each other. A bucket keeps the
//! entries that cost most work to find.
//!
//! Every bit of the tag halves the memory that a search begins with. A key of 64 bits has at most 63 cells, so that
//! scores of positions that nobody wins at once lie between −31 and 31: six bits each.
//!
//! A search begins with a few buckets, which stay in the processor's cache, and spreads over more of the
//! memory as it goes on: [`Table::grow`] moves every entry to the bucket that one more bit chooses. Memory that
//! was never reached is never touched. Small searches are thus fast and small however large the table is, and
//! forgetting them costs little.
//!
//! ```text
//! moving bucket i to 2 i and 2 i + 1, from the last one down:   0 … i … n … 2 i … 2 n
//!                                                               not yet |     | moved
//! ```
//!
//! A move that is interrupted goes on where it was; until it is over nobody may ask the table.
//!
//! Several threads share the table without waiting. An entry of 64 bits is one relaxed atomic word and
//! is never torn. Two threads that write to one bucket at once may overwrite each other's entry, or store
//! one position twice with different bounds: what is lost is work, and every bound found is true. An
//! entry of 128 bits takes two words, so a bucket is locked while it is read or written; a thread that
//! finds it locked goes on as if the position were not there. The table grows only while one thread uses
//! it: see [`Table::spread`].

use crate::ConnectError;
use memmap2::{MmapMut, MmapRaw};
use outplay_index::Bits;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

/// Words in a bucket: half a cache line.
const BUCKET: usize = 4;
/// Locks for buckets of wide entries; a power of two.
const LOCKS: usize = 1 << 12;
/// Makes keys look random; any odd number with well mixed bits will do.
const MIX: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;

/// Low and high bound of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: i32,
    pub(crate) high: i32,
}

/// A cache of bounds, shared by the threads of a search.
pub(crate) struct Table {
    memory: MmapRaw,
    locks: Vec<AtomicBool>,
    key_bits: u32,
    /// How many bits choose a bucket at first.
    first_bits: u32,
    /// How many bits choose a bucket when all of the memory is in use.
    most_bits: u32,
    /// How many choose one now.
    bucket_bits: AtomicU32,
    /// How many will choose one when the move that was begun is over, and how many buckets it has still to move;
    /// none between moves.
    next_bits: AtomicU32,
    unmoved: AtomicUsize,
    /// About how many positions were stored.
    positions: AtomicU64,
}

/// Bits that choose a bucket at first: half a megabyte, and 8 kB where Miri looks at every access.
const FIRST_BITS: u32 = if cfg!(miri) { 8 } else { 14 };
/// Buckets that are written to between two questions whether to stop: a few megabytes, which the system may have to
/// find and clear first.
const FILLED_AT_ONCE: usize = 1 << 17;
/// Bytes up to which clearing memory is quicker than asking for fresh one, and takes only a few milliseconds.
const CLEARED: usize = 32 << 20;
/// Bits of the tag in an entry of 64 bits, and in one of 128.
const NARROW_TAG: u32 = 47;
const WIDE_TAG: u32 = 64 + 43;

impl Table {
    /// Room for about `entries` positions whose keys have `key_bits` bits.
    pub(crate) fn new(entries: usize, key_bits: u32) -> Result<Table, ConnectError> {
        let wide = key_bits > 64;
        let per_bucket = if wide { BUCKET / 2 } else { BUCKET };
        // Fewer bits for the bucket would leave more for the tag than it has.
        let least = key_bits.saturating_sub(if wide { WIDE_TAG } else { NARROW_TAG });
        let asked = (entries / per_bucket).max(1).ilog2().min(40);
        let most_bits = asked.max(least).min(key_bits - 1).max(1);
        let first_bits = least.max(FIRST_BITS).min(most_bits);
        let locks = if wide { (0..LOCKS).map(|_| AtomicBool::new(false)).collect() } else { Vec::new() };
        Ok(Table {
            memory: fresh((BUCKET * 8) << most_bits)?,
            locks,
            key_bits,
            first_bits,
            most_bits,
            bucket_bits: AtomicU32::new(first_bits),
            next_bits: AtomicU32::new(first_bits),
            unmoved: AtomicUsize::new(0),
            positions: AtomicU64::new(0),
        })
    }

    /// Whether the table was made for such keys.
    pub(crate) fn fits(&self, key_bits: u32) -> bool {
        self.key_bits == key_bits
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        let used = (BUCKET * 8) << *self.next_bits.get_mut();
        // Pages that go back to the system need not be cleared, and are there again only when they are needed.
        match (used > CLEARED).then(|| fresh(self.memory.len())) {
            Some(Ok(memory)) => self.memory = memory,
            _ => {
                // Nobody else has the table, and its first words are those in use.
                for word in &self.words()[..used / 8] {
                    word.store(0, Relaxed);
                }
            }
        }
        *self.positions.get_mut() = 0;
        *self.unmoved.get_mut() = 0;
        *self.bucket_bits.get_mut() = self.first_bits;
        *self.next_bits.get_mut() = self.first_bits;
    }

    /// Makes room for more positions if there are too many for what is in use, unless it is told to stop; the
    /// table can then not be asked before this was called again and says that all is done. Other threads may use
    /// the table only if it is spread already.
    pub(crate) fn grow(&self, more: u64, stop: &dyn Fn() -> bool) -> bool {
        let positions = self.positions.fetch_add(more, Relaxed).saturating_add(more);
        // Wide entries have fewer neighbours to give way to, so their buckets are kept emptier.
        let fill = |bits: u32| if self.key_bits > 64 { 1 << bits >> 3 } else { (BUCKET as u64 / 2) << bits };
        let mut bits = self.bucket_bits.load(Relaxed);
        while bits < self.most_bits && positions > fill(bits) {
            bits += 1;
        }
        self.move_to(bits, stop)
    }

    /// Uses all of the memory, before several threads do, unless it is told to stop. No other thread may use the table.
    pub(crate) fn spread(&self, stop: &dyn Fn() -> bool) -> bool {
        self.move_to(self.most_bits, stop)
    }

    /// Splits every bucket until so many bits choose one; says whether all is done.
    fn move_to(&self, bits: u32, stop: &dyn Fn() -> bool) -> bool {
        self.go_on(stop) && {
            let now = self.bucket_bits.load(Relaxed);
            if bits > now {
                self.next_bits.store(bits, Relaxed);
                self.unmoved.store(1 << now, Relaxed);
            }
            self.go_on(stop)
        }
    }

    /// Goes on with the move that was begun, if one was.
    fn go_on(&self, stop: &dyn Fn() -> bool) -> bool {
        while self.unmoved.load(Relaxed) > 0 {
            if stop() {
                return false;
            }
            self.move_some();
        }
        true
    }

    #[cold]
    fn move_some(&self) {
        let (bits, next) = (self.bucket_bits.load(Relaxed), self.next_bits.load(Relaxed));
        let unmoved = self.unmoved.load(Relaxed);
        let (more, wide) = (next - bits, self.key_bits > 64);
        let rest = unmoved.saturating_sub((FILLED_AT_ONCE >> more).max(1));
        let shift = self.key_bits - next;
        // From the last bucket down, no bucket is written before it was read.
        for index in (rest..unmoved).rev() {
            let old = self.bucket(index * BUCKET);
            for slot in (0..BUCKET).step_by(if wide { 2 } else { 1 }) {
                let entry = [old[slot].load(Relaxed), if wide { old[slot + 1].load(Relaxed) } else { 0 }];
                if entry == [0, 0] {
                    // Pages that nothing is written to need not exist.
                    continue;
                }
                let tag = match wide {
                    false => u128::from(entry[0] >> (64 - NARROW_TAG)),
                    true => u128::from(entry[1] >> 21) << 64 | u128::from(entry[0]),
                };
                let new = self.bucket((index << more | (tag >> shift) as usize & ((1 << more) - 1)) * BUCKET);
                for (word, part) in entry.into_iter().enumerate().take(if wide { 2 } else { 1 }) {
                    old[slot + word].store(0, Relaxed);
                    new[slot + word].store(part, Relaxed);
                }
            }
        }
        self.unmoved.store(rest, Relaxed);
        if rest == 0 {
            self.bucket_bits.store(next, Relaxed);
        }
    }

    #[inline(always)]
    fn words(&self) -> &[AtomicU64] {
        let words = self.memory.len() / 8;
        // SAFETY: the mapping is page-aligned, zeroed, lives as long as `self`, and while `self` is
        // borrowed is only reached through these atomics.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().cast::<AtomicU64>(), words) }
    }

    /// The first word of a key's bucket, and its tag.
    #[inline(always)]
    fn place<B: Bits>(&self, key: B) -> (usize, u128) {
        let rest = self.key_bits - self.bucket_bits.load(Relaxed);
        if B::WIDTH == 64 {
            let spare = 64 - self.key_bits;
            let mixed = (key.wide() as u64).wrapping_mul((MIX >> 64) as u64) << spare >> spare;
            ((mixed >> rest) as usize * BUCKET, (mixed & u64::low(NARROW_TAG)) as u128)
        } else {
            let mixed = key.wide().wrapping_mul(MIX) & u128::low(self.key_bits);
            ((mixed >> rest) as usize * BUCKET, mixed & u128::low(WIDE_TAG))
        }
    }

    /// The words of the bucket that begins at a word.
    #[inline(always)]
    fn bucket(&self, start: usize) -> &[AtomicU64; BUCKET] {
        debug_assert!(start + BUCKET <= self.memory.len() / 8);
        // SAFETY: `place` takes `bucket_bits` bits of the key, and the memory holds that many buckets.
        unsafe { &*self.words().as_ptr().add(start).cast::<[AtomicU64; BUCKET]>() }
    }

    /// Starts to fetch a key's bucket into the cache.
    #[inline(always)]
    pub(crate) fn prefetch<B: Bits>(&self, key: B) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const AtomicU64 = self.bucket(self.place(key).0).as_ptr();
            // SAFETY: the address is that of a bucket, and a prefetch changes nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast::<i8>()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known about a position.
    #[inline(always)]
    pub(crate) fn probe<B: Bits>(&self, key: B) -> Option<Bounds> {
        let (start, tag) = self.place(key);
        let bucket = self.bucket(start);
        if B::WIDTH == 64 {
            // Looking at all entries without a jump is faster than stopping at the right one.
            let entries: [u64; BUCKET] = std::array::from_fn(|slot| bucket[slot].load(Relaxed));
            let pick =
                |found, entry: u64| if entry >> (64 - NARROW_TAG) == tag as u64 { entry } else { found };
            let found = entries.into_iter().fold(0, pick);
            (found != 0).then(|| narrow_bounds(found))
        } else {
            let lock = self.lock(start)?;
            let found = bucket
                .chunks_exact(2)
                .map(|pair| (pair[0].load(Relaxed), pair[1].load(Relaxed)))
                .find(|&(first, second)| {
                    first == tag as u64 && second >> 21 == (tag >> 64) as u64 && second != 0
                })
                .map(|(_, second)| wide_bounds(second));
            lock.store(false, Release);
            found
        }
    }

    /// Remembers bounds that took `work` positions to find, joined with what is known.
    #[inline(always)]
    pub(crate) fn store<B: Bits>(&self, key: B, bounds: Bounds, work: u64) {
        let (start, tag) = self.place(key);
        let bucket = self.bucket(start);
        let work = u64::from(work.max(1).ilog2()).min(31);
        if B::WIDTH == 64 {
            let tag = tag as u64;
            let (mut victim, mut least) = (0, u64::MAX);
            let mut joined = (bounds, work);
            for (slot, word) in bucket.iter().enumerate() {
                let entry = word.load(Relaxed);
                if entry >> (64 - NARROW_TAG) == tag && entry != 0 {
                    joined = (join(bounds, narrow_bounds(entry)), work.max(entry >> 12 & 31));
                    victim = slot;
                    break;
                }
                // An empty slot is the cheapest: an entry is never 0.
                let cost = entry & 31 << 12 | u64::from(entry != 0);
                (victim, least) = if cost < least { (slot, cost) } else { (victim, least) };
            }
            let Bounds { low, high } = joined.0;
            // What lies further out is no bound.
            let (low, high) = (low.clamp(-31, 31) + 32, high.clamp(-31, 31) + 32);
            let entry = tag << 17 | joined.1 << 12 | (high as u64) << 6 | low as u64;
            bucket[victim].store(entry, Relaxed);
        } else {
            let Some(lock) = self.lock(start) else { return };
            let (mut victim, mut least) = (0, u64::MAX);
            let mut joined = (bounds, work);
            for (slot, pair) in bucket.chunks_exact(2).enumerate() {
                let (first, second) = (pair[0].load(Relaxed), pair[1].load(Relaxed));
                let cost = if second == 0 { 0 } else { 1 + (second >> 16 & 31) };
                if first == tag as u64 && second >> 21 == (tag >> 64) as u64 && second != 0 {
                    joined = (join(bounds, wide_bounds(second)), work.max(second >> 16 & 31));
                    victim = slot;
                    break;
                }
                if cost < least {
                    (victim, least) = (slot, cost);
                }
            }
            let Bounds { low, high } = joined.0;
            let second =
                ((tag >> 64) as u64) << 21 | joined.1 << 16 | ((high + 128) as u64) << 8 | (low + 128) as u64;
            bucket[2 * victim].store(tag as u64, Relaxed);
            bucket[2 * victim + 1].store(second, Relaxed);
            lock.store(false, Release);
        }
    }

    /// The lock of a bucket, taken, unless another thread holds it.
    fn lock(&self, start: usize) -> Option<&AtomicBool> {
        let lock = &self.locks[start / BUCKET % LOCKS];
        (!lock.swap(true, Acquire)).then_some(lock)
    }
}

/// Memory that is zero and costs nothing before it is written to.
fn fresh(bytes: usize) -> Result<MmapRaw, ConnectError> {
    let memory = MmapMut::map_anon(bytes).map_err(|_| ConnectError::NoMemory { bytes })?;
    // Large pages spare most of the address translations; without them all works the same.
    #[cfg(all(target_os = "linux", not(miri)))]
    let _ = memory.advise(memmap2::Advice::HugePage);
    // Threads write through shared references to its words, so nobody may hold a reference to it as bytes.
    Ok(memory.into())
}

#[inline(always)]
fn narrow_bounds(entry: u64) -> Bounds {
    Bounds { low: (entry & 63) as i32 - 32, high: (entry >> 6 & 63) as i32 - 32 }
}

#[inline(always)]
fn wide_bounds(entry: u64) -> Bounds {
    Bounds { low: (entry & 255) as i32 - 128, high: (entry >> 8 & 255) as i32 - 128 }
}

#[inline(always)]
fn join(one: Bounds, other: Bounds) -> Bounds {
    Bounds { low: one.low.max(other.low), high: one.high.min(other.high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const BOUNDS: Bounds = Bounds { low: -3, high: 5 };
    /// Miri is some thousand times slower.
    const SMALL: bool = cfg!(miri);

    /// Keys that look random, with so many bits.
    fn keys(bits: u32, count: u128) -> impl Iterator<Item = u128> {
        (1..=count)
            .map(move |n| n.wrapping_mul(0x1234_5678_9abc_def1_1357_9bdf_0246_8ace | 1) % (1 << (bits - 1)))
    }

    fn check<B: Bits>(key_bits: u32, key: impl Fn(u128) -> B) {
        let (entries, count) = if SMALL { (1 << 12, 60) } else { (1 << 25, 3000) };
        let mut table = Table::new(entries, key_bits).unwrap();
        let all = || keys(key_bits, count as u128).map(&key);
        all().for_each(|key| table.store(key, BOUNDS, 1));
        let known = |table: &Table| all().filter(|&key| table.probe(key) == Some(BOUNDS)).count();
        assert!(known(&table) > count * 29 / 30);
        // A move that is stopped again and again ends, and loses nothing.
        let (before, stops) = (known(&table), Cell::new(0));
        let often = || {
            stops.set(stops.get() + 1);
            stops.get() % 2 == 1
        };
        let first = table.bucket_bits.load(Relaxed);
        while !table.grow(1 << 20, &often) {}
        assert!(table.bucket_bits.load(Relaxed) > first && known(&table) == before);
        while !table.spread(&often) {}
        assert_eq!((table.bucket_bits.load(Relaxed), known(&table)), (table.most_bits, before));
        // One question for each part of the memory that is filled.
        assert!(stops.get() >= (1 << table.most_bits) / FILLED_AT_ONCE);
        table.clear();
        assert_eq!((table.bucket_bits.load(Relaxed), known(&table)), (first, 0));
        // Forgetting in the middle of a move forgets all.
        all().for_each(|key| table.store(key, BOUNDS, 1));
        assert!(!table.spread(&|| true));
        table.clear();
        assert_eq!(known(&table), 0);
        assert!(table.spread(&|| false) && known(&table) == 0);
    }

    #[test]
    fn tables_grow_without_forgetting() {
        // The largest keys need large tables.
        let (narrow, wide) = if SMALL { (52, 110) } else { (63, 128) };
        check::<u64>(49, |key| key as u64);
        check::<u64>(narrow, |key| key as u64);
        check::<u128>(72, |key| key);
        check::<u128>(wide, |key| key);
    }

    #[test]
    fn what_is_no_bound_stays_none() {
        let table = Table::new(1 << 10, 49).unwrap();
        table.store(5u64, Bounds { low: -63, high: -31 }, 1);
        table.store(6u64, Bounds { low: 31, high: 63 }, 1);
        // No position that is entered has a score beyond ±31.
        assert_eq!(table.probe(5u64), Some(Bounds { low: -31, high: -31 }));
        assert_eq!(table.probe(6u64), Some(Bounds { low: 31, high: 31 }));
        table.store(7u64, Bounds { low: -63, high: 4 }, 1);
        assert_eq!(table.probe(7u64), Some(Bounds { low: -31, high: 4 }));
    }

    /// What is true of a key: its bounds follow from it, so that another key's would be noticed.
    fn truth(key: u128) -> Bounds {
        let low = (key % 37) as i32 - 30;
        Bounds { low, high: low + (key / 37 % 25) as i32 }
    }

    /// Threads that crowd into few buckets: whatever is found was stored, and about this key.
    fn crowd<B: Bits>(key_bits: u32, key: impl Fn(u128) -> B + Sync) {
        let (entries, count, rounds) = if SMALL { (1 << 4, 30, 3) } else { (1 << 8, 600, 40) };
        let table = Table::new(entries, key_bits).unwrap();
        assert!(table.spread(&|| false));
        let all: Vec<u128> = keys(key_bits, count).collect();
        let found = AtomicU64::new(0);
        let visit = |thread: usize| {
            for round in 0..rounds {
                for i in 0..all.len() {
                    let n = all[(i * (2 * thread + 1) + 97 * thread) % all.len()];
                    if let Some(bounds) = table.probe(key(n)) {
                        let Bounds { low, high } = truth(n);
                        assert!(bounds.low <= low && high <= bounds.high && bounds.low > low - 9, "{n}");
                        found.fetch_add(1, Relaxed);
                    }
                    // Bounds that are true and more or less narrow.
                    let Bounds { low, high } = truth(n);
                    let wider = (i + thread + round) % 8;
                    let bounds = Bounds { low: low - wider as i32, high: high + wider as i32 };
                    table.store(key(n), bounds, 1 << (i % 5));
                }
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let visit = &visit;
                scope.spawn(move || visit(thread));
            }
        });
        assert!(found.into_inner() > (count as u64 * rounds as u64) / 24);
    }

    #[test]
    fn threads_share_a_table_and_find_what_is_true() {
        crowd::<u64>(49, |key| key as u64);
        crowd::<u128>(100, |key| key);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri's machine has no end of memory")]
    fn a_table_that_cannot_be_had_is_an_error() {
        assert!(matches!(Table::new(1 << 42, 128), Err(ConnectError::NoMemory { .. })));
    }
}
