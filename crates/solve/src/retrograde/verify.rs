//! A check of stored values that loops cannot fool, from the rules and the values alone.
//!
//! Every value must be the best of its moves. With exact distances this is a proof: a win in n needs a move to
//! a loss in n − 1 and a loss in n − 1 only moves to wins in at most n − 2, so each claim rests on claims
//! with smaller distances, down to finished positions, and no cycle of positions can vouch for itself. A draw
//! needs a move to a draw and none to a lost position: both players can stay among draws for ever.
//!
//! Without distances two wins could support each other, so the check then also builds the claims up from
//! finished positions and reports those that nothing holds up.
//!
//! Whether a draw is a tie or a draw by repetition is built up from finished positions, too: `forced.rs`.

use super::bits::Bits;
use super::forced::check_draws;
use crate::SolveError;
use crate::blocks::for_blocks;
use outplay_core::{Game, Index, Pace, Tier, Value, Watch};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is wrong with a stored value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A position has no value.
    Missing,
    /// The value is not that of the best move, or of the end of the game.
    Wrong {
        /// What is stored.
        stored: Value,
        /// What the rules and the values after each move say.
        expected: Value,
    },
    /// A win or loss that rests on nothing but itself.
    Groundless,
}

/// How a check went.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Positions looked at, one for each number in use.
    pub checked: u64,
    /// Positions with a flaw.
    pub wrong: u64,
    /// The flaw with the lowest tier and number.
    pub first_wrong: Option<(Tier, u64, Flaw)>,
}

impl Verified {
    pub(crate) fn flaw(&mut self, tier: Tier, number: u64, flaw: Flaw) {
        self.wrong += 1;
        let place = (tier, number);
        if self.first_wrong.is_none_or(|(tier, number, _)| place < (tier, number)) {
            self.first_wrong = Some((tier, number, flaw));
        }
    }

    pub(crate) fn plus(&mut self, other: Verified) {
        self.checked += other.checked;
        let wrong = self.wrong + other.wrong;
        if let Some((tier, number, flaw)) = other.first_wrong {
            self.flaw(tier, number, flaw);
        }
        self.wrong = wrong;
    }
}

/// Checks every stored value; `exact` says whether distances are stored.
///
/// # Errors
///
/// A fault of the rules, or a stop.
pub fn verify_loops<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    exact: bool,
    stored: impl Fn(Tier, u64) -> Option<Value> + Sync,
    watch: &dyn Watch,
) -> Result<Verified, SolveError> {
    let sum = Mutex::new(Verified::default());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        for_blocks(index.len(tier), watch, |block| {
            let units = block.end - block.start;
            let mut found = Verified::default();
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
            watch.advance(units);
            // A poisoned lock means that another block panicked, and that panic is on its way up.
            if let Ok(mut sum) = sum.lock() {
                sum.plus(found);
            }
        })?;
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why));
        }
    }
    let mut verified = sum.into_inner().map_err(|_| SolveError::Stopped)?;
    if !exact && verified.wrong == 0 {
        groundless(game, index, &stored, watch, &mut verified)?;
    }
    // What values say about who can force an end means something only if they are right.
    if verified.wrong == 0 {
        check_draws(game, index, &stored, watch, &mut verified)?;
    }
    Ok(verified)
}

/// The value by the rules: of the end of the game, or of the best move. `None` if a value is missing.
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

/// The wins and losses that are held up by finished positions, as far as they are known.
struct Grounds<'a, G, I, S> {
    game: &'a G,
    index: &'a I,
    stored: &'a S,
    tiers: Vec<Bits>,
}

impl<G: Game, I: Index<G>, S: Fn(Tier, u64) -> Option<Value>> Grounds<'_, G, I, S> {
    /// Whether the moves of a position hold up that it pays so much.
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
                // It has no number to remember this by, but its moves lead to ones that have.
                None => self.hold(&next, value.map_or(0, Value::payoff)),
            };
            pays >= payoff && pays != 0 && has_ground() || payoff < 0 && pays < payoff
        });
        if payoff > 0 { grounded.any(|held| held) } else { grounded.all(|held| held) }
    }
}

/// Builds wins and losses up from finished positions and reports those that are never reached.
fn groundless<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    stored: &(impl Fn(Tier, u64) -> Option<Value> + Sync),
    watch: &dyn Watch,
    verified: &mut Verified,
) -> Result<(), SolveError> {
    let tiers: Result<Vec<Bits>, SolveError> =
        (0..index.tiers()).map(|t| Bits::new(index.len(Tier(t)), watch)).collect();
    let grounds = Grounds { game, index, stored, tiers: tiers? };
    for t in (0..index.tiers()).rev() {
        let (tier, ground) = (Tier(t), &grounds.tiers[t as usize]);
        loop {
            let changed = AtomicBool::new(false);
            for_blocks(index.len(tier), watch, |block| {
                index.walk(tier, block, &mut |number, pos| {
                    let payoff = stored(tier, number).map_or(0, Value::payoff);
                    if payoff != 0 && !ground.has(number) && grounds.hold(pos, payoff) {
                        ground.insert(number);
                        changed.store(true, Ordering::Relaxed);
                    }
                });
            })?;
            if !changed.into_inner() || !index.loops(tier) {
                break;
            }
        }
        let stopped = Pace::pieces(watch, 0..index.len(tier), &mut |piece| {
            index.walk(tier, piece, &mut |number, _| {
                let decided = stored(tier, number).is_some_and(|value| value.payoff() != 0);
                if decided && !ground.has(number) {
                    verified.flaw(tier, number, Flaw::Groundless);
                }
            });
        });
        if stopped {
            return Err(SolveError::Stopped);
        }
    }
    Ok(())
}
