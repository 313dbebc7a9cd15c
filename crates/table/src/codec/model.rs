//! Context model of a tier: static order-2 frequencies as alias tables (Walker 1977) for rANS.
//!
//! ```text
//! index          distribution, where S is the number of symbols (values)
//! 0 … S          value after one value (index S: at the start of a block)
//! S+1 … 2S       length of a run, by value
//! from 2S+1 on   value after two values, for contexts in which that saves space
//! ```
//!
//! A distribution is an alias table, as in Giesen's alias-method rANS (2014): its scale of 4096 is cut into equal
//! buckets, one per symbol (rounded up to a power of two), and each bucket is shared by at most two symbols.
//! Decoding is one bucket lookup without a data-dependent branch. A distribution fits into a few cache
//! lines, so that a cold probe stays cheap.
//!
//! Invariant: the frequencies of a distribution are positive and add up to [`TOTAL`].

use super::length::{self, ESCAPE};
use super::rans::{Decoder, EncodeStep, PRECISION, TOTAL};
use outplay_runtime::varint::{read_varint, write_varint};

/// A symbol and its frequency in a distribution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SymbolFrequency {
    pub(crate) symbol: u8,
    pub(crate) freq: u32,
}

/// A bucket of an alias table: scale positions below `divider` belong to the first symbol, the others to the second.
#[derive(Clone, Copy)]
struct Bucket {
    divider: u16,
    symbols: [u8; 2],
    freqs: [u16; 2],
    /// Offset from a scale position to the index within the symbol's range, modulo the total.
    biases: [u16; 2],
}

struct Distribution {
    base: u32,
    /// Right shift from a scale position to its bucket.
    shift: u32,
}

/// Decoding tables of a tier.
pub(crate) struct Model {
    /// The cells' bit patterns, by symbol.
    alphabet: Vec<u64>,
    distributions: Vec<Distribution>,
    buckets: Vec<Bucket>,
    /// By pair of values: the distribution of the next value.
    after: Vec<u16>,
}

/// The model as trained and as stored: alphabet and frequencies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct FrequencyTables {
    pub(crate) alphabet: Vec<u64>,
    /// Value after one value; the last entry is for the start of a block.
    pub(crate) after_one: Vec<Vec<SymbolFrequency>>,
    /// Length by value.
    pub(crate) lengths: Vec<Vec<SymbolFrequency>>,
    /// Value after two values: the earlier, the later, the frequencies.
    pub(crate) after_two: Vec<(u8, u8, Vec<SymbolFrequency>)>,
}

/// Most values of a tier that is coded as runs; a tier with more is compressed by zstd.
pub(crate) const MOST_VALUES: usize = 250;

impl Model {
    /// Builds the decoding tables; `None` if the frequencies break an invariant.
    pub(crate) fn new(parts: &FrequencyTables) -> Option<Model> {
        let values = parts.alphabet.len();
        let mut model = Model {
            alphabet: parts.alphabet.clone(),
            distributions: Vec::new(),
            buckets: Vec::new(),
            after: Vec::with_capacity((values + 1) * (values + 1)),
        };
        if values > MOST_VALUES || parts.after_one.len() != values + 1 || parts.lengths.len() != values {
            return None;
        }
        let is_value = |symbol: u8| usize::from(symbol) < values || symbol == ESCAPE;
        for shares in &parts.after_one {
            model.add(shares, is_value)?;
        }
        for shares in &parts.lengths {
            model.add(shares, |symbol| length::length(symbol).is_some())?;
        }
        for _ in 0..=values {
            model.after.extend(0..=values as u16);
        }
        for (earlier, later, shares) in &parts.after_two {
            let place = model.context(*earlier, *later);
            if usize::from(*earlier) > values || usize::from(*later) > values {
                return None;
            }
            // There are at most 251 × 251 contexts, so the index fits 16 bits.
            *model.after.get_mut(place)? = model.distributions.len() as u16;
            model.add(shares, is_value)?;
        }
        Some(model)
    }

