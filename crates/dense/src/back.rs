//! The backward step: the values of a shape from those of the shapes one stone larger.
//!
//! ```text
//!  for each block:  now   = OR of the lines that a stone of the mover would complete
//!                   value = best over moves of the child's block; `now` overrides it
//!
//!  win/draw/loss    two planes: the first player wins, the second player wins
//!  distance         two's complement, bit_length(plies left) planes:
//!                   …  -2      -1     0    1       2     …
//!                    ends N-2  at N  tie  at N-1  at N-3     N = plies of a full board
//! ```
//!
//! Only one player can win at a given ply, so each ply has one level, and best play is plain min or max,
//! with no increments. Negative levels belong to the winner at ply N.
//!
//! Invariant: a bit is right for every colouring without a line; the others hold nonsense that no right
//! bit ever depends on.
#![allow(unsafe_code)]

use crate::field::Field;
use crate::lane::Lane;
use crate::terms::{Terms, missing};
use crate::tight::{BLOCK, Line, Tight, WORDS};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Most planes a tier has: 63 plies are six bits.
pub(crate) const PLANES: usize = 6;
/// Levels that can be told apart, and counters for each.
pub(crate) const LEVELS: usize = 1 << PLANES;
/// A shape whose table is a mirror image kept apart.
pub(crate) const RELAID: u32 = 1 << 31;

/// Counters for each level.
pub(crate) type Tally = Vec<[u64; WORDS]>;

/// The level of a game that ends with a line after ply `end` of `plies`.
pub(crate) fn level(plies: usize, end: usize) -> i32 {
    let left = (plies - end) as i32;
    if left % 2 == 0 { -(left / 2 + 1) } else { (left + 1) / 2 }
}

/// The ply after which a game at this level ends; `None` for a tie and for a level that no game has.
pub(crate) fn end(plies: usize, level: i32) -> Option<usize> {
    match level {
        0 => None,
        1.. => (plies + 1).checked_sub(2 * level as usize),
        _ => (plies + 2).checked_sub(2 * level.unsigned_abs() as usize),
    }
}

/// What is the same for all shapes of a tier.
#[derive(Clone, Copy)]
pub(crate) struct Back<'a> {
    pub(crate) field: &'a Field,
    pub(crate) tight: &'a Tight,
    pub(crate) tier: usize,
    /// Where blocks begin in this tier and in the next.
    pub(crate) offsets: &'a [u32],
    pub(crate) next_offsets: &'a [u32],
    /// Planes of this tier and of the next; the last tier has none.
    pub(crate) planes: usize,
    pub(crate) next_planes: usize,
    /// Whether planes are win/draw/loss and not levels.
    pub(crate) wdl: bool,
    /// Where a shape of the next tier is stored.
    pub(crate) place: &'a [u32],
    pub(crate) next: *const u64,
    pub(crate) next_relaid: *const u64,
}

// SAFETY: the pointers are to planes that nobody writes during the pass.
unsafe impl Sync for Back<'_> {}
// SAFETY: see above.
unsafe impl Send for Back<'_> {}

/// A child's block as the parent reads it.
#[derive(Clone, Copy)]
struct Block {
    at: *const u64,
    /// Words from line to line.
    stride: usize,
    /// Where the highest plane begins: that of the sign, which a longer number repeats.
    top: usize,
}

/// A move from the shape at hand.
#[derive(Clone, Debug)]
struct Edge {
    table: *const u64,
    /// The rank of the new stone among the child's variables.
    rank: usize,
    /// Its own terms, where every move needs them apart.
    terms: Range<usize>,
}

/// Buffers of one thread.
pub(crate) struct Worker {
    terms: Terms,
    all: Range<usize>,
    edges: Vec<Edge>,
    /// Blocks of children whose new stone is a low variable.
    scratch: Vec<Line>,
    /// Blocks of children after moves that may end the game have been marked.
    ended: Vec<Line>,
    zero: Vec<Line>,
    /// How many live positions have each level, for each of two groups of shapes.
    pub(crate) tally: Tally,
    /// Where the counters of the shape's group begin: 0 or [`LEVELS`].
    pub(crate) group: usize,
}

// SAFETY: a worker's pointers are refreshed for every shape by the thread that uses it.
unsafe impl Send for Worker {}

impl Worker {
    /// Buffers for boards with so many stacks.
    pub(crate) fn new(stacks: usize) -> Worker {
        Worker {
            terms: Terms::default(),
            all: 0..0,
            edges: Vec::new(),
            scratch: vec![Line::default(); stacks * BLOCK * PLANES],
            ended: vec![Line::default(); stacks * BLOCK * PLANES],
            zero: vec![Line::default(); BLOCK * PLANES],
            tally: vec![[0; WORDS]; 2 * LEVELS],
            group: 0,
        }
    }
}

