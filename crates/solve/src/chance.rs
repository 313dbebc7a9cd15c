//! Expected payoffs of games with chance (stochastic games), for every position.
//!
//! ```text
//! position   value
//! finished   the payoff
//! roll       the expectation                     Σ probability × value
//! decision   the best for the player to move     max for the first player, min for the second
//! ```
//!
//! Tiers are solved from the last to the first, so an acyclic game takes one pass (expectiminimax, Michie 1966,
//! bottom-up). A cyclic tier is solved by Gauss–Seidel value iteration (Shapley 1953) until no value changes by more
//! than the tolerance; values of later tiers are constants by then.
//!
//! `bounds.rs` computes a proven bound on the error of every value afterwards.
//!
//! [`chance`] stores a value for every position. [`chance_rolls`] stores only the positions before a roll, for large
//! games, and solves cyclic tiers by modified policy iteration.

mod bounds;
mod graph;
mod rolls;
mod verify;

pub use rolls::{chance_rolls, chance_rolls_kept, expand};
pub use verify::{Means, verify_chance, verify_rolls};

use crate::error::{check_fault, check_stop};
use crate::lawful::{check_start, check_tier};
use crate::{Forget, SolveError};
use bounds::{Radii, SolvedMeans, largest};
use graph::{NodeKind, TierGraph};
use outplay_core::index_laws::{Gaps, may_stay};
use outplay_core::{Chance, Game, Index, Tier, Turn};
use outplay_runtime::{Communicator, Monitor, Pace};
use std::sync::Arc;

/// Stopping rule of value iteration: tolerance and maximum number of sweeps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settle {
    /// Residual at which iteration stops: the largest change of a value in one sweep over a cyclic tier.
    pub tolerance: f64,
    /// Maximum number of sweeps over a tier.
    pub most_rounds: u64,
}

impl Default for Settle {
    fn default() -> Settle {
        Settle { tolerance: 1e-13, most_rounds: 100_000 }
    }
}

/// Convergence of value iteration in a tier: number of sweeps and last residual. Both are 0 for an acyclic tier.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TierConvergence {
    /// Sweeps over the tier.
    pub rounds: u64,
    /// Residual: the largest change in the last sweep.
    pub change: f64,
}

/// Expected payoffs of all positions of an index.
#[derive(Clone, Debug, Default)]
pub struct ExpectedPayoffs {
    tiers: Vec<Vec<f64>>,
    radii: Vec<Radii>,
    rounds: u64,
    change: f64,
}

impl ExpectedPayoffs {
    fn new(tiers: u32) -> ExpectedPayoffs {
        let tiers = tiers as usize;
        ExpectedPayoffs { tiers: vec![Vec::new(); tiers], radii: vec![None; tiers], rounds: 0, change: 0.0 }
    }

    fn settle(&mut self, tier: Tier, values: Vec<f64>, settled: TierConvergence, radii: Radii) {
        self.rounds += settled.rounds;
        self.change = self.change.max(settled.change);
        self.tiers[tier.0 as usize] = values;
        self.radii[tier.0 as usize] = radii;
    }

    fn known(&self) -> SolvedMeans<'_> {
        SolvedMeans { values: &self.tiers, radii: &self.radii }
    }

    /// Proven bound on the error of a position's value, provided that play ends with probability 1; `None` where no
    /// bound was found.
    pub fn radius(&self, tier: Tier, number: u64) -> Option<f64> {
        self.radii[tier.0 as usize].as_ref().map(|radii| radii[number as usize])
    }

    /// Proven bound on the error of all values.
    pub fn bound(&self) -> Option<f64> {
        self.radii.iter().try_fold(0.0, |bound: f64, radii| Some(bound.max(largest(radii.as_ref()?))))
    }

    /// Expected payoff of a numbered position with best play: the first player's, or, where the index is merged, that
    /// of the player who rolls. NaN for a hole.
    pub fn value(&self, tier: Tier, number: u64) -> f64 {
        self.tiers[tier.0 as usize][number as usize]
    }

    /// The values of a tier by number.
    pub fn values(&self, tier: Tier) -> &[f64] {
        &self.tiers[tier.0 as usize]
    }

    /// Number of sweeps over all cyclic tiers.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The largest last residual of all tiers: 0 for an acyclic game.
    pub fn change(&self) -> f64 {
        self.change
    }
}

/// Tolerance for the sum of the probabilities of a chance node.
const ROUNDING: f64 = 1e-9;

/// Lists the outcomes of a chance node and checks their probabilities.
fn outcomes<G: Chance>(game: &G, pos: &G::Position, out: &mut Vec<(G::Move, f64)>) -> Result<(), SolveError> {
    out.clear();
    game.outcomes(pos, out);
    let sum: f64 = out.iter().map(|&(_, probability)| probability).sum();
    let sane = out.iter().all(|&(_, probability)| (0.0..=1.0 + ROUNDING).contains(&probability));
    if !sane || (sum - 1.0).abs() > ROUNDING {
        return Err(SolveError::Probabilities(format!("{pos:?}"), sum.to_string()));
    }
    Ok(())
}

/// Checkpoint store for tiers of expected payoffs, so that an interrupted run can resume.
pub trait KeepMeans {
    /// Error of loading or storing.
    type Error: From<SolveError>;

    /// Returns the stored values of a tier by number and how they converged, or `None` if the tier has to be solved.
    /// Called once per tier, before it is solved.
    ///
    /// # Errors
    ///
    /// The stored tier is damaged.
    fn known(&mut self, tier: Tier) -> Result<Option<(Vec<f64>, TierConvergence)>, Self::Error>;

