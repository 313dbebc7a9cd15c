//! Retrograde analysis (Ströhlein 1970; Thompson 1986): exact values of games with cycles.
//!
//! ```text
//! finished ──▶ won in 1 ──▶ lost in 2 ──▶ won in 3 ──▶ …        positions not reached this way are draws
//! ```
//!
//! Tiers are solved from the last to the first. Within a tier, values propagate backwards from finished positions and
//! from moves to later tiers. The work is linear in the number of moves.
//!
//! - Predecessors come from [`Predecessors`] where an index has them ([`retrograde`]), and from a stored reverse graph
//!   otherwise ([`retrograde_by_graph`]).
//! - A game that has no index gets one by exploration ([`crate::ExploredGame`]), with a stored reverse graph.
//! - An index that provides its tiers as [`outplay_core::Sets`] is solved bit-parallel, 64 positions at a time.
//!
//! # Draws
//!
//! A position is *drawn* if neither player can force a positive payoff: infinite play pays 0. A player *can force an
//! end* of a drawn position if that player can make the game end, against every defence, with a payoff of 0 or more. A
//! drawn position is a [`Value::TIE`] if at least one player can force an end, and a [`Value::REPETITION`] otherwise.
//! In chess, stalemate is a tie, and so is a position from which a player can force stalemate; two bare kings are a
//! draw by repetition.
//!
//! # Memory
//!
//! While a tier is solved: two bytes per rank, four bytes per position of the pending levels, and with a stored graph
//! four bytes per move. Afterwards: one code per rank, or two bits without distances.

mod back;
mod bits;
mod code;
mod detours;
mod ends;
mod forced;
mod looking;
mod sets;
mod shelf;
mod stable;
mod tier;
mod verify;
mod words;

pub use bits::TwoBits;
pub use code::{Draws, LoopCode, WideLoopCode};
pub use looking::looked_up;
pub use stable::{Stable, sweep_until_stable};
pub use verify::{Flaw, Verification, verify_loops};

use crate::blocks::for_blocks;
use crate::error::check_fault;
use crate::lawful::{check_start, check_tier};
use crate::{SolveError, Tally, TierTally};
use back::{Back, ByGraph, ByRule};
use outplay_core::index_laws::Gaps;
use outplay_core::{Code, Game, Index, Predecessors, Probe, ProbeError, Tier, Turn, Value};
use outplay_runtime::{Monitor, NoMonitor};
use sets::SetSolver;
use shelf::{Codes, SolvedTier};
use std::sync::Mutex;
use tier::TierSolver;

/// Options of a retrograde analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetrogradeOptions {
    /// Computes exact distances; without them values take two bits and only payoffs −1, 0, 1 are possible.
    pub distance: bool,
    /// Solves bit-parallel where an index provides [`outplay_core::Sets`]; otherwise position by position, which is
    /// slower and gives the same values.
    pub sets: bool,
}

impl Default for RetrogradeOptions {
    fn default() -> RetrogradeOptions {
        RetrogradeOptions { distance: true, sets: true }
    }
}

/// Result of a retrograde analysis: the values of all tiers, with counts of positions by value.
pub struct RetrogradeValues<C> {
    solved_tiers: Vec<SolvedTier<C>>,
    /// Counts of every tier.
    counts: Vec<TierTally>,
    /// Counts of the tiers that [`Index::counted`] includes.
    tally: Tally,
    levels: u64,
}

impl<C: Code> RetrogradeValues<C> {
    /// The value of a numbered position, `None` for a hole or a tier that is not loaded. Without distances, every win
    /// and loss has distance 0.
    pub fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        self.solved_tiers.get(tier.0 as usize)?.value(number)
    }

    /// Whether the values of a tier are in memory: always, unless the store releases tiers ([`Keep::releases`]).
    pub fn is_loaded(&self, tier: Tier) -> bool {
        !self.solved_tiers[tier.0 as usize].is_empty()
    }

    /// The codes of a tier by number; `None` if it was solved without distances.
    ///
    /// A code type that does not distinguish the two kinds of draw stores the code of a tie for both.
    pub fn codes(&self, tier: Tier) -> Option<&[C]> {
        match &self.solved_tiers[tier.0 as usize].codes {
            Codes::Exact(codes) => Some(codes),
            Codes::Wdl(_) => None,
        }
    }

    /// The code of a numbered position, `None` for a hole. The code of a draw includes which players can force an
    /// end.
    pub fn code<D: Draws>(&self, tier: Tier, number: u64) -> Option<D> {
        let solved_tier = &self.solved_tiers[tier.0 as usize];
        let value = solved_tier.value(number)?;
        if value.payoff() == 0 {
            let (mover, opponent) = solved_tier.ends.both(number);
            return Some(D::draw(mover, opponent));
        }
        D::pack(value)
    }

    /// Two bits a number (0 hole, 1 loss, 2 draw, 3 win) of a tier that was solved without distances.
    pub fn verdicts(&self, tier: Tier) -> Option<&TwoBits> {
        match &self.solved_tiers[tier.0 as usize].codes {
            Codes::Exact(_) => None,
            Codes::Wdl(bits) => Some(bits),
        }
    }

    /// Counts of positions by value, in the tiers that [`Index::counted`] includes.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Counts of a tier's positions by value, whether or not [`Index::counted`] includes the tier.
    pub fn tier_tally(&self, tier: Tier) -> &TierTally {
        &self.counts[tier.0 as usize]
    }

    fn add<G: Game>(
        &mut self,
        index: &impl Index<G>,
        tier: Tier,
        solved_tier: SolvedTier<C>,
        counts: TierTally,
    ) {
        let t = tier.0 as usize;
        if index.counted(tier) {
            self.tally.tiers[t] = counts.clone();
        }
        self.counts[t] = counts;
        self.solved_tiers[t] = solved_tier;
    }

    /// Number of levels (pairs of payoff and distance) processed in all tiers.
    pub fn levels(&self) -> u64 {
        self.levels
    }
}

