//! Plane layout: balanced colourings in the combinatorial number system (colex order), in blocks.
//!
//! A colouring gives each stone of a shape an owner; it is *balanced* if both players have as many stones as
//! alternating turns give them. Each stone is a variable:
//!
//! ```text
//!  variables of a shape, in ascending order:   v0 … v11 | v12 … v(n-1)
//!                                              low      | high
//!  plane = for each value h of the high ones, ascending, a block of C(12, ones - popcount(h)) bits:
//!          the low colourings with that many ones in colex order, padded to lines of 512 bits
//! ```
//!
//! Only balanced colourings have a bit, about one in six of all colourings for thirty stones. Still, fixing a high
//! variable of a larger shape selects whole blocks: the block of (high part without the new stone, low part) has the
//! same bits in parent and child, because the low part has the same number of ones. A shape with fewer stones than low
//! variables has one block, of which it uses a prefix.
//!
//! Invariant: the rank of a low colouring does not depend on the number of variables, so every table here serves all
//! shapes.

use crate::DenseError;
use outplay_runtime::{Monitor, Pace};

/// Number of low variables: blocks of up to C(12, 6) = 924 bits fit in two lines.
pub(crate) const LOW: usize = 12;
/// Machine words of a line.
pub(crate) const WORDS: usize = 8;
/// Most lines of a block.
pub(crate) const BLOCK: usize = 2;

/// 512 bits, loaded and stored at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct CacheLine(pub(crate) [u64; WORDS]);

/// Binomial coefficients up to C(63, ·), enough for every shape.
pub(crate) fn binomials() -> Vec<[u64; 64]> {
    let mut rows = vec![[0u64; 64]; 64];
    for n in 0..64 {
        rows[n][0] = 1;
        for k in 1..=n {
            rows[n][k] = rows[n - 1][k - 1] + if k < n { rows[n - 1][k] } else { 0 };
        }
    }
    rows
}

/// Lookup tables of the layout.
#[derive(Debug)]
pub(crate) struct TightLayout {
    /// Number of low variables; [`LOW`] except in tests.
    pub(crate) low: usize,
    /// `choose[n][k]`.
    pub(crate) choose: Vec<[u64; 64]>,
    /// Lines of a block, by its number of ones.
    pub(crate) lines: Vec<usize>,
    /// Low colourings by number of ones, ascending.
    pub(crate) colourings: Vec<Vec<u16>>,
    /// Rank of each low colouring among those with as many ones.
    pub(crate) rank: Vec<u16>,
    /// By set of low variables: the index of its masks.
    set: Vec<u16>,
    /// By colour: masks of the colourings in which all variables of a set have the colour, a block for
    /// each number of ones, set after set.
    masks: [Vec<CacheLine>; 2],
    /// Offset of the block of a number of ones within a set's masks.
    within: Vec<usize>,
    /// Lines of one set's masks.
    per_set: usize,
}

impl TightLayout {
    /// Builds the tables for sets of up to `most` low variables.
    pub(crate) fn new(low: usize, most: usize) -> TightLayout {
        assert!(low <= LOW, "blocks of more than two lines");
        let choose = binomials();
        let mut colourings = vec![Vec::new(); low + 1];
        let mut rank = vec![0u16; 1 << low];
        for colouring in 0..1u16 << low {
            let list: &mut Vec<u16> = &mut colourings[colouring.count_ones() as usize];
            rank[usize::from(colouring)] = list.len() as u16;
            list.push(colouring);
        }
        let lines: Vec<usize> = colourings.iter().map(|list| list.len().div_ceil(64 * WORDS)).collect();
        let mut within = vec![0];
        for count in &lines {
            within.push(within[within.len() - 1] + count);
        }
        let per_set = within[low + 1];

        // Single variables by testing every colouring; larger sets as intersections of smaller ones.
        let mut set = vec![u16::MAX; 1 << low];
        let mut masks = [Vec::new(), Vec::new()];
        let mut sets = 0;
        for subset in 0..1usize << low {
            if subset.count_ones() as usize > most.max(1) {
                continue;
            }
            set[subset] = sets;
            sets += 1;
            for (colour, masks) in masks.iter_mut().enumerate() {
                let start = masks.len();
                masks.resize(start + per_set, CacheLine::default());
                if subset.count_ones() <= 1 {
                    let wanted = if colour == 1 { subset as u16 } else { 0 };
                    for (ones, list) in colourings.iter().enumerate() {
                        for (i, &colouring) in list.iter().enumerate() {
                            if colouring & subset as u16 == wanted {
                                masks[start + within[ones] + i / 512].0[i / 64 % WORDS] |= 1 << (i % 64);
                            }
                        }
                    }
                } else {
                    let rest = subset & (subset - 1);
                    let (a, b) = (usize::from(set[rest]), usize::from(set[subset & !rest]));
                    for line in 0..per_set {
                        for word in 0..WORDS {
                            masks[start + line].0[word] =
                                masks[a * per_set + line].0[word] & masks[b * per_set + line].0[word];
                        }
                    }
                }
            }
        }
        TightLayout { low, choose, lines, colourings, rank, set, masks, within, per_set }
    }

