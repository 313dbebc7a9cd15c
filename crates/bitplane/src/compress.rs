//! Compression of bit-planes: the bits of legal positions are packed by PEXT, then compressed by zstd.
//!
//! A *live* bit is the bit of a legal, reachable position in which the game goes on.
//!
//! ```text
//!  live      a bitmap of the nonzero words, then those words                      ──▶ zstd
//!  values    the live bits of every plane, packed (PEXT)                        ──▶ zstd
//! ```
//!
//! One bit in ten is live, and only live bits hold values, so packing them gives most of the saving, at memory speed.
//!
//! Invariant: unpacking restores the live bits and sets all others to zero.
#![allow(unsafe_code)]

use crate::back::PLANES;
use crate::lane::Lane;
use crate::tight::WORDS;
use zstd::bulk::{Compressor, Decompressor};

/// Lines packed independently, so that threads can share a slab.
pub(crate) const CHUNK: usize = 2048;

/// Compression level of zstd.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Effort {
    /// For slabs that stay in memory: an eighth less time for a fifth more memory.
    Swift,
    /// For slabs on disk: the fastest level with entropy-coded literals saves nearly as much as the slower ones.
    #[default]
    Small,
}

/// Compressor and buffers of one thread.
#[derive(Default)]
pub(crate) struct PlaneCompressor {
    effort: Effort,
    words: Vec<u64>,
    bytes: Vec<u8>,
    packer: Option<Compressor<'static>>,
    unpacker: Option<Decompressor<'static>>,
    /// Live plane of a chunk whose values are being unpacked.
    pub(crate) live: Vec<u64>,
}

impl PlaneCompressor {
    pub(crate) fn new(effort: Effort) -> PlaneCompressor {
        PlaneCompressor { effort, ..PlaneCompressor::default() }
    }

    /// Packs the live plane of a chunk.
    pub(crate) fn pack_live(&mut self, live: &[u64]) -> std::io::Result<Vec<u8>> {
        self.words.clear();
        self.words.resize(live.len().div_ceil(64), 0);
        for (i, &word) in live.iter().enumerate() {
            if word != 0 {
                self.words[i / 64] |= 1 << (i % 64);
                self.words.push(word);
            }
        }
        self.compress_words()
    }

    /// Unpacks the output of [`PlaneCompressor::pack_live`]; `None` if the bytes are malformed.
    pub(crate) fn unpack_live(&mut self, bytes: &[u8], live: &mut [u64]) -> Option<()> {
        let marks = live.len().div_ceil(64);
        self.decompress_words(bytes, marks + live.len())?;
        let (marks, mut words) = self.words.split_at_checked(marks)?;
        live.fill(0);
        for (live, &marks) in live.chunks_mut(64).zip(marks) {
            let (own, rest) = words.split_at_checked(marks.count_ones() as usize)?;
            let mut marks = marks;
            for &word in own {
                *live.get_mut(marks.trailing_zeros() as usize)? = word;
                marks &= marks - 1;
            }
            words = rest;
        }
        words.is_empty().then_some(())
    }

    /// Compresses the collected words.
    pub(crate) fn compress_words(&mut self) -> std::io::Result<Vec<u8>> {
        self.bytes.clear();
        self.words.iter().for_each(|word| self.bytes.extend_from_slice(&word.to_le_bytes()));
        let packer = match &mut self.packer {
            Some(packer) => packer,
            none => none.insert(Compressor::new(match self.effort {
                Effort::Swift => -15,
                Effort::Small => 1,
            })?),
        };
        packer.compress(&self.bytes)
    }

    /// Decompresses to words, at most `most` of them.
    pub(crate) fn decompress_words(&mut self, bytes: &[u8], most: usize) -> Option<()> {
        let unpacker = match &mut self.unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::new().ok()?),
        };
        // The buffer grows to the largest chunk and is not cleared in between.
        self.bytes.resize(self.bytes.len().max(most * 8), 0);
        let length = unpacker.decompress_to_buffer(bytes, &mut self.bytes[..most * 8]).ok()?;
        self.words.clear();
        let (words, rest) = self.bytes[..length].as_chunks();
        self.words.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        rest.is_empty().then_some(())
    }
}

