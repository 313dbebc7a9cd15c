//! Distributed slab store: slabs partitioned over the ranks of a communicator.
//!
//! A *slab* is a group of consecutive shapes (sets of occupied cells) of a tier that is computed and stored as a whole.
//!
//! ```text
//!  slabs of a tier   0 1 2 3 │ 4 5 6 │ 7 8 9 …
//!  ranks                0    │   1   │   2
//! ```
//!
//! Each rank computes one contiguous range of slabs, because consecutive slabs read the same slabs of the next tier,
//! and each rank that reads a slab has to unpack it. The ranges take about equal work rather than equal numbers of
//! slabs, since making mirror images is work too, and some slabs have more of them.
//!
//! There is no barrier between tiers: a request for a slab that is not computed yet is retried. A tier's slabs are kept
//! until all ranks have read them, so at the end of a tier the ranks are at most one tier apart.
//!
//! In a store that was written with another number of ranks, slabs lie on other ranks than the current partition
//! assigns them to. The ranks therefore exchange the lists of their slabs once, at the start.
//!
//! Invariant: a requested slab exists or will be computed without depending on the requester, so there is no deadlock.

use crate::DenseError;
use crate::slab_store::{Part, SlabBytes, SlabKey, SlabStore};
use outplay_runtime::communicator::{pack, unpack};
use outplay_runtime::{Communicator, RequestHandler};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Slab store of all ranks, as seen by one of them.
#[derive(Debug)]
pub(crate) struct DistributedStore {
    own: Arc<dyn SlabStore>,
    pub(crate) crew: Arc<dyn Communicator>,
    /// Owner of each part that existed at the start.
    found: Mutex<FxHashMap<SlabKey, usize>>,
    /// By tier and slab: the rank that computes it.
    ranks: OnceLock<Vec<Vec<u16>>>,
    /// Bytes received from other ranks.
    moved: AtomicU64,
    /// Number of tiers whose values this rank has computed.
    done: Arc<AtomicU64>,
    /// Prefetch in progress.
    ahead: Mutex<Option<PrefetchThread>>,
}

/// Thread that fetches parts.
type PrefetchThread = JoinHandle<Vec<(SlabKey, SlabBytes)>>;

/// Delay before a request is retried.
const RETRY_DELAY: Duration = Duration::from_micros(200);

/// Request handler for a rank's own slabs.
struct SlabServer {
    store: Arc<dyn SlabStore>,
    done: Arc<AtomicU64>,
}

impl RequestHandler for SlabServer {
    /// Returns the lengths of the requested parts, then the parts; an empty reply if some are not computed
    /// yet. An empty request returns the number of finished tiers.
    fn answer(&self, question: &[u8]) -> Result<Vec<u8>, String> {
        let numbers: Vec<u64> = unpack(question).collect();
        if numbers.is_empty() {
            return Ok(pack(&[self.done.load(Acquire)]));
        }
        let keys: Option<Vec<SlabKey>> = numbers.chunks(3).map(key).collect();
        let keys = keys.ok_or("another rank sent an invalid slab request")?;
        if !keys.iter().all(|key| self.store.has(key.finished())) {
            return Ok(Vec::new());
        }
        let parts = self.store.get_all(&keys)?;
        let lengths: Vec<u64> = parts.iter().map(|part| part.len() as u64).collect();
        // Room for the few bytes that the transport adds.
        let mut answer = Vec::with_capacity(lengths.iter().sum::<u64>() as usize + 8 * lengths.len() + 16);
        answer.extend_from_slice(&pack(&lengths));
        parts.iter().for_each(|part| answer.extend_from_slice(part));
        Ok(answer)
    }
}

/// Splits a reply into `count` parts; `None` if it is malformed.
fn parts(answer: &SlabBytes, count: usize) -> Option<Vec<SlabBytes>> {
    let lengths: Vec<u64> = unpack(answer.get(..count.checked_mul(8)?)?).collect();
    let (mut parts, mut at) = (Vec::with_capacity(count), 8 * count);
    for length in lengths {
        let end = at.checked_add(usize::try_from(length).ok()?)?;
        parts.push(answer.part(at..end)?);
        at = end;
    }
    (at == answer.len()).then_some(parts)
}

