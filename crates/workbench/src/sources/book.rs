//! Value source `book` (see `ladder`): the exact score of an early position of a gravity board, from an opening book.

use super::board::{empty_cells, falling};
use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource, books};

/// The built-in book, and the user's.
pub(super) struct BookSource;

impl ValueSource for BookSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(ask.handle.game().has_board() && !ask.handle.is_large())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let Some(board) = falling(ask.handle, ask.pos) else { return Ok(None) };
        let own = ask.session.own_book()?;
        let own = own.and_then(|book| book.probe(&board));
        let score = own.or_else(|| books::book(&board).and_then(|book| book.probe(&board)));
        let value = |score| outplay_connect::value(score, empty_cells(&board) as u32);
        Ok(score.map(|score| SourceResult::new(ProvenValue::Exact(value(score)), Source::Book)))
    }
}