impl Back<'_> {
    /// Whether the mover wants low numbers, or, in win/draw/loss, is the second player.
    fn minimises(&self) -> bool {
        if self.wdl {
            return self.field.mover(self.tier) == 0;
        }
        // Negative levels belong to the winner at the last ply.
        let last_mover = (self.field.plies() - self.tier) % 2 == 1;
        last_mover != self.field.board.misere
    }

    /// The planes of a game that ends with the next stone.
    fn ending(&self) -> u32 {
        if self.wdl {
            return 1 << (usize::from(self.minimises()) ^ usize::from(self.field.board.misere));
        }
        level(self.field.plies(), self.tier + 1) as u32
    }

    /// Collects moves and terms of a shape.
    #[inline(always)]
    unsafe fn prepare<L: Lane>(&self, worker: &mut Worker, shape: u32) {
        let (field, tight) = (self.field, self.tight);
        let filled = field.filled(shape);
        let through = &field.through[field.mover(self.tier)];
        worker.terms.clear();
        worker.edges.clear();
        for (i, stack) in field.stacks.iter().enumerate() {
            let count = field.count(shape, i);
            let Some(&variable) = stack.variables.get(count) else { continue };
            let start = worker.terms.len();
            for &others in &through[usize::from(variable)] {
                if others & !filled == 0 {
                    // SAFETY: the processor has the lane's instructions.
                    worker.terms.push(tight, unsafe { L::compress(others, filled) });
                }
            }
            let terms = if field.board.misere { worker.terms.close(start) } else { 0..0 };
            let rank = (filled & ((1 << variable) - 1)).count_ones() as usize;
            let table = if self.next_planes == 0 {
                worker.zero.as_ptr().cast()
            } else {
                let place = self.place[(shape + stack.step) as usize];
                let lines = self.next_offsets[self.next_offsets.len() - 1] as usize * self.next_planes;
                let base = if place & RELAID == 0 { self.next } else { self.next_relaid };
                // SAFETY: the place is that of a stored table of the next tier.
                unsafe { base.add((place & !RELAID) as usize * lines * WORDS) }
            };
            worker.edges.push(Edge { table, rank, terms });
        }
        worker.all = if field.board.misere { 0..0 } else { worker.terms.close(0) };
    }

    /// Solves blocks of a shape; `live` are its legal unfinished positions if they are to be counted. Of
    /// those, only the ones remain in which the mover cannot win at once: what a table has to hold.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, `out` is valid for the shape's planes and `live` for
    /// one plane, and no other thread touches these blocks of `out`.
    #[inline(always)]
    pub(crate) unsafe fn shape<L: Lane>(
        &self,
        worker: &mut Worker,
        shape: u32,
        blocks: Range<u32>,
        out: *mut u64,
        live: Option<*mut u64>,
    ) {
        // SAFETY: the caller's promises are those of the blocks.
        unsafe {
            self.prepare::<L>(worker, shape);
            match (self.wdl, self.planes, self.minimises()) {
                (true, _, false) => self.blocks::<L, 2, false, true>(worker, blocks, out, live),
                (true, _, true) => self.blocks::<L, 2, true, true>(worker, blocks, out, live),
                (_, 1, false) => self.blocks::<L, 1, false, false>(worker, blocks, out, live),
                (_, 1, true) => self.blocks::<L, 1, true, false>(worker, blocks, out, live),
                (_, 2, false) => self.blocks::<L, 2, false, false>(worker, blocks, out, live),
                (_, 2, true) => self.blocks::<L, 2, true, false>(worker, blocks, out, live),
                (_, 3, false) => self.blocks::<L, 3, false, false>(worker, blocks, out, live),
                (_, 3, true) => self.blocks::<L, 3, true, false>(worker, blocks, out, live),
                (_, 4, false) => self.blocks::<L, 4, false, false>(worker, blocks, out, live),
                (_, 4, true) => self.blocks::<L, 4, true, false>(worker, blocks, out, live),
                (_, 5, false) => self.blocks::<L, 5, false, false>(worker, blocks, out, live),
                (_, 5, true) => self.blocks::<L, 5, true, false>(worker, blocks, out, live),
                (_, _, false) => self.blocks::<L, 6, false, false>(worker, blocks, out, live),
                (_, _, true) => self.blocks::<L, 6, true, false>(worker, blocks, out, live),
            }
        }
    }

    // Lines index planes of several tables at once, so a plain counter reads best.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    unsafe fn blocks<L: Lane, const M: usize, const MIN: bool, const WDL: bool>(
        &self,
        worker: &mut Worker,
        blocks: Range<u32>,
        out: *mut u64,
        live: Option<*mut u64>,
    ) {
        let tight = self.tight;
        let ones = self.field.ones(self.tier) as i32;
        let colour = self.field.mover(self.tier);
        let ending = self.ending();
        let misere = self.field.board.misere;
        let next_planes = self.next_planes.max(1);
        let top = (if WDL { 1 } else { next_planes - 1 }) * WORDS;
        let stride = (if WDL { 2 } else { next_planes }) * WORDS;
        // Blocks that were gathered or marked have all planes of the parent; others have the child's.
        let stored = |at: *const u64| Block { at, stride, top };
        let made = |at: *const u64| Block { at, stride: M * WORDS, top: (M - 1) * WORDS };
        let mut children = [stored(std::ptr::null()); 64];
        let moves = worker.edges.len();
        // SAFETY: see `shape`; children lie at the offsets of the next tier, scratch has room for all moves.
        unsafe {
            let none = L::fill(0);
            let mut constant = [none; M];
            for (g, plane) in constant.iter_mut().enumerate() {
                *plane = L::fill(0u64.wrapping_sub(u64::from(ending >> g & 1)));
            }
            for h in blocks {
                let j = ones - h.count_ones() as i32;
                let lines = tight.block_lines(j);
                if lines == 0 {
                    continue;
                }
                let j = j as usize;
                let at = *self.offsets.get_unchecked(h as usize) as usize;
                let missing = missing(h, colour);
                let mut now = [none; BLOCK];
                let settled =
                    worker.terms.cover::<L>(tight, worker.all.clone(), colour, j, missing, &mut now);
                let target = out.add(at * M * WORDS);
                if settled {
                    for line in 0..lines {
                        for (g, &plane) in constant.iter().enumerate() {
                            L::store(target.add((line * M + g) * WORDS), plane);
                        }
                        if let Some(live) = live {
                            let live = live.add((at + line) * WORDS);
                            let code = worker.group + (ending as usize & ((1 << M) - 1));
                            L::tally(worker.tally[code].as_mut_ptr(), L::load(live));
                            L::store(live, none);
                        }
                    }
                    continue;
                }
                for i in 0..moves {
                    let edge = worker.edges.get_unchecked(i);
                    let scratch = worker.scratch.as_mut_ptr().add(i * BLOCK * PLANES).cast::<u64>();
                    let mut child = if self.next_planes == 0 {
                        stored(edge.table)
                    } else if edge.rank >= tight.low {
                        let q = edge.rank - tight.low;
                        let child = insert(h, q, colour as u32);
                        let at = *self.next_offsets.get_unchecked(child as usize) as usize;
                        stored(edge.table.add(at * stride))
                    } else {
                        self.extract::<L, M>(edge, h, j, colour, stride, top, scratch);
                        made(scratch)
                    };
                    if misere && !edge.terms.is_empty() {
                        // This move ends the game where its own terms say so.
                        let mut now = [none; BLOCK];
                        let range = edge.terms.clone();
                        let settled = worker.terms.cover::<L>(tight, range, colour, j, missing, &mut now);
                        let ended = worker.ended.as_mut_ptr().add(i * BLOCK * PLANES).cast::<u64>();
                        for line in 0..lines {
                            let mask = if settled { L::fill(u64::MAX) } else { now[line] };
                            for (g, &constant) in constant.iter().enumerate() {
                                let plane = if g + 1 == M { child.top } else { g * WORDS };
                                let plane = L::load(child.at.add(line * child.stride + plane));
                                let to = ended.add((line * M + g) * WORDS);
                                L::store(to, L::pick(mask, constant, plane));
                            }
                        }
                        child = made(ended);
                    }
                    *children.get_unchecked_mut(i) = child;
                }
                for line in 0..lines {
                    let mut best = [none; M];
                    for i in 0..moves {
                        let block = children.get_unchecked(i);
                        let from = block.at.add(line * block.stride);
                        let mut child = [none; M];
                        for (g, plane) in child.iter_mut().enumerate() {
                            *plane = L::load(from.add(if g + 1 == M { block.top } else { g * WORDS }));
                        }
                        if i == 0 {
                            best = child;
                        } else if WDL {
                            let (own, other) = (usize::from(MIN), usize::from(!MIN));
                            best[own] = L::or(best[own], child[own]);
                            best[other] = L::and(best[other], child[other]);
                        } else {
                            let mut better = none;
                            for g in 0..M {
                                // Two's complement: the sign plane compares the other way round.
                                better = if MIN != (g + 1 == M) {
                                    L::greater(best[g], child[g], better)
                                } else {
                                    L::greater(child[g], best[g], better)
                                };
                            }
                            for g in 0..M {
                                best[g] = L::pick(better, child[g], best[g]);
                            }
                        }
                    }
                    for g in 0..M {
                        best[g] = L::pick(now[line], constant[g], best[g]);
                        L::store(target.add((line * M + g) * WORDS), best[g]);
                    }
                    if let Some(live) = live {
                        let live = live.add((at + line) * WORDS);
                        let mask = L::load(live);
                        if !L::is_empty(mask) {
                            split::<L, M>(&best, mask, &mut worker.tally[worker.group..]);
                            L::store(live, L::without(mask, now[line]));
                        }
                    }
                }
            }
        }
    }

    /// Fixes a low variable: gathers a block of the child's planes from the one or two blocks it lies in.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    unsafe fn extract<L: Lane, const M: usize>(
        &self,
        edge: &Edge,
        h: u32,
        j: usize,
        colour: usize,
        stride: usize,
        top: usize,
        to: *mut u64,
    ) {
        let tight = self.tight;
        let set = tight.set(1 << edge.rank);
        // The child's lowest high variable is the parent's highest low one.
        let parts = if self.tier < tight.low { 1 } else { 2 };
        let variables = tight.low.min(self.tier + 1);
        // All planes move alike: `filled` bits of word `word` are there, and `held` has them.
        let (mut word, mut filled, mut held) = (0usize, 0u32, [0u64; M]);
        // SAFETY: blocks with a possible number of ones exist in the child, and the result has as many bits
        // as a block of the parent.
        unsafe {
            for part in 0..parts {
                let ones = (j + colour) as i32 - part as i32;
                if tight.block_lines(ones) == 0 {
                    continue;
                }
                let ones = ones as usize;
                let child = if parts == 1 { 0 } else { (h as usize) << 1 | part };
                let from = edge.table.add(*self.next_offsets.get_unchecked(child) as usize * stride);
                let masks = tight.mask(colour, set, ones);
                let words = tight.choose.get_unchecked(variables)[ones].div_ceil(64) as usize;
                for w in 0..words {
                    let mask = *masks.add(w);
                    let from = from.add(w / WORDS * stride + w % WORDS);
                    let mut bits = [0u64; M];
                    for g in 0..M {
                        bits[g] = L::compress(*from.add(if g + 1 == M { top } else { g * WORDS }), mask);
                        held[g] |= bits[g] << filled;
                    }
                    let total = filled + mask.count_ones();
                    if total >= 64 {
                        let to = to.add(word / WORDS * M * WORDS + word % WORDS);
                        for g in 0..M {
                            *to.add(g * WORDS) = held[g];
                            held[g] = (bits[g] >> 1) >> (63 - filled);
                        }
                        word += 1;
                    }
                    filled = total % 64;
                }
            }
            if filled > 0 {
                let to = to.add(word / WORDS * M * WORDS + word % WORDS);
                for (g, &held) in held.iter().enumerate() {
                    *to.add(g * WORDS) = held;
                }
            }
        }
    }
}

