//! A posteriori error bounds for expected payoffs: intervals that contain the exact values, with a proof.
//!
//! Each value v gets a radius r. The Bellman operator replaces the interval of a position by the one that follows from
//! its successors. If it maps the intervals [v − r, v + r] into themselves, position by position, then they contain the
//! exact values: iterating the operator never leaves the intervals and converges to the exact values, because play with
//! chance ends with probability 1. This is the induction check of optimistic value iteration (Hartmanns and Kaminski
//! 2020); unlike interval iteration (Haddad and Monmege 2018), the intervals come from iterating the error recursion
//! below.
//!
//! ```text
//! step(n)    Bellman residual: |v − value derived from the successors' v|, rounding included
//! r(n)       step(n) + Σ probability × the largest radius of the moves that may be best
//! ```
//!
//! The recursion for r is iterated towards a fixed point, with a small surplus added in each step, so that it may stop
//! early and the radii are still large enough. Where moves are nearly equal, any of them may be the best, so the
//! largest of their radii is used. The proof does not depend on how the radii were found: [`super::verify_rolls`] and
//! [`super::verify_chance`] apply the operator to the intervals and compare.

use super::outcomes;
use crate::SolveError;
use crate::blocks::{BLOCK, list};
use crate::error::check_stop;
use outplay_core::index_laws::may_stay;
use outplay_core::{Chance, Rolls, Tier, Turn};
use outplay_runtime::{Monitor, Pace, threads};

/// Moves whose values differ by less than this may be equally good. Radii must stay below half of it.
pub(super) const CLOSE: f64 = 1e-9;

/// Surplus as a multiple of the largest step, and the change (same unit) at which the iteration may stop.
const SURPLUS: (f64, f64) = (0.5, 0.49);

/// Maximum number of sweeps before no bound is reported.
const MOST_ROUNDS: u64 = 20_000;

/// Unit roundoff: half the distance from 1 to the next number.
pub(super) const UNIT: f64 = f64::EPSILON / 2.0;

/// Compensated sum of products of probabilities and values (Knuth's TwoSum), with a bound on its rounding error.
#[derive(Clone, Copy, Default)]
pub(super) struct CompensatedSum {
    high: f64,
    low: f64,
    size: f64,
}

impl CompensatedSum {
    /// A single number, without rounding.
    pub(super) fn exactly(value: f64) -> CompensatedSum {
        CompensatedSum { high: value, low: 0.0, size: 0.0 }
    }

    pub(super) fn add(&mut self, weight: f64, value: f64) {
        let term = weight * value;
        // TwoSum: `low` accumulates the rounding error of `high + term` exactly.
        let sum = self.high + term;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (term - part);
        self.high = sum;
        self.size += term.abs();
    }

    /// The difference of the sum and a number.
    pub(super) fn above(&self, value: f64) -> f64 {
        (self.high - value) + self.low
    }

    /// Bound on the error: each probability and each product was rounded once; the rounding of `low` and of the
    /// difference is far smaller.
    pub(super) fn rounding(&self) -> f64 {
        2.25 * UNIT * self.size
    }
}

/// The radii of a tier by number; `None` if no bound was found.
pub(super) type Radii = Option<Vec<f64>>;

/// The largest radius.
pub(super) fn largest(radii: &[f64]) -> f64 {
    // A hole is NaN, and `max` ignores it.
    radii.iter().fold(0.0, |largest: f64, &radius| largest.max(radius))
}

/// Near-best lines of play, for a block of numbers.
#[derive(Default)]
struct Paths {
    /// End of each number's leaves.
    ends: Vec<u32>,
    /// Numbers in the tier, and the index of each one's weight; [`ALSO`] marks another leaf of the same roll.
    leaves: Vec<u32>,
    weights: Vec<u16>,
    /// The distinct probabilities.
    kinds: Vec<f64>,
    /// The step of each number plus the radii of leaves outside of the tier; NaN for a hole.
    fixed: Vec<f64>,
    /// The largest step.
    step: f64,
}

const ALSO: u16 = 1 << 15;

impl Paths {
    fn kind(&mut self, weight: f64) -> Result<u16, SolveError> {
        let place = self.kinds.iter().position(|&known| known == weight).unwrap_or(self.kinds.len());
        if place == self.kinds.len() {
            self.kinds.push(weight);
        }
        u16::try_from(place).ok().filter(|&kind| kind < ALSO).ok_or(SolveError::TooLarge(ALSO.into()))
    }

