//! One block: runs to bytes and back.

use super::fit::Fitter;
use super::length::{self, ESCAPE, RANGES, REST};
use super::model::{Model, Numbers};
use super::rans::{Decoder, Encoder, Step};
use super::runs::{Blocks, Runs};
use super::train::Coding;

/// Memory that is used again for all blocks.
#[derive(Default)]
pub(crate) struct Packer {
    encoder: Encoder,
    fitter: Fitter,
    lengths: Vec<u16>,
}

impl Packer {
    /// Codes blocks, some of which may have no runs.
    pub(crate) fn pack(&mut self, coding: &Coding, blocks: &Blocks<u8>) {
        let Packer { encoder, fitter, lengths } = self;
        encoder.code(coding.numbers.all(), blocks.len(), |block, steps| {
            let runs = blocks.block(block);
            fitter.fit(runs, &coding.costs, lengths);
            put(coding, runs, lengths, steps);
        });
    }

    /// Appends the bytes of a block that was coded, none if it has no runs.
    pub(crate) fn append(&self, block: usize, out: &mut Vec<u8>) {
        self.encoder.append(block, out);
    }
}

/// Appends what is put for a block: the last thing said is the first thing put.
fn put(coding: &Coding, runs: Runs<'_, u8>, lengths: &[u16], steps: &mut Vec<Step>) {
    let nothing = coding.model.nothing();
    let value = |place: usize, back: usize| place.checked_sub(back).map_or(nothing, |i| runs.values[i]);
    steps.reserve(2 * runs.len());
    let (mut run, mut later) = (value(runs.len(), 1), value(runs.len(), 2));
    for place in (0..runs.len()).rev() {
        let earlier = value(place, 2);
        match lengths.get(place) {
            Some(&length) => match coding.quick.length(run, length) {
                Some(step) => steps.push(step),
                None => put_length(coding, run, length, steps),
            },
            None => put_rest(coding, run, steps),
        }
        match coding.quick.value(earlier, later, run) {
            Some(step) => steps.push(step),
            None => put_value(coding, earlier, later, run, steps),
        }
        (run, later) = (later, earlier);
    }
}

/// Puts a symbol, if any number stands for it.
fn put_symbol(coding: &Coding, distribution: usize, symbol: u8, steps: &mut Vec<Step>) -> bool {
    let step = coding.numbers.step(distribution, symbol);
    step.inspect(|&step| steps.push(step)).is_some()
}

/// Puts that a run is the last one.
fn put_rest(coding: &Coding, value: u8, steps: &mut Vec<Step>) {
    if !put_symbol(coding, coding.model.length_of(value), REST, steps) {
        // What never was the last run of a block says its length as zero.
        put_escaped(coding, value, 0, steps);
    }
}

fn put_escaped(coding: &Coding, value: u8, length: u32, steps: &mut Vec<Step>) {
    steps.push(Numbers::bits(length & 0xff, 8));
    steps.push(Numbers::bits(length >> 8, 8));
    put_symbol(coding, coding.model.length_of(value), ESCAPE, steps);
}

#[cold]
fn put_length(coding: &Coding, value: u8, length: u16, steps: &mut Vec<Step>) {
    let symbol = coding.costs.symbol(value, length);
    if symbol == ESCAPE {
        return put_escaped(coding, value, length.into(), steps);
    }
    if u32::from(symbol) >= RANGES {
        let (_, rest, bits) = length::range(length.into());
        steps.push(Numbers::bits(rest, bits));
    }
    put_symbol(coding, coding.model.length_of(value), symbol, steps);
}

#[cold]
fn put_value(coding: &Coding, earlier: u8, later: u8, value: u8, steps: &mut Vec<Step>) {
    let after_two = coding.model.value_after(earlier, later);
    if put_symbol(coding, after_two, value, steps) {
        return;
    }
    let after_one = usize::from(later);
    if after_one == after_two || !put_symbol(coding, after_one, value, steps) {
        steps.push(Numbers::bits(value.into(), 8));
        if after_one != after_two {
            put_symbol(coding, after_one, ESCAPE, steps);
        }
    }
    put_symbol(coding, after_two, ESCAPE, steps);
}

