//! Mean payoffs of positions before a roll, for games too large to keep anything else.
//!
//! A round *improves*: it plays every decision after every roll by the rules, picks the best, and remembers the
//! picks. Between rounds the picks are *followed* without the rules, which is far quicker, until the values they
//! lead to have nearly settled. The end is a round of improvement that changes no value by more than rounding does, or
//! by more than the tolerance if there is no getting further, so what was followed in between does not matter.
//!
//! ```text
//! improve ─▶ follow follow follow … ─▶ improve ─▶ follow … ─▶ improve: nothing changed
//! ```
//!
//! A pick that was better than all others by more than twice what any value has changed since is still the best, so
//! a later improvement passes over positions all of whose picks are that clear; near the end those are
//! nearly all.

use super::bounds::radii_of_rolls;
use super::{Expected, KeepMeans, Settle, Settled, outcomes};
use crate::blocks::{BLOCK, list};
use crate::{Forget, SolveError};
use outplay_core::{Chance, Crew, Pace, Rolls, Tier, Turn, Watch};
use rayon::prelude::*;
use std::sync::Arc;

/// How much smaller than in the last improvement a change must be before improving again.
const NEARLY: f64 = 0.003;
/// Rounds of following between two improvements at most.
const MOST_FOLLOWED: u64 = 500;

/// The picks of a block of numbers.
#[derive(Default)]
struct Picks {
    /// Where the picks of each number end.
    ends: Vec<u32>,
    /// Numbers in the tier that the picks lead to, and which weight each has.
    numbers: Vec<u32>,
    weights: Vec<u16>,
    /// The distinct weights: a probability, negative where the other player's eyes are used.
    kinds: Vec<f64>,
    /// The part of each value that needs nothing of this tier; NaN for a hole.
    fixed: Vec<f64>,
    /// By how much the closest of a number's picks was better than what was not picked, plus twice the drift
    /// of values up to then.
    slack: Vec<f32>,
}

impl Picks {
    fn weight(&mut self, weight: f64) -> Result<u16, SolveError> {
        let place = self.kinds.iter().position(|&known| known == weight).unwrap_or(self.kinds.len());
        if place == self.kinds.len() {
            self.kinds.push(weight);
        }
        u16::try_from(place).map_err(|_| SolveError::TooLarge(u16::MAX.into()))
    }

    /// Where the picks of a number are.
    #[inline]
    fn span(&self, place: usize) -> (usize, usize) {
        let begin = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        (begin, self.ends[place] as usize)
    }

    /// Ends the picks of a number.
    fn end(&mut self, fixed: f64, slack: f32) {
        self.ends.push(self.numbers.len() as u32);
        self.fixed.push(fixed);
        self.slack.push(slack);
    }

    /// Takes over the picks of a number from an earlier improvement of the same block.
    fn copy(&mut self, before: &Picks, place: usize) {
        let (begin, end) = before.span(place);
        self.numbers.extend_from_slice(&before.numbers[begin..end]);
        self.weights.extend_from_slice(&before.weights[begin..end]);
        self.end(before.fixed[place], before.slack[place]);
    }

    /// Appends the picks as bytes, for other processes.
    fn write(&self, bytes: &mut Vec<u8>) {
        for length in [self.numbers.len(), self.kinds.len()] {
            bytes.extend((length as u64).to_le_bytes());
        }
        self.ends.iter().chain(&self.numbers).for_each(|number| bytes.extend(number.to_le_bytes()));
        self.weights.iter().for_each(|weight| bytes.extend(weight.to_le_bytes()));
        self.kinds.iter().chain(&self.fixed).for_each(|number| bytes.extend(number.to_le_bytes()));
        self.slack.iter().for_each(|slack| bytes.extend(slack.to_le_bytes()));
    }

    /// Reads the picks of so many numbers that [`Picks::write`] wrote.
    fn read(bytes: &mut &[u8], count: usize) -> Option<Picks> {
        fn take<const N: usize, T>(bytes: &mut &[u8], count: usize, of: fn([u8; N]) -> T) -> Option<Vec<T>> {
            let (head, rest) = bytes.split_at_checked(count.checked_mul(N)?)?;
            *bytes = rest;
            head.chunks_exact(N).map(|item| item.try_into().ok().map(of)).collect()
        }
        let lengths = take(bytes, 2, u64::from_le_bytes)?;
        let (numbers, kinds) = (lengths[0] as usize, lengths[1] as usize);
        Some(Picks {
            ends: take(bytes, count, u32::from_le_bytes)?,
            numbers: take(bytes, numbers, u32::from_le_bytes)?,
            weights: take(bytes, numbers, u16::from_le_bytes)?,
            kinds: take(bytes, kinds, f64::from_le_bytes)?,
            fixed: take(bytes, count, f64::from_le_bytes)?,
            slack: take(bytes, count, f32::from_le_bytes)?,
        })
    }

