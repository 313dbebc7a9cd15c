//! rANS entropy coder (range asymmetric numeral systems, Duda 2013), 32-bit state and 16-bit words.
//!
//! ```text
//! encoder   last symbol ──▶ first symbol     pushes 16-bit words
//! decoder   first symbol ──▶ last symbol     pulls them in the opposite order
//! ```
//!
//! The encoder runs four blocks in lockstep for instruction-level parallelism, as Giesen's interleaved rANS (2014)
//! does; unlike in Giesen's coder, every block has a stream of its own, so that blocks decode independently.
//!
//! Invariant: between symbols the state lies in 2¹⁶ … 2³² − 1, and the decoder ends in the state in which the
//! encoder began. The end state is an additional integrity check.

use std::ops::Range;

/// Frequencies are multiples of 2⁻¹².
pub(crate) const PRECISION: u32 = 12;
/// The sum of all frequencies of a distribution.
pub(crate) const TOTAL: u32 = 1 << PRECISION;

const START: u32 = 1 << 16;

/// Encoding of one symbol: the index of its first scale position in the inverse tables, and its frequency.
#[derive(Clone, Copy)]
pub(crate) struct EncodeStep {
    pub(crate) first: u32,
    pub(crate) freq: u32,
}

impl EncodeStep {
    /// Marks an absent symbol.
    pub(crate) const NONE: EncodeStep = EncodeStep { first: 0, freq: 0 };
}

/// Blocks encoded in lockstep: the steps of one block form a dependency chain, those of different blocks do not.
const LANES: usize = 4;

/// Encoder of blocks, symbols in reverse order.
#[derive(Default)]
pub(crate) struct Encoder {
    lanes: [BlockLane; LANES],
    /// The words of all encoded blocks, in push order.
    words: Vec<u16>,
    /// By block: the final state and the range of its words; `None` if it has no symbols.
    coded: Vec<Option<CodedBlock>>,
}

type CodedBlock = (u32, Range<usize>);

/// A block being encoded.
#[derive(Default)]
struct BlockLane {
    block: usize,
    state: u32,
    /// Steps in encoding order: the last symbol of the block first.
    steps: Vec<EncodeStep>,
    /// Number of steps done.
    done: usize,
    /// Buffer with room for one word per step, and the number of words pushed.
    words: Vec<u16>,
    pushed: usize,
}

impl Encoder {
    /// Encodes `blocks` blocks; `steps` appends the steps of a block, last symbol first.
    pub(crate) fn code(
        &mut self,
        numbers: &[u16],
        blocks: usize,
        mut steps: impl FnMut(usize, &mut Vec<EncodeStep>),
    ) {
        self.words.clear();
        self.coded.clear();
        self.coded.resize(blocks, None);
        self.lanes.iter_mut().for_each(BlockLane::end);
        let mut blocks = 0..blocks;
        loop {
            for lane in self.lanes.iter_mut().filter(|lane| lane.left() == 0) {
                lane.store_block(&mut self.words, &mut self.coded);
                lane.end();
                while lane.left() == 0
                    && let Some(block) = blocks.next()
                {
                    steps(block, &mut lane.steps);
                    lane.begin(block);
                }
            }
            let together = self.lanes.iter().map(BlockLane::left).min().unwrap_or(0);
            if together == 0 {
                break;
            }
            encode_lockstep(&mut self.lanes, together, numbers);
        }
        for lane in &mut self.lanes {
            let left = lane.left();
            encode_lockstep(std::array::from_mut(lane), left, numbers);
            lane.store_block(&mut self.words, &mut self.coded);
        }
    }

    /// Appends the bytes of a block, none if it has no symbols.
    pub(crate) fn append(&self, block: usize, out: &mut Vec<u8>) {
        if let Some((state, words)) = &self.coded[block] {
            out.extend_from_slice(&state.to_le_bytes());
            out.extend(self.words[words.clone()].iter().rev().flat_map(|word| word.to_le_bytes()));
        }
    }
}

impl BlockLane {
    fn begin(&mut self, block: usize) {
        self.block = block;
        self.state = START;
        self.words.resize(self.words.len().max(self.steps.len() + 1), 0);
    }

    /// Resets the lane.
    fn end(&mut self) {
        self.steps.clear();
        (self.done, self.pushed) = (0, 0);
    }

    fn left(&self) -> usize {
        self.steps.len() - self.done
    }

    /// Stores the words and the final state of a finished block.
    fn store_block(&mut self, words: &mut Vec<u16>, coded: &mut [Option<CodedBlock>]) {
        if self.done > 0 {
            let begin = words.len();
            words.extend_from_slice(&self.words[..self.pushed]);
            coded[self.block] = Some((self.state, begin..words.len()));
        }
    }
}

/// Encodes `steps` symbols in each lane: renormalises the state by pushing a word if necessary, then maps it to the
/// symbol's scale position. Whether a word is pushed is unpredictable, so it has no branch.
// Steps and lanes index several lists at once, so plain counters read best.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn encode_lockstep<const N: usize>(lanes: &mut [BlockLane; N], steps: usize, numbers: &[u16]) {
    let (mut states, mut pushed) = ([0; N], [0; N]);
    let (mut todo, mut words) = ([&[] as &[EncodeStep]; N], [const { Vec::new() }; N]);
    for (i, lane) in lanes.iter_mut().enumerate() {
        (states[i], pushed[i]) = (lane.state, lane.pushed);
        words[i] = std::mem::take(&mut lane.words);
    }
    for (i, lane) in lanes.iter().enumerate() {
        todo[i] = &lane.steps[lane.done..][..steps];
    }
    for step in 0..steps {
        for i in 0..N {
            let EncodeStep { first, freq } = todo[i][step];
            words[i][pushed[i]] = states[i] as u16;
            let full = u64::from(states[i]) >= u64::from(freq) << (32 - PRECISION);
            pushed[i] += usize::from(full);
            let state = if full { states[i] >> 16 } else { states[i] };
            let (high, low) = (state / freq, state % freq);
            states[i] = (high << PRECISION) + u32::from(numbers[(first + low) as usize]);
        }
    }
    for (i, lane) in lanes.iter_mut().enumerate() {
        (lane.state, lane.pushed) = (states[i], pushed[i]);
        lane.words = std::mem::take(&mut words[i]);
        lane.done += steps;
    }
}

