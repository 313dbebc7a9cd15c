//! Index and solution with their types hidden, so that an entry can hold any of them.

use crate::Trouble;
use outplay_core::{Code, Game, Index, Tier, Value, Watch, WdlCode};
use outplay_solve::{
    Reach, SolveError, Swept, Tally, Verified, canonical, looked_up, reach, remembered_sweep, settled, sweep,
    verify,
};
use outplay_table::{Cell, CellKind, Table, TableError, TierWriter, Values, Writer};
use rayon::prelude::*;
use std::mem::size_of;

/// Values by number.
pub(crate) type Stored<'a> = dyn Fn(Tier, u64) -> Result<Option<Value>, Trouble> + Sync + 'a;

/// What an entry asks of an index. Every [`Index`] can do it; the calls inside are monomorphic.
pub(crate) trait AnyIndex<G: Game>: Send + Sync {
    fn tier_names(&self) -> Vec<String>;
    fn sizes(&self) -> Vec<u64>;
    /// The version of the rules and of the numbering.
    fn rules(&self) -> u32;
    /// The value of a position, with a number or one ply from some, given those of numbered ones.
    fn look_up(&self, game: &G, pos: &G::Position, stored: &Stored<'_>) -> Result<Option<Value>, Trouble>;
    fn position(&self, tier: Tier, number: u64) -> Option<G::Position>;
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
    /// What a slot of the game's table is.
    fn cell(&self, game: &G, values: Values) -> CellKind;
    /// The value of a position: from the rules where they tell, else from a table.
    fn probe(&self, game: &G, table: &Table, pos: &G::Position) -> Result<Option<Value>, TableError>;
    /// Whether the position has a number.
    fn has(&self, pos: &G::Position) -> bool;
    /// The number of a position.
    fn at(&self, pos: &G::Position) -> (Tier, u64);
    /// The games whose tables keep the tiers, where games share them.
    fn homes(&self) -> Vec<Option<String>>;
    /// Whether a tier belongs to the game's own counts.
    fn counts(&self, tier: Tier) -> bool;
    /// Whether the players share numbers.
    fn has_one_side(&self) -> bool;
    /// Whether play can stay within a tier.
    fn has_loops(&self) -> bool;
    /// Derives every stored value again.
    fn verify(
        &self,
        game: &G,
        start: &G::Position,
        table: &Table,
        watch: &dyn Watch,
    ) -> Result<Verified, Trouble>;
}

/// Values of positions and how many there are of each.
pub(crate) trait Solved<G: Game> {
    fn value(&self, pos: &G::Position) -> Option<Value>;
    fn tally(&self) -> &Tally;
    /// Writes the tiers that a table does not have yet, from the last to the first.
    fn store(&self, game: &G, writer: &Writer, watch: &dyn Watch) -> Result<(), Trouble>;
}

struct SweptBy<'a, I, C> {
    index: &'a I,
    swept: Swept<C>,
}

impl<G: Game, I: Index<G>, C: Code + Cell> Solved<G> for SweptBy<'_, I, C> {
    fn value(&self, pos: &G::Position) -> Option<Value> {
        let (tier, number) = self.index.rank(pos);
        self.swept.value(tier, number)
    }

    fn tally(&self) -> &Tally {
        self.swept.tally()
    }

    fn store(&self, game: &G, writer: &Writer, watch: &dyn Watch) -> Result<(), Trouble> {
        watch.stage("writing", self.index.total().min(u128::from(u64::MAX)) as u64);
        for tier in (0..self.index.tiers()).rev().map(Tier) {
            if watch.stopped() {
                return Err(SolveError::Stopped.into());
            }
            if writer.has(tier) {
                watch.advance(self.index.len(tier));
                continue;
            }
            match writer.identity().values {
                Values::Wdl => {
                    let verdict = |value: Value| WdlCode::pack(value).map_or(i8::MIN, |code| code.0);
                    self.store_tier(game, writer.tier::<i8>(tier)?, tier, &verdict, watch)?;
                }
                _ => {
                    let code = |value: Value| C::pack(value).unwrap_or(<C as Code>::UNKNOWN);
                    self.store_tier(game, writer.tier::<C>(tier)?, tier, &code, watch)?;
                }
            }
        }
        Ok(())
    }
}

