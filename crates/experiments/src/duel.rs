//! Single games between two players from a given position, without a record, and the score of a series of them.

use crate::plot::Point;
use crate::sample::NORMAL;
use outplay_arena::stats::Strength;
use outplay_core::{AnyGame, AnyPosition, Game, Turn};
use outplay_players::Player;
use outplay_runtime::Monitor;
use outplay_workbench::Trouble;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Wins, losses and draws of one player.
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

    /// Number of games.
    pub(crate) fn games(self) -> u32 {
        self.won + self.lost + self.drawn
    }

    /// Points per game with their 95 % confidence interval, all between 0 and 1; one half if nothing was played.
    pub(crate) fn points(self) -> (f64, (f64, f64)) {
        let n = f64::from(self.games());
        if n == 0.0 {
            return (0.5, (0.0, 1.0));
        }
        let mean = (f64::from(self.won) + f64::from(self.drawn) / 2.0) / n;
        let squares = f64::from(self.won) * (1.0 - mean).powi(2)
            + f64::from(self.drawn) * (0.5 - mean).powi(2)
            + f64::from(self.lost) * mean.powi(2);
        // Zero variance is not certainty: at least the variance of one deviating game is assumed.
        let half = NORMAL * (squares.max(0.25) / n / n).sqrt();
        (mean, ((mean - half).max(0.0), (mean + half).min(1.0)))
    }

    /// The same in percent, as a point of a plot.
    pub(crate) fn point(self, x: f64) -> Point {
        let (mean, (low, high)) = self.points();
        Point { x, y: 100.0 * mean, bounds: Some((100.0 * low, 100.0 * high)) }
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

/// Formats the 95 % confidence interval of an Elo difference.
pub(crate) fn elo_bounds(strength: &Strength) -> String {
    let end = |end: Option<f64>| end.map_or("…".to_string(), |elo| format!("{elo:+.0}"));
    format!("{} to {}", end(strength.low), end(strength.high))
}

/// Formats an Elo difference with its 95 % confidence interval.
pub(crate) fn elo_text(strength: &Strength) -> String {
    format!("{:+.0} ({})", strength.elo, elo_bounds(strength))
}

/// A random unfinished position after `plies` plies.
pub(crate) fn opening(game: &AnyGame, plies: u32, seed: u64) -> Option<AnyPosition> {
    let mut rng = SmallRng::seed_from_u64(seed);
    // A random game that ends within the opening is drawn again.
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

/// Plays a game from a position; returns the first player's payoff.
pub(crate) fn duel(
    game: &AnyGame,
    players: [&mut dyn Player; 2],
    from: &AnyPosition,
    seed: u64,
    watch: &dyn Monitor,
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
        let mv = player.choose(&pos, watch)?.finished()?.mv;
        pos = game.play(&pos, mv);
    }
}