/// Decoder, symbols in reading order.
///
/// Missing bytes read as zeros, which spares the inner loop an unpredictable branch; [`Decoder::at_end`] detects
/// them in the end.
pub(crate) struct Decoder<'a> {
    state: u32,
    words: &'a [u8],
    read: usize,
}

impl<'a> Decoder<'a> {
    /// Starts a block; `None` if there are too few bytes for a state.
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Decoder<'a>> {
        let (state, words) = bytes.split_first_chunk::<4>()?;
        Some(Decoder { state: u32::from_le_bytes(*state), words, read: 0 })
    }

    /// Resumes from the state that [`Decoder::pause`] returned.
    pub(crate) fn resume(bytes: &'a [u8], (state, read): (u32, usize)) -> Option<Decoder<'a>> {
        Some(Decoder { state, words: bytes.get(4..)?, read })
    }

    /// Returns the state to resume from.
    pub(crate) fn pause(&self) -> (u32, usize) {
        (self.state, self.read)
    }

    /// Returns the scale position of the next symbol.
    #[inline]
    pub(crate) fn peek(&self) -> u32 {
        self.state & (TOTAL - 1)
    }

    /// Consumes a symbol of this frequency; the peeked position is the `offset`-th of its range.
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

    /// Reads raw bits.
    #[inline]
    pub(crate) fn bits(&mut self, bits: u32) -> u32 {
        let shift = PRECISION - bits;
        let peek = self.peek();
        self.skip(1 << shift, peek & ((1 << shift) - 1));
        peek >> shift
    }

    /// Whether all bytes were read, none were missing, and the state is the encoder's initial one.
    pub(crate) fn at_end(&self) -> bool {
        self.read == self.words.len() && self.state == START
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// The identity mapping.
    fn plain() -> Vec<u16> {
        (0..TOTAL as u16).collect()
    }

    fn bits(value: u32, bits: u32) -> EncodeStep {
        EncodeStep { first: value << (PRECISION - bits), freq: 1 << (PRECISION - bits) }
    }

    #[test]
    fn symbols_and_raw_bits_round_trip() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut encoder = Encoder::default();
        for _ in 0..200 {
            // A few large and many small frequencies, the smallest being one in 4096.
            let mut cuts: Vec<u32> =
                (0..rng.random_range(0..20)).map(|_| rng.random_range(1..TOTAL)).collect();
            cuts.extend([0, 1, TOTAL]);
            cuts.sort_unstable();
            cuts.dedup();
            let mut symbols = || -> Vec<usize> {
                let count = [0, 1, 3, 40, 200][rng.random_range(0..5)];
                (0..rng.random_range(0..=count)).map(|_| rng.random_range(0..cuts.len() - 1)).collect()
            };
            let blocks: Vec<Vec<usize>> = (0..17).map(|_| symbols()).collect();
            encoder.code(&plain(), blocks.len(), |block, steps| {
                for &s in blocks[block].iter().rev() {
                    steps.push(bits(s as u32, 5));
                    steps.push(EncodeStep { first: cuts[s], freq: cuts[s + 1] - cuts[s] });
                }
            });
            for (block, symbols) in blocks.iter().enumerate() {
                let mut bytes = Vec::new();
                encoder.append(block, &mut bytes);
                if symbols.is_empty() {
                    assert!(bytes.is_empty());
                    continue;
                }
                let mut decoder = Decoder::new(&bytes).expect("has a state");
                for &s in symbols {
                    let peek = decoder.peek();
                    assert!((cuts[s]..cuts[s + 1]).contains(&peek));
                    decoder.skip(cuts[s + 1] - cuts[s], peek - cuts[s]);
                    assert_eq!(decoder.bits(5), s as u32);
                }
                assert!(decoder.at_end());
            }
        }
    }

    #[test]
    fn blocks_without_words_are_not_empty() {
        let mut encoder = Encoder::default();
        let certain = EncodeStep { first: 0, freq: TOTAL };
        encoder.code(&plain(), 2, |block, steps| steps.extend((0..2 * (1 - block)).map(|_| certain)));
        let (mut first, mut second) = (Vec::new(), Vec::new());
        encoder.append(0, &mut first);
        encoder.append(1, &mut second);
        assert_eq!((first, second), (START.to_le_bytes().to_vec(), Vec::new()));
    }

    #[test]
    fn missing_bytes_are_detected() {
        assert!(Decoder::new(&[1, 2, 3]).is_none());
        let mut encoder = Encoder::default();
        encoder.code(&plain(), 1, |_, steps| steps.extend((0..40).map(|i| bits(i, 12))));
        let mut bytes = Vec::new();
        encoder.append(0, &mut bytes);
        bytes.truncate(bytes.len() - 2);
        let mut decoder = Decoder::new(&bytes).expect("has a state");
        (0..40).for_each(|_| _ = decoder.bits(12));
        assert!(!decoder.at_end());
    }
}
