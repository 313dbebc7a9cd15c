//! Positions with one move that stands out, found in random games: the only one that gives nothing away, or the
//! one that wins soonest.
//!
//! ```text
//!  random game   0 1 [2 3 4 5 6] 7     a position from its middle, some plies after the start
//!                       └ moves and merits: exactly one keeps the win? or is soonest? → interest
//! ```

use crate::fours;
use crate::reasons::{best_line, called, first_best, takes};
use crate::themes::{Difficulty, Line, PuzzleStep, difficulty, themes, whole_line};
use outplay_answer::{Answer, Entry, Oracle, Place, QueryOptions, Trouble};
use outplay_core::{AnyGame, AnyPosition, Deadline, Game, Notation, Turn, Value, Watch};
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
    /// Who moves.
    pub to_move: Turn,
    /// What sets the move apart.
    pub kind: PuzzleKind,
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
    /// The whole puzzle: moves of the solver's, each the only right one, and the answers to them.
    pub steps: Vec<PuzzleStep>,
    /// What it is about: `fork`, `mate in 3`, `zugzwang`.
    pub themes: Vec<String>,
    /// How hard it is.
    pub difficulty: Difficulty,
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
/// What each further move of a line adds to a puzzle.
const LONGER: u32 = 5;
/// Time for one position: a puzzle need not be one that is hard to solve by search.
const EACH: Duration = Duration::from_millis(400);
/// Plies of a random game.
const LONGEST: usize = 400;
/// What a second best move of a game with dice has to be worse by.
const MARGIN: f64 = 0.02;

/// What sets the move apart that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PuzzleKind {
    /// Every other move gives something away.
    Only,
    /// Others win later.
    Soonest,
    /// The best of a game with dice.
    Best,
    /// The only one that begins a win by fours, on boards too large for exact values.
    Fours,
}

/// A position that could be asked for.
struct Candidate {
    pos: AnyPosition,
    merits: Merits,
    best: Merit,
    kind: PuzzleKind,
    interest: u32,
}

