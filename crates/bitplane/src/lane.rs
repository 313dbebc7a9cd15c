//! 512-bit SIMD abstraction: portable, AVX2 and AVX-512.
//!
//! ```text
//!  lane       registers               available on
//!  Portable   8 words                 any machine
//!  Avx2       2 × 256 bits, BMI2      x86-64 since 2013
//!  Avx512     1 × 512 bits, VBMI      x86-64 since 2019
//! ```
//!
//! The kernels are generic over [`Lane`] and compiled for each of the three; [`Level::best`] selects one at run time.
//!
//! Invariant: all three compute the same bits.
#![allow(unsafe_code)]

use crate::tight::{WORDS, compress, spread};
use std::ops::Range;

/// SIMD instruction set of the kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Plain 64-bit words.
    Portable,
    /// AVX2 and BMI2.
    Avx2,
    /// AVX-512 with byte permutes and population counts.
    Avx512,
}

impl Level {
    /// Returns the levels that this machine supports, slowest first.
    pub fn available() -> Vec<Level> {
        let mut levels = vec![Level::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            if avx2 {
                levels.push(Level::Avx2);
            }
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("avx512vpopcntdq")
            {
                levels.push(Level::Avx512);
            }
        }
        levels
    }

    /// Returns the fastest level that this machine supports.
    pub fn best() -> Level {
        // The portable level is always available.
        Level::available().pop().unwrap_or(Level::Portable)
    }
}

/// Operations of an instruction set.
///
/// # Safety
///
/// The methods require a processor with the instructions, and pointers that are valid
/// for a line (`load`, `store`, `tally`) or for the stated number of items.
pub(crate) trait Lane {
    /// 512 bits in registers.
    type Line: Copy;

    /// Loads an aligned line.
    unsafe fn load(from: *const u64) -> Self::Line;
    /// Stores an aligned line.
    unsafe fn store(to: *mut u64, line: Self::Line);
    /// Broadcasts a word.
    unsafe fn fill(word: u64) -> Self::Line;
    /// `a & b`
    unsafe fn and(a: Self::Line, b: Self::Line) -> Self::Line;
    /// `a | b`
    unsafe fn or(a: Self::Line, b: Self::Line) -> Self::Line;
    /// `a & !b`
    unsafe fn without(a: Self::Line, b: Self::Line) -> Self::Line;
    /// One step of a bit-sliced comparison, from the lowest plane up: the majority of b, not a, and `so_far`.
    unsafe fn greater(b: Self::Line, a: Self::Line, so_far: Self::Line) -> Self::Line;
    /// Selects `b` where the mask is set, else `a`.
    unsafe fn pick(mask: Self::Line, b: Self::Line, a: Self::Line) -> Self::Line;
    /// Whether no bit is set.
    unsafe fn is_empty(line: Self::Line) -> bool;
    /// Adds the population counts of the words to eight counters.
    unsafe fn tally(counters: *mut u64, line: Self::Line);
    /// Sets bit i if the i-th of 16 masks has no bit in common with `missing`.
    unsafe fn alive(masks: *const u32, missing: u32) -> u32;
    /// PEXT: gathers the selected bits at the low end.
    unsafe fn compress(value: u64, mask: u64) -> u64;
    /// PDEP: spreads the low bits to the selected places.
    unsafe fn spread(value: u64, mask: u64) -> u64;
    /// Maps 64 bit-sliced numbers, in up to six planes with the lowest first, through a table of codes.
    unsafe fn look_up<const N: usize>(planes: &[u64; N], codes: &[i8; 64]) -> [i8; 64];
    /// ORs permuted bits of sixteen source words into words of the target.
    unsafe fn permute(program: &BitPermutation, words: Range<usize>, from: *const u64, to: *mut u64);
}

/// Bit permutation of a block: the source of each target bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitPermutation {
    /// Source byte of each target bit; the length is a multiple of 64.
    pub(crate) bytes: Vec<u8>,
    /// Source bit within its byte as a mask, 0 for a bit that stays zero.
    pub(crate) masks: Vec<u8>,
}