    fn add(&mut self, shares: &[SymbolFrequency], fits: impl Fn(u8) -> bool) -> Option<()> {
        if shares.len() > 256
            || self.distributions.len() >= usize::from(u16::MAX)
            || shares.iter().map(|share| u64::from(share.freq)).sum::<u64>() != u64::from(TOTAL)
            || shares.iter().any(|share| share.freq == 0 || !fits(share.symbol))
        {
            return None;
        }
        let base = self.buckets.len() as u32;
        let shift = alias(shares, &mut self.buckets);
        self.distributions.push(Distribution { base, shift });
        Some(())
    }

    /// Number of different values of the tier.
    pub(crate) fn values(&self) -> usize {
        self.alphabet.len()
    }

    /// Returns the bit pattern of a symbol's cell.
    #[inline]
    pub(crate) fn cell(&self, symbol: u8) -> u64 {
        self.alphabet[usize::from(symbol)]
    }

    /// Context value for "no value yet", at the start of a block.
    #[inline]
    pub(crate) fn nothing(&self) -> u8 {
        self.alphabet.len() as u8
    }

    #[inline]
    fn context(&self, earlier: u8, later: u8) -> usize {
        usize::from(earlier) * (self.alphabet.len() + 1) + usize::from(later)
    }

    /// Returns the distribution of the value after two values.
    #[inline]
    pub(crate) fn value_after(&self, earlier: u8, later: u8) -> usize {
        usize::from(self.after[self.context(earlier, later)])
    }

    /// Returns the distribution of the length of a run.
    #[inline]
    pub(crate) fn length_of(&self, value: u8) -> usize {
        self.alphabet.len() + 1 + usize::from(value)
    }

    /// Decodes a symbol of a distribution.
    #[inline]
    pub(crate) fn symbol(&self, distribution: usize, decoder: &mut Decoder<'_>) -> u8 {
        let distribution = &self.distributions[distribution];
        let peek = decoder.peek();
        let bucket = &self.buckets[distribution.base as usize + (peek >> distribution.shift) as usize];
        let side = usize::from(peek >= u32::from(bucket.divider));
        let offset = (peek + u32::from(bucket.biases[side])) & (TOTAL - 1);
        decoder.skip(bucket.freqs[side].into(), offset);
        bucket.symbols[side]
    }

    /// Builds the inverse tables for the encoder.
    pub(crate) fn inverse(&self) -> AliasInverse {
        let mut inverse = AliasInverse {
            rows: Vec::with_capacity(self.distributions.len() + 1),
            steps: Vec::new(),
            numbers: (0..TOTAL as u16).collect(),
        };
        let ends = self.distributions.iter().skip(1).map(|d| d.base as usize).chain([self.buckets.len()]);
        for (distribution, end) in self.distributions.iter().zip(ends) {
            inverse.add(&self.buckets[distribution.base as usize..end], distribution.shift);
        }
        inverse.rows.push(inverse.steps.len() as u32);
        inverse
    }
}

/// Inverse of all alias tables, for the encoder: from symbol and offset to scale position.
pub(crate) struct AliasInverse {
    /// By distribution: the index of its first step; steps are by symbol, the escape first.
    rows: Vec<u32>,
    steps: Vec<EncodeStep>,
    /// The identity, for raw bits; then for each distribution the scale positions of its symbols, symbol after symbol.
    numbers: Vec<u16>,
}

