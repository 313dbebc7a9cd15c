//! Games with dice: the exact mean payoff of every position.
//!
//! ```text
//! finished   what is paid
//! roll       the mean of what can happen        Σ probability × value
//! decision   the best for the player to move    max for the first player, min for the second
//! ```
//!
//! Tiers are solved from the last to the first, so a game without loops takes one pass. A tier with loops is
//! solved by going through its positions again and again until no value changes by more than the tolerance;
//! its positions lie in components that do not depend on each other, and later tiers are settled already.
//!
//! How far the values are from the exact ones is found afterwards, with a proof: `bounds.rs`.
//!
//! [`chance`] gives every position a value. [`chance_rolls`] keeps only the positions before a roll, which is
//! what large games can afford; see there for how it goes about loops.

mod bounds;
mod graph;
mod rolls;
mod verify;

pub use rolls::{chance_rolls, chance_rolls_kept, expand};
pub use verify::{Means, verify_chance, verify_rolls};

use crate::{Forget, SolveError};
use bounds::{Known, Radii, largest};
use graph::{Knot, TierGraph};
use outplay_core::{Chance, Crew, Game, Index, Pace, Tier, Turn, Watch};
use std::sync::Arc;

/// When a value counts as settled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settle {
    /// The largest change in the last round over a tier with loops.
    pub tolerance: f64,
    /// Rounds over a tier before giving up.
    pub most_rounds: u64,
}

impl Default for Settle {
    fn default() -> Settle {
        Settle { tolerance: 1e-13, most_rounds: 100_000 }
    }
}

/// How a tier came to rest: rounds over it, and the largest change in the last one. Nothing for a tier without loops.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Settled {
    /// Rounds.
    pub rounds: u64,
    /// The largest change in the last round.
    pub change: f64,
}

/// Mean payoffs of all numbered positions.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    tiers: Vec<Vec<f64>>,
    radii: Vec<Radii>,
    rounds: u64,
    change: f64,
}

impl Expected {
    fn new(tiers: u32) -> Expected {
        let tiers = tiers as usize;
        Expected { tiers: vec![Vec::new(); tiers], radii: vec![None; tiers], rounds: 0, change: 0.0 }
    }

    fn settle(&mut self, tier: Tier, values: Vec<f64>, settled: Settled, radii: Radii) {
        self.rounds += settled.rounds;
        self.change = self.change.max(settled.change);
        self.tiers[tier.0 as usize] = values;
        self.radii[tier.0 as usize] = radii;
    }

    fn known(&self) -> Known<'_> {
        Known { values: &self.tiers, radii: &self.radii }
    }

    /// How far the value of a numbered position is from the exact one at most, proven, if play ends with certainty;
    /// nothing where no bound was found.
    pub fn radius(&self, tier: Tier, number: u64) -> Option<f64> {
        self.radii[tier.0 as usize].as_ref().map(|radii| radii[number as usize])
    }

    /// How far any value is from the exact one at most.
    pub fn bound(&self) -> Option<f64> {
        self.radii.iter().try_fold(0.0, |bound: f64, radii| Some(bound.max(largest(radii.as_ref()?))))
    }

    /// The mean payoff of a numbered position with best play; the first player's, or, where the index is
    /// merged, the one of the player who rolls. NaN for a hole.
    pub fn value(&self, tier: Tier, number: u64) -> f64 {
        self.tiers[tier.0 as usize][number as usize]
    }

    /// The values of a tier by number.
    pub fn values(&self, tier: Tier) -> &[f64] {
        &self.tiers[tier.0 as usize]
    }

    /// Rounds over tiers with loops, in all.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The largest change in the last round over any tier: 0 for a game without loops.
    pub fn change(&self) -> f64 {
        self.change
    }
}

/// How far probabilities may be from summing to one.
const ROUNDING: f64 = 1e-9;

/// What can happen at a roll, checked.
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

/// Where known tiers of mean payoffs come from and where solved ones go.
pub trait KeepMeans {
    /// What can go wrong with either.
    type Error: From<SolveError>;