fn numbers(key: SlabKey) -> [u64; 3] {
    [key.part as u64, key.tier as u64, key.slab as u64]
}

fn key(numbers: &[u64]) -> Option<SlabKey> {
    let &[part, tier, slab] = numbers else { return None };
    let part = Part::ALL.into_iter().find(|&known| known as u64 == part)?;
    Some(SlabKey { part, tier: tier as usize, slab: slab as usize })
}

impl DistributedStore {
    /// Exchanges inventories with the other ranks and starts to serve requests.
    pub(crate) fn new(
        own: Arc<dyn SlabStore>,
        crew: Arc<dyn Communicator>,
    ) -> Result<DistributedStore, DenseError> {
        let done = Arc::new(AtomicU64::new(0));
        crew.serve(Some(Arc::new(SlabServer { store: own.clone(), done: done.clone() })));
        let mine: Vec<u64> = own.keys().into_iter().flat_map(numbers).collect();
        let mut found = FxHashMap::default();
        let inventories = crew.all_gather(&pack(&mine)).map_err(|why| DenseError::SlabStore { why })?;
        for (rank, bytes) in inventories.iter().enumerate() {
            let numbers: Vec<u64> = unpack(bytes).collect();
            let keys: FxHashSet<SlabKey> = numbers.chunks(3).filter_map(key).collect();
            // A slab without its census is computed again, by the rank it is assigned to.
            for &key in keys.iter().filter(|key| keys.contains(&key.finished())) {
                found.entry(key).or_insert(rank);
            }
        }
        let (found, moved) = (Mutex::new(found), AtomicU64::new(0));
        Ok(DistributedStore {
            own,
            crew,
            found,
            ranks: OnceLock::new(),
            moved,
            done,
            ahead: Mutex::default(),
        })
    }

    /// Partitions the slabs of each tier by their work.
    pub(crate) fn assign(&self, work: &[Vec<u64>]) {
        // Called once, so the cell is empty.
        let _ = self.ranks.set(work.iter().map(|work| stretches(work, self.crew.size())).collect());
    }

    /// Returns the rank that computes a slab.
    pub(crate) fn rank_of(&self, tier: usize, slab: usize) -> usize {
        let tier = self.ranks.get().and_then(|ranks| ranks.get(tier));
        tier.and_then(|ranks| ranks.get(slab)).copied().unwrap_or(0).into()
    }

    /// Returns the slabs of a tier that this rank computes, in order. The order is reversed on even ranks, so that both
    /// sides of a border are computed at the same end of the tier, and slabs requested there are a whole tier old.
    pub(crate) fn mine(&self, tier: usize) -> Vec<usize> {
        let rank = self.crew.rank();
        let slabs = self.ranks.get().and_then(|ranks| ranks.get(tier)).map_or(0, Vec::len);
        let mut mine: Vec<usize> = (0..slabs).filter(|&slab| self.rank_of(tier, slab) == rank).collect();
        if rank.is_multiple_of(2) {
            mine.reverse();
        }
        mine
    }

    /// Bytes received from other ranks.
    pub(crate) fn moved(&self) -> u64 {
        self.moved.load(Relaxed)
    }

    /// Reports that one more tier has its values, and waits until all ranks have those of the tier before.
    pub(crate) fn tier_done(&self) -> Result<(), String> {
        let done = self.done.fetch_add(1, AcqRel);
        for rank in (0..self.crew.size()).filter(|&rank| rank != self.crew.rank()) {
            while unpack(&self.crew.ask(rank, &[])?).next().unwrap_or(0) < done {
                std::thread::sleep(RETRY_DELAY);
            }
        }
        Ok(())
    }

