//! Explicit graph of one tier, for value iteration: node kinds and weighted edges.
//!
//! An *exit* is a move or roll that leads to another tier. The values there are constants, so the exits of a node are
//! combined into one number: the weighted sum for a roll, the best for a decision.

use super::Settle;
use super::bounds::{self, CLOSE, Radii, UNIT};
use crate::SolveError;
use crate::blocks::list;
use crate::error::check_stop;
use outplay_runtime::{Monitor, Pace};

/// How a node's value follows from its successors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum NodeKind {
    Hole,
    /// The game is over, or no edge stays in the tier.
    Fixed(f64),
    Max,
    Min,
    Mean,
}

/// A move or a roll with its probability. An exit carries its target's value and radius instead of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Edge {
    Inside(u32, f64),
    Exit(f64, f64, f64),
}

pub(super) struct TierGraph {
    kinds: Vec<NodeKind>,
    /// The best, or the weighted sum, of the exits.
    outside: Vec<f64>,
    /// Radius of `outside`.
    doubt: Vec<f64>,
    /// Whether the node has exits.
    leaves: Vec<bool>,
    /// Begin and end of each node's edges.
    spans: Vec<(usize, usize)>,
    edges: Vec<(u32, f64)>,
}

impl TierGraph {
    pub(super) fn new(len: u64, monitor: &dyn Monitor) -> Result<TierGraph, SolveError> {
        Ok(TierGraph {
            kinds: list(len, monitor, |_| NodeKind::Hole)?,
            outside: list(len, monitor, |_| f64::NAN)?,
            doubt: list(len, monitor, |_| 0.0)?,
            leaves: list(len, monitor, |_| false)?,
            spans: list(len, monitor, |_| (0, 0))?,
            edges: Vec::new(),
        })
    }

    /// Adds a position.
    pub(super) fn add(&mut self, number: u64, kind: NodeKind, edges: &[Edge]) {
        let (n, begin) = (number as usize, self.edges.len());
        let mut outside = match kind {
            NodeKind::Max => f64::NEG_INFINITY,
            NodeKind::Min => f64::INFINITY,
            _ => 0.0,
        };
        let mut size = 0.0;
        for &edge in edges {
            match edge {
                Edge::Inside(to, weight) => self.edges.push((to, weight)),
                Edge::Exit(value, _, weight) => {
                    self.leaves[n] = true;
                    size += (value * weight).abs();
                    outside = match kind {
                        NodeKind::Max => outside.max(value),
                        NodeKind::Min => outside.min(value),
                        _ => outside + value * weight,
                    };
                }
            }
        }
        self.doubt[n] = match kind {
            // Each probability, each product and each sum is rounded.
            NodeKind::Mean => (edges.len() as f64 + 2.0) * UNIT * size,
            _ => 0.0,
        };
        for &edge in edges {
            match (edge, kind) {
                (Edge::Exit(_, radius, weight), NodeKind::Mean) => self.doubt[n] += radius * weight,
                (Edge::Exit(value, radius, _), _) if (value - outside).abs() <= CLOSE => {
                    self.doubt[n] = self.doubt[n].max(radius);
                }
                _ => {}
            }
        }
        self.kinds[n] = kind;
        self.outside[n] = outside;
        self.spans[n] = (begin, self.edges.len());
    }

    /// Initial values: exact for nodes without edges in the tier, 0 otherwise.
    pub(super) fn start(&self, monitor: &dyn Monitor) -> Result<Vec<f64>, SolveError> {
        let value = |n: usize| match self.kinds[n] {
            NodeKind::Hole => f64::NAN,
            NodeKind::Fixed(payoff) => payoff,
            _ if self.inside(n).is_empty() => self.outside[n],
            _ => 0.0,
        };
        list(self.kinds.len() as u64, monitor, |n| value(n as usize))
    }

    /// Whether any edge stays in the tier.
    pub(super) fn stays(&self) -> bool {
        !self.edges.is_empty()
    }

    fn inside(&self, n: usize) -> &[(u32, f64)] {
        let (begin, end) = self.spans[n];
        &self.edges[begin..end]
    }

    fn value(&self, n: usize, values: &[f64]) -> f64 {
        let at = |&(to, _): &(u32, f64)| values[to as usize];
        let inside = self.inside(n).iter();
        match self.kinds[n] {
            NodeKind::Hole => f64::NAN,
            NodeKind::Fixed(payoff) => payoff,
            NodeKind::Max => inside.map(at).fold(self.outside[n], f64::max),
            NodeKind::Min => inside.map(at).fold(self.outside[n], f64::min),
            NodeKind::Mean => {
                inside.map(|edge| edge.1 * at(edge)).fold(self.outside[n], |sum, term| sum + term)
            }
        }
    }

