//! The values of one solved tier, with or without distances.

use super::TwoBits;
use super::ends::Ends;
use outplay_core::{Code, Value};

/// Representation of a tier's values.
#[derive(Debug)]
pub(super) enum Codes<C> {
    /// One code per number, distance included.
    Exact(Vec<C>),
    /// Two bits per number: 0 hole, 1 loss, 2 draw, 3 win.
    Wdl(TwoBits),
}

/// The values of a tier and, for its draws, which players can force an end.
#[derive(Debug)]
pub(super) struct SolvedTier<C> {
    pub(super) codes: Codes<C>,
    pub(super) ends: Ends,
}

impl<C> Default for SolvedTier<C> {
    fn default() -> Self {
        SolvedTier { codes: Codes::Exact(Vec::new()), ends: Ends::default() }
    }
}

impl<C> SolvedTier<C> {
    /// Whether it has no values, because it was released or is not solved yet.
    pub(super) fn is_empty(&self) -> bool {
        match &self.codes {
            Codes::Exact(codes) => codes.is_empty(),
            Codes::Wdl(bits) => bits.is_empty(),
        }
    }
}

impl<C: Code> SolvedTier<C> {
    /// The code of a number. The code of a draw may not distinguish a tie from a repetition.
    #[inline]
    pub(super) fn code(&self, number: u64) -> C {
        match &self.codes {
            Codes::Exact(codes) => codes[number as usize],
            Codes::Wdl(_) => self.value(number).and_then(C::pack).unwrap_or(C::UNKNOWN),
        }
    }

    /// The value of a number, with distance 0 where distances are not stored; `None` for a hole.
    #[inline]
    pub(super) fn value(&self, number: u64) -> Option<Value> {
        let value = match &self.codes {
            Codes::Exact(codes) => codes.get(number as usize)?.unpack()?,
            Codes::Wdl(bits) => match bits.at(number) {
                0 => return None,
                1 => Value::loss(0),
                2 => Value::TIE,
                _ => Value::win(0),
            },
        };
        // A code type may not distinguish the two kinds of draw; the sets of forced ends always do.
        Some(if value.payoff() == 0 && !self.ends.any(number) { Value::REPETITION } else { value })
    }
}