/// Packing of a chunk's values by its live plane.
#[derive(Clone, Copy)]
pub(crate) struct LivePacking {
    pub(crate) planes: usize,
}

/// Calls a method with the number of planes as a constant, so that its state stays in registers.
macro_rules! by_planes {
    ($planes:expr, $self:ident.$method:ident::<$lane:ty>($($arg:expr),*)) => {
        match $planes {
            1 => $self.$method::<$lane, 1>($($arg),*),
            2 => $self.$method::<$lane, 2>($($arg),*),
            3 => $self.$method::<$lane, 3>($($arg),*),
            4 => $self.$method::<$lane, 4>($($arg),*),
            5 => $self.$method::<$lane, 5>($($arg),*),
            _ => $self.$method::<$lane, PLANES>($($arg),*),
        }
    };
}

pub(crate) use by_planes;

impl LivePacking {
    /// Gathers (PEXT) the live bits of every plane into the compressor's words.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, and `table` is valid for the planes of as many words as `live` has.
    #[inline(always)]
    pub(crate) unsafe fn gather<L: Lane>(
        &self,
        compressor: &mut PlaneCompressor,
        live: &[u64],
        table: *const u64,
    ) {
        compressor.words.clear();
        if self.planes > 0 {
            // SAFETY: as for this function.
            unsafe { by_planes!(self.planes, self.gather_planes::<L>(compressor, live, table)) }
        }
    }

    #[inline(always)]
    unsafe fn gather_planes<L: Lane, const N: usize>(
        &self,
        compressor: &mut PlaneCompressor,
        live: &[u64],
        table: *const u64,
    ) {
        let per = words_of(live);
        let words = &mut compressor.words;
        words.resize(per * N, 0);
        let (mut held, mut filled, mut at) = ([0u64; N], 0u32, 0);
        for (i, &mask) in live.iter().enumerate() {
            if mask == 0 {
                continue;
            }
            // SAFETY: as for this function.
            let bits: [u64; N] = std::array::from_fn(|plane| unsafe {
                L::compress(*table.add((i / WORDS * N + plane) * WORDS + i % WORDS), mask)
            });
            let total = filled + mask.count_ones();
            for plane in 0..N {
                held[plane] |= bits[plane] << filled;
            }
            if total >= 64 {
                for plane in 0..N {
                    words[plane * per + at] = held[plane];
                    held[plane] = (bits[plane] >> 1) >> (63 - filled);
                }
                at += 1;
            }
            filled = total % 64;
        }
        if filled > 0 {
            (0..N).for_each(|plane| words[plane * per + at] = held[plane]);
        }
    }

    /// Scatters (PDEP) the compressor's words over the planes; `whole` is false if their number does not match `live`.
    ///
    /// # Safety
    ///
    /// As for [`LivePacking::gather`], and no other thread accesses these lines of the table.
    #[inline(always)]
    pub(crate) unsafe fn scatter<L: Lane>(
        &self,
        compressor: &PlaneCompressor,
        live: &[u64],
        table: *mut u64,
        whole: &mut bool,
    ) {
        *whole = compressor.words.len() == words_of(live) * self.planes;
        if *whole && self.planes > 0 {
            // SAFETY: as for this function.
            unsafe { by_planes!(self.planes, self.scatter_planes::<L>(&compressor.words, live, table)) }
        }
    }

    #[inline(always)]
    unsafe fn scatter_planes<L: Lane, const N: usize>(&self, words: &[u64], live: &[u64], table: *mut u64) {
        let per = words.len() / N;
        let mut at = 0usize;
        for (i, &mask) in live.iter().enumerate() {
            let (word, shift) = (at / 64, at % 64);
            at += mask.count_ones() as usize;
            for plane in 0..N {
                let mut bits = 0;
                if mask != 0 {
                    // Bits past a plane's last word belong to the next plane and are masked off.
                    let next = words.get(plane * per + word + 1).copied().unwrap_or(0);
                    bits = words[plane * per + word] >> shift | (next << 1) << (63 - shift);
                }
                // SAFETY: as for this function.
                unsafe {
                    let to = table.add((i / WORDS * N + plane) * WORDS + i % WORDS);
                    *to = L::spread(bits, mask);
                }
            }
        }
    }
}