    /// Stores a tier that was just solved.
    ///
    /// # Errors
    ///
    /// The tier cannot be stored.
    fn keep(&mut self, tier: Tier, values: &[f64], settled: TierConvergence) -> Result<(), Self::Error>;

    /// Ranks that solve the same game, each with all values, and share the improvement steps of
    /// [`chance_rolls_kept`].
    fn crew(&self) -> Option<Arc<dyn Communicator>> {
        None
    }
}

impl KeepMeans for Forget {
    type Error = SolveError;

    fn known(&mut self, _tier: Tier) -> Result<Option<(Vec<f64>, TierConvergence)>, SolveError> {
        Ok(None)
    }

    fn keep(&mut self, _tier: Tier, _values: &[f64], _settled: TierConvergence) -> Result<(), SolveError> {
        Ok(())
    }
}

/// Solves every position of an index in which both decisions and rolls have numbers, such as [`crate::ExploredGame`].
///
/// # Errors
///
/// Probabilities that do not sum to one, play that never ends, values that do not converge, a fault, or cancellation.
pub fn chance<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    settle: Settle,
    monitor: &dyn Monitor,
) -> Result<ExpectedPayoffs, SolveError> {
    chance_kept(game, index, settle, &mut Forget, monitor)
}

/// Like [`chance`], with a checkpoint store: stored tiers are loaded, the others solved and stored.
///
/// # Errors
///
/// As [`chance`], and those of the checkpoint store.
pub fn chance_kept<G: Chance, I: Index<G>, K: KeepMeans>(
    game: &G,
    index: &I,
    settle: Settle,
    keeper: &mut K,
    monitor: &dyn Monitor,
) -> Result<ExpectedPayoffs, K::Error> {
    check_start(game, index, Gaps::None)?;
    let mut expected = ExpectedPayoffs::new(index.tiers());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        check_stop(monitor.stopped())?;
        check_tier(game, index, tier, Gaps::None, &|_| true, monitor)?;
        let graph = tier_graph(game, index, tier, expected.known(), monitor)?;
        if let Some((values, settled)) = keeper.known(tier)? {
            let radii = graph.radii(&values, monitor)?;
            expected.settle(tier, values, settled, radii);
            continue;
        }
        let mut settled = TierConvergence::default();
        let mut values = graph.start(monitor)?;
        if may_stay(index, tier) && graph.stays() {
            if let Some(number) = graph.endless(monitor)? {
                let pos = index.unrank(tier, number);
                return Err(SolveError::Endless(format!("{pos:?}")).into());
            }
            let (rounds, change) = graph.settle(&mut values, settle, monitor)?;
            settled = TierConvergence { rounds, change };
        }
        check_fault(game)?;
        monitor.advance(index.len(tier));
        keeper.keep(tier, &values, settled)?;
        let radii = graph.radii(&values, monitor)?;
        expected.settle(tier, values, settled, radii);
    }
    Ok(expected)
}

/// Builds the graph of a tier by playing every move once.
fn tier_graph<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    known: SolvedMeans<'_>,
    monitor: &dyn Monitor,
) -> Result<TierGraph, SolveError> {
    let mut graph = TierGraph::new(index.len(tier), monitor)?;
    let (mut rolls, mut moves) = (Vec::new(), Vec::new());
    let mut trouble = None;
    let mut visit = |number: u64, pos: &G::Position| {
        if trouble.is_some() {
            return;
        }
        if let Some(payoff) = game.outcome(pos) {
            graph.add(number, NodeKind::Fixed(payoff.into()), &[]);
            return;
        }
        let kind = match game.turn(pos) {
            Turn::First => NodeKind::Max,
            Turn::Second => NodeKind::Min,
            Turn::Chance => NodeKind::Mean,
        };
        rolls.clear();
        if kind == NodeKind::Mean {
            trouble = outcomes(game, pos, &mut rolls).err();
        } else {
            moves.clear();
            game.moves(pos, &mut moves);
            rolls.extend(moves.iter().map(|&mv| (mv, 1.0)));
        }
        let edges: Vec<graph::Edge> = rolls
            .iter()
            .map(|&(mv, weight)| {
                let (to, number) = index.rank(&game.play(pos, mv));
                if to == tier {
                    return graph::Edge::Inside(number as u32, weight);
                }
                let (to, number) = (to.0 as usize, number as usize);
                let radius = known.radii[to].as_ref().map_or(f64::INFINITY, |radii| radii[number]);
                graph::Edge::Exit(known.values[to][number], radius, weight)
            })
            .collect();
        graph.add(number, kind, &edges);
    };
    let stopped = Pace::pieces(monitor, 0..index.len(tier), &mut |piece| {
        index.walk(tier, piece, &mut visit);
    });
    match trouble {
        Some(error) => Err(error),
        None if stopped => Err(SolveError::Stopped),
        None => Ok(graph),
    }
}

/// The first player's expected payoff by plain recursion (expectiminimax without memory): the oracle of the solvers
/// above, for acyclic games.
pub fn plain_chance<G: Chance>(game: &G, pos: &G::Position) -> f64 {
    if let Some(payoff) = game.outcome(pos) {
        return payoff.into();
    }
    let turn = Game::turn(game, pos);
    if turn == Turn::Chance {
        let mut rolls = Vec::new();
        game.outcomes(pos, &mut rolls);
        return rolls.iter().map(|&(mv, weight)| weight * plain_chance(game, &game.play(pos, mv))).sum();
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let values = moves.iter().map(|&mv| plain_chance(game, &game.play(pos, mv)));
    match turn {
        Turn::Second => values.fold(f64::INFINITY, f64::min),
        _ => values.fold(f64::NEG_INFINITY, f64::max),
    }
}
