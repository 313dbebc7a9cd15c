//! Alpha-beta on bitboards of lines, made for one thing: many shallow searches per second.
//!
//! ```text
//!   1 a line that can be completed now wins      2 two of the other player's that can be completed lose
//!   3 one has to be filled: no choice            4 where the other would complete one on top is no move
//!   5 the horizon: an opinion                    6 the table, then the moves, cells of many lines first
//! ```
//!
//! Steps 1 to 4 are a few instructions each, so that every position is seen two plies deeper than its depth says.
//! The generic engine, which knows nothing of lines, is its oracle: with no opinion both prove the same.
//!
//! Invariant: a score beyond [`SURE`] is proven; it counts plies from the root.

use super::field::Field;
use super::judge::BitLines;
use outplay_core::{Counters, Watch};
use outplay_index::Bits;
use outplay_search::Limits;
use std::sync::Arc;
use std::time::Instant;

/// The score of a win at the root itself; sooner wins are larger.
pub(crate) const WIN: i32 = 1 << 20;
/// Opinions stay below, proven wins above.
pub(crate) const SURE: i32 = WIN - 1000;
const MOST_OPINION: i32 = 0xffff;
/// Positions between two looks at the clock.
const HANDFUL: u64 = 128;

/// What the score of an entry means.
const EXACT: u8 = 0;
const AT_LEAST: u8 = 1;
const AT_MOST: u8 = 2;
const NO_MOVE: u8 = u8::MAX;

#[derive(Clone, Copy)]
struct Entry<B> {
    own: B,
    other: B,
    score: i32,
    depth: u8,
    bound: u8,
    mv: u8,
}

/// What a search is asked.
#[derive(Clone, Copy)]
pub(crate) struct Question<B> {
    /// The stones of the player to move, and of the other.
    pub(crate) own: B,
    pub(crate) other: B,
    /// Whether the player to move is the one who began the game.
    pub(crate) first: bool,
    /// The cells that come into question.
    pub(crate) among: B,
    /// Depth and positions; the time is `end`'s business.
    pub(crate) limits: Limits,
    pub(crate) end: Option<Instant>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub(crate) struct Sought {
    /// The cell to play.
    pub(crate) cell: u32,
    pub(crate) score: i32,
    /// The last depth that was finished.
    pub(crate) depth: u32,
    pub(crate) counters: Counters,
    pub(crate) line: Vec<u8>,
}

/// A search that can be used again and again; what it learned serves the next until it is cleared.
pub(crate) struct BoardSearch<B: Bits> {
    field: Field<B>,
    judge: Option<Arc<BitLines<B>>>,
    table: Vec<Entry<B>>,
    /// Cells, those of many lines first.
    order: Vec<u32>,
    /// How many lines run through each cell.
    through: Vec<u32>,
    /// How often a cell refuted something.
    history: Vec<u32>,
    nodes: u64,
    counters: Counters,
    limit: u64,
    pause: u64,
    end: Option<Instant>,
    stopped: bool,
    /// Whether the player at the root is the one who began.
    first: bool,
}

impl<B: Bits> BoardSearch<B> {
    /// A search with a table of so many entries, a power of two.
    pub(crate) fn new(field: Field<B>, judge: Option<Arc<BitLines<B>>>, entries: usize) -> BoardSearch<B> {
        let through = field.lines_through();
        let mut order: Vec<u32> = field.playable.cells().collect();
        order.sort_by_key(|&cell| std::cmp::Reverse(through[cell as usize]));
        let blank = Entry { own: B::NONE, other: B::NONE, score: 0, depth: 0, bound: EXACT, mv: NO_MOVE };
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
            first: true,
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        let blank = Entry { own: B::NONE, other: B::NONE, score: 0, depth: 0, bound: EXACT, mv: NO_MOVE };
        self.table.fill(blank);
        self.history.fill(0);
    }

    /// Bytes of the table.
    pub(crate) fn bytes(&self) -> usize {
        self.table.len() * size_of::<Entry<B>>()
    }

