//! Principal variation search on k-in-a-row bitboards, optimised for many shallow searches per second.
//!
//! A threat is an empty cell that completes a line of its owner; it is playable if a stone can be placed there now. The
//! steps at a node:
//!
//! ```text
//!   1 own threat playable: win                   2 two playable threats of the opponent: loss
//!   3 one of them: forced reply                  4 prune moves beneath a threat of the opponent
//!   5 depth 0: static evaluation                 6 transposition table, then moves by history and line count
//! ```
//!
//! Iterative deepening with null windows after the first move (PVS, Marsland and Campbell 1982). Steps 1 to 4 are a few
//! bit operations each and see two plies beyond the nominal depth. The generic engine is the reference in tests:
//! without an evaluation both prove the same values.
//!
//! Invariant: a score beyond ±[`PROVEN`] is proven and encodes the distance from the root in plies. The table stores
//! distances from the entry's own position.

use super::field::BoardGeometry;
use super::judge::BitLines;
use outplay_core::Counters;
use outplay_index::Bits;
use outplay_runtime::Monitor;
use outplay_search::SearchLimits;
use std::sync::Arc;
use std::time::Instant;

/// The score of a win at the root itself; sooner wins are greater.
pub(crate) const WIN: i32 = 1 << 20;
/// Evaluations stay below, proven wins above.
pub(crate) const PROVEN: i32 = WIN - 1000;
const MAX_OPINION: i32 = 0xffff;
/// Nodes between two polls of the clock.
const POLL_INTERVAL: u64 = 128;
/// Nodes before the time limit applies: well under a millisecond, enough for a few plies if the thread was not
/// scheduled until its time was over.
const MIN_NODES: u64 = 2048;

// Bound types of a table entry's score.
const EXACT: u8 = 0;
const AT_LEAST: u8 = 1;
const AT_MOST: u8 = 2;
const NO_MOVE: u8 = u8::MAX;

#[derive(Clone, Copy)]
struct TranspositionEntry<B> {
    own: B,
    other: B,
    score: i32,
    depth: u8,
    bound: u8,
    mv: u8,
}

/// A position to search, with limits.
#[derive(Clone, Copy)]
pub(crate) struct SearchRequest<B> {
    /// The stones of the player to move, and of the opponent.
    pub(crate) own: B,
    pub(crate) other: B,
    /// Whether the player to move is the first player of the game.
    pub(crate) first: bool,
    /// The candidate moves at the root.
    pub(crate) among: B,
    /// Depth and node limits; the time limit is `end`.
    pub(crate) limits: SearchLimits,
    pub(crate) end: Option<Instant>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchOutcome {
    /// The cell to play.
    pub(crate) cell: u32,
    pub(crate) score: i32,
    /// Depth of the last finished iteration.
    pub(crate) depth: u32,
    pub(crate) counters: Counters,
    pub(crate) line: Vec<u8>,
    /// Whether the monitor, not a limit, ended the search.
    pub(crate) stopped: bool,
}

/// A reusable search; its transposition table and history serve later searches until they are cleared.
pub(crate) struct BoardSearch<B: Bits> {
    field: BoardGeometry<B>,
    judge: Option<Arc<BitLines<B>>>,
    table: Vec<TranspositionEntry<B>>,
    /// Cells in descending order of the lines through them.
    order: Vec<u32>,
    /// Lines through each cell, plus one.
    through: Vec<u32>,
    /// History heuristic: depth-weighted beta cutoffs of each cell.
    history: Vec<u32>,
    nodes: u64,
    counters: Counters,
    limit: u64,
    pause: u64,
    end: Option<Instant>,
    stopped: bool,
    /// Whether the monitor caused the stop.
    interrupted: bool,
    /// Whether the player at the root is the first player of the game.
    first: bool,
}

impl<B: Bits> BoardSearch<B> {
    /// A search with a table of at least `entries` entries, rounded up to a power of two.
    pub(crate) fn new(
        field: BoardGeometry<B>,
        judge: Option<Arc<BitLines<B>>>,
        entries: usize,
    ) -> BoardSearch<B> {
        let through = field.lines_through();
        let mut order: Vec<u32> = field.playable.cells().collect();
        order.sort_by_key(|&cell| std::cmp::Reverse(through[cell as usize]));
        let blank = TranspositionEntry {
            own: B::NONE,
            other: B::NONE,
            score: 0,
            depth: 0,
            bound: EXACT,
            mv: NO_MOVE,
        };
        BoardSearch {
            field,
            judge,
            table: vec![blank; entries.next_power_of_two()],
            through: through.iter().map(|&lines| lines as u32 + 1).collect(),
            order,
            history: vec![0; B::WIDTH as usize],
            nodes: 0,
            counters: Counters::default(),
            limit: u64::MAX,
            pause: 0,
            end: None,
            stopped: false,
            interrupted: false,
            first: true,
        }
    }