/// A block as the reader wants it: where each run ends, and its symbol.
///
/// Blocks are decoded as far as they are asked for, and further when more is asked.
#[derive(Default)]
pub(crate) struct Unpacked {
    pub(crate) ends: Vec<u32>,
    pub(crate) symbols: Vec<u8>,
    /// Where decoding goes on.
    paused: (u32, usize),
}

impl Unpacked {
    /// Begins a block with nothing decoded yet; `None` if the bytes cannot be one.
    pub(crate) fn begin(&mut self, bytes: &[u8]) -> Option<()> {
        self.ends.clear();
        self.symbols.clear();
        self.paused = Decoder::new(bytes)?.pause();
        Some(())
    }

    /// The symbol at a slot that is decoded.
    #[inline]
    pub(crate) fn at(&self, slot: u32) -> u8 {
        self.symbols[self.ends.partition_point(|&end| end <= slot)]
    }

    /// Decodes at least up to `slot` of `slots`; `None` if the bytes are not a block.
    #[inline]
    pub(crate) fn reach(&mut self, model: &Model, bytes: &[u8], slots: u32, slot: u32) -> Option<()> {
        match self.ends.last() {
            Some(&end) if slot < end => Some(()),
            _ => self.decode(model, bytes, slots, slot),
        }
    }

    fn decode(&mut self, model: &Model, bytes: &[u8], slots: u32, slot: u32) -> Option<()> {
        let mut decoder = Decoder::resume(bytes, self.paused)?;
        let nothing = model.nothing();
        let before = |back| self.symbols.len().checked_sub(back).map_or(nothing, |i| self.symbols[i]);
        let (mut earlier, mut later) = (before(2), before(1));
        let mut end = self.ends.last().copied().unwrap_or(0);
        while end <= slot {
            let value = take_value(model, &mut decoder, earlier, later)?;
            (earlier, later) = (later, value);
            let (least, bits) =
                length::LENGTHS[usize::from(model.symbol(model.length_of(value), &mut decoder))];
            // Plain bits are rare: most lengths are round.
            let length = if bits == 0 {
                least
            } else if bits < length::ESCAPE_BITS {
                least + decoder.bits(bits)
            } else {
                match decoder.bits(8) << 8 | decoder.bits(8) {
                    0 => length::TO_THE_END,
                    length => length,
                }
            };
            end = if length == length::TO_THE_END { slots } else { end + length };
            self.ends.push(end);
            self.symbols.push(value);
        }
        self.paused = decoder.pause();
        // All of a block was checked before; this tells a block that was written wrong.
        (end < slots || end == slots && decoder.at_end()).then_some(())
    }
}

