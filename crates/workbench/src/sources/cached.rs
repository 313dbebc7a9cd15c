//! Persistent-result-cache source.

use crate::{Cost, Finding, ProvenValue, Question, Source, Trouble, ValueSource};

/// The result cache in the data directory.
pub(super) struct Cached;

impl ValueSource for Cached {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(ask.session.recall && ask.session.data.is_some())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<Finding>, Trouble> {
        let Some(notes) = ask.session.results(ask.handle, ask.clock) else { return Ok(None) };
        let Some(note) = notes.find(ask.handle.game(), ask.pos, ask.clock) else { return Ok(None) };
        Ok(Some(Finding { best: note.best, ..Finding::new(ProvenValue::Exact(note.value), Source::Kept) }))
    }
}
