//! Cache of shared values with least-recently-used eviction.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shared values by key; the least recently used one is evicted.
///
/// For a handful of large values: look-ups are linear.
pub(crate) struct Cache<K, V> {
    /// The most recently used first.
    entries: Mutex<Vec<(K, Arc<V>)>>,
    capacity: usize,
}

impl<K: PartialEq, V> Cache<K, V> {
    pub(crate) fn new(capacity: usize) -> Cache<K, V> {
        Cache { entries: Mutex::default(), capacity }
    }

    /// Recovers from a poisoned mutex: an entry is replaced as a whole, so a panic elsewhere leaves the list
    /// consistent.
    fn entries(&self) -> MutexGuard<'_, Vec<(K, Arc<V>)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value of a key and makes it the most recently used one.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = self.entries();
        let at = entries.iter().position(|(known, _)| known == key)?;
        let entry = entries.remove(at);
        let value = entry.1.clone();
        entries.insert(0, entry);
        Some(value)
    }

    /// Adds a value as the most recently used one, in place of another with the same key.
    pub(crate) fn insert(&self, key: K, value: Arc<V>) {
        let mut entries = self.entries();
        entries.retain(|(known, _)| *known != key);
        entries.insert(0, (key, value));
        entries.truncate(self.capacity);
    }

    /// Returns the value of a key, computing it on a miss.
    pub(crate) fn get_or_insert(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let made: Result<Arc<V>, Infallible> = self.get_or_try_insert(key, || Ok(make()));
        match made {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// The same with a fallible computation. Of two threads that miss, the second waits.
    pub(crate) fn get_or_try_insert<E>(
        &self,
        key: K,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        let mut entries = self.entries();
        if let Some((_, value)) = entries.iter().find(|(known, _)| *known == key) {
            return Ok(value.clone());
        }
        let value = Arc::new(make()?);
        entries.insert(0, (key, value.clone()));
        entries.truncate(self.capacity);
        Ok(value)
    }

    /// Returns the value of a key. On a miss it is looked for without a lock, and kept if `stays` is true of it.
    pub(crate) fn get_or_find<E>(
        &self,
        key: K,
        find: impl FnOnce() -> Result<Option<V>, E>,
        stays: impl FnOnce(&V) -> bool,
    ) -> Result<Option<Arc<V>>, E> {
        if let Some(known) = self.get(&key) {
            return Ok(Some(known));
        }
        let found = find()?.map(Arc::new);
        if let Some(value) = found.as_ref().filter(|value| stays(value)) {
            self.insert(key, value.clone());
        }
        Ok(found)
    }

    /// All values, the most recently used first.
    pub(crate) fn values(&self) -> Vec<Arc<V>> {
        self.entries().iter().map(|(_, value)| value.clone()).collect()
    }

    /// Drops the values for which `keep` is false.
    pub(crate) fn retain(&self, keep: impl Fn(&V) -> bool) {
        self.entries().retain(|(_, value)| keep(value));
    }

    /// Drops the value of a key.
    pub(crate) fn remove(&self, key: &K) {
        self.entries().retain(|(known, _)| known != key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(cache: &Cache<u32, u32>) -> Vec<u32> {
        cache.values().iter().map(|value| **value).collect()
    }

    #[test]
    fn least_recently_used_value_is_evicted() {
        let cache = Cache::new(2);
        cache.insert(1, Arc::new(1));
        cache.insert(2, Arc::new(2));
        assert_eq!(cache.get(&1).as_deref(), Some(&1));
        cache.insert(3, Arc::new(3));
        assert_eq!(keys(&cache), [3, 1]);
        assert_eq!(cache.get(&2), None);
    }

    #[test]
    fn a_value_is_replaced_and_removed() {
        let cache = Cache::new(2);
        cache.insert(1, Arc::new(1));
        cache.insert(1, Arc::new(5));
        assert_eq!(keys(&cache), [5]);
        cache.remove(&1);
        assert!(keys(&cache).is_empty());
    }

    #[test]
    fn miss_computes_once_and_error_caches_nothing() {
        let cache: Cache<u32, u32> = Cache::new(2);
        assert_eq!(cache.get_or_try_insert(1, || Err("no")), Err("no"));
        assert_eq!(cache.get_or_try_insert(1, || Ok::<_, ()>(7)).as_deref(), Ok(&7));
        assert_eq!(cache.get_or_try_insert(1, || Ok::<_, ()>(8)).as_deref(), Ok(&7));
    }
}
