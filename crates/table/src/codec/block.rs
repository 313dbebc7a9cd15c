//! One block: runs to bytes and back.

use super::fit::Fitter;
use super::length::{self, ESCAPE, RANGES, REST};
use super::model::{Model, Numbers};
use super::rans::{Decoder, Encoder};
use super::runs::Run;
use super::train::Coding;

/// Memory that is used again for every block.
#[derive(Default)]
pub(crate) struct Packer {
    encoder: Encoder,
    fitter: Fitter,
    lengths: Vec<u32>,
}

impl Packer {
    /// Codes blocks, some of which may have no runs.
    pub(crate) fn pack(&mut self, coding: &Coding, blocks: &[&[Run<u8>]]) {
        self.encoder.clear();
        for runs in blocks {
            self.fitter.fit(runs, &coding.costs, &mut self.lengths);
            let nothing = coding.model.nothing();
            let value = |i: usize, back: usize| i.checked_sub(back).map_or(nothing, |i| runs[i].value);
            for i in (0..runs.len()).rev() {
                self.put_length(coding, runs[i].value, self.lengths.get(i).copied());
                self.put_value(coding, value(i, 2), value(i, 1), runs[i].value);
            }
            self.encoder.end_block();
        }
        self.encoder.code(coding.numbers.all());
    }

    /// Appends the bytes of a block that was coded, none if it has no runs.
    pub(crate) fn append(&self, block: usize, out: &mut Vec<u8>) {
        self.encoder.append(block, out);
    }

    #[inline(always)]
    fn put(&mut self, coding: &Coding, distribution: usize, symbol: u8) -> bool {
        let step = coding.numbers.step(distribution, symbol);
        step.inspect(|&step| self.encoder.put(step)).is_some()
    }

    /// The last thing said is the first thing put.
    #[inline(always)]
    fn put_length(&mut self, coding: &Coding, value: u8, length: Option<u32>) {
        let distribution = coding.model.length_of(value);
        let symbol = match length {
            None if self.put(coding, distribution, REST) => return,
            // What never was the last run of a block says its length as zero.
            None => ESCAPE,
            Some(length) => coding.costs.symbol(value, length),
        };
        let length = length.unwrap_or(0);
        if symbol == ESCAPE {
            self.encoder.put(Numbers::bits(length & 0xff, 8));
            self.encoder.put(Numbers::bits(length >> 8, 8));
        } else if u32::from(symbol) >= RANGES {
            let (_, rest, bits) = length::range(length);
            self.encoder.put(Numbers::bits(rest, bits));
        }
        self.put(coding, distribution, symbol);
    }

    #[inline(always)]
    fn put_value(&mut self, coding: &Coding, earlier: u8, later: u8, value: u8) {
        let after_two = coding.model.value_after(earlier, later);
        if self.put(coding, after_two, value) {
            return;
        }
        let after_one = usize::from(later);
        if after_one == after_two || !self.put(coding, after_one, value) {
            self.encoder.put(Numbers::bits(value.into(), 8));
            if after_one != after_two {
                self.put(coding, after_one, ESCAPE);
            }
        }
        self.put(coding, after_two, ESCAPE);
    }
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
    use crate::codec::runs::Blocks;
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

    fn runs(cells: &[u8]) -> Vec<Run<u8>> {
        let mut runs = Blocks::new();
        for (slot, &value) in (0..).zip(cells).filter(|&(_, &value)| value != 255) {
            runs.push(Run { value, first: slot, last: slot });
        }
        runs.go_on(1);
        runs.iter().flatten().copied().collect()
    }

    fn coding(blocks: &[Vec<Run<u8>>], slots: u32) -> Coding {
        let length_costs = first_costs(VALUES.into());
        let costs = Costs::new(slots, &length_costs);
        let mut counts = Counts::new(VALUES.into());
        let (mut fitter, mut lengths) = (Fitter::default(), Vec::new());
        for runs in blocks.iter().filter(|runs| !runs.is_empty()) {
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
            let all: Vec<Vec<Run<u8>>> = blocks.iter().map(|cells| runs(cells)).collect();
            // A model that has seen only some blocks must code the others through escapes.
            let coding = coding(&all[..[0, 3, 60][round % 3]], slots);
            packer.pack(&coding, &all.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for (block, (cells, runs)) in blocks.iter().zip(&all).enumerate() {
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
        let blocks: Vec<Vec<Run<u8>>> = (0..60).map(|_| runs(&cells(&mut rng, 1024))).collect();
        let coding = coding(&blocks, 1024);
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