    /// The values of a tier by number and how they settled, if they are known already; asked of each tier before it
    /// is solved.
    ///
    /// # Errors
    ///
    /// The source is damaged.
    fn known(&mut self, tier: Tier) -> Result<Option<(Vec<f64>, Settled)>, Self::Error>;

    /// Takes a tier that was just solved.
    ///
    /// # Errors
    ///
    /// It cannot be kept.
    fn keep(&mut self, tier: Tier, values: &[f64], settled: Settled) -> Result<(), Self::Error>;

    /// Processes that solve the same game, each with all values, and share the decisions of [`chance_rolls_kept`].
    fn crew(&self) -> Option<Arc<dyn Crew>> {
        None
    }
}

impl KeepMeans for Forget {
    type Error = SolveError;

    fn known(&mut self, _tier: Tier) -> Result<Option<(Vec<f64>, Settled)>, SolveError> {
        Ok(None)
    }

    fn keep(&mut self, _tier: Tier, _values: &[f64], _settled: Settled) -> Result<(), SolveError> {
        Ok(())
    }
}

/// Solves every position of an index in which decisions and rolls have numbers, such as [`crate::Explored`].
///
/// # Errors
///
/// Probabilities that do not sum to one, play that never ends, values that do not settle, a fault or a stop.
pub fn chance<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    settle: Settle,
    watch: &dyn Watch,
) -> Result<Expected, SolveError> {
    chance_kept(game, index, settle, &mut Forget, watch)
}

/// The same with tiers that are known already, and a place for the others.
///
/// # Errors
///
/// As [`chance`], and those of the keeper.
pub fn chance_kept<G: Chance, I: Index<G>, K: KeepMeans>(
    game: &G,
    index: &I,
    settle: Settle,
    keeper: &mut K,
    watch: &dyn Watch,
) -> Result<Expected, K::Error> {
    let mut expected = Expected::new(index.tiers());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        if watch.stopped() {
            return Err(SolveError::Stopped.into());
        }
        let graph = tier_graph(game, index, tier, expected.known(), watch)?;
        if let Some((values, settled)) = keeper.known(tier)? {
            let radii = graph.radii(&values, watch)?;
            expected.settle(tier, values, settled, radii);
            continue;
        }
        let mut settled = Settled::default();
        let mut values = graph.start(watch)?;
        if index.loops(tier) {
            if let Some(number) = graph.endless(watch)? {
                let pos = index.unrank(tier, number);
                return Err(SolveError::Endless(format!("{pos:?}")).into());
            }
            let (rounds, change) = graph.settle(&mut values, settle, watch)?;
            settled = Settled { rounds, change };
        }
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why).into());
        }
        watch.advance(index.len(tier));
        keeper.keep(tier, &values, settled)?;
        let radii = graph.radii(&values, watch)?;
        expected.settle(tier, values, settled, radii);
    }
    Ok(expected)
}

/// Plays every move of a tier once.
fn tier_graph<G: Chance, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    known: Known<'_>,
    watch: &dyn Watch,
) -> Result<TierGraph, SolveError> {
    let mut graph = TierGraph::new(index.len(tier), watch)?;
    let (mut rolls, mut moves) = (Vec::new(), Vec::new());
    let mut trouble = None;
    let mut visit = |number: u64, pos: &G::Position| {
        if trouble.is_some() {
            return;
        }
        if let Some(payoff) = game.outcome(pos) {
            graph.add(number, Knot::Fixed(payoff.into()), &[]);
            return;
        }
        let knot = match game.turn(pos) {
            Turn::First => Knot::Max,
            Turn::Second => Knot::Min,
            Turn::Chance => Knot::Mean,
        };
        rolls.clear();
        if knot == Knot::Mean {
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
                graph::Edge::Known(known.values[to][number], radius, weight)
            })
            .collect();
        graph.add(number, knot, &edges);
    };
    let stopped = Pace::pieces(watch, 0..index.len(tier), &mut |piece| {
        index.walk(tier, piece, &mut visit);
    });
    match trouble {
        Some(error) => Err(error),
        None if stopped => Err(SolveError::Stopped),
        None => Ok(graph),
    }
}

/// The mean payoff for the first player by plain recursion, each position again and again: the oracle of the
/// solvers above, for games without loops.
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
