//! Any legal move, each equally likely.

use crate::{Choice, PlayError, Player};
use outplay_core::{Game, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The player `random`.
pub struct Random<G: Game> {
    game: G,
    rng: SmallRng,
    moves: Vec<G::Move>,
}

impl<G: Game> Random<G> {
    /// A player of `game`.
    pub fn new(game: G) -> Random<G> {
        Random { game, rng: SmallRng::seed_from_u64(0), moves: Vec::new() }
    }
}

impl<G: Game> Player<G> for Random<G> {
    fn spec(&self) -> String {
        "random".into()
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &G::Position, _watch: &dyn Watch) -> Result<Choice<G::Move>, PlayError> {
        self.moves.clear();
        self.game.moves(pos, &mut self.moves);
        if self.moves.is_empty() || self.game.turn(pos) == Turn::Chance {
            return Err(PlayError::NoMove);
        }
        Ok(Choice::plain(self.moves[self.rng.random_range(0..self.moves.len())]))
    }
}
