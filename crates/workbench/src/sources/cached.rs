//! Value source `cached` (see `ladder`): values that earlier runs stored in the data directory.

use super::board::falling;
use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource};

/// The result cache in the data directory.
pub(super) struct CachedSource;

impl ValueSource for CachedSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(ask.session.recall && ask.session.data.is_some())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let Some(notes) = ask.session.results(ask.handle, ask.clock) else { return Ok(None) };
        let Some(note) = notes.find(ask.handle.game(), ask.pos, ask.clock) else { return Ok(None) };
        let proven = ProvenValue::Exact(note.value);
        // A search of a gravity board that was asked for win, draw or loss finds the distance if it is asked again.
        if !ask.verdict && !proven.is_timed() && falling(ask.handle, ask.pos).is_some() {
            let payoff = note.value.payoff();
            let bounds = ProvenValue::Between(payoff, payoff);
            return Ok(Some(SourceResult::new(bounds, Source::Kept)));
        }
        Ok(Some(SourceResult { best: note.best, ..SourceResult::new(proven, Source::Kept) }))
    }
}
