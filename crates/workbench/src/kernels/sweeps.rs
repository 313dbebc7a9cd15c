//! Backward induction for acyclic games, over an index, type-erased.

use super::{IndexedGame, Numbers};
use crate::{Trouble, check_stop};
use outplay_core::{AnyPosition, Code, Game, Index, Native, Tier, Value, WdlCode, laws};
use outplay_runtime::{Monitor, threads};
use outplay_solve::{
    Reach, SolveError, Tally, Verification, canonical, reach, remembered_sweep, settled, sweep, verify,
};
use outplay_table::{Cell, CellKind, Table, TableError, TierWriter, Values, Writer};
use std::mem::size_of;

/// Operations on an index of an acyclic game. The calls inside are monomorphic.
pub(crate) trait Sweeps: Send + Sync {
    fn numbers(&self) -> &dyn Numbers;
    fn reach(&self, start: &AnyPosition, watch: &dyn Monitor) -> Result<Reach, SolveError>;
    /// Bytes that [`Sweeps::sweep`] needs.
    fn sweep_bytes(&self) -> u128;
    /// Solves all positions reachable from `start`.
    fn sweep(
        &self,
        start: &AnyPosition,
        watch: &dyn Monitor,
    ) -> Result<Box<dyn SweepValues + '_>, SolveError>;
    /// Solves every number, reachable or not, and returns the value of one position: textbook dynamic programming.
    fn classic_sweep(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Value, SolveError>;
    /// The same with every rank looked up in a hash map instead of computed: the fourth variant of the 2020 report.
    fn remembered_sweep(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Value, SolveError>;
    /// The cell type of the game's table.
    fn cell(&self, values: Values) -> CellKind;
    /// The value of a position: from the rules where they decide it, else from a table.
    fn probe(&self, table: &Table, pos: &AnyPosition) -> Result<Option<Value>, TableError>;
    /// Re-derives every stored value.
    fn verify(
        &self,
        start: &AnyPosition,
        table: &Table,
        watch: &dyn Monitor,
    ) -> Result<Verification, Trouble>;
}

/// Values of all positions, with counts.
pub(crate) trait SweepValues {
    fn value(&self, pos: &AnyPosition) -> Option<Value>;
    fn tally(&self) -> &Tally;
    /// Writes the tiers that a table lacks, from the last to the first.
    fn store(&self, writer: &Writer, watch: &dyn Monitor) -> Result<(), Trouble>;
}

struct SweepSolution<'a, G: Game, I, C> {
    native: &'a Native<G>,
    index: &'a I,
    swept: outplay_solve::SweepValues<C>,
}

impl<G: Game, I: Index<G>, C: Code + Cell> SweepValues for SweepSolution<'_, G, I, C> {
    fn value(&self, pos: &AnyPosition) -> Option<Value> {
        let (tier, number) = self.index.rank(self.native.pos(pos));
        self.swept.value(tier, number)
    }

    fn tally(&self) -> &Tally {
        self.swept.tally()
    }

    fn store(&self, writer: &Writer, watch: &dyn Monitor) -> Result<(), Trouble> {
        watch.stage("writing the table", self.index.total().min(u128::from(u64::MAX)) as u64);
        for tier in (0..self.index.tiers()).rev().map(Tier) {
            check_stop(watch)?;
            if writer.has(tier) {
                watch.advance(self.index.len(tier));
                continue;
            }
            match writer.identity().values {
                Values::Wdl => {
                    let verdict = |value: Value| WdlCode::pack(value).map_or(i8::MIN, |code| code.0);
                    self.store_tier(writer.tier::<i8>(tier)?, tier, &verdict, watch)?;
                }
                _ => {
                    let code = |value: Value| C::pack(value).unwrap_or(<C as Code>::UNKNOWN);
                    self.store_tier(writer.tier::<C>(tier)?, tier, &code, watch)?;
                }
            }
        }
        Ok(())
    }
}

impl<G: Game, I: Index<G>, C: Code> SweepSolution<'_, G, I, C> {
    /// Writes one tier. Positions that the rules decide and all but one of symmetric positions are don't-cares.
    fn store_tier<D: Cell>(
        &self,
        file: TierWriter<'_, D>,
        tier: Tier,
        cell: &(impl Fn(Value) -> D + Sync),
        watch: &dyn Monitor,
    ) -> Result<(), TableError> {
        let game = &self.native.game;
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
        threads::try_each(file.slots().div_ceil(PIECE) as usize, &|piece| store(piece as u64))?;
        file.finish()
    }
}

/// Whether every value fits in one byte. Distances are bounded by the number of tiers or, if moves stay within a
/// tier, by the number of positions.
fn fits_a_byte<G: Game>(game: &G, index: &impl Index<G>) -> bool {
    let few = index.total() <= 126 || index.tiers() <= 126 && (index.trusted() || !stays(game, index));
    few && game.best_payoff() <= 1
}

