//! Backward pass: bit-sliced minimax over the successor tier.
//!
//! The colourings of a shape (a set of occupied cells) are processed in blocks of bits. The value of a position with
//! its distance is stored as a *level* on an absolute scale, which does not depend on the player to move.
//!
//! ```text
//!  for each block:  now   = OR of the lines that a stone of the mover would complete
//!                   value = best over moves of the child's block; `now` overrides it
//!
//!  win/draw/loss    two planes: "the first player wins", "the second player wins"
//!  distance         two's complement, bit-sliced over bit_length(plies left) planes:
//!                   level          …  -2    -1    0     1     2    …
//!                   game ends at   …  N-2   N     tie   N-1   N-3  …    N = plies of a full board
//! ```
//!
//! Only one player can complete a line at a given ply, so each ply has one level, and minimax is plain min or max
//! without increments. The player who places stone N has the negative levels.
//!
//! Invariant: a bit is right for every colouring without a line; the bits of other colourings are arbitrary, and no
//! right bit depends on them.
#![allow(unsafe_code)]

use crate::field::BoardGeometry;
use crate::lane::Lane;
use crate::terms::{Terms, missing};
use crate::tight::{BLOCK, CacheLine, TightLayout, WORDS};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Most planes of a tier: 63 plies take six bits.
pub(crate) const PLANES: usize = 6;
/// Number of levels, each with its counters.
pub(crate) const LEVELS: usize = 1 << PLANES;
/// Flag of a shape whose table is a separately stored mirror image.
pub(crate) const MIRRORED: u32 = 1 << 31;

/// Counters by level.
pub(crate) type LevelCounters = Vec<[u64; WORDS]>;

/// Returns the level of a game that ends with a line after ply `end` of `plies`.
pub(crate) fn level(plies: usize, end: usize) -> i32 {
    let left = (plies - end) as i32;
    if left % 2 == 0 { -(left / 2 + 1) } else { (left + 1) / 2 }
}

/// Returns the ply after which a game at this level ends; `None` for a tie and for an unused level.
pub(crate) fn end(plies: usize, level: i32) -> Option<usize> {
    match level {
        0 => None,
        1.. => (plies + 1).checked_sub(2 * level as usize),
        _ => (plies + 2).checked_sub(2 * level.unsigned_abs() as usize),
    }
}

/// Parameters of a pass, the same for all shapes of a tier.
#[derive(Clone, Copy)]
pub(crate) struct BackwardPass<'a> {
    pub(crate) geometry: &'a BoardGeometry,
    pub(crate) tight: &'a TightLayout,
    pub(crate) tier: usize,
    /// Block offsets in this tier and in the next.
    pub(crate) offsets: &'a [u32],
    pub(crate) next_offsets: &'a [u32],
    /// Planes of this tier and of the next; the last tier has none.
    pub(crate) planes: usize,
    pub(crate) next_planes: usize,
    /// Whether planes hold win/draw/loss instead of levels.
    pub(crate) wdl: bool,
    /// By shape of the next tier: the place of its table.
    pub(crate) place: &'a [u32],
    pub(crate) next: *const u64,
    pub(crate) next_mirrored: *const u64,
}

// SAFETY: the pointers are to planes that are not written during the pass.
unsafe impl Sync for BackwardPass<'_> {}
// SAFETY: see above.
unsafe impl Send for BackwardPass<'_> {}

/// Block of a child's planes.
#[derive(Clone, Copy)]
struct ChildBlock {
    at: *const u64,
    /// Words between lines.
    stride: usize,
    /// Offset of the highest plane, the sign, which is extended to longer numbers.
    top: usize,
}

/// A move from the current shape.
#[derive(Clone, Debug)]
struct Edge {
    table: *const u64,
    /// Rank of the new stone among the child's variables.
    rank: usize,
    /// Line terms of this move alone; used in misère games.
    terms: Range<usize>,
}

/// Buffers and counters of one thread.
pub(crate) struct BackwardWorker {
    terms: Terms,
    all: Range<usize>,
    edges: Vec<Edge>,
    /// Blocks of children whose new stone is a low variable.
    scratch: Vec<CacheLine>,
    /// Blocks of children with the ending moves merged in.
    ended: Vec<CacheLine>,
    zero: Vec<CacheLine>,
    /// Number of live positions by level, for each of two groups of shapes.
    pub(crate) tally: LevelCounters,
    /// Index of the group's first counter: 0 or [`LEVELS`].
    pub(crate) group: usize,
}

// SAFETY: a worker's pointers are refreshed for every shape by the thread that uses it.
unsafe impl Send for BackwardWorker {}

