//! Modified policy iteration (Puterman and Shin 1978) over positions before a roll, for games too large to
//! store all positions.
//!
//! A policy has a choice for every roll at every position, for both players. An *improvement* computes the best choices
//! by the rules and stores them as the new policy. Between improvements, in-place sweeps *evaluate* the policy without
//! the rules, which is much faster, until its values have nearly converged.
//!
//! ```text
//! improve ─▶ evaluate evaluate evaluate … ─▶ improve ─▶ evaluate … ─▶ improve: nothing changed
//! ```
//!
//! The result does not depend on the evaluation sweeps: the last step is an improvement (a sweep of value iteration)
//! that changes no value by more than rounding, or, if the residual stops shrinking, by more than the tolerance.
//!
//! Suppose that a choice led all others by some margin when it was computed. As long as no value has changed by more
//! than half of that margin since then, it is still the best. An improvement therefore skips positions whose choices
//! all have such a margin, a temporary form of action elimination (MacQueen 1967); near the end of the iteration,
//! nearly all positions are skipped.

use super::bounds::radii_of_rolls;
use super::{ExpectedPayoffs, KeepMeans, Settle, TierConvergence, outcomes};
use crate::blocks::{BLOCK, list};
use crate::error::{check_fault, check_stop};
use crate::lawful::{check_start, check_tier};
use crate::{Forget, SolveError};
use outplay_core::index_laws::Gaps;
use outplay_core::{Chance, Rolls, Tier, Turn};
use outplay_runtime::{Communicator, Monitor, Pace};
use rayon::prelude::*;
use std::sync::Arc;

/// Evaluation stops when its change is below this fraction of the last improvement's change.
const EVALUATION_ACCURACY: f64 = 0.003;
/// Maximum number of evaluation sweeps between two improvements.
const MOST_EVALUATIONS: u64 = 500;

/// The policy of a block of numbers: for each roll, the number that best play reaches next.
#[derive(Default)]
struct Policy {
    /// End of each number's choices.
    ends: Vec<u32>,
    /// Numbers in the tier that the choices lead to, and the index of each one's weight.
    numbers: Vec<u32>,
    weights: Vec<u16>,
    /// The distinct weights: a probability, negative where the value is from the other player's point of view.
    kinds: Vec<f64>,
    /// The part of each value that does not depend on this tier; NaN for a hole.
    fixed: Vec<f64>,
    /// The smallest margin of a number's choices over their alternatives, plus twice the drift of values up to then.
    slack: Vec<f32>,
}

impl Policy {
    fn weight(&mut self, weight: f64) -> Result<u16, SolveError> {
        let place = self.kinds.iter().position(|&known| known == weight).unwrap_or(self.kinds.len());
        if place == self.kinds.len() {
            self.kinds.push(weight);
        }
        u16::try_from(place).map_err(|_| SolveError::TooLarge(u16::MAX.into()))
    }

    /// Range of the choices of a number.
    #[inline]
    fn span(&self, place: usize) -> (usize, usize) {
        let begin = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        (begin, self.ends[place] as usize)
    }

    /// Ends the choices of a number.
    fn end(&mut self, fixed: f64, slack: f32) {
        self.ends.push(self.numbers.len() as u32);
        self.fixed.push(fixed);
        self.slack.push(slack);
    }

    /// Copies the choices of a number from an earlier policy of the same block.
    fn copy(&mut self, before: &Policy, place: usize) {
        let (begin, end) = before.span(place);
        self.numbers.extend_from_slice(&before.numbers[begin..end]);
        self.weights.extend_from_slice(&before.weights[begin..end]);
        self.end(before.fixed[place], before.slack[place]);
    }

    /// Serializes the choices, for other ranks.
    fn write(&self, bytes: &mut Vec<u8>) {
        for length in [self.numbers.len(), self.kinds.len()] {
            bytes.extend((length as u64).to_le_bytes());
        }
        self.ends.iter().chain(&self.numbers).for_each(|number| bytes.extend(number.to_le_bytes()));
        self.weights.iter().for_each(|weight| bytes.extend(weight.to_le_bytes()));
        self.kinds.iter().chain(&self.fixed).for_each(|number| bytes.extend(number.to_le_bytes()));
        self.slack.iter().for_each(|slack| bytes.extend(slack.to_le_bytes()));
    }

