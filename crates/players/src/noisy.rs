//! The player `noisy`: another player that makes a random move with a given probability.

use crate::words::format_spec;
use crate::{Choice, Distribution, PlayError, Player};
use outplay_core::{AnyGame, AnyPosition, Game};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The player `noisy`: a random move with probability `p`, else the inner player's move.
pub struct Noisy {
    p: f64,
    game: AnyGame,
    inner: Box<dyn Player>,
    rng: SmallRng,
}

impl Noisy {
    /// `inner` with random moves of probability `p`.
    pub fn new(game: AnyGame, p: f64, inner: Box<dyn Player>) -> Noisy {
        Noisy { p, game, inner, rng: SmallRng::seed_from_u64(0) }
    }
}

impl Player for Noisy {
    fn spec(&self) -> String {
        format_spec("noisy", &[("p", self.p.to_string()), ("inner", self.inner.spec())])
    }

    fn ready(&mut self) -> Result<(), PlayError> {
        self.inner.ready()
    }

    fn begin(&mut self, seed: u64) {
        // The random moves must not be correlated with the inner player's own random decisions.
        self.rng = SmallRng::seed_from_u64(seed ^ 0x6e6f_6973_7900_0000);
        self.inner.begin(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        if !self.rng.random_bool(self.p) {
            return self.inner.choose(pos, monitor);
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        if moves.is_empty() {
            return Err(PlayError::NoMove);
        }
        Ok(Choice::plain(moves[self.rng.random_range(0..moves.len())]))
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        if self.p <= 0.0 {
            return self.inner.distribution(pos, monitor);
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        if moves.is_empty() {
            return Err(PlayError::NoMove);
        }
        let slip = Distribution::Equal(moves);
        if self.p >= 1.0 {
            return Ok(Some(slip));
        }
        let inner = self.inner.distribution(pos, monitor)?;
        Ok(inner.map(|inner| Distribution::Mixed {
            p: self.p,
            with: Box::new(slip),
            without: Box::new(inner),
        }))
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
