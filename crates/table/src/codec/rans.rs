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

/// Putting one symbol: where the numbers that stand for it begin among all numbers, and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub(crate) first: u32,
    pub(crate) freq: u32,
}

/// Blocks that are coded side by side: each step waits for the one before it, those of other blocks do not.
const LANES: usize = 4;

/// Codes the symbols of blocks backwards.
#[derive(Default)]
pub(crate) struct Encoder {
    /// What is put last comes first, block after block, and where each block ends.
    steps: Vec<Step>,
    ends: Vec<usize>,
    /// The words of each block from the place on where its steps begin: a step pushes one at most.
    words: Vec<u16>,
    /// By block: the last state and how many words there are.
    coded: Vec<(u32, usize)>,
}

/// A block that is being coded.
#[derive(Clone, Copy)]
struct Lane {
    block: usize,
    state: u32,
    /// The next step, and where the next word goes.
    step: usize,
    word: usize,
    end: usize,
}

impl Encoder {
    /// Begins anew, with no blocks.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.ends.clear();
    }

    /// Puts a symbol of the block: what is read last is put first.
    #[inline(always)]
    pub(crate) fn put(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Ends a block.
    pub(crate) fn end_block(&mut self) {
        self.ends.push(self.steps.len());
    }

    /// Codes all blocks.
    pub(crate) fn code(&mut self, numbers: &[u16]) {
        self.words.resize(self.steps.len(), 0);
        self.coded.clear();
        self.coded.resize(self.ends.len(), (START, 0));
        let mut begin = 0;
        let mut blocks = self.ends.iter().enumerate().map(|(block, &end)| {
            let lane = Lane { block, state: START, step: begin, word: begin, end };
            begin = end;
            lane
        });
        let none = Lane { block: usize::MAX, state: START, step: 0, word: 0, end: 0 };
        let mut lanes = [none; LANES];
        loop {
            for lane in lanes.iter_mut().filter(|lane| lane.step == lane.end) {
                while lane.step == lane.end {
                    match blocks.next() {
                        Some(next) => *lane = next,
                        None => break,
                    }
                }
            }
            let steps = lanes.iter().map(|lane| lane.end - lane.step).min().unwrap_or(0);
            if steps == 0 {
                break;
            }
            for _ in 0..steps {
                for lane in &mut lanes {
                    lane.go(&self.steps, &mut self.words, numbers);
                }
            }
            for lane in &lanes {
                self.coded[lane.block] = (lane.state, lane.word);
            }
        }
        for mut lane in lanes {
            while lane.step < lane.end {
                lane.go(&self.steps, &mut self.words, numbers);
            }
            if let Some(coded) = self.coded.get_mut(lane.block) {
                *coded = (lane.state, lane.word);
            }
        }
    }

    /// Appends the bytes of a block, none if it has no symbols.
    pub(crate) fn append(&self, block: usize, out: &mut Vec<u8>) {
        let begin = block.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (state, end) = self.coded[block];
        if begin < self.ends[block] {
            out.extend_from_slice(&state.to_le_bytes());
            out.extend(self.words[begin..end].iter().rev().flat_map(|word| word.to_le_bytes()));
        }
    }
}

impl Lane {
    /// One step: makes room for the symbol by pushing a word if need be, and puts the number that stands for it and for
    /// what of the state decides within its share. Nobody can foresee whether a word is pushed, so there is no branch.
    #[inline(always)]
    fn go(&mut self, steps: &[Step], words: &mut [u16], numbers: &[u16]) {
        let Step { first, freq } = steps[self.step];
        words[self.word] = self.state as u16;
        let full = u64::from(self.state) >= u64::from(freq) << (32 - PRECISION);
        self.word += usize::from(full);
        let state = if full { self.state >> 16 } else { self.state };
        let (high, low) = (state / freq, state % freq);
        self.state = (high << PRECISION) + u32::from(numbers[(first + low) as usize]);
        self.step += 1;
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

    /// Numbers that stand for themselves.
    fn plain() -> Vec<u16> {
        (0..TOTAL as u16).collect()
    }

    fn bits(value: u32, bits: u32) -> Step {
        Step { first: value << (PRECISION - bits), freq: 1 << (PRECISION - bits) }
    }

    #[test]
    fn symbols_and_bits_come_back() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut encoder = Encoder::default();
        for _ in 0..200 {
            // Shares with a few large and many small parts, the smallest being one in 4096.
            let mut cuts: Vec<u32> =
                (0..rng.random_range(0..20)).map(|_| rng.random_range(1..TOTAL)).collect();
            cuts.extend([0, 1, TOTAL]);
            cuts.sort_unstable();
            cuts.dedup();
            encoder.clear();
            let mut symbols = || -> Vec<usize> {
                let count = [0, 1, 3, 40, 200][rng.random_range(0..5)];
                (0..rng.random_range(0..=count)).map(|_| rng.random_range(0..cuts.len() - 1)).collect()
            };
            let blocks: Vec<Vec<usize>> = (0..17).map(|_| symbols()).collect();
            for symbols in &blocks {
                for &s in symbols.iter().rev() {
                    encoder.put(bits(s as u32, 5));
                    encoder.put(Step { first: cuts[s], freq: cuts[s + 1] - cuts[s] });
                }
                encoder.end_block();
            }
            encoder.code(&plain());
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
    fn missing_bytes_are_noticed() {
        assert!(Decoder::new(&[1, 2, 3]).is_none());
        let mut encoder = Encoder::default();
        (0..40).for_each(|i| encoder.put(bits(i, 12)));
        encoder.end_block();
        encoder.code(&plain());
        let mut bytes = Vec::new();
        encoder.append(0, &mut bytes);
        bytes.truncate(bytes.len() - 2);
        let mut decoder = Decoder::new(&bytes).expect("has a state");
        (0..40).for_each(|_| _ = decoder.bits(12));
        assert!(!decoder.at_end());
    }
}
