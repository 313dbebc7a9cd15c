//! Cache of static evaluations, with exact keys, sharded.
//!
//! All threads share the cache. It never evicts, and stops inserting when it is full; until then the number of its keys
//! is the number of distinct positions evaluated, a statistic of Mishra (2014).

use crate::score::Score;
use outplay_core::Game;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

const SHARDS: usize = 64;

/// Static evaluations by position.
pub(crate) struct EvaluationCache<G: Game> {
    shards: Vec<Mutex<FxHashMap<G::Position, Score>>>,
    most: usize,
}

impl<G: Game> EvaluationCache<G> {
    /// Creates a cache for about `most` positions.
    pub(crate) fn new(most: usize) -> EvaluationCache<G> {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        EvaluationCache { shards, most: most.div_ceil(SHARDS) }
    }

    /// Returns the score of a position, and whether it was a hit.
    pub(crate) fn score(&self, key: u64, pos: &G::Position, judge: impl FnOnce() -> Score) -> (Score, bool) {
        let shard = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        // A poisoned lock only means that an evaluation panicked; the map is intact.
        let mut known = self.shards[shard as usize].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&score) = known.get(pos) {
            return (score, true);
        }
        let score = judge();
        if known.len() < self.most {
            known.insert(pos.clone(), score);
        }
        (score, false)
    }

    /// Number of positions in the cache.
    pub(crate) fn keys(&self) -> u64 {
        let len = |shard: &Mutex<FxHashMap<G::Position, Score>>| {
            shard.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).len() as u64
        };
        self.shards.iter().map(len).sum()
    }
}
