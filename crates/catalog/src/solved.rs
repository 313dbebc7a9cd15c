//! Index and solution with their types hidden, so that an entry can hold any of them.

use outplay_core::{Code, Game, Index, Tier, Value, Watch};
use outplay_solve::{Reach, SolveError, Swept, Tally, reach, remembered_sweep, sweep};
use std::mem::size_of;

/// What an entry asks of an index. Every [`Index`] can do it; the calls inside are monomorphic.
pub(crate) trait AnyIndex<G: Game>: Send + Sync {
    fn tier_names(&self) -> Vec<String>;
    fn sizes(&self) -> Vec<u64>;
    fn reach(&self, game: &G, start: &G::Position, watch: &dyn Watch) -> Result<Reach, SolveError>;
    /// Bytes that [`AnyIndex::sweep`] needs.
    fn sweep_bytes(&self, game: &G) -> u128;
    /// Solves what play from `start` reaches.
    fn sweep(
        &self,
        game: &G,
        start: &G::Position,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Solved<G> + '_>, SolveError>;
    /// Solves every number, reachable or not, and returns the value of one position: the classic DP.
    fn classic_sweep(&self, game: &G, pos: &G::Position, watch: &dyn Watch) -> Result<Value, SolveError>;
    /// The same with every rank looked up in a hash map instead of computed: the report's fourth variant.
    fn remembered_sweep(&self, game: &G, pos: &G::Position, watch: &dyn Watch) -> Result<Value, SolveError>;
}

/// Values of positions and how many there are of each.
pub(crate) trait Solved<G: Game> {
    fn value(&self, pos: &G::Position) -> Option<Value>;
    fn tally(&self) -> &Tally;
}

struct SweptBy<'a, I, C> {
    index: &'a I,
    swept: Swept<C>,
}

impl<G: Game, I: Index<G>, C: Code> Solved<G> for SweptBy<'_, I, C> {
    fn value(&self, pos: &G::Position) -> Option<Value> {
        let (tier, number) = self.index.rank(pos);
        self.swept.value(tier, number)
    }

    fn tally(&self) -> &Tally {
        self.swept.tally()
    }
}

/// Whether one byte holds every value: distances are bounded by the number of tiers of a game without loops.
fn fits_a_byte<G: Game>(game: &G, index: &impl Index<G>) -> bool {
    index.tiers() <= 126 && game.best_payoff() <= 1
}

impl<G: Game, I: Index<G>> AnyIndex<G> for I {
    fn tier_names(&self) -> Vec<String> {
        (0..self.tiers()).map(|t| self.tier_name(Tier(t))).collect()
    }

    fn sizes(&self) -> Vec<u64> {
        (0..self.tiers()).map(|t| self.len(Tier(t))).collect()
    }

    fn reach(&self, game: &G, start: &G::Position, watch: &dyn Watch) -> Result<Reach, SolveError> {
        watch.stage("counting reachable positions", self.total().min(u128::from(u64::MAX)) as u64);
        reach(game, self, start, watch)
    }

    fn sweep_bytes(&self, game: &G) -> u128 {
        let cell = if fits_a_byte(game, self) { size_of::<i8>() } else { size_of::<i32>() };
        self.total() * cell as u128 + self.total() / 8
    }

    fn sweep(
        &self,
        game: &G,
        start: &G::Position,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Solved<G> + '_>, SolveError> {
        let reach = AnyIndex::reach(self, game, start, watch)?;
        watch.stage("solving", self.total().min(u128::from(u64::MAX)) as u64);
        if fits_a_byte(game, self) {
            let swept: Swept<i8> = sweep(game, self, Some(&reach), watch)?;
            return Ok(Box::new(SweptBy { index: self, swept }));
        }
        let swept: Swept<i32> = sweep(game, self, Some(&reach), watch)?;
        Ok(Box::new(SweptBy { index: self, swept }))
    }

    fn classic_sweep(&self, game: &G, pos: &G::Position, watch: &dyn Watch) -> Result<Value, SolveError> {
        let (tier, number) = self.rank(pos);
        let value = if fits_a_byte(game, self) {
            sweep::<G, I, i8>(game, self, None, watch)?.value(tier, number)
        } else {
            sweep::<G, I, i32>(game, self, None, watch)?.value(tier, number)
        };
        value.ok_or(SolveError::Overflow)
    }

    fn remembered_sweep(&self, game: &G, pos: &G::Position, watch: &dyn Watch) -> Result<Value, SolveError> {
        remembered_sweep(game, self, pos, watch)
    }
}
