//! How far means are from the exact ones, with a proof.
//!
//! Each mean v is given a radius r. If what the rules make of the intervals [v − r, v + r] lies within the same
//! intervals, position by position, then so do the exact means: applying the rules again and again to any values
//! in the intervals never leaves them, and leads to the exact means, because play with dice ends with certainty.
//!
//! ```text
//! step(n)    how far v is from what its successors' v say, rounding included
//! r(n)       step(n) + Σ probability × the largest radius of the moves that may be best
//! ```
//!
//! The sum is settled by going round, with a step that is larger than it has to be; the surplus pays for stopping
//! early. Where moves are about equally good any of them may be the best, and the largest radius counts. Who
//! looks for radii need not be believed: [`super::verify_rolls`] and [`super::verify_chance`] apply the rules to the
//! intervals and compare.

use super::outcomes;
use crate::SolveError;
use crate::blocks::{BLOCK, list};
use outplay_core::{Chance, Pace, Rolls, Tier, Turn, Watch, threads};

/// Moves whose means differ by less than this may be equally good. Radii must stay below half of it.
pub(super) const CLOSE: f64 = 1e-9;

/// How much larger than the largest step the added surplus is, and the change at which going round may stop.
const SURPLUS: (f64, f64) = (0.5, 0.49);

/// Rounds before a bound is given up.
const MOST_ROUNDS: u64 = 20_000;

/// Half the distance from 1 to the next number: what rounding a number changes, in proportion.
pub(super) const UNIT: f64 = f64::EPSILON / 2.0;

/// A sum of products of probabilities and means, nearly without rounding, and what rounding there is.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    high: f64,
    low: f64,
    size: f64,
}

impl Sum {
    /// A number by itself, without any rounding.
    pub(super) fn exactly(value: f64) -> Sum {
        Sum { high: value, low: 0.0, size: 0.0 }
    }

    pub(super) fn add(&mut self, weight: f64, value: f64) {
        let term = weight * value;
        // What is lost in `high + term` is kept in `low`, exactly.
        let sum = self.high + term;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (term - part);
        self.high = sum;
        self.size += term.abs();
    }

    /// How far the sum is above a number.
    pub(super) fn above(&self, value: f64) -> f64 {
        (self.high - value) + self.low
    }

    /// What the sum may be off by: each probability and each product was rounded once, and what `low` and the
    /// difference lose is far less.
    pub(super) fn rounding(&self) -> f64 {
        2.25 * UNIT * self.size
    }
}

/// The radii of a tier by number; nothing if no bound was found.
pub(super) type Radii = Option<Vec<f64>>;

/// The largest radius.
pub(super) fn largest(radii: &[f64]) -> f64 {
    // A hole is NaN, and `max` ignores it.
    radii.iter().fold(0.0, |largest: f64, &radius| largest.max(radius))
}

/// Where near-best play may lead, for a block of numbers.
#[derive(Default)]
struct Paths {
    /// Where the leaves of each number end.
    ends: Vec<u32>,
    /// Numbers in the tier, and the kind of their weight; with [`ALSO`], another leaf of the same roll.
    leaves: Vec<u32>,
    weights: Vec<u16>,
    /// The distinct probabilities.
    kinds: Vec<f64>,
    /// The step of each number and the radii of what lies outside of the tier; NaN for a hole.
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

/// The values and radii of all tiers that are known.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) values: &'a [Vec<f64>],
    pub(super) radii: &'a [Radii],
}

/// Finds radii for a tier of an index of positions before a roll; nothing if no bound is found.
///
/// # Errors
///
/// Probabilities that do not sum to one, no memory, or a stop.
pub(super) fn radii_of_rolls<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    values: &[f64],
    known: Known<'_>,
    watch: &dyn Watch,
) -> Result<Radii, SolveError> {
    if index.after(tier).iter().any(|later| *later != tier && known.radii[later.0 as usize].is_none()) {
        return Ok(None);
    }
    let finder = Finder { game, index, tier, values, known, watch };
    let len = values.len() as u64;
    let find = |i: usize| finder.block(i as u64 * BLOCK, len.min((i as u64 + 1) * BLOCK));
    let paths = threads::map(len.div_ceil(BLOCK) as usize, &find);
    let paths = paths.into_iter().collect::<Result<Vec<Paths>, SolveError>>()?;
    let radii = list(values.len() as u64, watch, |_| 0.0)?;
    let step = paths.iter().fold(0.0, |step: f64, block| step.max(block.step));
    let step = if index.loops(tier) { step } else { 0.0 };
    let round = |radii: &mut [f64], pace: &mut Pace<'_>| {
        let (mut change, mut number) = (0.0f64, 0);
        for block in &paths {
            for place in 0..block.ends.len() {
                if pace.step() {
                    return Err(SolveError::Stopped);
                }
                let next = block.radius(place, radii) + surplus(step);
                change = change.max(next - radii[number]);
                radii[number] = next;
                number += 1;
            }
        }
        Ok(change)
    };
    settle(radii, step, round, watch)
}

