//! From planes to the slots of the tight index: one byte per balanced colouring, for a table writer.
//!
//! ```text
//!  planes, kernel order  ->  one byte per bit  ->  codes in colouring-rank order (cell by cell, colex)
//! ```
//!
//! Of each mirror pair the shape that comes first in shape order is exported; a shape that is its own
//! image is exported whole.
//!
//! Invariant: a slot is a don't-care exactly if its position is unreachable, finished, or won at once.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::engine::Engine;
use crate::plan::SLICE;
use crate::relay::Reorder;
use crate::shapes::walk;
use crate::solve::Values;
use crate::tight::WORDS;
use outplay_core::{Code, Pace, Turn, Value, Watch};
use rayon::prelude::*;
use std::sync::Mutex;

/// Low ranks of the export order that the inner loop runs over.
const INNER: usize = 12;

/// A slice of a shape's slots.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    /// Stones placed since the start.
    pub tier: usize,
    /// The number of the shape within its tier, in shape order, all shapes counted.
    pub shape: u64,
    /// Stones placed in every stack since the start: by column with gravity, else by free cell.
    pub stones: &'a [u8],
    /// The colouring rank of the first code.
    pub rank: u64,
    /// Slots of the whole shape.
    pub of: u64,
    /// Codes of the mover's view as in [`outplay_core::Code`]; `i8::MIN` is a don't-care. Without distances
    /// a win is 1, a tie 0 and a loss -1.
    pub codes: &'a [i8],
}

impl Slots<'_> {
    /// The number of the first slot within the tier.
    pub fn first(&self) -> u64 {
        self.shape * self.of + self.rank
    }
}

/// Takes the values of a board, tier by tier from the last to the first.
///
/// Within a tier, shapes come in any order and from several threads at once. The slots of a shape come in
/// one slice, or, beyond 2²⁸ of them, in several with ascending ranks from one thread. A board on which the
/// game is over already has nothing to put.
pub trait Sink: Sync {
    /// Whether the tier's slots are wanted; one that is there already need not be made again.
    fn wants(&self, tier: usize) -> bool;

    /// Takes slots.
    ///
    /// # Errors
    ///
    /// A sentence that says why they could not be taken; the solve ends with it.
    fn put(&self, slots: Slots<'_>) -> Result<(), String>;

    /// All slots of the tier have been put.
    ///
    /// # Errors
    ///
    /// As for `put`.
    fn end(&self, tier: usize) -> Result<(), String>;
}

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    raw: Vec<u8>,
    codes: Vec<i8>,
}

/// Hands a tier to the sink. `care` are the planes of the slots that matter; null in the last tier, where
/// none does.
pub(crate) fn tier(
    engine: &Engine,
    watch: &dyn Watch,
    sink: &dyn Sink,
    tier: usize,
    offsets: &[u32],
    care: *const u64,
) -> Result<(), DenseError> {
    if !sink.wants(tier) {
        return Ok(());
    }
    let failed = |why| DenseError::Sink { tier, why };
    let mut shapes = Vec::new();
    let mut number = 0u64;
    walk(&engine.field, watch, |shape, stones, _| {
        if stones == tier {
            let first = engine.field.mirror.as_ref().is_none_or(|m| shape <= engine.field.image(m, shape));
            if first {
                shapes.push((shape, number));
            }
            number += 1;
        }
    })?;
    let lut = codes(engine, tier);
    let job = Job { engine, tier, offsets, care: care as usize, lut: &lut };
    let free: Mutex<Vec<Buffers>> = Mutex::new(Vec::new());
    let one = |&(shape, number): &(u32, u64)| {
        let taken = free.lock().ok().and_then(|mut free| free.pop());
        let mut buffers = taken.unwrap_or_default();
        job.shape(&mut buffers, sink, shape, number, &mut Pace::new(watch))?;
        if let Ok(mut free) = free.lock() {
            free.push(buffers);
        }
        Ok(())
    };
    match &engine.pool {
        Some(pool) => pool.install(|| shapes.par_iter().try_for_each(one))?,
        None => shapes.iter().try_for_each(one)?,
    }
    sink.end(tier).map_err(failed)
}

/// By raw byte (planes, and 128 if it matters): the code.
fn codes(engine: &Engine, tier: usize) -> [i8; 256] {
    let mut lut = [i8::UNKNOWN; 256];
    if tier == engine.field.plies() {
        return lut;
    }
    let turn = if engine.field.mover(tier) == 1 { Turn::First } else { Turn::Second };
    for number in 0..1usize << engine.planes(tier) {
        let (payoff, distance) = engine.decode(tier, number);
        lut[128 | number] = match engine.values {
            Values::Wdl => turn.sees(payoff) as i8,
            // Boards have fewer than 64 cells, so every distance fits.
            Values::Distance => {
                i8::pack(Value::new(turn.sees(payoff), distance as u32)).unwrap_or(i8::UNKNOWN)
            }
        };
    }
    lut
}

/// What is the same for all shapes of a tier.
struct Job<'a> {
    engine: &'a Engine,
    tier: usize,
    offsets: &'a [u32],
    /// Address of the planes of slots that matter.
    care: usize,
    lut: &'a [i8; 256],
}

