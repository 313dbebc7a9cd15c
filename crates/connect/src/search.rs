#![allow(unsafe_code)]
//! Null-window alpha-beta search of one position (negamax).
//!
//! ```text
//! search a position with window (alpha, alpha + 1): is its score above alpha?
//!   1  play every safe move and the forced replies to it; this gives a child position or an exact score
//!   2  bounds without search: game length, follow-up (claimeven) bounds, the transposition table
//!   3  search the children that are still undecided, best move first
//! ```
//!
//! Moves are ordered by the threats they create, the number of lines through the cell, and the history
//! heuristic (Schaeffer 1989; here a moving average per cell that also penalises moves tried before the
//! cutoff).
//!
//! Invariant: a position is searched only if the player to move has no winning move, faces no immediate threat, and has
//! two or more moves that do not let the opponent win at once. Everything else is resolved in the parent, so a chain of
//! forced moves costs no node.
//!
//! Scores are for the player to move: positive for a win, negative for a loss, ±((cells − stones at the end) / 2 + 1),
//! and 0 for a draw.

use crate::rules::{BoardRules, Stones};
use crate::share::{SearchContext, StopSignal};
use crate::table::Bounds;
use outplay_index::Bits;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

/// A position with its incrementally updated winning cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position<B> {
    pub(crate) stones: Stones<B>,
    /// The empty cells that complete a line of the player to move, and of the opponent.
    my_wins: B,
    their_wins: B,
    /// Empty cells.
    pub(crate) left: i32,
}

/// The result of playing forced moves.
pub(crate) enum ForcedResult<B> {
    /// The score, for the player to move in the original position.
    Score(i32),
    /// A position with a choice, and whether the player to move is the same as in the original position.
    Choice(Position<B>, bool),
}

/// A child that needs a search.
#[derive(Clone, Copy)]
struct ChildMove<B> {
    pos: Position<B>,
    key: B,
    /// Whether the player who made the move is to move again.
    same: bool,
    /// The cell of the move.
    cell: u32,
    /// Score bounds, for the player who made the move.
    bounds: Bounds,
}

/// One thread of a search.
pub(crate) struct Searcher<'a, B, const W: u32, const H: u32, const K: u32> {
    pub(crate) rules: &'a BoardRules<B, W, H, K>,
    pub(crate) shared: &'a SearchContext<'a>,
    children: Vec<ChildMove<B>>,
    /// Sort keys of the undecided children: the move-ordering score, and the child's number in the low bits.
    order: Vec<i32>,
    pub(crate) nodes: u64,
    /// Beta cutoffs, by parity of the empty cells.
    pub(crate) cutoffs: [u64; 2],
    /// Probes that found an entry, and cutoffs caused by them.
    pub(crate) table_hits: Cell<u64>,
    pub(crate) table_cutoffs: u64,
    reported: u64,
    stopped: bool,
    /// Whether the processor has the instruction sets that [`Searcher::dispatch`] uses.
    recent: bool,
    /// Node count at which this thread stops on its own.
    pub(crate) budget: u64,
    /// History heuristic: a moving average of how often a move to a cell caused a cutoff, by parity of the
    /// empty cells.
    history: [[i32; 128]; 2],
}

