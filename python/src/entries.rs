//! Iteration over the positions of a table, in the order of their numbers.

use crate::game::Game;
use crate::work;
use outplay_core::{AnyPosition, Game as _, Tier};
use outplay_workbench::Reader;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Numbers of a table that are read at a time.
const CHUNK: u64 = 1 << 12;

/// Whether the position with a number of a tier belongs to the game.
type Filter = Box<dyn Fn(usize, u64) -> bool + Send + Sync>;

/// An iterator over the positions of a table.
#[pyclass(frozen, module = "outplay")]
pub(crate) struct TableIterator {
    game: Game,
    /// The table on disk, the sizes of its tiers, and the positions that count; `None` for a list.
    table: Option<(Reader, Vec<u64>, Filter)>,
    state: Mutex<TableCursor>,
}

/// Progress through a table.
#[derive(Default)]
struct TableCursor {
    tier: usize,
    number: u64,
    ready: VecDeque<AnyPosition>,
}

impl TableIterator {
    /// Iterates over a list.
    pub(crate) fn over_list(game: Game, positions: &[AnyPosition]) -> TableIterator {
        let ready = positions.iter().cloned().collect();
        TableIterator {
            game,
            table: None,
            state: Mutex::new(TableCursor { ready, ..TableCursor::default() }),
        }
    }

    /// Iterates over a table on disk.
    pub(crate) fn over_table(py: Python<'_>, game: Game, reader: Reader) -> PyResult<TableIterator> {
        let of = reader.clone();
        let reached = game.run(py, move |entry, _, monitor| match entry.game().start() {
            Some(start) => of.reached(&start, monitor),
            None => Ok(None),
        })?;
        let filter: Filter = Box::new(move |tier, number| {
            reached.as_ref().is_none_or(|reached| reached.has(Tier(tier as u32), number))
        });
        let tiers = reader.tiers();
        Ok(TableIterator { game, table: Some((reader, tiers, filter)), state: Mutex::default() })
    }
}

#[pymethods]
impl TableIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<crate::position::Position>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(pos) = state.ready.pop_front() {
                return Ok(Some(self.game.at(pos)));
            }
            let Some((reader, tiers, filter)) = &self.table else { return Ok(None) };
            let Some(&size) = tiers.get(state.tier) else { return Ok(None) };
            work::check(py)?;
            let (tier, from) = (state.tier, state.number);
            let to = size.min(from + CHUNK);
            let ready = work::guarded(py, || {
                let mut ready = VecDeque::new();
                reader.positions(tier, from..to, &|number| filter(tier, number), &mut |pos| {
                    ready.push_back(pos);
                });
                ready
            })?;
            state.ready = ready;
            (state.tier, state.number) = if to == size { (tier + 1, 0) } else { (tier, to) };
        }
    }
}