/// Number of words that the live bits of a plane fill.
#[inline(always)]
fn words_of(live: &[u64]) -> usize {
    live.iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>().div_ceil(64) as usize
}

/// Frames the chunks of a slab: their sizes, then their bytes.
pub(crate) fn frame(chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + chunks.iter().map(|chunk| chunk.len() + 4).sum::<usize>());
    bytes.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    chunks.iter().for_each(|chunk| bytes.extend_from_slice(&(chunk.len() as u32).to_le_bytes()));
    chunks.iter().for_each(|chunk| bytes.extend_from_slice(chunk));
    bytes
}

/// Splits a slab into its chunks; `None` if it is malformed.
pub(crate) fn unframe(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let count = number(0)?;
    let mut rest = bytes.get(4usize.checked_add(count.checked_mul(4)?)?..)?;
    let mut chunks = Vec::with_capacity(count);
    for i in 0..count {
        let (chunk, behind) = rest.split_at_checked(number(4 + 4 * i)?)?;
        chunks.push(chunk);
        rest = behind;
    }
    rest.is_empty().then_some(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;
    use crate::lane::Level;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn live_bits_round_trip_and_others_are_zero() {
        let mut rng = SmallRng::seed_from_u64(5);
        for level in Level::available() {
            for planes in 1..=6 {
                for lines in [1usize, 2, 7, 64] {
                    let rare = |rng: &mut SmallRng| {
                        if rng.random_bool(0.5) { 0 } else { rng.random::<u64>() & rng.random::<u64>() }
                    };
                    let live: Vec<u64> = (0..lines * WORDS).map(|_| rare(&mut rng)).collect();
                    let table: Vec<u64> = (0..lines * WORDS * planes).map(|_| rng.random()).collect();
                    let mut compressor =
                        PlaneCompressor::new(if rng.random() { Effort::Swift } else { Effort::Small });
                    let packed = compressor.pack_live(&live).expect("memory");
                    let mut back = vec![7; live.len()];
                    assert_eq!(compressor.unpack_live(&packed, &mut back), Some(()));
                    assert_eq!(back, live);
                    let last = live[live.len() - 1];
                    let short = compressor.unpack_live(&packed, &mut back[1..]);
                    assert!(short.is_none() || last == 0, "words are left over");

                    let squeeze = LivePacking { planes };
                    let mut out = vec![9; table.len()];
                    let mut whole = false;
                    // SAFETY: the tables have as many words as the planes and the live words imply.
                    unsafe {
                        kernel::gather(level, &squeeze, &mut compressor, &live, table.as_ptr());
                        let packed = compressor.compress_words().expect("memory");
                        assert_eq!(compressor.decompress_words(&packed, table.len()), Some(()));
                        kernel::scatter(level, &squeeze, &compressor, &live, out.as_mut_ptr(), &mut whole);
                    }
                    assert!(whole);
                    for (i, &bits) in out.iter().enumerate() {
                        let mask = live[i / WORDS / planes * WORDS + i % WORDS];
                        assert_eq!(bits, table[i] & mask, "{level:?} {planes} {lines}");
                    }
                }
            }
        }
    }

    #[test]
    fn framed_chunks_split_again() {
        let chunks = [vec![1, 2, 3], vec![], vec![4]];
        let bytes = frame(&chunks);
        assert_eq!(unframe(&bytes).expect("chunks"), [&[1, 2, 3][..], &[], &[4]]);
        for cut in 0..bytes.len() {
            assert_eq!(unframe(&bytes[..cut]), None);
        }
        assert_eq!(unframe(&[255; 9]), None);
    }
}