    /// The value that the picks of one number lead to.
    #[inline]
    fn value(&self, place: usize, values: &[f64]) -> f64 {
        let (begin, end) = self.span(place);
        let picks = self.numbers[begin..end].iter().zip(&self.weights[begin..end]);
        let sum: f64 = picks.map(|(&n, &w)| self.kinds[w as usize] * values[n as usize]).sum();
        self.fixed[place] + sum
    }
}

/// Follows all picks once, in order and in place, so that each number uses what those before it just learnt, and
/// says what changed most. One thread does it: the order then never depends on the machine, nor do the values.
fn follow(picks: &[Picks], values: &mut [f64], pace: &mut Pace<'_>) -> Result<f64, SolveError> {
    let mut change = 0.0f64;
    let mut number = 0;
    for block in picks {
        for place in 0..block.ends.len() {
            if pace.step() {
                return Err(SolveError::Stopped);
            }
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
/// As [`super::chance`], except that play that never ends is noticed only as values that do not settle.
pub fn chance_rolls<G: Chance, I: Rolls<G>>(
    game: &G,
    index: &I,
    settle: Settle,
    watch: &dyn Watch,
) -> Result<Expected, SolveError> {
    chance_rolls_kept(game, index, settle, &mut Forget, watch)
}

/// The same with tiers that are known already, and a place for the others.
///
/// # Errors
///
/// As [`chance_rolls`], and those of the keeper.
pub fn chance_rolls_kept<G: Chance, I: Rolls<G>, K: KeepMeans>(
    game: &G,
    index: &I,
    settle: Settle,
    keeper: &mut K,
    watch: &dyn Watch,
) -> Result<Expected, K::Error> {
    let mut expected = Expected::new(index.tiers());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        if let Some((values, settled)) = keeper.known(tier)? {
            let radii = radii_of_rolls(game, index, tier, &values, expected.known(), watch)?;
            expected.settle(tier, values, settled, radii);
            continue;
        }
        watch.stage(&index.tier_name(tier), index.len(tier));
        let mut values = list(index.len(tier), watch, |_| 0.0)?;
        let solver = Roller { game, index, tier, solved: &expected.tiers, crew: keeper.crew(), watch };
        let (rounds, change) = match index.loops(tier) {
            true => solver.settle(&mut values, settle)?,
            false => {
                let mut next = values.clone();
                solver.improve(&values, &mut next, None, 0.0)?;
                values = next;
                (0, 0.0)
            }
        };
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why).into());
        }
        let settled = Settled { rounds, change };
        keeper.keep(tier, &values, settled)?;
        let radii = radii_of_rolls(game, index, tier, &values, expected.known(), watch)?;
        expected.settle(tier, values, settled, radii);
    }
    Ok(expected)
}

struct Roller<'a, G, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    solved: &'a [Vec<f64>],
    crew: Option<Arc<dyn Crew>>,
    watch: &'a dyn Watch,
}

/// Where a line of decisions ends, and what that is worth to the first player.
#[derive(Clone, Copy)]
struct Leaf {
    worth: f64,
    /// The number in this tier and the sign of its value in the first player's eyes.
    inside: Option<(u32, f64)>,
    /// By how much the closest decision on the way was better than its alternatives.
    margin: f64,
    /// Nothing below depends on this tier.
    constant: bool,
}

/// Lists that one thread uses again and again, one for each depth of decisions.
struct Scratch<M> {
    moves: Vec<Vec<M>>,
    /// What each move is worth, and whether that can change.
    worths: Vec<Vec<(f64, bool)>>,
}

