//! Random games, very many of them: the crudest opinion about a position there is.
//!
//! Every legal move is equally likely; dice fall as they should. The loop copies positions and reuses one
//! buffer of moves, so a game costs its rules and nothing else.

use crate::SearchError;
use outplay_core::{Chance, Game, Pace, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// How often progress is told and a fault of the rules looked for, in games.
const POLL: u64 = 1 << 12;

/// How many games, how long, and which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayoutOptions {
    /// Games to play.
    pub games: u64,
    /// Plies after which a game is given up.
    pub plies: u32,
    /// Equal seeds give equal games.
    pub seed: u64,
}

impl PlayoutOptions {
    /// So many games of at most 1000 plies.
    pub fn games(games: u64) -> PlayoutOptions {
        PlayoutOptions { games, plies: 1000, seed: 1 }
    }
}

/// How random games ended, seen by the first player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Playouts {
    /// Games that the first player won.
    pub won: u64,
    /// Games that ended in a tie.
    pub tied: u64,
    /// Games that the first player lost.
    pub lost: u64,
    /// Games given up because they were too long.
    pub unfinished: u64,
    /// What the first player got in all games together.
    pub payoff: i64,
    /// Plies of all games together.
    pub plies: u64,
}

impl Playouts {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.won + self.tied + self.lost + self.unfinished
    }

    /// What the first player got on average; games without an end count as ties.
    pub fn mean(&self) -> f64 {
        self.payoff as f64 / self.games().max(1) as f64
    }
}

/// Plays random games from a position.
///
/// # Errors
///
/// A game that rolls dice (see [`playouts_with_dice`]) or a fault of the rules.
pub fn playouts<G: Game>(
    game: &G,
    pos: &G::Position,
    options: PlayoutOptions,
    watch: &dyn Watch,
) -> Result<Playouts, SearchError> {
    let mut moves: Vec<G::Move> = Vec::new();
    play(game, pos, options, watch, |pos, rng| {
        if game.turn(pos) == Turn::Chance {
            return Err(SearchError::Chance);
        }
        moves.clear();
        game.moves(pos, &mut moves);
        Ok((!moves.is_empty()).then(|| moves[below(rng, moves.len())]))
    })
}

/// Plays random games of a game in which dice are rolled.
///
/// # Errors
///
/// A fault of the rules.
pub fn playouts_with_dice<G: Chance>(
    game: &G,
    pos: &G::Position,
    options: PlayoutOptions,
    watch: &dyn Watch,
) -> Result<Playouts, SearchError> {
    let mut moves: Vec<G::Move> = Vec::new();
    let mut dice: Vec<(G::Move, f64)> = Vec::new();
    play(game, pos, options, watch, |pos, rng| {
        if game.turn(pos) == Turn::Chance && game.outcome(pos).is_none() {
            dice.clear();
            game.outcomes(pos, &mut dice);
            let mut left = rng.next_u64() as f64 / 2f64.powi(64);
            let fallen = dice.iter().find(|&&(_, probability)| {
                left -= probability;
                left < 0.0
            });
            // Probabilities that add up to a little less than one leave the last fall for the rest.
            return Ok(fallen.or(dice.last()).map(|&(mv, _)| mv));
        }
        moves.clear();
        game.moves(pos, &mut moves);
        Ok((!moves.is_empty()).then(|| moves[below(rng, moves.len())]))
    })
}

/// A number below `n`, all equally likely up to one part in four billion.
#[inline]
fn below(rng: &mut SmallRng, n: usize) -> usize {
    ((u64::from(rng.next_u32()) * n as u64) >> 32) as usize
}

#[inline]
fn play<G: Game>(
    game: &G,
    pos: &G::Position,
    options: PlayoutOptions,
    watch: &dyn Watch,
    mut choose: impl FnMut(&G::Position, &mut SmallRng) -> Result<Option<G::Move>, SearchError>,
) -> Result<Playouts, SearchError> {
    let mut rng = SmallRng::seed_from_u64(options.seed);
    let mut sum = Playouts::default();
    watch.stage("random games", options.games);
    let mut pace = Pace::new(watch);
    'games: for number in 0..options.games {
        if number % POLL == 0 {
            watch.advance(if number == 0 { 0 } else { POLL });
            if let Some(why) = game.fault() {
                return Err(SearchError::Fault(why));
            }
        }
        let mut pos = pos.clone();
        let mut plies = 0;
        while plies < options.plies
            && let Some(mv) = choose(&pos, &mut rng)?
        {
            // A game that is not over when somebody stops it does not count. Most plies take less than asking would.
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