/// Whether a move in a few random games stays within its tier. If the sample misses such a move and a distance
/// overflows its cell, the sweep returns an error, never a wrong value.
fn stays<G: Game>(game: &G, index: &impl Index<G>) -> bool {
    let (mut last, mut found) = (None, false);
    laws::random_play(game, 16, 1, |pos| {
        let tier = index.find(pos).map(|(tier, _)| tier);
        // A random game restarts at the start, which no move leads to.
        let start = game.start().as_ref() == Some(pos);
        found |= !start && tier.is_some() && tier == last;
        last = tier;
    });
    found
}

/// Reads a tier's cells as codes `C`, which verification compares.
fn read<C: Code, D: Cell>(table: &Table, tier: Tier, code: impl Fn(D) -> C) -> Result<Vec<C>, Trouble> {
    Ok(table.read_tier::<D>(tier)?.into_iter().map(code).collect())
}

/// An acyclic game and an index of it.
pub(crate) struct SweepIndex<G: Game, I>(pub(crate) IndexedGame<G, I>);

impl<G: Game, I: Index<G>> Sweeps for SweepIndex<G, I> {
    fn numbers(&self) -> &dyn Numbers {
        &self.0
    }

    fn reach(&self, start: &AnyPosition, watch: &dyn Monitor) -> Result<Reach, SolveError> {
        let IndexedGame { native, index } = &self.0;
        watch.stage("counting reachable positions", index.total().min(u128::from(u64::MAX)) as u64);
        reach(&native.game, &**index, native.pos(start), watch)
    }

    fn sweep_bytes(&self) -> u128 {
        let IndexedGame { native, index } = &self.0;
        let cell = if fits_a_byte(&native.game, &**index) { size_of::<i8>() } else { size_of::<i32>() };
        index.total() * cell as u128 + index.total() / 8
    }

    fn sweep(
        &self,
        start: &AnyPosition,
        watch: &dyn Monitor,
    ) -> Result<Box<dyn SweepValues + '_>, SolveError> {
        let IndexedGame { native, index } = &self.0;
        let reach = self.reach(start, watch)?;
        let index = &**index;
        watch.stage("solving", index.total().min(u128::from(u64::MAX)) as u64);
        if fits_a_byte(&native.game, index) {
            let swept: outplay_solve::SweepValues<i8> = sweep(&native.game, index, Some(&reach), watch)?;
            return Ok(Box::new(SweepSolution { native, index, swept }));
        }
        let swept: outplay_solve::SweepValues<i32> = sweep(&native.game, index, Some(&reach), watch)?;
        Ok(Box::new(SweepSolution { native, index, swept }))
    }

    fn classic_sweep(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Value, SolveError> {
        let IndexedGame { native, index } = &self.0;
        let (game, index) = (&native.game, &**index);
        let (tier, number) = index.rank(native.pos(pos));
        let value = if fits_a_byte(game, index) {
            sweep::<G, I, i8>(game, index, None, watch)?.value(tier, number)
        } else {
            sweep::<G, I, i32>(game, index, None, watch)?.value(tier, number)
        };
        value.ok_or(SolveError::Overflow)
    }

    fn remembered_sweep(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Value, SolveError> {
        let IndexedGame { native, index } = &self.0;
        remembered_sweep(&native.game, &**index, native.pos(pos), watch)
    }

    fn cell(&self, values: Values) -> CellKind {
        let byte = values == Values::Wdl || fits_a_byte(&self.0.native.game, &*self.0.index);
        if byte { CellKind::I8 } else { CellKind::I32 }
    }

    fn probe(&self, table: &Table, pos: &AnyPosition) -> Result<Option<Value>, TableError> {
        let IndexedGame { native, index } = &self.0;
        let pos = native.pos(pos);
        if let Some(value) = settled(&native.game, pos, &mut Vec::new()) {
            return Ok(Some(value));
        }
        let (tier, number) = canonical(&native.game, &**index, pos, &mut Vec::new());
        Ok(match (table.identity().values, table.identity().cell) {
            (Values::Wdl, _) => table.code::<i8>(tier, number)?.and_then(|code| WdlCode(code).unpack()),
            (_, CellKind::I8) => table.code::<i8>(tier, number)?.and_then(Code::unpack),
            (_, CellKind::I32) => table.code::<i32>(tier, number)?.and_then(Code::unpack),
            (_, CellKind::I16 | CellKind::F64) => None,
        })
    }

    fn verify(
        &self,
        start: &AnyPosition,
        table: &Table,
        watch: &dyn Monitor,
    ) -> Result<Verification, Trouble> {
        let IndexedGame { native, index } = &self.0;
        let (game, index, start) = (&native.game, &**index, native.pos(start));
        match (table.identity().values, table.identity().cell) {
            (Values::Wdl, _) => verify(game, index, start, |tier| read(table, tier, WdlCode), watch),
            (_, CellKind::I32) => {
                verify(game, index, start, |tier| read(table, tier, |code: i32| code), watch)
            }
            _ => verify(game, index, start, |tier| read(table, tier, |code: i8| code), watch),
        }
    }
}