/// A [`Probe`] of the values that retrograde analysis has found, for searches and players.
pub struct SolvedProbe<'a, G, I, C> {
    /// The rules, for positions without a number.
    pub game: &'a G,
    /// The numbering.
    pub index: &'a I,
    /// The values.
    pub solved: &'a RetrogradeValues<C>,
}

impl<G: Game, I: Index<G>, C: Code> Probe<G> for SolvedProbe<'_, G, I, C> {
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError> {
        looked_up(self.game, self.index, pos, &|tier, number| Ok(self.solved.value(tier, number)))
    }
}

/// Checkpoint store for solved tiers, so that an interrupted run can resume.
pub trait Keep<C> {
    /// Error of loading or storing.
    type Error: From<SolveError>;

    /// Returns the stored codes of a tier by number, or `None` if the tier has to be solved. Codes of holes are
    /// arbitrary. Called once per tier, before it is solved, from the last tier to the first.
    ///
    /// # Errors
    ///
    /// The stored tier is damaged.
    fn known(&mut self, tier: Tier) -> Result<Option<Vec<C>>, Self::Error>;

    /// Returns the counts of the tier that [`Keep::known`] just returned; with `None` its positions are counted
    /// again.
    fn counts(&mut self, _tier: Tier) -> Option<TierTally> {
        None
    }

    /// Stores a tier that was just solved.
    ///
    /// # Errors
    ///
    /// The tier cannot be stored.
    fn keep(&mut self, solved: &RetrogradeValues<C>, tier: Tier) -> Result<(), Self::Error>;

    /// Whether stored tiers leave the memory while no tier in work needs them. The result then lacks the values of
    /// most tiers ([`RetrogradeValues::is_loaded`]), and their readers use the store.
    fn releases(&self) -> bool {
        false
    }

    /// Loads the codes of a stored tier again; called only if the store releases tiers.
    ///
    /// # Errors
    ///
    /// The stored tier is damaged.
    fn again(&mut self, _tier: Tier) -> Result<Option<Vec<C>>, Self::Error> {
        Ok(None)
    }
}

/// A checkpoint store that loads and stores nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forget;

impl<C> Keep<C> for Forget {
    type Error = SolveError;

    fn known(&mut self, _tier: Tier) -> Result<Option<Vec<C>>, SolveError> {
        Ok(None)
    }

    fn keep(&mut self, _solved: &RetrogradeValues<C>, _tier: Tier) -> Result<(), SolveError> {
        Ok(())
    }
}

/// Solves every position of an index that provides predecessors.
///
/// # Errors
///
/// Chance, values or tiers too large, an index that breaks a law, a fault of the rules, or cancellation.
pub fn retrograde<G: Game, I: Predecessors<G>, C: Code>(
    game: &G,
    index: &I,
    options: RetrogradeOptions,
    monitor: &dyn Monitor,
) -> Result<RetrogradeValues<C>, SolveError> {
    all_tiers(game, index, options, monitor, |tier| Ok(ByRule { game, index, tier }), &mut NoStore)
}

/// Like [`retrograde`], with a checkpoint store: stored tiers are loaded, the others solved and stored.
///
/// # Errors
///
/// As [`retrograde`], and those of the checkpoint store.
pub fn retrograde_kept<G: Game, I: Predecessors<G>, C: Draws, K: Keep<C>>(
    game: &G,
    index: &I,
    options: RetrogradeOptions,
    keeper: &mut K,
    monitor: &dyn Monitor,
) -> Result<RetrogradeValues<C>, K::Error> {
    let store = &mut CheckpointStore { keeper, options, monitor };
    all_tiers(game, index, options, monitor, |tier| Ok(ByRule { game, index, tier }), store)
}

