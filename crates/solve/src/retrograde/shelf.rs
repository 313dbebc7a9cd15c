//! The values of one solved tier.

use super::TwoBits;
use super::ends::Ends;
use outplay_core::{Code, Value};

/// How values are kept.
#[derive(Debug)]
pub(super) enum Codes<C> {
    /// A code per number, distance included.
    Exact(Vec<C>),
    /// 0 hole, 1 loss, 2 draw, 3 win.
    Wdl(TwoBits),
}

/// The values of a tier and, for its draws, who can bring the game to an end.
#[derive(Debug)]
pub(super) struct Shelf<C> {
    pub(super) codes: Codes<C>,
    pub(super) ends: Ends,
}

impl<C> Default for Shelf<C> {
    fn default() -> Self {
        Shelf { codes: Codes::Exact(Vec::new()), ends: Ends::default() }
    }
}

impl<C: Code> Shelf<C> {
    /// The code of a number; that of a draw may not say which.
    #[inline]
    pub(super) fn code(&self, number: u64) -> C {
        match &self.codes {
            Codes::Exact(codes) => codes[number as usize],
            Codes::Wdl(_) => self.value(number).and_then(C::pack).unwrap_or(C::UNKNOWN),
        }
    }

    /// The value of a number, with distance 0 where distances are not kept; `None` for a hole.
    #[inline]
    pub(super) fn value(&self, number: u64) -> Option<Value> {
        let value = match &self.codes {
            Codes::Exact(codes) => codes[number as usize].unpack()?,
            Codes::Wdl(bits) => match bits.at(number) {
                0 => return None,
                1 => Value::loss(0),
                2 => Value::TIE,
                _ => Value::win(0),
            },
        };
        // A code may not be able to tell the two draws apart; the sets of ends always can.
        Some(if value.payoff() == 0 && !self.ends.any(number) { Value::REPETITION } else { value })
    }
}