    /// Reads the choices of `count` numbers, as written by [`Policy::write`].
    fn read(bytes: &mut &[u8], count: usize) -> Option<Policy> {
        fn take<const N: usize, T>(bytes: &mut &[u8], count: usize, of: fn([u8; N]) -> T) -> Option<Vec<T>> {
            let (head, rest) = bytes.split_at_checked(count.checked_mul(N)?)?;
            *bytes = rest;
            head.chunks_exact(N).map(|item| item.try_into().ok().map(of)).collect()
        }
        let lengths = take(bytes, 2, u64::from_le_bytes)?;
        let (numbers, kinds) = (lengths[0] as usize, lengths[1] as usize);
        Some(Policy {
            ends: take(bytes, count, u32::from_le_bytes)?,
            numbers: take(bytes, numbers, u32::from_le_bytes)?,
            weights: take(bytes, numbers, u16::from_le_bytes)?,
            kinds: take(bytes, kinds, f64::from_le_bytes)?,
            fixed: take(bytes, count, f64::from_le_bytes)?,
            slack: take(bytes, count, f32::from_le_bytes)?,
        })
    }

    /// The value of one number under the policy.
    #[inline]
    fn value(&self, place: usize, values: &[f64]) -> f64 {
        let (begin, end) = self.span(place);
        let policy = self.numbers[begin..end].iter().zip(&self.weights[begin..end]);
        let sum: f64 = policy.map(|(&n, &w)| self.kinds[w as usize] * values[n as usize]).sum();
        self.fixed[place] + sum
    }
}

/// Gauss–Seidel policy evaluation: one sweep in order and in place; returns the largest change. It is
/// single-threaded, so that values do not depend on the number of threads.
fn evaluate(policy: &[Policy], values: &mut [f64], pace: &mut Pace<'_>) -> Result<f64, SolveError> {
    let mut change = 0.0f64;
    let mut number = 0;
    for block in policy {
        for place in 0..block.ends.len() {
            check_stop(pace.step())?;
            let next = block.value(place, values);
            // A hole is NaN before and after, and `max` ignores it.
            change = change.max((next - values[number]).abs());
            values[number] = next;
            number += 1;
        }
    }
    Ok(change)
}

/// Solves a game in which only positions before a roll have numbers.
///
/// # Errors
///
/// As [`super::chance`], except that play that never ends is only noticed as values that do not converge.
pub fn chance_rolls<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    settle: Settle,
    monitor: &dyn Monitor,
) -> Result<ExpectedPayoffs, SolveError> {
    chance_rolls_kept(game, index, settle, &mut Forget, monitor)
}

/// Like [`chance_rolls`], with a checkpoint store: stored tiers are loaded, the others solved and stored.
///
/// # Errors
///
/// As [`chance_rolls`], and those of the checkpoint store.
pub fn chance_rolls_kept<G: Chance, I: Rolls<G>, K: KeepMeans>(
    game: &G,
    index: &I,
    settle: Settle,
    keeper: &mut K,
    monitor: &dyn Monitor,
) -> Result<ExpectedPayoffs, K::Error> {
    check_start(game, index, Gaps::Rolls)?;
    let mut expected = ExpectedPayoffs::new(index.tiers());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        let stays = check_tier(game, index, tier, Gaps::Rolls, &|_| true, monitor)?;
        if let Some((values, settled)) = keeper.known(tier)? {
            let radii = radii_of_rolls(game, index, tier, &values, expected.known(), monitor)?;
            expected.settle(tier, values, settled, radii);
            continue;
        }
        monitor.stage(&format!("solving tier {}", index.tier_name(tier)), index.len(tier));
        let mut values = list(index.len(tier), monitor, |_| 0.0)?;
        let solver =
            PolicyIteration { game, index, tier, solved: &expected.tiers, crew: keeper.crew(), monitor };
        let (rounds, change) = match index.loops(tier) || stays {
            true => solver.settle(&mut values, settle)?,
            false => {
                let mut next = values.clone();
                solver.improve(&values, &mut next, None, 0.0)?;
                values = next;
                (0, 0.0)
            }
        };
        check_fault(game)?;
        let settled = TierConvergence { rounds, change };
        keeper.keep(tier, &values, settled)?;
        let radii = radii_of_rolls(game, index, tier, &values, expected.known(), monitor)?;
        expected.settle(tier, values, settled, radii);
    }
    Ok(expected)
}

