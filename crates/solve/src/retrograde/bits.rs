//! A set of numbers, one bit each, that several threads may fill.

use crate::SolveError;
use crate::blocks::list;
use outplay_core::{Pace, Watch};
use std::sync::atomic::{AtomicU64, Ordering};

/// A bit per number. Threads set bits; whoever reads does so after they have joined, which orders the two.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    words: Vec<AtomicU64>,
}

impl Bits {
    /// # Errors
    ///
    /// No memory, or a stop.
    pub(crate) fn new(len: u64, watch: &dyn Watch) -> Result<Bits, SolveError> {
        Ok(Bits { words: list(len.div_ceil(64), watch, |_| AtomicU64::new(0))? })
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

    /// Puts `first + b` in for every bit `b` of a word. The sum wraps, so that `first` may lie below zero.
    pub(crate) fn insert_all(&self, first: u64, word: u64) {
        if word == 0 {
            return;
        }
        let lowest = word.trailing_zeros();
        let (start, word) = (first.wrapping_add(lowest.into()), word >> lowest);
        let (place, shift) = ((start / 64) as usize, start % 64);
        self.words[place].fetch_or(word << shift, Ordering::Relaxed);
        if shift > 0 && word >> (64 - shift) != 0 {
            self.words[place + 1].fetch_or(word >> (64 - shift), Ordering::Relaxed);
        }
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

    /// The same for the numbers below `len`, without standing still for long.
    ///
    /// # Errors
    ///
    /// A stop.
    pub(crate) fn packed(
        len: u64,
        watch: &dyn Watch,
        value: impl Fn(u64) -> u8,
    ) -> Result<TwoBits, SolveError> {
        let mut packed = TwoBits::default();
        let stopped = Pace::pieces(watch, 0..len.div_ceil(32), &mut |piece| {
            packed.words.extend(piece.map(|word| {
                let numbers = (0..32).filter(|slot| word * 32 + slot < len);
                numbers.fold(0, |bits, slot| bits | u64::from(value(word * 32 + slot) & 3) << (2 * slot))
            }));
        });
        packed.len = len;
        if stopped { Err(SolveError::Stopped) } else { Ok(packed) }
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
    use outplay_core::Quiet;

    #[test]
    fn words_go_in_bit_by_bit() {
        for first in [0u64, 5, 63, 64, 100, 0u64.wrapping_sub(8)] {
            let bits = || Bits::new(300, &Quiet).unwrap();
            let (one, other) = (bits(), bits());
            let word = 0x8123_4567_89ab_cd00u64;
            one.insert_all(first, word);
            (0..64).filter(|bit| word >> bit & 1 == 1).for_each(|bit| {
                other.insert(first.wrapping_add(bit));
            });
            assert!((0..300).all(|number| one.has(number) == other.has(number)), "{first}");
        }
    }

    #[test]
    fn two_bits_keep_their_values() {
        for len in [0u64, 1, 31, 32, 33, 100] {
            let packed = TwoBits::pack((0..len).map(|n| (n * 7 % 4) as u8));
            assert_eq!(packed.len(), len);
            assert_eq!(TwoBits::packed(len, &Quiet, |n| (n * 7 % 4) as u8), Ok(packed.clone()));
            assert_eq!(packed.words().len() as u64, len.div_ceil(32));
            assert!((0..len).all(|n| packed.at(n) == (n * 7 % 4) as u8));
        }
    }
}
