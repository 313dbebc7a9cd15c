//! Search statistics: nodes, evaluations, cut-offs, and hits of caches and tables.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Statistics of a search, with the names of Mishra (2014) where that report has one. A search without such an event
/// leaves the count at 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Nodes visited, transpositions counted each time, leaves included.
    pub nodes: u64,
    /// Positions evaluated without move generation: finished ones and those at the horizon.
    pub static_evaluations: u64,
    /// Positions evaluated from their successors.
    pub dynamic_evaluations: u64,
    /// Cut-offs at positions of the second player: the first player has a better alternative elsewhere.
    pub alpha_cutoffs: u64,
    /// Cut-offs at positions of the first player: the second player has a better alternative elsewhere.
    pub beta_cutoffs: u64,
    /// Cut-offs because the best possible payoff was found.
    pub best_payoff_cutoffs: u64,
    /// Cut-offs at chance nodes (Star1 and Star2, Ballard 1983): the expectation cannot return to the window.
    pub dice_cutoffs: u64,
    /// Distinct positions stored, in a cache of static evaluations or over all levels.
    pub distinct_keys: u64,
    /// Static evaluations that the cache answered.
    pub cache_hits: u64,
    /// Positions found in the transposition table, whether or not the entry caused a cut-off.
    pub table_hits: u64,
    /// Cut-offs by the transposition table.
    pub table_cutoffs: u64,
    /// Transposition table entries with the key of the probed position, but of another position.
    pub collisions: u64,
    /// Positions answered by a table on disk, a book or another source of values.
    pub probe_hits: u64,
    /// Nodes of quiescence search, beyond the horizon.
    pub quiescence_nodes: u64,
}

impl Counters {
    /// Whether only `nodes` is non-zero.
    pub fn is_bare(&self) -> bool {
        *self == Counters { nodes: self.nodes, ..Counters::default() }
    }

    /// Counts a cut-off at a position of the second player, or else of the first.
    #[inline]
    pub fn cut_off(&mut self, of_second: bool) {
        *(if of_second { &mut self.alpha_cutoffs } else { &mut self.beta_cutoffs }) += 1;
    }

    /// Every count other than 0, with a label.
    pub fn words(&self) -> Vec<(u64, &'static str)> {
        let all = [
            (self.static_evaluations, "static evaluations"),
            (self.dynamic_evaluations, "dynamic evaluations"),
            (self.alpha_cutoffs, "alpha cut-offs"),
            (self.beta_cutoffs, "beta cut-offs"),
            (self.best_payoff_cutoffs, "cut-offs at the best payoff"),
            (self.dice_cutoffs, "cut-offs of dice"),
            (self.cache_hits, "cache hits"),
            (self.distinct_keys, "different positions kept"),
            (self.table_hits, "table hits"),
            (self.table_cutoffs, "table cut-offs"),
            (self.collisions, "collisions of keys"),
            (self.probe_hits, "answers of other sources"),
            (self.quiescence_nodes, "noisy positions beyond the horizon"),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).collect()
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.nodes += other.nodes;
        self.static_evaluations += other.static_evaluations;
        self.dynamic_evaluations += other.dynamic_evaluations;
        self.alpha_cutoffs += other.alpha_cutoffs;
        self.beta_cutoffs += other.beta_cutoffs;
        self.best_payoff_cutoffs += other.best_payoff_cutoffs;
        self.dice_cutoffs += other.dice_cutoffs;
        // Stored positions persist from one search to the next, so this count is a maximum and not a sum.
        self.distinct_keys = self.distinct_keys.max(other.distinct_keys);
        self.cache_hits += other.cache_hits;
        self.table_hits += other.table_hits;
        self.table_cutoffs += other.table_cutoffs;
        self.collisions += other.collisions;
        self.probe_hits += other.probe_hits;
        self.quiescence_nodes += other.quiescence_nodes;
    }
}
