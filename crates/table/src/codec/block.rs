//! One block: runs to bytes and back.

use super::fit::{Fitter, Saying, cheapest};
use super::length::{self, ESCAPE, REST};
use super::model::Model;
use super::rans::{Decoder, Encoder};
use super::runs::Run;
use super::train::Coding;

/// Memory that is used again for every block.
pub(crate) struct Packer {
    encoder: Encoder,
    fitter: Fitter,
    lengths: Vec<u32>,
}

impl Packer {
    pub(crate) fn new() -> Packer {
        Packer { encoder: Encoder::new(), fitter: Fitter::default(), lengths: Vec::new() }
    }

    /// Appends the bytes of a block; the runs are not empty.
    pub(crate) fn pack(&mut self, coding: &Coding, runs: &[Run<u8>], out: &mut Vec<u8>) {
        self.fitter.fit(runs, &coding.costs, &mut self.lengths);
        let nothing = coding.model.nothing();
        let value = |i: usize, back: usize| i.checked_sub(back).map_or(nothing, |i| runs[i].value);
        for i in (0..runs.len()).rev() {
            self.put_length(coding, runs[i].value, self.lengths.get(i).copied());
            self.put_value(coding, value(i, 2), value(i, 1), runs[i].value);
        }
        self.encoder.finish(out);
    }

    fn put(&mut self, coding: &Coding, distribution: usize, symbol: u8) -> bool {
        let numbers = &coding.numbers[distribution];
        let freq = numbers.freq(symbol);
        if freq > 0 {
            let (high, low) = self.encoder.split(freq);
            self.encoder.join(high, numbers.number(symbol, low));
        }
        freq > 0
    }

    /// The last thing said is the first thing put.
    fn put_length(&mut self, coding: &Coding, value: u8, length: Option<u32>) {
        let distribution = coding.model.length_of(value);
        let saying = match length {
            None if self.put(coding, distribution, REST) => return,
            // What never was the last run of a block says its length as zero.
            None => Saying::Escape,
            Some(length) => cheapest(length, &coding.length_costs[usize::from(value)]).0,
        };
        match saying {
            Saying::Exact(symbol) => {
                self.put(coding, distribution, symbol);
            }
            Saying::Range(symbol, rest, bits) => {
                self.encoder.put_bits(rest, bits);
                self.put(coding, distribution, symbol);
            }
            Saying::Escape => {
                let length = length.unwrap_or(0);
                self.encoder.put_bits(length & 0xff, 8);
                self.encoder.put_bits(length >> 8, 8);
                self.put(coding, distribution, ESCAPE);
            }
        }
    }

    fn put_value(&mut self, coding: &Coding, earlier: u8, later: u8, value: u8) {
        let after_two = coding.model.value_after(earlier, later);
        if self.put(coding, after_two, value) {
            return;
        }
        let after_one = usize::from(later);
        if after_one == after_two || !self.put(coding, after_one, value) {
            self.encoder.put_bits(value.into(), 8);
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
