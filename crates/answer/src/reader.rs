//! A game's table, open for many questions.

use crate::Trouble;
use crate::entry::Entry;
use crate::means::KnownMeans;
use crate::tables::Opened;
use outplay_core::{AnyPosition, Value, Watch};
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

    /// Whether distances are stored, too.
    pub fn has_distances(&self) -> bool {
        match &self.0 {
            Held::Values(table) => table.has_distances(),
            Held::Means(_) => false,
        }
    }
}