#[inline]
fn take_value(model: &Model, decoder: &mut Decoder<'_>, earlier: u8, later: u8) -> Option<u8> {
    let after_two = model.value_after(earlier, later);
    let mut value = model.symbol(after_two, decoder);
    if value == ESCAPE {
        if after_two != usize::from(later) {
            value = model.symbol(usize::from(later), decoder);
        }
        if value == ESCAPE {
            value = decoder.bits(8) as u8;
        }
        if usize::from(value) >= model.values() {
            return None;
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::fit::Costs;
    use crate::codec::train::{Counts, first_costs};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    const VALUES: u8 = 9;

    /// A block with cells 0 … 8, or 255 for a don't care.
    fn cells(rng: &mut SmallRng, slots: u32) -> Vec<u8> {
        let (care, change) = (rng.random_range(0.01..1.0), rng.random_range(0.0..1.0));
        let values = rng.random_range(1..=VALUES);
        let mut value = 0;
        (0..slots)
            .map(|_| {
                if rng.random_bool(change) {
                    value = rng.random_range(0..values);
                }
                if rng.random_bool(care) { value } else { 255 }
            })
            .collect()
    }

    /// The runs of blocks of so many slots.
    fn runs(blocks: &[Vec<u8>], slots: u32) -> Blocks<u8> {
        let mut runs = Blocks::default();
        for (number, cells) in blocks.iter().enumerate() {
            runs.go_on(number);
            for (slot, &value) in cells.iter().enumerate().filter(|&(_, &value)| value != 255) {
                runs.push(slot as u16, std::iter::once(value), &[0], &[0]);
            }
        }
        runs.go_on(blocks.len());
        assert!(blocks.iter().all(|cells| cells.len() == slots as usize));
        runs
    }

    /// Fitted to the first few of the blocks.
    fn coding(blocks: &Blocks<u8>, few: usize, slots: u32) -> Coding {
        let length_costs = first_costs(VALUES.into());
        let costs = Costs::new(slots, &length_costs);
        let mut counts = Counts::new(VALUES.into());
        let (mut fitter, mut lengths) = (Fitter::default(), Vec::new());
        for runs in blocks.iter().take(few).filter(|runs| !runs.is_empty()) {
            fitter.fit(runs, &costs, &mut lengths);
            counts.add(runs, &lengths, &costs);
        }
        Coding::new(&counts.parts((0..VALUES.into()).collect()), slots).expect("shares add up")
    }

    #[test]
    fn every_slot_that_counts_comes_back() {
        let mut rng = SmallRng::seed_from_u64(8);
        let mut packer = Packer::default();
        let mut tried = 0;
        for round in 0..60 {
            let slots = [1, 2, 7, 64, 300, 1024, 16_384][round % 7];
            let blocks: Vec<Vec<u8>> = (0..60).map(|_| cells(&mut rng, slots)).collect();
            let all = runs(&blocks, slots);
            // A model that has seen only some blocks must code the others through escapes.
            let coding = coding(&all, [0, 3, 60][round % 3], slots);
            packer.pack(&coding, &all);
            for (block, (cells, runs)) in blocks.iter().zip(all.iter()).enumerate() {
                let mut bytes = Vec::new();
                packer.append(block, &mut bytes);
                if runs.is_empty() {
                    assert!(bytes.is_empty());
                    continue;
                }
                let mut unpacked = Unpacked::default();
                unpacked.begin(&bytes).expect("has a state");
                // Asked in leaps, so that decoding pauses in between.
                let mut slot = 0;
                while slot < slots {
                    unpacked.reach(&coding.model, &bytes, slots, slot).expect("decodes");
                    let cell = cells[slot as usize];
                    assert!(cell == 255 || unpacked.at(slot) == cell, "slot {slot} of {slots}");
                    slot += rng.random_range(1..1 + slots.div_ceil(4));
                }
                unpacked.reach(&coding.model, &bytes, slots, slots - 1).expect("decodes");
                for (slot, &cell) in (0..).zip(cells) {
                    assert!(cell == 255 || unpacked.at(slot) == cell, "slot {slot} of {slots}");
                }
                tried += 1;
            }
        }
        assert!(tried > 2000);
    }

    #[test]
    fn nonsense_ends_in_none_not_in_a_panic() {
        let mut rng = SmallRng::seed_from_u64(9);
        let blocks: Vec<Vec<u8>> = (0..60).map(|_| cells(&mut rng, 1024)).collect();
        let coding = coding(&runs(&blocks, 1024), 60, 1024);
        let mut unpacked = Unpacked::default();
        let mut refused = 0;
        for _ in 0..5000 {
            let bytes: Vec<u8> = (0..rng.random_range(0..300)).map(|_| rng.random()).collect();
            let decoded =
                unpacked.begin(&bytes).and_then(|()| unpacked.reach(&coding.model, &bytes, 1024, 1023));
            refused += usize::from(decoded.is_none());
        }
        assert!(refused > 4990, "{refused}");
    }
}
