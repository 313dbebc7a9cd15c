//! One tier as a graph: what each position is, and where its moves and rolls lead.
//!
//! Moves that leave the tier lead to settled values, so they are folded into one number: their weighted sum
//! for a roll, their best for a decision.

use super::Settle;
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

/// A move or a roll, with its probability.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Edge {
    Inside(u32, f64),
    Known(f64, f64),
}

pub(super) struct TierGraph {
    knots: Vec<Knot>,
    /// The best, or the weighted sum, of moves and rolls that leave the tier.
    outside: Vec<f64>,
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
        for &edge in edges {
            match edge {
                Edge::Inside(to, weight) => self.edges.push((to, weight)),
                Edge::Known(value, weight) => {
                    self.leaves[n] = true;
                    outside = match knot {
                        Knot::Max => outside.max(value),
                        Knot::Min => outside.min(value),
                        _ => outside + value * weight,
                    };
                }
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
        let mut change = f64::INFINITY;
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
            if change <= settle.tolerance {
                return Ok((round + 1, change));
            }
        }
        Err(SolveError::Unsettled(settle.most_rounds, format!("{change:e}")))
    }
}
