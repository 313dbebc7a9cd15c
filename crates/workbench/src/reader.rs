//! Read access to a game's table for many lookups from many threads.

use crate::means::KnownMeans;
use crate::tables::OpenTables;
use crate::{GameHandle, Numbering, Session, Trouble};
use outplay_core::{AnyPosition, Tier, Value};
use outplay_runtime::Monitor;
use outplay_solve::Reach;
use std::ops::Range;
use std::sync::Arc;

/// Reader of a game's table for lookups from many threads.
///
/// Unlike a query it uses no other source: a position that the table does not hold has no value.
#[derive(Clone)]
pub struct Reader(ReaderTable);

#[derive(Clone)]
enum ReaderTable {
    Values(Arc<OpenTables>),
    Means(Arc<KnownMeans>),
}

/// Value of a position in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Read {
    /// Its value for the player to move.
    Value(Value),
    /// The first player's mean payoff: games with chance.
    Mean(f64),
}

/// Opens the game's table; `None` if there is no complete one.
///
/// # Errors
///
/// A table that is damaged or was made by other rules, or a stop.
pub fn open_reader(
    session: &Session,
    handle: &GameHandle,
    watch: &dyn Monitor,
) -> Result<Option<Reader>, Trouble> {
    if handle.game().has_dice() {
        return Ok(session.means(handle, watch)?.map(|means| Reader(ReaderTable::Means(means))));
    }
    Ok(session.table(handle, watch)?.map(|table| Reader(ReaderTable::Values(table))))
}

impl Reader {
    /// Looks a position up; `None` if the table does not hold it.
    ///
    /// # Errors
    ///
    /// A damaged block.
    pub fn read(&self, pos: &AnyPosition) -> Result<Option<Read>, Trouble> {
        Ok(match &self.0 {
            ReaderTable::Values(table) => table.value(pos)?.map(Read::Value),
            ReaderTable::Means(means) => means.mean(pos)?.map(Read::Mean),
        })
    }

    /// Returns the size of each tier; empty for games with chance.
    pub fn tiers(&self) -> Vec<u64> {
        match &self.0 {
            ReaderTable::Values(table) => table.numbering.numbers().sizes(),
            ReaderTable::Means(_) => Vec::new(),
        }
    }

    /// Visits the positions of a range of a tier in order, without holes and unwanted numbers.
    pub fn positions(
        &self,
        tier: usize,
        numbers: Range<u64>,
        wanted: &dyn Fn(u64) -> bool,
        visit: &mut dyn FnMut(AnyPosition),
    ) {
        if let ReaderTable::Values(table) = &self.0 {
            table.numbering.numbers().positions(Tier(tier as u32), numbers, wanted, visit);
        }
    }

    /// Computes the set of numbers reachable from the start; `None` if every numbered position counts.
    ///
    /// # Errors
    ///
    /// A stop.
    pub fn reached(&self, start: &AnyPosition, watch: &dyn Monitor) -> Result<Option<Reach>, Trouble> {
        let ReaderTable::Values(table) = &self.0 else { return Ok(None) };
        let Numbering::Sweeps(sweeps) = &table.numbering else { return Ok(None) };
        Ok(Some(sweeps.reach(start, watch)?))
    }
}
