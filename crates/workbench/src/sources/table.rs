//! Value source `table` (see `ladder`): values of positions in a table on disk.

use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource};

/// A complete table of the game.
pub(super) struct TableSource;

impl ValueSource for TableSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(ask.session.data.is_some())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let proven = if ask.handle.game().has_dice() {
            let means = ask.unless_late(ask.session.means(ask.handle, ask.clock))?.flatten();
            means.map(|means| means.mean(ask.pos)).transpose()?.flatten().map(ProvenValue::Mean)
        } else {
            let table = ask.unless_late(ask.session.table(ask.handle, ask.clock))?.flatten();
            table.map(|table| table.value(ask.pos)).transpose()?.flatten().map(ProvenValue::Exact)
        };
        Ok(proven.map(|proven| SourceResult::new(proven, Source::Table)))
    }
}
