//! The [`Judge`] trait: a static evaluation of positions, as players and searches use it.

use crate::Insight;
use outplay_core::{AnyPosition, Turn};

/// A static evaluation of unfinished positions, in hundredths of a payoff or any other unit.
pub trait Judge: Send + Sync {
    /// The canonical spec.
    fn spec(&self) -> String;

    /// Evaluates a position for `me`, whichever player is to move. The search clamps it to ±65535.
    fn score(&self, pos: &AnyPosition, me: Turn) -> i32;

    /// Breaks the score down into its terms, if the evaluation has terms.
    fn insight(&self, pos: &AnyPosition, me: Turn) -> Insight {
        Insight::of(self.score(pos, me))
    }

    /// The scale of the evaluation: a score that is a clear advantage, but not a win.
    fn unit(&self) -> i32 {
        100
    }

    /// Whether every position scores 0, so that callers can skip the evaluation.
    fn is_silent(&self) -> bool {
        false
    }
}

/// The evaluation `zero`, which scores every position 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOpinion;

impl Judge for NoOpinion {
    fn spec(&self) -> String {
        "zero".into()
    }

    fn score(&self, _pos: &AnyPosition, _me: Turn) -> i32 {
        0
    }

    fn is_silent(&self) -> bool {
        true
    }
}

/// Maps a score to hundredths of a payoff, from −99 to 99: only proven wins are ±100.
pub fn squeezed(score: i32, unit: i32) -> f64 {
    let score = f64::from(score);
    99.0 * score / (score.abs() + f64::from(unit))
}
