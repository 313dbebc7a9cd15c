//! Random sampling of positions, in two ways.
//!
//! [`sample`] chooses the ply first; the n-th sample depends only on n and the seed, so a list of samples can be
//! extended and resumed. [`RandomGames`] takes one position of each random game and drops positions that are symmetric
//! to an earlier one. With the same seed the two ways give different positions, and both must stay as they are, because
//! published data sets name their seeds.

use super::Request;
use super::choose::plies;
use super::label::{Scratch, class};
use crate::seed::part;
use crate::{GameHandle, PositionRef, Trouble};
use outplay_core::{AnyGame, AnyPosition, Chance, Game, Turn};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashSet;

/// Positions of random games that are labelled together; few, because labels that a quota rejects are wasted.
const BATCH: usize = 1 << 10;
/// Random games without a new position after which sampling ends.
const VAIN: u64 = 100_000;
/// Length limit of a random game in plies.
const LONGEST: u32 = 1_000;
/// The error if a [`sample`] does not exist.
pub const TOO_LATE: &str = "no random game lasted until the first ply of the range; sample earlier plies";

/// Distribution of the sampled plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spread {
    /// Uniform: a game that ends before its ply is restarted for the same ply.
    #[default]
    Even,
    /// As in random play: a game that ends early is restarted for another ply, so later plies are rare.
    Natural,
}

impl Spread {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Spread::Even => "even",
            Spread::Natural => "natural",
        }
    }
}

/// Parameters of random sampling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// The first ply.
    pub from: u32,
    /// The last ply.
    pub to: u32,
    /// Distribution of plies.
    pub spread: Spread,
    /// Random seed.
    pub seed: u64,
}

impl Default for Sampling {
    /// The middle game of 7x6 Connect-4.
    fn default() -> Sampling {
        Sampling { from: 8, to: 34, spread: Spread::Even, seed: 1 }
    }
}

impl Sampling {
    /// The first and last ply of the corresponding part of a game with `cells` cells.
    pub fn middle(cells: u32) -> (u32, u32) {
        let (usual, all) = (Sampling::default(), 42);
        (cells.saturating_mul(usual.from) / all, cells.saturating_mul(usual.to) / all)
    }
}

/// Draws a position and its ply. Sample `number` depends on the seed and its number alone.
pub fn sample(
    game: &AnyGame,
    start: &AnyPosition,
    sampling: &Sampling,
    number: u64,
) -> Option<(AnyPosition, u32)> {
    /// Attempts before random play counts as too short for the ply.
    const ATTEMPTS: u32 = 100_000;
    let mut rng = SmallRng::seed_from_u64(part(part(sampling.seed, 3), number));
    let mut moves = Vec::new();
    let mut plies = rng.random_range(sampling.from..=sampling.to);
    'attempts: for attempt in 0..ATTEMPTS {
        if attempt > 0 && sampling.spread == Spread::Natural {
            plies = rng.random_range(sampling.from..=sampling.to);
        }
        let mut pos = start.clone();
        for _ in 0..plies {
            moves.clear();
            game.moves(&pos, &mut moves);
            if moves.is_empty() {
                continue 'attempts;
            }
            pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
        }
        if game.outcome(&pos).is_none() {
            return Some((pos, plies));
        }
    }
    None
}

/// Positions of random games, one of each symmetry class.
pub(crate) struct RandomGames<'a> {
    game: &'a AnyGame,
    start: AnyPosition,
    rng: SmallRng,
    seen: FxHashSet<u64>,
    plies: (u32, u32),
    vain: u64,
}

impl<'a> RandomGames<'a> {
    pub(crate) fn new(entry: &'a GameHandle, request: &Request) -> Result<RandomGames<'a>, Trouble> {
        let plies = plies(request)?;
        let start = entry.locate(&PositionRef::Start)?;
        let rng = SmallRng::seed_from_u64(request.seed);
        Ok(RandomGames { game: entry.game(), start, rng, seen: FxHashSet::default(), plies, vain: 0 })
    }

    /// Returns the next positions, each with its ply; empty at the end.
    pub(crate) fn next_batch(&mut self, watch: &dyn Monitor) -> Result<Vec<(AnyPosition, u32)>, Trouble> {
        let mut batch = Vec::with_capacity(BATCH);
        let mut scratch = Scratch::default();
        while batch.len() < BATCH && self.vain < VAIN {
            if self.vain.is_multiple_of(64) && watch.stopped() {
                return Err(Trouble::stopped());
            }
            self.vain += 1;
            let Some((pos, ply)) = random_game_position(self.game, &self.start, &mut self.rng, self.plies)
            else {
                continue;
            };
            if self.seen.insert(class(self.game, &pos, &mut scratch)) {
                self.vain = 0;
                batch.push((pos, ply));
            }
        }
        Ok(batch)
    }
}

/// Draws a position of a random game uniformly from the range of plies; `None` if the game ended before.
fn random_game_position(
    game: &AnyGame,
    start: &AnyPosition,
    rng: &mut SmallRng,
    plies: (u32, u32),
) -> Option<(AnyPosition, u32)> {
    let (mut pos, mut ply) = (start.clone(), 0);
    let (mut kept, mut met) = (None, 0u32);
    while ply <= plies.1.min(LONGEST) {
        if ply >= plies.0 {
            met += 1;
            if rng.random_range(0..met) == 0 {
                kept = Some((pos.clone(), ply));
            }
        }
        if game.outcome(&pos).is_some() {
            break;
        }
        let count = game.list(&pos).count();
        let mut place = rng.random_range(0..count);
        if game.turn(&pos) == Turn::Chance {
            let mut rolls = Vec::new();
            game.outcomes(&pos, &mut rolls);
            let mut left: f64 = rng.random();
            place = rolls
                .iter()
                .position(|(_, odds)| {
                    left -= odds;
                    left < 0.0
                })
                .unwrap_or(rolls.len() - 1);
        }
        let mv = game.list(&pos).nth(place)?;
        pos = game.play(&pos, mv);
        ply += 1;
    }
    kept
}
