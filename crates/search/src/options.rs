//! Options and limits of a game-tree search.

use std::time::Duration;

/// Search algorithm: minimax, alpha-beta or PVS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchMethod {
    /// Plain minimax.
    Minimax,
    /// Alpha-beta pruning (Knuth and Moore 1975).
    AlphaBeta,
    /// Principal variation search: alpha-beta with a null window for all moves after the first (Marsland and
    /// Campbell 1982).
    #[default]
    Pvs,
}

/// Kind of key of the transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TableKey {
    /// A hash selects the bucket, and the whole position is compared.
    #[default]
    Exact,
    /// A Zobrist key of this many bits (at most 64), as in engines that store no positions. Such engines return
    /// wrong data on a key collision; here collisions are counted and rejected.
    Zobrist(u32),
}

/// Options of a search. Every combination returns the same value; only the work differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Minimax, alpha-beta or PVS.
    pub method: SearchMethod,
    /// Iterative deepening: each iteration orders the moves of the next, and a result is available at any time.
    /// Otherwise the search goes straight to the depth limit, or to the end of the game.
    pub deepening: bool,
    /// Entries of the transposition table; 0 for none. Rounded up to a power of two.
    pub table: usize,
    /// Key that identifies positions in the table.
    pub key: TableKey,
    /// Accept table entries from deeper searches. Without it, a depth-limited search returns the minimax value
    /// of exactly its depth; with it, a better informed one. Exact values are the same.
    pub deeper: bool,
    /// Store symmetric positions in one entry of the table.
    pub symmetry: bool,
    /// Try the hash move first.
    pub hash_move: bool,
    /// Then killer moves.
    pub killers: bool,
    /// Then by history heuristic.
    pub history: bool,
    /// Order by [`crate::Evaluate::hint`].
    pub hints: bool,
    /// Maximum plies of quiescence search beyond the horizon; 0 for none.
    pub quiescence: u32,
    /// Mate-distance pruning: leave a node as soon as its best possible payoff, at the earliest possible ply,
    /// is reached.
    pub best_payoff: bool,
    /// Prefer sooner wins and later losses. Without it the first win found prunes its siblings, and the result
    /// has no distance.
    pub distance: bool,
    /// Entries of the evaluation cache; 0 for none.
    pub cache: usize,
    /// Number of threads (Lazy SMP). More than one needs a transposition table.
    pub threads: usize,
}

impl SearchOptions {
    /// The method alone: no table, no move ordering, straight to the depth limit.
    pub fn bare(method: SearchMethod) -> SearchOptions {
        SearchOptions {
            method,
            deepening: false,
            table: 0,
            key: TableKey::Exact,
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

    /// Whether the bare search, which implements nothing but pruning, suffices.
    pub(crate) fn is_bare(&self) -> bool {
        self.method != SearchMethod::Pvs
            && self.table == 0
            && !(self.killers || self.history || self.hints)
            && self.quiescence == 0
            && self.cache == 0
    }
}

impl Default for SearchOptions {
    /// All options on, a table of a million entries, one thread.
    fn default() -> SearchOptions {
        SearchOptions {
            method: SearchMethod::Pvs,
            deepening: true,
            table: 1 << 20,
            key: TableKey::Exact,
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

/// Limits of a search; the first one reached ends it. The default has none and searches until the value is exact, which
/// may be never for a game with cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchLimits {
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Nodes, over all threads.
    pub nodes: Option<u64>,
    /// Wall time.
    pub time: Option<Duration>,
}

impl SearchLimits {
    /// No limit.
    pub const NONE: SearchLimits = SearchLimits { depth: None, nodes: None, time: None };

    /// Limits the depth.
    pub fn depth(plies: u32) -> SearchLimits {
        SearchLimits { depth: Some(plies), ..SearchLimits::NONE }
    }

    /// Limits the number of nodes.
    pub fn nodes(nodes: u64) -> SearchLimits {
        SearchLimits { nodes: Some(nodes), ..SearchLimits::NONE }
    }

    /// Limits the wall time.
    pub fn time(time: Duration) -> SearchLimits {
        SearchLimits { time: Some(time), ..SearchLimits::NONE }
    }
}

/// The limit that ended a search whose value is not exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Depth limit.
    Depth,
    /// Node limit.
    Nodes,
    /// Time limit.
    Time,
    /// The monitor requested a stop.
    Monitor,
}

impl Limit {
    /// One word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::Nodes => "nodes",
            Limit::Time => "time",
            Limit::Monitor => "stopped",
        }
    }
}
