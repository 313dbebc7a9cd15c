//! Which draws are ties, from the rules and the stored values alone: part of a check, not of solving.
//!
//! A draw is a tie if one of the players can force an end: whatever the other does, the game ends and pays this
//! player 0 or more. The sets of draws from which a player can are built up from finished positions until
//! nothing is added; what no end holds up is a draw by repetition.

use super::bits::Bits;
use super::verify::{Flaw, Verified, value_of};
use crate::SolveError;
use crate::blocks::for_blocks;
use outplay_core::{Game, Index, Pace, Tier, Value, Watch};
use std::sync::atomic::{AtomicBool, Ordering};

/// Draws of which the player to move, and of which the opponent, can force an end, as far as they are known.
struct Forced<'a, G, I, S> {
    game: &'a G,
    index: &'a I,
    stored: &'a S,
    mover: Vec<Bits>,
    opponent: Vec<Bits>,
}

impl<G: Game, I: Index<G>, S: Fn(Tier, u64) -> Option<Value>> Forced<'_, G, I, S> {
    /// Whether a draw is known to be forced to its end by the player to move (`mine`) or by the opponent.
    fn known(&self, pos: &G::Position, mine: bool) -> bool {
        match self.index.find(pos) {
            Some((tier, number)) => {
                let sets = if mine { &self.mover } else { &self.opponent };
                sets[tier.0 as usize].has(number)
            }
            // It has no number to remember this by, but its moves lead to ones that have.
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
            // A move that loses ends the game in the opponent's favour, which the mover will not choose.
            if pays == 0 { self.known(&next, mine == same) } else { !mine }
        });
        if mine { forced.any(|forced| forced) } else { forced.all(|forced| forced) }
    }
}

/// Reports draws that are told as ties and are none, and ties that are told as draws by repetition.
///
/// # Errors
///
/// No memory, or a stop.
pub(super) fn check_draws<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    stored: &(impl Fn(Tier, u64) -> Option<Value> + Sync),
    watch: &dyn Watch,
    verified: &mut Verified,
) -> Result<(), SolveError> {
    let sets = || -> Result<Vec<Bits>, SolveError> {
        (0..index.tiers()).map(|t| Bits::new(index.len(Tier(t)), watch)).collect()
    };
    let forced = Forced { game, index, stored, mover: sets()?, opponent: sets()? };
    let is_draw = |tier, number| stored(tier, number).is_some_and(|value| value.payoff() == 0);
    for tier in (0..index.tiers()).rev().map(Tier) {
        let (mover, opponent) = (&forced.mover[tier.0 as usize], &forced.opponent[tier.0 as usize]);
        loop {
            let changed = AtomicBool::new(false);
            for_blocks(index.len(tier), watch, |block| {
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
            if !changed.into_inner() || !index.loops(tier) {
                break;
            }
        }
        let stopped = Pace::pieces(watch, 0..index.len(tier), &mut |piece| {
            index.walk(tier, piece, &mut |number, _| {
                let Some(value) = stored(tier, number).filter(|value| value.payoff() == 0) else { return };
                let tie = mover.has(number) || opponent.has(number);
                if value.is_repetition() == tie {
                    let expected = if tie { Value::TIE } else { Value::REPETITION };
                    verified.flaw(tier, number, Flaw::Wrong { stored: value, expected });
                }
            });
        });
        if stopped {
            return Err(SolveError::Stopped);
        }
    }
    Ok(())
}
