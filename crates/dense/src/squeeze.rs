//! Planes in few bytes: what nobody asks for costs next to nothing.
//!
//! ```text
//!  live      which words have a bit at all, then those words                      ──▶ zstd
//!  values    of every plane the bits of live positions, packed without holes      ──▶ zstd
//! ```
//!
//! One slot in ten is a live position, and values are right for those alone, so packing by the live plane is most
//! of the saving, at the speed of memory.
//!
//! Invariant: unpacking gives the live bits back; all others are zero.
#![allow(unsafe_code)]

use crate::lane::Lane;
use crate::tight::WORDS;
use zstd::bulk::{Compressor, Decompressor};

/// Lines that are packed on their own, so that threads can share a slab.
pub(crate) const CHUNK: usize = 2048;
/// The fastest level saves nearly as much as the others.
const LEVEL: i32 = 1;

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct Squeezer {
    words: Vec<u64>,
    bytes: Vec<u8>,
    packer: Option<Compressor<'static>>,
    unpacker: Option<Decompressor<'static>>,
    /// The live plane of a chunk whose values are unpacked.
    pub(crate) live: Vec<u64>,
}

impl Squeezer {
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
        self.squeezed()
    }

    /// Unpacks what [`Squeezer::pack_live`] packed; `None` if the bytes are not that.
    pub(crate) fn unpack_live(&mut self, bytes: &[u8], live: &mut [u64]) -> Option<()> {
        let marks = live.len().div_ceil(64);
        self.unsqueezed(bytes, marks + live.len())?;
        let (marks, mut words) = self.words.split_at_checked(marks)?;
        for (i, word) in live.iter_mut().enumerate() {
            *word = 0;
            if marks[i / 64] >> (i % 64) & 1 == 1 {
                let (&first, rest) = words.split_first()?;
                (*word, words) = (first, rest);
            }
        }
        words.is_empty().then_some(())
    }

    /// Compresses the words at hand.
    pub(crate) fn squeezed(&mut self) -> std::io::Result<Vec<u8>> {
        self.bytes.clear();
        self.words.iter().for_each(|word| self.bytes.extend_from_slice(&word.to_le_bytes()));
        let packer = match &mut self.packer {
            Some(packer) => packer,
            none => none.insert(Compressor::new(LEVEL)?),
        };
        packer.compress(&self.bytes)
    }

    /// The words that were compressed, at most `most` of them.
    pub(crate) fn unsqueezed(&mut self, bytes: &[u8], most: usize) -> Option<()> {
        let unpacker = match &mut self.unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::new().ok()?),
        };
        // The buffer grows to what the largest chunk takes, and is not cleared for the others.
        self.bytes.resize(self.bytes.len().max(most * 8), 0);
        let length = unpacker.decompress_to_buffer(bytes, &mut self.bytes[..most * 8]).ok()?;
        self.words.clear();
        let (words, rest) = self.bytes[..length].as_chunks();
        self.words.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        rest.is_empty().then_some(())
    }
}

/// The values of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Squeeze {
    pub(crate) planes: usize,
}

impl Squeeze {
    /// Gathers the live bits of every plane into the squeezer's words.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, and `table` is valid for the planes of as many words as `live` has.
    #[inline(always)]
    pub(crate) unsafe fn gather<L: Lane>(&self, squeezer: &mut Squeezer, live: &[u64], table: *const u64) {
        let words = &mut squeezer.words;
        words.clear();
        for plane in 0..self.planes {
            let (mut held, mut filled) = (0u64, 0u32);
            for (i, &mask) in live.iter().enumerate() {
                if mask == 0 {
                    continue;
                }
                // SAFETY: the caller's promise.
                let bits = unsafe {
                    L::compress(*table.add((i / WORDS * self.planes + plane) * WORDS + i % WORDS), mask)
                };
                held |= bits << filled;
                let total = filled + mask.count_ones();
                if total >= 64 {
                    words.push(held);
                    held = (bits >> 1) >> (63 - filled);
                }
                filled = total % 64;
            }
            if filled > 0 {
                words.push(held);
            }
        }
    }

