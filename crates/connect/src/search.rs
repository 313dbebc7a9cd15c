#![allow(unsafe_code)]
//! The search for one position: alpha-beta with windows of width zero.
//!
//! ```text
//! enter(pos, alpha)        is the score above alpha?
//!   1  every safe move, followed by the replies it forces, gives a child or its exact score
//!   2  bounds that need no search: time left, follow-up play, the table
//!   3  the children that are still in doubt, the most promising first
//! ```
//!
//! Invariant: a position is entered only if the player to move cannot win at once, faces no immediate
//! threat, and has two or more moves after which the opponent cannot win at once. All else is settled by
//! the position before it: a chain of forced moves costs nothing.
//!
//! Scores are those of the player to move: ±((cells − stones at the end) / 2 + 1), 0 for a draw.

use crate::rules::{Rules, Stones};
use crate::share::{Shared, Signal};
use crate::table::Bounds;
use outplay_index::Bits;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

/// A position with what was already found out about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position<B> {
    pub(crate) stones: Stones<B>,
    /// The empty cells that complete a line of the player to move, and of the opponent.
    my_wins: B,
    their_wins: B,
    /// Empty cells.
    pub(crate) left: i32,
}

/// A position after its forced moves.
pub(crate) enum Settled<B> {
    /// The score, for the player to move in the position asked.
    Score(i32),
    /// A position with a choice, and whether the same player as in the position asked is to move.
    Choice(Position<B>, bool),
}

/// A move worth a search.
#[derive(Clone, Copy)]
struct Child<B> {
    pos: Position<B>,
    key: B,
    /// Whether the player who made the move is to move again.
    same: bool,
    /// The cell of the move.
    cell: u32,
    /// For the player who made the move.
    bounds: Bounds,
}

/// One thread of a search.
pub(crate) struct Searcher<'a, B, const W: u32, const H: u32, const K: u32> {
    pub(crate) rules: &'a Rules<B, W, H, K>,
    pub(crate) shared: &'a Shared<'a>,
    children: Vec<Child<B>>,
    /// The promise of the children that are still in doubt, and below it which one it is.
    order: Vec<i32>,
    pub(crate) nodes: u64,
    /// Positions left before all their moves were looked at, by parity of the empty cells.
    pub(crate) cutoffs: [u64; 2],
    /// Positions that the table knew something about, and positions that this was enough to leave.
    pub(crate) table_hits: Cell<u64>,
    pub(crate) table_cutoffs: u64,
    reported: u64,
    stopped: bool,
    /// Whether the processor has the instructions that [`Searcher::dispatch`] would like to use.
    recent: bool,
    /// Positions after which this thread stops alone.
    pub(crate) budget: u64,
    /// How often a stone in a cell was the move that settled a position, by parity of the empty cells.
    history: [[i32; 128]; 2],
}

/// Whether this processor has the instructions of the last ten years.
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

/// How many positions are entered between two looks at the clock: a millisecond's worth, a few on the widest boards.
const POLL: u64 = 1 << 10;
/// Threads keep out of each other's way where at least this many cells are empty.
const SPREAD: i32 = 14;
/// Bits for the number of a child: no board has more than 64 columns.
const CHILD_BITS: u32 = 6;

