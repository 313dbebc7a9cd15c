//! Static evaluations of positions met before, as the 2014 report keeps them.
//!
//! The cache is exact and shared by the threads: it never forgets, and stops learning when it is full, so
//! that the number of its keys is the number of different positions evaluated.

use crate::score::Score;
use outplay_core::Game;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

const SHARDS: usize = 64;

/// Scores by position.
pub(crate) struct Cache<G: Game> {
    shards: Vec<Mutex<FxHashMap<G::Position, Score>>>,
    most: usize,
}

impl<G: Game> Cache<G> {
    /// A cache for about `most` positions.
    pub(crate) fn new(most: usize) -> Cache<G> {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Cache { shards, most: most.div_ceil(SHARDS) }
    }

    /// The score of a position, and whether it was known.
    pub(crate) fn score(&self, key: u64, pos: &G::Position, judge: impl FnOnce() -> Score) -> (Score, bool) {
        let shard = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        // A poisoned lock only means that an evaluation panicked, which the map does not feel.
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

    /// How many positions are kept.
    pub(crate) fn keys(&self) -> u64 {
        let len = |shard: &Mutex<FxHashMap<G::Position, Score>>| {
            shard.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).len() as u64
        };
        self.shards.iter().map(len).sum()
    }
}