impl<G: Chance, I: Rolls<G>> Roller<'_, G, I> {
    fn settle(&self, values: &mut Vec<f64>, settle: Settle) -> Result<(u64, f64), SolveError> {
        let mut next = values.clone();
        let mut rounds = 0;
        let mut before: Option<Vec<Picks>> = None;
        // What rounding does to a mean or two; below that there is nothing to be gained.
        let least = (f64::EPSILON * f64::from(self.game.best_payoff())).min(settle.tolerance);
        let mut last = f64::INFINITY;
        // What the last improvement looked at, and how far values have drifted over all improvements.
        let (mut seen, mut drift) = (values.clone(), 0.0);
        loop {
            drift += largest_change(&seen, values);
            seen.copy_from_slice(values);
            let (picks, change) = self.improve(values, &mut next, before.as_deref(), drift)?;
            std::mem::swap(values, &mut next);
            rounds += 1;
            let name = self.index.tier_name(self.tier);
            self.watch
                .stage(&format!("{name}, round {rounds}, change {change:.1e}"), self.index.len(self.tier));
            if change <= least || (change <= settle.tolerance && change > last * 0.5) {
                return Ok((rounds, change));
            }
            last = change;
            if rounds >= settle.most_rounds {
                return Err(SolveError::Unsettled(rounds, format!("{change:e}")));
            }
            // Near the end there is nothing left to improve, so follow until it shows.
            let enough = (change * NEARLY).max(least * 0.5);
            let mut pace = Pace::new(self.watch);
            let mut followed = f64::INFINITY;
            for _ in 0..MOST_FOLLOWED {
                rounds += 1;
                let change = follow(&picks, values, &mut pace)?;
                // Of two rounds that change no more than rounding does, neither need be the smaller one.
                if change <= enough || (change <= 16.0 * least && change >= followed) {
                    break;
                }
                followed = change;
            }
            before = Some(picks);
        }
    }

    /// Plays every decision by the rules and remembers the best; where picks from before are still clear, given
    /// how far values have drifted, those stay.
    fn improve(
        &self,
        old: &[f64],
        new: &mut [f64],
        before: Option<&[Picks]>,
        drift: f64,
    ) -> Result<(Vec<Picks>, f64), SolveError> {
        let blocks = new.par_chunks_mut(BLOCK as usize).enumerate();
        let work = |(i, block): (usize, &mut [f64])| {
            self.improve_block(i as u64 * BLOCK, old, block, before.map(|before| &before[i]), drift)
        };
        let Some(crew) = &self.crew else {
            let done: Result<Vec<(Picks, f64)>, SolveError> = blocks.map(work).collect();
            let (picks, changes): (Vec<Picks>, Vec<f64>) = done?.into_iter().unzip();
            return Ok((picks, changes.into_iter().fold(0.0, f64::max)));
        };
        crew.phase("means");
        // Each rank does its blocks, and all of them learn what was picked: values follow from that.
        let done: Result<Vec<(Picks, f64)>, SolveError> =
            blocks.filter(|(i, _)| i % crew.size() == crew.rank()).map(work).collect();
        let done = crate::spread::agree(&**crew, done)?;
        let mut bytes = Vec::new();
        done.iter().for_each(|(picks, _)| picks.write(&mut bytes));
        let told = crew.gather(&bytes).map_err(SolveError::Crew)?;
        let mut told: Vec<&[u8]> = told.iter().map(Vec::as_slice).collect();
        let (mut picks, mut change) = (Vec::new(), 0.0f64);
        for (i, block) in new.chunks_mut(BLOCK as usize).enumerate() {
            let from = i * BLOCK as usize;
            let read = Picks::read(&mut told[i % crew.size()], block.len());
            let block_picks =
                read.ok_or_else(|| SolveError::Crew("another rank sent half a block".into()))?;
            for (place, value) in block.iter_mut().enumerate() {
                *value = block_picks.value(place, old);
                change = change.max((*value - old[from + place]).abs());
            }
            picks.push(block_picks);
        }
        Ok((picks, change))
    }

    fn improve_block(
        &self,
        from: u64,
        old: &[f64],
        block: &mut [f64],
        before: Option<&Picks>,
        drift: f64,
    ) -> Result<(Picks, f64), SolveError> {
        // Weights that are taken over keep their numbers.
        let kinds = before.map(|before| before.kinds.clone()).unwrap_or_default();
        let mut picks = Picks { kinds, ..Picks::default() };
        let mut rolls = Vec::new();
        let mut scratch = Scratch { moves: Vec::new(), worths: Vec::new() };
        let mut trouble = None;
        let merged = self.index.merged();
        let clear = (2.0 * drift) as f32;
        let mut visit = |number: u64, pos: &G::Position| {
            let place = (number - from) as usize;
            // Numbers that were skipped are holes.
            while picks.ends.len() < place {
                picks.end(f64::NAN, f32::INFINITY);
            }
            if let Some(before) = before
                && before.slack[place] > clear
            {
                picks.copy(before, place);
                return;
            }
            let eyes = if merged && self.index.roller(pos) == Turn::Second { -1.0 } else { 1.0 };
            let (mut fixed, mut margin) = (0.0, f64::INFINITY);
            if let Some(payoff) = self.game.outcome(pos) {
                fixed = eyes * f64::from(payoff);
            } else if let Err(error) = outcomes(self.game, pos, &mut rolls) {
                trouble = Some(error);
            } else {
                for &(roll, probability) in &rolls {
                    let leaf = self.best(&self.game.play(pos, roll), old, &mut scratch, 0);
                    margin = margin.min(leaf.margin);
                    match leaf.inside {
                        None => fixed += probability * eyes * leaf.worth,
                        Some((number, sign)) => match picks.weight(probability * eyes * sign) {
                            Ok(weight) => {
                                picks.numbers.push(number);
                                picks.weights.push(weight);
                            }
                            Err(error) => trouble = Some(error),
                        },
                    }
                }
            }
            // Rounding must never make a pick look clearer than it is.
            picks.end(fixed, ((margin + 2.0 * drift) * 0.999_999) as f32);
        };
        let stopped = Pace::pieces(self.watch, from..from + block.len() as u64, &mut |piece| {
            self.index.walk(self.tier, piece, &mut visit);
        });
        if stopped {
            return Err(SolveError::Stopped);
        }
        while picks.ends.len() < block.len() {
            picks.end(f64::NAN, f32::INFINITY);
        }
        if let Some(error) = trouble {
            return Err(error);
        }
        let mut change = 0.0f64;
        for (place, value) in block.iter_mut().enumerate() {
            *value = picks.value(place, old);
            // A hole is NaN, and `max` ignores it.
            change = change.max((*value - old[from as usize + place]).abs());
        }
        self.watch.advance(block.len() as u64);
        Ok((picks, change))
    }

    /// The best that decisions lead to before the next roll or the end.
    fn best(&self, pos: &G::Position, old: &[f64], scratch: &mut Scratch<G::Move>, depth: usize) -> Leaf {
        let certain = |worth| Leaf { worth, inside: None, margin: f64::INFINITY, constant: true };
        if let Some(payoff) = self.game.outcome(pos) {
            return certain(payoff.into());
        }
        let turn = self.game.turn(pos);
        if turn == Turn::Chance {
            let (tier, number) = self.index.rank(pos);
            let eyes = self.index.merged() && self.index.roller(pos) == Turn::Second;
            let sign = if eyes { -1.0 } else { 1.0 };
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
        let wish = if turn == Turn::Second { -1.0 } else { 1.0 };
        let mut best: Option<(usize, Leaf)> = None;
        for (i, &mv) in moves.iter().enumerate() {
            let leaf = self.best(&self.game.play(pos, mv), old, scratch, depth + 1);
            worths.push((wish * leaf.worth, leaf.constant));
            if best.is_none_or(|(_, known)| wish * leaf.worth > wish * known.worth) {
                best = Some((i, leaf));
            }
        }
        // A position that is not finished has a move.
        let (place, mut best) = best.unwrap_or((0, certain(0.0)));
        for (i, &(worth, constant)) in worths.iter().enumerate() {
            // Of two that never change, the better one stays the better one.
            if i != place && !(constant && best.constant) {
                best.margin = best.margin.min(wish * best.worth - worth);
            }
        }
        best.constant = worths.iter().all(|&(_, constant)| constant);
        scratch.moves[depth] = moves;
        scratch.worths[depth] = worths;
        best
    }
}

/// The largest change from one set of values to another; holes do not count.
fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    let changes = from.par_iter().zip(to).with_min_len(1 << 14).map(|(from, to)| (from - to).abs());
    // A hole is NaN, and `max` ignores it.
    changes.reduce(|| 0.0, f64::max)
}

impl Expected {
    /// The mean payoff for the first player of any position of a game solved by [`chance_rolls`], decisions
    /// included.
    pub fn expand<G: Chance, I: Rolls<G>>(&self, game: &G, index: &I, pos: &G::Position) -> f64 {
        // The values are all in memory, so that asking cannot fail.
        expand(game, index, pos, &|tier, number| Ok::<f64, SolveError>(self.value(tier, number)))
            .unwrap_or(f64::NAN)
    }
}

/// The mean payoff for the first player of any position, decisions included, given the values of the numbered
/// positions before a roll as the index keeps them.
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
