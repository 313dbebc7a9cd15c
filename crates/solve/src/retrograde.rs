//! Retrograde analysis: exact values of games in which play can go round in circles.
//!
//! ```text
//! finished ──▶ won in 1 ──▶ lost in 2 ──▶ won in 3 ──▶ …        what is never reached is a draw
//! ```
//!
//! Tiers are solved from the last to the first, and within a tier from its finished positions and its moves
//! to later tiers backwards. The work is linear in the number of moves. Backward steps come from
//! [`Predecessors`] where an index has them ([`retrograde`]) and from a stored graph where it has not
//! ([`retrograde_by_graph`]); a game with forward moves only gets its index from [`crate::Explored`].
//!
//! # Draws
//!
//! A position is *drawn* if neither player can force a positive payoff: play for ever pays 0. A drawn
//! position is a [`Value::TIE`] if a player can *force an end*, which means that, whatever the other does, the
//! game ends and pays this player 0 or more; it is a [`Value::REPETITION`] if nobody can. Chess: a stalemate
//! is a tie and so is a position from which a player can force one; two bare kings repeat.
//!
//! # Memory
//!
//! While a tier is solved: two bytes a number and four for each position of the levels at work, with a stored
//! graph four more for each move. Afterwards: a code a number, or two bits without distances.

mod back;
mod bits;
mod code;
mod ends;
mod shelf;
mod stable;
mod tier;
mod verify;
mod words;

pub use bits::TwoBits;
pub use code::LoopCode;
pub use stable::{Stable, sweep_until_stable};
pub use verify::{Flaw, Verified, verify_loops};

use crate::{SolveError, Tally};
use back::{Back, ByGraph, ByRule};
use outplay_core::{Code, Game, Index, Predecessors, Probe, ProbeError, Tier, Value, Watch};
use shelf::{Codes, Shelf};
use tier::TierSolver;

/// What to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Exact distances; without them values take two bits and only payoffs −1, 0, 1 are possible.
    pub distance: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { distance: true }
    }
}

/// The values of all tiers, and how many positions have which.
pub struct Solved<C> {
    shelves: Vec<Shelf<C>>,
    tally: Tally,
    levels: u64,
}

impl<C: Code> Solved<C> {
    /// The value of a numbered position, `None` for a hole. Without distances, wins and losses read as in 0.
    pub fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        self.shelves[tier.0 as usize].value(number)
    }

    /// The codes of a tier by number; `None` if it was solved without distances.
    ///
    /// A code type that cannot tell the two draws apart has the code of a tie for both.
    pub fn codes(&self, tier: Tier) -> Option<&[C]> {
        match &self.shelves[tier.0 as usize].codes {
            Codes::Exact(codes) => Some(codes),
            Codes::Wdl(_) => None,
        }
    }

    /// Two bits a number (0 hole, 1 loss, 2 draw, 3 win) of a tier that was solved without distances.
    pub fn verdicts(&self, tier: Tier) -> Option<&TwoBits> {
        match &self.shelves[tier.0 as usize].codes {
            Codes::Exact(_) => None,
            Codes::Wdl(bits) => Some(bits),
        }
    }

    /// How many positions have which value, in the tiers that [`Index::counted`] names.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How many levels, payoffs at distances, were worked off in all tiers.
    pub fn levels(&self) -> u64 {
        self.levels
    }
}

/// Solved values as a source that search and players can ask.
pub struct Known<'a, I, C> {
    /// The numbering.
    pub index: &'a I,
    /// The values.
    pub solved: &'a Solved<C>,
}

impl<G: Game, I: Index<G>, C: Code> Probe<G> for Known<'_, I, C> {
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError> {
        let (tier, number) = self.index.rank(pos);
        Ok(self.solved.value(tier, number))
    }
}

/// Solves every position of an index that knows predecessors.
///
/// # Errors
///
/// Chance, values or tiers too large, a fault of the rules, or a stop.
pub fn retrograde<G: Game, I: Predecessors<G>, C: Code>(
    game: &G,
    index: &I,
    options: Options,
    watch: &dyn Watch,
) -> Result<Solved<C>, SolveError> {
    all_tiers(game, index, options, watch, |tier| Ok(ByRule { game, index, tier }))
}

/// Solves every position of any index; the moves within a tier are listed first and kept backwards.
///
/// # Errors
///
/// As [`retrograde`].
pub fn retrograde_by_graph<G: Game, I: Index<G>, C: Code>(
    game: &G,
    index: &I,
    options: Options,
    watch: &dyn Watch,
) -> Result<Solved<C>, SolveError> {
    all_tiers(game, index, options, watch, |tier| ByGraph::new(game, index, tier, watch))
}

fn all_tiers<G: Game, I: Index<G>, B: Back<G>, C: Code>(
    game: &G,
    index: &I,
    options: Options,
    watch: &dyn Watch,
    back: impl Fn(Tier) -> Result<B, SolveError>,
) -> Result<Solved<C>, SolveError> {
    let tiers = index.tiers();
    let mut shelves: Vec<Shelf<C>> = (0..tiers).map(|_| Shelf::default()).collect();
    let mut tally = Tally::new(tiers, index.merged());
    let mut levels = 0;
    for t in (0..tiers).rev() {
        let tier = Tier(t);
        if tiers <= MOST_STAGES {
            watch.stage(&index.tier_name(tier), index.len(tier));
        }
        let back = back(tier)?;
        let solver = TierSolver { game, index, back: &back, tier, solved: &shelves, options, watch };
        let outcome = solver.solve()?;
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why));
        }
        shelves[t as usize] = outcome.shelf;
        tally.tiers[t as usize] = outcome.tally;
        levels += outcome.levels;
    }
    Ok(Solved { shelves, tally, levels })
}

/// An explored index can have thousands of tiny tiers, which nobody wants to hear of one by one.
const MOST_STAGES: u32 = 200;
