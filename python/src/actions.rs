//! Action numbers of moves, as learning agents use them.
//!
//! ```text
//!  board with gravity   the column, counted from 0
//!  other board          the cell, row by row from the top
//!  any other game       the move's place in the list of legal moves
//! ```

use crate::errors;
use crate::game::Game;
use crate::position::Position;
use outplay_core::{AnyMove, Game as _, Notation, parse_cell};
use pyo3::prelude::*;

/// The number of actions of a game of k in a row: its columns, or its cells.
pub(crate) fn board_actions(py: Python<'_>, game: &Game) -> PyResult<Option<usize>> {
    let board = game.ask(py, |game| game.start().and_then(|start| game.board(&start)))?;
    Ok(board.map(|board| if board.gravity { board.width } else { board.cells.len() }))
}

/// The legal moves with their action numbers.
pub(crate) fn numbered(py: Python<'_>, position: &Position) -> PyResult<Vec<(u32, AnyMove)>> {
    position.ask(py, |game, pos| {
        let board = game.board(pos);
        let moves = game.list(pos).enumerate();
        let numbered = moves.map(|(place, mv)| {
            let word = board.as_ref().map(|_| game.write_move(pos, mv)).unwrap_or_default();
            let on_board = board.as_ref().and_then(|board| {
                if board.gravity {
                    return word.parse::<usize>().ok()?.checked_sub(1);
                }
                let (column, row) = parse_cell(&word)?;
                Some((board.height.checked_sub(row + 1)?) * board.width + column)
            });
            (on_board.unwrap_or(place) as u32, mv)
        });
        numbered.collect()
    })
}

/// The move with an action number.
pub(crate) fn move_of(py: Python<'_>, position: &Position, action: i64) -> PyResult<AnyMove> {
    let moves = numbered(py, position)?;
    let found = moves.iter().find(|(number, _)| i64::from(*number) == action);
    found.map(|(_, mv)| *mv).ok_or_else(|| {
        let text = position.ask(py, |game, pos| game.write_position(pos)).unwrap_or_default();
        let sentence = format!("action {action} is not legal at {text}");
        errors::typed(py, "InputError", &sentence, Some("choose one of `position.legal_actions()`"))
    })
}
