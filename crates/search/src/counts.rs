//! What a search did, in the words of the 2014 report and a few more.

use std::ops::AddAssign;

/// Counts that teach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Positions entered, each as often as it was met, leaves included.
    pub nodes: u64,
    /// Positions valued without looking at their moves: finished ones and those at the horizon.
    pub static_evaluations: u64,
    /// Positions valued by looking at their successors.
    pub dynamic_evaluations: u64,
    /// Positions of the second player left early: the first already has something better elsewhere.
    pub alpha_cutoffs: u64,
    /// Positions of the first player left early: the second already has something better elsewhere.
    pub beta_cutoffs: u64,
    /// Positions left at once because nothing can be better than what was found.
    pub best_payoff_cutoffs: u64,
    /// Different positions whose static evaluation was kept; 0 without a cache.
    pub distinct_keys: u64,
    /// Static evaluations that the cache already knew.
    pub cache_hits: u64,
    /// Positions found in the transposition table, useful or not.
    pub table_hits: u64,
    /// Positions whose search the transposition table made unnecessary.
    pub table_cutoffs: u64,
    /// Positions answered by a table on disk, a book or another source.
    pub probe_hits: u64,
    /// Positions entered beyond the horizon because they were noisy.
    pub quiescence_nodes: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.nodes += other.nodes;
        self.static_evaluations += other.static_evaluations;
        self.dynamic_evaluations += other.dynamic_evaluations;
        self.alpha_cutoffs += other.alpha_cutoffs;
        self.beta_cutoffs += other.beta_cutoffs;
        self.best_payoff_cutoffs += other.best_payoff_cutoffs;
        self.distinct_keys += other.distinct_keys;
        self.cache_hits += other.cache_hits;
        self.table_hits += other.table_hits;
        self.table_cutoffs += other.table_cutoffs;
        self.probe_hits += other.probe_hits;
        self.quiescence_nodes += other.quiescence_nodes;
    }
}
