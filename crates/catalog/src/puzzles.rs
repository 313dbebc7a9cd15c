//! Positions with one move that stands out, found in random games: the only one that gives nothing away, or the
//! one that wins soonest.
//!
//! ```text
//!  random game   0 1 [2 3 4 5 6] 7     a position from its middle, some plies after the start
//!                       └ moves and merits: exactly one keeps the win? or is soonest? → interest
//! ```

use crate::Trouble;
use crate::answers::Answer;
use crate::deadline::Deadline;
use crate::entry::Entry;
use crate::handle::QueryOptions;
use crate::reasons::{called, first_best};
use crate::solved::AnyIndex;
use outplay_core::{Game, Holder, Notation, Tier, Turn, Value, Watch};
use outplay_players::{Merit, Merits, Truth};
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
    /// `only` (every other move gives something away), `soonest` (others win later) or `best` (dice).
    pub kind: &'static str,
    /// What to do, in a sentence.
    pub task: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The one move that is asked for.
    pub solution: String,
    /// Best play from here, the solution first.
    pub line: Vec<String>,
    /// How many moves there are to choose from.
    pub choices: usize,
}

/// Games that are looked at.
const GAMES: usize = 300;
/// Of these, games whose beginnings are left out.
const LATE: usize = 200;
/// Plies at the beginning that make no puzzle.
const BEGINNING: usize = 2;
/// Numbers that are tried for each position.
const TRIES: usize = 20;
/// Puzzles of which the best is chosen.
const ENOUGH: usize = 6;
/// What a puzzle is worth that needs no better ones beside it.
const GOOD: u32 = 20;
/// Games that are looked at before puzzles do that are not so good.
const CONTENT: usize = 60;
/// What taking a man costs a puzzle: it is the first thing that anybody looks at.
const OBVIOUS: u32 = 12;
/// Time for one position: a puzzle need not be one that is hard to solve by search.
const EACH: Duration = Duration::from_millis(400);
/// Plies of a random game.
const LONGEST: usize = 400;
/// What a second best move of a game with dice has to be worse by.
const MARGIN: f64 = 0.02;

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Only,
    Soonest,
    Best,
}

/// A position that could be asked for.
struct Candidate<G: Game> {
    pos: G::Position,
    merits: Merits<G::Move>,
    best: Merit,
    kind: Kind,
    interest: u32,
}

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
        self.warm_up(index, &truth, options, &deadline);
        let mut found: Vec<Candidate<G>> = Vec::new();
        for game in 0..GAMES {
            let good = found.iter().filter(|candidate| candidate.interest >= GOOD).count();
            let content = good >= ENOUGH || (game >= CONTENT && found.len() >= ENOUGH);
            if deadline.stopped() || content || (game >= LATE && !found.is_empty()) {
                break;
            }
            let after = if game < LATE { BEGINNING } else { 0 };
            // Most numbers of an index are positions, but not all are unfinished ones.
            let pos = (0..TRIES).find_map(|_| self.random_position(index, after, &mut rng));
            let Some(pos) = pos else { continue };
            let each = Deadline::new(Some(EACH), &deadline).silent();
            let Ok(Some(merits)) = truth.moves(&pos, &each) else { continue };
            let Some((kind, best)) = one_stands_out(&merits) else { continue };
            let takes = first_best(&merits).is_some_and(|&(mv, _)| self.takes(&pos, mv));
            let interest = interest(kind, best, merits.len()).saturating_sub(if takes { OBVIOUS } else { 0 });
            found.push(Candidate { pos, merits, best, kind, interest });
        }
        if watch.stopped() {
            return Err(outplay_solve::SolveError::Stopped.into());
        }
        // The first of equally interesting ones, so that a seed always means the same puzzle.
        let most = found.iter().map(|candidate| candidate.interest).max();
        let Some(chosen) = found.into_iter().find(|candidate| Some(candidate.interest) == most) else {
            let why =
                format!("no position of {} with a single good move was found in time", self.game.spec());
            return Err(Trouble::Unable(why + "; try another seed or a smaller game"));
        };
        let Candidate { pos, merits, best, kind, .. } = chosen;
        let choices = merits.len();
        let line = self.best_line(&pos, merits, &truth, &deadline);
        let line: Vec<String> = line.into_iter().map(|step| step.mv).collect();
        Ok(Puzzle {
            game: self.game.spec(),
            position: self.game.write_position(&pos),
            to_move: self.whose_turn(&pos),
            kind: match kind {
                Kind::Only => "only",
                Kind::Soonest => "soonest",
                Kind::Best => "best",
            },
            task: self.task(&pos, kind, best),
            answer: match best {
                Merit::Value(value) => self.answer(&pos, value),
                Merit::Mean(_) => Answer::unknown(-self.game.best_payoff(), self.game.best_payoff()),
            },
            solution: line.first().cloned().unwrap_or_default(),
            line,
            choices,
        })
    }

    /// Lets a small game be solved whole before positions are asked for one by one, each with little time.
    fn warm_up(
        &self,
        index: Option<&dyn AnyIndex<G>>,
        truth: &dyn Truth<G>,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) {
        // Late positions are quick to answer once the game is solved, and never searched for long.
        let mut rng = SmallRng::seed_from_u64(0);
        let late = (0..TRIES).find_map(|_| self.random_position(index, LONGEST, &mut rng));
        let half = options.time.map(|time| time / 2);
        if let Some(pos) = late.filter(|_| self.board.is_none()) {
            // What cannot be found is found out again for each position, in less time.
            let _ = truth.value(&pos, &Deadline::new(half, watch).silent());
        }
    }

    /// Whether a move takes something of the opponent's off the board.
    fn takes(&self, pos: &G::Position, mv: G::Move) -> bool {
        let other = if self.game.turn(pos) == Turn::Second { Holder::First } else { Holder::Second };
        let men = |pos: &G::Position| {
            self.game.scene(pos).spots.iter().filter(|spot| spot.holder == Some(other)).count()
        };
        men(&self.game.play(pos, mv)) < men(pos)
    }

    /// What to do, in a sentence.
    fn task(&self, pos: &G::Position, kind: Kind, best: Merit) -> String {
        let names = called(&self.game.scene(pos));
        let player = names[usize::from(self.game.turn(pos) == Turn::Second)];
        let chess = names[0] == "White";
        let goal = match (kind, best) {
            (Kind::Best, _) | (_, Merit::Mean(_)) => "find the best move".to_string(),
            (Kind::Soonest, Merit::Value(value)) => {
                let plies = value.distance().unwrap_or(0);
                let mate = format!("mate in {}", plies.div_ceil(2));
                if chess { mate } else { format!("win within {plies} plies") }
            }
            (Kind::Only, Merit::Value(value)) if value.payoff() > 0 => "find the only winning move".into(),
            (Kind::Only, Merit::Value(_)) => "find the only move that holds the draw".into(),
        };
        format!("{player} to move: {goal}.")
    }

    /// A position of a random game at least `after` plies from its start, where there is one, or any one of a game
    /// without a start; not a finished one.
    fn random_position(
        &self,
        index: Option<&dyn AnyIndex<G>>,
        after: usize,
        rng: &mut SmallRng,
    ) -> Option<G::Position> {
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
        // Early positions are long to win and look alike.
        let last = path.len().checked_sub(1)?;
        let first = after.max(if after > 0 { last / 4 } else { 0 }).min(last);
        Some(path.swap_remove(rng.random_range(first..=last)))
    }
}

