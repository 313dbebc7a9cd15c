#![allow(unsafe_code)]
//! What the search remembers: bounds on the score of positions it has left.
//!
//! ```text
//! key (N bits) ── × odd number mod 2^N ──┬─ top bits ──> bucket: half a cache line of entries
//!                                        └─ low bits ──> tag
//! entry of 64 bits:   tag (45) | work (5) | high (7) | low (7)                     4 to a bucket
//! entry of 128 bits:  tag (64)  and  tag (43) | work (5) | high (8) | low (8)      2 to a bucket
//! ```
//!
//! Multiplying by an odd number is one-to-one, and the bits that choose the bucket and the tag overlap or
//! meet, so together they are the key: two positions are never taken for each other. A bucket keeps the
//! entries that cost most work to find.
//!
//! A search begins with a few buckets, which stay in the processor's cache, and spreads over more of the
//! memory as it goes on: [`Table::grow`] moves every entry to the bucket that one more bit chooses. Small
//! searches are thus fast however large the table is, and forgetting them costs little.
//!
//! Several threads share the table without waiting. An entry of 64 bits is one relaxed atomic word and
//! is never torn. Two threads that write to one bucket at once may overwrite each other's entry, or store
//! one position twice with different bounds: what is lost is work, and every bound found is true. An
//! entry of 128 bits takes two words, so a bucket is locked while it is read or written; a thread that
//! finds it locked goes on as if the position were not there. The table grows only while one thread uses
//! it: see [`Table::spread`].

use crate::ConnectError;
use memmap2::MmapMut;
use outplay_index::Bits;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
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
    memory: MmapMut,
    locks: Vec<AtomicBool>,
    key_bits: u32,
    /// How many bits choose a bucket when all of the memory is in use.
    most_bits: u32,
    /// How many choose one now.
    bucket_bits: AtomicU32,
    /// About how many positions were stored.
    positions: AtomicU64,
}

/// Bits that choose a bucket at first: half a megabyte.
const FIRST_BITS: u32 = 14;
/// Bits of the tag in an entry of 64 bits, and in one of 128.
const NARROW_TAG: u32 = 45;
const WIDE_TAG: u32 = 64 + 43;

impl Table {
    /// Room for about `entries` positions whose keys have `key_bits` bits.
    pub(crate) fn new(entries: usize, key_bits: u32) -> Result<Table, ConnectError> {
        let wide = key_bits > 64;
        let per_bucket = if wide { BUCKET / 2 } else { BUCKET };
        let least = key_bits.saturating_sub(if wide { WIDE_TAG } else { NARROW_TAG });
        let asked = (entries / per_bucket).max(1).ilog2().min(40);
        let most_bits = asked.max(least).min(key_bits - 1).max(1);
        let bytes = (BUCKET * 8) << most_bits;
        let memory = MmapMut::map_anon(bytes).map_err(|_| ConnectError::NoMemory { bytes })?;
        // Large pages spare most of the address translations; without them all works the same.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        let locks = if wide { (0..LOCKS).map(|_| AtomicBool::new(false)).collect() } else { Vec::new() };
        // Clearing all of the memory now keeps page faults out of the search.
        let (bucket_bits, positions) = (AtomicU32::new(most_bits), AtomicU64::new(0));
        let mut table = Table { memory, locks, key_bits, most_bits, bucket_bits, positions };
        table.clear();
        Ok(table)
    }

    /// Whether the table was made for such keys.
    pub(crate) fn fits(&self, key_bits: u32) -> bool {
        self.key_bits == key_bits
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        let used = (BUCKET * 8) << *self.bucket_bits.get_mut();
        self.memory[..used].fill(0);
        *self.positions.get_mut() = 0;
        let wide = self.key_bits > 64;
        let least = self.key_bits.saturating_sub(NARROW_TAG).max(FIRST_BITS);
        *self.bucket_bits.get_mut() = if wide { self.most_bits } else { least.min(self.most_bits) };
    }

    /// Makes room for more positions if there are too many for what is in use. Other threads may use
    /// the table only if it is spread already.
    pub(crate) fn grow(&self, more: u64) {
        let positions = self.positions.fetch_add(more, Relaxed).saturating_add(more);
        while self.bucket_bits.load(Relaxed) < self.most_bits
            && positions > (BUCKET as u64 / 2) << self.bucket_bits.load(Relaxed)
        {
            self.double();
        }
    }

    /// Uses all of the memory, before several threads do. No other thread may use the table.
    pub(crate) fn spread(&self) {
        self.grow(u64::MAX / 2);
    }

    /// Splits every bucket in two.
    #[cold]
    fn double(&self) {
        let bits = self.bucket_bits.load(Relaxed);
        // From the last bucket down, no bucket is written before it was read.
        for index in (0..1 << bits).rev() {
            let old = self.bucket(index * BUCKET);
            let entries: [u64; BUCKET] = std::array::from_fn(|slot| old[slot].swap(0, Relaxed));
            let halves = [self.bucket(2 * index * BUCKET), self.bucket((2 * index + 1) * BUCKET)];
            for (slot, entry) in entries.into_iter().enumerate() {
                let bit = entry >> (64 - NARROW_TAG) >> (self.key_bits - bits - 1) & 1;
                halves[bit as usize][slot].store(entry, Relaxed);
            }
        }
        self.bucket_bits.store(bits + 1, Relaxed);
    }

    #[inline(always)]
    fn words(&self) -> &[AtomicU64] {
        let words = self.memory.len() / 8;
        // SAFETY: the mapping is page-aligned, zeroed, lives as long as `self`, and while `self` is
        // borrowed is only reached through these atomics.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast::<AtomicU64>(), words) }
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
                    joined = (join(bounds, narrow_bounds(entry)), work.max(entry >> 14 & 31));
                    victim = slot;
                    break;
                }
                // An empty slot is the cheapest: an entry is never 0.
                let cost = entry & 31 << 14 | u64::from(entry != 0);
                (victim, least) = if cost < least { (slot, cost) } else { (victim, least) };
            }
            let Bounds { low, high } = joined.0;
            let entry = tag << 19 | joined.1 << 14 | ((high + 64) as u64) << 7 | (low + 64) as u64;
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

#[inline(always)]
fn narrow_bounds(entry: u64) -> Bounds {
    Bounds { low: (entry & 127) as i32 - 64, high: (entry >> 7 & 127) as i32 - 64 }
}

#[inline(always)]
fn wide_bounds(entry: u64) -> Bounds {
    Bounds { low: (entry & 255) as i32 - 128, high: (entry >> 8 & 255) as i32 - 128 }
}

#[inline(always)]
fn join(one: Bounds, other: Bounds) -> Bounds {
    Bounds { low: one.low.max(other.low), high: one.high.min(other.high) }
}
