//! Monte Carlo playouts: uniformly random games.
//!
//! Every legal move is equally likely; chance nodes follow their distribution. The loop copies positions and reuses one
//! buffer of moves, so a playout takes little more time than the rules do.

use crate::SearchError;
use outplay_core::{Chance, Game, Turn};
use outplay_runtime::{Monitor, Pace};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Games between two progress reports and checks for faults of the rules.
const POLL: u64 = 1 << 12;

/// Number, maximum length and random seed of playouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayoutOptions {
    /// Games to play.
    pub games: u64,
    /// Maximum plies of a game.
    pub plies: u32,
    /// Random seed.
    pub seed: u64,
}

impl PlayoutOptions {
    /// Options for a number of games of at most 1000 plies.
    pub fn games(games: u64) -> PlayoutOptions {
        PlayoutOptions { games, plies: 1000, seed: 1 }
    }
}

/// Results of playouts, for the first player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Playouts {
    /// Games that the first player won.
    pub won: u64,
    /// Games that ended in a tie.
    pub tied: u64,
    /// Games that the first player lost.
    pub lost: u64,
    /// Games that hit the ply limit.
    pub unfinished: u64,
    /// Sum of the first player's payoffs.
    pub payoff: i64,
    /// Sum of plies over all games.
    pub plies: u64,
}

impl Playouts {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.won + self.tied + self.lost + self.unfinished
    }

    /// Mean payoff of the first player; unfinished games count as ties.
    pub fn mean(&self) -> f64 {
        self.payoff as f64 / self.games().max(1) as f64
    }
}

/// Plays random games from a position.
///
/// # Errors
///
/// A game with chance (see [`playouts_with_dice`]) or a fault of the rules.
pub fn playouts<G: Game>(
    game: &G,
    pos: &G::Position,
    options: PlayoutOptions,
    monitor: &dyn Monitor,
) -> Result<Playouts, SearchError> {
    let mut moves: Vec<G::Move> = Vec::new();
    play(game, pos, options, monitor, |pos, rng| {
        if game.turn(pos) == Turn::Chance {
            return Err(SearchError::Chance);
        }
        moves.clear();
        game.moves(pos, &mut moves);
        Ok((!moves.is_empty()).then(|| moves[below(rng, moves.len())]))
    })
}

/// Plays random games of a game with chance.
///
/// # Errors
///
/// A fault of the rules.
pub fn playouts_with_dice<G: Chance>(
    game: &G,
    pos: &G::Position,
    options: PlayoutOptions,
    monitor: &dyn Monitor,
) -> Result<Playouts, SearchError> {
    let mut moves: Vec<G::Move> = Vec::new();
    let mut dice: Vec<(G::Move, f64)> = Vec::new();
    play(game, pos, options, monitor, |pos, rng| {
        if game.turn(pos) == Turn::Chance && game.outcome(pos).is_none() {
            dice.clear();
            game.outcomes(pos, &mut dice);
            let mut left = rng.next_u64() as f64 / 2f64.powi(64);
            let fallen = dice.iter().find(|&&(_, probability)| {
                left -= probability;
                left < 0.0
            });
            // Rounding may leave the probabilities slightly below 1; the last outcome takes the rest.
            return Ok(fallen.or(dice.last()).map(|&(mv, _)| mv));
        }
        moves.clear();
        game.moves(pos, &mut moves);
        Ok((!moves.is_empty()).then(|| moves[below(rng, moves.len())]))
    })
}

/// Returns a number below `n`, uniform up to one part in four billion.
#[inline]
fn below(rng: &mut SmallRng, n: usize) -> usize {
    ((u64::from(rng.next_u32()) * n as u64) >> 32) as usize
}

#[inline]
fn play<G: Game>(
    game: &G,
    pos: &G::Position,
    options: PlayoutOptions,
    monitor: &dyn Monitor,
    mut choose: impl FnMut(&G::Position, &mut SmallRng) -> Result<Option<G::Move>, SearchError>,
) -> Result<Playouts, SearchError> {
    let mut rng = SmallRng::seed_from_u64(options.seed);
    let mut sum = Playouts::default();
    monitor.stage("playing random games", options.games);
    let mut pace = Pace::new(monitor);
    'games: for number in 0..options.games {
        if number % POLL == 0 {
            monitor.advance(if number == 0 { 0 } else { POLL });
            if let Some(why) = game.fault() {
                return Err(SearchError::Fault(why));
            }
        }
        let mut pos = pos.clone();
        let mut plies = 0;
        while plies < options.plies
            && let Some(mv) = choose(&pos, &mut rng)?
        {
            // A game interrupted by the monitor does not count. Most plies are cheaper than a poll.
            if plies % 32 == 0 && pace.step() {
                break 'games;
            }
            pos = game.play(&pos, mv);
            plies += 1;
        }
        sum.plies += u64::from(plies);
        match game.outcome(&pos) {
            None => sum.unfinished += 1,
            Some(payoff) => {
                sum.payoff += i64::from(payoff);
                match payoff {
                    1.. => sum.won += 1,
                    0 => sum.tied += 1,
                    _ => sum.lost += 1,
                }
            }
        }
    }
    Ok(sum)
}
