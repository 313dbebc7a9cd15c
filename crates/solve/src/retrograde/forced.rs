//! Verification of ties and draws by repetition, from the rules and the stored values alone.
//!
//! A draw is a tie if a player can force the game to end, against every defence, with a payoff of 0 or more for that
//! player. The set of such draws is computed for each player as a least fixed point, from finished positions backwards;
//! all other draws are draws by repetition.

use super::bits::Bits;
use super::verify::{Flaw, Verification, value_of};
use crate::SolveError;
use crate::blocks::for_blocks;
use crate::error::check_stop;
use outplay_core::index_laws::may_stay;
use outplay_core::{Game, Index, Tier, Value};
use outplay_runtime::{Monitor, Pace};
use std::sync::atomic::{AtomicBool, Ordering};

/// Draws of which the player to move, and of which the opponent, can force an end: the fixed point so far.
struct ForcedEnds<'a, G, I, S> {
    game: &'a G,
    index: &'a I,
    stored: &'a S,
    mover: Vec<Bits>,
    opponent: Vec<Bits>,
}

impl<G: Game, I: Index<G>, S: Fn(Tier, u64) -> Option<Value>> ForcedEnds<'_, G, I, S> {
    /// Whether the player to move (`mine`) or the opponent is known to be able to force the end of a draw.
    fn known(&self, pos: &G::Position, mine: bool) -> bool {
        match self.index.find(pos) {
            Some((tier, number)) => {
                let sets = if mine { &self.mover } else { &self.opponent };
                sets[tier.0 as usize].has(number)
            }
            // The position has no number to store this under, but its successors have.
            None => self.follows(pos, mine),
        }
    }

    /// Whether the moves of a draw show that the player to move (`mine`) or the opponent can force its end.
    fn follows(&self, pos: &G::Position, mine: bool) -> bool {
        if self.game.outcome(pos).is_some() {
            return true;
        }
        let turn = self.game.turn(pos);
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut forced = moves.iter().map(|&mv| {
            let next = self.game.play(pos, mv);
            let same = self.game.turn(&next) == turn;
            let value = value_of(self.game, self.index, &next, self.stored);
            let pays = value.map_or(0, |value| value.before(same).payoff());
            // A losing move ends the game in the opponent's favour, and the mover will not choose it.
            if pays == 0 { self.known(&next, mine == same) } else { !mine }
        });
        if mine { forced.any(|forced| forced) } else { forced.all(|forced| forced) }
    }
}

/// Reports draws that are stored as ties and are not, and ties that are stored as draws by repetition.
///
/// # Errors
///
/// No memory, or cancellation.
pub(super) fn check_draws<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    stored: &(impl Fn(Tier, u64) -> Option<Value> + Sync),
    monitor: &dyn Monitor,
    verified: &mut Verification,
) -> Result<(), SolveError> {
    let sets = || -> Result<Vec<Bits>, SolveError> {
        (0..index.tiers()).map(|t| Bits::new(index.len(Tier(t)), monitor)).collect()
    };
    let forced = ForcedEnds { game, index, stored, mover: sets()?, opponent: sets()? };
    let is_draw = |tier, number| stored(tier, number).is_some_and(|value| value.payoff() == 0);
    for tier in (0..index.tiers()).rev().map(Tier) {
        let (mover, opponent) = (&forced.mover[tier.0 as usize], &forced.opponent[tier.0 as usize]);
        loop {
            let changed = AtomicBool::new(false);
            for_blocks(index.len(tier), monitor, |block| {
                index.walk(tier, block, &mut |number, pos| {
                    if !is_draw(tier, number) {
                        return;
                    }
                    for (set, mine) in [(mover, true), (opponent, false)] {
                        if !set.has(number) && forced.follows(pos, mine) {
                            set.insert(number);
                            changed.store(true, Ordering::Relaxed);
                        }
                    }
                });
            })?;
            if !changed.into_inner() || !may_stay(index, tier) {
                break;
            }
        }
        let stopped = Pace::pieces(monitor, 0..index.len(tier), &mut |piece| {
            index.walk(tier, piece, &mut |number, _| {
                let Some(value) = stored(tier, number).filter(|value| value.payoff() == 0) else { return };
                let tie = mover.has(number) || opponent.has(number);
                if value.is_repetition() == tie {
                    let expected = if tie { Value::TIE } else { Value::REPETITION };
                    verified.flaw(tier, number, Flaw::Wrong { stored: value, expected });
                }
            });
        });
        check_stop(stopped)?;
    }
    Ok(())
}