impl<I, C: Code> SweptBy<'_, I, C> {
    /// Writes one tier, leaving out what the rules answer and all but one of symmetric positions.
    fn store_tier<G: Game, D: Cell>(
        &self,
        game: &G,
        file: TierWriter<'_, D>,
        tier: Tier,
        cell: &(impl Fn(Value) -> D + Sync),
        watch: &dyn Watch,
    ) -> Result<(), TableError>
    where
        I: Index<G>,
    {
        let codes = self.swept.codes(tier);
        /// Slots that one thread prepares at a time.
        const PIECE: u64 = 1 << 16;
        let win_at_once = Value::new(game.best_payoff(), 1);
        let store: &(dyn Fn(u64) -> Result<(), TableError> + Sync) = &|piece| {
            let range = piece * PIECE..((piece + 1) * PIECE).min(file.slots());
            let mut cells = vec![D::UNKNOWN; (range.end - range.start) as usize];
            let mut images = Vec::new();
            self.index.walk(tier, range.clone(), &mut |number, pos| {
                let Some(value) = codes[number as usize].unpack() else { return };
                let by_rules = value == win_at_once || game.outcome(pos).is_some();
                if !by_rules && canonical(game, self.index, pos, &mut images) == (tier, number) {
                    cells[(number - range.start) as usize] = cell(value);
                }
            });
            watch.advance(range.end - range.start);
            file.put(range.start, &cells)
        };
        (0..file.slots().div_ceil(PIECE)).into_par_iter().try_for_each(store)?;
        file.finish()
    }
}

/// Whether one byte holds every value: distances are bounded by the number of tiers of a game without loops.
fn fits_a_byte<G: Game>(game: &G, index: &impl Index<G>) -> bool {
    index.tiers() <= 126 && game.best_payoff() <= 1
}

/// A table's codes as `C`, which is what verification compares.
fn read<C: Code, D: Cell>(table: &Table, tier: Tier, code: impl Fn(D) -> C) -> Result<Vec<C>, Trouble> {
    Ok(table.read_tier::<D>(tier)?.into_iter().map(code).collect())
}

impl<G: Game, I: Index<G>> AnyIndex<G> for I {
    fn tier_names(&self) -> Vec<String> {
        (0..self.tiers()).map(|t| self.tier_name(Tier(t))).collect()
    }

    fn sizes(&self) -> Vec<u64> {
        (0..self.tiers()).map(|t| self.len(Tier(t))).collect()
    }

    fn rules(&self) -> u32 {
        Index::version(self)
    }

    fn look_up(&self, game: &G, pos: &G::Position, stored: &Stored<'_>) -> Result<Option<Value>, Trouble> {
        looked_up(game, self, pos, &stored)
    }

    fn position(&self, tier: Tier, number: u64) -> Option<G::Position> {
        self.unrank(tier, number)
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

    fn cell(&self, game: &G, values: Values) -> CellKind {
        if values == Values::Wdl || fits_a_byte(game, self) { CellKind::I8 } else { CellKind::I32 }
    }

    fn probe(&self, game: &G, table: &Table, pos: &G::Position) -> Result<Option<Value>, TableError> {
        if let Some(value) = settled(game, pos, &mut Vec::new()) {
            return Ok(Some(value));
        }
        let (tier, number) = canonical(game, self, pos, &mut Vec::new());
        Ok(match (table.identity().values, table.identity().cell) {
            (Values::Wdl, _) => table.code::<i8>(tier, number)?.and_then(|code| WdlCode(code).unpack()),
            (_, CellKind::I8) => table.code::<i8>(tier, number)?.and_then(Code::unpack),
            (_, CellKind::I32) => table.code::<i32>(tier, number)?.and_then(Code::unpack),
            (_, CellKind::I16 | CellKind::F64) => None,
        })
    }

    fn has(&self, pos: &G::Position) -> bool {
        Index::holds(self, pos)
    }

    fn at(&self, pos: &G::Position) -> (Tier, u64) {
        self.rank(pos)
    }

    fn homes(&self) -> Vec<Option<String>> {
        (0..self.tiers()).map(|t| self.home(Tier(t))).collect()
    }

    fn counts(&self, tier: Tier) -> bool {
        self.counted(tier)
    }

    fn has_one_side(&self) -> bool {
        self.merged()
    }

    fn has_loops(&self) -> bool {
        (0..self.tiers()).any(|t| self.loops(Tier(t)))
    }

    fn verify(
        &self,
        game: &G,
        start: &G::Position,
        table: &Table,
        watch: &dyn Watch,
    ) -> Result<Verified, Trouble> {
        match (table.identity().values, table.identity().cell) {
            (Values::Wdl, _) => verify(game, self, start, |tier| read(table, tier, WdlCode), watch),
            (_, CellKind::I8) => verify(game, self, start, |tier| read(table, tier, |code: i8| code), watch),
            (_, CellKind::I32) => {
                verify(game, self, start, |tier| read(table, tier, |code: i32| code), watch)
            }
            (_, CellKind::I16 | CellKind::F64) => {
                Err(Trouble::Unable("tables of mean payoffs are checked by `chance`".into()))
            }
        }
    }
}
