//! The forward step: which colourings of a shape are legal, from the shapes one stone smaller.
//!
//! ```text
//!  reached(s) = OR over top stones x of the last mover's colour of live(s - x)
//!  live(s)    = reached(s) without the colourings that contain a line
//! ```
//!
//! Invariant: padding bits are zero, so that populations can be counted by the line.
#![allow(unsafe_code)]

use crate::back::RELAID;
use crate::field::Field;
use crate::lane::Lane;
use crate::terms::{Terms, missing};
use crate::tight::{BLOCK, Line, Tight, WORDS};
use std::ops::Range;

/// What is the same for all shapes of a tier.
#[derive(Clone, Copy)]
pub(crate) struct Forth<'a> {
    pub(crate) field: &'a Field,
    pub(crate) tight: &'a Tight,
    /// The tier that is computed, at least 1.
    pub(crate) tier: usize,
    pub(crate) offsets: &'a [u32],
    pub(crate) last_offsets: &'a [u32],
    /// Where a shape of the tier before is stored.
    pub(crate) place: &'a [u32],
    pub(crate) last: *const u64,
    pub(crate) last_relaid: *const u64,
}

// SAFETY: the pointers are to planes that nobody writes during the pass.
unsafe impl Sync for Forth<'_> {}
// SAFETY: see above.
unsafe impl Send for Forth<'_> {}

/// Buffers and counts of one thread.
#[derive(Default)]
pub(crate) struct Walker {
    terms: Terms,
    edges: Vec<(*const u64, usize)>,
    /// Legal positions, for each of two groups of shapes.
    pub(crate) legal: [[u64; WORDS]; 2],
    /// Those of them that contain a line.
    pub(crate) finished: [[u64; WORDS]; 2],
    /// The group of the shape at hand.
    pub(crate) group: usize,
}

// SAFETY: a walker's pointers are refreshed for every shape by the thread that uses it.
unsafe impl Send for Walker {}

impl Forth<'_> {
    /// Finds the live colourings of blocks of a shape.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, `out` is valid for the shape's plane, the tables of the
    /// tier before end a line before their memory does, and no other thread touches these blocks.
    #[inline(always)]
    pub(crate) unsafe fn shape<L: Lane>(
        &self,
        walker: &mut Walker,
        shape: u32,
        blocks: Range<u32>,
        out: *mut u64,
    ) {
        let (field, tight) = (self.field, self.tight);
        let colour = field.mover(self.tier - 1);
        let ones = field.ones(self.tier) as i32;
        let filled = field.filled(shape);
        let table = self.last_offsets[self.last_offsets.len() - 1] as usize * WORDS;
        walker.edges.clear();
        walker.terms.clear();
        let mut tops = 0u64;
        for (i, stack) in field.stacks.iter().enumerate() {
            let count = field.count(shape, i);
            if count == 0 {
                continue;
            }
            let variable = stack.variables[count - 1];
            tops |= 1 << variable;
            let rank = (filled & ((1 << variable) - 1)).count_ones() as usize;
            let place = self.place[(shape - stack.step) as usize];
            let base = if place & RELAID == 0 { self.last } else { self.last_relaid };
            // SAFETY: the place is that of a stored table of the tier before.
            walker.edges.push((unsafe { base.add((place & !RELAID) as usize * table) }, rank));
        }
        for &line in &field.whole[colour] {
            // Whoever completed the line did it with a stone that is on top.
            if line & !filled == 0 && line & tops != 0 {
                // SAFETY: the processor has the lane's instructions.
                walker.terms.push(tight, unsafe { L::compress(line, filled) });
            }
        }
        let terms = walker.terms.close(0);

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
                for &(table, rank) in &walker.edges {
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
                if walker.terms.cover::<L>(tight, terms.clone(), colour, j, missing(h, colour), &mut line) {
                    line = [L::fill(u64::MAX); BLOCK];
                }
                let to = out.add(*self.offsets.get_unchecked(h as usize) as usize * WORDS);
                for i in 0..lines {
                    L::tally(walker.legal[walker.group].as_mut_ptr(), reached[i]);
                    L::tally(walker.finished[walker.group].as_mut_ptr(), L::and(reached[i], line[i]));
                    L::store(to.add(i * WORDS), L::without(reached[i], line[i]));
                }
            }
        }
    }

    /// The parent's bits for a new stone at a low variable, spread over the child's block.
    #[inline(always)]
    unsafe fn expand<L: Lane>(
        &self,
        table: *const u64,
        rank: usize,
        h: u32,
        j: usize,
        colour: usize,
    ) -> [Line; BLOCK] {
        let tight = self.tight;
        let mut out = [Line::default(); BLOCK];
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
        // SAFETY: the parent's block holds the bits, and a line follows even the last table.
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