impl<'a, B: Bits, const W: u32, const H: u32, const K: u32> Searcher<'a, B, W, H, K> {
    pub(crate) fn new(rules: &'a Rules<B, W, H, K>, shared: &'a Shared<'a>) -> Self {
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

    /// The score bounds that the number of empty cells alone gives a position with a choice: neither
    /// player can win with the next stone.
    #[inline(always)]
    pub(crate) fn horizon(left: i32) -> Bounds {
        Bounds { low: -(left / 2 - 1), high: (left + 1) / 2 - 1 }
    }

    /// Plays forced moves until the position is decided or has a choice.
    pub(crate) fn settle(rules: &Rules<B, W, H, K>, stones: Stones<B>) -> Settled<B> {
        let filled = rules.filled(stones);
        let left = (rules.board & !filled).count() as i32;
        if rules.has_line(stones.theirs) {
            return Settled::Score(-(left / 2 + 1));
        }
        if rules.has_line(stones.mine) {
            return Settled::Score(left / 2 + 1);
        }
        let (my_wins, their_wins) = (rules.wins(stones.mine, filled), rules.wins(stones.theirs, filled));
        Self::forced(rules, Position { stones, my_wins, their_wins, left })
    }

    #[inline(always)]
    fn forced(rules: &Rules<B, W, H, K>, mut pos: Position<B>) -> Settled<B> {
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
                return Settled::Choice(pos, same);
            }
            pos = Self::play(rules, &pos, only);
            same = !same;
        };
        Settled::Score(if same { score } else { -score })
    }

    /// The position after a move that does not end the game.
    #[inline(always)]
    fn play(rules: &Rules<B, W, H, K>, pos: &Position<B>, cell: B) -> Position<B> {
        let mine = pos.stones.mine | cell;
        let filled = rules.filled(pos.stones) | cell;
        Position {
            stones: Stones { mine: pos.stones.theirs, theirs: mine },
            my_wins: pos.their_wins & !cell,
            their_wins: rules.wins(mine, filled),
            left: pos.left - 1,
        }
    }

    /// Asks whether the score of a position is above `alpha`, unless another thread answers first or
    /// the search is stopped.
    pub(crate) fn begin(&mut self, pos: &Position<B>, key: B, alpha: i32) -> Option<i32> {
        self.stopped = false;
        let score = if self.recent {
            self.dispatch::<true>(pos, key, alpha)
        } else {
            self.dispatch::<false>(pos, key, alpha)
        };
        let finished = !self.stopped;
        if finished {
            self.shared.signal.raise(Signal::ANSWERED);
        }
        self.poll();
        finished.then_some(score)
    }

    /// [`Searcher::enter`] compiled for the processor at hand: bit counts and the like are one
    /// instruction on every recent one.
    #[inline(always)]
    fn dispatch<const RECENT: bool>(&mut self, pos: &Position<B>, key: B, alpha: i32) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if RECENT {
            // SAFETY: `RECENT` is true only where `new` has seen that the processor has these instructions.
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

    /// Whether the score of a position is above `alpha`: the result is a low bound of it if so, and
    /// else a high bound.
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

        // Step 1 and what step 2 needs no memory for.
        while moves.any() {
            let cell = moves.first();
            moves = moves.rest();
            let after = Self::play(rules, pos, cell);
            let threats = after.their_wins;
            match Self::forced(rules, after) {
                Settled::Score(score) => {
                    best = best.max(-score);
                    if -score > alpha {
                        self.cutoffs[(pos.left & 1) as usize] += 1;
                        return self.leave(base, order, key, alpha, -score, start_nodes);
                    }
                }
                Settled::Choice(next, opponent) => {
                    let Bounds { low, mut high } = Self::horizon(next.left);
                    let same = !opponent;
                    // The highest score of the child that settles it.
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
                    // Threats first, then cells that many lines share, then what settled other positions.
                    let promise = 64 * threats.count() as i32
                        + 8 * i32::from(rules.lines_through[index as usize])
                        + (self.history[(pos.left & 1) as usize][index as usize] >> 6)
                        + 64;
                    let number = (self.children.len() - base) as i32;
                    self.order.push(promise << CHILD_BITS | number);
                    self.children.push(Child { pos: next, key, same, cell: index, bounds });
                }
            }
        }

        // The rest of step 2: what the table knows.
        let mut doubtful = order;
        for number in 0..self.children.len() - base {
            let bounds = self.known(&self.children[base + number]);
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

        // Step 3. With several threads, moves that another one is busy with come last.
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
                // A sibling may have met the same position meanwhile.
                let first = pass == 0 && place == order;
                let bounds = if first { child.bounds } else { self.known(child) };
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
                    self.credit(base, order, place, pos.left);
                    return self.leave(base, order, key, alpha, score, start_nodes);
                }
            }
            if !put_off {
                break;
            }
        }
        self.leave(base, order, key, alpha, best, start_nodes)
    }

    /// Brings the most promising of the children from `place` on to that place.
    #[inline(always)]
    fn choose(&mut self, place: usize) {
        let rest = &mut self.order[place..];
        let mut pick = 0;
        for other in 1..rest.len() {
            pick = if rest[other] > rest[pick] { other } else { pick };
        }
        rest.swap(0, pick);
    }

    /// What is known of a child, for the player who made the move.
    #[inline(always)]
    fn known(&self, child: &Child<B>) -> Bounds {
        let Some(Bounds { low, high }) = self.shared.table.probe(child.key) else { return child.bounds };
        self.table_hits.set(self.table_hits.get() + 1);
        let (low, high) = if child.same { (low, high) } else { (-high, -low) };
        Bounds { low: low.max(child.bounds.low), high: high.min(child.bounds.high) }
    }

    /// Remembers which of the children tried settled the position.
    #[inline(always)]
    fn credit(&mut self, base: usize, order: usize, place: usize, left: i32) {
        let history = &mut self.history[(left & 1) as usize];
        for tried in order..=place {
            let number = (self.order[tried] & ((1 << CHILD_BITS) - 1)) as usize;
            let entry = &mut history[self.children[base + number].cell as usize];
            let aim = if tried == place { 4096 } else { -4096 };
            *entry += (aim - *entry) >> 6;
        }
    }

    /// Notes the result of a position and drops its children.
    #[inline(always)]
    fn leave(&mut self, base: usize, order: usize, key: B, alpha: i32, score: i32, start_nodes: u64) -> i32 {
        self.children.truncate(base);
        self.order.truncate(order);
        let bounds =
            if score > alpha { Bounds { low: score, high: 63 } } else { Bounds { low: -63, high: score } };
        self.shared.table.store(key, bounds, self.nodes - start_nodes + 1);
        score
    }

    /// Looks whether to stop, and says how far the search is.
    #[cold]
    fn poll(&mut self) {
        let fresh = self.nodes - self.reported;
        self.reported = self.nodes;
        let total = self.shared.nodes.fetch_add(fresh, Relaxed) + fresh;
        self.shared.watch.advance(fresh);
        let stop = || self.shared.watch.stopped();
        // What is stopped while the table grows goes on growing before the next question.
        if total >= self.shared.node_limit
            || stop()
            || self.shared.busy.is_none() && !self.shared.table.grow(fresh, &stop)
        {
            self.shared.signal.raise(Signal::GAVE_UP);
        }
        self.stopped = self.shared.signal.raised() || self.nodes >= self.budget;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use outplay_core::{LineBoard, Quiet};
    use std::sync::atomic::AtomicU64;

    /// The score and the positions entered, with or without the instructions of recent processors.
    fn ask(board: &LineBoard, alpha: i32, recent: bool) -> (Option<i32>, u64) {
        let (rules, stones) = Rules::<u64, 0, 0, 4>::new(board);
        let (signal, nodes) = (Signal::default(), AtomicU64::new(0));
        let table = Table::new(1 << 16, crate::board::key_bits(board)).unwrap();
        let shared = Shared {
            table: &table,
            busy: None,
            signal: &signal,
            nodes: &nodes,
            node_limit: u64::MAX,
            watch: &Quiet,
        };
        let Settled::Choice(pos, true) = Searcher::settle(&rules, stones) else {
            panic!("nothing is forced")
        };
        let mut searcher = Searcher::new(&rules, &shared);
        searcher.recent &= recent;
        let key = rules.key(pos.stones, rules.filled(pos.stones));
        (searcher.begin(&pos, key, alpha), searcher.nodes)
    }

    #[test]
    fn any_processor_gives_the_same_answers() {
        for (width, height) in [(5, 4), (4, 5), (6, 4), (5, 5)] {
            let board = LineBoard { gravity: true, ..LineBoard::empty(width, height, 4) };
            for alpha in -3..3 {
                assert_eq!(ask(&board, alpha, true), ask(&board, alpha, false), "{width}x{height}, {alpha}");
            }
        }
    }
}
