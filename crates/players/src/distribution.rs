//! Mixed strategy of a player at a position: the probability of each move.
//!
//! The strategy is stored as uniform choices that are mixed with a probability, not as rounded numbers, so that exact
//! arithmetic is possible: one of three moves has probability 1/3, and `noisy:p=0.1` mixes with 1/10.

use crate::{PlayError, Player};
use outplay_core::{AnyMove, AnyPosition};
use outplay_runtime::Monitor;

/// A probability distribution over the moves of a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Each of these moves is equally likely; there is at least one.
    Equal(Vec<AnyMove>),
    /// One distribution with a probability, else another.
    Mixed {
        /// The probability of `with`, between 0 and 1.
        p: f64,
        /// The distribution with probability `p`.
        with: Box<Distribution>,
        /// The distribution otherwise.
        without: Box<Distribution>,
    },
}

impl Distribution {
    /// One move with probability 1.
    pub fn certain(mv: AnyMove) -> Distribution {
        Distribution::Equal(vec![mv])
    }

    /// The probability of each move that can be chosen, rounded, in the order of the moves.
    pub fn chances(&self) -> Vec<(AnyMove, f64)> {
        let mut chances: Vec<(AnyMove, f64)> = Vec::new();
        self.each(1.0, &mut |moves, weight| {
            for &mv in moves {
                let share = weight / moves.len() as f64;
                match chances.binary_search_by_key(&mv.0, |(mv, _)| mv.0) {
                    Ok(at) => chances[at].1 += share,
                    Err(at) => chances.insert(at, (mv, share)),
                }
            }
        });
        chances
    }

    fn each(&self, weight: f64, visit: &mut dyn FnMut(&[AnyMove], f64)) {
        match self {
            Distribution::Equal(moves) => visit(moves, weight),
            Distribution::Mixed { p, with, without } => {
                with.each(weight * p, visit);
                without.each(weight * (1.0 - p), visit);
            }
        }
    }
}

/// The distribution of a player whose move is a function of the position.
///
/// # Errors
///
/// The player has no move, or was asked to stop.
pub(crate) fn determined(
    player: &mut dyn Player,
    pos: &AnyPosition,
    monitor: &dyn Monitor,
) -> Result<Option<Distribution>, PlayError> {
    let choice = player.choose(pos, monitor)?;
    // A search that was cut short is a function of the clock.
    if monitor.stopped() {
        return Err(PlayError::Stopped);
    }
    Ok(Some(Distribution::certain(choice.mv)))
}