    /// Starts prefetching parts that other ranks hold.
    pub(crate) fn fetch_ahead(self: &Arc<DistributedStore>, mut keys: Vec<SlabKey>) {
        keys.retain(|&key| self.holder(key) != self.crew.rank());
        let this = self.clone();
        // A failed prefetch is fetched again on demand, where its error is reported.
        let fetch = move || match this.fetch(&keys) {
            Ok(parts) => keys.into_iter().zip(parts).collect(),
            Err(_) => Vec::new(),
        };
        *self.ahead() = Some(std::thread::spawn(fetch));
    }

    fn ahead(&self) -> MutexGuard<'_, Option<PrefetchThread>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches parts from their owners.
    fn fetch(&self, keys: &[SlabKey]) -> Result<Vec<SlabBytes>, String> {
        let mut got = vec![SlabBytes::from(Vec::new()); keys.len()];
        let owners: Vec<usize> = keys.iter().map(|&key| self.holder(key)).collect();
        for rank in (0..self.crew.size()).filter(|rank| owners.contains(rank)) {
            let places: Vec<usize> = (0..keys.len()).filter(|&place| owners[place] == rank).collect();
            let these: Vec<SlabKey> = places.iter().map(|&place| keys[place]).collect();
            let parts = match rank == self.crew.rank() {
                true => self.own.get_all(&these)?,
                false => self.request(rank, &these)?,
            };
            for (place, part) in places.into_iter().zip(parts) {
                got[place] = part;
            }
        }
        Ok(got)
    }

    /// Requests parts from another rank until it has them.
    fn request(&self, rank: usize, keys: &[SlabKey]) -> Result<Vec<SlabBytes>, String> {
        let request: Vec<u64> = keys.iter().copied().flat_map(numbers).collect();
        loop {
            let answer = self.crew.ask(rank, &pack(&request))?;
            if !answer.is_empty() {
                self.moved.fetch_add(answer.len() as u64, Relaxed);
                return parts(&answer.into(), keys.len())
                    .ok_or_else(|| format!("rank {rank} sent an incomplete slab"));
            }
            std::thread::sleep(RETRY_DELAY);
        }
    }

    /// Whether some rank held a part of a finished slab at the start; all ranks agree on that.
    pub(crate) fn held_at_start(&self, key: SlabKey) -> bool {
        self.found().contains_key(&key)
    }

    /// Returns the owner of a part.
    fn holder(&self, key: SlabKey) -> usize {
        if self.own.has(key) {
            return self.crew.rank();
        }
        let found = self.found().get(&key).copied();
        found.unwrap_or_else(|| self.rank_of(key.tier, key.slab))
    }

    fn found(&self) -> MutexGuard<'_, FxHashMap<SlabKey, usize>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DistributedStore {
    fn drop(&mut self) {
        self.crew.serve(None);
    }
}

impl SlabStore for DistributedStore {
    fn has(&self, key: SlabKey) -> bool {
        self.own.has(key) || self.found().contains_key(&key)
    }

    fn get(&self, key: SlabKey) -> Result<SlabBytes, String> {
        let mut parts = self.get_all(&[key])?;
        parts.pop().ok_or_else(|| "a slab is missing".into())
    }

    fn get_all(&self, keys: &[SlabKey]) -> Result<Vec<SlabBytes>, String> {
        let ahead = self.ahead().take().and_then(|ahead| ahead.join().ok());
        let mut there: FxHashMap<SlabKey, SlabBytes> = ahead.into_iter().flatten().collect();
        let missing: Vec<SlabKey> = keys.iter().copied().filter(|key| !there.contains_key(key)).collect();
        there.extend(missing.iter().copied().zip(self.fetch(&missing)?));
        let part = |key: &SlabKey| there.remove(key).ok_or_else(|| "a slab was requested twice".into());
        keys.iter().map(part).collect()
    }

    fn put(&self, key: SlabKey, bytes: SlabBytes) -> Result<(), String> {
        self.own.put(key, bytes)
    }

    fn forget(&self, part: Part, tier: usize) -> Result<(), String> {
        self.found().retain(|key, _| (key.part, key.tier) != (part, tier));
        self.own.forget(part, tier)
    }

    fn keys(&self) -> Vec<SlabKey> {
        self.own.keys()
    }

