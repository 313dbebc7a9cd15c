//! Line detection for a whole block: a disjunction of conjunctions (DNF) over the colours.
//!
//! The colourings of a shape are processed in blocks: *high* variables (owners of stones) number the blocks, *low* ones
//! the bits within a block. Each line that could be complete is one term of the disjunction:
//!
//! ```text
//!  term = high variables that must have the colour  &  low variables that must have the colour
//!         one test per block, sixteen at a time        a precomputed mask of `TightLayout`
//! ```
//!
//! Invariant: the masks are padded to a multiple of sixteen with terms that are never true.
#![allow(unsafe_code)]

use crate::lane::Lane;
use crate::tight::{BLOCK, TightLayout, WORDS};
use std::ops::Range;

/// High mask of a padding term: the top bit always counts as missing.
const NEVER: u32 = 1 << 31;

/// Terms of a DNF.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    high: Vec<u32>,
    sets: Vec<u16>,
}

/// Returns the high variables of a block that do not have the colour.
#[inline(always)]
pub(crate) fn missing(h: u32, colour: usize) -> u32 {
    (if colour == 1 { !h } else { h }) | NEVER
}

impl Terms {
    /// Removes all terms.
    pub(crate) fn clear(&mut self) {
        self.high.clear();
        self.sets.clear();
    }

    /// Adds the term of a set of variables, given as ranks within the shape.
    #[inline(always)]
    pub(crate) fn push(&mut self, tight: &TightLayout, ranks: u64) {
        self.high.push((ranks >> tight.low) as u32);
        self.sets.push(tight.set(ranks as usize & ((1 << tight.low) - 1)));
    }

    /// Closes a group that began at `start` and returns its range.
    #[inline(always)]
    pub(crate) fn close(&mut self, start: usize) -> Range<usize> {
        // Terms without low variables come first: a true one covers the whole block.
        let mut settled = start;
        for i in start..self.high.len() {
            if self.sets[i] == 0 {
                self.high.swap(i, settled);
                self.sets.swap(i, settled);
                settled += 1;
            }
        }
        while !(self.high.len() - start).is_multiple_of(16) {
            self.high.push(NEVER);
            self.sets.push(0);
        }
        start..self.high.len()
    }

    /// Number of terms, padding included.
    pub(crate) fn len(&self) -> usize {
        self.high.len()
    }

    /// ORs the true terms of a block into `cover`; returns true if one of them covers the whole block.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, the range was returned by `close`, and `ones` is a
    /// possible number of ones.
    #[inline(always)]
    pub(crate) unsafe fn cover<L: Lane>(
        &self,
        tight: &TightLayout,
        range: Range<usize>,
        colour: usize,
        ones: usize,
        missing: u32,
        cover: &mut [L::Line; BLOCK],
    ) -> bool {
        let two = tight.lines[ones] == 2;
        let mut at = range.start;
        while at < range.end {
            // SAFETY: groups are padded to sixteen terms, and masks have as many lines as the block.
            unsafe {
                let mut alive = L::alive(self.high.as_ptr().add(at), missing);
                while alive != 0 {
                    let set = *self.sets.get_unchecked(at + alive.trailing_zeros() as usize);
                    if set == 0 {
                        return true;
                    }
                    let mask = tight.mask(colour, set, ones);
                    cover[0] = L::or(cover[0], L::load(mask));
                    if two {
                        cover[1] = L::or(cover[1], L::load(mask.add(WORDS)));
                    }
                    alive &= alive - 1;
                }
            }
            at += 16;
        }
        false
    }
}