    /// A position from which no sequence of moves and rolls leaves the tier or ends the game.
    pub(super) fn endless(&self, monitor: &dyn Monitor) -> Result<Option<u64>, SolveError> {
        let ending = |n: usize| self.leaves[n] || matches!(self.kinds[n], NodeKind::Fixed(_));
        let mut ends: Vec<bool> = list(self.kinds.len() as u64, monitor, |n| ending(n as usize))?;
        let mut pace = Pace::new(monitor);
        loop {
            let mut changed = false;
            for n in (0..self.kinds.len()).rev() {
                check_stop(pace.step())?;
                if !ends[n] && self.inside(n).iter().any(|&(to, _)| ends[to as usize]) {
                    ends[n] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Ok((0..self.kinds.len()).find(|&n| !ends[n] && self.kinds[n] != NodeKind::Hole).map(|n| n as u64))
    }

    /// Gauss–Seidel value iteration: sweeps update values in place until the residual is within the tolerance.
    /// Returns the number of sweeps and the last residual.
    pub(super) fn settle(
        &self,
        values: &mut [f64],
        settle: Settle,
        monitor: &dyn Monitor,
    ) -> Result<(u64, f64), SolveError> {
        let (mut change, mut last) = (f64::INFINITY, f64::INFINITY);
        let mut pace = Pace::new(monitor);
        for round in 0..settle.most_rounds {
            change = 0.0;
            // Late positions are closer to the end, so descending order propagates values far in one sweep.
            for n in (0..self.kinds.len()).rev() {
                check_stop(pace.steps(1 + self.inside(n).len() / 8))?;
                if self.inside(n).is_empty() {
                    continue;
                }
                let value = self.value(n, values);
                change = change.max((value - values[n]).abs());
                values[n] = value;
            }
            // Below the tolerance, iteration continues as long as the residual still shrinks.
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

    /// Whether play leaves the tier with probability 1 under every strategy: no decisions keep all rolls in it.
    fn certain(&self, monitor: &dyn Monitor) -> Result<bool, SolveError> {
        // Greatest fixed point: nodes from which play may stay for ever, so far.
        let mut stays: Vec<bool> =
            list(self.kinds.len() as u64, monitor, |n| !self.inside(n as usize).is_empty())?;
        let mut pace = Pace::new(monitor);
        loop {
            let mut changed = false;
            for n in (0..self.kinds.len()).rev().filter(|&n| self.kinds[n] != NodeKind::Hole) {
                check_stop(pace.steps(1 + self.inside(n).len() / 8))?;
                if !stays[n] {
                    continue;
                }
                let mut next = self.inside(n).iter().map(|&(to, _)| stays[to as usize]);
                let on = match self.kinds[n] {
                    NodeKind::Mean => !self.leaves[n] && next.all(|stays| stays),
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

    /// Bounds on the error of each value; see `bounds.rs`.
    pub(super) fn radii(&self, values: &[f64], monitor: &dyn Monitor) -> Result<Radii, SolveError> {
        let loops = !self.edges.is_empty();
        if self.doubt.contains(&f64::INFINITY) || (loops && !self.certain(monitor)?) {
            return Ok(None);
        }
        let step_of = |n: usize| {
            let rounding = match self.kinds[n] {
                NodeKind::Mean => {
                    let size = |&(to, weight): &(u32, f64)| (values[to as usize] * weight).abs();
                    let inside: f64 = self.inside(n).iter().map(size).sum();
                    (self.inside(n).len() as f64 + 3.0) * UNIT * (inside + self.outside[n].abs())
                }
                _ => 0.0,
            };
            (self.value(n, values) - values[n]).abs() + rounding
        };
        let steps: Vec<f64> = list(self.kinds.len() as u64, monitor, |n| step_of(n as usize))?;
        let step = if loops { bounds::largest(&steps) } else { 0.0 };
        let radius = |n: usize, radii: &[f64]| {
            let near = |value: f64| (value - values[n]).abs() <= CLOSE;
            let at = |&(to, _): &(u32, f64)| if near(values[to as usize]) { radii[to as usize] } else { 0.0 };
            let inside = self.inside(n).iter();
            let outside = if near(self.outside[n]) { self.doubt[n] } else { 0.0 };
            match self.kinds[n] {
                NodeKind::Hole => f64::NAN,
                NodeKind::Fixed(_) => steps[n],
                NodeKind::Max | NodeKind::Min => steps[n] + inside.map(at).fold(outside, f64::max),
                NodeKind::Mean => {
                    steps[n]
                        + inside
                            .map(|edge| edge.1 * radii[edge.0 as usize])
                            .fold(self.doubt[n], |sum, term| sum + term)
                }
            }
        };
        let round = |radii: &mut [f64], pace: &mut Pace<'_>| {
            let mut change = 0.0f64;
            for n in (0..self.kinds.len()).rev() {
                check_stop(pace.steps(1 + self.inside(n).len() / 8))?;
                let next = radius(n, radii) + bounds::surplus(step);
                change = change.max(next - radii[n]);
                radii[n] = next;
            }
            Ok(change)
        };
        bounds::settle(list(self.kinds.len() as u64, monitor, |_| 0.0)?, step, round, monitor)
    }
}
