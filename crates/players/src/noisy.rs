//! Another player that slips now and then.

use crate::words::spelled;
use crate::{Choice, PlayError, Player};
use outplay_core::{AnyGame, AnyPosition, Game, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The player `noisy`: a random move with probability `p`, else what the inner player says.
pub struct Noisy {
    p: f64,
    game: AnyGame,
    inner: Box<dyn Player>,
    rng: SmallRng,
}

impl Noisy {
    /// `inner` with slips.
    pub fn new(game: AnyGame, p: f64, inner: Box<dyn Player>) -> Noisy {
        Noisy { p, game, inner, rng: SmallRng::seed_from_u64(0) }
    }
}

impl Player for Noisy {
    fn spec(&self) -> String {
        spelled("noisy", &[("p", self.p.to_string()), ("inner", self.inner.spec())])
    }

    fn begin(&mut self, seed: u64) {
        // The slips must not follow the same numbers as the inner player's own decisions.
        self.rng = SmallRng::seed_from_u64(seed ^ 0x6e6f_6973_7900_0000);
        self.inner.begin(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        if !self.rng.random_bool(self.p) {
            return self.inner.choose(pos, watch);
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        if moves.is_empty() {
            return Err(PlayError::NoMove);
        }
        Ok(Choice::plain(moves[self.rng.random_range(0..moves.len())]))
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
