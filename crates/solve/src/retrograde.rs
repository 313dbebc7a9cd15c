//! Retrograde analysis: exact values of games in which play can go round in circles.
//!
//! ```text
//! finished ──▶ won in 1 ──▶ lost in 2 ──▶ won in 3 ──▶ …        what is never reached is a draw
//! ```
//!
//! Tiers are solved from the last to the first, and within a tier from its finished positions and its moves
//! to later tiers backwards. The work is linear in the number of moves. Backward steps come from
//! [`Predecessors`] where an index has them ([`retrograde`]) and from a stored graph where it has not
//! ([`retrograde_by_graph`]); a game with forward moves only gets its index from [`crate::Explored`]. An index that
//! has its tiers as [`outplay_core::Sets`] is solved 64 positions at a time.
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
pub use verify::{Flaw, Verified, verify_loops};

use crate::blocks::for_blocks;
use crate::{SolveError, Tally, TierTally};
use back::{Back, ByGraph, ByRule};
use outplay_core::{Code, Game, Index, Predecessors, Probe, ProbeError, Quiet, Tier, Turn, Value, Watch};
use sets::SetSolver;
use shelf::{Codes, Shelf};
use std::cell::RefCell;
use std::sync::Mutex;
use tier::TierSolver;

/// What to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Exact distances; without them values take two bits and only payoffs −1, 0, 1 are possible.
    pub distance: bool,
    /// Whole sets of positions at once where an index has them; without, positions one by one, which is slower
    /// and finds the same.
    pub sets: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { distance: true, sets: true }
    }
}

/// The values of all tiers, and how many positions have which.
pub struct Solved<C> {
    shelves: Vec<Shelf<C>>,
    /// Of every tier.
    counts: Vec<TierTally>,
    /// Of the tiers that count.
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

    /// The code of a numbered position with who can force the end of a draw, `None` for a hole.
    pub fn code<D: Draws>(&self, tier: Tier, number: u64) -> Option<D> {
        let shelf = &self.shelves[tier.0 as usize];
        let value = shelf.value(number)?;
        if value.payoff() == 0 {
            let (mover, opponent) = shelf.ends.both(number);
            return Some(D::draw(mover, opponent));
        }
        D::pack(value)
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

    /// How many positions of a tier have which value, whether or not the tier counts.
    pub fn tier_tally(&self, tier: Tier) -> &TierTally {
        &self.counts[tier.0 as usize]
    }

    fn add<G: Game>(&mut self, index: &impl Index<G>, tier: Tier, shelf: Shelf<C>, counts: TierTally) {
        let t = tier.0 as usize;
        if index.counted(tier) {
            self.tally.tiers[t] = counts.clone();
        }
        self.counts[t] = counts;
        self.shelves[t] = shelf;
    }

    /// How many levels, payoffs at distances, were worked off in all tiers.
    pub fn levels(&self) -> u64 {
        self.levels
    }
}

/// Solved values as a source that search and players can ask.
pub struct Known<'a, G, I, C> {
    /// The rules, for positions that have no number.
    pub game: &'a G,
    /// The numbering.
    pub index: &'a I,
    /// The values.
    pub solved: &'a Solved<C>,
}

impl<G: Game, I: Index<G>, C: Code> Probe<G> for Known<'_, G, I, C> {
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError> {
        looked_up(self.game, self.index, pos, &|tier, number| Ok(self.solved.value(tier, number)))
    }
}

/// Where known tiers come from and where solved ones go, so that work can go on where it was.
pub trait Keep<C> {
    /// What can go wrong with either.
    type Error: From<SolveError>;

    /// The codes of a tier by number if they are known already, those of holes being anything. Asked of each
    /// tier before it is solved, from the last to the first.
    ///
    /// # Errors
    ///
    /// The source is damaged.
    fn known(&mut self, tier: Tier) -> Result<Option<Vec<C>>, Self::Error>;

    /// The counts of a tier that [`Keep::known`] just gave; without them its positions are counted again.
    fn counts(&mut self, _tier: Tier) -> Option<TierTally> {
        None
    }

    /// Takes a tier that was just solved.
    ///
    /// # Errors
    ///
    /// It cannot be kept.
    fn keep(&mut self, solved: &Solved<C>, tier: Tier) -> Result<(), Self::Error>;
}

/// Nothing is known and nothing is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forget;

impl<C> Keep<C> for Forget {
    type Error = SolveError;

    fn known(&mut self, _tier: Tier) -> Result<Option<Vec<C>>, SolveError> {
        Ok(None)
    }