    /// Clears the table and the history.
    pub(crate) fn clear(&mut self) {
        let blank = TranspositionEntry {
            own: B::NONE,
            other: B::NONE,
            score: 0,
            depth: 0,
            bound: EXACT,
            mv: NO_MOVE,
        };
        self.table.fill(blank);
        self.history.fill(0);
    }

    /// Size of the table in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.table.len() * size_of::<TranspositionEntry<B>>()
    }

    /// Searches an unfinished position by iterative deepening until a limit is met.
    pub(crate) fn search(&mut self, request: &SearchRequest<B>, monitor: &dyn Monitor) -> SearchOutcome {
        let SearchRequest { own, other, first, among, limits, end } = *request;
        (self.first, self.end, self.stopped, self.interrupted) = (first, end, false, false);
        (self.nodes, self.pause, self.counters) = (0, 0, Counters::default());
        self.limit = limits.nodes.unwrap_or(u64::MAX);
        let empty = (self.field.playable & !(own | other)).count();
        let deepest = limits.depth.unwrap_or(u32::MAX).min(empty).min(200);
        let mut moves: Vec<u32> = self.order.iter().copied().filter(|&cell| among.has(cell)).collect();
        let mut outcome = SearchOutcome {
            cell: moves.first().copied().unwrap_or(0),
            score: 0,
            depth: 0,
            counters: Counters::default(),
            line: Vec::new(),
            stopped: false,
        };
        for depth in 1..=deepest {
            let (mut alpha, mut best) = (-WIN, None);
            for (i, &cell) in moves.iter().enumerate() {
                let (after, next) = (own | B::one(cell), other);
                let mut score = if i == 0 {
                    -self.enter(next, after, depth - 1, 1, -WIN, -alpha, monitor)
                } else {
                    -self.enter(next, after, depth - 1, 1, -alpha - 1, -alpha, monitor)
                };
                if i > 0 && score > alpha && !self.stopped {
                    score = -self.enter(next, after, depth - 1, 1, -WIN, -alpha, monitor);
                }
                if self.stopped {
                    break;
                }
                if best.is_none() || score > alpha {
                    (alpha, best) = (alpha.max(score), Some((cell, score)));
                }
            }
            // An unfinished iteration does not count, except the first.
            if let Some((cell, score)) = best.filter(|_| !self.stopped || depth == 1) {
                (outcome.cell, outcome.score) = (cell, score);
                if let Some(at) = moves.iter().position(|&known| known == cell) {
                    moves[..=at].rotate_right(1);
                }
            }
            if self.stopped {
                break;
            }
            outcome.depth = depth;
            if outcome.score.abs() > PROVEN {
                break;
            }
        }
        outcome.stopped = self.interrupted;
        outcome.counters = Counters { nodes: self.nodes, ..self.counters };
        outcome.line = self.line(own, other, outcome.cell, outcome.depth);
        outcome
    }

    /// Counts and returns a score that needed no search.
    #[inline]
    fn at_sight(&mut self, score: i32) -> i32 {
        self.counters.static_evaluations += 1;
        score
    }