/// Solves every position of any index. The moves within a tier are enumerated once and stored as a reverse graph.
///
/// # Errors
///
/// As [`retrograde`].
pub fn retrograde_by_graph<G: Game, I: Index<G>, C: Code>(
    game: &G,
    index: &I,
    options: RetrogradeOptions,
    monitor: &dyn Monitor,
) -> Result<RetrogradeValues<C>, SolveError> {
    let back = |tier| ByGraph::new(game, index, tier, monitor);
    all_tiers(game, index, options, monitor, back, &mut NoStore)
}

/// Like [`retrograde_by_graph`], with a checkpoint store: stored tiers are loaded, the others solved and stored.
///
/// # Errors
///
/// As [`retrograde`], and those of the checkpoint store.
pub fn retrograde_by_graph_kept<G: Game, I: Index<G>, C: Draws, K: Keep<C>>(
    game: &G,
    index: &I,
    options: RetrogradeOptions,
    keeper: &mut K,
    monitor: &dyn Monitor,
) -> Result<RetrogradeValues<C>, K::Error> {
    let back = |tier| ByGraph::new(game, index, tier, monitor);
    all_tiers(game, index, options, monitor, back, &mut CheckpointStore { keeper, options, monitor })
}

/// A loaded tier, with its counts if the store has them.
type Fetched<C> = (SolvedTier<C>, Option<TierTally>);

/// The checkpoint store as the solver uses it.
trait TierStore<C, E> {
    /// Loads a tier that was solved by an earlier run.
    fn known(&mut self, tier: Tier, len: u64) -> Result<Option<Fetched<C>>, E>;
    /// Stores a tier.
    fn keep(&mut self, solved: &RetrogradeValues<C>, tier: Tier) -> Result<(), E>;
    /// Loads a stored tier again, if the store releases tiers.
    fn again(&mut self, tier: Tier, len: u64) -> Result<Option<SolvedTier<C>>, E>;
    /// Whether tiers are released.
    fn releases(&self) -> bool;
}

/// No store.
struct NoStore;

impl<C, E> TierStore<C, E> for NoStore {
    fn known(&mut self, _tier: Tier, _len: u64) -> Result<Option<Fetched<C>>, E> {
        Ok(None)
    }

    fn keep(&mut self, _solved: &RetrogradeValues<C>, _tier: Tier) -> Result<(), E> {
        Ok(())
    }

    fn again(&mut self, _tier: Tier, _len: u64) -> Result<Option<SolvedTier<C>>, E> {
        Ok(None)
    }

    fn releases(&self) -> bool {
        false
    }
}

/// A checkpoint store of the caller, with conversion to the solver's own representation.
struct CheckpointStore<'a, K> {
    keeper: &'a mut K,
    options: RetrogradeOptions,
    monitor: &'a dyn Monitor,
}

impl<K> CheckpointStore<'_, K> {
    fn tier<C: Draws, E: From<SolveError>>(
        &self,
        tier: Tier,
        codes: Vec<C>,
        len: u64,
    ) -> Result<SolvedTier<C>, E> {
        if codes.len() as u64 != len {
            let why = format!("tier {} has {} values where the game has {len}", tier.0, codes.len());
            return Err(SolveError::Fault(why).into());
        }
        let ends = ends::Ends::of(&codes, self.monitor)?;
        if self.options.distance {
            return Ok(SolvedTier { codes: Codes::Exact(codes), ends });
        }
        let verdict = |n: u64| codes[n as usize].unpack().map_or(0, |value| value.verdict() as u8 + 1);
        let bits = TwoBits::packed(len, self.monitor, verdict)?;
        Ok(SolvedTier { codes: Codes::Wdl(bits), ends })
    }
}

impl<C: Draws, K: Keep<C>> TierStore<C, K::Error> for CheckpointStore<'_, K> {
    fn known(&mut self, tier: Tier, len: u64) -> Result<Option<Fetched<C>>, K::Error> {
        let Some(codes) = self.keeper.known(tier)? else { return Ok(None) };
        let solved = self.tier::<C, K::Error>(tier, codes, len)?;
        Ok(Some((solved, self.keeper.counts(tier))))
    }

    fn keep(&mut self, solved: &RetrogradeValues<C>, tier: Tier) -> Result<(), K::Error> {
        self.keeper.keep(solved, tier)
    }

    fn again(&mut self, tier: Tier, len: u64) -> Result<Option<SolvedTier<C>>, K::Error> {
        match self.keeper.again(tier)? {
            Some(codes) => self.tier::<C, K::Error>(tier, codes, len).map(Some),
            None => Ok(None),
        }
    }

    fn releases(&self) -> bool {
        self.keeper.releases()
    }
}

