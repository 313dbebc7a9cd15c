//! Solvers of games with loops with their types hidden.
//!
//! Two kinds of index: one that knows predecessors, and an explored graph for games with forward moves only. They
//! are made only for games that need them, because each brings a solver's code along.

use super::{Numbered, Numbers};
use crate::Trouble;
use crate::shelves::LoopFiles;
use crate::together::CrewFiles;
use outplay_core::{AnyPosition, Code, Crew, Game, Index, Native, Predecessors, Tier, Value, Watch};
use outplay_solve::{
    Blocks, Explored, LoopCode, Options, SolveError, Solved, Spot, Stable, Tally, Together, Verified,
    WideLoopCode, retrograde_by_graph_kept, retrograde_kept, solve_together, sweep_until_stable, tally_of,
    verify_loops,
};
use std::cell::RefCell;
use std::mem::size_of;
use std::sync::Arc;

/// What can be asked of an index of a game with loops.
pub(crate) trait Cycles: Send + Sync {
    fn numbers(&self) -> &dyn Numbers;
    /// Bytes that solving needs, a stored graph not counted.
    fn bytes(&self) -> u128;
    /// Solves every number from the finished positions backwards.
    fn retrograde(
        &self,
        distance: bool,
        files: &mut LoopFiles<'_>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn LoopValues>, Trouble>;
    /// Solves every number by repeated sweeps.
    fn until_stable(&self, watch: &dyn Watch) -> Result<Box<dyn LoopValues>, Trouble>;
    /// Solves every number together with other processes; the counts, and the values of the positions asked for that have
    /// a number.
    fn together(
        &self,
        files: &mut CrewFiles<'_>,
        asked: &[AnyPosition],
        crew: &Arc<dyn Crew>,
        watch: &dyn Watch,
    ) -> Result<(Tally, Vec<Option<Value>>), Trouble>;
    /// Derives every value again.
    fn verify(
        &self,
        exact: bool,
        stored: &(dyn Fn(Tier, u64) -> Option<Value> + Sync),
        watch: &dyn Watch,
    ) -> Result<Verified, SolveError>;
}

/// Values of a game with loops by number.
pub(crate) trait LoopValues: Send + Sync {
    fn value(&self, tier: Tier, number: u64) -> Option<Value>;
    fn tally(&self) -> &Tally;
    /// How many values each sweep changed, where all positions were swept again and again.
    fn changes(&self) -> Option<&[u64]> {
        None
    }
}

impl<C: Code> LoopValues for Solved<C> {
    fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        Solved::value(self, tier, number)
    }

    fn tally(&self) -> &Tally {
        Solved::tally(self)
    }
}

/// Values that stayed the same, counted.
struct Counted {
    stable: Stable,
    tally: Tally,
}

impl LoopValues for Counted {
    fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        self.stable.value(tier, number)
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn changes(&self) -> Option<&[u64]> {
        Some(self.stable.changes())
    }
}

/// An index with a way to go backwards through it.
pub(crate) struct Loops<G: Game, I> {
    numbered: Numbered<G, I>,
    /// Bytes for a value.
    code: usize,
    backwards: Backwards<G, I>,
}

type Backwards<G, I> =
    fn(&G, &I, Options, &mut LoopFiles<'_>, &dyn Watch) -> Result<Box<dyn LoopValues>, Trouble>;

impl<G: Game, I: Predecessors<G>> Loops<G, I> {
    /// The index knows predecessors.
    pub(crate) fn indexed(native: Native<G>, index: Arc<I>) -> Self {
        let backwards: Backwards<G, I> = |game, index, options, files, watch| {
            if game.best_payoff() > 1 {
                let why = "an index with predecessors is for games that pay 1 at most; without it the game is explored";
                return Err(Trouble::unable(why));
            }
            Ok(Box::new(retrograde_kept::<G, I, LoopCode, _>(game, index, options, files, watch)?))
        };
        Loops { numbered: Numbered { native, index }, code: size_of::<LoopCode>(), backwards }
    }
}

impl<G: Game> Loops<G, Explored<G>> {
    /// All positions are listed; moves are played once and kept backwards.
    pub(crate) fn listed(native: Native<G>, index: Arc<Explored<G>>) -> Self {
        let backwards: Backwards<G, Explored<G>> = |game, index, options, files, watch| {
            if game.best_payoff() > 1 {
                let solved =
                    retrograde_by_graph_kept::<G, _, WideLoopCode, _>(game, index, options, files, watch)?;
                return Ok(Box::new(solved));
            }
            Ok(Box::new(retrograde_by_graph_kept::<G, _, LoopCode, _>(game, index, options, files, watch)?))
        };
        Loops { numbered: Numbered { native, index }, code: size_of::<WideLoopCode>(), backwards }
    }
}

impl<G: Game, I: Index<G>> Cycles for Loops<G, I> {
    fn numbers(&self) -> &dyn Numbers {
        &self.numbered
    }

    fn bytes(&self) -> u128 {
        let index = &*self.numbered.index;
        let largest = (0..index.tiers()).map(|t| index.len(Tier(t))).max().unwrap_or(0);
        // A word for each number of the tier at work, and the numbers of the levels at work.
        index.total() * self.code as u128 + u128::from(largest) * 6
    }

    fn retrograde(
        &self,
        distance: bool,
        files: &mut LoopFiles<'_>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn LoopValues>, Trouble> {
        let Numbered { native, index } = &self.numbered;
        (self.backwards)(&native.game, index, Options { distance, ..Options::default() }, files, watch)
    }

    fn until_stable(&self, watch: &dyn Watch) -> Result<Box<dyn LoopValues>, Trouble> {
        let index = &*self.numbered.index;
        let game = &self.numbered.native.game;
        let stable = sweep_until_stable(game, index, watch)?;
        let mut tally = Tally::new(index.tiers(), index.merged());
        for tier in (0..index.tiers()).map(Tier).filter(|&tier| index.counted(tier)) {
            let value = |number| stable.value(tier, number);
            tally.tiers[tier.0 as usize] = tally_of(game, index, tier, value);
        }
        Ok(Box::new(Counted { stable, tally }))
    }

    fn together(
        &self,
        files: &mut CrewFiles<'_>,
        asked: &[AnyPosition],
        crew: &Arc<dyn Crew>,
        watch: &dyn Watch,
    ) -> Result<(Tally, Vec<Option<Value>>), Trouble> {
        let Numbered { native, index } = &self.numbered;
        let site = Blocks::new(&native.game, &**index, crew.rank(), crew.size())?;
        let files = RefCell::new(files);
        let values = solve_together(
            &site,
            Together { crew: &**crew, watch },
            |tier| files.borrow_mut().known(&site, tier),
            |values, tier| files.borrow_mut().keep(&site, values, tier),
        )?;
        let places: Vec<Option<(Tier, u64)>> = asked.iter().map(|pos| index.find(native.pos(pos))).collect();
        let spots: Vec<Spot> =
            places.iter().flatten().map(|place| site.spot(place.0.0, place.1, false)).collect();
        let mut codes = values.at(&**crew, &spots)?.into_iter();
        let known = places.iter().map(|place| place.and_then(|_| codes.next()?.unpack())).collect();
        Ok((values.tally().clone(), known))
    }

    fn verify(
        &self,
        exact: bool,
        stored: &(dyn Fn(Tier, u64) -> Option<Value> + Sync),
        watch: &dyn Watch,
    ) -> Result<Verified, SolveError> {
        verify_loops(&self.numbered.native.game, &*self.numbered.index, exact, stored, watch)
    }
}
