//! Sharded hash map with incremental growth: no insertion ever rehashes more than one shard.
//!
//! ```text
//! hash ─┬─ 12 bits ──▶ one of 4096 small hash maps (shards)     a map that doubles moves all its entries,
//!       └─ the rest ─▶ bucket in the shard                      a shard 1/4096 of them
//! ```
//!
//! An ordinary map of 100 million positions blocks for seconds when it doubles, and holds the old and the new memory
//! at once. Kernels with a memory budget and a polling interval cannot afford either.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Entries up to which there is a single map: it doubles in a few milliseconds even where a key is a large board.
const SMALL: usize = 1 << 10;
/// Number of shards beyond that.
const PARTS: usize = 1 << 12;

/// Drops a large value on another thread: freeing gigabytes takes seconds.
pub fn discard<T: Send + 'static>(waste: T) {
    // If the thread cannot start, the closure and the value are dropped here.
    let _ = std::thread::Builder::new().spawn(move || drop(waste));
}

/// Error: memory allocation failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoMemory;

/// A hash map in shards, so that no insertion takes long.
#[derive(Clone, Debug)]
pub struct ShardedMap<K, V> {
    /// One shard, or [`PARTS`].
    parts: Vec<FxHashMap<K, V>>,
    len: usize,
}

impl<K, V> Default for ShardedMap<K, V> {
    fn default() -> Self {
        ShardedMap { parts: vec![FxHashMap::default()], len: 0 }
    }
}

impl<K, V> ShardedMap<K, V> {
    /// Bytes per entry when a shard has just doubled and is least full, without the heap memory of keys and values.
    pub const ENTRY_BYTES: usize = (size_of::<(K, V)>() + 1) * 16 / 7 + 1;

    /// Drops all entries, on another thread if there are many.
    pub fn discard(self)
    where
        K: Send + 'static,
        V: Send + 'static,
    {
        if self.len > 1 << 16 {
            discard(self);
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All entries, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.parts.iter().flatten()
    }
}

impl<K: Hash + Eq, V> ShardedMap<K, V> {
    #[inline]
    fn part(&self, key: &K) -> usize {
        if self.parts.len() == 1 {
            return 0;
        }
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        // The shards' maps use the bits of the hash itself; the product provides independent ones.
        (hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % PARTS
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.parts[self.part(key)].get(key)
    }

    /// The value of a key, mutably.
    #[inline]
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let part = self.part(key);
        self.parts[part].get_mut(key)
    }

    /// Whether the key has an entry.
    #[inline]
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key and returns the one it had.
    ///
    /// # Errors
    ///
    /// A failed allocation.
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
    fn sharded_map_behaves_like_a_map() {
        let mut map: ShardedMap<u64, u64> = ShardedMap::default();
        assert!(map.is_empty());
        for n in 0..200_000 {
            assert_eq!(map.insert(n * n, n), Ok(None));
        }
        assert_eq!(map.insert(49, 8), Ok(Some(7)));
        *map.get_mut(&64).unwrap() = 9;
        assert_eq!((map.get(&49), map.get(&64), map.get(&65)), (Some(&8), Some(&9), None));
        assert_eq!((map.len(), map.iter().count()), (200_000, 200_000));
        assert!((10..200_000).all(|n| map.get(&(n * n)) == Some(&n)));
        assert!(map.contains_key(&100) && !map.contains_key(&101));
    }

    #[test]
    fn shards_are_balanced() {
        let mut map: ShardedMap<(u32, u32), ()> = ShardedMap::default();
        for n in 0..1000 {
            (0..1000).for_each(|m| assert!(map.insert((n, m), ()).is_ok()));
        }
        let largest = map.parts.iter().map(FxHashMap::len).max();
        assert!(largest.is_some_and(|largest| largest < 1000), "{largest:?}");
        let capacity: usize = map.parts.iter().map(FxHashMap::capacity).sum();
        let bytes = capacity * 8 / 7 * (size_of::<(u32, u32)>() + 1);
        assert!(bytes <= map.len() * ShardedMap::<(u32, u32), ()>::ENTRY_BYTES, "{bytes}");
    }
}