impl AliasInverse {
    fn add(&mut self, buckets: &[Bucket], shift: u32) {
        let index = |symbol: u8| usize::from(symbol.wrapping_add(1));
        let row = self.steps.len();
        self.rows.push(row as u32);
        let symbols = buckets.iter().flat_map(|bucket| bucket.symbols);
        let most = symbols.map(index).max().unwrap_or(0);
        self.steps.resize(row + most + 1, EncodeStep { first: 0, freq: 0 });
        let steps = &mut self.steps[row..];
        for bucket in buckets {
            for side in 0..2 {
                steps[index(bucket.symbols[side])].freq = bucket.freqs[side].into();
            }
        }
        let mut first = self.numbers.len() as u32;
        for step in &mut *steps {
            step.first = first;
            first += step.freq;
        }
        self.numbers.resize(first as usize, 0);
        for number in 0..TOTAL {
            let bucket = &buckets[(number >> shift) as usize];
            let side = usize::from(number >= u32::from(bucket.divider));
            let offset = (number + u32::from(bucket.biases[side])) & (TOTAL - 1);
            self.numbers[(steps[index(bucket.symbols[side])].first + offset) as usize] = number as u16;
        }
    }

    /// Returns the encoder step of a symbol; `None` if the distribution does not contain it.
    #[inline(always)]
    pub(crate) fn step(&self, distribution: usize, symbol: u8) -> Option<EncodeStep> {
        let row = &self.steps[self.rows[distribution] as usize..self.rows[distribution + 1] as usize];
        row.get(usize::from(symbol.wrapping_add(1))).copied().filter(|step| step.freq > 0)
    }

    /// Returns the encoder step of raw bits, at most [`PRECISION`] of them.
    #[inline(always)]
    pub(crate) fn bits(value: u32, bits: u32) -> EncodeStep {
        let shift = PRECISION - bits;
        EncodeStep { first: value << shift, freq: 1 << shift }
    }

    /// The scale positions that [`EncodeStep::first`] indexes.
    pub(crate) fn all(&self) -> &[u16] {
        &self.numbers
    }
}

/// Appends the buckets of a distribution and returns the shift from a scale position to its bucket.
///
/// Alias method after Walker and Vose, in a fixed order that the file format prescribes. Bucket i belongs to the i-th
/// symbol as far as its frequency reaches. Buckets that are not full, in increasing order, are topped up from the first
/// symbol with more than a bucket left; a donor that falls below a bucket is itself topped up next.
fn alias(shares: &[SymbolFrequency], out: &mut Vec<Bucket>) -> u32 {
    let count = shares.len().next_power_of_two();
    let shift = PRECISION - count.ilog2();
    let width = 1u32 << shift;
    let base = out.len();
    let mut left: Vec<u32> = shares.iter().map(|share| share.freq).collect();
    left.resize(count, 0);
    // Part of each frequency that is already in a bucket.
    let mut placed = vec![0; count];
    let share = |i: usize| shares.get(i).copied().unwrap_or(shares[0]);
    out.resize(base + count, Bucket { divider: 0, symbols: [0; 2], freqs: [0; 2], biases: [0; 2] });
    let mut donor = 0;
    let mut fill = |i: usize, left: &mut Vec<u32>| -> Option<usize> {
        let start = i as u32 * width;
        let own = left[i].min(width);
        while own < width && left[donor] <= width {
            donor += 1;
        }
        let other = if own < width { donor } else { i };
        let bucket = &mut out[base + i];
        bucket.divider = (start + own) as u16;
        bucket.symbols = [share(i).symbol, share(other).symbol];
        bucket.freqs = [share(i).freq as u16, share(other).freq as u16];
        bucket.biases[0] = (placed[i] + TOTAL - start) as u16 % TOTAL as u16;
        placed[i] += own;
        left[i] -= own;
        bucket.biases[1] = (placed[other] + 2 * TOTAL - start - own) as u16 % TOTAL as u16;
        if own < width {
            placed[other] += width - own;
            left[other] -= width - own;
            // The donor has less than its own bucket left, and precedes the buckets still to be filled.
            return (left[other] < width).then_some(other);
        }
        None
    };
    let mut done = vec![false; count];
    for i in (0..count).filter(|&i| share_is_small(shares, i, width)) {
        let mut next = Some(i);
        while let Some(i) = next {
            done[i] = true;
            next = fill(i, &mut left);
        }
    }
    for i in (0..count).filter(|&i| !share_is_small(shares, i, width)) {
        if !done[i] {
            fill(i, &mut left);
        }
    }
    shift
}

