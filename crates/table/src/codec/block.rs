//! Encoder and decoder of one block of a tier: between runs of equal values and rANS symbols.

use super::fit::RunParser;
use super::length::{self, ESCAPE, RANGES, REST};
use super::model::{AliasInverse, Model};
use super::rans::{Decoder, EncodeStep, Encoder};
use super::runs::{Blocks, Runs};
use super::train::EncoderTables;

/// Encoder of blocks; its buffers are reused.
#[derive(Default)]
pub(crate) struct BlockEncoder {
    encoder: Encoder,
    parser: RunParser,
    lengths: Vec<u16>,
}

impl BlockEncoder {
    /// Encodes blocks. A block without runs has no bytes.
    pub(crate) fn pack(&mut self, coding: &EncoderTables, blocks: &Blocks<u8>) {
        let BlockEncoder { encoder, parser, lengths } = self;
        encoder.code(coding.inverse.all(), blocks.len(), |block, steps| {
            let runs = blocks.block(block);
            parser.fit(runs, &coding.costs, lengths);
            put(coding, runs, lengths, steps);
        });
    }

    /// Appends the bytes of an encoded block, none if it has no runs.
    pub(crate) fn append(&self, block: usize, out: &mut Vec<u8>) {
        self.encoder.append(block, out);
    }
}

/// Appends the encoder steps of a block, last symbol first: rANS decodes in reverse order of encoding.
fn put(coding: &EncoderTables, runs: Runs<'_, u8>, lengths: &[u16], steps: &mut Vec<EncodeStep>) {
    let nothing = coding.model.nothing();
    let value = |place: usize, back: usize| place.checked_sub(back).map_or(nothing, |i| runs.values[i]);
    steps.reserve(2 * runs.len());
    let (mut run, mut later) = (value(runs.len(), 1), value(runs.len(), 2));
    for place in (0..runs.len()).rev() {
        let earlier = value(place, 2);
        match lengths.get(place) {
            Some(&length) => match coding.cache.length(run, length) {
                Some(step) => steps.push(step),
                None => put_length(coding, run, length, steps),
            },
            None => put_rest(coding, run, steps),
        }
        match coding.cache.value(earlier, later, run) {
            Some(step) => steps.push(step),
            None => put_value(coding, earlier, later, run, steps),
        }
        (run, later) = (later, earlier);
    }
}

/// Appends a symbol; `false` if the distribution does not contain it.
fn put_symbol(coding: &EncoderTables, distribution: usize, symbol: u8, steps: &mut Vec<EncodeStep>) -> bool {
    let step = coding.inverse.step(distribution, symbol);
    step.inspect(|&step| steps.push(step)).is_some()
}

/// Appends the length symbol of a block's last run.
fn put_rest(coding: &EncoderTables, value: u8, steps: &mut Vec<EncodeStep>) {
    if !put_symbol(coding, coding.model.length_of(value), REST, steps) {
        // A value that never ended a block in training has no `REST` symbol: an escaped length of 0 means the same.
        put_escaped(coding, value, 0, steps);
    }
}

fn put_escaped(coding: &EncoderTables, value: u8, length: u32, steps: &mut Vec<EncodeStep>) {
    steps.push(AliasInverse::bits(length & 0xff, 8));
    steps.push(AliasInverse::bits(length >> 8, 8));
    put_symbol(coding, coding.model.length_of(value), ESCAPE, steps);
}

#[cold]
fn put_length(coding: &EncoderTables, value: u8, length: u16, steps: &mut Vec<EncodeStep>) {
    let symbol = coding.costs.symbol(value, length);
    if symbol == ESCAPE {
        return put_escaped(coding, value, length.into(), steps);
    }
    if u32::from(symbol) >= RANGES {
        let (_, rest, bits) = length::range(length.into());
        steps.push(AliasInverse::bits(rest, bits));
    }
    put_symbol(coding, coding.model.length_of(value), symbol, steps);
}

#[cold]
fn put_value(coding: &EncoderTables, earlier: u8, later: u8, value: u8, steps: &mut Vec<EncodeStep>) {
    let after_two = coding.model.value_after(earlier, later);
    if put_symbol(coding, after_two, value, steps) {
        return;
    }
    let after_one = usize::from(later);
    if after_one == after_two || !put_symbol(coding, after_one, value, steps) {
        steps.push(AliasInverse::bits(value.into(), 8));
        if after_one != after_two {
            put_symbol(coding, after_one, ESCAPE, steps);
        }
    }
    put_symbol(coding, after_two, ESCAPE, steps);
}