/// Inserts a bit into a number at place `q`.
#[inline(always)]
pub(crate) fn insert(h: u32, q: usize, bit: u32) -> u32 {
    let low = h & ((1 << q) - 1);
    (h - low) << 1 | bit << q | low
}

/// Counts the bits of `mask` by the number that the planes hold.
#[inline(always)]
unsafe fn split<L: Lane, const M: usize>(planes: &[L::Line; M], mask: L::Line, tally: &mut [[u64; WORDS]]) {
    let mut masks = [const { MaybeUninit::<L::Line>::uninit() }; LEVELS];
    masks[0].write(mask);
    for g in 0..M {
        for i in 0..1 << g {
            // SAFETY: the first 2^g masks are written, and this step writes the next 2^g.
            unsafe {
                let mask = masks[i].assume_init();
                masks[i | 1 << g].write(L::and(mask, planes[g]));
                masks[i].write(L::without(mask, planes[g]));
            }
        }
    }
    for (mask, counters) in masks.iter().zip(tally.iter_mut()).take(1 << M) {
        // SAFETY: all 2^M masks are written.
        unsafe {
            let mask = mask.assume_init();
            if !L::is_empty(mask) {
                L::tally(counters.as_mut_ptr(), mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_name_plies() {
        for plies in 1..20 {
            for last in 1..=plies {
                assert_eq!(end(plies, level(plies, last)), Some(last));
                // The levels of a tier fit in as many planes as its plies left have bits.
                let bits = usize::BITS - (plies - last + 1).leading_zeros();
                let most = 1 << (bits - 1);
                assert!((-most..most).contains(&level(plies, last)), "{plies} {last}");
            }
        }
        assert_eq!(end(9, 0), None);
    }

    #[test]
    fn insertion_shifts_the_upper_bits() {
        assert_eq!(insert(0b1011, 2, 1), 0b10111);
        assert_eq!(insert(0b1011, 0, 0), 0b10110);
        assert_eq!(insert(0b1011, 4, 1), 0b11011);
    }
}
