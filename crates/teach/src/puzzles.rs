//! Puzzle generation: positions of random games with one outstanding move, either the only one that keeps the value or
//! the fastest win.
//!
//! ```text
//!  random game   0 1 [2 3 4 5 6] 7     a position from its middle, some plies after the start
//!                       └ values of all moves: does exactly one keep the win, or win fastest? → score of interest
//! ```

use crate::fours;
use crate::reasons::{best_line, called, first_best, takes};
use crate::themes::{Difficulty, PuzzleContext, PuzzleStep, SolutionLine, difficulty, themes, whole_line};
use outplay_core::{AnyGame, AnyPosition, Game, Notation, Turn, Value};
use outplay_players::{ExactOracle, MoveValue, MoveValues};
use outplay_runtime::{Deadline, Monitor};
use outplay_workbench::{Answer, GameHandle, Oracle, PositionRef, Session, Trouble, check_stop};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::time::Duration;

/// A puzzle: a position with one outstanding move, its task and its solution.
#[derive(Clone, Debug, Serialize)]
pub struct Puzzle {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// The player to move.
    pub to_move: Turn,
    /// The kind of solution.
    pub kind: PuzzleKind,
    /// The task, in a sentence.
    pub task: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The move to find.
    pub solution: String,
    /// The principal variation, the solution first.
    pub line: Vec<String>,
    /// Number of legal moves.
    pub choices: usize,
    /// The solution line: the solver's moves, each the only right one, and the replies.
    pub steps: Vec<PuzzleStep>,
    /// Its themes: `fork`, `mate in 3`, `zugzwang`.
    pub themes: Vec<String>,
    /// Its difficulty.
    pub difficulty: Difficulty,
}

/// Limit on random games.
const GAMES: usize = 300;
/// Of these, games whose openings are skipped.
const LATE: usize = 200;
/// Plies of the opening without puzzles.
const BEGINNING: usize = 2;
/// Random numbers tried per position.
const TRIES: usize = 20;
/// Number of candidates from which the best is chosen.
const ENOUGH: usize = 6;
/// Interest of a puzzle that is accepted without further candidates.
const GOOD: u32 = 20;
/// Number of games after which less interesting puzzles are accepted.
const CONTENT: usize = 60;
/// Penalty for a capture, which is the first move that people look at.
const OBVIOUS: u32 = 12;
/// Bonus for each further move of the solution line.
const LONGER: u32 = 5;
/// Time limit per position: a puzzle need not be hard for a search.
const EACH: Duration = Duration::from_millis(400);
/// Length limit of a random game in plies.
const LONGEST: usize = 400;
/// Minimum gap to the second best move in a game with chance.
const MARGIN: f64 = 0.02;

/// Kind of puzzle, by what distinguishes the move to find from the other moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PuzzleKind {
    /// Every other move is worse.
    Only,
    /// Other moves win later.
    Soonest,
    /// The best mean in a game with chance.
    Best,
    /// The only first move of a VCF win (victory by continuous fours), on boards too large for exact values.
    Fours,
}

/// A candidate position.
struct Candidate {
    pos: AnyPosition,
    merits: MoveValues,
    best: MoveValue,
    kind: PuzzleKind,
    interest: u32,
}