/// An incrementally decoded block: the end and the symbol of each run.
///
/// Decoding stops at the requested slot and resumes when a later slot is requested.
#[derive(Default)]
pub(crate) struct BlockDecoder {
    pub(crate) ends: Vec<u32>,
    pub(crate) symbols: Vec<u8>,
    /// The decoder's state, to resume from.
    paused: (u32, usize),
}

impl BlockDecoder {
    /// Starts a block with nothing decoded yet; `None` if the bytes are too short.
    pub(crate) fn begin(&mut self, bytes: &[u8]) -> Option<()> {
        self.ends.clear();
        self.symbols.clear();
        self.paused = Decoder::new(bytes)?.pause();
        Some(())
    }

    /// Returns the symbol at a slot that is already decoded.
    #[inline]
    pub(crate) fn at(&self, slot: u32) -> u8 {
        self.symbols[self.ends.partition_point(|&end| end <= slot)]
    }

    /// Decodes at least up to `slot` of `slots`; `None` if the bytes are not a valid block.
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
            // Raw bits are rare: most lengths are round.
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
        // The checksum passed before; this detects a block that was encoded wrongly.
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
    use crate::codec::fit::LengthCosts;
    use crate::codec::train::{TrainingCounts, first_costs};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    const VALUES: u8 = 9;

    /// A block with cells 0 … 8, or 255 for a don't-care.
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

    /// The runs of blocks of `slots` slots each.
    fn runs(blocks: &[Vec<u8>], slots: u32) -> Blocks<u8> {
        let mut runs = Blocks::default();
        for (number, cells) in blocks.iter().enumerate() {
            runs.advance_to(number);
            for (slot, &value) in cells.iter().enumerate().filter(|&(_, &value)| value != 255) {
                runs.push(slot as u16, std::iter::once(value), &[0], &[0]);
            }
        }
        runs.advance_to(blocks.len());
        assert!(blocks.iter().all(|cells| cells.len() == slots as usize));
        runs
    }

    /// Encoder tables trained on the first `few` blocks.
    fn coding(blocks: &Blocks<u8>, few: usize, slots: u32) -> EncoderTables {
        let length_costs = first_costs(VALUES.into());
        let costs = LengthCosts::new(slots, &length_costs);
        let mut counts = TrainingCounts::new(VALUES.into());
        let (mut parser, mut lengths) = (RunParser::default(), Vec::new());
        for runs in blocks.iter().take(few).filter(|runs| !runs.is_empty()) {
            parser.fit(runs, &costs, &mut lengths);
            counts.add(runs, &lengths, &costs);
        }
        EncoderTables::new(&counts.parts((0..VALUES.into()).collect()), slots).expect("shares add up")
    }

    #[test]
    fn defined_slots_round_trip() {
        let mut rng = SmallRng::seed_from_u64(8);
        let mut packer = BlockEncoder::default();
        let mut tried = 0;
        for round in 0..60 {
            let slots = [1, 2, 7, 64, 300, 1024, 16_384][round % 7];
            let blocks: Vec<Vec<u8>> = (0..60).map(|_| cells(&mut rng, slots)).collect();
            let all = runs(&blocks, slots);
            // A model trained on a part of the blocks must code the others through escapes.
            let coding = coding(&all, [0, 3, 60][round % 3], slots);
            packer.pack(&coding, &all);
            for (block, (cells, runs)) in blocks.iter().zip(all.iter()).enumerate() {
                let mut bytes = Vec::new();
                packer.append(block, &mut bytes);
                if runs.is_empty() {
                    assert!(bytes.is_empty());
                    continue;
                }
                let mut unpacked = BlockDecoder::default();
                unpacked.begin(&bytes).expect("has a state");
                // Irregular steps make decoding pause in between.
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
    fn random_bytes_are_refused_without_panic() {
        let mut rng = SmallRng::seed_from_u64(9);
        let blocks: Vec<Vec<u8>> = (0..60).map(|_| cells(&mut rng, 1024)).collect();
        let coding = coding(&runs(&blocks, 1024), 60, 1024);
        let mut unpacked = BlockDecoder::default();
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
