//! Verification of stored values of a game with cycles, from the rules and the values alone.
//!
//! Every value must be the best of its moves. With exact distances this local check is a proof: a win in n needs a
//! move to a loss in n − 1, and a loss in n − 1 has only moves to wins in at most n − 2. Each claim thus rests on
//! claims with smaller distances, down to finished positions, and no cycle of positions can support itself. A draw
//! needs a move to a draw and no move to a lost position: both players can stay among draws for ever.
//!
//! Without distances two wins could support each other. The check then also computes the least fixed point from
//! finished positions and reports claims outside of it.
//!
//! Ties and draws by repetition are distinguished by another least fixed point, in `forced.rs`.

use super::bits::Bits;
use super::forced::check_draws;
use crate::blocks::for_blocks;
use crate::error::{check_fault, check_stop};
use crate::lawful::{check_start, check_tier};
use crate::{SolveError, Tally};
use outplay_core::index_laws::{Gaps, may_stay};
use outplay_core::{Game, Index, Tier, Value};
use outplay_runtime::{Monitor, Pace};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reason why a stored value is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A position has no value.
    Missing,
    /// The value is not that of the best move, or of the end of the game.
    Wrong {
        /// The stored value.
        stored: Value,
        /// The value derived from the rules and the values after each move.
        expected: Value,
    },
    /// A win or loss that is supported only by itself.
    Groundless,
}

/// Result of verifying stored values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verification {
    /// Positions checked, one for each number in use.
    pub checked: u64,
    /// Positions with a flaw.
    pub wrong: u64,
    /// The flaw with the lowest tier and number.
    pub first_wrong: Option<(Tier, u64, Flaw)>,
    /// Counts of positions by stored value; only [`crate::verify`] fills them in.
    pub tally: Tally,
}

impl Verification {
    pub(crate) fn flaw(&mut self, tier: Tier, number: u64, flaw: Flaw) {
        self.wrong += 1;
        let place = (tier, number);
        if self.first_wrong.is_none_or(|(tier, number, _)| place < (tier, number)) {
            self.first_wrong = Some((tier, number, flaw));
        }
    }

    pub(crate) fn plus(&mut self, other: Verification) {
        self.checked += other.checked;
        let wrong = self.wrong + other.wrong;
        if let Some((tier, number, flaw)) = other.first_wrong {
            self.flaw(tier, number, flaw);
        }
        self.wrong = wrong;
    }
}

/// Checks every stored value; `exact` states whether distances are stored.
///
/// # Errors
///
/// A fault of the rules, or cancellation.
pub fn verify_loops<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    exact: bool,
    stored: impl Fn(Tier, u64) -> Option<Value> + Sync,
    monitor: &dyn Monitor,
) -> Result<Verification, SolveError> {
    check_start(game, index, Gaps::Detours)?;
    let sum = Mutex::new(Verification::default());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        check_tier(game, index, tier, Gaps::Detours, &|_| true, monitor)?;
        for_blocks(index.len(tier), monitor, |block| {
            let units = block.end - block.start;
            let mut found = Verification::default();
            index.walk(tier, block, &mut |number, pos| {
                found.checked += 1;
                let Some(value) = stored(tier, number) else {
                    found.flaw(tier, number, Flaw::Missing);
                    return;
                };
                match expected(game, index, pos, &stored) {
                    None => found.flaw(tier, number, Flaw::Missing),
                    Some(expected) => {
                        let same = match exact {
                            true => expected.cmp(&value).is_eq(),
                            false => expected.payoff() == value.payoff(),
                        };
                        if !same {
                            found.flaw(tier, number, Flaw::Wrong { stored: value, expected });
                        }
                    }
                }
            });
            monitor.advance(units);
            // A poisoned lock means that another block panicked, and that panic is already propagating.
            if let Ok(mut sum) = sum.lock() {
                sum.plus(found);
            }
        })?;
        check_fault(game)?;
    }
    let mut verified = sum.into_inner().map_err(|_| SolveError::Stopped)?;
    if !exact && verified.wrong == 0 {
        groundless(game, index, &stored, monitor, &mut verified)?;
    }
    // The claims about forced ends are meaningful only if the values are right.
    if verified.wrong == 0 {
        check_draws(game, index, &stored, monitor, &mut verified)?;
    }
    Ok(verified)
}