struct PolicyIteration<'a, G, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    solved: &'a [Vec<f64>],
    crew: Option<Arc<dyn Communicator>>,
    monitor: &'a dyn Monitor,
}

/// The end of a line of decisions, with its value for the first player.
#[derive(Clone, Copy)]
struct Leaf {
    worth: f64,
    /// The number in this tier and the sign that converts its value to the first player's point of view.
    inside: Option<(u32, f64)>,
    /// The smallest margin of the decisions on the line over their alternatives.
    margin: f64,
    /// The value does not depend on this tier.
    constant: bool,
}

/// Reusable buffers of one thread, one per depth of decisions.
struct Scratch<M> {
    moves: Vec<Vec<M>>,
    /// The value of each move, and whether it is constant.
    worths: Vec<Vec<(f64, bool)>>,
}

impl<G: Chance, I: Rolls<G>> PolicyIteration<'_, G, I> {
    fn settle(&self, values: &mut Vec<f64>, settle: Settle) -> Result<(u64, f64), SolveError> {
        let mut next = values.clone();
        let mut rounds = 0;
        let mut before: Option<Vec<Policy>> = None;
        // Rounding error of a few means: a smaller residual is meaningless.
        let least = (f64::EPSILON * f64::from(self.game.best_payoff())).min(settle.tolerance);
        let mut last = f64::INFINITY;
        // Values at the last improvement, and their accumulated drift over all improvements.
        let (mut seen, mut drift) = (values.clone(), 0.0);
        loop {
            drift += largest_change(&seen, values);
            seen.copy_from_slice(values);
            let (policy, change) = self.improve(values, &mut next, before.as_deref(), drift)?;
            std::mem::swap(values, &mut next);
            rounds += 1;
            let name = self.index.tier_name(self.tier);
            let stage = format!("solving tier {name}: sweep {rounds}, largest change {change:.1e}");
            self.monitor.stage(&stage, self.index.len(self.tier));
            if change <= least || (change <= settle.tolerance && change > last * 0.5) {
                return Ok((rounds, change));
            }
            last = change;
            if rounds >= settle.most_rounds {
                return Err(SolveError::Unsettled(rounds, format!("{change:e}")));
            }
            // Near the end the policy no longer changes, so its evaluation has to converge fully.
            let enough = (change * EVALUATION_ACCURACY).max(least * 0.5);
            let mut pace = Pace::new(self.monitor);
            let mut last_change = f64::INFINITY;
            for _ in 0..MOST_EVALUATIONS {
                rounds += 1;
                let change = evaluate(&policy, values, &mut pace)?;
                // Changes of the size of rounding errors need not shrink.
                if change <= enough || (change <= 16.0 * least && change >= last_change) {
                    break;
                }
                last_change = change;
            }
            before = Some(policy);
        }
    }

    /// Policy improvement: plays every decision by the rules and stores the best. Choices whose margin exceeds the
    /// drift of values are kept.
    fn improve(
        &self,
        old: &[f64],
        new: &mut [f64],
        before: Option<&[Policy]>,
        drift: f64,
    ) -> Result<(Vec<Policy>, f64), SolveError> {
        let blocks = new.par_chunks_mut(BLOCK as usize).enumerate();
        let work = |(i, block): (usize, &mut [f64])| {
            self.improve_block(i as u64 * BLOCK, old, block, before.map(|before| &before[i]), drift)
        };
        let Some(crew) = &self.crew else {
            let done: Result<Vec<(Policy, f64)>, SolveError> = blocks.map(work).collect();
            let (policy, changes): (Vec<Policy>, Vec<f64>) = done?.into_iter().unzip();
            return Ok((policy, changes.into_iter().fold(0.0, f64::max)));
        };
        crew.phase("means");
        // Each rank improves its blocks; an all-gather distributes the policy, and each rank derives the values from
        // it.
        let done: Result<Vec<(Policy, f64)>, SolveError> =
            blocks.filter(|(i, _)| i % crew.size() == crew.rank()).map(work).collect();
        let done = crate::distributed::agree(&**crew, done)?;
        let mut bytes = Vec::new();
        done.iter().for_each(|(policy, _)| policy.write(&mut bytes));
        let received = crew.all_gather(&bytes).map_err(SolveError::Communicator)?;
        let mut received: Vec<&[u8]> = received.iter().map(Vec::as_slice).collect();
        let (mut policy, mut change) = (Vec::new(), 0.0f64);
        for (i, block) in new.chunks_mut(BLOCK as usize).enumerate() {
            let from = i * BLOCK as usize;
            let read = Policy::read(&mut received[i % crew.size()], block.len());
            let block_picks =
                read.ok_or_else(|| SolveError::Communicator("another rank sent an incomplete block".into()))?;
            for (place, value) in block.iter_mut().enumerate() {
                *value = block_picks.value(place, old);
                change = change.max((*value - old[from + place]).abs());
            }
            policy.push(block_picks);
        }
        Ok((policy, change))
    }

    fn improve_block(
        &self,
        from: u64,
        old: &[f64],
        block: &mut [f64],
        before: Option<&Policy>,
        drift: f64,
    ) -> Result<(Policy, f64), SolveError> {
        // Weights that are copied keep their indices.
        let kinds = before.map(|before| before.kinds.clone()).unwrap_or_default();
        let mut policy = Policy { kinds, ..Policy::default() };
        let mut rolls = Vec::new();
        let mut scratch = Scratch { moves: Vec::new(), worths: Vec::new() };
        let mut trouble = None;
        let merged = self.index.merged();
        let clear = (2.0 * drift) as f32;
        let mut visit = |number: u64, pos: &G::Position| {
            let place = (number - from) as usize;
            // Numbers that the walk skipped are holes.
            while policy.ends.len() < place {
                policy.end(f64::NAN, f32::INFINITY);
            }
            if let Some(before) = before
                && before.slack[place] > clear
            {
                policy.copy(before, place);
                return;
            }
            let roller_sign = if merged && self.index.roller(pos) == Turn::Second { -1.0 } else { 1.0 };
            let (mut fixed, mut margin) = (0.0, f64::INFINITY);
            if let Some(payoff) = self.game.outcome(pos) {
                fixed = roller_sign * f64::from(payoff);
            } else if let Err(error) = outcomes(self.game, pos, &mut rolls) {
                trouble = Some(error);
            } else {
                for &(roll, probability) in &rolls {
                    let leaf = self.best(&self.game.play(pos, roll), old, &mut scratch, 0);
                    margin = margin.min(leaf.margin);
                    match leaf.inside {
                        None => fixed += probability * roller_sign * leaf.worth,
                        Some((number, sign)) => match policy.weight(probability * roller_sign * sign) {
                            Ok(weight) => {
                                policy.numbers.push(number);
                                policy.weights.push(weight);
                            }
                            Err(error) => trouble = Some(error),
                        },
                    }
                }
            }
            // Rounds down: rounding must never increase a margin.
            policy.end(fixed, ((margin + 2.0 * drift) * 0.999_999) as f32);
        };
        let stopped = Pace::pieces(self.monitor, from..from + block.len() as u64, &mut |piece| {
            self.index.walk(self.tier, piece, &mut visit);
        });
        check_stop(stopped)?;
        while policy.ends.len() < block.len() {
            policy.end(f64::NAN, f32::INFINITY);
        }
        if let Some(error) = trouble {
            return Err(error);
        }
        let mut change = 0.0f64;
        for (place, value) in block.iter_mut().enumerate() {
            *value = policy.value(place, old);
            // A hole is NaN, and `max` ignores it.
            change = change.max((*value - old[from as usize + place]).abs());
        }
        self.monitor.advance(block.len() as u64);
        Ok((policy, change))
    }

    /// The best line of decisions to the next roll or the end.
    fn best(&self, pos: &G::Position, old: &[f64], scratch: &mut Scratch<G::Move>, depth: usize) -> Leaf {
        let certain = |worth| Leaf { worth, inside: None, margin: f64::INFINITY, constant: true };
        if let Some(payoff) = self.game.outcome(pos) {
            return certain(payoff.into());
        }
        let turn = self.game.turn(pos);
        if turn == Turn::Chance {
            let (tier, number) = self.index.rank(pos);
            let flipped = self.index.merged() && self.index.roller(pos) == Turn::Second;
            let sign = if flipped { -1.0 } else { 1.0 };
            if tier != self.tier {
                return certain(sign * self.solved[tier.0 as usize][number as usize]);
            }
            let worth = sign * old[number as usize];
            let inside = Some((number as u32, sign));
            return Leaf { worth, inside, margin: f64::INFINITY, constant: false };
        }
        if scratch.moves.len() <= depth {
            scratch.moves.push(Vec::new());
            scratch.worths.push(Vec::new());
        }
        let mut moves = std::mem::take(&mut scratch.moves[depth]);
        let mut worths = std::mem::take(&mut scratch.worths[depth]);
        moves.clear();
        worths.clear();
        self.game.moves(pos, &mut moves);
        let mover_sign = if turn == Turn::Second { -1.0 } else { 1.0 };
        let mut best: Option<(usize, Leaf)> = None;
        for (i, &mv) in moves.iter().enumerate() {
            let leaf = self.best(&self.game.play(pos, mv), old, scratch, depth + 1);
            worths.push((mover_sign * leaf.worth, leaf.constant));
            if best.is_none_or(|(_, known)| mover_sign * leaf.worth > mover_sign * known.worth) {
                best = Some((i, leaf));
            }
        }
        // An unfinished position has a move.
        let (place, mut best) = best.unwrap_or((0, certain(0.0)));
        for (i, &(worth, constant)) in worths.iter().enumerate() {
            // Of two constants, the better one stays better, so they need no margin.
            if i != place && !(constant && best.constant) {
                best.margin = best.margin.min(mover_sign * best.worth - worth);
            }
        }
        best.constant = worths.iter().all(|&(_, constant)| constant);
        scratch.moves[depth] = moves;
        scratch.worths[depth] = worths;
        best
    }
}

