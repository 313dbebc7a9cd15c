//! Alphabet of run lengths: exact, round, ranges with raw bits, escape.
//!
//! ```text
//! symbol       run length
//! 0            the rest of the block
//! 1 … 32       1 … 32 slots
//! 33 … 104     round lengths: in each of the nine octaves 2ᵉ < length ≤ 2ᵉ⁺¹, e = 5 … 13, the multiples of 2ᵉ⁻³
//! 105 … 176    the ranges between those, eight in each octave, with e − 3 raw bits
//! 255          escape: the length as two bytes of raw bits
//! ```
//!
//! Most run ends can be chosen freely within don't-cares, so a round length without raw bits usually fits.

/// Slots in the largest block.
pub(crate) const LONGEST: u32 = 1 << 14;
/// The run extends to the end of the block.
pub(crate) const REST: u8 = 0;
/// Announces a length or value without a symbol of its own.
pub(crate) const ESCAPE: u8 = 255;

const EXACT: u32 = 32;
const OCTAVES: u32 = LONGEST.ilog2() - EXACT.ilog2();
const ROUND: u32 = EXACT + 1;
/// The first symbol with raw bits.
pub(crate) const RANGES: u32 = ROUND + 8 * OCTAVES;
/// One more than the last symbol, the escape excluded.
pub(crate) const SYMBOLS: u32 = RANGES + 8 * OCTAVES;

/// Returns the symbol that denotes exactly this length, if there is one.
#[inline]
pub(crate) fn exact(length: u32) -> Option<u8> {
    debug_assert!((1..=LONGEST).contains(&length));
    if length <= EXACT {
        return Some(length as u8);
    }
    let e = (length - 1).ilog2();
    let step = e - 3;
    (length & ((1 << step) - 1) == 0)
        .then(|| (ROUND + 8 * (e - EXACT.ilog2()) + ((length >> step) - 9)) as u8)
}

/// Returns the range that holds a length above 32, the raw bits that select the length, and their number.
#[inline]
pub(crate) fn range(length: u32) -> (u8, u32, u32) {
    debug_assert!((EXACT + 1..=LONGEST).contains(&length));
    let e = (length - 1).ilog2();
    let step = e - 3;
    let part = ((length - 1) >> step) - 8;
    ((RANGES + 8 * (e - EXACT.ilog2()) + part) as u8, (length - 1) & ((1 << step) - 1), step)
}

/// Marks [`REST`] in [`LENGTHS`].
pub(crate) const TO_THE_END: u32 = u32::MAX;
/// Marks [`ESCAPE`] in [`LENGTHS`].
pub(crate) const ESCAPE_BITS: u32 = 16;

/// By symbol: the smallest length and the number of raw bits to add.
pub(crate) static LENGTHS: [(u32, u32); 256] = {
    let mut lengths = [(0, ESCAPE_BITS); 256];
    let mut symbol = 0;
    while symbol < 255 {
        lengths[symbol] = match length(symbol as u8) {
            Some(Length::Rest) => (TO_THE_END, 0),
            Some(Length::Exact(length)) => (length, 0),
            Some(Length::Range(least, bits)) => (least, bits),
            Some(Length::Escape) | None => (0, ESCAPE_BITS),
        };
        symbol += 1;
    }
    lengths
};

/// Meaning of a length symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    Rest,
    Exact(u32),
    /// The smallest length of the range and the number of raw bits.
    Range(u32, u32),
    Escape,
}

/// Returns the meaning of a symbol; `None` if it is not in the alphabet.
pub(crate) const fn length(symbol: u8) -> Option<Length> {
    let s = symbol as u32;
    Some(if symbol == REST {
        Length::Rest
    } else if s <= EXACT {
        Length::Exact(s)
    } else if s < RANGES {
        let (octave, part) = ((s - ROUND) / 8, (s - ROUND) % 8);
        Length::Exact((part + 9) << (octave + EXACT.ilog2() - 3))
    } else if s < SYMBOLS {
        let (octave, part) = ((s - RANGES) / 8, (s - RANGES) % 8);
        let step = octave + EXACT.ilog2() - 3;
        Length::Range(((part + 8) << step) + 1, step)
    } else if symbol == ESCAPE {
        Length::Escape
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_its_symbols() {
        for l in 1..=LONGEST {
            if let Some(symbol) = exact(l) {
                assert_eq!(length(symbol), Some(Length::Exact(l)));
            }
            if l > EXACT {
                let (symbol, rest, bits) = range(l);
                assert!(rest < 1 << bits);
                assert_eq!(length(symbol), Some(Length::Range(l - rest, bits)), "{l}");
            } else {
                assert!(exact(l).is_some());
            }
        }
        const { assert!(SYMBOLS < 255) };
        assert_eq!(length(SYMBOLS as u8), None);
        assert_eq!(length(ESCAPE), Some(Length::Escape));
        assert_eq!(length(REST), Some(Length::Rest));
    }

    #[test]
    fn every_symbol_is_used() {
        let used: std::collections::HashSet<u8> =
            (1..=LONGEST).flat_map(|l| [exact(l), (l > EXACT).then(|| range(l).0)]).flatten().collect();
        assert_eq!(used.len() as u32, SYMBOLS - 1);
    }
}