    fn bytes(&self) -> (u64, u64) {
        self.own.bytes()
    }
}

/// Partitions slabs into contiguous stretches of about equal work: a slab goes where its midpoint falls.
fn stretches(work: &[u64], ranks: usize) -> Vec<u16> {
    let all = work.iter().sum::<u64>().max(1);
    let mut before = 0;
    let rank = |&work: &u64| {
        let middle = 2 * before + work;
        before += work;
        (middle * ranks as u64 / (2 * all)).min(ranks as u64 - 1) as u16
    };
    work.iter().map(rank).collect()
}

/// In-memory slab store, for ranks that write no table.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore {
    slabs: Mutex<FxHashMap<SlabKey, SlabBytes>>,
}

impl MemoryStore {
    fn slabs(&self) -> MutexGuard<'_, FxHashMap<SlabKey, SlabBytes>> {
        self.slabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlabStore for MemoryStore {
    fn has(&self, key: SlabKey) -> bool {
        self.slabs().contains_key(&key)
    }

    fn get(&self, key: SlabKey) -> Result<SlabBytes, String> {
        let found = self.slabs().get(&key).cloned();
        found.ok_or_else(|| format!("slab {} of tier {} is missing", key.slab, key.tier))
    }

    fn put(&self, key: SlabKey, bytes: SlabBytes) -> Result<(), String> {
        self.slabs().insert(key, bytes);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_split_into_their_parts() {
        let store = Arc::new(MemoryStore::default());
        let own = SlabServer { store: store.clone(), done: Arc::new(AtomicU64::new(7)) };
        let key = |part, slab| SlabKey { part, tier: 3, slab };
        let keys = [0, 1, 2].map(|slab| key(Part::Values, slab));
        let request: Vec<u64> = keys.into_iter().flat_map(numbers).collect();
        for (slab, bytes) in [vec![1, 2, 3], vec![], vec![4]].into_iter().enumerate() {
            assert_eq!(own.answer(&pack(&request)), Ok(Vec::new()), "slab {slab} is not there yet");
            store.put(key(Part::Values, slab), bytes.into()).expect("memory");
            store.put(key(Part::ValueCensus, slab), vec![].into()).expect("memory");
        }
        let answer = own.answer(&pack(&request)).expect("all are there");
        let answer = SlabBytes::from(answer);
        let found: Vec<Vec<u8>> =
            parts(&answer, 3).expect("parts").iter().map(|part| part.to_vec()).collect();
        assert_eq!(found, [vec![1, 2, 3], vec![], vec![4]]);
        for cut in 0..answer.len() {
            assert_eq!(parts(&answer[..cut].to_vec().into(), 3), None);
        }
        assert_eq!(parts(&vec![255; 40].into(), 2), None);
        assert_eq!(own.answer(&[]), Ok(pack(&[7])));
        // A slab that existed and was removed is an error, so that no rank waits for it.
        store.forget(Part::Values, 3).expect("memory");
        assert!(own.answer(&pack(&request)).is_err());
    }

    #[test]
    fn stretches_have_about_the_same_work() {
        assert_eq!(stretches(&[1; 6], 3), [0, 0, 1, 1, 2, 2]);
        assert_eq!(stretches(&[3, 1, 1, 1], 2), [0, 1, 1, 1]);
        assert_eq!(stretches(&[5], 4), [2]);
        assert_eq!(stretches(&[0, 0], 2), [0, 0]);
        assert_eq!(stretches(&[], 2), []);
        for ranks in 1..8 {
            let work: Vec<u64> = (0..100).map(|slab| 10 + slab * slab % 17).collect();
            let this = stretches(&work, ranks);
            assert!(this.is_sorted());
            let fair = work.iter().sum::<u64>() / ranks as u64;
            for rank in 0..ranks as u16 {
                let own: u64 = work.iter().zip(&this).filter(|slab| *slab.1 == rank).map(|slab| slab.0).sum();
                assert!(own.abs_diff(fair) <= 27, "rank {rank} of {ranks} has {own} instead of {fair}");
            }
        }
    }
}
