//! From a user's words to a position, and from values to answers.

use crate::Trouble;
use crate::answers::Answer;
use crate::entry::Entry;
use crate::handle::Place;
use outplay_core::{Game, InputError, Notation, Turn, Value};
use outplay_solve::SolveError;
use rustc_hash::FxHashSet;
use std::mem::size_of;

impl<G: Game + Notation> Entry<G> {
    /// Finds the position that a command is about.
    pub(crate) fn locate(&self, place: &Place) -> Result<G::Position, Trouble> {
        let (mut pos, moves) = match place {
            Place::Position(text) => return Ok(self.game.read_position(text)?),
            Place::Start => return Ok(self.start()?),
            Place::Moves(moves) => (self.start()?, moves),
            Place::MovesFrom { position, moves } => (self.game.read_position(position)?, moves),
        };
        for (i, word) in self.game.split_moves(moves).iter().enumerate() {
            let mv = self.game.read_move(&pos, word).map_err(|error| match error {
                InputError::Move { text, why } => {
                    InputError::Move { text, why: format!("as move {}: {why}", i + 1) }
                }
                other => other,
            })?;
            pos = self.game.play(&pos, mv);
        }
        Ok(pos)
    }

    /// The same, and nothing for the start of a game that has none.
    pub(crate) fn locate_if_any(&self, place: &Place) -> Result<Option<G::Position>, Trouble> {
        if *place == Place::Start && self.game.start().is_none() {
            return Ok(None);
        }
        self.locate(place).map(Some)
    }

    pub(crate) fn start(&self) -> Result<G::Position, SolveError> {
        self.game.start().ok_or(SolveError::NoStart)
    }

    pub(crate) fn to_move(&self, pos: &G::Position) -> &'static str {
        match self.game.turn(pos) {
            Turn::First => "first",
            Turn::Second => "second",
            Turn::Chance => "chance",
        }
    }

    /// The answer for a position with a known value.
    pub(crate) fn answer(&self, pos: &G::Position, value: Value) -> Answer {
        Answer::exact(value, self.game.tie_plies(pos))
    }

    /// The connect-k score of a value that counts from `pos`.
    pub(crate) fn score(&self, pos: &G::Position, value: Value) -> Option<i32> {
        let board = self.board.map(|board| board(&self.game, pos)).filter(|board| board.gravity)?;
        if value.payoff() == 0 {
            return Some(0);
        }
        let distance = value.distance()?;
        let end = board.stones() as i32 + distance as i32;
        Some(value.payoff().signum() * ((board.playable_cells() as i32 - end) / 2 + 1))
    }

    /// The moves of a position with their values for the player who makes them.
    pub(crate) fn move_values(
        &self,
        pos: &G::Position,
        value: &impl Fn(&G::Position) -> Result<Option<Value>, Trouble>,
    ) -> Result<Vec<(G::Move, Value)>, Trouble> {
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let turn = self.game.turn(pos);
        let mut valued = Vec::new();
        for mv in moves {
            let next = self.game.play(pos, mv);
            if let Some(value) = value(&next)? {
                valued.push((mv, value.before(self.game.turn(&next) == turn)));
            }
        }
        Ok(valued)
    }

    /// The best moves, in the game's order.
    pub(crate) fn best(&self, pos: &G::Position, values: &[(G::Move, Value)]) -> Vec<String> {
        let best = values.iter().map(|(_, value)| *value).max();
        let is_best = |value: &Value| best.is_some_and(|best| value.cmp(&best).is_eq());
        let moves = values.iter().filter(|(_, value)| is_best(value));
        moves.map(|(mv, _)| self.game.write_move(pos, *mv)).collect()
    }

    /// One line of best play; stops when a position comes back.
    pub(crate) fn line(
        &self,
        pos: &G::Position,
        value: &impl Fn(&G::Position) -> Result<Option<Value>, Trouble>,
    ) -> Result<Vec<String>, Trouble> {
        let mut pos = pos.clone();
        let mut seen = FxHashSet::default();
        let mut line = Vec::new();
        while seen.insert(pos.clone()) {
            let values = self.move_values(&pos, value)?;
            // The first of equally good moves: `max_by_key` would take the last.
            let Some(best) = values.iter().map(|(_, value)| *value).max() else { break };
            let Some((mv, _)) = values.iter().find(|(_, value)| value.cmp(&best).is_eq()) else { break };
            line.push(self.game.write_move(&pos, *mv));
            pos = self.game.play(&pos, *mv);
        }
        Ok(line)
    }

    /// How many positions a hash map may hold within so many bytes.
    pub(crate) fn most_positions(memory: u64) -> u64 {
        let each = 2 * (size_of::<G::Position>() + size_of::<Value>() + 8) as u64;
        (memory / each).max(1000)
    }
}
