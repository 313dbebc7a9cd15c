//! Mirror image of a shape's bit-planes: a permutation of their bits.
//!
//! ```text
//!  shape a b c d  <->  d c b a        the bit of a cell becomes the bit of the mirrored cell:
//!                                     blocks are permuted, and bits are permuted within their blocks
//! ```
//!
//! The variables of a shape (one per stone: its owner) are split into low ones, which number the bits within a block,
//! and high ones, which number the blocks. Where the low variables of both shapes mirror each other, a block comes from
//! one block by a fixed permutation. Where the border between low and high splits a mirror pair, the highest low
//! variable and the lowest high one are swapped, and a block comes from two. Otherwise every bit is looked up
//! separately.
//!
//! Invariant: mirroring twice is the identity.
#![allow(unsafe_code)]

use crate::back::PLANES;
use crate::lane::{BitPermutation, Lane};
use crate::tight::{BLOCK, CacheLine, LOW, TightLayout, WORDS};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Permutation of the variables of a shape, rank to rank.
#[derive(Clone, Debug)]
pub(crate) struct RankPermutation {
    /// By chunk of eight ranks and its bits: the permuted bits.
    chunks: Vec<[u64; 256]>,
}

impl RankPermutation {
    /// Takes rank i to rank `to[i]`.
    pub(crate) fn new(to: &[u8]) -> RankPermutation {
        let chunk = |ranks: &[u8]| {
            let mut sums = [0u64; 256];
            for bits in 1..1usize << ranks.len() {
                let last = bits.trailing_zeros() as usize;
                sums[bits] = sums[bits & (bits - 1)] | 1 << ranks[last];
            }
            sums
        };
        RankPermutation { chunks: to.chunks(8).map(chunk).collect() }
    }

    /// Permutes a colouring.
    #[inline(always)]
    pub(crate) fn apply(&self, colouring: u64) -> u64 {
        let mut out = 0;
        let mut rest = colouring;
        for chunk in &self.chunks {
            out |= chunk[(rest & 255) as usize];
            rest >>= 8;
        }
        out
    }
}

/// Cache of block permutations of one thread, keyed by the permutation of the low variables.
#[derive(Default)]
pub(crate) struct Permuter {
    programs: FxHashMap<(u64, usize, usize), Arc<[BitPermutation; 2]>>,
}

/// Parameters of mirroring a table.
#[derive(Clone, Copy)]
pub(crate) struct MirrorPass<'a> {
    pub(crate) tight: &'a TightLayout,
    pub(crate) stones: usize,
    pub(crate) ones: usize,
    pub(crate) planes: usize,
    pub(crate) offsets: &'a [u32],
    /// By rank of the image: the rank in the source.
    pub(crate) ranks: &'a [u8],
}

