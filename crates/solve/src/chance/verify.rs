//! A check of stored means: each is derived again from what follows by the rules.
//!
//! A finished position is worth what it pays, a roll the mean of what can happen, a decision the best of its moves.
//! Play with dice ends with certainty, so that one set of values has this property; stored ones have it up to
//! what rounding does.
//!
//! How far that may be from the exact values is proven here as `bounds.rs` tells: each stored value is given a radius,
//! by whatever means, and what the rules make of the intervals must lie within them. Only `moves`, `play`,
//! `outcome`, `outcomes` and the index's `rank` and `walk` are used for that, and sums that know what they lose.

use super::bounds::{Known, Radii, Sum, largest, radii_of_rolls};
use super::{outcomes, tier_graph};
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
    /// How far any value is from the exact one at most, proven, if play ends with certainty.
    pub bound: Option<f64>,
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

/// An interval around a value: how far it reaches below and above. Apart from the value, because that is far larger.
#[derive(Clone, Copy)]
struct Span {
    value: f64,
    below: f64,
    above: f64,
}

impl Span {
    fn exact(value: f64) -> Span {
        Span { value, below: 0.0, above: 0.0 }
    }

    /// As the other player sees it.
    fn flipped(self) -> Span {
        Span { value: -self.value, below: self.above, above: self.below }
    }

    /// The larger of two, each of which may be anywhere in its interval.
    fn max(self, other: Span) -> Span {
        let (high, low) = if self.value >= other.value { (self, other) } else { (other, self) };
        let gap = high.value - low.value;
        Span {
            value: high.value,
            below: high.below.min(low.below + gap),
            above: high.above.max(low.above - gap),
        }
    }
}

/// A mean of spans.
#[derive(Default)]
struct Mean {
    value: Sum,
    below: f64,
    above: f64,
}

impl Mean {
    /// The only thing that can happen.
    fn only(span: Span) -> Mean {
        Mean { value: Sum::exactly(span.value), below: span.below, above: span.above }
    }

    fn add(&mut self, weight: f64, span: Span) {
        self.value.add(weight, span.value);
        self.below += weight * span.below;
        self.above += weight * span.above;
    }

    /// Whether the interval lies within a radius of a value. Sums of radii lose a few of their last digits, which
    /// `SAFE` more than makes up for.
    fn within(&self, value: f64, radius: f64) -> bool {
        let off = self.value.above(value);
        let most = (off + self.above).max(self.below - off) + self.value.rounding();
        most * SAFE <= radius
    }
}

const SAFE: f64 = 1.0 + 1e-12;

/// Checks the values of an index in which every position has a number.
///
/// # Errors
///
/// Probabilities that do not sum to one, a fault of the rules, or a stop.
pub fn verify_chance<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    stored: &[Vec<f64>],
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<Means, SolveError> {
    let radii = radii(index, |tier, radii| {
        let known = Known { values: stored, radii };
        tier_graph(game, index, tier, known, watch)?.radii(&stored[tier.0 as usize], watch)
    })?;
    let known = Known { values: stored, radii: &radii };
    let at = |pos: &G::Position| {
        let (tier, number) = index.rank(pos);
        known.span(tier, number)
    };
    let derive = |pos: &G::Position, rolls: &mut Vec<(G::Move, f64)>| {
        let turn = game.turn(pos);
        if let Some(payoff) = game.outcome(pos) {
            return Ok(Mean::only(Span::exact(payoff.into())));
        }
        if turn != Turn::Chance {
            return Ok(Mean::only(best(game, pos, turn, at)));
        }
        outcomes(game, pos, rolls)?;
        let mut mean = Mean::default();
        rolls.iter().for_each(|&(mv, weight)| mean.add(weight, at(&game.play(pos, mv))));
        Ok(mean)
    };
    check(game, index, known, &derive, tolerance, watch)
}

/// The best of a decision's moves for whose turn it is, in the eyes of the first player.
fn best<G: Chance>(game: &G, pos: &G::Position, turn: Turn, at: impl Fn(&G::Position) -> Span) -> Span {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let seen = |span: Span| if turn == Turn::Second { span.flipped() } else { span };
    let spans = moves.iter().map(|&mv| seen(at(&game.play(pos, mv))));
    seen(spans.reduce(Span::max).unwrap_or(Span::exact(f64::NAN)))
}

/// Checks the values of an index of the positions before a roll.
///
/// # Errors
///
/// Probabilities that do not sum to one, a fault of the rules, or a stop.
pub fn verify_rolls<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    stored: &[Vec<f64>],
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<Means, SolveError> {
    let radii = radii(index, |tier, radii| {
        let known = Known { values: stored, radii };
        radii_of_rolls(game, index, tier, &stored[tier.0 as usize], known, watch)
    })?;
    let known = Known { values: stored, radii: &radii };
    let derive = |pos: &G::Position, rolls: &mut Vec<(G::Move, f64)>| {
        let flipped = index.merged() && index.roller(pos) == Turn::Second;
        let eyes = |span: Span| if flipped { span.flipped() } else { span };
        if let Some(payoff) = game.outcome(pos) {
            return Ok(Mean::only(eyes(Span::exact(payoff.into()))));
        }
        outcomes(game, pos, rolls)?;
        let mut mean = Mean::default();
        for &(mv, weight) in rolls.iter() {
            mean.add(weight, eyes(decided(game, index, &game.play(pos, mv), known)));
        }
        Ok(mean)
    };
    check(game, index, known, &derive, tolerance, watch)
}