/// Detects POPCNT, BMI1, BMI2, LZCNT and AVX2.
fn recent() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("avx2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Nodes between two polls of clock and monitor: about 1 ms, a few milliseconds on the widest boards.
const POLL: u64 = 1 << 10;
/// Minimum number of empty cells at which threads defer moves that another thread is searching.
const SPREAD: i32 = 14;
/// Bits for a child's number: no board has more than 64 columns.
const CHILD_BITS: u32 = 6;

impl<'a, B: Bits, const W: u32, const H: u32, const K: u32> Searcher<'a, B, W, H, K> {
    pub(crate) fn new(rules: &'a BoardRules<B, W, H, K>, shared: &'a SearchContext<'a>) -> Self {
        Searcher {
            rules,
            shared,
            children: Vec::with_capacity(1024),
            order: Vec::with_capacity(1024),
            nodes: 0,
            cutoffs: [0; 2],
            table_hits: Cell::new(0),
            table_cutoffs: 0,
            reported: 0,
            stopped: false,
            recent: recent(),
            budget: u64::MAX,
            history: [[0; 128]; 2],
        }
    }

    /// Returns the bounds that follow from the game length alone: in a position with a choice, neither player
    /// can win with the next stone.
    #[inline(always)]
    pub(crate) fn horizon(left: i32) -> Bounds {
        Bounds { low: -(left / 2 - 1), high: (left + 1) / 2 - 1 }
    }

    /// Plays forced moves until the score is known or the player to move has a choice.
    pub(crate) fn settle(rules: &BoardRules<B, W, H, K>, stones: Stones<B>) -> ForcedResult<B> {
        let filled = rules.filled(stones);
        let left = (rules.board & !filled).count() as i32;
        if rules.has_line(stones.theirs) {
            return ForcedResult::Score(-(left / 2 + 1));
        }
        if rules.has_line(stones.mine) {
            return ForcedResult::Score(left / 2 + 1);
        }
        let (my_wins, their_wins) = (rules.wins(stones.mine, filled), rules.wins(stones.theirs, filled));
        Self::forced(rules, Position { stones, my_wins, their_wins, left })
    }

    #[inline(always)]
    fn forced(rules: &BoardRules<B, W, H, K>, mut pos: Position<B>) -> ForcedResult<B> {
        let mut same = true;
        let score = loop {
            if pos.left == 0 {
                break 0;
            }
            let open = rules.open(rules.filled(pos.stones));
            if (pos.my_wins & open).any() {
                break (pos.left + 1) / 2;
            }
            let threats = pos.their_wins & open;
            let safe = open & !(pos.their_wins >> 1);
            let only = if threats.any() { threats & safe } else { safe };
            if only.none() || threats.rest().any() {
                break -(pos.left / 2);
            }
            if only.rest().any() {
                return ForcedResult::Choice(pos, same);
            }
            pos = Self::play(rules, &pos, only);
            same = !same;
        };
        ForcedResult::Score(if same { score } else { -score })
    }

    /// Returns the position after a move that does not end the game.
    #[inline(always)]
    fn play(rules: &BoardRules<B, W, H, K>, pos: &Position<B>, cell: B) -> Position<B> {
        let mine = pos.stones.mine | cell;
        let filled = rules.filled(pos.stones) | cell;
        Position {
            stones: Stones { mine: pos.stones.theirs, theirs: mine },
            my_wins: pos.their_wins & !cell,
            their_wins: rules.wins(mine, filled),
            left: pos.left - 1,
        }
    }

    /// Runs a null-window search at the root: is the score above `alpha`? Returns `None` if another thread
    /// finished first or the search was stopped.
    pub(crate) fn begin(&mut self, pos: &Position<B>, key: B, alpha: i32) -> Option<i32> {
        self.stopped = false;
        let score = if self.recent {
            self.dispatch::<true>(pos, key, alpha)
        } else {
            self.dispatch::<false>(pos, key, alpha)
        };
        let finished = !self.stopped;
        if finished {
            self.shared.signal.raise(StopSignal::ANSWERED);
        }
        self.poll();
        finished.then_some(score)
    }

    /// Calls [`Searcher::enter`] compiled for the processor at hand: bit counts are single instructions on
    /// every recent one.
    #[inline(always)]
    fn dispatch<const RECENT: bool>(&mut self, pos: &Position<B>, key: B, alpha: i32) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if RECENT {
            // SAFETY: `RECENT` is true only where `new` has detected these instruction sets.
            return unsafe { self.enter_recent(pos, key, alpha) };
        }
        self.enter_any(pos, key, alpha)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx,avx2")]
    fn enter_recent(&mut self, pos: &Position<B>, key: B, alpha: i32) -> i32 {
        self.enter::<true>(pos, key, alpha)
    }

    fn enter_any(&mut self, pos: &Position<B>, key: B, alpha: i32) -> i32 {
        self.enter::<false>(pos, key, alpha)
    }

    /// Searches a position with the null window (alpha, alpha + 1), fail-soft: a result above `alpha` is a
    /// lower bound of the score, any other an upper bound.
    #[inline(always)]
    fn enter<const RECENT: bool>(&mut self, pos: &Position<B>, key: B, alpha: i32) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL) {
            self.poll();
        }
        let start_nodes = self.nodes;
        let (base, order) = (self.children.len(), self.order.len());
        let rules = self.rules;
        let open = rules.open(rules.filled(pos.stones));
        let mut moves = open & !(pos.their_wins >> 1);
        let mut best = -(pos.left / 2);

        if self.stopped {
            return best;
        }

        // Step 1, and the part of step 2 that reads no memory.
        while moves.any() {
            let cell = moves.first();
            moves = moves.rest();
            let after = Self::play(rules, pos, cell);
            let threats = after.their_wins;
            match Self::forced(rules, after) {
                ForcedResult::Score(score) => {
                    best = best.max(-score);
                    if -score > alpha {
                        self.cutoffs[(pos.left & 1) as usize] += 1;
                        return self.leave(base, order, key, alpha, -score, start_nodes);
                    }
                }
                ForcedResult::Choice(next, opponent) => {
                    let Bounds { low, mut high } = Self::horizon(next.left);
                    let same = !opponent;
                    // The child fails low from here on down.
                    let aim = if same { alpha } else { -alpha - 1 };
                    let Stones { mine, theirs } = next.stones;
                    if aim < high && rules.follow_up(mine, theirs, next.their_wins, next.left, aim) {
                        high = aim.min(0);
                    }
                    let bounds = if same { Bounds { low, high } } else { Bounds { low: -high, high: -low } };
                    if bounds.low > alpha {
                        self.cutoffs[(pos.left & 1) as usize] += 1;
                        return self.leave(base, order, key, alpha, bounds.low, start_nodes);
                    }
                    if bounds.high <= alpha {
                        best = best.max(bounds.high);
                        continue;
                    }
                    let key = rules.key(next.stones, rules.filled(next.stones));
                    self.shared.table.prefetch(key);
                    let index = cell.lowest();
                    // Threats first, then cells on many lines, then the history heuristic.
                    let promise = 64 * threats.count() as i32
                        + 8 * i32::from(rules.lines_through[index as usize])
                        + (self.history[(pos.left & 1) as usize][index as usize] >> 6)
                        + 64;
                    let number = (self.children.len() - base) as i32;
                    self.order.push(promise << CHILD_BITS | number);
                    self.children.push(ChildMove { pos: next, key, same, cell: index, bounds });
                }
            }
        }

        // The rest of step 2: the transposition table.
        let mut doubtful = order;
        for number in 0..self.children.len() - base {
            let bounds = self.child_bounds(&self.children[base + number]);
            if bounds.low > alpha {
                self.table_cutoffs += 1;
                return self.leave(base, order, key, alpha, bounds.low, start_nodes);
            }
            if bounds.high <= alpha {
                best = best.max(bounds.high);
            } else {
                self.children[base + number].bounds = bounds;
                self.order[doubtful] = self.order[order + number];
                doubtful += 1;
            }
        }
        self.order.truncate(doubtful);

        // Step 3. With several threads, children that another thread is searching are deferred to a second pass
        // (ABDADA).
        let busy = self.shared.busy.filter(|_| pos.left >= SPREAD);
        let mut put_off = false;
        for pass in 0..2 {
            for place in order..self.order.len() {
                if pass == 0 {
                    self.choose(place);
                } else if self.order[place] >= 0 {
                    continue;
                }
                let number = (self.order[place] & ((1 << CHILD_BITS) - 1)) as usize;
                let child = &self.children[base + number];
                // The search of a sibling may have stored this position in the meantime.
                let first = pass == 0 && place == order;
                let bounds = if first { child.bounds } else { self.child_bounds(child) };
                let score = if bounds.low > alpha {
                    bounds.low
                } else if bounds.high <= alpha {
                    bounds.high
                } else {
                    let slot = busy.map(|busy| busy.slot(child.key));
                    if let Some((slot, mark)) = slot {
                        if pass == 0 && !first && slot.load(Relaxed) == mark {
                            self.order[place] |= i32::MIN;
                            put_off = true;
                            continue;
                        }
                        slot.store(mark, Relaxed);
                    }
                    let (next, key) = (child.pos, child.key);
                    let score = if child.same {
                        self.dispatch::<RECENT>(&next, key, alpha)
                    } else {
                        -self.dispatch::<RECENT>(&next, key, -alpha - 1)
                    };
                    if let Some((slot, _)) = slot {
                        slot.store(0, Relaxed);
                    }
                    score
                };
                if self.stopped {
                    self.children.truncate(base);
                    self.order.truncate(order);
                    return score;
                }
                best = best.max(score);
                if score > alpha {
                    self.cutoffs[(pos.left & 1) as usize] += 1;
                    self.update_history(base, order, place, pos.left);
                    return self.leave(base, order, key, alpha, score, start_nodes);
                }
            }
            if !put_off {
                break;
            }
        }
        self.leave(base, order, key, alpha, best, start_nodes)
    }

    /// Selection sort step: moves the best-ranked of the remaining children to `place`.
    #[inline(always)]
    fn choose(&mut self, place: usize) {
        let rest = &mut self.order[place..];
        let mut pick = 0;
        for other in 1..rest.len() {
            pick = if rest[other] > rest[pick] { other } else { pick };
        }
        rest.swap(0, pick);
    }

    /// Returns the bounds of a child, tightened by the transposition table, for the player who made the move.
    #[inline(always)]
    fn child_bounds(&self, child: &ChildMove<B>) -> Bounds {
        let Some(Bounds { low, high }) = self.shared.table.probe(child.key) else { return child.bounds };
        self.table_hits.set(self.table_hits.get() + 1);
        let (low, high) = if child.same { (low, high) } else { (-high, -low) };
        Bounds { low: low.max(child.bounds.low), high: high.min(child.bounds.high) }
    }

    /// Updates the history heuristic: a bonus for the move that caused the cutoff, a penalty for those tried
    /// before it.
    #[inline(always)]
    fn update_history(&mut self, base: usize, order: usize, place: usize, left: i32) {
        let history = &mut self.history[(left & 1) as usize];
        for tried in order..=place {
            let number = (self.order[tried] & ((1 << CHILD_BITS) - 1)) as usize;
            let entry = &mut history[self.children[base + number].cell as usize];
            let aim = if tried == place { 4096 } else { -4096 };
            *entry += (aim - *entry) >> 6;
        }
    }

    /// Stores the result of a position and drops its children.
    #[inline(always)]
    fn leave(&mut self, base: usize, order: usize, key: B, alpha: i32, score: i32, start_nodes: u64) -> i32 {
        self.children.truncate(base);
        self.order.truncate(order);
        let bounds =
            if score > alpha { Bounds { low: score, high: 63 } } else { Bounds { low: -63, high: score } };
        self.shared.table.store(key, bounds, self.nodes - start_nodes + 1);
        score
    }

    /// Reports progress and checks all reasons to stop.
    #[cold]
    fn poll(&mut self) {
        let fresh = self.nodes - self.reported;
        self.reported = self.nodes;
        let total = self.shared.nodes.fetch_add(fresh, Relaxed) + fresh;
        self.shared.monitor.advance(fresh);
        let stop = || self.shared.monitor.poll();
        // A growth step that is interrupted here resumes before the next search.
        if total >= self.shared.node_limit
            || stop()
            || self.shared.busy.is_none() && !self.shared.table.grow(fresh, &stop)
        {
            self.shared.signal.raise(StopSignal::GAVE_UP);
        }
        self.stopped = self.shared.signal.raised() || self.nodes >= self.budget;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TranspositionTable;
    use outplay_core::LineBoard;
    use outplay_runtime::NoMonitor;
    use std::sync::atomic::AtomicU64;

    /// Returns the score and the node count, with or without the instruction sets of recent processors.
    fn ask(board: &LineBoard, alpha: i32, recent: bool) -> (Option<i32>, u64) {
        let (rules, stones) = BoardRules::<u64, 0, 0, 4>::new(board);
        let (signal, nodes) = (StopSignal::default(), AtomicU64::new(0));
        let table = TranspositionTable::new(1 << 16, crate::board::key_bits(board)).unwrap();
        let shared = SearchContext {
            table: &table,
            busy: None,
            signal: &signal,
            nodes: &nodes,
            node_limit: u64::MAX,
            monitor: &NoMonitor,
        };
        let ForcedResult::Choice(pos, true) = Searcher::settle(&rules, stones) else {
            panic!("nothing is forced")
        };
        let mut searcher = Searcher::new(&rules, &shared);
        searcher.recent &= recent;
        let key = rules.key(pos.stones, rules.filled(pos.stones));
        (searcher.begin(&pos, key, alpha), searcher.nodes)
    }

    #[test]
    fn instruction_sets_do_not_change_results() {
        for (width, height) in [(5, 4), (4, 5), (6, 4), (5, 5)] {
            let board = LineBoard { gravity: true, ..LineBoard::empty(width, height, 4) };
            for alpha in -3..3 {
                assert_eq!(ask(&board, alpha, true), ask(&board, alpha, false), "{width}x{height}, {alpha}");
            }
        }
    }
}