fn share_is_small(shares: &[SymbolFrequency], i: usize, width: u32) -> bool {
    shares.get(i).is_none_or(|share| share.freq < width)
}

impl FrequencyTables {
    /// Appends the stored form.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_varint(out, self.alphabet.len() as u64);
        self.alphabet.iter().for_each(|&cell| write_varint(out, cell));
        for shares in self.after_one.iter().chain(&self.lengths) {
            put_shares(out, shares);
        }
        write_varint(out, self.after_two.len() as u64);
        for (earlier, later, shares) in &self.after_two {
            out.extend([*earlier, *later]);
            put_shares(out, shares);
        }
    }

    /// Parses the stored form; `None` if it is malformed.
    pub(crate) fn read(mut bytes: &[u8]) -> Option<FrequencyTables> {
        let bytes = &mut bytes;
        let values = read_varint(bytes)? as usize;
        if values > MOST_VALUES {
            return None;
        }
        let mut parts = FrequencyTables::default();
        for _ in 0..values {
            parts.alphabet.push(read_varint(bytes)?);
        }
        for _ in 0..=values {
            parts.after_one.push(take_shares(bytes)?);
        }
        for _ in 0..values {
            parts.lengths.push(take_shares(bytes)?);
        }
        for _ in 0..read_varint(bytes)? {
            let (&[earlier, later], rest) = bytes.split_first_chunk::<2>()?;
            *bytes = rest;
            parts.after_two.push((earlier, later, take_shares(bytes)?));
        }
        bytes.is_empty().then_some(parts)
    }
}

fn put_shares(out: &mut Vec<u8>, shares: &[SymbolFrequency]) {
    write_varint(out, shares.len() as u64);
    out.extend(shares.iter().map(|share| share.symbol));
    shares.iter().for_each(|share| write_varint(out, u64::from(share.freq)));
}

fn take_shares(bytes: &mut &[u8]) -> Option<Vec<SymbolFrequency>> {
    let count = read_varint(bytes)? as usize;
    if count > 256 || count > bytes.len() {
        return None;
    }
    let (symbols, rest) = bytes.split_at(count);
    *bytes = rest;
    symbols
        .iter()
        .map(|&symbol| Some(SymbolFrequency { symbol, freq: u32::try_from(read_varint(bytes)?).ok()? }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_round_trip_and_malformed_ones_are_refused() {
        let all = |symbol| vec![SymbolFrequency { symbol, freq: TOTAL }];
        let parts = FrequencyTables {
            alphabet: vec![7, 200],
            after_one: vec![
                all(1),
                all(0),
                vec![SymbolFrequency { symbol: 0, freq: 4000 }, SymbolFrequency { symbol: 1, freq: 96 }],
            ],
            lengths: vec![all(3), all(ESCAPE)],
            after_two: vec![(2, 1, all(0))],
        };
        let mut bytes = Vec::new();
        parts.write(&mut bytes);
        assert_eq!(FrequencyTables::read(&bytes), Some(parts.clone()));
        assert!(Model::new(&parts).is_some());
        for cut in 0..bytes.len() {
            assert_eq!(FrequencyTables::read(&bytes[..cut]), None);
        }
        let mut bad = parts.clone();
        bad.after_one[0][0].freq -= 1;
        assert!(Model::new(&bad).is_none());
        let mut bad = parts.clone();
        bad.after_one[0][0].symbol = 2;
        assert!(Model::new(&bad).is_none());
        let mut bad = parts.clone();
        bad.after_two[0].0 = 3;
        assert!(Model::new(&bad).is_none());
        let mut bad = parts;
        bad.lengths.pop();
        assert!(Model::new(&bad).is_none());
    }
}