/// Finds a position with exactly one outstanding move; the seed selects it.
///
/// # Errors
///
/// No such position was found, or a stop.
pub fn puzzle(
    session: &Session,
    entry: &GameHandle,
    seed: u64,
    watch: &dyn Monitor,
) -> Result<Puzzle, Trouble> {
    let game = entry.game();
    let board = game.start().and_then(|start| game.board(&start));
    if board.is_some_and(|board| fours::suits(&board))
        && !outplay_workbench::is_tractable(session, entry, &PositionRef::Start)?
    {
        return fours::puzzle(entry, seed, &Deadline::new(session.time, watch));
    }
    let mut rng = SmallRng::seed_from_u64(seed);
    let truth = Oracle::new(session.clone(), entry.clone());
    // The rest of the time is for the solution lines and their difficulty.
    let whole = Deadline::new(session.time, watch);
    let deadline = Deadline::new(session.time.map(|time| time * 3 / 5), &whole);
    watch.stage("looking for a puzzle", 0);
    warm_up(session, entry, &truth, &deadline);
    let mut found: Vec<Candidate> = Vec::new();
    for round in 0..GAMES {
        let good = found.iter().filter(|candidate| candidate.interest >= GOOD).count();
        let content = good >= ENOUGH || (round >= CONTENT && found.len() >= ENOUGH);
        if deadline.stopped() || content || (round >= LATE && !found.is_empty()) {
            break;
        }
        let after = if round < LATE { BEGINNING } else { 0 };
        // Most numbers of an index are positions, but some are finished.
        let pos = (0..TRIES).find_map(|_| random_position(entry, after, &mut rng));
        let Some(pos) = pos else { continue };
        let place = PositionRef::Position(game.write_position(&pos));
        // An intractable board is recognised before it is searched.
        if game.has_board() && !outplay_workbench::is_tractable(session, entry, &place).unwrap_or(false) {
            continue;
        }
        let each = Deadline::new(Some(EACH), &deadline).silent();
        let Ok(Some(merits)) = truth.moves(&pos, &each) else { continue };
        let Some((kind, best)) = one_stands_out(&merits) else { continue };
        let takes = first_best(&merits).is_some_and(|&(mv, _)| takes(game, &pos, mv));
        let interest = interest(kind, best, merits.len()).saturating_sub(if takes { OBVIOUS } else { 0 });
        found.push(Candidate { pos, merits, best, kind, interest });
    }
    check_stop(watch)?;
    // Odd seeds prefer solution lines of several moves, so that both kinds occur; without time to follow it a line is
    // short.
    let longer = LONGER * (seed % 2) as u32;
    let context = PuzzleContext { session, entry, truth: &truth, watch: &whole };
    let followed = found.into_iter().map(|mut candidate| {
        let Candidate { pos, merits, kind, .. } = &candidate;
        let each = Deadline::new(Some(EACH), &whole).silent();
        let line = whole_line(PuzzleContext { watch: &each, ..context }, pos, merits, *kind);
        candidate.interest += longer * (line.steps.len() as u32 - 1).min(3);
        (candidate, line)
    });
    let found: Vec<(Candidate, SolutionLine)> = followed.collect();
    // The first of equally interesting ones, so that a seed is reproducible.
    let most = found.iter().map(|(candidate, _)| candidate.interest).max();
    let Some((chosen, line)) = found.into_iter().find(|(candidate, _)| Some(candidate.interest) == most)
    else {
        let why = format!("no position of {} with a single good move was found in time", game.spec());
        return Err(Trouble::Limits(why + "; try another seed or a smaller game"));
    };
    let Candidate { pos, merits, best, kind, .. } = chosen;
    let choices = merits.len();
    let themes = themes(context, game.turn(&pos), &line, kind, best);
    let difficulty = difficulty(context, &pos, &merits, &line.steps);
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
            MoveValue::Value(value) => entry.answer(&pos, value),
            MoveValue::Mean(_) => entry.unknown(),
        },
        solution: line.first().cloned().unwrap_or_default(),
        line,
        choices,
        steps,
        themes,
        difficulty,
    })
}

/// Solves a small game completely before single positions are queried, each with a short time limit.
fn warm_up(session: &Session, entry: &GameHandle, truth: &dyn ExactOracle, watch: &dyn Monitor) {
    // Late positions are quick lookups once the game is solved, and short searches otherwise.
    let mut rng = SmallRng::seed_from_u64(0);
    let late = (0..TRIES).find_map(|_| random_position(entry, LONGEST, &mut rng));
    let most = session.time.map(|time| time * 3 / 4);
    if let Some(pos) = late.filter(|_| !entry.game().has_board()) {
        // A failure is repeated for each position, in less time.
        let _ = truth.value(&pos, &Deadline::new(most, watch).silent());
    }
}