    fn keep(&mut self, _solved: &Solved<C>, _tier: Tier) -> Result<(), SolveError> {
        Ok(())
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
    all_tiers(
        game,
        index,
        options,
        watch,
        |tier| Ok(ByRule { game, index, tier }),
        |_| Ok(None),
        |_, _| Ok(()),
    )
}

/// The same with tiers that are known already, and a place for the others.
///
/// # Errors
///
/// As [`retrograde`], and those of the keeper.
pub fn retrograde_kept<G: Game, I: Predecessors<G>, C: Draws, K: Keep<C>>(
    game: &G,
    index: &I,
    options: Options,
    keeper: &mut K,
    watch: &dyn Watch,
) -> Result<Solved<C>, K::Error> {
    let keeper = RefCell::new(keeper);
    let known = |tier| fetch(*keeper.borrow_mut(), tier, index.len(tier), options, watch);
    let keep = |solved: &Solved<C>, tier| keeper.borrow_mut().keep(solved, tier);
    all_tiers(game, index, options, watch, |tier| Ok(ByRule { game, index, tier }), known, keep)
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
    let back = |tier| ByGraph::new(game, index, tier, watch);
    all_tiers(game, index, options, watch, back, |_| Ok(None), |_, _| Ok(()))
}

/// The same with tiers that are known already, and a place for the others.
///
/// # Errors
///
/// As [`retrograde`], and those of the keeper.
pub fn retrograde_by_graph_kept<G: Game, I: Index<G>, C: Draws, K: Keep<C>>(
    game: &G,
    index: &I,
    options: Options,
    keeper: &mut K,
    watch: &dyn Watch,
) -> Result<Solved<C>, K::Error> {
    let keeper = RefCell::new(keeper);
    let back = |tier| ByGraph::new(game, index, tier, watch);
    let known = |tier| fetch(*keeper.borrow_mut(), tier, index.len(tier), options, watch);
    let keep = |solved: &Solved<C>, tier| keeper.borrow_mut().keep(solved, tier);
    all_tiers(game, index, options, watch, back, known, keep)
}

/// A known tier, and its counts where they are known too.
type Fetched<C> = (Shelf<C>, Option<TierTally>);

/// A known tier as the solver keeps its own.
fn fetch<C: Draws, K: Keep<C>>(
    keeper: &mut K,
    tier: Tier,
    len: u64,
    options: Options,
    watch: &dyn Watch,
) -> Result<Option<Fetched<C>>, K::Error> {
    let Some(codes) = keeper.known(tier)? else { return Ok(None) };
    if codes.len() as u64 != len {
        let why = format!("tier {} has {} values where the game has {len}", tier.0, codes.len());
        return Err(SolveError::Fault(why).into());
    }
    let ends = ends::Ends::of(&codes, watch)?;
    let counts = keeper.counts(tier);
    if options.distance {
        return Ok(Some((Shelf { codes: Codes::Exact(codes), ends }, counts)));
    }
    let verdict = |n: u64| codes[n as usize].unpack().map_or(0, |value| value.verdict() as u8 + 1);
    let bits = TwoBits::packed(len, watch, verdict)?;
    Ok(Some((Shelf { codes: Codes::Wdl(bits), ends }, counts)))
}

fn all_tiers<G: Game, I: Index<G>, B: Back<G>, C: Code, E: From<SolveError>>(
    game: &G,
    index: &I,
    options: Options,
    watch: &dyn Watch,
    back: impl Fn(Tier) -> Result<B, SolveError>,
    known: impl Fn(Tier) -> Result<Option<Fetched<C>>, E>,
    keep: impl Fn(&Solved<C>, Tier) -> Result<(), E>,
) -> Result<Solved<C>, E> {
    let tiers = index.tiers();
    let shelves: Vec<Shelf<C>> = (0..tiers).map(|_| Shelf::default()).collect();
    let tally = Tally::new(tiers, index.merged());
    let mut solved = Solved { shelves, counts: tally.tiers.clone(), tally, levels: 0 };
    for t in (0..tiers).rev() {
        let tier = Tier(t);
        if let Some((shelf, counts)) = known(tier)? {
            let counts = match counts {
                Some(counts) => counts,
                None => count(game, index, tier, |number| shelf.value(number), watch)?,
            };
            solved.add(index, tier, shelf, counts);
            continue;
        }
        if tiers <= MOST_STAGES {
            watch.stage(&index.tier_name(tier), index.len(tier));
        }
        let back = back(tier)?;
        let sets = if options.sets && game.best_payoff() == 1 { back.sets() } else { None };
        let outcome = match sets.as_deref() {
            Some(sets) => {
                let outcome = |number| {
                    // Every slot of a position has a number with that position.
                    let pos = index.unrank(tier, number);
                    pos.map_or(0, |pos| game.turn(&pos).sees(game.outcome(&pos).unwrap_or(0)))
                };
                SetSolver { sets, outcome: &outcome, solved: &solved.shelves, options, watch }.solve()?
            }
            None => {
                let (back, solved) = (&back, &solved.shelves);
                TierSolver { game, index, back, tier, solved, options, watch }.solve()?
            }
        };
        drop(sets);
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why).into());
        }
        solved.add(index, tier, outcome.shelf, outcome.tally);
        solved.levels += outcome.levels;
        keep(&solved, tier)?;
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
    // Nobody stops what nobody watches.
    count(game, index, tier, value, &Quiet).unwrap_or_default()
}

fn count<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    value: impl Fn(u64) -> Option<Value> + Sync,
    watch: &dyn Watch,
) -> Result<TierTally, SolveError> {
    let sum = Mutex::new(TierTally::default());
    for_blocks(index.len(tier), watch, |block| {
        let mut tally = TierTally::default();
        index.walk(tier, block, &mut |number, pos| {
            let Some(value) = value(number) else { return };
            let turn = if index.merged() { Turn::First } else { game.turn(pos) };
            tally.add(turn, value, index.orbit(tier, number).into(), game.outcome(pos).is_some());
        });
        // A poisoned lock means that another block panicked, and that panic is on its way up.
        if let Ok(mut sum) = sum.lock() {
            sum.merge(tally);
        }
    })?;
    Ok(sum.into_inner().unwrap_or_default())
}

/// An explored index can have thousands of tiny tiers, which nobody wants to hear of one by one.
const MOST_STAGES: u32 = 200;