impl Job<'_> {
    fn shape(
        &self,
        buffers: &mut Buffers,
        sink: &dyn Sink,
        shape: u32,
        number: u64,
        pace: &mut Pace<'_>,
    ) -> Result<(), DenseError> {
        let engine = self.engine;
        let (field, tight) = (&engine.field, &engine.tight);
        let stones: Vec<u8> = (0..field.stacks.len()).map(|i| field.count(shape, i) as u8).collect();
        let ones = field.ones(self.tier);
        let of = tight.choose[self.tier][ones];
        let put = |rank: u64, codes: &[i8]| {
            let slots = Slots { tier: self.tier, shape: number, stones: &stones, rank, of, codes };
            sink.put(slots).map_err(|why| DenseError::Sink { tier: self.tier, why })
        };
        if pace.step() {
            return Err(DenseError::Stopped);
        }
        buffers.codes.clear();
        buffers.codes.reserve(of.min(SLICE) as usize);
        if self.tier == field.plies() {
            // A full board is finished: the rules answer for all of it.
            let whole = of.min(SLICE) as usize;
            while buffers.codes.len() < whole {
                // Memory that is written to for the first time takes its time.
                if pace.steps(256) {
                    return Err(DenseError::Stopped);
                }
                buffers.codes.resize(whole.min(buffers.codes.len() + (1 << 16)), i8::UNKNOWN);
            }
            let mut rank = 0;
            while rank < of {
                let length = (of - rank).min(SLICE);
                put(rank, &buffers.codes[..length as usize])?;
                rank += length;
            }
            return Ok(());
        }

        // The table may be that of the mirror image.
        let image = field.mirror.as_ref().filter(|_| field.lean(shape) < 0);
        let source = image.map_or(shape, |mirror| field.image(mirror, shape));
        let (filled, held) = (field.filled(shape), field.filled(source));
        let mut cells: Vec<(usize, u8)> = (0..field.plies())
            .filter(|v| filled >> v & 1 == 1)
            .map(|v| (field.cells[v], image.map_or(v as u8, |mirror| mirror.variable[v])))
            .collect();
        cells.sort_unstable();
        let ranks: Vec<u8> = cells.iter().map(|&(_, v)| (held & ((1 << v) - 1)).count_ones() as u8).collect();
        self.raw(&mut buffers.raw, source, pace)?;

        let reorder = Reorder::new(&ranks);
        let inner = INNER.min(self.tier);
        let mut lists = vec![Vec::new(); inner + 1];
        for colouring in 0..1u64 << inner {
            lists[colouring.count_ones() as usize].push(reorder.apply(colouring));
        }
        let mut rank = 0u64;
        let (mask, low) = ((1u64 << tight.low) - 1, tight.low);
        for upper in 0..1u64 << (self.tier - inner) {
            let Some(left) = ones.checked_sub(upper.count_ones() as usize) else { continue };
            let Some(list) = lists.get(left) else { continue };
            if pace.steps(1 + list.len() / 16) {
                return Err(DenseError::Stopped);
            }
            let upper = reorder.apply(upper << inner);
            let raw = &buffers.raw;
            buffers.codes.extend(list.iter().map(|&lower| {
                let colouring = upper | lower;
                // SAFETY: the colouring has as many bits as the shape has stones and as many ones as the
                // tier wants, so its block and its rank within the block exist, and `raw` has all bits.
                unsafe {
                    let block = *self.offsets.get_unchecked((colouring >> low) as usize) as usize;
                    let rank = usize::from(*tight.rank.get_unchecked((colouring & mask) as usize));
                    *self.lut.get_unchecked(usize::from(*raw.get_unchecked(block * 512 + rank)))
                }
            }));
            if buffers.codes.len() as u64 >= SLICE && of > SLICE {
                put(rank, &buffers.codes[..SLICE as usize])?;
                buffers.codes.drain(..SLICE as usize);
                rank += SLICE;
            }
        }
        put(rank, &buffers.codes)
    }

    /// One byte for every bit of a stored shape: its planes, and 128 if it matters.
    fn raw(&self, raw: &mut Vec<u8>, shape: u32, pace: &mut Pace<'_>) -> Result<(), DenseError> {
        let engine = self.engine;
        let planes = engine.planes(self.tier);
        let lines = self.offsets[self.offsets.len() - 1] as usize;
        let place = engine.shapes.place[shape as usize] as usize;
        raw.clear();
        raw.reserve(lines * 512);
        // SAFETY: the shape is stored, so its planes and its plane of slots that matter lie in the arenas.
        let (table, care) = unsafe {
            let care = (self.care as *const u64).add(place * lines * WORDS);
            let table = engine.table(self.tier).cast_const().add(place * lines * planes * WORDS);
            (table, std::slice::from_raw_parts(care, lines * WORDS))
        };
        // SAFETY: see above.
        let table = unsafe { std::slice::from_raw_parts(table, lines * planes * WORDS) };
        for (line, care) in care.chunks_exact(WORDS).enumerate() {
            if pace.steps(8) {
                return Err(DenseError::Stopped);
            }
            let table = &table[line * planes * WORDS..][..planes * WORDS];
            for (word, &care) in care.iter().enumerate() {
                if care == 0 {
                    raw.extend_from_slice(&[0; 64]);
                    continue;
                }
                for byte in 0..8 {
                    let mut eight = spread(care >> (byte * 8)) << 7;
                    for plane in 0..planes {
                        eight |= spread(table[plane * WORDS + word] >> (byte * 8)) << plane;
                    }
                    raw.extend_from_slice(&eight.to_le_bytes());
                }
            }
        }
        Ok(())
    }
}

/// Eight bits, each in a byte of its own.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    // Copies of the low seven bits at distances of seven do not overlap; the eighth goes by itself.
    let low = (bits & 0x7f).wrapping_mul(0x0002_0408_1020_4081);
    (low | (bits & 0x80) << 49) & 0x0101_0101_0101_0101
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn bits_become_bytes() {
        for bits in 0..=255u64 {
            let bytes = spread(bits | 0xabc_d00).to_le_bytes();
            assert!((0..8).all(|i| u64::from(bytes[i]) == bits >> i & 1), "{bits:08b}");
        }
    }
}