/// The largest change between two value arrays; holes are ignored.
fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    let changes = from.par_iter().zip(to).with_min_len(1 << 14).map(|(from, to)| (from - to).abs());
    // A hole is NaN, and `max` ignores it.
    changes.reduce(|| 0.0, f64::max)
}

impl ExpectedPayoffs {
    /// The first player's expected payoff of any position, decisions included, of a game solved by [`chance_rolls`].
    pub fn expand<G: Chance, I: Rolls<G>>(&self, game: &G, index: &I, pos: &G::Position) -> f64 {
        // The values are all in memory, so the lookup cannot fail.
        expand(game, index, pos, &|tier, number| Ok::<f64, SolveError>(self.value(tier, number)))
            .unwrap_or(f64::NAN)
    }
}

/// The first player's expected payoff of any position, decisions included, given the stored values of the numbered
/// positions before a roll.
///
/// # Errors
///
/// Those of `at`.
pub fn expand<G: Chance, I: Rolls<G>, E>(
    game: &G,
    index: &I,
    pos: &G::Position,
    at: &impl Fn(Tier, u64) -> Result<f64, E>,
) -> Result<f64, E> {
    if let Some(payoff) = game.outcome(pos) {
        return Ok(payoff.into());
    }
    let turn = game.turn(pos);
    if turn == Turn::Chance {
        let (tier, number) = index.rank(pos);
        let flipped = index.merged() && index.roller(pos) == Turn::Second;
        let value = at(tier, number)?;
        return Ok(if flipped { -value } else { value });
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut best = if turn == Turn::Second { f64::INFINITY } else { f64::NEG_INFINITY };
    for &mv in &moves {
        let value = expand(game, index, &game.play(pos, mv), at)?;
        best = if turn == Turn::Second { best.min(value) } else { best.max(value) };
    }
    Ok(best)
}