/// The value by the rules: that of the end of the game, or of the best move. `None` if a value is missing.
fn expected<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    pos: &G::Position,
    stored: &impl Fn(Tier, u64) -> Option<Value>,
) -> Option<Value> {
    let turn = game.turn(pos);
    if let Some(payoff) = game.outcome(pos) {
        return Some(Value::new(turn.sees(payoff), 0));
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut best: Option<Value> = None;
    for &mv in &moves {
        let next = game.play(pos, mv);
        best = best.max(Some(value_of(game, index, &next, stored)?.before(game.turn(&next) == turn)));
    }
    best
}

/// The value of a position: the stored one, or, if it has no number, that of its best move.
pub(super) fn value_of<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    pos: &G::Position,
    stored: &impl Fn(Tier, u64) -> Option<Value>,
) -> Option<Value> {
    match index.find(pos) {
        Some((tier, number)) => stored(tier, number),
        None => expected(game, index, pos, stored),
    }
}

/// Wins and losses that are supported by finished positions: the fixed point so far.
struct Support<'a, G, I, S> {
    game: &'a G,
    index: &'a I,
    stored: &'a S,
    tiers: Vec<Bits>,
}

impl<G: Game, I: Index<G>, S: Fn(Tier, u64) -> Option<Value>> Support<'_, G, I, S> {
    /// Whether the moves of a position support a claimed payoff.
    fn hold(&self, pos: &G::Position, payoff: i32) -> bool {
        if self.game.outcome(pos).is_some() {
            return true;
        }
        let turn = self.game.turn(pos);
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut grounded = moves.iter().map(|&mv| {
            let next = self.game.play(pos, mv);
            let value = value_of(self.game, self.index, &next, self.stored);
            let pays = value.map_or(0, |value| value.before(self.game.turn(&next) == turn).payoff());
            let has_ground = || match self.index.find(&next) {
                Some((tier, number)) => self.tiers[tier.0 as usize].has(number),
                // The position has no number to store this under, but its successors have.
                None => self.hold(&next, value.map_or(0, Value::payoff)),
            };
            pays >= payoff && pays != 0 && has_ground() || payoff < 0 && pays < payoff
        });
        if payoff > 0 { grounded.any(|held| held) } else { grounded.all(|held| held) }
    }
}

/// Computes the supported wins and losses as a least fixed point and reports all others.
fn groundless<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    stored: &(impl Fn(Tier, u64) -> Option<Value> + Sync),
    monitor: &dyn Monitor,
    verified: &mut Verification,
) -> Result<(), SolveError> {
    let tiers: Result<Vec<Bits>, SolveError> =
        (0..index.tiers()).map(|t| Bits::new(index.len(Tier(t)), monitor)).collect();
    let grounds = Support { game, index, stored, tiers: tiers? };
    for t in (0..index.tiers()).rev() {
        let (tier, ground) = (Tier(t), &grounds.tiers[t as usize]);
        loop {
            let changed = AtomicBool::new(false);
            for_blocks(index.len(tier), monitor, |block| {
                index.walk(tier, block, &mut |number, pos| {
                    let payoff = stored(tier, number).map_or(0, Value::payoff);
                    if payoff != 0 && !ground.has(number) && grounds.hold(pos, payoff) {
                        ground.insert(number);
                        changed.store(true, Ordering::Relaxed);
                    }
                });
            })?;
            if !changed.into_inner() || !may_stay(index, tier) {
                break;
            }
        }
        let stopped = Pace::pieces(monitor, 0..index.len(tier), &mut |piece| {
            index.walk(tier, piece, &mut |number, _| {
                let decided = stored(tier, number).is_some_and(|value| value.payoff() != 0);
                if decided && !ground.has(number) {
                    verified.flaw(tier, number, Flaw::Groundless);
                }
            });
        });
        check_stop(stopped)?;
    }
    Ok(())
}
