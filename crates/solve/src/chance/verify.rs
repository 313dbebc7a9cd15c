//! Verification of stored expected payoffs: each is derived again from its successors by the rules.
//!
//! A finished position is worth its payoff, a roll the mean of its outcomes, a decision the best of its moves. Play
//! with chance ends with probability 1, so exactly one assignment of values satisfies these equations; stored values
//! satisfy them up to rounding.
//!
//! The error of the stored values is bounded by the proof of `bounds.rs`: each value gets a radius, and the Bellman
//! operator must map the intervals into themselves. The check uses only `moves`, `play`, `outcome`, `outcomes`, the
//! index's `rank` and `walk`, and sums with a known rounding error. It does not matter how the radii were found.

use super::bounds::{CompensatedSum, Radii, SolvedMeans, largest, radii_of_rolls};
use super::{outcomes, tier_graph};
use crate::SolveError;
use crate::blocks::for_blocks;
use crate::error::check_fault;
use crate::lawful::check_all;
use outplay_core::index_laws::Gaps;
use outplay_core::{Chance, Index, Rolls, Tier, Turn};
use outplay_runtime::Monitor;
use std::sync::Mutex;

/// Result of verifying expected payoffs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Means {
    /// Positions checked, one for each number in use.
    pub checked: u64,
    /// Positions whose value does not follow from the rules.
    pub wrong: u64,
    /// The first of them by tier and number: the stored and the derived value.
    pub first_wrong: Option<(Tier, u64, f64, f64)>,
    /// The largest difference found.
    pub worst: f64,
    /// Proven bound on the error of all values, provided that play ends with probability 1.
    pub bound: Option<f64>,
}

impl Means {
    fn compare(&mut self, tier: Tier, number: u64, stored: f64, derived: f64, tolerance: f64) {
        self.checked += 1;
        let off = (stored - derived).abs();
        self.worst = self.worst.max(off);
        // Not `off > tolerance` alone: a stored NaN is wrong too.
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

/// An interval around a value. The extents are stored apart from the value, which is larger by many magnitudes.
#[derive(Clone, Copy)]
struct Interval {
    value: f64,
    below: f64,
    above: f64,
}

impl Interval {
    fn exact(value: f64) -> Interval {
        Interval { value, below: 0.0, above: 0.0 }
    }

    /// The interval from the other player's point of view.
    fn flipped(self) -> Interval {
        Interval { value: -self.value, below: self.above, above: self.below }
    }

    /// The interval of the maximum of two values, each anywhere in its interval.
    fn max(self, other: Interval) -> Interval {
        let (high, low) = if self.value >= other.value { (self, other) } else { (other, self) };
        let gap = high.value - low.value;
        Interval {
            value: high.value,
            below: high.below.min(low.below + gap),
            above: high.above.max(low.above - gap),
        }
    }
}

/// A weighted mean of intervals.
#[derive(Default)]
struct Mean {
    value: CompensatedSum,
    below: f64,
    above: f64,
}

impl Mean {
    /// The mean of a single outcome.
    fn only(interval: Interval) -> Mean {
        Mean { value: CompensatedSum::exactly(interval.value), below: interval.below, above: interval.above }
    }

    fn add(&mut self, weight: f64, interval: Interval) {
        self.value.add(weight, interval.value);
        self.below += weight * interval.below;
        self.above += weight * interval.above;
    }

    /// Whether the interval lies within a radius of a value. `SAFE` covers the rounding of the sums of radii.
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
/// Probabilities that do not sum to one, a fault of the rules, or cancellation.
pub fn verify_chance<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    stored: &[Vec<f64>],
    tolerance: f64,
    monitor: &dyn Monitor,
) -> Result<Means, SolveError> {
    check_all(game, index, Gaps::None, monitor)?;
    let radii = radii(index, |tier, radii| {
        let known = SolvedMeans { values: stored, radii };
        tier_graph(game, index, tier, known, monitor)?.radii(&stored[tier.0 as usize], monitor)
    })?;
    let known = SolvedMeans { values: stored, radii: &radii };
    let at = |pos: &G::Position| {
        let (tier, number) = index.rank(pos);
        known.interval(tier, number)
    };
    let derive = |pos: &G::Position, rolls: &mut Vec<(G::Move, f64)>| {
        let turn = game.turn(pos);
        if let Some(payoff) = game.outcome(pos) {
            return Ok(Mean::only(Interval::exact(payoff.into())));
        }
        if turn != Turn::Chance {
            return Ok(Mean::only(best(game, pos, turn, at)));
        }
        outcomes(game, pos, rolls)?;
        let mut mean = Mean::default();
        rolls.iter().for_each(|&(mv, weight)| mean.add(weight, at(&game.play(pos, mv))));
        Ok(mean)
    };
    check(game, index, known, &derive, tolerance, monitor)
}

/// The best move of a decision for the player to move, from the first player's point of view.
fn best<G: Chance>(
    game: &G,
    pos: &G::Position,
    turn: Turn,
    at: impl Fn(&G::Position) -> Interval,
) -> Interval {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let seen = |interval: Interval| if turn == Turn::Second { interval.flipped() } else { interval };
    let spans = moves.iter().map(|&mv| seen(at(&game.play(pos, mv))));
    seen(spans.reduce(Interval::max).unwrap_or(Interval::exact(f64::NAN)))
}

/// Checks the values of an index of the positions before a roll.
///
/// # Errors
///
/// Probabilities that do not sum to one, a fault of the rules, or cancellation.
pub fn verify_rolls<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    stored: &[Vec<f64>],
    tolerance: f64,
    monitor: &dyn Monitor,
) -> Result<Means, SolveError> {
    check_all(game, index, Gaps::Rolls, monitor)?;
    let radii = radii(index, |tier, radii| {
        let known = SolvedMeans { values: stored, radii };
        radii_of_rolls(game, index, tier, &stored[tier.0 as usize], known, monitor)
    })?;
    let known = SolvedMeans { values: stored, radii: &radii };
    let derive = |pos: &G::Position, rolls: &mut Vec<(G::Move, f64)>| {
        let flipped = index.merged() && index.roller(pos) == Turn::Second;
        let oriented = |interval: Interval| if flipped { interval.flipped() } else { interval };
        if let Some(payoff) = game.outcome(pos) {
            return Ok(Mean::only(oriented(Interval::exact(payoff.into()))));
        }
        outcomes(game, pos, rolls)?;
        let mut mean = Mean::default();
        for &(mv, weight) in rolls.iter() {
            mean.add(weight, oriented(decided(game, index, &game.play(pos, mv), known)));
        }
        Ok(mean)
    };
    check(game, index, known, &derive, tolerance, monitor)
}

/// The value of best decisions up to the next roll or the end, from the first player's point of view.
fn decided<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    pos: &G::Position,
    known: SolvedMeans<'_>,
) -> Interval {
    if let Some(payoff) = game.outcome(pos) {
        return Interval::exact(payoff.into());
    }
    let turn = game.turn(pos);
    if turn == Turn::Chance {
        let (tier, number) = index.rank(pos);
        let interval = known.interval(tier, number);
        return if index.merged() && index.roller(pos) == Turn::Second {
            interval.flipped()
        } else {
            interval
        };
    }
    best(game, pos, turn, |next| decided(game, index, next, known))
}

