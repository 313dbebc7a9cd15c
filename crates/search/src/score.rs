//! Integer scores during a search, with proof flags.
//!
//! ```text
//!  -131071 … -65536     -65535 … 0 … 65535      65536 … 131070      131072 …
//!  loss, later better   evaluations, tie = 0    win, sooner better  win with payoff 2, …
//! ```
//!
//! A score counts plies from the *root* of the search, so it needs no adjustment on its way up; the transposition table
//! converts it, as chess engines do with mate scores. A proven win exceeds every evaluation, and a proven loss is below
//! every evaluation.
//!
//! Invariant: [`LOW`] is set only with a proof that the true value is at least the score, and [`HIGH`] only
//! with a proof that it is at most the score. A cutoff or the horizon clears only the flag it invalidates.

use outplay_core::{Payoff, Value};

/// Integer score.
pub(crate) type Score = i32;

/// Largest evaluation, in hundredths of a payoff.
pub(crate) const MOST_EVALUATION: Score = 0xffff;
/// Larger than every score, and small enough that the width of a window does not overflow.
pub(crate) const INFINITE: Score = 0x3fff_ffff;
/// Largest payoff that a score can represent.
pub(crate) const MOST_PAYOFF: Payoff = 0x1fff;

/// The true value is at least the score.
pub(crate) const LOW: u8 = 1;
/// The true value is at most the score.
pub(crate) const HIGH: u8 = 2;

/// A score with its proof flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SearchScore {
    pub(crate) score: Score,
    pub(crate) proof: u8,
}

impl SearchScore {
    /// An evaluation without proof.
    #[inline]
    pub(crate) fn opinion(score: Score) -> SearchScore {
        SearchScore { score, proof: 0 }
    }

    /// Negates the score and swaps the proof flags: the opponent's view.
    #[inline]
    pub(crate) fn flipped(self) -> SearchScore {
        SearchScore { score: -self.score, proof: (self.proof << 1 | self.proof >> 1) & 3 }
    }

    /// Returns the opponent's view unless `same`.
    #[inline]
    pub(crate) fn seen(self, same: bool) -> SearchScore {
        if same { self } else { self.flipped() }
    }
}

/// Conversion of payoffs to scores, with or without distances, with or without mate-distance pruning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// 1 if sooner wins are better, 0 if distances are ignored.
    hurry: Score,
    /// The score of the best payoff at the root, or [`INFINITE`] without mate-distance pruning.
    best: Score,
}

impl Scale {
    pub(crate) fn new(hurry: bool, best: Option<Payoff>) -> Scale {
        let best = best.map_or(INFINITE, |payoff| (payoff << 16) + 0xffff);
        Scale { hurry: hurry.into(), best }
    }

    /// Returns the score of a game that ended `ply` plies from the root.
    #[inline]
    pub(crate) fn finished(self, payoff: Payoff, ply: u32) -> SearchScore {
        let late = self.hurry * ply as Score;
        let score = match payoff {
            0 => 0,
            1.. => (payoff << 16) + 0xffff - late,
            _ => (payoff << 16) - 0xffff + late,
        };
        SearchScore { score, proof: LOW | HIGH }
    }

    /// Returns the best possible score of an unfinished position `ply` plies from the root.
    #[inline]
    pub(crate) fn most(self, ply: u32) -> Score {
        self.best - self.hurry * (ply as Score + 1)
    }

    /// Converts a score found `ply` plies from the root for storage in the table: distances count from the
    /// position.
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

    /// Returns the score of a position `ply` plies from the root whose exact value is known.
    pub(crate) fn known(self, value: Value, ply: u32) -> SearchScore {
        self.finished(value.payoff(), ply + value.distance().unwrap_or(0))
    }
}

/// Converts a score into payoff and distance; `None` for an evaluation.
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
    fn negation_swaps_the_proof_flags() {
        let found = SearchScore { score: 5, proof: LOW };
        assert_eq!(found.flipped(), SearchScore { score: -5, proof: HIGH });
        assert_eq!(found.flipped().flipped(), found);
        assert_eq!(SearchScore { score: 1, proof: LOW | HIGH }.flipped().proof, LOW | HIGH);
        assert_eq!(found.seen(true), found);
    }
}
