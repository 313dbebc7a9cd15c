//! Any legal move, each equally likely.

use crate::{Choice, PlayError, Player};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Turn, Watch};
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

impl Player for Random {
    fn spec(&self) -> String {
        "random".into()
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, _watch: &dyn Watch) -> Result<Choice, PlayError> {
        self.moves.clear();
        self.game.moves(pos, &mut self.moves);
        if self.moves.is_empty() || self.game.turn(pos) == Turn::Chance {
            return Err(PlayError::NoMove);
        }
        Ok(Choice::plain(self.moves[self.rng.random_range(0..self.moves.len())]))
    }
}
