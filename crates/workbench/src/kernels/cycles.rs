//! Retrograde analysis and value iteration for games with cycles, type-erased.
//!
//! There are two kinds of index: one that enumerates predecessors, and an explored graph with reversed edges for games
//! without such an index. Each kind is compiled only for games that need it, because it compiles a solver, too.

use super::{IndexedGame, Numbers};
use crate::Trouble;
use crate::methods::distributed::RankFiles;
use crate::tier_tables::LoopFiles;
use outplay_core::{AnyPosition, Code, Game, Index, Native, Predecessors, Tier, Value};
use outplay_runtime::{Communicator, Monitor};
use outplay_solve::{
    Blocks, ExploredGame, LoopCode, RankContext, RetrogradeOptions, RetrogradeValues, SolveError, Spot,
    Tally, Verification, WideLoopCode, retrograde_by_graph_kept, retrograde_kept, solve_together,
    sweep_until_stable, tally_of, verify_loops,
};
use std::cell::RefCell;
use std::mem::size_of;
use std::sync::Arc;

/// Operations on an index of a game with cycles.
pub(crate) trait Cycles: Send + Sync {
    fn numbers(&self) -> &dyn Numbers;
    /// Memory in bytes that solving needs, without a stored graph.
    fn bytes(&self) -> u128;
    /// The same if a tier is solved with only those tiers in memory that its moves lead to.
    fn bytes_by_tier(&self) -> u128;
    /// Solves every number by retrograde analysis.
    fn retrograde(
        &self,
        distance: bool,
        files: &mut LoopFiles<'_>,
        watch: &dyn Monitor,
    ) -> Result<LoopValues, Trouble>;
    /// Solves every number by repeated sweeps until none changes a value.
    fn until_stable(&self, watch: &dyn Monitor) -> Result<LoopValues, Trouble>;
    /// Solves every number on all ranks; returns the counts, and the values of those requested positions that have a
    /// number.
    fn together(
        &self,
        files: &mut RankFiles<'_>,
        asked: &[AnyPosition],
        crew: &Arc<dyn Communicator>,
        watch: &dyn Monitor,
    ) -> Result<(Tally, Vec<Option<Value>>), Trouble>;
    /// Counts positions by their stored values, in the tiers that belong to the game.
    fn recount(&self, stored: &(dyn Fn(Tier, u64) -> Option<Value> + Sync)) -> Tally;
    /// Re-derives every value.
    fn verify(
        &self,
        exact: bool,
        stored: &(dyn Fn(Tier, u64) -> Option<Value> + Sync),
        watch: &dyn Monitor,
    ) -> Result<Verification, SolveError>;
}

/// Values of a game with cycles by number, with their counts.
pub(crate) struct LoopValues {
    value: Box<dyn Fn(Tier, u64) -> Option<Value> + Send + Sync>,
    pub(crate) tally: Tally,
    /// Number of values that each sweep changed, for the solver that sweeps until the fixed point.
    pub(crate) changes: Option<Vec<u64>>,
}

impl LoopValues {
    pub(crate) fn new<C: Code>(solved: RetrogradeValues<C>) -> LoopValues {
        let tally = solved.tally().clone();
        LoopValues { value: Box::new(move |tier, number| solved.value(tier, number)), tally, changes: None }
    }

    pub(crate) fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        (self.value)(tier, number)
    }
}

/// Bytes for each number of the tier in work: a word, and the numbers of the current levels.
const IN_WORK: u128 = 6;

/// An index with a source of predecessors.
pub(crate) struct CyclicIndex<G: Game, I> {
    numbered: IndexedGame<G, I>,
    /// Bytes of one code.
    code: usize,
    backwards: Backwards<G, I>,
}