impl SolvedMeans<'_> {
    fn interval(&self, tier: Tier, number: u64) -> Interval {
        let (tier, number) = (tier.0 as usize, number as usize);
        let radius = self.radii[tier].as_ref().map_or(f64::INFINITY, |radii| radii[number]);
        Interval { value: self.values[tier][number], below: radius, above: radius }
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
    known: SolvedMeans<'_>,
    derive: &(impl Fn(&G::Position, &mut Vec<(G::Move, f64)>) -> Result<Mean, SolveError> + Sync),
    tolerance: f64,
    monitor: &dyn Monitor,
) -> Result<Means, SolveError> {
    let sum = Mutex::new((Means::default(), None, true));
    for tier in (0..index.tiers()).rev().map(Tier) {
        let values = &known.values[tier.0 as usize];
        for_blocks(index.len(tier), monitor, |block| {
            let units = block.end - block.start;
            let (mut means, mut trouble, mut rolls) = (Means::default(), None, Vec::new());
            let mut proven = true;
            index.walk(tier, block, &mut |number, pos| match derive(pos, &mut rolls) {
                Ok(mean) => {
                    let interval = known.interval(tier, number);
                    proven &= mean.within(interval.value, interval.above);
                    let derived = interval.value + mean.value.above(interval.value);
                    means.compare(tier, number, values[number as usize], derived, tolerance);
                }
                Err(error) => trouble = Some(error),
            });
            monitor.advance(units);
            // A poisoned lock means that another block panicked, and that panic is already propagating.
            if let Ok(mut sum) = sum.lock() {
                sum.0.plus(means);
                sum.1 = sum.1.take().or(trouble);
                sum.2 &= proven;
            }
        })?;
        check_fault(game)?;
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

    /// Numbers that floats represent exactly, so that nothing is rounded.
    const GRID: [f64; 5] = [0.0, 0.125, 0.25, 0.5, 1.0];

    /// For all values of two intervals: the larger value is in the interval of the maximum, and both ends are
    /// attained.
    #[test]
    fn the_larger_of_two_intervals_holds_the_larger_of_two_numbers() {
        let spans = || {
            GRID.into_iter().flat_map(|value| {
                GRID.into_iter().flat_map(move |below| GRID.map(|above| Interval { value, below, above }))
            })
        };
        for (one, two) in spans().flat_map(|one| spans().map(move |two| (one, two))) {
            let most = one.max(two);
            let ends =
                |interval: Interval| (interval.value - interval.below, interval.value + interval.above);
            let (low, high) = ends(most);
            let (lows, highs) = (ends(one).0.max(ends(two).0), ends(one).1.max(ends(two).1));
            assert_eq!((low, high), (lows, highs));
            let least = one.flipped().max(two.flipped()).flipped();
            assert_eq!(ends(least), (ends(one).0.min(ends(two).0), ends(one).1.min(ends(two).1)));
        }
    }

    /// A mean that exceeds the radius on either side, even by a rounding error, is not within it.
    #[test]
    fn a_mean_is_within_a_radius_or_not() {
        let mean = |value: f64, below: f64, above: f64| {
            let mut mean = Mean::default();
            [0.25, 0.75].iter().for_each(|&weight| mean.add(weight, Interval { value, below, above }));
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
            assert!(
                Mean::only(Interval { value, below: radius, above: 0.0 }).within(value, 1.000_001 * radius)
            );
        }
        assert!(
            !mean(f64::NAN, 0.0, 0.0).within(0.5, 1.0) && !mean(0.5, 0.0, f64::INFINITY).within(0.5, 1.0)
        );
    }
}