    fn end(&mut self, fixed: f64) {
        self.ends.push(self.leaves.len() as u32);
        self.fixed.push(fixed);
    }

    #[inline]
    fn radius(&self, place: usize, radii: &[f64]) -> f64 {
        let begin = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        let end = self.ends[place] as usize;
        let (mut sum, mut most, mut weight) = (self.fixed[place], 0.0, 0.0);
        for (&leaf, &kind) in self.leaves[begin..end].iter().zip(&self.weights[begin..end]) {
            let radius = radii[leaf as usize];
            if kind & ALSO != 0 {
                most = f64::max(most, radius);
            } else {
                sum += weight * most;
                (most, weight) = (radius, self.kinds[kind as usize]);
            }
        }
        sum + weight * most
    }
}

/// The values and radii of all solved tiers.
#[derive(Clone, Copy)]
pub(super) struct SolvedMeans<'a> {
    pub(super) values: &'a [Vec<f64>],
    pub(super) radii: &'a [Radii],
}

/// Finds radii for a tier of an index of positions before a roll; `None` if no bound is found.
///
/// # Errors
///
/// Probabilities that do not sum to one, no memory, or cancellation.
pub(super) fn radii_of_rolls<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    values: &[f64],
    known: SolvedMeans<'_>,
    monitor: &dyn Monitor,
) -> Result<Radii, SolveError> {
    if index.child_tiers(tier).iter().any(|later| *later != tier && known.radii[later.0 as usize].is_none()) {
        return Ok(None);
    }
    let finder = Finder { game, index, tier, values, known, monitor };
    let len = values.len() as u64;
    let find = |i: usize| finder.block(i as u64 * BLOCK, len.min((i as u64 + 1) * BLOCK));
    let paths = threads::map(len.div_ceil(BLOCK) as usize, &find);
    let paths = paths.into_iter().collect::<Result<Vec<Paths>, SolveError>>()?;
    let radii = list(values.len() as u64, monitor, |_| 0.0)?;
    let step = paths.iter().fold(0.0, |step: f64, block| step.max(block.step));
    let step = if may_stay(index, tier) { step } else { 0.0 };
    let round = |radii: &mut [f64], pace: &mut Pace<'_>| {
        let (mut change, mut number) = (0.0f64, 0);
        for block in &paths {
            for place in 0..block.ends.len() {
                check_stop(pace.step())?;
                let next = block.radius(place, radii) + surplus(step);
                change = change.max(next - radii[number]);
                radii[number] = next;
                number += 1;
            }
        }
        Ok(change)
    };
    settle(radii, step, round, monitor)
}

/// Iterates until the radii change by less than the surplus, which is a multiple of the largest step (0 in an acyclic
/// tier). `None` if they become too large first.
///
/// # Errors
///
/// Cancellation.
pub(super) fn settle(
    mut radii: Vec<f64>,
    step: f64,
    mut round: impl FnMut(&mut [f64], &mut Pace<'_>) -> Result<f64, SolveError>,
    monitor: &dyn Monitor,
) -> Result<Radii, SolveError> {
    let mut pace = Pace::new(monitor);
    for _ in 0..MOST_ROUNDS {
        let change = round(&mut radii, &mut pace)?;
        if largest(&radii) > CLOSE / 2.0 {
            return Ok(None);
        }
        if step == 0.0 {
            // An acyclic tier is exact after one sweep, except for the rounding of the radii themselves.
            radii.iter_mut().for_each(|radius| *radius *= 1.0 + 1e-11);
            return Ok(Some(radii));
        }
        if change <= SURPLUS.1 * step {
            return Ok(Some(radii));
        }
    }
    Ok(None)
}

/// The surplus added to each step, given the largest step.
pub(super) fn surplus(step: f64) -> f64 {
    SURPLUS.0 * step
}

struct Finder<'a, G, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    values: &'a [f64],
    known: SolvedMeans<'a>,
    monitor: &'a dyn Monitor,
}

/// The value of the best move for the first player, with the radii of all near-best moves.
struct NearBest {
    value: f64,
    /// The largest radius outside of the tier.
    outside: f64,
    /// Where the leaves within the tier begin in the list of leaves.
    begin: usize,
}

/// Reusable buffers of one thread, one pair per depth of decisions.
type Lists<M> = (Vec<M>, Vec<NearBest>);

