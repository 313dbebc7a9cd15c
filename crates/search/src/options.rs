//! How to search, and for how long.

use std::time::Duration;

/// The order in which the tree is walked and what is left out of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Every position down to the horizon.
    Minimax,
    /// Branches that cannot matter are left out.
    AlphaBeta,
    /// Alpha-beta that first asks of each later move only whether it is better: principal variation search.
    #[default]
    Pvs,
}

/// By what the transposition table tells positions apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Key {
    /// By a hash for the place and the whole position for the rest.
    #[default]
    Exact,
    /// By a Zobrist key of so many bits, 64 at most, as programs do that keep no positions. Where two positions share a
    /// key, such a program believes the wrong one; here that is counted, and not believed.
    Zobrist(u32),
}

/// How to search. Every combination gives the same value; they differ in work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What is left out.
    pub method: Method,
    /// Search to depth 1, then 2, and so on: each search orders the moves of the next, and there is always
    /// an answer when time is up. Otherwise straight to the depth limit, or to the end of the game.
    pub deepening: bool,
    /// Entries of the transposition table; 0 for none. Rounded up to a power of two.
    pub table: usize,
    /// How the table tells positions apart.
    pub key: Key,
    /// Use what the table knows from a deeper search than asked. Without it a limited search gives the value
    /// of minimax to exactly its depth; with it, a better informed one. Exact values are the same.
    pub deeper: bool,
    /// Positions that are mirror images share an entry of the table.
    pub symmetry: bool,
    /// Try the table's move first.
    pub hash_move: bool,
    /// Then moves that refuted a sibling.
    pub killers: bool,
    /// Then moves that refuted much elsewhere.
    pub history: bool,
    /// Order by [`crate::Evaluate::hint`].
    pub hints: bool,
    /// Plies of noisy moves to follow beyond the horizon; 0 for none.
    pub quiescence: u32,
    /// Leave a position as soon as nothing better can be found: its best payoff, as soon as possible.
    pub best_payoff: bool,
    /// A sooner win is better, a later loss too. Without it a win is a win, which ends the search of its
    /// siblings, and the answer has no distance.
    pub distance: bool,
    /// Static evaluations to remember; 0 for none.
    pub cache: usize,
    /// Threads. More than one need a table: through it they help each other.
    pub threads: usize,
}

impl Options {
    /// The method and nothing else: no table, no ordering, straight to the depth limit.
    pub fn bare(method: Method) -> Options {
        Options {
            method,
            deepening: false,
            table: 0,
            key: Key::Exact,
            deeper: false,
            symmetry: false,
            hash_move: false,
            killers: false,
            history: false,
            hints: false,
            quiescence: 0,
            best_payoff: false,
            distance: true,
            cache: 0,
            threads: 1,
        }
    }

    /// Whether the short inner loop, which knows nothing but pruning, is enough.
    pub(crate) fn is_bare(&self) -> bool {
        self.method != Method::Pvs
            && self.table == 0
            && !(self.killers || self.history || self.hints)
            && self.quiescence == 0
            && self.cache == 0
    }
}

impl Default for Options {
    /// Everything that helps, a table of a million entries, one thread.
    fn default() -> Options {
        Options {
            method: Method::Pvs,
            deepening: true,
            table: 1 << 20,
            key: Key::Exact,
            deeper: true,
            symmetry: false,
            hash_move: true,
            killers: true,
            history: true,
            hints: true,
            quiescence: 16,
            best_payoff: true,
            distance: true,
            cache: 0,
            threads: 1,
        }
    }
}

/// When to stop; whatever comes first. The default has no limit: it searches until the value is exact, which
/// for a game that can go round in circles may be never.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Positions to enter, over all threads.
    pub nodes: Option<u64>,
    /// Time on the wall.
    pub time: Option<Duration>,
}

impl Limits {
    /// No limit.
    pub const NONE: Limits = Limits { depth: None, nodes: None, time: None };

    /// Look `plies` ahead.
    pub fn depth(plies: u32) -> Limits {
        Limits { depth: Some(plies), ..Limits::NONE }
    }

    /// Enter at most so many positions.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::NONE }
    }

    /// Take at most so long.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::NONE }
    }
}

/// What ended a search whose value is not exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// It looked as far ahead as it was allowed to.
    Depth,
    /// It entered as many positions as it was allowed to.
    Nodes,
    /// Time was up.
    Time,
    /// Whoever watches asked it to stop.
    Watch,
}

impl Limit {
    /// One word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::Nodes => "nodes",
            Limit::Time => "time",
            Limit::Watch => "stopped",
        }
    }
}