    /// Spreads the squeezer's words over the planes; whether there were as many as `live` wants.
    ///
    /// # Safety
    ///
    /// As for [`Squeeze::gather`], and nobody else touches these lines of the table.
    #[inline(always)]
    pub(crate) unsafe fn scatter<L: Lane>(
        &self,
        squeezer: &Squeezer,
        live: &[u64],
        table: *mut u64,
        whole: &mut bool,
    ) {
        let per = live.iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>().div_ceil(64) as usize;
        *whole = squeezer.words.len() == per * self.planes;
        if !*whole {
            return;
        }
        for plane in 0..self.planes {
            let words = &squeezer.words[plane * per..][..per];
            let mut at = 0usize;
            for (i, &mask) in live.iter().enumerate() {
                let mut bits = 0;
                if mask != 0 {
                    let (word, shift) = (at / 64, at % 64);
                    let next = words.get(word + 1).copied().unwrap_or(0);
                    bits = words[word] >> shift | (next << 1) << (63 - shift);
                    at += mask.count_ones() as usize;
                }
                // SAFETY: the caller's promise.
                unsafe {
                    let to = table.add((i / WORDS * self.planes + plane) * WORDS + i % WORDS);
                    *to = L::spread(bits, mask);
                }
            }
        }
    }
}

/// A slab as bytes: the sizes of its chunks, then the chunks.
pub(crate) fn bind(chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + chunks.iter().map(|chunk| chunk.len() + 4).sum::<usize>());
    bytes.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    chunks.iter().for_each(|chunk| bytes.extend_from_slice(&(chunk.len() as u32).to_le_bytes()));
    chunks.iter().for_each(|chunk| bytes.extend_from_slice(chunk));
    bytes
}

/// The chunks of a slab; `None` if the bytes are not one.
pub(crate) fn unbind(bytes: &[u8]) -> Option<Vec<&[u8]>> {
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
    fn live_bits_come_back_and_no_others() {
        let mut rng = SmallRng::seed_from_u64(5);
        for level in Level::available() {
            for planes in 1..=6 {
                for lines in [1usize, 2, 7, 64] {
                    let rare = |rng: &mut SmallRng| {
                        if rng.random_bool(0.5) { 0 } else { rng.random::<u64>() & rng.random::<u64>() }
                    };
                    let live: Vec<u64> = (0..lines * WORDS).map(|_| rare(&mut rng)).collect();
                    let table: Vec<u64> = (0..lines * WORDS * planes).map(|_| rng.random()).collect();
                    let mut squeezer = Squeezer::default();
                    let packed = squeezer.pack_live(&live).expect("memory");
                    let mut back = vec![7; live.len()];
                    assert_eq!(squeezer.unpack_live(&packed, &mut back), Some(()));
                    assert_eq!(back, live);
                    let last = live[live.len() - 1];
                    let short = squeezer.unpack_live(&packed, &mut back[1..]);
                    assert!(short.is_none() || last == 0, "words are left over");

                    let squeeze = Squeeze { planes };
                    let mut out = vec![9; table.len()];
                    let mut whole = false;
                    // SAFETY: the tables have as many words as planes and live words say.
                    unsafe {
                        kernel::gather(level, &squeeze, &mut squeezer, &live, table.as_ptr());
                        let packed = squeezer.squeezed().expect("memory");
                        assert_eq!(squeezer.unsqueezed(&packed, table.len()), Some(()));
                        kernel::scatter(level, &squeeze, &squeezer, &live, out.as_mut_ptr(), &mut whole);
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
    fn bound_chunks_come_apart() {
        let chunks = [vec![1, 2, 3], vec![], vec![4]];
        let bytes = bind(&chunks);
        assert_eq!(unbind(&bytes).expect("chunks"), [&[1, 2, 3][..], &[], &[4]]);
        for cut in 0..bytes.len() {
            assert_eq!(unbind(&bytes[..cut]), None);
        }
        assert_eq!(unbind(&[255; 9]), None);
    }
}
