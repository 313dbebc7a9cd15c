//! Range asymmetric numeral systems: arithmetic coding with one multiplication per symbol.
//!
//! ```text
//! encoder   last symbol ──▶ first symbol     pushes 16-bit words
//! decoder   first symbol ──▶ last symbol     pulls them in the opposite order
//! ```
//!
//! Invariant: between symbols the state lies in 2¹⁶ … 2³² − 1, and the decoder ends in the state that the
//! encoder began with. That end state is a check of its own.

/// Frequencies are parts of 2¹².
pub(crate) const PRECISION: u32 = 12;
/// The sum of all frequencies of a distribution.
pub(crate) const TOTAL: u32 = 1 << PRECISION;

const START: u32 = 1 << 16;

/// Codes symbols backwards.
pub(crate) struct Encoder {
    state: u32,
    words: Vec<u16>,
}

impl Encoder {
    pub(crate) fn new() -> Encoder {
        Encoder { state: START, words: Vec::new() }
    }

    /// Makes room for a symbol with this frequency and returns what of the state decides within its share.
    #[inline]
    pub(crate) fn split(&mut self, freq: u32) -> (u32, u32) {
        if u64::from(self.state) >= u64::from(freq) << (32 - PRECISION) {
            self.words.push(self.state as u16);
            self.state >>= 16;
        }
        (self.state / freq, self.state % freq)
    }

    /// Pushes a symbol: `high` from [`Encoder::split`], and the number below the total that stands for the
    /// symbol and the remainder.
    #[inline]
    pub(crate) fn join(&mut self, high: u32, low: u32) {
        debug_assert!(low < TOTAL);
        self.state = (high << PRECISION) + low;
    }

    /// Pushes plain bits, at most [`PRECISION`] of them.
    #[inline]
    pub(crate) fn put_bits(&mut self, value: u32, bits: u32) {
        let shift = PRECISION - bits;
        let (high, low) = self.split(1 << shift);
        self.join(high, (value << shift) + low);
    }

    /// Appends the coded bytes and makes the encoder ready for the next block.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.state.to_le_bytes());
        out.extend(self.words.iter().rev().flat_map(|word| word.to_le_bytes()));
        self.words.clear();
        self.state = START;
    }
}

/// Decodes symbols in the order in which they are read.
///
/// Bytes that have run out read as zeros: [`Decoder::at_end`] tells in the end. That spares the inner loop a
/// branch that no one can foresee.
pub(crate) struct Decoder<'a> {
    state: u32,
    words: &'a [u8],
    read: usize,
}

impl<'a> Decoder<'a> {
    /// `None` if there are too few bytes for a state.
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Decoder<'a>> {
        let (state, words) = bytes.split_first_chunk::<4>()?;
        Some(Decoder { state: u32::from_le_bytes(*state), words, read: 0 })
    }

    /// Goes on where [`Decoder::pause`] left off.
    pub(crate) fn resume(bytes: &'a [u8], (state, read): (u32, usize)) -> Option<Decoder<'a>> {
        Some(Decoder { state, words: bytes.get(4..)?, read })
    }

    /// What it takes to go on later.
    pub(crate) fn pause(&self) -> (u32, usize) {
        (self.state, self.read)
    }

    /// A number below the total that lies in the next symbol's share.
    #[inline]
    pub(crate) fn peek(&self) -> u32 {
        self.state & (TOTAL - 1)
    }

    /// Goes past a symbol of a frequency, the peeked number being the `offset`th of its share.
    #[inline]
    pub(crate) fn skip(&mut self, freq: u32, offset: u32) {
        let state = freq.wrapping_mul(self.state >> PRECISION).wrapping_add(offset);
        let word = match self.words.get(self.read..self.read + 2) {
            Some(&[low, high]) => u16::from_le_bytes([low, high]),
            _ => 0,
        };
        let refill = state < START;
        self.read += 2 * usize::from(refill);
        self.state = if refill { state << 16 | u32::from(word) } else { state };
    }

    /// Reads plain bits.
    #[inline]
    pub(crate) fn bits(&mut self, bits: u32) -> u32 {
        let shift = PRECISION - bits;
        let peek = self.peek();
        self.skip(1 << shift, peek & ((1 << shift) - 1));
        peek >> shift
    }

    /// Whether everything was read, no more than that, and the state is the one that the encoder began with.
    pub(crate) fn at_end(&self) -> bool {
        self.read == self.words.len() && self.state == START
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn symbols_and_bits_come_back() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut encoder = Encoder::new();
        for _ in 0..2000 {
            // Shares with a few large and many small parts, the smallest being one in 4096.
            let mut cuts: Vec<u32> =
                (0..rng.random_range(0..20)).map(|_| rng.random_range(1..TOTAL)).collect();
            cuts.extend([0, 1, TOTAL]);
            cuts.sort_unstable();
            cuts.dedup();
            let symbols: Vec<usize> =
                (0..rng.random_range(0..200)).map(|_| rng.random_range(0..cuts.len() - 1)).collect();
            for &s in symbols.iter().rev() {
                encoder.put_bits(s as u32, 5);
                let (high, low) = encoder.split(cuts[s + 1] - cuts[s]);
                encoder.join(high, cuts[s] + low);
            }
            let mut bytes = Vec::new();
            encoder.finish(&mut bytes);
            let mut decoder = Decoder::new(&bytes).expect("has a state");
            for &s in &symbols {
                let peek = decoder.peek();
                assert!((cuts[s]..cuts[s + 1]).contains(&peek));
                decoder.skip(cuts[s + 1] - cuts[s], peek - cuts[s]);
                assert_eq!(decoder.bits(5), s as u32);
            }
            assert!(decoder.at_end());
        }
    }

    #[test]
    fn missing_bytes_are_noticed() {
        assert!(Decoder::new(&[1, 2, 3]).is_none());
        let mut encoder = Encoder::new();
        (0..40).for_each(|i| encoder.put_bits(i, 12));
        let mut bytes = Vec::new();
        encoder.finish(&mut bytes);
        bytes.truncate(bytes.len() - 2);
        let mut decoder = Decoder::new(&bytes).expect("has a state");
        (0..40).for_each(|_| _ = decoder.bits(12));
        assert!(!decoder.at_end());
    }
}