impl MirrorPass<'_> {
    /// Fills blocks of the image.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, both pointers are valid for the shape's planes, and no
    /// other thread accesses these blocks of `to`.
    #[inline(always)]
    pub(crate) unsafe fn blocks<L: Lane>(
        &self,
        permuter: &mut Permuter,
        blocks: Range<u32>,
        from: *const u64,
        to: *mut u64,
    ) {
        let tight = self.tight;
        let low = tight.low.min(self.stones);
        let permutation = RankPermutation::new(self.ranks);
        let inside = |ranks: &[u8]| ranks.iter().all(|&rank| usize::from(rank) < ranks.len());
        let closed = inside(&self.ranks[..low]);
        let swapped = low > 0
            && self.stones > low
            && inside(&self.ranks[..low - 1])
            && (usize::from(self.ranks[low - 1]), usize::from(self.ranks[low])) == (low, low - 1);
        let key = self.ranks[..low].iter().fold(1, |key, &rank| key << 4 | u64::from(rank));
        let stride = self.planes * WORDS;
        let mut programs: [[Option<Arc<[BitPermutation; 2]>>; 2]; LOW + 1] = Default::default();
        for h in blocks {
            let ones = self.ones as i32 - h.count_ones() as i32;
            let lines = tight.block_lines(ones);
            if lines == 0 {
                continue;
            }
            let ones = ones as usize;
            let upper = permutation.apply(u64::from(h) << tight.low);
            // SAFETY: source blocks are those of the colourings that the programs were made for.
            unsafe {
                let target = to.add(*self.offsets.get_unchecked(h as usize) as usize * stride);
                if !closed && !swapped {
                    self.scattered(&permutation, upper, ones, low, from, target);
                    continue;
                }
                // The bit that moves from the high part to the low part selects the program.
                let moved = if closed { 0 } else { (h & 1) as usize };
                let pair = programs[ones][moved].get_or_insert_with(|| {
                    let fresh = || Arc::new(self.programs(&permutation, ones, moved, low, closed));
                    permuter.programs.entry((key, ones, moved)).or_insert_with(fresh).clone()
                });
                let words = pair[0].words();
                // The first part has the moving low variable clear, the second has it set.
                let border = if closed { words * 64 } else { tight.choose[low - 1][ones] as usize };
                let parts = [(0, 0..border.div_ceil(64)), (1, border / 64..words)];
                let (mut input, mut output) =
                    ([CacheLine::default(); BLOCK], [[CacheLine::default(); BLOCK]; PLANES]);
                for (part, words) in parts {
                    if words.is_empty() || (part == 1 && closed) {
                        continue;
                    }
                    let source = (upper >> tight.low) as usize | part;
                    let length = tight.block_lines(self.ones as i32 - source.count_ones() as i32);
                    let source = from.add(*self.offsets.get_unchecked(source) as usize * stride);
                    for (plane, output) in output.iter_mut().enumerate().take(self.planes) {
                        for (line, input) in input.iter_mut().enumerate().take(length) {
                            *input = *source.add(line * stride + plane * WORDS).cast::<CacheLine>();
                        }
                        let (input, output) = (input.as_ptr().cast(), output.as_mut_ptr().cast());
                        L::permute(&pair[part], words.clone(), input, output);
                    }
                }
                for line in 0..lines {
                    for (plane, output) in output.iter().enumerate().take(self.planes) {
                        *target.add(line * stride + plane * WORDS).cast::<CacheLine>() = output[line];
                    }
                }
            }
        }
    }

    /// Returns the permutations of a block with `ones` ones: one for the whole block, or one for each value of the low
    /// variable that becomes high in the source, where `moved` is the value of the high one that becomes low.
    fn programs(
        &self,
        permutation: &RankPermutation,
        ones: usize,
        moved: usize,
        low: usize,
        closed: bool,
    ) -> [BitPermutation; 2] {
        let tight = self.tight;
        let count = tight.choose[low][ones] as usize;
        let part = |value: u64| {
            let source = |&colouring: &u16| {
                let other = permutation.apply(u64::from(colouring));
                if closed {
                    return Some(tight.rank[other as usize]);
                }
                let other = other | (moved as u64) << (low - 1);
                let within = other as usize & ((1 << low) - 1);
                (other >> low == value).then(|| tight.rank[within])
            };
            BitPermutation::new(tight.colourings[ones][..count].iter().map(source))
        };
        [part(0), if closed { BitPermutation::default() } else { part(1) }]
    }

    /// Fills a block whose bits come from several blocks.
    #[inline(always)]
    unsafe fn scattered(
        &self,
        permutation: &RankPermutation,
        upper: u64,
        ones: usize,
        low: usize,
        from: *const u64,
        target: *mut u64,
    ) {
        let tight = self.tight;
        let stride = self.planes * WORDS;
        let count = tight.choose[low][ones] as usize;
        let mut held = [0u64; PLANES];
        // SAFETY: the target has the lines of its block, and padding must be zero.
        unsafe { std::ptr::write_bytes(target, 0, tight.lines[ones] * stride) };
        for (i, &colouring) in tight.colourings[ones][..count].iter().enumerate() {
            let source = upper | permutation.apply(u64::from(colouring));
            let bit = usize::from(tight.rank[source as usize & ((1 << tight.low) - 1)]);
            let line = self.offsets[(source >> tight.low) as usize] as usize + bit / 512;
            for (plane, held) in held.iter_mut().enumerate().take(self.planes) {
                // SAFETY: the colouring has a bit in the source, and its image one in the target.
                unsafe {
                    let word = *from.add(line * stride + plane * WORDS + bit / 64 % WORDS);
                    *held |= (word >> (bit % 64) & 1) << (i % 64);
                    if i % 64 == 63 || i + 1 == count {
                        let at = i / 512 * stride + plane * WORDS + i / 64 % WORDS;
                        *target.add(at) = *held;
                        *held = 0;
                    }
                }
            }
        }
    }
}
