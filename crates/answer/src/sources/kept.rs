//! What was found before and written down.

use crate::Trouble;
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, Worth};

/// Notes in the data directory.
pub(super) struct Written;

impl Rung for Written {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        match ask.options.recall && ask.options.data.is_some() {
            true => Cost::Free,
            false => Cost::Never,
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let Some(data) = &ask.options.data else { return Ok(None) };
        let Some(note) = ask.entry.notes(data).find(ask.entry.game(), ask.pos) else { return Ok(None) };
        Ok(Some(Known { best: note.best, ..Known::new(Worth::Exact(note.value), Source::Kept) }))
    }
}
