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

use crate::back::PLANES;
use crate::lane::Lane;
use crate::tight::WORDS;
use zstd::bulk::{Compressor, Decompressor};

/// Lines that are packed on their own, so that threads can share a slab.
pub(crate) const CHUNK: usize = 2048;

/// How hard zstd tries.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Effort {
    /// For slabs that stay in memory: an eighth less time for a fifth more memory.
    Swift,
    /// For slabs on a disk: the fastest level that also codes literals saves nearly as much as the slower ones.
    #[default]
    Small,
}

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct Squeezer {
    effort: Effort,
    words: Vec<u64>,
    bytes: Vec<u8>,
    packer: Option<Compressor<'static>>,
    unpacker: Option<Decompressor<'static>>,
    /// The live plane of a chunk whose values are unpacked.
    pub(crate) live: Vec<u64>,
}

impl Squeezer {
    pub(crate) fn new(effort: Effort) -> Squeezer {
        Squeezer { effort, ..Squeezer::default() }
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
        self.squeezed()
    }

    /// Unpacks what [`Squeezer::pack_live`] packed; `None` if the bytes are not that.
    pub(crate) fn unpack_live(&mut self, bytes: &[u8], live: &mut [u64]) -> Option<()> {
        let marks = live.len().div_ceil(64);
        self.unsqueezed(bytes, marks + live.len())?;
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

    /// Compresses the words at hand.
    pub(crate) fn squeezed(&mut self) -> std::io::Result<Vec<u8>> {
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

/// Calls a method with the number of planes as a constant, so that what it holds of them stays in registers.
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

impl Squeeze {
    /// Gathers the live bits of every plane into the squeezer's words.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions, and `table` is valid for the planes of as many words as `live` has.
    #[inline(always)]
    pub(crate) unsafe fn gather<L: Lane>(&self, squeezer: &mut Squeezer, live: &[u64], table: *const u64) {
        squeezer.words.clear();
        if self.planes > 0 {
            // SAFETY: the caller's promise.
            unsafe { by_planes!(self.planes, self.gather_planes::<L>(squeezer, live, table)) }
        }
    }

    #[inline(always)]
    unsafe fn gather_planes<L: Lane, const N: usize>(
        &self,
        squeezer: &mut Squeezer,
        live: &[u64],
        table: *const u64,
    ) {
        let per = words_of(live);
        let words = &mut squeezer.words;
        words.resize(per * N, 0);
        let (mut held, mut filled, mut at) = ([0u64; N], 0u32, 0);
        for (i, &mask) in live.iter().enumerate() {
            if mask == 0 {
                continue;
            }
            // SAFETY: the caller's promise.
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
        *whole = squeezer.words.len() == words_of(live) * self.planes;
        if *whole && self.planes > 0 {
            // SAFETY: the caller's promise.
            unsafe { by_planes!(self.planes, self.scatter_planes::<L>(&squeezer.words, live, table)) }
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
                    // What lies behind the last word of a plane is another's, and not asked for.
                    let next = words.get(plane * per + word + 1).copied().unwrap_or(0);
                    bits = words[plane * per + word] >> shift | (next << 1) << (63 - shift);
                }
                // SAFETY: the caller's promise.
                unsafe {
                    let to = table.add((i / WORDS * N + plane) * WORDS + i % WORDS);
                    *to = L::spread(bits, mask);
                }
            }
        }
    }
}

/// How many words the live bits of a plane fill.
#[inline(always)]
fn words_of(live: &[u64]) -> usize {
    live.iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>().div_ceil(64) as usize
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
                    let mut squeezer =
                        Squeezer::new(if rng.random() { Effort::Swift } else { Effort::Small });
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
