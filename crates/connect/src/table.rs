#![allow(unsafe_code)]
//! What the search remembers: bounds on the score of positions it has left.
//!
//! ```text
//! key (N bits) ── × odd number mod 2^N ──┬─ top bits ──> bucket: one cache line of entries
//!                                        └─ the rest ──> tag, stored in full
//! entry of 64 bits:   tag | work (5) | high (7) | low (7)          8 entries to a bucket
//! entry of 128 bits:  tag (64)  and  tag (≤ 43) | work (5) | high (8) | low (8)     4 to a bucket
//! ```
//!
//! Multiplying by an odd number is one-to-one, so bucket and tag together are the key: two positions are
//! never taken for each other. A bucket keeps the entries that cost most work to find.
//!
//! Several threads share the table without waiting. An entry of 64 bits is one relaxed atomic word and
//! is never torn. Two threads that write to one bucket at once may overwrite each other's entry, or store
//! one position twice with different bounds: what is lost is work, and every bound found is true. An
//! entry of 128 bits takes two words, so a bucket is locked while it is read or written; a thread that
//! finds it locked goes on as if the position were not there.

use crate::bits::Bits;
use memmap2::MmapMut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// Words in a bucket: a cache line.
const BUCKET: usize = 8;
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
    bucket_bits: u32,
}

impl Table {
    /// Room for about `entries` positions whose keys have `key_bits` bits.
    pub(crate) fn new(entries: usize, key_bits: u32) -> Table {
        let wide = key_bits > 64;
        let per_bucket = if wide { BUCKET / 2 } else { BUCKET };
        // The tag must fit into what the bounds leave of an entry.
        let least = key_bits.saturating_sub(if wide { 64 + 43 } else { 45 });
        let asked = (entries / per_bucket).max(1).ilog2();
        let bucket_bits = asked.max(least).min(key_bits - 1).max(1);
        let bytes = (BUCKET * 8) << bucket_bits;
        let memory = MmapMut::map_anon(bytes).unwrap_or_else(|error| {
            panic!("no memory for a search table of {bytes} bytes ({error}); ask for fewer entries")
        });
        // Large pages spare most of the address translations; without them all works the same.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        let locks = if wide { (0..LOCKS).map(|_| AtomicBool::new(false)).collect() } else { Vec::new() };
        let mut table = Table { memory, locks, key_bits, bucket_bits };
        table.clear();
        table
    }

    /// Whether the table was made for such keys.
    pub(crate) fn fits(&self, key_bits: u32) -> bool {
        self.key_bits == key_bits
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.memory.fill(0);
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
        let rest = self.key_bits - self.bucket_bits;
        if B::WIDTH == 64 {
            let mixed = (key.wide() as u64).wrapping_mul((MIX >> 64) as u64) & u64::low(self.key_bits);
            ((mixed >> rest) as usize * BUCKET, (mixed & u64::low(rest)) as u128)
        } else {
            let mixed = key.wide().wrapping_mul(MIX) & u128::low(self.key_bits);
            ((mixed >> rest) as usize * BUCKET, mixed & u128::low(rest))
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
            let tag = tag as u64;
            bucket
                .iter()
                .map(|word| word.load(Relaxed))
                .find(|&e| e >> 19 == tag && e != 0)
                .map(narrow_bounds)
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
                let cost = if entry == 0 { 0 } else { 1 + (entry >> 14 & 31) };
                if entry >> 19 == tag && entry != 0 {
                    joined = (join(bounds, narrow_bounds(entry)), work.max(entry >> 14 & 31));
                    victim = slot;
                    break;
                }
                if cost < least {
                    (victim, least) = (slot, cost);
                }
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
