//! A hash map that grows a little at a time.
//!
//! ```text
//! hash ─┬─ 12 bits ──▶ part: one of 4096 small hash maps     a map that doubles moves all it holds,
//!       └─ the rest ─▶ place in it                           a part a four-thousandth of that
//! ```
//!
//! An ordinary map of a hundred million positions stands still for seconds when it doubles, and holds the old
//! and the new memory at once. Kernels that keep a budget cannot have either.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Entries up to which one map holds all: it doubles in a few milliseconds even where a key is a large board.
const SMALL: usize = 1 << 10;
/// Parts beyond.
const PARTS: usize = 1 << 12;

/// Drops something large while somebody else works: giving gigabytes back takes long as well.
pub fn discard<T: Send + 'static>(waste: T) {
    // Without a thread the waste is dropped here, with the closure.
    let _ = std::thread::Builder::new().spawn(move || drop(waste));
}

/// The system has no more memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoMemory;

/// A hash map whose insertions never take long.
#[derive(Clone, Debug)]
pub struct Ledger<K, V> {
    /// One part, or [`PARTS`].
    parts: Vec<FxHashMap<K, V>>,
    len: usize,
}

impl<K, V> Default for Ledger<K, V> {
    fn default() -> Self {
        Ledger { parts: vec![FxHashMap::default()], len: 0 }
    }
}

impl<K, V> Ledger<K, V> {
    /// Bytes that an entry takes where a map has just doubled and is least full, what keys and values keep
    /// elsewhere not counted.
    pub const ENTRY_BYTES: usize = (size_of::<(K, V)>() + 1) * 16 / 7 + 1;

    /// Drops all entries, on another thread if they are many.
    pub fn discard(self)
    where
        K: Send + 'static,
        V: Send + 'static,
    {
        if self.len > 1 << 16 {
            discard(self);
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All entries, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.parts.iter().flatten()
    }
}

impl<K: Hash + Eq, V> Ledger<K, V> {
    #[inline]
    fn part(&self, key: &K) -> usize {
        if self.parts.len() == 1 {
            return 0;
        }
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        // The maps use the bits of the hash itself; the product makes others of them.
        (hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % PARTS
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.parts[self.part(key)].get(key)
    }

    /// The value of a key, to be changed.
    #[inline]
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let part = self.part(key);
        self.parts[part].get_mut(key)
    }

    /// Whether the key is there.
    #[inline]
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key and returns the one it had.
    ///
    /// # Errors
    ///
    /// There is no memory for one more.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Result<Option<V>, NoMemory> {
        if self.len >= SMALL && self.parts.len() == 1 {
            self.split()?;
        }
        let part = self.part(&key);
        let part = &mut self.parts[part];
        if part.len() == part.capacity() {
            part.try_reserve(1).map_err(|_| NoMemory)?;
        }
        let before = part.insert(key, value);
        self.len += usize::from(before.is_none());
        Ok(before)
    }

    #[cold]
    fn split(&mut self) -> Result<(), NoMemory> {
        let mut parts = Vec::new();
        parts.try_reserve_exact(PARTS).map_err(|_| NoMemory)?;
        parts.resize_with(PARTS, FxHashMap::default);
        for (key, value) in std::mem::replace(&mut self.parts, parts).into_iter().flatten() {
            let part = self.part(&key);
            self.parts[part].insert(key, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_is_a_map() {
        let mut ledger: Ledger<u64, u64> = Ledger::default();
        assert!(ledger.is_empty());
        for n in 0..200_000 {
            assert_eq!(ledger.insert(n * n, n), Ok(None));
        }
        assert_eq!(ledger.insert(49, 8), Ok(Some(7)));
        *ledger.get_mut(&64).unwrap() = 9;
        assert_eq!((ledger.get(&49), ledger.get(&64), ledger.get(&65)), (Some(&8), Some(&9), None));
        assert_eq!((ledger.len(), ledger.iter().count()), (200_000, 200_000));
        assert!((10..200_000).all(|n| ledger.get(&(n * n)) == Some(&n)));
        assert!(ledger.contains_key(&100) && !ledger.contains_key(&101));
    }

    #[test]
    fn no_part_is_much_larger_than_the_others() {
        let mut ledger: Ledger<(u32, u32), ()> = Ledger::default();
        for n in 0..1000 {
            (0..1000).for_each(|m| assert!(ledger.insert((n, m), ()).is_ok()));
        }
        let largest = ledger.parts.iter().map(FxHashMap::len).max();
        assert!(largest.is_some_and(|largest| largest < 1000), "{largest:?}");
        let capacity: usize = ledger.parts.iter().map(FxHashMap::capacity).sum();
        let bytes = capacity * 8 / 7 * (size_of::<(u32, u32)>() + 1);
        assert!(bytes <= ledger.len() * Ledger::<(u32, u32), ()>::ENTRY_BYTES, "{bytes}");
    }
}
