#![allow(unsafe_code)]
//! Transposition table: exact keys, lock-free 64-bit entries, growing in place.
//!
//! ```text
//! key (N bits) ── × odd number mod 2^N ──┬─ top bits ──> bucket: half a cache line of entries
//!                                        └─ low bits ──> tag
//! entry of 64 bits:   tag (47) | work (5) | high (6) | low (6)                     4 to a bucket
//! entry of 128 bits:  tag (64)  and  tag (43) | work (5) | high (8) | low (8)      2 to a bucket
//! ```
//!
//! Multiplication by an odd number is a bijection (Fibonacci hashing, Knuth 1973), and bucket index and tag
//! together cover all bits of the key: collisions are impossible (quotienting). Replacement within a bucket
//! evicts the entry whose subtree took the least work (log₂ of its nodes).
//!
//! Bucket index and tag must cover the key, so each additional bit of the tag halves the smallest possible table. A key
//! of 64 bits has at most 63 cells, so the scores of positions that are not won at once lie between −31 and 31: six
//! bits each.
//!
//! A search starts with a few buckets, which stay in the CPU cache, and spreads over more of the memory as it
//! proceeds: [`TranspositionTable::grow`] moves every entry to the bucket that one more key bit selects.
//! Pages that were never reached are never touched, so a small search is fast and cheap to clear however
//! large the table is.
//!
//! ```text
//! moving bucket i to 2 i and 2 i + 1, from the last one down:   0 … i … n … 2 i … 2 n
//!                                                               not yet |     | moved
//! ```
//!
//! An interrupted move resumes where it stopped; until it is complete the table must not be probed.
//!
//! Threads share the table without blocking. A 64-bit entry is one relaxed atomic word and is never torn, so
//! the XOR trick of lockless hashing (Hyatt and Mann 2002) is not needed. Two threads that write to one
//! bucket at the same time may overwrite each other's entry or store a position twice with different bounds:
//! work is lost, but every stored bound is valid. A 128-bit entry takes two words, so its bucket is protected
//! by a striped try-lock; a thread that finds it locked treats the probe as a miss. The table grows only
//! while a single thread uses it: see [`TranspositionTable::spread`].

use crate::ConnectError;
use memmap2::{MmapMut, MmapRaw};
use outplay_index::Bits;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

/// Words in a bucket: half a cache line.
const BUCKET: usize = 4;
/// Striped locks for buckets of 128-bit entries; a power of two.
const LOCKS: usize = 1 << 12;
/// Multiplier of the hash; any odd number with well mixed bits will do.
const MIX: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;

/// Lower and upper bound of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: i32,
    pub(crate) high: i32,
}

/// Transposition table of score bounds, shared by the threads of a search.
pub(crate) struct TranspositionTable {
    memory: MmapRaw,
    locks: Vec<AtomicBool>,
    key_bits: u32,
    /// Bits of the bucket index in a new table.
    first_bits: u32,
    /// Bits of the bucket index when all of the memory is in use.
    most_bits: u32,
    /// Bits of the bucket index at present.
    bucket_bits: AtomicU32,
    /// Bits of the bucket index after the move in progress, and the number of buckets still to be moved; 0
    /// between moves.
    next_bits: AtomicU32,
    unmoved: AtomicUsize,
    /// Approximate number of positions stored.
    positions: AtomicU64,
}

/// Initial bits of the bucket index: half a megabyte, and 8 kB under Miri, which checks every access.
const FIRST_BITS: u32 = if cfg!(miri) { 8 } else { 14 };
/// Buckets written between two polls of the stop condition: a few megabytes, which the kernel may have to fault
/// in and zero.
const FILLED_AT_ONCE: usize = 1 << 17;
/// Bytes up to which clearing memory is faster than mapping fresh pages, and takes only a few milliseconds.
const CLEARED: usize = 32 << 20;
/// Bits of the tag in an entry of 64 bits, and in one of 128.
const NARROW_TAG: u32 = 47;
const WIDE_TAG: u32 = 64 + 43;