    /// The best move of an unfinished position, deeper and deeper until a limit is met.
    pub(crate) fn search(&mut self, question: &Question<B>, watch: &dyn Watch) -> Sought {
        let Question { own, other, first, among, limits, end } = *question;
        (self.first, self.end, self.stopped) = (first, end, false);
        (self.nodes, self.pause, self.counters) = (0, 0, Counters::default());
        self.limit = limits.nodes.unwrap_or(u64::MAX);
        let empty = (self.field.playable & !(own | other)).count();
        let deepest = limits.depth.unwrap_or(u32::MAX).min(empty).min(200);
        let mut moves: Vec<u32> = self.order.iter().copied().filter(|&cell| among.has(cell)).collect();
        let mut sought = Sought {
            cell: moves.first().copied().unwrap_or(0),
            score: 0,
            depth: 0,
            counters: Counters::default(),
            line: Vec::new(),
        };
        for depth in 1..=deepest {
            let (mut alpha, mut best) = (-WIN, None);
            for (i, &cell) in moves.iter().enumerate() {
                let (after, next) = (own | B::one(cell), other);
                let mut score = if i == 0 {
                    -self.enter(next, after, depth - 1, 1, -WIN, -alpha, watch)
                } else {
                    -self.enter(next, after, depth - 1, 1, -alpha - 1, -alpha, watch)
                };
                if i > 0 && score > alpha && !self.stopped {
                    score = -self.enter(next, after, depth - 1, 1, -WIN, -alpha, watch);
                }
                if self.stopped {
                    break;
                }
                if best.is_none() || score > alpha {
                    (alpha, best) = (alpha.max(score), Some((cell, score)));
                }
            }
            // What was seen of an unfinished depth counts if its first move, the best so far, was finished.
            if let Some((cell, score)) = best {
                (sought.cell, sought.score) = (cell, score);
                if let Some(at) = moves.iter().position(|&known| known == cell) {
                    moves[..=at].rotate_right(1);
                }
            }
            if self.stopped {
                break;
            }
            sought.depth = depth;
            if sought.score.abs() > SURE {
                break;
            }
        }
        sought.counters = Counters { nodes: self.nodes, ..self.counters };
        sought.line = self.line(own, other, sought.cell, sought.depth);
        sought
    }

    /// A score that no move was looked at for.
    #[inline]
    fn at_sight(&mut self, score: i32) -> i32 {
        self.counters.static_evaluations += 1;
        score
    }

    /// Counts a position; whether the search must stop.
    #[inline]
    fn must_stop(&mut self, watch: &dyn Watch) -> bool {
        self.nodes += 1;
        if self.nodes < self.pause {
            return self.stopped;
        }
        self.pause = (self.nodes + HANDFUL).min(self.limit);
        let late = self.end.is_some_and(|end| Instant::now() >= end);
        self.stopped = self.stopped || late || self.nodes >= self.limit || watch.stopped();
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
        watch: &dyn Watch,
    ) -> i32 {
        if self.must_stop(watch) {
            return 0;
        }
        let open = self.field.open(own | other);
        if open == B::NONE {
            return self.at_sight(0);
        }
        // 1. Who can complete a line does.
        if self.field.threats(own, other) & open != B::NONE {
            return self.at_sight(WIN - ply - 1);
        }
        // 2. Two to avert are one too many. 3. One leaves no choice. 4. Nobody feeds the other.
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
        // 5. The horizon.
        if depth == 0 {
            let opinion = self.opinion(own, other, ply);
            return self.at_sight(opinion);
        }
        // A win cannot come sooner than with the next move but one.
        let most = WIN - ply - 3;
        if alpha >= most {
            self.counters.best_payoff_cutoffs += 1;
            self.counters.dynamic_evaluations += 1;
            return most;
        }
        // 6. The table.
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
                -self.enter(other, after, depth - 1, ply + 1, -beta, -alpha, watch)
            } else {
                -self.enter(other, after, depth - 1, ply + 1, -alpha - 1, -alpha, watch)
            };
            if tried > 0 && score > alpha && score < beta && !self.stopped {
                score = -self.enter(other, after, depth - 1, ply + 1, -beta, -alpha, watch);
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
        self.table[slot] = Entry { own, other, score, depth, bound, mv: best_move };
        best
    }

    /// Remembers that a cell made the rest of the moves unnecessary.
    #[inline]
    fn refuted(&mut self, cell: u32, depth: u32) {
        let sum = &mut self.history[cell as usize];
        *sum += depth * depth;
        if *sum > 1 << 24 {
            self.history.iter_mut().for_each(|sum| *sum /= 2);
        }
    }

    /// The next move to try: the table's, else the one that refuted most, cells of many lines first.
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
        // The player at the root moves at even plies; the opinion is that player's.
        let score = if ply % 2 == 0 {
            judge.opinion(own, other, false, self.first)
        } else {
            -judge.opinion(other, own, true, self.first)
        };
        score.clamp(-MOST_OPINION, MOST_OPINION)
    }

    #[inline]
    fn slot(&self, own: B, other: B) -> usize {
        let mixed = own.folded().wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ other.folded().wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as usize & (self.table.len() - 1)
    }

    /// The line that the table remembers.
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

/// A score as if the position were the root.
fn at_root(score: i32, ply: i32) -> i32 {
    match score {
        s if s > SURE => s + ply,
        s if s < -SURE => s - ply,
        s => s,
    }
}

/// The inverse.
fn at_ply(score: i32, ply: i32) -> i32 {
    match score {
        s if s > SURE => s - ply,
        s if s < -SURE => s + ply,
        s => s,
    }
}
