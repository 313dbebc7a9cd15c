//! From a user's words to a position, and from what is known to answers.

use crate::answers::Answer;
use crate::entry::Entry;
use crate::ladder::Worth;
use crate::request::Place;
use crate::{Trouble, sources};
use outplay_core::{AnyMove, AnyPosition, Game, InputError, Notation, Value};
use outplay_solve::SolveError;

impl Entry {
    /// Finds the position that a command is about.
    ///
    /// # Errors
    ///
    /// Words that make no sense, or a game without a start.
    pub fn locate(&self, place: &Place) -> Result<AnyPosition, Trouble> {
        let game = self.game();
        let (mut pos, moves) = match place {
            Place::Position(text) => return Ok(game.read_position(text)?),
            Place::At(pos) => return Ok(pos.clone()),
            Place::Start => return Ok(self.start()?),
            Place::Moves(moves) => (self.start()?, moves),
            Place::MovesFrom { position, moves } => (game.read_position(position)?, moves),
        };
        for (i, word) in game.split_moves(moves).iter().enumerate() {
            let mv = game.read_move(&pos, word).map_err(|error| match error {
                InputError::Move { text, why } => {
                    InputError::Move { text, why: format!("as move {}: {why}", i + 1) }
                }
                other => other,
            })?;
            pos = game.play(&pos, mv);
        }
        Ok(pos)
    }

    /// The same, and nothing for the start of a game that has none.
    pub(crate) fn locate_if_any(&self, place: &Place) -> Result<Option<AnyPosition>, Trouble> {
        if *place == Place::Start && self.game().start().is_none() {
            return Ok(None);
        }
        self.locate(place).map(Some)
    }

    pub(crate) fn start(&self) -> Result<AnyPosition, SolveError> {
        self.game().start().ok_or(SolveError::NoStart)
    }

    /// The answer that what is known of a position makes.
    pub fn answer(&self, pos: &AnyPosition, value: Value) -> Answer {
        Answer::Exact { value, tie_plies: self.game().tie_plies(pos) }
    }

    pub(crate) fn told(&self, pos: &AnyPosition, worth: Worth) -> Answer {
        match worth {
            Worth::Exact(value) => self.answer(pos, value),
            Worth::Mean(mean) => Answer::Mean { mean, most: self.game().best_payoff() },
            Worth::Between(low, high) => Answer::Unknown { low, high },
        }
    }

    /// Nothing is known.
    pub fn unknown(&self) -> Answer {
        let most = self.game().best_payoff();
        Answer::Unknown { low: -most, high: most }
    }

    /// The connect-k score of a value that counts from `pos`.
    pub(crate) fn score(&self, pos: &AnyPosition, worth: Worth) -> Option<i32> {
        let Worth::Exact(value) = worth else { return None };
        if self.is_large() {
            return None;
        }
        sources::score_of(&self.game().board(pos)?, value)
    }

    pub(crate) fn names(&self, pos: &AnyPosition, moves: &[AnyMove]) -> Vec<String> {
        moves.iter().map(|&mv| self.game().write_move(pos, mv)).collect()
    }
}
