//! Positions with exactly one move that gives nothing away, found in random games.

use crate::Trouble;
use crate::answers::Answer;
use crate::deadline::Deadline;
use crate::entry::Entry;
use crate::handle::QueryOptions;
use crate::solved::AnyIndex;
use outplay_core::{Game, Notation, Tier, Turn, Watch};
use outplay_players::{Merit, Truth};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::time::Duration;

/// A position to solve.
#[derive(Clone, Debug, Serialize)]
pub struct Puzzle {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// `first` or `second`.
    pub to_move: &'static str,
    /// What to do, in a sentence.
    pub task: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The one move that keeps the value.
    pub solution: String,
    /// Best play from here, the solution first.
    pub line: Vec<String>,
    /// How many moves there are to choose from.
    pub choices: usize,
}

/// Games that are looked at.
const GAMES: usize = 300;
/// Numbers that are tried for each position.
const TRIES: usize = 20;
/// Good puzzles of which the best is chosen.
const ENOUGH: usize = 6;
/// Time for one position: a puzzle need not be one that is hard to solve by search.
const EACH: Duration = Duration::from_millis(400);
/// Plies of a random game.
const LONGEST: usize = 400;

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn find_puzzle(
        &self,
        seed: u64,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Puzzle, Trouble> {
        let mut rng = SmallRng::seed_from_u64(seed);
        let truth = self.informed(options)?;
        let deadline = Deadline::new(options.time, watch);
        watch.stage("looking for a puzzle", 0);
        // A game without a start has no random games, but its positions have numbers.
        let (tight, loops) = match self.game.start() {
            Some(_) => (None, None),
            None => (self.tight_index(), self.loop_index()),
        };
        let index = loops.as_ref().map(|loops| loops.any()).or(tight.as_deref());
        let mut found: Vec<(u32, G::Position, G::Move, Merit)> = Vec::new();
        for _ in 0..GAMES {
            if deadline.stopped() || found.len() >= ENOUGH {
                break;
            }
            // Most numbers of an index are positions, but not all are unfinished ones.
            let Some(pos) = (0..TRIES).find_map(|_| self.random_position(index, &mut rng)) else { continue };
            let each = Deadline::new(Some(EACH), &deadline).silent();
            let Ok(Some(merits)) = truth.moves(&pos, &each) else { continue };
            let Some(&(_, best)) = merits.iter().max_by(|(_, a), (_, b)| a.compare(*b)) else { continue };
            let mut keeping = merits.iter().filter(|(_, merit)| merit.preserves(best));
            let (Some(&(mv, _)), None) = (keeping.next(), keeping.next()) else { continue };
            if merits.len() > 1 && best.payoff() >= 0.0 {
                found.push((interest(best, merits.len()), pos, mv, best));
            }
        }
        if watch.stopped() {
            return Err(outplay_solve::SolveError::Stopped.into());
        }
        // The first of equally interesting ones, so that a seed always means the same puzzle.
        let best = found.iter().map(|(interest, ..)| *interest).max();
        let Some((_, pos, mv, merit)) = found.into_iter().find(|(interest, ..)| Some(*interest) == best)
        else {
            let why =
                format!("no position of {} with a single good move was found in time", self.game.spec());
            return Err(Trouble::Unable(why + "; try another seed or a smaller game"));
        };
        let mut line = vec![self.game.write_move(&pos, mv)];
        line.extend(
            self.best_line(&self.game.play(&pos, mv), &truth, &deadline).into_iter().map(|step| step.0),
        );
        let mut moves = Vec::new();
        self.game.moves(&pos, &mut moves);
        let player = if self.game.turn(&pos) == Turn::Second { "Second" } else { "First" };
        let goal = match merit {
            Merit::Mean(_) => "the only best move",
            Merit::Value(value) if value.payoff() > 0 => "the only winning move",
            Merit::Value(_) => "the only move that holds the draw",
        };
        Ok(Puzzle {
            game: self.game.spec(),
            position: self.game.write_position(&pos),
            to_move: self.whose_turn(&pos),
            task: format!("{player} to move: find {goal}."),
            answer: match merit {
                Merit::Value(value) => self.answer(&pos, value),
                Merit::Mean(_) => Answer::unknown(-self.game.best_payoff(), self.game.best_payoff()),
            },
            solution: line[0].clone(),
            line,
            choices: moves.len(),
        })
    }

    /// A position of a random game, or any one of a game without a start; not a finished one.
    fn random_position(&self, index: Option<&dyn AnyIndex<G>>, rng: &mut SmallRng) -> Option<G::Position> {
        let playing =
            |pos: &G::Position| self.game.outcome(pos).is_none() && self.game.turn(pos) != Turn::Chance;
        let Some(start) = self.game.start() else {
            let index = index?;
            // The largest tier has all the men.
            let sizes = index.sizes();
            let (tier, &size) = sizes.iter().enumerate().max_by_key(|(_, size)| **size)?;
            return index.position(Tier(tier as u32), rng.random_range(0..size.max(1))).filter(playing);
        };
        let mut path = vec![start];
        let mut moves = Vec::new();
        while let Some(pos) =
            path.last().filter(|pos| self.game.outcome(pos).is_none() && path.len() < LONGEST)
        {
            moves.clear();
            self.game.moves(pos, &mut moves);
            if moves.is_empty() {
                break;
            }
            let next = self.game.play(pos, moves[rng.random_range(0..moves.len())]);
            path.push(next);
        }
        path.retain(playing);
        match path.len() {
            0 => None,
            len => Some(path.swap_remove(rng.random_range(0..len))),
        }
    }
}

/// What makes a puzzle worth solving: a win that is not at hand, and moves to choose from.
fn interest(best: Merit, moves: usize) -> u32 {
    let depth = match best {
        Merit::Value(value) => match value.distance() {
            Some(plies) if value.payoff() > 0 => plies.min(9) * 3,
            _ => 4,
        },
        Merit::Mean(_) => 4,
    };
    depth + moves.min(10) as u32
}
