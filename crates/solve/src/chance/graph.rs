//! One tier as a graph: what each position is, and where its moves and rolls lead.
//!
//! Moves that leave the tier lead to settled values, so they are folded into one number: their weighted sum
//! for a roll, their best for a decision.

use super::Settle;
use super::bounds::{self, CLOSE, Radii, UNIT};
use crate::SolveError;
use crate::blocks::list;
use outplay_core::{Pace, Watch};

/// How the value of a position comes from those after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Knot {
    Hole,
    /// The game is over, or nothing stays in the tier.
    Fixed(f64),
    Max,
    Min,
    Mean,
}

/// A move or a roll, with its probability; one that leaves the tier with the value it leads to and its radius.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Edge {
    Inside(u32, f64),
    Known(f64, f64, f64),
}

pub(super) struct TierGraph {
    knots: Vec<Knot>,
    /// The best, or the weighted sum, of moves and rolls that leave the tier.
    outside: Vec<f64>,
    /// How far that may be from the exact one.
    doubt: Vec<f64>,
    /// Whether any leaves it.
    leaves: Vec<bool>,
    /// Where the edges of each position begin and end.
    spans: Vec<(usize, usize)>,
    edges: Vec<(u32, f64)>,
}

impl TierGraph {
    pub(super) fn new(len: u64, watch: &dyn Watch) -> Result<TierGraph, SolveError> {
        Ok(TierGraph {
            knots: list(len, watch, |_| Knot::Hole)?,
            outside: list(len, watch, |_| f64::NAN)?,
            doubt: list(len, watch, |_| 0.0)?,
            leaves: list(len, watch, |_| false)?,
            spans: list(len, watch, |_| (0, 0))?,
            edges: Vec::new(),
        })
    }

    /// Adds a position.
    pub(super) fn add(&mut self, number: u64, knot: Knot, edges: &[Edge]) {
        let (n, begin) = (number as usize, self.edges.len());
        let mut outside = match knot {
            Knot::Max => f64::NEG_INFINITY,
            Knot::Min => f64::INFINITY,
            _ => 0.0,
        };
        let mut size = 0.0;
        for &edge in edges {
            match edge {
                Edge::Inside(to, weight) => self.edges.push((to, weight)),
                Edge::Known(value, _, weight) => {
                    self.leaves[n] = true;
                    size += (value * weight).abs();
                    outside = match knot {
                        Knot::Max => outside.max(value),
                        Knot::Min => outside.min(value),
                        _ => outside + value * weight,
                    };
                }
            }
        }
        self.doubt[n] = match knot {
            // Each probability, each product and each sum is rounded.
            Knot::Mean => (edges.len() as f64 + 2.0) * UNIT * size,
            _ => 0.0,
        };
        for &edge in edges {
            match (edge, knot) {
                (Edge::Known(_, radius, weight), Knot::Mean) => self.doubt[n] += radius * weight,
                (Edge::Known(value, radius, _), _) if (value - outside).abs() <= CLOSE => {
                    self.doubt[n] = self.doubt[n].max(radius);
                }
                _ => {}
            }
        }
        self.knots[n] = knot;
        self.outside[n] = outside;
        self.spans[n] = (begin, self.edges.len());
    }

    /// Values that are right where nothing stays in the tier, and 0 where something does.
    pub(super) fn start(&self, watch: &dyn Watch) -> Result<Vec<f64>, SolveError> {
        let value = |n: usize| match self.knots[n] {
            Knot::Hole => f64::NAN,
            Knot::Fixed(payoff) => payoff,
            _ if self.inside(n).is_empty() => self.outside[n],
            _ => 0.0,
        };
        list(self.knots.len() as u64, watch, |n| value(n as usize))
    }

    fn inside(&self, n: usize) -> &[(u32, f64)] {
        let (begin, end) = self.spans[n];
        &self.edges[begin..end]
    }

    fn value(&self, n: usize, values: &[f64]) -> f64 {
        let at = |&(to, _): &(u32, f64)| values[to as usize];
        let inside = self.inside(n).iter();
        match self.knots[n] {
            Knot::Hole => f64::NAN,
            Knot::Fixed(payoff) => payoff,
            Knot::Max => inside.map(at).fold(self.outside[n], f64::max),
            Knot::Min => inside.map(at).fold(self.outside[n], f64::min),
            Knot::Mean => inside.map(|edge| edge.1 * at(edge)).fold(self.outside[n], |sum, term| sum + term),
        }
    }