    /// Counts a node and returns whether the search must stop.
    #[inline]
    fn must_stop(&mut self, monitor: &dyn Monitor) -> bool {
        self.nodes += 1;
        if self.nodes < self.pause {
            return self.stopped;
        }
        self.pause = (self.nodes + POLL_INTERVAL).min(self.limit);
        if !self.stopped {
            let late = self.nodes >= MIN_NODES && self.end.is_some_and(|end| Instant::now() >= end);
            let limited = late || self.nodes >= self.limit;
            self.interrupted = !limited && monitor.poll();
            self.stopped = limited || self.interrupted;
        }
        self.stopped
    }

    /// The score of a position for the player to move, whose stones are `own`.
    #[allow(clippy::too_many_arguments)]
    fn enter(
        &mut self,
        own: B,
        other: B,
        depth: u32,
        ply: i32,
        mut alpha: i32,
        beta: i32,
        monitor: &dyn Monitor,
    ) -> i32 {
        if self.must_stop(monitor) {
            return 0;
        }
        let open = self.field.open(own | other);
        if open == B::NONE {
            return self.at_sight(0);
        }
        // 1. Win in one.
        if self.field.threats(own, other) & open != B::NONE {
            return self.at_sight(WIN - ply - 1);
        }
        // 2. Two threats: lost. 3. One threat: forced reply. 4. Prune moves that enable the opponent's line above.
        let threats = self.field.threats(other, own);
        let averted = threats & open;
        let moves = match averted.count() {
            0 => {
                let safe = if self.field.gravity { open & !(threats >> 1) } else { open };
                if safe == B::NONE {
                    return self.at_sight(ply + 2 - WIN);
                }
                safe
            }
            1 => {
                if self.field.gravity && (averted << 1) & threats != B::NONE {
                    return self.at_sight(ply + 2 - WIN);
                }
                averted
            }
            _ => return self.at_sight(ply + 2 - WIN),
        };
        // 5. Static evaluation.
        if depth == 0 {
            let opinion = self.opinion(own, other, ply);
            return self.at_sight(opinion);
        }
        // Mate distance pruning: no win in one exists, so the earliest win is two plies later.
        let most = WIN - ply - 3;
        if alpha >= most {
            self.counters.best_payoff_cutoffs += 1;
            self.counters.dynamic_evaluations += 1;
            return most;
        }
        // 6. Transposition table.
        let slot = self.slot(own, other);
        let known = self.table[slot];
        let mut hash = NO_MOVE;
        if known.own == own && known.other == other && known.mv != NO_MOVE {
            hash = known.mv;
            self.counters.table_hits += 1;
            let score = at_ply(known.score, ply);
            let decides = match known.bound {
                EXACT => true,
                AT_LEAST => score >= beta,
                _ => score <= alpha,
            };
            if u32::from(known.depth) >= depth && decides {
                self.counters.table_cutoffs += 1;
                return score;
            }
        }
        self.counters.dynamic_evaluations += 1;
        let before = alpha;
        let (mut best, mut best_move) = (-WIN, NO_MOVE);
        let mut left = moves;
        let mut tried = 0;
        while left != B::NONE {
            let cell = self.pick(left, hash);
            left = left & !B::one(cell);
            hash = NO_MOVE;
            let after = own | B::one(cell);
            let mut score = if tried == 0 {
                -self.enter(other, after, depth - 1, ply + 1, -beta, -alpha, monitor)
            } else {
                -self.enter(other, after, depth - 1, ply + 1, -alpha - 1, -alpha, monitor)
            };
            if tried > 0 && score > alpha && score < beta && !self.stopped {
                score = -self.enter(other, after, depth - 1, ply + 1, -beta, -alpha, monitor);
            }
            if self.stopped {
                return 0;
            }
            tried += 1;
            if score > best {
                (best, best_move) = (score, cell as u8);
                alpha = alpha.max(score);
                if alpha >= beta {
                    // The player at the root moves at even plies.
                    self.counters.cut_off((ply % 2 == 0) != self.first);
                    self.refuted(cell, depth);
                    break;
                }
            }
        }
        let bound = if best >= beta {
            AT_LEAST
        } else if best > before {
            EXACT
        } else {
            AT_MOST
        };
        let (score, depth) = (at_root(best, ply), depth.min(250) as u8);
        self.table[slot] = TranspositionEntry { own, other, score, depth, bound, mv: best_move };
        best
    }

