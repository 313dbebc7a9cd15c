//! Slabs dealt over the ranks of a crew: each keeps its own, and asks the others for theirs.
//!
//! ```text
//!  slabs of a tier   0 1 │ 2 3 │ 4 5 │ 6 7 │ 8 9 │ …
//!  ranks              0  │  1  │  2  │  2  │  1  │ 0
//! ```
//!
//! Neighbouring slabs share neighbours, so a rank has stretches of them; those at the ends of a tier are emptier than those
//! in the middle or fuller, so it has two, folded.
//!
//! After a run with more or fewer ranks slabs lie elsewhere than they would now; who has what is told once, when the
//! work begins.
//!
//! Invariant: a slab that is asked for is there, because the ranks meet between the tiers.

use crate::DenseError;
use crate::depot::{Depot, Key, Part};
use outplay_core::crew::{pack, unpack};
use outplay_core::{Clerk, Crew};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The slabs of all ranks as one of them sees them.
#[derive(Debug)]
pub(crate) struct Dealt {
    own: Arc<dyn Depot>,
    pub(crate) crew: Arc<dyn Crew>,
    /// Who has what was there when the work began.
    found: Mutex<FxHashMap<Key, usize>>,
    /// By tier: how many slabs there are.
    counts: OnceLock<Vec<usize>>,
    /// Bytes that came from other ranks.
    moved: AtomicU64,
}

/// Answers for a rank's own slabs.
struct Own(Arc<dyn Depot>);

impl Clerk for Own {
    fn answer(&self, question: &[u8]) -> Result<Vec<u8>, String> {
        let numbers: Vec<u64> = unpack(question).collect();
        let key = key(&numbers).ok_or("another rank asks for what is no slab")?;
        self.0.get(key)
    }
}

fn numbers(key: Key) -> [u64; 3] {
    [key.part as u64, key.tier as u64, key.slab as u64]
}

fn key(numbers: &[u64]) -> Option<Key> {
    let &[part, tier, slab] = numbers else { return None };
    let part = Part::ALL.into_iter().find(|&known| known as u64 == part)?;
    Some(Key { part, tier: tier as usize, slab: slab as usize })
}

impl Dealt {
    /// Tells the others what is here, and answers them from now on.
    pub(crate) fn new(own: Arc<dyn Depot>, crew: Arc<dyn Crew>) -> Result<Dealt, DenseError> {
        crew.serve(Some(Arc::new(Own(own.clone()))));
        let mine: Vec<u64> = own.keys().into_iter().flat_map(numbers).collect();
        let mut found = FxHashMap::default();
        let told = crew.gather(&pack(&mine)).map_err(|why| DenseError::Depot { why })?;
        for (rank, bytes) in told.iter().enumerate() {
            let numbers: Vec<u64> = unpack(bytes).collect();
            for key in numbers.chunks(3).filter_map(key) {
                found.entry(key).or_insert(rank);
            }
        }
        Ok(Dealt { own, crew, found: Mutex::new(found), counts: OnceLock::new(), moved: AtomicU64::new(0) })
    }

    /// Says how many slabs the tiers have.
    pub(crate) fn deal(&self, counts: Vec<usize>) {
        // It is said once.
        let _ = self.counts.set(counts);
    }

    /// Who computes a slab.
    pub(crate) fn rank_of(&self, tier: usize, slab: usize) -> usize {
        let count = self.counts.get().and_then(|counts| counts.get(tier)).copied().unwrap_or(1);
        let stretches = 2 * self.crew.size();
        let stretch = slab * stretches / count.max(slab + 1);
        stretch.min(stretches - 1 - stretch)
    }

    /// Whether this rank computes a slab.
    pub(crate) fn is_mine(&self, tier: usize, slab: usize) -> bool {
        self.rank_of(tier, slab) == self.crew.rank()
    }

    /// Bytes that came from other ranks.
    pub(crate) fn moved(&self) -> u64 {
        self.moved.load(Relaxed)
    }

    fn found(&self) -> MutexGuard<'_, FxHashMap<Key, usize>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Dealt {
    fn drop(&mut self) {
        self.crew.serve(None);
    }
}

impl Depot for Dealt {
    fn has(&self, key: Key) -> bool {
        self.own.has(key) || self.found().contains_key(&key)
    }

    fn get(&self, key: Key) -> Result<Vec<u8>, String> {
        if self.own.has(key) {
            return self.own.get(key);
        }
        let found = self.found().get(&key).copied();
        let rank = found.unwrap_or_else(|| self.rank_of(key.tier, key.slab));
        if rank == self.crew.rank() {
            return self.own.get(key);
        }
        let bytes = self.crew.ask(rank, &pack(&numbers(key)))?;
        self.moved.fetch_add(bytes.len() as u64, Relaxed);
        Ok(bytes)
    }

    fn put(&self, key: Key, bytes: &[u8]) -> Result<(), String> {
        self.own.put(key, bytes)
    }

    fn forget(&self, part: Part, tier: usize) -> Result<(), String> {
        self.found().retain(|key, _| (key.part, key.tier) != (part, tier));
        self.own.forget(part, tier)
    }

    fn keys(&self) -> Vec<Key> {
        self.own.keys()
    }

    fn bytes(&self) -> (u64, u64) {
        self.own.bytes()
    }
}

/// Keeps slabs in memory, for ranks that write no table.
#[derive(Debug, Default)]
pub(crate) struct Pile {
    slabs: Mutex<FxHashMap<Key, Arc<[u8]>>>,
}

impl Pile {
    fn slabs(&self) -> MutexGuard<'_, FxHashMap<Key, Arc<[u8]>>> {
        self.slabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Depot for Pile {
    fn has(&self, key: Key) -> bool {
        self.slabs().contains_key(&key)
    }

    fn get(&self, key: Key) -> Result<Vec<u8>, String> {
        let found = self.slabs().get(&key).cloned();
        found
            .map(|bytes| bytes.to_vec())
            .ok_or_else(|| format!("slab {} of tier {} is gone", key.slab, key.tier))
    }

    fn put(&self, key: Key, bytes: &[u8]) -> Result<(), String> {
        self.slabs().insert(key, bytes.into());
        Ok(())
    }

    fn forget(&self, part: Part, tier: usize) -> Result<(), String> {
        self.slabs().retain(|key, _| (key.part, key.tier) != (part, tier));
        Ok(())
    }

    fn bytes(&self) -> (u64, u64) {
        let now = self.slabs().values().map(|bytes| bytes.len() as u64).sum();
        (now, now)
    }
}