/// What decisions lead to until the next roll or the end, in the eyes of the first player.
fn decided<G: Chance, I: Rolls<G>>(game: &G, index: &I, pos: &G::Position, known: Known<'_>) -> Span {
    if let Some(payoff) = game.outcome(pos) {
        return Span::exact(payoff.into());
    }
    let turn = game.turn(pos);
    if turn == Turn::Chance {
        let (tier, number) = index.rank(pos);
        let span = known.span(tier, number);
        return if index.merged() && index.roller(pos) == Turn::Second { span.flipped() } else { span };
    }
    best(game, pos, turn, |next| decided(game, index, next, known))
}

impl Known<'_> {
    fn span(&self, tier: Tier, number: u64) -> Span {
        let (tier, number) = (tier.0 as usize, number as usize);
        let radius = self.radii[tier].as_ref().map_or(f64::INFINITY, |radii| radii[number]);
        Span { value: self.values[tier][number], below: radius, above: radius }
    }
}

/// Radii of all tiers, from the last to the first.
fn radii<G: Chance, I: Index<G>>(
    index: &I,
    find: impl Fn(Tier, &[Radii]) -> Result<Radii, SolveError>,
) -> Result<Vec<Radii>, SolveError> {
    let mut radii = vec![None; index.tiers() as usize];
    for tier in (0..index.tiers()).rev().map(Tier) {
        radii[tier.0 as usize] = find(tier, &radii)?;
    }
    Ok(radii)
}

fn check<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    known: Known<'_>,
    derive: &(impl Fn(&G::Position, &mut Vec<(G::Move, f64)>) -> Result<Mean, SolveError> + Sync),
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<Means, SolveError> {
    let sum = Mutex::new((Means::default(), None, true));
    for tier in (0..index.tiers()).rev().map(Tier) {
        let values = &known.values[tier.0 as usize];
        for_blocks(index.len(tier), watch, |block| {
            let units = block.end - block.start;
            let (mut means, mut trouble, mut rolls) = (Means::default(), None, Vec::new());
            let mut proven = true;
            index.walk(tier, block, &mut |number, pos| match derive(pos, &mut rolls) {
                Ok(mean) => {
                    let span = known.span(tier, number);
                    proven &= mean.within(span.value, span.above);
                    let derived = span.value + mean.value.above(span.value);
                    means.compare(tier, number, values[number as usize], derived, tolerance);
                }
                Err(error) => trouble = Some(error),
            });
            watch.advance(units);
            // A poisoned lock means that another block panicked, and that panic is on its way up.
            if let Ok(mut sum) = sum.lock() {
                sum.0.plus(means);
                sum.1 = sum.1.take().or(trouble);
                sum.2 &= proven;
            }
        })?;
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why));
        }
    }
    let (mut means, trouble, proven) = sum.into_inner().map_err(|_| SolveError::Stopped)?;
    if let Some(error) = trouble {
        return Err(error);
    }
    let bound = |radii: &[Radii]| {
        radii.iter().try_fold(0.0, |bound: f64, radii| Some(bound.max(largest(radii.as_ref()?))))
    };
    means.bound = bound(known.radii).filter(|_| proven);
    Ok(means)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of a grid that floats hold exactly, so that nothing is rounded.
    const GRID: [f64; 5] = [0.0, 0.125, 0.25, 0.5, 1.0];

    /// Every value of two intervals: the larger one is in the interval of the larger one, whose ends are reached.
    #[test]
    fn the_larger_of_two_intervals_holds_the_larger_of_two_numbers() {
        let spans = || {
            GRID.into_iter().flat_map(|value| {
                GRID.into_iter().flat_map(move |below| GRID.map(|above| Span { value, below, above }))
            })
        };
        for (one, two) in spans().flat_map(|one| spans().map(move |two| (one, two))) {
            let most = one.max(two);
            let ends = |span: Span| (span.value - span.below, span.value + span.above);
            let (low, high) = ends(most);
            let (lows, highs) = (ends(one).0.max(ends(two).0), ends(one).1.max(ends(two).1));
            assert_eq!((low, high), (lows, highs));
            let least = one.flipped().max(two.flipped()).flipped();
            assert_eq!(ends(least), (ends(one).0.min(ends(two).0), ends(one).1.min(ends(two).1)));
        }
    }

    /// A mean that reaches beyond the radius on either side, or by no more than rounding, is not within it.
    #[test]
    fn a_mean_is_within_a_radius_or_not() {
        let mean = |value: f64, below: f64, above: f64| {
            let mut mean = Mean::default();
            [0.25, 0.75].iter().for_each(|&weight| mean.add(weight, Span { value, below, above }));
            mean
        };
        let radius = 1e-13;
        for value in [0.5, -0.5] {
            assert!(mean(value, 0.9e-13, 0.9e-13).within(value, radius));
            assert!(!mean(value, 1.1e-13, 0.0).within(value, radius), "it reaches too far down");
            assert!(!mean(value, 0.0, 1.1e-13).within(value, radius), "it reaches too far up");
            assert!(!mean(value, radius, radius).within(value, radius), "rounding may take it beyond");
            assert!(!mean(value + 2e-13, 0.0, 0.0).within(value, radius), "it lies elsewhere");
            assert!(!mean(value - 2e-13, 0.0, 0.0).within(value, radius), "it lies elsewhere");
            assert!(Mean::only(Span { value, below: radius, above: 0.0 }).within(value, 1.000_001 * radius));
        }
        assert!(
            !mean(f64::NAN, 0.0, 0.0).within(0.5, 1.0) && !mean(0.5, 0.0, f64::INFINITY).within(0.5, 1.0)
        );
    }
}