/// The task, in a sentence.
fn task(game: &AnyGame, pos: &AnyPosition, kind: PuzzleKind, best: MoveValue) -> String {
    let names = called(&game.scene(pos));
    let player = names[usize::from(game.turn(pos) == Turn::Second)];
    let chess = names[0] == "White";
    let goal = match (kind, best) {
        (PuzzleKind::Best | PuzzleKind::Fours, _) | (_, MoveValue::Mean(_)) => {
            "find the best move".to_string()
        }
        (PuzzleKind::Soonest, MoveValue::Value(value)) => {
            let plies = value.distance().unwrap_or(0);
            let mate = format!("mate in {}", plies.div_ceil(2));
            if chess { mate } else { format!("win within {plies} plies") }
        }
        (PuzzleKind::Only, MoveValue::Value(value)) if value.payoff() > 0 => {
            "find the only winning move".into()
        }
        (PuzzleKind::Only, MoveValue::Value(_)) => "find the only move that holds the draw".into(),
    };
    format!("{player} to move: {goal}.")
}

/// An unfinished position of a random game at least `after` plies from its start, or any unfinished position of a
/// game without a start.
fn random_position(entry: &GameHandle, after: usize, rng: &mut SmallRng) -> Option<AnyPosition> {
    let game = entry.game();
    let playing = |pos: &AnyPosition| game.outcome(pos).is_none() && game.turn(pos) != Turn::Chance;
    let Some(start) = game.start() else {
        return outplay_workbench::numbered_position(entry, rng.random()).filter(playing);
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
    // Early positions have long wins and look alike.
    let last = path.len().checked_sub(1)?;
    let first = after.max(if after > 0 { last / 4 } else { 0 }).min(last);
    Some(path.swap_remove(rng.random_range(first..=last)))
}

/// Returns the kind and value of the move to find, if exactly one move stands out.
fn one_stands_out<M>(merits: &[(M, MoveValue)]) -> Option<(PuzzleKind, MoveValue)> {
    let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))?;
    let count = |good: &dyn Fn(MoveValue) -> bool| merits.iter().filter(|(_, merit)| good(*merit)).count();
    if merits.len() < 2 {
        return None;
    }
    match best {
        MoveValue::Mean(mean) => {
            (count(&|merit| merit.payoff() > mean - MARGIN) == 1).then_some((PuzzleKind::Best, best))
        }
        MoveValue::Value(value) if value.payoff() < 0 => None,
        MoveValue::Value(_) if count(&|merit| merit.preserves(best)) == 1 => Some((PuzzleKind::Only, best)),
        // A win that is much faster by one move than by any other.
        MoveValue::Value(value) => {
            let soon = value.payoff() > 0 && value.distance().is_some_and(|plies| (3..=9).contains(&plies));
            (soon && count(&|merit| merit.equals(best)) == 1).then_some((PuzzleKind::Soonest, best))
        }
    }
}

/// The interest of a puzzle: a win that is neither immediate nor too deep, and a choice of moves.
fn interest(kind: PuzzleKind, best: MoveValue, moves: usize) -> u32 {
    let plies = |value: Value| value.distance().unwrap_or(8);
    let depth = match (kind, best) {
        (PuzzleKind::Only, MoveValue::Value(value)) if value.payoff() > 0 => match plies(value) {
            0..=1 => 2,
            2..=3 => 16,
            4..=13 => 24,
            _ => 12,
        },
        (PuzzleKind::Soonest, MoveValue::Value(value)) if plies(value) > 3 => 16,
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
        let merit = |&n: &i32| ((), MoveValue::Value(Value::new(n.signum(), n.unsigned_abs())));
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
        let means =
            |second: f64| one_stands_out(&[((), MoveValue::Mean(0.5)), ((), MoveValue::Mean(second))]);
        assert!(means(0.4).is_some() && means(0.499).is_none());
    }
}
