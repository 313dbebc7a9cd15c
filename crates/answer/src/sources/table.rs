//! Tables on disk.

use crate::Trouble;
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, Worth};

/// A complete table of the game.
pub(super) struct OnDisk;

impl Rung for OnDisk {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        if ask.options.data.is_some() { Cost::Free } else { Cost::Never }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let Some(data) = &ask.options.data else { return Ok(None) };
        let worth = if ask.entry.game().has_dice() {
            let means = ask.unless_late(ask.entry.kept_means(data, ask.clock))?.flatten();
            means.map(|means| means.mean(ask.pos)).transpose()?.flatten().map(Worth::Mean)
        } else {
            let table = ask.unless_late(ask.entry.kept_table(data, ask.clock))?.flatten();
            table.map(|table| table.value(ask.pos)).transpose()?.flatten().map(Worth::Exact)
        };
        Ok(worth.map(|worth| Known::new(worth, Source::Table)))
    }
}
