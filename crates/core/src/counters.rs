//! What a search did, in the words of the 2014 report and a few more.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Counts that teach. A search that has no such thing leaves a count at 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
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
    /// Rolls of dice left early: their mean cannot come back to where it would matter.
    pub dice_cutoffs: u64,
    /// Different positions that were kept: those of a cache of static evaluations, or of all levels.
    pub distinct_keys: u64,
    /// Static evaluations that the cache already knew.
    pub cache_hits: u64,
    /// Positions found in the transposition table, useful or not.
    pub table_hits: u64,
    /// Positions whose search the transposition table made unnecessary.
    pub table_cutoffs: u64,
    /// Entries of the table with the key of the position that was looked for, but of another position.
    pub collisions: u64,
    /// Positions answered by a table on disk, a book or another source.
    pub probe_hits: u64,
    /// Positions entered beyond the horizon because they were noisy.
    pub quiescence_nodes: u64,
}

impl Counters {
    /// Whether nothing but positions was counted.
    pub fn is_bare(&self) -> bool {
        *self == Counters { nodes: self.nodes, ..Counters::default() }
    }

    /// A position of a player was left early.
    #[inline]
    pub fn cut_off(&mut self, of_second: bool) {
        *(if of_second { &mut self.alpha_cutoffs } else { &mut self.beta_cutoffs }) += 1;
    }

    /// What was counted, with a few words for each; what is 0 is left out.
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
        // What is kept is kept from one search to the next.
        self.distinct_keys = self.distinct_keys.max(other.distinct_keys);
        self.cache_hits += other.cache_hits;
        self.table_hits += other.table_hits;
        self.table_cutoffs += other.table_cutoffs;
        self.collisions += other.collisions;
        self.probe_hits += other.probe_hits;
        self.quiescence_nodes += other.quiescence_nodes;
    }
}
