//! Atomic bit set over the ranks of a tier, for concurrent insertion.

use crate::SolveError;
use crate::blocks::list;
use outplay_runtime::{Monitor, Pace};
use std::sync::atomic::{AtomicU64, Ordering};

/// One bit per number. Threads only set bits; readers start after the threads have joined, which orders the two.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    words: Vec<AtomicU64>,
}

impl Bits {
    /// # Errors
    ///
    /// No memory, or cancellation.
    pub(crate) fn new(len: u64, monitor: &dyn Monitor) -> Result<Bits, SolveError> {
        Ok(Bits { words: list(len.div_ceil(64), monitor, |_| AtomicU64::new(0))? })
    }

    /// Whether a number is in the set; an empty set may have no words.
    #[inline]
    pub(crate) fn has(&self, number: u64) -> bool {
        let word = self.words.get((number / 64) as usize);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (number % 64) & 1 == 1)
    }

    /// Inserts a number; returns whether it was new.
    #[inline]
    pub(crate) fn insert(&self, number: u64) -> bool {
        let bit = 1 << (number % 64);
        self.words[(number / 64) as usize].fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// Inserts `first + b` for every bit `b` of a word. The sum wraps, so that `first` may be below zero.
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

/// Array with two bits per rank: win, draw, loss or hole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TwoBits {
    words: Vec<u64>,
    len: u64,
}

impl TwoBits {
    /// Packs one value below four per number.
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

    /// The same for the numbers below `len`, in pieces so that cancellation stays prompt.
    ///
    /// # Errors
    ///
    /// Cancellation.
    pub(crate) fn packed(
        len: u64,
        monitor: &dyn Monitor,
        value: impl Fn(u64) -> u8,
    ) -> Result<TwoBits, SolveError> {
        let mut packed = TwoBits::default();
        let stopped = Pace::pieces(monitor, 0..len.div_ceil(32), &mut |piece| {
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

    /// Number of values.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no values.
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
    use outplay_runtime::NoMonitor;

    #[test]
    fn words_go_in_bit_by_bit() {
        for first in [0u64, 5, 63, 64, 100, 0u64.wrapping_sub(8)] {
            let bits = || Bits::new(300, &NoMonitor).unwrap();
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
            assert_eq!(TwoBits::packed(len, &NoMonitor, |n| (n * 7 % 4) as u8), Ok(packed.clone()));
            assert_eq!(packed.words().len() as u64, len.div_ceil(32));
            assert!((0..len).all(|n| packed.at(n) == (n * 7 % 4) as u8));
        }
    }
}