/// Whether exactly one move is the one to find, and why.
fn one_stands_out<M>(merits: &[(M, Merit)]) -> Option<(Kind, Merit)> {
    let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))?;
    let count = |good: &dyn Fn(Merit) -> bool| merits.iter().filter(|(_, merit)| good(*merit)).count();
    if merits.len() < 2 {
        return None;
    }
    match best {
        Merit::Mean(mean) => {
            (count(&|merit| merit.payoff() > mean - MARGIN) == 1).then_some((Kind::Best, best))
        }
        Merit::Value(value) if value.payoff() < 0 => None,
        Merit::Value(_) if count(&|merit| merit.preserves(best)) == 1 => Some((Kind::Only, best)),
        // A win that comes much sooner by one move than by any other.
        Merit::Value(value) => {
            let soon = value.payoff() > 0 && value.distance().is_some_and(|plies| (3..=9).contains(&plies));
            (soon && count(&|merit| merit.equals(best)) == 1).then_some((Kind::Soonest, best))
        }
    }
}

/// What makes a puzzle worth solving: a win that is neither at hand nor beyond anybody's sight, and moves to choose
/// from.
fn interest(kind: Kind, best: Merit, moves: usize) -> u32 {
    let plies = |value: Value| value.distance().unwrap_or(8);
    let depth = match (kind, best) {
        (Kind::Only, Merit::Value(value)) if value.payoff() > 0 => match plies(value) {
            0..=1 => 2,
            2..=3 => 16,
            4..=13 => 24,
            _ => 12,
        },
        (Kind::Soonest, Merit::Value(value)) if plies(value) > 3 => 16,
        (Kind::Soonest, _) => 13,
        _ => 10,
    };
    depth + moves.min(10) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `3` wins in 3 plies, `0` draws, `-4` loses in 4.
    fn asked(values: &[i32]) -> Option<Kind> {
        let merit = |&n: &i32| ((), Merit::Value(Value::new(n.signum(), n.unsigned_abs())));
        one_stands_out(&values.iter().map(merit).collect::<Vec<_>>()).map(|(kind, _)| kind)
    }

    #[test]
    fn one_move_stands_out_or_none_does() {
        assert_eq!(asked(&[5]), None, "there is nothing to choose");
        assert_eq!(asked(&[5, 0, -2]), Some(Kind::Only));
        assert_eq!(asked(&[-4, 0, -2]), Some(Kind::Only));
        assert_eq!(asked(&[5, 7, 0]), Some(Kind::Soonest));
        assert_eq!(asked(&[5, 5, 0]), None, "two moves are equally good");
        assert_eq!(asked(&[1, 3]), None, "a win at hand is no puzzle");
        assert_eq!(asked(&[-1, -3]), None, "there is nothing to keep");
        let means = |second: f64| one_stands_out(&[((), Merit::Mean(0.5)), ((), Merit::Mean(second))]);
        assert!(means(0.4).is_some() && means(0.499).is_none());
    }
}
