//! Values as plain integers while a search runs, and how much of them is proven.
//!
//! ```text
//!  -131071 … -65536     -65535 … 0 … 65535      65536 … 131070      131072 …
//!  loss, later better   evaluations, tie = 0    win, sooner better  win of 2, …
//! ```
//!
//! A score counts plies from the *root* of the search, so that it needs no change on its way up. A proven
//! result therefore always outranks an evaluation: a win beats every hope, a loss is worse than every fear.
//!
//! Invariant: whoever sets [`LOW`] has a proof that the true value is at least the score, and [`HIGH`] that
//! it is at most the score; a search that was cut off or stopped at its horizon sets what remains true.

use outplay_core::{Payoff, Value};

/// A value during the search.
pub(crate) type Score = i32;

/// The largest evaluation, in centi-units.
pub(crate) const MOST_EVALUATION: Score = 0xffff;
/// Beyond every score, and small enough that the width of a window fits.
pub(crate) const INFINITE: Score = 0x3fff_ffff;
/// The largest payoff that fits.
pub(crate) const MOST_PAYOFF: Payoff = 0x1fff;

/// The true value is at least the score.
pub(crate) const LOW: u8 = 1;
/// The true value is at most the score.
pub(crate) const HIGH: u8 = 2;

/// A score and what is proven about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) score: Score,
    pub(crate) proof: u8,
}

impl Found {
    /// The opinion of an evaluation.
    #[inline]
    pub(crate) fn opinion(score: Score) -> Found {
        Found { score, proof: 0 }
    }

    /// The same, seen by the opponent.
    #[inline]
    pub(crate) fn flipped(self) -> Found {
        Found { score: -self.score, proof: (self.proof << 1 | self.proof >> 1) & 3 }
    }

    /// The same, seen by the opponent unless `same`.
    #[inline]
    pub(crate) fn seen(self, same: bool) -> Found {
        if same { self } else { self.flipped() }
    }
}

/// How payoffs become scores: with or without distances, with or without a best one to stop at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// 1 if a sooner win is better, 0 if a win is a win.
    hurry: Score,
    /// The score of the best payoff at the root, or something out of reach if nobody stops at it.
    best: Score,
}

impl Scale {
    pub(crate) fn new(hurry: bool, best: Option<Payoff>) -> Scale {
        let best = best.map_or(INFINITE, |payoff| (payoff << 16) + 0xffff);
        Scale { hurry: hurry.into(), best }
    }

    /// The score of a game that ended `ply` plies from the root.
    #[inline]
    pub(crate) fn finished(self, payoff: Payoff, ply: u32) -> Found {
        let late = self.hurry * ply as Score;
        let score = match payoff {
            0 => 0,
            1.. => (payoff << 16) + 0xffff - late,
            _ => (payoff << 16) - 0xffff + late,
        };
        Found { score, proof: LOW | HIGH }
    }

    /// The best score that a position `ply` plies from the root can have if it is not finished.
    #[inline]
    pub(crate) fn most(self, ply: u32) -> Score {
        self.best - self.hurry * (ply as Score + 1)
    }

    /// A score found `ply` plies from the root as if the root were there, for tables.
    #[inline]
    pub(crate) fn at_root(self, score: Score, ply: u32) -> Score {
        let late = self.hurry * ply as Score;
        match score {
            s if s > MOST_EVALUATION => s + late,
            s if s < -MOST_EVALUATION => s - late,
            s => s,
        }
    }

    /// The inverse of [`Scale::at_root`].
    #[inline]
    pub(crate) fn at_ply(self, score: Score, ply: u32) -> Score {
        let late = self.hurry * ply as Score;
        match score {
            s if s > MOST_EVALUATION => s - late,
            s if s < -MOST_EVALUATION => s + late,
            s => s,
        }
    }

    /// The score of an exact value of a position `ply` plies from the root.
    pub(crate) fn known(self, value: Value, ply: u32) -> Found {
        self.finished(value.payoff(), ply + value.distance().unwrap_or(0))
    }
}

/// The payoff and distance that a score stands for; `None` for an evaluation.
pub(crate) fn value(score: Score) -> Option<Value> {
    let size = score.abs();
    if score == 0 {
        return Some(Value::TIE);
    }
    (size > MOST_EVALUATION)
        .then(|| Value::new(score.signum() * (size >> 16), (0xffff - (size & 0xffff)) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ordered_like_values() {
        let scale = Scale::new(true, Some(3));
        let values = [
            Value::new(-3, 0),
            Value::new(-3, 900),
            Value::loss(0),
            Value::loss(19_999),
            Value::TIE,
            Value::win(20_000),
            Value::win(1),
            Value::new(3, 5),
        ];
        for pair in values.windows(2) {
            assert!(scale.known(pair[0], 7).score < scale.known(pair[1], 7).score, "{pair:?}");
        }
        for v in values {
            assert_eq!(value(scale.known(v, 0).score), Some(v));
            let score = scale.known(v, 9).score;
            assert_eq!(value(scale.at_root(score, 9)), Some(v));
            assert_eq!(scale.at_ply(scale.at_root(score, 9), 9), score);
            assert!(score.abs() > MOST_EVALUATION || score == 0);
        }
        assert_eq!(scale.most(4), scale.finished(3, 5).score);
        assert_eq!(value(MOST_EVALUATION), None);
    }

    #[test]
    fn a_proof_of_at_least_is_one_of_at_most_for_the_opponent() {
        let found = Found { score: 5, proof: LOW };
        assert_eq!(found.flipped(), Found { score: -5, proof: HIGH });
        assert_eq!(found.flipped().flipped(), found);
        assert_eq!(Found { score: 1, proof: LOW | HIGH }.flipped().proof, LOW | HIGH);
        assert_eq!(found.seen(true), found);
    }
}