impl<G: Chance, I: Rolls<G>> Finder<'_, G, I> {
    fn block(&self, from: u64, to: u64) -> Result<Paths, SolveError> {
        let mut paths = Paths::default();
        let (mut rolls, mut leaves, mut scratch, mut trouble) = (Vec::new(), Vec::new(), Vec::new(), None);
        let merged = self.index.merged();
        let mut visit = |number: u64, pos: &G::Position| {
            let place = (number - from) as usize;
            // Numbers that the walk skipped are holes.
            while paths.ends.len() < place {
                paths.end(f64::NAN);
            }
            let roller_sign = if merged && self.index.roller(pos) == Turn::Second { -1.0 } else { 1.0 };
            let value = self.values[number as usize];
            if let Some(payoff) = self.game.outcome(pos) {
                let step = (roller_sign * f64::from(payoff) - value).abs();
                paths.step = paths.step.max(step);
                paths.end(step);
                return;
            }
            if let Err(error) = outcomes(self.game, pos, &mut rolls) {
                trouble = Some(error);
                return;
            }
            let (mut mean, mut outside) = (CompensatedSum::default(), 0.0);
            for &(roll, weight) in &rolls {
                leaves.clear();
                let near = self.near(&self.game.play(pos, roll), &mut leaves, &mut scratch, 0);
                mean.add(weight, roller_sign * near.value);
                outside += weight * near.outside;
                leaves.sort_unstable();
                leaves.dedup();
                match paths.kind(weight) {
                    Ok(kind) => {
                        paths.leaves.extend_from_slice(&leaves);
                        let also = |i: usize| if i == 0 { kind } else { ALSO };
                        paths.weights.extend((0..leaves.len()).map(also));
                    }
                    Err(error) => trouble = Some(error),
                }
            }
            let step = mean.above(value).abs() + mean.rounding();
            paths.step = paths.step.max(step);
            paths.end(step + outside);
        };
        check_stop(Pace::pieces(self.monitor, from..to, &mut |piece| {
            self.index.walk(self.tier, piece, &mut visit)
        }))?;
        while paths.ends.len() < (to - from) as usize {
            paths.end(f64::NAN);
        }
        trouble.map_or(Ok(paths), Err)
    }

    /// Follows all near-best decisions to the next roll or the end.
    fn near(
        &self,
        pos: &G::Position,
        leaves: &mut Vec<u32>,
        scratch: &mut Vec<Lists<G::Move>>,
        depth: usize,
    ) -> NearBest {
        let begin = leaves.len();
        if let Some(payoff) = self.game.outcome(pos) {
            return NearBest { value: payoff.into(), outside: 0.0, begin };
        }
        let turn = self.game.turn(pos);
        if turn == Turn::Chance {
            let (tier, number) = self.index.rank(pos);
            let flipped = self.index.merged() && self.index.roller(pos) == Turn::Second;
            let sign = if flipped { -1.0 } else { 1.0 };
            if tier == self.tier {
                leaves.push(number as u32);
                return NearBest { value: sign * self.values[number as usize], outside: 0.0, begin };
            }
            let (t, n) = (tier.0 as usize, number as usize);
            let outside = self.known.radii[t].as_ref().map_or(f64::INFINITY, |radii| radii[n]);
            return NearBest { value: sign * self.known.values[t][n], outside, begin };
        }
        let mover_sign = if turn == Turn::Second { -1.0 } else { 1.0 };
        if scratch.len() <= depth {
            scratch.push((Vec::new(), Vec::new()));
        }
        let (mut moves, mut options) = std::mem::take(&mut scratch[depth]);
        moves.clear();
        options.clear();
        self.game.moves(pos, &mut moves);
        let mut best = f64::NEG_INFINITY;
        for &mv in &moves {
            let near = self.near(&self.game.play(pos, mv), leaves, scratch, depth + 1);
            if mover_sign * near.value < best - CLOSE {
                leaves.truncate(near.begin);
                continue;
            }
            best = best.max(mover_sign * near.value);
            options.push(near);
        }
        // Moves that were near-best when they were added may not be any more.
        let close = |near: &NearBest| mover_sign * near.value >= best - CLOSE;
        if options.iter().any(|near| !close(near)) {
            let ends: Vec<usize> =
                options.iter().skip(1).map(|near| near.begin).chain([leaves.len()]).collect();
            let mut to = begin;
            for (near, end) in options.iter().zip(ends) {
                if close(near) {
                    leaves.copy_within(near.begin..end, to);
                    to += end - near.begin;
                }
            }
            leaves.truncate(to);
        }
        let outside = options.iter().filter(|near| close(near)).map(|near| near.outside).fold(0.0, f64::max);
        scratch[depth] = (moves, options);
        NearBest { value: mover_sign * best, outside, begin }
    }
}