impl BackwardWorker {
    /// Allocates buffers for boards with this number of stacks.
    pub(crate) fn new(stacks: usize) -> BackwardWorker {
        BackwardWorker {
            terms: Terms::default(),
            all: 0..0,
            edges: Vec::new(),
            scratch: vec![CacheLine::default(); stacks * BLOCK * PLANES],
            ended: vec![CacheLine::default(); stacks * BLOCK * PLANES],
            zero: vec![CacheLine::default(); BLOCK * PLANES],
            tally: vec![[0; WORDS]; 2 * LEVELS],
            group: 0,
        }
    }
}

impl BackwardPass<'_> {
    /// Whether the mover minimises; in win/draw/loss, whether the mover is the second player.
    fn minimises(&self) -> bool {
        if self.wdl {
            return self.geometry.mover(self.tier) == 0;
        }
        // Negative levels belong to the winner at the last ply.
        let last_mover = (self.geometry.plies() - self.tier) % 2 == 1;
        last_mover != self.geometry.board.misere
    }

    /// Returns the planes of a game that ends with the next stone.
    fn ending(&self) -> u32 {
        if self.wdl {
            return 1 << (usize::from(self.minimises()) ^ usize::from(self.geometry.board.misere));
        }
        level(self.geometry.plies(), self.tier + 1) as u32
    }

    /// Collects moves and line terms of a shape.
    #[inline(always)]
    unsafe fn prepare<L: Lane>(&self, worker: &mut BackwardWorker, shape: u32) {
        let (geometry, tight) = (self.geometry, self.tight);
        let filled = geometry.filled(shape);
        let through = &geometry.through[geometry.mover(self.tier)];
        worker.terms.clear();
        worker.edges.clear();
        for (i, stack) in geometry.stacks.iter().enumerate() {
            let count = geometry.count(shape, i);
            let Some(&variable) = stack.variables.get(count) else { continue };
            let start = worker.terms.len();
            for &others in &through[usize::from(variable)] {
                if others & !filled == 0 {
                    // SAFETY: the processor has the lane's instructions.
                    worker.terms.push(tight, unsafe { L::compress(others, filled) });
                }
            }
            let terms = if geometry.board.misere { worker.terms.close(start) } else { 0..0 };
            let rank = (filled & ((1 << variable) - 1)).count_ones() as usize;
            let table = if self.next_planes == 0 {
                worker.zero.as_ptr().cast()
            } else {
                let place = self.place[(shape + stack.step) as usize];
                let lines = self.next_offsets[self.next_offsets.len() - 1] as usize * self.next_planes;
                let base = if place & MIRRORED == 0 { self.next } else { self.next_mirrored };
                // SAFETY: the place is that of a stored table of the next tier.
                unsafe { base.add((place & !MIRRORED) as usize * lines * WORDS) }
            };
            worker.edges.push(Edge { table, rank, terms });
        }
        worker.all = if geometry.board.misere { 0..0 } else { worker.terms.close(0) };
    }

    /// Solves blocks of a shape. `live` holds its legal unfinished positions if they are to be counted; positions in
    /// which the mover wins at once are removed from it, and the rest is the care set of the table.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, `out` is valid for the shape's planes and `live` for
    /// one plane, and no other thread accesses these blocks of `out`.
    #[inline(always)]
    pub(crate) unsafe fn shape<L: Lane>(
        &self,
        worker: &mut BackwardWorker,
        shape: u32,
        blocks: Range<u32>,
        out: *mut u64,
        live: Option<*mut u64>,
    ) {
        // SAFETY: as for this function.
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
        worker: &mut BackwardWorker,
        blocks: Range<u32>,
        out: *mut u64,
        live: Option<*mut u64>,
    ) {
        let tight = self.tight;
        let ones = self.geometry.ones(self.tier) as i32;
        let colour = self.geometry.mover(self.tier);
        let ending = self.ending();
        let misere = self.geometry.board.misere;
        let next_planes = self.next_planes.max(1);
        let top = (if WDL { 1 } else { next_planes - 1 }) * WORDS;
        let stride = (if WDL { 2 } else { next_planes }) * WORDS;
        // Gathered or merged blocks have all planes of the parent; others have the child's.
        let stored = |at: *const u64| ChildBlock { at, stride, top };
        let made = |at: *const u64| ChildBlock { at, stride: M * WORDS, top: (M - 1) * WORDS };
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
                        // The move ends the game where its own line terms hold.
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
                                // Two's complement: the sign plane compares in reverse.
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

    /// Fixes a low variable: gathers (PEXT) a block of the child's planes from the one or two blocks that contain it.
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
        // All planes move alike: `filled` bits of word `word` are collected in `held`.
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
    fn levels_and_end_plies_are_inverse() {
        for plies in 1..20 {
            for last in 1..=plies {
                assert_eq!(end(plies, level(plies, last)), Some(last));
                // The levels of a tier fit in the bit length of its remaining plies.
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