/// A position with exactly one move that stands out; the seed decides which.
///
/// # Errors
///
/// No such position was found, or a stop.
pub fn puzzle(
    entry: &Entry,
    seed: u64,
    options: &QueryOptions,
    watch: &dyn Watch,
) -> Result<Puzzle, Trouble> {
    let game = entry.game();
    let board = game.start().and_then(|start| game.board(&start));
    if board.is_some_and(|board| fours::suits(&board)) && !entry.exact(&Place::Start, options)? {
        return fours::puzzle(entry, seed, &Deadline::new(options.time, watch));
    }
    let mut rng = SmallRng::seed_from_u64(seed);
    let truth = Oracle::new(entry.clone(), options.clone());
    // What is left in the end is for following the lines, and for finding out how hard they are.
    let whole = Deadline::new(options.time, watch);
    let deadline = Deadline::new(options.time.map(|time| time * 3 / 5), &whole);
    watch.stage("looking for a puzzle", 0);
    warm_up(entry, &truth, options, &deadline);
    let mut found: Vec<Candidate> = Vec::new();
    for round in 0..GAMES {
        let good = found.iter().filter(|candidate| candidate.interest >= GOOD).count();
        let content = good >= ENOUGH || (round >= CONTENT && found.len() >= ENOUGH);
        if deadline.stopped() || content || (round >= LATE && !found.is_empty()) {
            break;
        }
        let after = if round < LATE { BEGINNING } else { 0 };
        // Most numbers of an index are positions, but not all are unfinished ones.
        let pos = (0..TRIES).find_map(|_| random_position(entry, after, &mut rng));
        let Some(pos) = pos else { continue };
        let place = Place::Position(game.write_position(&pos));
        // A board beyond reach is told from the others before it is searched.
        if game.has_board() && !entry.exact(&place, options).unwrap_or(false) {
            continue;
        }
        let each = Deadline::new(Some(EACH), &deadline).silent();
        let Ok(Some(merits)) = truth.moves(&pos, &each) else { continue };
        let Some((kind, best)) = one_stands_out(&merits) else { continue };
        let takes = first_best(&merits).is_some_and(|&(mv, _)| takes(game, &pos, mv));
        let interest = interest(kind, best, merits.len()).saturating_sub(if takes { OBVIOUS } else { 0 });
        found.push(Candidate { pos, merits, best, kind, interest });
    }
    if watch.stopped() {
        return Err(Trouble::stopped());
    }
    // Every other seed asks for a line of several moves, so that there are both; what has no time to be followed is short.
    let longer = LONGER * (seed % 2) as u32;
    let followed = found.into_iter().map(|mut candidate| {
        let Candidate { pos, merits, kind, .. } = &candidate;
        let each = Deadline::new(Some(EACH), &whole).silent();
        let line = whole_line(entry, pos, merits, *kind, &truth, &each);
        candidate.interest += longer * (line.steps.len() as u32 - 1).min(3);
        (candidate, line)
    });
    let found: Vec<(Candidate, Line)> = followed.collect();
    // The first of equally interesting ones, so that a seed always means the same puzzle.
    let most = found.iter().map(|(candidate, _)| candidate.interest).max();
    let Some((chosen, line)) = found.into_iter().find(|(candidate, _)| Some(candidate.interest) == most)
    else {
        let why = format!("no position of {} with a single good move was found in time", game.spec());
        return Err(Trouble::Limits(why + "; try another seed or a smaller game"));
    };
    let Candidate { pos, merits, best, kind, .. } = chosen;
    let choices = merits.len();
    let themes = themes(entry, game.turn(&pos), &line, kind, best, &truth, &whole);
    let difficulty = difficulty(entry, &pos, &merits, &line.steps, options, &whole);
    let steps = line.steps;
    let line = best_line(game, &pos, merits, &truth, &whole);
    let line: Vec<String> = line.into_iter().map(|step| step.mv).collect();
    Ok(Puzzle {
        game: game.spec(),
        position: game.write_position(&pos),
        to_move: game.turn(&pos),
        kind,
        task: task(game, &pos, kind, best),
        answer: match best {
            Merit::Value(value) => entry.answer(&pos, value),
            Merit::Mean(_) => entry.unknown(),
        },
        solution: line.first().cloned().unwrap_or_default(),
        line,
        choices,
        steps,
        themes,
        difficulty,
    })
}

/// Lets a small game be solved whole before positions are asked for one by one, each with little time.
fn warm_up(entry: &Entry, truth: &dyn Truth, options: &QueryOptions, watch: &dyn Watch) {
    // Late positions are quick to answer once the game is solved, and never searched for long.
    let mut rng = SmallRng::seed_from_u64(0);
    let late = (0..TRIES).find_map(|_| random_position(entry, LONGEST, &mut rng));
    let most = options.time.map(|time| time * 3 / 4);
    if let Some(pos) = late.filter(|_| !entry.game().has_board()) {
        // What cannot be found is found out again for each position, in less time.
        let _ = truth.value(&pos, &Deadline::new(most, watch).silent());
    }
}

/// What to do, in a sentence.
fn task(game: &AnyGame, pos: &AnyPosition, kind: PuzzleKind, best: Merit) -> String {
    let names = called(&game.scene(pos));
    let player = names[usize::from(game.turn(pos) == Turn::Second)];
    let chess = names[0] == "White";
    let goal = match (kind, best) {
        (PuzzleKind::Best | PuzzleKind::Fours, _) | (_, Merit::Mean(_)) => "find the best move".to_string(),
        (PuzzleKind::Soonest, Merit::Value(value)) => {
            let plies = value.distance().unwrap_or(0);
            let mate = format!("mate in {}", plies.div_ceil(2));
            if chess { mate } else { format!("win within {plies} plies") }
        }
        (PuzzleKind::Only, Merit::Value(value)) if value.payoff() > 0 => "find the only winning move".into(),
        (PuzzleKind::Only, Merit::Value(_)) => "find the only move that holds the draw".into(),
    };
    format!("{player} to move: {goal}.")
}

