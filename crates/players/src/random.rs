//! The player `random`: a uniformly random legal move.

use crate::{Choice, Distribution, PlayError, Player};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Turn};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The player `random`.
pub struct Random {
    game: AnyGame,
    rng: SmallRng,
    moves: Vec<AnyMove>,
}

impl Random {
    /// A player of `game`.
    pub fn new(game: AnyGame) -> Random {
        Random { game, rng: SmallRng::seed_from_u64(0), moves: Vec::new() }
    }
}

impl Random {
    /// Lists the legal moves.
    fn list(&mut self, pos: &AnyPosition) -> Result<(), PlayError> {
        self.moves.clear();
        self.game.moves(pos, &mut self.moves);
        if self.moves.is_empty() || self.game.turn(pos) == Turn::Chance {
            return Err(PlayError::NoMove);
        }
        Ok(())
    }
}

impl Player for Random {
    fn spec(&self) -> String {
        "random".into()
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, _monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        self.list(pos)?;
        Ok(Choice::plain(self.moves[self.rng.random_range(0..self.moves.len())]))
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        _monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        self.list(pos)?;
        Ok(Some(Distribution::Equal(self.moves.clone())))
    }
}