impl BitPermutation {
    /// Builds a permutation from source bits; `None` leaves a bit zero.
    pub(crate) fn new(bits: impl Iterator<Item = Option<u16>>) -> BitPermutation {
        let mut program = BitPermutation::default();
        for bit in bits {
            program.bytes.push(bit.map_or(0, |bit| (bit >> 3) as u8));
            program.masks.push(bit.map_or(0, |bit| 1 << (bit & 7)));
        }
        let padded = program.bytes.len().next_multiple_of(64);
        program.bytes.resize(padded, 0);
        program.masks.resize(padded, 0);
        program
    }

    /// Words of the target.
    pub(crate) fn words(&self) -> usize {
        self.bytes.len() / 64
    }
}

/// Plain 64-bit words.
pub(crate) struct Portable;

impl Lane for Portable {
    type Line = [u64; WORDS];

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self::Line {
        // SAFETY: the caller's pointer is valid for a line.
        unsafe { from.cast::<Self::Line>().read() }
    }
    #[inline(always)]
    unsafe fn store(to: *mut u64, line: Self::Line) {
        // SAFETY: the caller's pointer is valid for a line.
        unsafe { to.cast::<Self::Line>().write(line) }
    }
    #[inline(always)]
    unsafe fn fill(word: u64) -> Self::Line {
        [word; WORDS]
    }
    #[inline(always)]
    unsafe fn and(a: Self::Line, b: Self::Line) -> Self::Line {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    unsafe fn or(a: Self::Line, b: Self::Line) -> Self::Line {
        std::array::from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    unsafe fn without(a: Self::Line, b: Self::Line) -> Self::Line {
        std::array::from_fn(|i| a[i] & !b[i])
    }
    #[inline(always)]
    unsafe fn greater(b: Self::Line, a: Self::Line, so_far: Self::Line) -> Self::Line {
        std::array::from_fn(|i| {
            let differ = a[i] ^ b[i];
            so_far[i] ^ (differ & (so_far[i] ^ b[i]))
        })
    }
    #[inline(always)]
    unsafe fn pick(mask: Self::Line, b: Self::Line, a: Self::Line) -> Self::Line {
        std::array::from_fn(|i| a[i] ^ (mask[i] & (a[i] ^ b[i])))
    }
    #[inline(always)]
    unsafe fn is_empty(line: Self::Line) -> bool {
        line == [0; WORDS]
    }
    #[inline(always)]
    unsafe fn tally(counters: *mut u64, line: Self::Line) {
        for (i, word) in line.iter().enumerate() {
            // SAFETY: there are as many counters as words.
            unsafe { *counters.add(i) += u64::from(word.count_ones()) };
        }
    }
    #[inline(always)]
    unsafe fn alive(masks: *const u32, missing: u32) -> u32 {
        let mut alive = 0;
        for i in 0..16 {
            // SAFETY: the caller's pointer is valid for 16 masks.
            alive |= u32::from(unsafe { *masks.add(i) } & missing == 0) << i;
        }
        alive
    }
    #[inline(always)]
    unsafe fn compress(value: u64, mask: u64) -> u64 {
        compress(value, mask)
    }
    #[inline(always)]
    unsafe fn spread(value: u64, mask: u64) -> u64 {
        spread(value, mask)
    }
    #[inline(always)]
    unsafe fn look_up<const N: usize>(planes: &[u64; N], codes: &[i8; 64]) -> [i8; 64] {
        std::array::from_fn(|i| {
            codes[planes.iter().rev().fold(0, |number, plane| number << 1 | (plane >> i & 1) as usize)]
        })
    }
    #[inline(always)]
    unsafe fn permute(program: &BitPermutation, words: Range<usize>, from: *const u64, to: *mut u64) {
        for word in words {
            let mut out = 0;
            for i in 0..64 {
                let (byte, mask) = (program.bytes[word * 64 + i], program.masks[word * 64 + i]);
                // SAFETY: permutations only refer to bytes of the sixteen source words.
                let source = unsafe { *from.add(usize::from(byte) / 8) } >> (byte % 8 * 8);
                out |= u64::from(source as u8 & mask != 0) << i;
            }
            // SAFETY: the caller's target has room for all words.
            unsafe { *to.add(word) |= out };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tight::CacheLine;
    #[cfg(target_arch = "x86_64")]
    use crate::x86::{Avx2, Avx512};

    fn lines(seed: u64) -> [CacheLine; 3] {
        let mut x = seed | 1;
        std::array::from_fn(|_| {
            CacheLine(std::array::from_fn(|_| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                x
            }))
        })
    }

    /// All results of a lane's operations on three lines, as words.
    fn results<L: Lane>(input: &[CacheLine; 3]) -> Vec<u64> {
        let mut all = Vec::new();
        let mut out = CacheLine::default();
        let [a, b, c] = input.each_ref().map(|line| line.0.as_ptr());
        // SAFETY: the lines are valid and aligned, and the caller checked the processor.
        unsafe {
            let (a, b, c) = (L::load(a), L::load(b), L::load(c));
            let made = [
                L::and(a, b),
                L::or(a, b),
                L::without(a, b),
                L::greater(b, a, c),
                L::pick(c, b, a),
                L::fill(77),
            ];
            for line in made {
                L::store(out.0.as_mut_ptr(), line);
                all.extend(out.0);
                all.push(u64::from(L::is_empty(line)));
                L::tally(out.0.as_mut_ptr(), line);
                all.extend(out.0);
            }
            all.push(u64::from(L::is_empty(L::fill(0))));
            let masks: [u32; 16] =
                std::array::from_fn(|i| (input[0].0[i / 2] >> (i % 2 * 32)) as u32 & 0x421);
            all.push(u64::from(L::alive(masks.as_ptr(), input[1].0[0] as u32)));
            all.push(L::compress(input[0].0[1], input[1].0[1]));
            all.push(L::spread(input[0].0[1], input[1].0[1]));
            let codes = std::array::from_fn(|number| 31 - number as i8);
            let found = [
                L::look_up(&[], &codes),
                L::look_up(&[input[0].0[2]], &codes),
                L::look_up::<6>(&input[1].0[..6].try_into().unwrap_or_default(), &codes),
            ];
            all.extend(found.as_flattened().iter().map(|&code| code as u64));
            let bits = (0..900u32).map(|i| (i % 7 != 3).then_some(((i * 613 + 5) % 1024) as u16));
            let program = BitPermutation::new(bits);
            let mut to = [0u64; 16];
            // The bits come from all three lines.
            L::permute(&program, 0..15, input.as_ptr().cast(), to.as_mut_ptr());
            all.extend(to);
        }
        all
    }

    #[test]
    fn all_lanes_agree() {
        // Fewer under Miri, which is about a thousand times slower.
        for seed in 1..if cfg!(miri) { 4 } else { 200u64 } {
            let input = lines(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let plain = results::<Portable>(&input);
            #[cfg(target_arch = "x86_64")]
            for level in Level::available() {
                match level {
                    Level::Portable => {}
                    Level::Avx2 => assert_eq!(results::<Avx2>(&input), plain),
                    Level::Avx512 => assert_eq!(results::<Avx512>(&input), plain),
                }
            }
            // Majority and selection, checked bit by bit.
            let [a, b, c] = input.map(|line| line.0[0]);
            assert_eq!(plain[3 * 17], (b & !a) | (b & c) | (!a & c));
            assert_eq!(plain[4 * 17], (c & b) | (!c & a));
            // Numbers, checked bit by bit.
            let number =
                |bit: usize| (0..6).map(|plane| (input[1].0[plane] >> bit & 1) << plane).sum::<u64>();
            let found = &plain[plain.len() - 16 - 64..][..64];
            assert!((0..64).all(|bit| found[bit] as i64 == 31 - number(bit) as i64));
        }
    }
}
