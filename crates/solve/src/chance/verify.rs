//! A check of stored means: each is derived again from what follows by the rules.
//!
//! A finished position is worth what it pays, a roll the mean of what can happen, a decision the best of its moves.
//! Play with dice ends with certainty, so that one set of values has this property; stored ones have it up to
//! the tolerance with which they were settled.

use super::{expand, outcomes};
use crate::SolveError;
use crate::blocks::for_blocks;
use outplay_core::{Chance, Index, Rolls, Tier, Turn, Watch};
use std::sync::Mutex;

/// How a check of means went.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Means {
    /// Positions looked at, one for each number in use.
    pub checked: u64,
    /// Positions whose value is not what follows from the rules.
    pub wrong: u64,
    /// The one with the lowest tier and number: what is stored and what follows.
    pub first_wrong: Option<(Tier, u64, f64, f64)>,
    /// The largest difference that was found.
    pub worst: f64,
}

impl Means {
    fn compare(&mut self, tier: Tier, number: u64, stored: f64, derived: f64, tolerance: f64) {
        self.checked += 1;
        let off = (stored - derived).abs();
        self.worst = self.worst.max(off);
        // Not `off > tolerance`: a stored NaN is wrong too.
        if off.is_nan() || off > tolerance {
            self.wrong += 1;
            if self.first_wrong.is_none_or(|first| (tier, number) < (first.0, first.1)) {
                self.first_wrong = Some((tier, number, stored, derived));
            }
        }
    }

    fn plus(&mut self, other: Means) {
        self.checked += other.checked;
        self.wrong += other.wrong;
        self.worst = self.worst.max(other.worst);
        let place = |means: &Means| means.first_wrong.map(|first| (first.0, first.1));
        if other.first_wrong.is_some() && (self.first_wrong.is_none() || place(&other) < place(self)) {
            self.first_wrong = other.first_wrong;
        }
    }
}

/// Checks the values of an index in which every position has a number.
///
/// # Errors
///
/// Probabilities that do not sum to one, a fault of the rules, or a stop.
pub fn verify_chance<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    stored: impl Fn(Tier, u64) -> f64 + Sync,
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<Means, SolveError> {
    let at = |pos: &G::Position| {
        let (tier, number) = index.rank(pos);
        stored(tier, number)
    };
    let derive = |pos: &G::Position, rolls: &mut Vec<(G::Move, f64)>| {
        if let Some(payoff) = game.outcome(pos) {
            return Ok(payoff.into());
        }
        let turn = game.turn(pos);
        if turn == Turn::Chance {
            outcomes(game, pos, rolls)?;
            return Ok(rolls.iter().map(|&(mv, weight)| weight * at(&game.play(pos, mv))).sum());
        }
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let values = moves.iter().map(|&mv| at(&game.play(pos, mv)));
        Ok(match turn {
            Turn::Second => values.fold(f64::INFINITY, f64::min),
            _ => values.fold(f64::NEG_INFINITY, f64::max),
        })
    };
    check(game, index, &stored, &derive, tolerance, watch)
}

/// Checks the values of an index of the positions before a roll.
///
/// # Errors
///
/// Probabilities that do not sum to one, a fault of the rules, or a stop.
pub fn verify_rolls<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    stored: impl Fn(Tier, u64) -> f64 + Sync,
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<Means, SolveError> {
    let at = |tier, number| Ok::<f64, SolveError>(stored(tier, number));
    let derive = |pos: &G::Position, rolls: &mut Vec<(G::Move, f64)>| {
        let eyes = if index.merged() && index.roller(pos) == Turn::Second { -1.0 } else { 1.0 };
        if let Some(payoff) = game.outcome(pos) {
            return Ok(eyes * f64::from(payoff));
        }
        outcomes(game, pos, rolls)?;
        let mut mean = 0.0;
        for &(mv, weight) in rolls.iter() {
            mean += weight * expand(game, index, &game.play(pos, mv), &at)?;
        }
        Ok(eyes * mean)
    };
    check(game, index, &stored, &derive, tolerance, watch)
}

fn check<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    stored: &(impl Fn(Tier, u64) -> f64 + Sync),
    derive: &(impl Fn(&G::Position, &mut Vec<(G::Move, f64)>) -> Result<f64, SolveError> + Sync),
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<Means, SolveError> {
    let sum = Mutex::new((Means::default(), None));
    for tier in (0..index.tiers()).rev().map(Tier) {
        for_blocks(index.len(tier), watch, |block| {
            let units = block.end - block.start;
            let (mut means, mut trouble, mut rolls) = (Means::default(), None, Vec::new());
            index.walk(tier, block, &mut |number, pos| match derive(pos, &mut rolls) {
                Ok(derived) => means.compare(tier, number, stored(tier, number), derived, tolerance),
                Err(error) => trouble = Some(error),
            });
            watch.advance(units);
            // A poisoned lock means that another block panicked, and that panic is on its way up.
            if let Ok(mut sum) = sum.lock() {
                sum.0.plus(means);
                sum.1 = sum.1.take().or(trouble);
            }
        })?;
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why));
        }
    }
    let (means, trouble) = sum.into_inner().map_err(|_| SolveError::Stopped)?;
    trouble.map_or(Ok(means), Err)
}