/// Goes round until radii change by less than the surplus that was added to each step, given the largest step (none
/// in a tier without loops). Nothing if they become too large first.
///
/// # Errors
///
/// A stop.
pub(super) fn settle(
    mut radii: Vec<f64>,
    step: f64,
    mut round: impl FnMut(&mut [f64], &mut Pace<'_>) -> Result<f64, SolveError>,
    watch: &dyn Watch,
) -> Result<Radii, SolveError> {
    let mut pace = Pace::new(watch);
    for _ in 0..MOST_ROUNDS {
        let change = round(&mut radii, &mut pace)?;
        if largest(&radii) > CLOSE / 2.0 {
            return Ok(None);
        }
        if step == 0.0 {
            // A tier without loops is right after one round, but for what rounding did to the radii themselves.
            radii.iter_mut().for_each(|radius| *radius *= 1.0 + 1e-11);
            return Ok(Some(radii));
        }
        if change <= SURPLUS.1 * step {
            return Ok(Some(radii));
        }
    }
    Ok(None)
}

/// What is added to each step, given the largest one.
pub(super) fn surplus(step: f64) -> f64 {
    SURPLUS.0 * step
}

struct Finder<'a, G, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    values: &'a [f64],
    known: Known<'a>,
    watch: &'a dyn Watch,
}

/// What the best of some moves is worth to the first player, and the radii of those that may be it.
struct Near {
    value: f64,
    /// The largest outside of the tier.
    outside: f64,
    /// Where those in the tier begin in the list of leaves.
    begin: usize,
}

/// Lists that one thread uses again and again, one of each for each depth of decisions.
type Lists<M> = (Vec<M>, Vec<Near>);

impl<G: Chance, I: Rolls<G>> Finder<'_, G, I> {
    fn block(&self, from: u64, to: u64) -> Result<Paths, SolveError> {
        let mut paths = Paths::default();
        let (mut rolls, mut leaves, mut scratch, mut trouble) = (Vec::new(), Vec::new(), Vec::new(), None);
        let merged = self.index.merged();
        let mut visit = |number: u64, pos: &G::Position| {
            let place = (number - from) as usize;
            // Numbers that were skipped are holes.
            while paths.ends.len() < place {
                paths.end(f64::NAN);
            }
            let eyes = if merged && self.index.roller(pos) == Turn::Second { -1.0 } else { 1.0 };
            let value = self.values[number as usize];
            if let Some(payoff) = self.game.outcome(pos) {
                let step = (eyes * f64::from(payoff) - value).abs();
                paths.step = paths.step.max(step);
                paths.end(step);
                return;
            }
            if let Err(error) = outcomes(self.game, pos, &mut rolls) {
                trouble = Some(error);
                return;
            }
            let (mut mean, mut outside) = (Sum::default(), 0.0);
            for &(roll, weight) in &rolls {
                leaves.clear();
                let near = self.near(&self.game.play(pos, roll), &mut leaves, &mut scratch, 0);
                mean.add(weight, eyes * near.value);
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
        if Pace::pieces(self.watch, from..to, &mut |piece| self.index.walk(self.tier, piece, &mut visit)) {
            return Err(SolveError::Stopped);
        }
        while paths.ends.len() < (to - from) as usize {
            paths.end(f64::NAN);
        }
        trouble.map_or(Ok(paths), Err)
    }

    /// Follows all decisions that may be best to the next roll or the end.
    fn near(
        &self,
        pos: &G::Position,
        leaves: &mut Vec<u32>,
        scratch: &mut Vec<Lists<G::Move>>,
        depth: usize,
    ) -> Near {
        let begin = leaves.len();
        if let Some(payoff) = self.game.outcome(pos) {
            return Near { value: payoff.into(), outside: 0.0, begin };
        }
        let turn = self.game.turn(pos);
        if turn == Turn::Chance {
            let (tier, number) = self.index.rank(pos);
            let flipped = self.index.merged() && self.index.roller(pos) == Turn::Second;
            let sign = if flipped { -1.0 } else { 1.0 };
            if tier == self.tier {
                leaves.push(number as u32);
                return Near { value: sign * self.values[number as usize], outside: 0.0, begin };
            }
            let (t, n) = (tier.0 as usize, number as usize);
            let outside = self.known.radii[t].as_ref().map_or(f64::INFINITY, |radii| radii[n]);
            return Near { value: sign * self.known.values[t][n], outside, begin };
        }
        let wish = if turn == Turn::Second { -1.0 } else { 1.0 };
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
            if wish * near.value < best - CLOSE {
                leaves.truncate(near.begin);
                continue;
            }
            best = best.max(wish * near.value);
            options.push(near);
        }
        // Those that were good enough when they came may not be any more.
        let close = |near: &Near| wish * near.value >= best - CLOSE;
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
        Near { value: wish * best, outside, begin }
    }
}
