//! Forward pass: which colourings (owners of the stones) of a shape (occupied cells) are reachable, computed from the
//! tier with one stone less.
//!
//! ```text
//!  reached(s) = OR of live(s - x) over the top stones x that have the last mover's colour
//!  live(s)    = reached(s) without the colourings that contain a line, which end the game
//! ```
//!
//! Invariant: padding bits are zero, so that the population count of a whole 512-bit word counts positions.
#![allow(unsafe_code)]

use crate::back::MIRRORED;
use crate::field::BoardGeometry;
use crate::lane::Lane;
use crate::terms::{Terms, missing};
use crate::tight::{BLOCK, CacheLine, TightLayout, WORDS};
use std::ops::Range;

/// Parameters of a pass, the same for all shapes of a tier.
#[derive(Clone, Copy)]
pub(crate) struct ForwardPass<'a> {
    pub(crate) geometry: &'a BoardGeometry,
    pub(crate) tight: &'a TightLayout,
    /// The tier to compute, at least 1.
    pub(crate) tier: usize,
    pub(crate) offsets: &'a [u32],
    pub(crate) last_offsets: &'a [u32],
    /// By shape of the tier before: the place of its table.
    pub(crate) place: &'a [u32],
    pub(crate) last: *const u64,
    pub(crate) last_mirrored: *const u64,
}

// SAFETY: the pointers are to planes that are not written during the pass.
unsafe impl Sync for ForwardPass<'_> {}
// SAFETY: see above.
unsafe impl Send for ForwardPass<'_> {}

/// Buffers and counters of one thread.
#[derive(Default)]
pub(crate) struct ForwardWorker {
    terms: Terms,
    edges: Vec<(*const u64, usize)>,
    /// Legal positions, for each of two groups of shapes.
    pub(crate) legal: [[u64; WORDS]; 2],
    /// Those of them that contain a line.
    pub(crate) finished: [[u64; WORDS]; 2],
    /// Group of the current shape.
    pub(crate) group: usize,
}

// SAFETY: a worker's pointers are refreshed for every shape by the thread that uses it.
unsafe impl Send for ForwardWorker {}

impl ForwardPass<'_> {
    /// Computes the live colourings of blocks of a shape.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, `out` is valid for the shape's plane, one readable line follows the
    /// tables of the tier before, and no other thread accesses these blocks.
    #[inline(always)]
    pub(crate) unsafe fn shape<L: Lane>(
        &self,
        worker: &mut ForwardWorker,
        shape: u32,
        blocks: Range<u32>,
        out: *mut u64,
    ) {
        let (geometry, tight) = (self.geometry, self.tight);
        let colour = geometry.mover(self.tier - 1);
        let ones = geometry.ones(self.tier) as i32;
        let filled = geometry.filled(shape);
        let table = self.last_offsets[self.last_offsets.len() - 1] as usize * WORDS;
        worker.edges.clear();
        worker.terms.clear();
        let mut tops = 0u64;
        for (i, stack) in geometry.stacks.iter().enumerate() {
            let count = geometry.count(shape, i);
            if count == 0 {
                continue;
            }
            let variable = stack.variables[count - 1];
            tops |= 1 << variable;
            let rank = (filled & ((1 << variable) - 1)).count_ones() as usize;
            let place = self.place[(shape - stack.step) as usize];
            let base = if place & MIRRORED == 0 { self.last } else { self.last_mirrored };
            // SAFETY: the place is that of a stored table of the tier before.
            worker.edges.push((unsafe { base.add((place & !MIRRORED) as usize * table) }, rank));
        }
        for &line in &geometry.whole[colour] {
            // The stone that completed the line is on top of its stack.
            if line & !filled == 0 && line & tops != 0 {
                // SAFETY: the processor has the lane's instructions.
                worker.terms.push(tight, unsafe { L::compress(line, filled) });
            }
        }
        let terms = worker.terms.close(0);

        // SAFETY: see above; parents lie at the offsets of their tier.
        unsafe {
            let none = L::fill(0);
            for h in blocks {
                let j = ones - h.count_ones() as i32;
                let lines = tight.block_lines(j);
                if lines == 0 {
                    continue;
                }
                let j = j as usize;
                let mut reached = [none; BLOCK];
                for &(table, rank) in &worker.edges {
                    if rank >= tight.low {
                        let q = rank - tight.low;
                        if (h >> q & 1) as usize != colour {
                            continue;
                        }
                        let low = h & ((1 << q) - 1);
                        let parent = (h >> 1) & !((1 << q) - 1) | low;
                        let from =
                            table.add(*self.last_offsets.get_unchecked(parent as usize) as usize * WORDS);
                        reached[0] = L::or(reached[0], L::load(from));
                        if lines == 2 {
                            reached[1] = L::or(reached[1], L::load(from.add(WORDS)));
                        }
                    } else {
                        let spread = self.expand::<L>(table, rank, h, j, colour);
                        reached[0] = L::or(reached[0], L::load(spread[0].0.as_ptr()));
                        reached[1] = L::or(reached[1], L::load(spread[1].0.as_ptr()));
                    }
                }
                let mut line = [none; BLOCK];
                if worker.terms.cover::<L>(tight, terms.clone(), colour, j, missing(h, colour), &mut line) {
                    line = [L::fill(u64::MAX); BLOCK];
                }
                let to = out.add(*self.offsets.get_unchecked(h as usize) as usize * WORDS);
                for i in 0..lines {
                    L::tally(worker.legal[worker.group].as_mut_ptr(), reached[i]);
                    L::tally(worker.finished[worker.group].as_mut_ptr(), L::and(reached[i], line[i]));
                    L::store(to.add(i * WORDS), L::without(reached[i], line[i]));
                }
            }
        }
    }

    /// Expands (PDEP) the parent's bits for a new stone at a low variable to the child's block.
    #[inline(always)]
    unsafe fn expand<L: Lane>(
        &self,
        table: *const u64,
        rank: usize,
        h: u32,
        j: usize,
        colour: usize,
    ) -> [CacheLine; BLOCK] {
        let tight = self.tight;
        let mut out = [CacheLine::default(); BLOCK];
        if j < colour {
            return out;
        }
        // The parent's highest low variable is the child's lowest high one.
        let (parent, upper) = if self.tier > tight.low { (h >> 1, (h & 1) as usize) } else { (0, 0) };
        let ones = j - colour + upper;
        if tight.block_lines(ones as i32) == 0 {
            return out;
        }
        let mask = tight.mask(colour, tight.set(1 << rank), j);
        let mut at = if upper == 1 { tight.choose[tight.low - 1][ones] as usize } else { 0 };
        // SAFETY: the parent's block holds the bits, and a readable line follows even the last table.
        unsafe {
            let from = table.add(*self.last_offsets.get_unchecked(parent as usize) as usize * WORDS);
            for w in 0..tight.colourings.get_unchecked(j).len().div_ceil(64) {
                let mask = *mask.add(w);
                let (word, shift) = (at / 64, at % 64);
                let bits = *from.add(word) >> shift | (*from.add(word + 1) << 1) << (63 - shift);
                out[w / WORDS].0[w % WORDS] = L::spread(bits, mask);
                at += mask.count_ones() as usize;
            }
        }
        out
    }
}