/// Loads the tiers that a tier's moves lead to, and releases the others.
fn load_children<G: Game, C: Code, E: From<SolveError>>(
    index: &impl Index<G>,
    tier: Tier,
    solved: &mut RetrogradeValues<C>,
    store: &mut impl TierStore<C, E>,
) -> Result<(), E> {
    let children = index.child_tiers(tier);
    for t in (tier.0 + 1..index.tiers()).map(Tier).filter(|t| !children.contains(t)) {
        solved.solved_tiers[t.0 as usize] = SolvedTier::default();
    }
    for child in children.into_iter().filter(|&child| child != tier) {
        let len = index.len(child);
        if !solved.is_loaded(child) && len > 0 {
            let why = || SolveError::Fault(format!("tier {} of the table cannot be read again", child.0));
            solved.solved_tiers[child.0 as usize] = store.again(child, len)?.ok_or_else(why)?;
        }
    }
    Ok(())
}

fn all_tiers<G: Game, I: Index<G>, B: Back<G>, C: Code, E: From<SolveError>>(
    game: &G,
    index: &I,
    options: RetrogradeOptions,
    monitor: &dyn Monitor,
    back: impl Fn(Tier) -> Result<B, SolveError>,
    store: &mut impl TierStore<C, E>,
) -> Result<RetrogradeValues<C>, E> {
    check_start(game, index, Gaps::Detours)?;
    let tiers = index.tiers();
    let solved_tiers: Vec<SolvedTier<C>> = (0..tiers).map(|_| SolvedTier::default()).collect();
    let tally = Tally::new(tiers, index.merged());
    let mut solved = RetrogradeValues { solved_tiers, counts: tally.tiers.clone(), tally, levels: 0 };
    for t in (0..tiers).rev() {
        let tier = Tier(t);
        if let Some((solved_tier, counts)) = store.known(tier, index.len(tier))? {
            let counts = match counts {
                Some(counts) => counts,
                None => count(game, index, tier, |number| solved_tier.value(number), monitor)?,
            };
            solved.add(index, tier, solved_tier, counts);
            if store.releases() {
                solved.solved_tiers[t as usize] = SolvedTier::default();
            }
            continue;
        }
        if store.releases() {
            load_children(index, tier, &mut solved, store)?;
        }
        if tiers <= MOST_STAGES {
            monitor.stage(&index.tier_name(tier), index.len(tier));
        }
        check_tier(game, index, tier, Gaps::Detours, &|_| true, monitor)?;
        let back = back(tier)?;
        back::check(game, index, tier, &back, monitor)?;
        let sets = if options.sets && game.best_payoff() == 1 { back.sets() } else { None };
        let outcome = match sets.as_deref() {
            Some(sets) => {
                let outcome = |number| {
                    // Every slot that is in use has a number, and that number has a position.
                    let pos = index.unrank(tier, number);
                    pos.map_or(0, |pos| game.turn(&pos).sees(game.outcome(&pos).unwrap_or(0)))
                };
                SetSolver { sets, outcome: &outcome, solved: &solved.solved_tiers, options, monitor }
                    .solve()?
            }
            None => {
                let (back, solved) = (&back, &solved.solved_tiers);
                TierSolver { game, index, back, tier, solved, options, monitor }.solve()?
            }
        };
        drop(sets);
        check_fault(game)?;
        solved.add(index, tier, outcome.solved_tier, outcome.tally);
        solved.levels += outcome.levels;
        store.keep(&solved, tier)?;
    }
    Ok(solved)
}

/// Counts the positions of a tier by value, given the values by number.
pub fn tally_of<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    value: impl Fn(u64) -> Option<Value> + Sync,
) -> TierTally {
    // `NoMonitor` never cancels, so `count` cannot fail.
    count(game, index, tier, value, &NoMonitor).unwrap_or_default()
}

fn count<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    value: impl Fn(u64) -> Option<Value> + Sync,
    monitor: &dyn Monitor,
) -> Result<TierTally, SolveError> {
    let sum = Mutex::new(TierTally::default());
    for_blocks(index.len(tier), monitor, |block| {
        let mut tally = TierTally::default();
        index.walk(tier, block, &mut |number, pos| {
            let Some(value) = value(number) else { return };
            let turn = if index.merged() { Turn::First } else { game.turn(pos) };
            tally.add(turn, value, index.orbit(tier, number).into(), game.outcome(pos).is_some());
        });
        // A poisoned lock means that another block panicked, and that panic is already propagating.
        if let Ok(mut sum) = sum.lock() {
            sum.merge(tally);
        }
    })?;
    Ok(sum.into_inner().unwrap_or_default())
}

/// Tiers beyond which no stage is reported per tier: an explored index can have thousands of tiny tiers.
const MOST_STAGES: u32 = 200;
