//! Opinions about positions.

use crate::Insight;
use outplay_core::{AnyPosition, Turn};

/// An opinion about unfinished positions, in hundredths of a payoff or any other unit.
pub trait Judge: Send + Sync {
    /// The canonical spec.
    fn spec(&self) -> String;

    /// How good a position looks to `me`, whoever moves there. Cut to ±65535 by the search.
    fn score(&self, pos: &AnyPosition, me: Turn) -> i32;

    /// The same score taken apart, where the opinion has parts.
    fn insight(&self, pos: &AnyPosition, me: Turn) -> Insight {
        Insight::of(self.score(pos, me))
    }

    /// A score that is a clear advantage, though no win: the scale of an opinion.
    fn unit(&self) -> i32 {
        100
    }

    /// Whether every position looks the same, so that nobody need be asked.
    fn is_silent(&self) -> bool {
        false
    }
}

/// No opinion.
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

/// An opinion on the scale of payoffs, from −99 to 99: what is not proven is never quite a win.
pub fn squeezed(score: i32, unit: i32) -> f64 {
    let score = f64::from(score);
    99.0 * score / (score.abs() + f64::from(unit))
}
