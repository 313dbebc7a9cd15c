//! Books of openings.

use super::board::{empty_cells, falling};
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, Worth};
use crate::{Trouble, books};

/// The book that comes along, and the one that a user built.
pub(super) struct Openings;

impl Rung for Openings {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        match ask.entry.game().has_board() && !ask.entry.is_large() {
            true => Cost::Free,
            false => Cost::Never,
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let Some(board) = falling(ask.entry, ask.pos) else { return Ok(None) };
        let own = ask.entry.own_book(ask.options.book.as_deref())?;
        let own = own.and_then(|book| book.probe(&board));
        let score = own.or_else(|| books::book(&board).and_then(|book| book.probe(&board)));
        let value = |score| outplay_connect::value(score, empty_cells(&board) as u32);
        Ok(score.map(|score| Known::new(Worth::Exact(value(score)), Source::Book)))
    }
}