/// A position of a random game at least `after` plies from its start, where there is one, or any one of a game
/// without a start; not a finished one.
fn random_position(entry: &Entry, after: usize, rng: &mut SmallRng) -> Option<AnyPosition> {
    let game = entry.game();
    let playing = |pos: &AnyPosition| game.outcome(pos).is_none() && game.turn(pos) != Turn::Chance;
    let Some(start) = game.start() else {
        return entry.numbered_position(rng.random()).filter(playing);
    };
    let mut path = vec![start];
    while let Some(pos) = path.last().filter(|pos| game.outcome(pos).is_none() && path.len() < LONGEST) {
        let moves = game.list(pos).count();
        if moves == 0 {
            break;
        }
        let mv = game.list(pos).nth(rng.random_range(0..moves))?;
        let next = game.play(pos, mv);
        path.push(next);
    }
    path.retain(playing);
    // Early positions are long to win and look alike.
    let last = path.len().checked_sub(1)?;
    let first = after.max(if after > 0 { last / 4 } else { 0 }).min(last);
    Some(path.swap_remove(rng.random_range(first..=last)))
}

/// Whether exactly one move is the one to find, and why.
fn one_stands_out<M>(merits: &[(M, Merit)]) -> Option<(PuzzleKind, Merit)> {
    let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))?;
    let count = |good: &dyn Fn(Merit) -> bool| merits.iter().filter(|(_, merit)| good(*merit)).count();
    if merits.len() < 2 {
        return None;
    }
    match best {
        Merit::Mean(mean) => {
            (count(&|merit| merit.payoff() > mean - MARGIN) == 1).then_some((PuzzleKind::Best, best))
        }
        Merit::Value(value) if value.payoff() < 0 => None,
        Merit::Value(_) if count(&|merit| merit.preserves(best)) == 1 => Some((PuzzleKind::Only, best)),
        // A win that comes much sooner by one move than by any other.
        Merit::Value(value) => {
            let soon = value.payoff() > 0 && value.distance().is_some_and(|plies| (3..=9).contains(&plies));
            (soon && count(&|merit| merit.equals(best)) == 1).then_some((PuzzleKind::Soonest, best))
        }
    }
}

/// What makes a puzzle worth solving: a win that is neither at hand nor beyond anybody's sight, and moves to choose
/// from.
fn interest(kind: PuzzleKind, best: Merit, moves: usize) -> u32 {
    let plies = |value: Value| value.distance().unwrap_or(8);
    let depth = match (kind, best) {
        (PuzzleKind::Only, Merit::Value(value)) if value.payoff() > 0 => match plies(value) {
            0..=1 => 2,
            2..=3 => 16,
            4..=13 => 24,
            _ => 12,
        },
        (PuzzleKind::Soonest, Merit::Value(value)) if plies(value) > 3 => 16,
        (PuzzleKind::Soonest, _) => 13,
        _ => 10,
    };
    depth + moves.min(10) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `3` wins in 3 plies, `0` draws, `-4` loses in 4.
    fn asked(values: &[i32]) -> Option<PuzzleKind> {
        let merit = |&n: &i32| ((), Merit::Value(Value::new(n.signum(), n.unsigned_abs())));
        one_stands_out(&values.iter().map(merit).collect::<Vec<_>>()).map(|(kind, _)| kind)
    }

    #[test]
    fn one_move_stands_out_or_none_does() {
        assert_eq!(asked(&[5]), None, "there is nothing to choose");
        assert_eq!(asked(&[5, 0, -2]), Some(PuzzleKind::Only));
        assert_eq!(asked(&[-4, 0, -2]), Some(PuzzleKind::Only));
        assert_eq!(asked(&[5, 7, 0]), Some(PuzzleKind::Soonest));
        assert_eq!(asked(&[5, 5, 0]), None, "two moves are equally good");
        assert_eq!(asked(&[1, 3]), None, "a win at hand is no puzzle");
        assert_eq!(asked(&[-1, -3]), None, "there is nothing to keep");
        let means = |second: f64| one_stands_out(&[((), Merit::Mean(0.5)), ((), Merit::Mean(second))]);
        assert!(means(0.4).is_some() && means(0.499).is_none());
    }
}