type Backwards<G, I> =
    fn(&G, &I, RetrogradeOptions, &mut LoopFiles<'_>, &dyn Monitor) -> Result<LoopValues, Trouble>;

impl<G: Game, I: Predecessors<G>> CyclicIndex<G, I> {
    /// The index enumerates predecessors.
    pub(crate) fn indexed(native: Native<G>, index: Arc<I>) -> Self {
        let backwards: Backwards<G, I> = |game, index, options, files, watch| {
            if game.best_payoff() > 1 {
                let why = "an index with predecessors supports only payoffs from -1 to 1; without an index the game's positions are explored instead";
                return Err(Trouble::unable(why));
            }
            Ok(LoopValues::new(retrograde_kept::<G, I, LoopCode, _>(game, index, options, files, watch)?))
        };
        CyclicIndex { numbered: IndexedGame { native, index }, code: size_of::<LoopCode>(), backwards }
    }
}

impl<G: Game> CyclicIndex<G, ExploredGame<G>> {
    /// The explored positions; each move is played once and stored reversed.
    pub(crate) fn listed(native: Native<G>, index: Arc<ExploredGame<G>>) -> Self {
        let backwards: Backwards<G, ExploredGame<G>> = |game, index, options, files, watch| {
            if game.best_payoff() > 1 {
                let solved =
                    retrograde_by_graph_kept::<G, _, WideLoopCode, _>(game, index, options, files, watch)?;
                return Ok(LoopValues::new(solved));
            }
            let solved = retrograde_by_graph_kept::<G, _, LoopCode, _>(game, index, options, files, watch)?;
            Ok(LoopValues::new(solved))
        };
        CyclicIndex { numbered: IndexedGame { native, index }, code: size_of::<WideLoopCode>(), backwards }
    }
}

impl<G: Game, I: Index<G>> Cycles for CyclicIndex<G, I> {
    fn numbers(&self) -> &dyn Numbers {
        &self.numbered
    }

    fn bytes(&self) -> u128 {
        let index = &*self.numbered.index;
        let largest = (0..index.tiers()).map(|t| index.len(Tier(t))).max().unwrap_or(0);
        index.total() * self.code as u128 + u128::from(largest) * IN_WORK
    }

    fn bytes_by_tier(&self) -> u128 {
        let index = &*self.numbered.index;
        let bytes = |tier: Tier| {
            let children = index.child_tiers(tier).into_iter().filter(|&child| child != tier);
            let values =
                u128::from(index.len(tier)) + children.map(|t| u128::from(index.len(t))).sum::<u128>();
            values * self.code as u128 + u128::from(index.len(tier)) * IN_WORK
        };
        (0..index.tiers()).map(|t| bytes(Tier(t))).max().unwrap_or(0)
    }

    fn retrograde(
        &self,
        distance: bool,
        files: &mut LoopFiles<'_>,
        watch: &dyn Monitor,
    ) -> Result<LoopValues, Trouble> {
        let IndexedGame { native, index } = &self.numbered;
        (self.backwards)(
            &native.game,
            index,
            RetrogradeOptions { distance, ..RetrogradeOptions::default() },
            files,
            watch,
        )
    }

    fn until_stable(&self, watch: &dyn Monitor) -> Result<LoopValues, Trouble> {
        let index = &*self.numbered.index;
        let game = &self.numbered.native.game;
        let stable = sweep_until_stable(game, index, watch)?;
        let tally = self.recount(&|tier, number| stable.value(tier, number));
        let changes = Some(stable.changes().to_vec());
        Ok(LoopValues { value: Box::new(move |tier, number| stable.value(tier, number)), tally, changes })
    }

    fn recount(&self, stored: &(dyn Fn(Tier, u64) -> Option<Value> + Sync)) -> Tally {
        let IndexedGame { native, index } = &self.numbered;
        let mut tally = Tally::new(index.tiers(), index.merged());
        for tier in (0..index.tiers()).map(Tier).filter(|&tier| index.counted(tier)) {
            let value = |number| stored(tier, number);
            tally.tiers[tier.0 as usize] = tally_of(&native.game, &**index, tier, value);
        }
        tally
    }

    fn together(
        &self,
        files: &mut RankFiles<'_>,
        asked: &[AnyPosition],
        crew: &Arc<dyn Communicator>,
        watch: &dyn Monitor,
    ) -> Result<(Tally, Vec<Option<Value>>), Trouble> {
        let IndexedGame { native, index } = &self.numbered;
        let site = Blocks::new(&native.game, &**index, crew.rank(), crew.size())?;
        let files = RefCell::new(files);
        let values = solve_together(
            &site,
            RankContext { crew: &**crew, watch },
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
        watch: &dyn Monitor,
    ) -> Result<Verification, SolveError> {
        verify_loops(&self.numbered.native.game, &*self.numbered.index, exact, stored, watch)
    }
}
