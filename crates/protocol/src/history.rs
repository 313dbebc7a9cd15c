//! Move history of a game, reconstructed from positions, for protocols that transmit moves instead of positions.
//!
//! A player receives only positions. If a position follows from the last known one by a single move of the opponent,
//! that move extends the history; otherwise the position starts a new history.

use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Notation, Turn};

/// A base position and the moves since.
#[derive(Default)]
pub(crate) struct History {
    base: Option<AnyPosition>,
    pub(crate) moves: Vec<String>,
    now: Option<AnyPosition>,
}

impl History {
    /// Clears the history.
    pub(crate) fn clear(&mut self) {
        *self = History::default();
    }

    /// Records a position of the game. Returns whether it is exactly one move of the opponent after the known one.
    pub(crate) fn reach(&mut self, game: &AnyGame, pos: &AnyPosition) -> bool {
        let known = self.now.clone().or_else(|| game.start());
        if self.base.is_none() {
            self.base.clone_from(&known);
        }
        if let Some(known) = known {
            if known == *pos {
                self.now = Some(known);
                return false;
            }
            if let Some(mv) = step(game, &known, pos) {
                self.moves.push(game.write_move(&known, mv));
                self.now = Some(pos.clone());
                return true;
            }
        }
        *self = History { base: Some(pos.clone()), moves: Vec::new(), now: Some(pos.clone()) };
        false
    }

    /// Records a move of the player itself.
    pub(crate) fn made(&mut self, game: &AnyGame, pos: &AnyPosition, mv: AnyMove) {
        self.moves.push(game.write_move(pos, mv));
        self.now = Some(game.play(pos, mv));
    }

    /// The UGI `position` command of the current position.
    pub(crate) fn words(&self, game: &AnyGame) -> String {
        let base = match &self.base {
            Some(base) if game.start().as_ref() != Some(base) => {
                format!("position fen {}", game.write_position(base))
            }
            _ => "position startpos".to_string(),
        };
        if self.moves.is_empty() { base } else { format!("{base} moves {}", self.moves.join(" ")) }
    }
}

/// Finds the move that leads from one position to another.
fn step(game: &AnyGame, from: &AnyPosition, to: &AnyPosition) -> Option<AnyMove> {
    if game.outcome(from).is_some() || game.turn(from) == Turn::Chance {
        return None;
    }
    // On a k-in-a-row board the new stone identifies the move, without trying up to a million of them.
    if let Some((before, after)) = game.board(from).zip(game.board(to)) {
        let mut new =
            (0..before.cells.len()).filter(|&cell| Some(&before.cells[cell]) != after.cells.get(cell));
        let (cell, None) = (new.next()?, new.next()) else { return None };
        let place = before.open_cells().iter().position(|&open| open == cell)?;
        let mv = AnyMove(place as u32);
        return (game.list(from).any(|known| known == mv) && game.play(from, mv) == *to).then_some(mv);
    }
    game.list(from).find(|&mv| game.play(from, mv) == *to)
}