    /// Returns the index of a set of low variables, for [`TightLayout::mask`].
    #[inline(always)]
    pub(crate) fn set(&self, subset: usize) -> u16 {
        self.set[subset]
    }

    /// Returns the mask of the colourings with `ones` ones in which every variable of the set has the colour.
    #[inline(always)]
    pub(crate) fn mask(&self, colour: usize, set: u16, ones: usize) -> *const u64 {
        let at = usize::from(set) * self.per_set + self.within[ones];
        self.masks[colour][at..].as_ptr().cast()
    }

    /// Returns the offset of each block in lines, by the value of the high variables; the last entry is the end.
    ///
    /// # Errors
    ///
    /// Out of memory, or a cancellation.
    pub(crate) fn offsets(
        &self,
        high: usize,
        ones: usize,
        monitor: &dyn Monitor,
    ) -> Result<Vec<u32>, DenseError> {
        let mut offsets = Vec::new();
        offsets.try_reserve_exact((1 << high) + 1).map_err(|_| {
            let why = std::io::ErrorKind::OutOfMemory.into();
            DenseError::Refused { bytes: 4 << high, why }
        })?;
        let mut at = 0u32;
        let mut pace = Pace::new(monitor);
        for h in 0..1u32 << high {
            if pace.step() {
                return Err(DenseError::Stopped);
            }
            offsets.push(at);
            at += self.block_lines(ones as i32 - h.count_ones() as i32) as u32;
        }
        offsets.push(at);
        Ok(offsets)
    }

    /// Lines of the block whose low part has `ones` ones: none if that is impossible.
    #[inline(always)]
    pub(crate) fn block_lines(&self, ones: i32) -> usize {
        if ones < 0 { 0 } else { self.lines.get(ones as usize).copied().unwrap_or(0) }
    }

    /// Number of high variables among `stones` variables.
    pub(crate) fn high(&self, stones: usize) -> usize {
        stones.saturating_sub(self.low)
    }

    /// Lines of one plane of a shape.
    pub(crate) fn plane_lines(&self, stones: usize, ones: usize) -> u64 {
        let high = self.high(stones);
        let lines = |p: usize| self.choose[high][p] * self.block_lines(ones as i32 - p as i32) as u64;
        (0..=high).map(lines).sum()
    }
}

/// Gathers the bits of `value` selected by `mask` at the low end: a portable PEXT.
pub(crate) fn compress(value: u64, mut mask: u64) -> u64 {
    let (mut out, mut at) = (0, 0);
    while mask != 0 {
        out |= (value >> mask.trailing_zeros() & 1) << at;
        at += 1;
        mask &= mask - 1;
    }
    out
}

/// Spreads the low bits of `value` to the places selected by `mask`: a portable PDEP.
pub(crate) fn spread(mut value: u64, mut mask: u64) -> u64 {
    let mut out = 0;
    while mask != 0 {
        out |= (value & 1) << mask.trailing_zeros();
        value >>= 1;
        mask &= mask - 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_every_balanced_colouring_once() {
        for low in [1, 3, 12] {
            let tight = TightLayout::new(low, 3);
            for stones in 0..18 {
                for ones in 0..=stones {
                    let offsets =
                        tight.offsets(tight.high(stones), ones, &outplay_runtime::NoMonitor).expect("memory");
                    assert_eq!(u64::from(offsets[offsets.len() - 1]), tight.plane_lines(stones, ones));
                    let bits: u64 = (0..1u32 << tight.high(stones))
                        .map(|h| ones as i32 - h.count_ones() as i32)
                        .filter(|&j| (0..=low as i32).contains(&j))
                        .map(|j| tight.choose[low.min(stones)][j as usize])
                        .sum();
                    assert_eq!(bits, tight.choose[stones][ones], "{stones} {ones} {low}");
                }
            }
        }
    }

    #[test]
    fn masks_select_colourings_of_their_set() {
        let tight = TightLayout::new(12, 3);
        for subset in [0usize, 1, 0b1000_0001, 0b111, 0b1001_0000_0001] {
            for colour in 0..2 {
                for ones in 0..=12 {
                    let mask = tight.mask(colour, tight.set(subset), ones);
                    for (i, &colouring) in tight.colourings[ones].iter().enumerate() {
                        let wanted = if colour == 1 { subset } else { 0 };
                        // SAFETY: the block has a bit for every colouring.
                        #[allow(unsafe_code)]
                        let word = unsafe { *mask.add(i / 64) };
                        assert_eq!(word >> (i % 64) & 1 == 1, usize::from(colouring) & subset == wanted);
                    }
                }
            }
        }
    }

    #[test]
    fn compress_and_spread_are_inverse() {
        let (value, mask) = (0x0123_4567_89ab_cdef, 0xf0f0_1234_8001_ff01);
        assert_eq!(spread(compress(value, mask), mask), value & mask);
    }
}
