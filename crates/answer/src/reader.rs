//! A game's table, open for many questions.

use crate::Trouble;
use crate::entry::Entry;
use crate::kernels::Numbering;
use crate::means::KnownMeans;
use crate::tables::Opened;
use outplay_core::{AnyPosition, Tier, Value, Watch};
use outplay_solve::Reach;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A game's table, open for many questions from many threads.
///
/// Unlike a query it asks nobody else: what the table does not hold is not known.
#[derive(Clone)]
pub struct Reader(Held);

#[derive(Clone)]
enum Held {
    Values(Arc<Opened>),
    Means(Arc<KnownMeans>),
}

/// What a table says about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Read {
    /// Its value for the player to move.
    Value(Value),
    /// Games with dice: what the first player gets in the mean.
    Mean(f64),
}

/// The numbers that play reaches.
pub struct Reached(Reach);

impl Reached {
    /// Whether play reaches the position with a number.
    pub fn has(&self, tier: usize, number: u64) -> bool {
        self.0.has(Tier(tier as u32), number)
    }

    /// How many of a tier's numbers it reaches.
    pub fn count(&self, tier: usize) -> u64 {
        self.0.count(Tier(tier as u32))
    }
}

impl Entry {
    /// Opens the game's table; `None` if there is none that is complete.
    ///
    /// # Errors
    ///
    /// A table that is damaged or was made by other rules, or a stop.
    pub fn reader(&self, data: &Path, watch: &dyn Watch) -> Result<Option<Reader>, Trouble> {
        if self.game().has_dice() {
            return Ok(self.kept_means(data, watch)?.map(|means| Reader(Held::Means(means))));
        }
        Ok(self.kept_table(data, watch)?.map(|table| Reader(Held::Values(table))))
    }
}

impl Reader {
    /// What the table says about a position; `None` if it does not hold it.
    ///
    /// # Errors
    ///
    /// A damaged block.
    pub fn read(&self, pos: &AnyPosition) -> Result<Option<Read>, Trouble> {
        Ok(match &self.0 {
            Held::Values(table) => table.value(pos)?.map(Read::Value),
            Held::Means(means) => means.mean(pos)?.map(Read::Mean),
        })
    }

    /// How many numbers each tier has; nothing for games with dice.
    pub fn tiers(&self) -> Vec<u64> {
        match &self.0 {
            Held::Values(table) => table.numbering.numbers().sizes(),
            Held::Means(_) => Vec::new(),
        }
    }

    /// Visits the positions of some numbers of a tier in order, holes and unwanted numbers left out.
    pub fn positions(
        &self,
        tier: usize,
        numbers: Range<u64>,
        wanted: &dyn Fn(u64) -> bool,
        visit: &mut dyn FnMut(AnyPosition),
    ) {
        if let Held::Values(table) = &self.0 {
            table.numbering.numbers().positions(Tier(tier as u32), numbers, wanted, visit);
        }
    }

    /// Which numbers play from the start reaches; `None` where every position that has a number counts.
    ///
    /// # Errors
    ///
    /// A stop.
    pub fn reached(&self, start: &AnyPosition, watch: &dyn Watch) -> Result<Option<Reached>, Trouble> {
        Ok(match &self.0 {
            Held::Values(table) => match &table.numbering {
                Numbering::Sweeps(sweeps) => Some(Reached(sweeps.reach(start, watch)?)),
                _ => None,
            },
            Held::Means(_) => None,
        })
    }

    /// Whether distances are stored, too.
    pub fn has_distances(&self) -> bool {
        match &self.0 {
            Held::Values(table) => table.has_distances(),
            Held::Means(_) => false,
        }
    }
}
