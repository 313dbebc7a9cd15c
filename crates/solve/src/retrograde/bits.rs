//! A set of numbers, one bit each, that several threads may fill.

use std::sync::atomic::{AtomicU64, Ordering};

/// A bit per number. Threads set bits; whoever reads does so after they have joined, which orders the two.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    words: Vec<AtomicU64>,
}

impl Bits {
    pub(crate) fn new(len: u64) -> Bits {
        Bits { words: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Whether a number is in the set; an empty set may be kept without any words.
    #[inline]
    pub(crate) fn has(&self, number: u64) -> bool {
        let word = self.words.get((number / 64) as usize);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (number % 64) & 1 == 1)
    }

    /// Puts a number in and says whether it was new.
    #[inline]
    pub(crate) fn insert(&self, number: u64) -> bool {
        let bit = 1 << (number % 64);
        self.words[(number / 64) as usize].fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}

/// Win, draw, loss or hole in two bits per number, 32 to a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TwoBits {
    words: Vec<u64>,
    len: u64,
}

impl TwoBits {
    /// Packs one value below four for each number.
    pub fn pack(values: impl Iterator<Item = u8>) -> TwoBits {
        let mut packed = TwoBits::default();
        for value in values {
            if packed.len % 32 == 0 {
                packed.words.push(0);
            }
            if let Some(word) = packed.words.last_mut() {
                *word |= u64::from(value & 3) << (packed.len % 32 * 2);
            }
            packed.len += 1;
        }
        packed
    }

    /// The value of a number below `len`.
    #[inline]
    pub fn at(&self, number: u64) -> u8 {
        (self.words[(number / 32) as usize] >> (number % 32 * 2) & 3) as u8
    }

    /// How many numbers there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words, 32 numbers in each, the first in the lowest bits.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bits_keep_their_values() {
        for len in [0u64, 1, 31, 32, 33, 100] {
            let packed = TwoBits::pack((0..len).map(|n| (n * 7 % 4) as u8));
            assert_eq!(packed.len(), len);
            assert_eq!(packed.words().len() as u64, len.div_ceil(32));
            assert!((0..len).all(|n| packed.at(n) == (n * 7 % 4) as u8));
        }
    }
}