impl TranspositionTable {
    /// Allocates a table for about `entries` positions whose keys have `key_bits` bits.
    pub(crate) fn new(entries: usize, key_bits: u32) -> Result<TranspositionTable, ConnectError> {
        let wide = key_bits > 64;
        let per_bucket = if wide { BUCKET / 2 } else { BUCKET };
        // Fewer index bits would leave more key bits than the tag can hold.
        let least = key_bits.saturating_sub(if wide { WIDE_TAG } else { NARROW_TAG });
        let asked = (entries / per_bucket).max(1).ilog2().min(40);
        let most_bits = asked.max(least).min(key_bits - 1).max(1);
        let first_bits = least.max(FIRST_BITS).min(most_bits);
        let locks = if wide { (0..LOCKS).map(|_| AtomicBool::new(false)).collect() } else { Vec::new() };
        Ok(TranspositionTable {
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

    /// Whether the table was allocated for keys of this length.
    pub(crate) fn fits(&self, key_bits: u32) -> bool {
        self.key_bits == key_bits
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        let used = (BUCKET * 8) << *self.next_bits.get_mut();
        // Fresh pages need no clearing, and are faulted in only when they are used.
        match (used > CLEARED).then(|| fresh(self.memory.len())) {
            Some(Ok(memory)) => self.memory = memory,
            _ => {
                // `&mut self` excludes other threads, and the buckets in use come first.
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

    /// Doubles the buckets in use while they are too full. Returns false if `stop` interrupted the move; the
    /// table must then not be probed until another call has returned true. Other threads may use the table only
    /// if it is spread already.
    pub(crate) fn grow(&self, more: u64, stop: &dyn Fn() -> bool) -> bool {
        let positions = self.positions.fetch_add(more, Relaxed).saturating_add(more);
        // Buckets of 128-bit entries have fewer candidates for eviction, so they are kept emptier.
        let fill = |bits: u32| if self.key_bits > 64 { 1 << bits >> 3 } else { (BUCKET as u64 / 2) << bits };
        let mut bits = self.bucket_bits.load(Relaxed);
        while bits < self.most_bits && positions > fill(bits) {
            bits += 1;
        }
        self.move_to(bits, stop)
    }

    /// Uses all of the memory, as needed before several threads share the table; false if `stop` interrupted
    /// it. No other thread may use the table meanwhile.
    pub(crate) fn spread(&self, stop: &dyn Fn() -> bool) -> bool {
        self.move_to(self.most_bits, stop)
    }

    /// Splits every bucket until the bucket index has `bits` bits; false if `stop` interrupted it.
    fn move_to(&self, bits: u32, stop: &dyn Fn() -> bool) -> bool {
        self.resume_move(stop) && {
            let now = self.bucket_bits.load(Relaxed);
            if bits > now {
                self.next_bits.store(bits, Relaxed);
                self.unmoved.store(1 << now, Relaxed);
            }
            self.resume_move(stop)
        }
    }

    /// Resumes the move in progress, if there is one.
    fn resume_move(&self, stop: &dyn Fn() -> bool) -> bool {
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
        // From the last bucket down, so that no bucket is overwritten before it is read.
        for index in (rest..unmoved).rev() {
            let old = self.bucket(index * BUCKET);
            for slot in (0..BUCKET).step_by(if wide { 2 } else { 1 }) {
                let entry = [old[slot].load(Relaxed), if wide { old[slot + 1].load(Relaxed) } else { 0 }];
                if entry == [0, 0] {
                    // Writing zeros would fault in pages that are not needed.
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

    /// Returns the first word of a key's bucket, and its tag.
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

    /// Returns the bucket that starts at a word.
    #[inline(always)]
    fn bucket(&self, start: usize) -> &[AtomicU64; BUCKET] {
        debug_assert!(start + BUCKET <= self.memory.len() / 8);
        // SAFETY: `place` takes `bucket_bits` bits of the key, and the memory holds that many buckets.
        unsafe { &*self.words().as_ptr().add(start).cast::<[AtomicU64; BUCKET]>() }
    }

    /// Prefetches a key's bucket into the CPU cache.
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

    /// Returns the stored bounds of a position.
    #[inline(always)]
    pub(crate) fn probe<B: Bits>(&self, key: B) -> Option<Bounds> {
        let (start, tag) = self.place(key);
        let bucket = self.bucket(start);
        if B::WIDTH == 64 {
            // Comparing all entries without a branch is faster than stopping at the match.
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

    /// Stores bounds whose search took `work` nodes, intersected with those already there.
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
            // No score lies outside ±31.
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

    /// Tries to take the lock of a bucket; `None` if another thread holds it.
    fn lock(&self, start: usize) -> Option<&AtomicBool> {
        let lock = &self.locks[start / BUCKET % LOCKS];
        (!lock.swap(true, Acquire)).then_some(lock)
    }
}

/// Maps zeroed memory, which is allocated page by page on first write.
fn fresh(bytes: usize) -> Result<MmapRaw, ConnectError> {
    let memory = MmapMut::map_anon(bytes).map_err(|_| ConnectError::NoMemory { bytes })?;
    // Huge pages avoid most TLB misses; failure to get them is harmless.
    #[cfg(all(target_os = "linux", not(miri)))]
    let _ = memory.advise(memmap2::Advice::HugePage);
    // Threads write through shared references to the words, so no byte slice of the mapping may exist.
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
    /// Miri is thousands of times slower.
    const SMALL: bool = cfg!(miri);

    /// Pseudorandom keys of `bits` bits.
    fn keys(bits: u32, count: u128) -> impl Iterator<Item = u128> {
        (1..=count)
            .map(move |n| n.wrapping_mul(0x1234_5678_9abc_def1_1357_9bdf_0246_8ace | 1) % (1 << (bits - 1)))
    }

    fn check<B: Bits>(key_bits: u32, key: impl Fn(u128) -> B) {
        let (entries, count) = if SMALL { (1 << 12, 60) } else { (1 << 25, 3000) };
        let mut table = TranspositionTable::new(entries, key_bits).unwrap();
        let all = || keys(key_bits, count as u128).map(&key);
        all().for_each(|key| table.store(key, BOUNDS, 1));
        let known =
            |table: &TranspositionTable| all().filter(|&key| table.probe(key) == Some(BOUNDS)).count();
        assert!(known(&table) > count * 29 / 30);
        // A move that is interrupted again and again still terminates, and loses no entry.
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
        // One poll for each chunk of memory that is filled.
        assert!(stops.get() >= (1 << table.most_bits) / FILLED_AT_ONCE);
        table.clear();
        assert_eq!((table.bucket_bits.load(Relaxed), known(&table)), (first, 0));
        // Clearing during a move removes all entries.
        all().for_each(|key| table.store(key, BOUNDS, 1));
        assert!(!table.spread(&|| true));
        table.clear();
        assert_eq!(known(&table), 0);
        assert!(table.spread(&|| false) && known(&table) == 0);
    }

    #[test]
    fn tables_grow_without_losing_entries() {
        // The largest keys need large tables.
        let (narrow, wide) = if SMALL { (52, 110) } else { (63, 128) };
        check::<u64>(49, |key| key as u64);
        check::<u64>(narrow, |key| key as u64);
        check::<u128>(72, |key| key);
        check::<u128>(wide, |key| key);
    }

    #[test]
    fn bounds_are_clamped_to_the_score_range() {
        let table = TranspositionTable::new(1 << 10, 49).unwrap();
        table.store(5u64, Bounds { low: -63, high: -31 }, 1);
        table.store(6u64, Bounds { low: 31, high: 63 }, 1);
        // No position that is entered has a score beyond ±31.
        assert_eq!(table.probe(5u64), Some(Bounds { low: -31, high: -31 }));
        assert_eq!(table.probe(6u64), Some(Bounds { low: 31, high: 31 }));
        table.store(7u64, Bounds { low: -63, high: 4 }, 1);
        assert_eq!(table.probe(7u64), Some(Bounds { low: -31, high: 4 }));
    }

    /// Bounds derived from the key, so that an entry of another key would be detected.
    fn truth(key: u128) -> Bounds {
        let low = (key % 37) as i32 - 30;
        Bounds { low, high: low + (key / 37 % 25) as i32 }
    }

    /// Several threads hammer a few buckets: every entry found was stored, and for this key.
    fn crowd<B: Bits>(key_bits: u32, key: impl Fn(u128) -> B + Sync) {
        let (entries, count, rounds) = if SMALL { (1 << 4, 30, 3) } else { (1 << 8, 600, 40) };
        let table = TranspositionTable::new(entries, key_bits).unwrap();
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
                    // Valid bounds of varying width.
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
    fn concurrent_probes_return_valid_bounds() {
        crowd::<u64>(49, |key| key as u64);
        crowd::<u128>(100, |key| key);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri's machine has no end of memory")]
    fn a_table_that_does_not_fit_is_an_error() {
        assert!(matches!(TranspositionTable::new(1 << 42, 128), Err(ConnectError::NoMemory { .. })));
    }
}