    /// A position from which neither moves nor rolls ever leave the tier or end the game.
    pub(super) fn endless(&self, watch: &dyn Watch) -> Result<Option<u64>, SolveError> {
        let ending = |n: usize| self.leaves[n] || matches!(self.knots[n], Knot::Fixed(_));
        let mut ends: Vec<bool> = list(self.knots.len() as u64, watch, |n| ending(n as usize))?;
        let mut pace = Pace::new(watch);
        loop {
            let mut changed = false;
            for n in (0..self.knots.len()).rev() {
                if pace.step() {
                    return Err(SolveError::Stopped);
                }
                if !ends[n] && self.inside(n).iter().any(|&(to, _)| ends[to as usize]) {
                    ends[n] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Ok((0..self.knots.len()).find(|&n| !ends[n] && self.knots[n] != Knot::Hole).map(|n| n as u64))
    }

    /// Goes through the positions until nothing changes by more than the tolerance; each uses what the others
    /// already have in the same round. Says how many rounds it took and the last change.
    pub(super) fn settle(
        &self,
        values: &mut [f64],
        settle: Settle,
        watch: &dyn Watch,
    ) -> Result<(u64, f64), SolveError> {
        let (mut change, mut last) = (f64::INFINITY, f64::INFINITY);
        let mut pace = Pace::new(watch);
        for round in 0..settle.most_rounds {
            change = 0.0;
            // Late positions are nearer to the end, so values travel far in one round.
            for n in (0..self.knots.len()).rev() {
                if pace.steps(1 + self.inside(n).len() / 8) {
                    return Err(SolveError::Stopped);
                }
                if self.inside(n).is_empty() {
                    continue;
                }
                let value = self.value(n, values);
                change = change.max((value - values[n]).abs());
                values[n] = value;
            }
            // Rounding has the last word: below the tolerance it goes on as long as that helps.
            if change <= settle.tolerance && (change >= last * 0.99 || change == 0.0) {
                return Ok((round + 1, change));
            }
            last = change;
        }
        if change <= settle.tolerance {
            return Ok((settle.most_rounds, change));
        }
        Err(SolveError::Unsettled(settle.most_rounds, format!("{change:e}")))
    }

    /// Whether play leaves the tier with certainty, whatever is decided: no decisions keep all rolls in it.
    fn certain(&self, watch: &dyn Watch) -> Result<bool, SolveError> {
        // Positions from which it may go on for ever, as far as one has looked.
        let mut stays: Vec<bool> =
            list(self.knots.len() as u64, watch, |n| !self.inside(n as usize).is_empty())?;
        let mut pace = Pace::new(watch);
        loop {
            let mut changed = false;
            for n in (0..self.knots.len()).rev().filter(|&n| self.knots[n] != Knot::Hole) {
                if pace.steps(1 + self.inside(n).len() / 8) {
                    return Err(SolveError::Stopped);
                }
                if !stays[n] {
                    continue;
                }
                let mut next = self.inside(n).iter().map(|&(to, _)| stays[to as usize]);
                let on = match self.knots[n] {
                    Knot::Mean => !self.leaves[n] && next.all(|stays| stays),
                    _ => next.any(|stays| stays),
                };
                changed |= !on;
                stays[n] = on;
            }
            if !changed {
                return Ok(!stays.contains(&true));
            }
        }
    }

    /// How far each value is from the exact one, as `bounds.rs` tells.
    pub(super) fn radii(&self, values: &[f64], watch: &dyn Watch) -> Result<Radii, SolveError> {
        let loops = !self.edges.is_empty();
        if self.doubt.contains(&f64::INFINITY) || (loops && !self.certain(watch)?) {
            return Ok(None);
        }
        let step_of = |n: usize| {
            let rounding = match self.knots[n] {
                Knot::Mean => {
                    let size = |&(to, weight): &(u32, f64)| (values[to as usize] * weight).abs();
                    let inside: f64 = self.inside(n).iter().map(size).sum();
                    (self.inside(n).len() as f64 + 3.0) * UNIT * (inside + self.outside[n].abs())
                }
                _ => 0.0,
            };
            (self.value(n, values) - values[n]).abs() + rounding
        };
        let steps: Vec<f64> = list(self.knots.len() as u64, watch, |n| step_of(n as usize))?;
        let step = if loops { bounds::largest(&steps) } else { 0.0 };
        let radius = |n: usize, radii: &[f64]| {
            let near = |value: f64| (value - values[n]).abs() <= CLOSE;
            let at = |&(to, _): &(u32, f64)| if near(values[to as usize]) { radii[to as usize] } else { 0.0 };
            let inside = self.inside(n).iter();
            let outside = if near(self.outside[n]) { self.doubt[n] } else { 0.0 };
            match self.knots[n] {
                Knot::Hole => f64::NAN,
                Knot::Fixed(_) => steps[n],
                Knot::Max | Knot::Min => steps[n] + inside.map(at).fold(outside, f64::max),
                Knot::Mean => {
                    steps[n]
                        + inside
                            .map(|edge| edge.1 * radii[edge.0 as usize])
                            .fold(self.doubt[n], |sum, term| sum + term)
                }
            }
        };
        let round = |radii: &mut [f64], pace: &mut Pace<'_>| {
            let mut change = 0.0f64;
            for n in (0..self.knots.len()).rev() {
                if pace.steps(1 + self.inside(n).len() / 8) {
                    return Err(SolveError::Stopped);
                }
                let next = radius(n, radii) + bounds::surplus(step);
                change = change.max(next - radii[n]);
                radii[n] = next;
            }
            Ok(change)
        };
        bounds::settle(list(self.knots.len() as u64, watch, |_| 0.0)?, step, round, watch)
    }
}
