//! The mirror image of a table: the same bits in the order that the mirrored shape wants.
//!
//! ```text
//!  shape a b c d  <->  d c b a        the variable of a cell becomes that of the mirrored cell:
//!                                     blocks change places, and bits move within their blocks
//! ```
//!
//! Where the low variables of both shapes mirror each other, which is nearly always, a block comes from
//! one block through a fixed permutation. Otherwise every bit is looked up.
//!
//! Invariant: an image of an image is the table itself.
#![allow(unsafe_code)]

use crate::lane::{Lane, Program};
use crate::tight::{BLOCK, LOW, Tight, WORDS};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Where the variables of a shape lie in another order of the same stones: rank to rank.
#[derive(Clone, Debug)]
pub(crate) struct Reorder {
    /// By chunks of eight ranks: the other ranks of the set bits.
    chunks: Vec<[u64; 256]>,
}

impl Reorder {
    /// Takes rank i to rank `to[i]`.
    pub(crate) fn new(to: &[u8]) -> Reorder {
        let chunk = |ranks: &[u8]| {
            let mut sums = [0u64; 256];
            for bits in 1..1usize << ranks.len() {
                let last = bits.trailing_zeros() as usize;
                sums[bits] = sums[bits & (bits - 1)] | 1 << ranks[last];
            }
            sums
        };
        Reorder { chunks: to.chunks(8).map(chunk).collect() }
    }

    /// The colouring in the other order.
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

/// Buffers of one thread: permutations of blocks, by how the low variables move.
#[derive(Default)]
pub(crate) struct Copier {
    programs: FxHashMap<(u64, usize), Arc<Program>>,
}

/// One table to be mirrored.
#[derive(Clone, Copy)]
pub(crate) struct Relay<'a> {
    pub(crate) tight: &'a Tight,
    pub(crate) stones: usize,
    pub(crate) ones: usize,
    pub(crate) planes: usize,
    pub(crate) offsets: &'a [u32],
    /// By rank of the image: the rank in the source.
    pub(crate) ranks: &'a [u8],
}

impl Relay<'_> {
    /// Fills blocks of the image.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, both pointers are valid for the shape's planes, and no
    /// other thread touches these blocks of `to`.
    #[inline(always)]
    pub(crate) unsafe fn blocks<L: Lane>(
        &self,
        copier: &mut Copier,
        blocks: Range<u32>,
        from: *const u64,
        to: *mut u64,
    ) {
        let tight = self.tight;
        let low = tight.low.min(self.stones);
        let reorder = Reorder::new(self.ranks);
        let closed = self.ranks[..low].iter().all(|&rank| usize::from(rank) < low);
        let key = self.ranks[..low].iter().fold(1, |key, &rank| key << 4 | u64::from(rank));
        let stride = self.planes * WORDS;
        let mut programs: [Option<Arc<Program>>; LOW + 1] = Default::default();
        for h in blocks {
            let ones = self.ones as i32 - h.count_ones() as i32;
            let lines = tight.block_lines(ones);
            if lines == 0 {
                continue;
            }
            let ones = ones as usize;
            let upper = reorder.apply(u64::from(h) << tight.low);
            // SAFETY: the source block has as many lines, since as many of its low variables are ones.
            unsafe {
                let target = to.add(*self.offsets.get_unchecked(h as usize) as usize * stride);
                if !closed {
                    self.scattered(&reorder, upper, ones, low, from, target);
                    continue;
                }
                let program = programs[ones].get_or_insert_with(|| {
                    let fresh = || Arc::new(self.program(&reorder, ones, low));
                    copier.programs.entry((key, ones)).or_insert_with(fresh).clone()
                });
                let source =
                    from.add(*self.offsets.get_unchecked((upper >> tight.low) as usize) as usize * stride);
                let words = program.bits.len() / 64;
                let (mut input, mut output) = ([0u64; BLOCK * WORDS], [0u64; BLOCK * WORDS]);
                for plane in 0..self.planes {
                    for line in 0..lines {
                        let words = source.add(line * stride + plane * WORDS);
                        std::ptr::copy_nonoverlapping(words, input.as_mut_ptr().add(line * WORDS), WORDS);
                    }
                    L::permute(program, words, input.as_ptr(), output.as_mut_ptr());
                    for line in 0..lines {
                        let words = target.add(line * stride + plane * WORDS);
                        std::ptr::copy_nonoverlapping(output.as_ptr().add(line * WORDS), words, WORDS);
                    }
                }
            }
        }
    }

    /// The permutation of a block with `ones` ones.
    fn program(&self, reorder: &Reorder, ones: usize, low: usize) -> Program {
        let count = self.tight.choose[low][ones] as usize;
        let source = |&colouring: &u16| self.tight.rank[reorder.apply(u64::from(colouring)) as usize];
        Program::new(self.tight.colourings[ones][..count].iter().map(source).collect())
    }

    /// A block whose bits come from several blocks.
    #[inline(always)]
    unsafe fn scattered(
        &self,
        reorder: &Reorder,
        upper: u64,
        ones: usize,
        low: usize,
        from: *const u64,
        target: *mut u64,
    ) {
        let tight = self.tight;
        let stride = self.planes * WORDS;
        let count = tight.choose[low][ones] as usize;
        let mut held = [0u64; crate::back::PLANES];
        // SAFETY: the target has the lines of its block, and padding must be zero.
        unsafe { std::ptr::write_bytes(target, 0, tight.lines[ones] * stride) };
        for (i, &colouring) in tight.colourings[ones][..count].iter().enumerate() {
            let source = upper | reorder.apply(u64::from(colouring));
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