    /// Adds a beta cutoff to the history heuristic.
    #[inline]
    fn refuted(&mut self, cell: u32, depth: u32) {
        let sum = &mut self.history[cell as usize];
        *sum += depth * depth;
        if *sum > 1 << 24 {
            self.history.iter_mut().for_each(|sum| *sum /= 2);
        }
    }

    /// The next move to try: the hash move, else the one with the greatest sum of history and line count.
    #[inline]
    fn pick(&self, left: B, hash: u8) -> u32 {
        if hash != NO_MOVE && left.has(u32::from(hash)) {
            return u32::from(hash);
        }
        let (mut chosen, mut most) = (left.lowest(), 0);
        for cell in left.cells() {
            let rank = self.history[cell as usize] + self.through[cell as usize];
            if rank > most {
                (chosen, most) = (cell, rank);
            }
        }
        chosen
    }

    #[inline]
    fn opinion(&self, own: B, other: B, ply: i32) -> i32 {
        let Some(judge) = &self.judge else { return 0 };
        // The player at the root moves at even plies; the evaluation is from that player's point of view.
        let score = if ply % 2 == 0 {
            judge.opinion(own, other, false, self.first)
        } else {
            -judge.opinion(other, own, true, self.first)
        };
        score.clamp(-MAX_OPINION, MAX_OPINION)
    }

    #[inline]
    fn slot(&self, own: B, other: B) -> usize {
        let mixed = own.folded().wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ other.folded().wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as usize & (self.table.len() - 1)
    }

    /// Reads the principal variation from the table.
    fn line(&self, own: B, other: B, first: u32, depth: u32) -> Vec<u8> {
        let mut line = vec![first as u8];
        let (mut own, mut other) = (other, own | B::one(first));
        while (line.len() as u32) < depth.max(1) {
            let known = self.table[self.slot(own, other)];
            let open = self.field.open(own | other);
            let ended = self.field.threats(own, other) & open != B::NONE;
            if known.own != own
                || known.other != other
                || known.mv == NO_MOVE
                || ended
                || !open.has(known.mv.into())
            {
                break;
            }
            line.push(known.mv);
            (own, other) = (other, own | B::one(known.mv.into()));
        }
        line
    }
}

/// Converts a score relative to the root into one relative to the node, as the table stores it.
fn at_root(score: i32, ply: i32) -> i32 {
    match score {
        s if s > PROVEN => s + ply,
        s if s < -PROVEN => s - ply,
        s => s,
    }
}

/// The inverse.
fn at_ply(score: i32, ply: i32) -> i32 {
    match score {
        s if s > PROVEN => s - ply,
        s if s < -PROVEN => s + ply,
        s => s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::LineBoard;
    use outplay_runtime::NoMonitor;

    /// A thread that was not scheduled until its time was over still searches a few plies.
    #[test]
    fn search_without_any_time_looks_some_plies_ahead() {
        let board = LineBoard { gravity: true, ..LineBoard::empty(7, 6, 4) };
        let field: BoardGeometry<u64> = BoardGeometry::new(&board).unwrap();
        let (open, end) = (field.open(0), Some(Instant::now()));
        let limits = SearchLimits::NONE;
        let request = SearchRequest { own: 0, other: 0, first: true, among: open, limits, end };
        let outcome = BoardSearch::new(field, None, 1 << 14).search(&request, &NoMonitor);
        assert!(outcome.depth >= 4 && !outcome.stopped, "{outcome:?}");
        assert!(outcome.counters.nodes < 2 * MIN_NODES, "{outcome:?}");
    }
}
