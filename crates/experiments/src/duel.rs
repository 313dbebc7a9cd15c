//! One game between two players, for experiments that need nothing but its result.

use crate::sample::NORMAL;
use outplay_answer::Trouble;
use outplay_core::{AnyGame, AnyPosition, Game, Turn, Watch};
use outplay_players::Player;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Wins, losses and draws of the player who is asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) won: u32,
    pub(crate) lost: u32,
    pub(crate) drawn: u32,
}

impl Score {
    /// Counts a payoff of that player.
    pub(crate) fn add(&mut self, payoff: i32) {
        match payoff {
            1.. => self.won += 1,
            0 => self.drawn += 1,
            _ => self.lost += 1,
        }
    }

    /// All of them.
    pub(crate) fn games(self) -> u32 {
        self.won + self.lost + self.drawn
    }

    /// Points a game with their 95 % bounds, all between 0 and 1; one half if nothing was played.
    pub(crate) fn points(self) -> (f64, (f64, f64)) {
        let n = f64::from(self.games());
        if n == 0.0 {
            return (0.5, (0.0, 1.0));
        }
        let mean = (f64::from(self.won) + f64::from(self.drawn) / 2.0) / n;
        let squares = f64::from(self.won) * (1.0 - mean).powi(2)
            + f64::from(self.drawn) * (0.5 - mean).powi(2)
            + f64::from(self.lost) * mean.powi(2);
        // A result that never varied is not certain for that: as much as one game may have gone otherwise.
        let half = NORMAL * (squares.max(0.25) / n / n).sqrt();
        (mean, ((mean - half).max(0.0), (mean + half).min(1.0)))
    }

    /// The same as text.
    pub(crate) fn percent(self) -> String {
        let (mean, (low, high)) = self.points();
        format!("{:.1} % ({:.1} to {:.1})", 100.0 * mean, 100.0 * low, 100.0 * high)
    }

    /// `won/lost/drawn`.
    pub(crate) fn text(self) -> String {
        format!("{}/{}/{}", self.won, self.lost, self.drawn)
    }
}

/// A random position after so many plies, unfinished.
pub(crate) fn opening(game: &AnyGame, plies: u32, seed: u64) -> Option<AnyPosition> {
    let mut rng = SmallRng::seed_from_u64(seed);
    // A random game that ends within the opening is none; another one is drawn.
    'games: for _ in 0..1000 {
        let mut pos = game.start()?;
        for _ in 0..plies {
            let mut moves = Vec::new();
            game.moves(&pos, &mut moves);
            if moves.is_empty() {
                continue 'games;
            }
            pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
        }
        if game.outcome(&pos).is_none() {
            return Some(pos);
        }
    }
    None
}

/// Plays on from a position; what the first player gets.
pub(crate) fn duel(
    game: &AnyGame,
    players: [&mut dyn Player; 2],
    from: &AnyPosition,
    seed: u64,
    watch: &dyn Watch,
) -> Result<i32, Trouble> {
    let [first, second] = players;
    first.begin(seed);
    second.begin(seed ^ 0x5eed);
    let mut pos = from.clone();
    loop {
        if let Some(payoff) = game.outcome(&pos) {
            return Ok(payoff);
        }
        if watch.stopped() {
            return Err(Trouble::stopped());
        }
        let player = if game.turn(&pos) == Turn::Second { &mut *second } else { &mut *first };
        let mv = player.choose(&pos, watch)?.mv;
        pos = game.play(&pos, mv);
    }
}
