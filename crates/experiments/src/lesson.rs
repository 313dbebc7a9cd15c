//! Test positions in which at least one move loses value, with the exact value of every move.

use crate::Bench;
use crate::duel::opening;
use outplay_core::{AnyMove, AnyPosition, Notation};
use outplay_players::PlayerContext;
use outplay_runtime::Deadline;
use outplay_workbench::Trouble;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashSet;

/// A position with at least one wrong move.
pub(crate) struct Lesson {
    pub(crate) pos: AnyPosition,
    /// Every move with its payoff for the player who makes it.
    pub(crate) moves: Vec<(AnyMove, f64)>,
    /// The highest of these payoffs.
    pub(crate) best: f64,
}

impl Lesson {
    /// Whether a move keeps the value.
    pub(crate) fn keeps(&self, mv: AnyMove) -> bool {
        self.moves.iter().any(|(other, payoff)| *other == mv && *payoff == self.best)
    }
}

/// Distinct test positions of a board after random plies, up to the requested number.
pub(crate) fn lessons(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    seed: u64,
    wanted: u32,
    plies: std::ops::Range<u32>,
) -> Result<Vec<Lesson>, Trouble> {
    let truth = kit.truth.clone().ok_or_else(|| Trouble::unable("exact values are needed"))?;
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut found, mut met) = (Vec::new(), HashSet::new());
    let quiet = Deadline::new(None, bench.watch).silent();
    for _ in 0..100 * u64::from(wanted) {
        bench.check_cancelled()?;
        if found.len() >= wanted as usize {
            break;
        }
        let Some(pos) = opening(&kit.game, rng.random_range(plies.clone()), rng.random()) else { continue };
        // Short random games often transpose.
        if !met.insert(kit.game.write_position(&pos)) {
            continue;
        }
        let Some(moves) = truth.payoffs(&pos, &quiet)? else { continue };
        let best = moves.iter().map(|(_, payoff)| *payoff).fold(f64::MIN, f64::max);
        if moves.iter().any(|(_, payoff)| *payoff != best) {
            found.push(Lesson { pos, moves, best });
        }
    }
    Ok(found)
}
