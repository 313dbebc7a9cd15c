//! Single games between two players from a given position, without a record, and the score of a series of them.

use crate::design::{Purpose, Streams};
use crate::plot::Point;
use outplay_arena::stats::{Pairs, Strength};
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
    /// Independent observations: single games as 0, 2 or 4 half points, or pairs of games from one opening.
    observed: Pairs,
}

impl Score {
    fn count(&mut self, payoff: i32) {
        match payoff {
            1.. => self.won += 1,
            0 => self.drawn += 1,
            _ => self.lost += 1,
        }
    }

    /// Counts a payoff of that player.
    pub(crate) fn add(&mut self, payoff: i32) {
        self.count(payoff);
        self.observed.add((2 + 2 * payoff.signum()) as usize);
    }

    /// Counts the payoffs of that player in two games from one opening with colours swapped, which are not independent.
    pub(crate) fn add_pair(&mut self, payoffs: [i32; 2]) {
        payoffs.into_iter().for_each(|payoff| self.count(payoff));
        self.observed.add((2 + payoffs[0].signum() + payoffs[1].signum()) as usize);
    }

    /// Number of games.
    pub(crate) fn games(self) -> u32 {
        self.won + self.lost + self.drawn
    }

    /// Points per game with their 95 % confidence interval, all between 0 and 1; one half if nothing was played.
    pub(crate) fn points(self) -> (f64, (f64, f64)) {
        (self.observed.score(), self.observed.score_bounds())
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

/// Plays a game from a position, with random choices from the players' own streams; returns the first player's payoff.
pub(crate) fn duel(
    game: &AnyGame,
    players: [&mut dyn Player; 2],
    from: &AnyPosition,
    streams: Streams,
    watch: &dyn Monitor,
) -> Result<i32, Trouble> {
    let [first, second] = players;
    first.begin(streams.seed(Purpose::First));
    second.begin(streams.seed(Purpose::Second));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_games_are_single_observations() {
        let (mut single, mut paired) = (Score::default(), Score::default());
        for _ in 0..50 {
            // Each opening decides both games: won with either colour, or lost with either.
            for payoff in [1, -1] {
                single.add(payoff);
                single.add(payoff);
                paired.add_pair([payoff, payoff]);
            }
        }
        assert_eq!((single.text(), paired.text()), ("100/100/0".into(), "100/100/0".into()));
        let width = |score: Score| {
            let (mean, (low, high)) = score.points();
            assert!((mean - 0.5).abs() < 1e-12);
            high - low
        };
        // Half as many independent observations: an interval wider by √2.
        let ratio = width(paired) / width(single);
        assert!((ratio - 2f64.sqrt()).abs() < 0.02, "{ratio}");
        assert_eq!(Score::default().points(), (0.5, (0.0, 1.0)));
    }
}
