//! History of a game: the value of every position, and the mistakes that changed it.
//!
//! ```text
//!  position after ply          0    1    2    3
//!  value for the first player  0    0   +1   -1
//!                                        │    └ the first player's mistake: from a win to a loss
//!                                        └ the second player's mistake: from a draw to a loss for the second player
//! ```
//!
//! Positions are evaluated from the last to the first: late positions are cheap, and the results that a search keeps
//! help with earlier ones.

use crate::plies::{VisitedPosition, follow};
use crate::review::{GameReview, review};
use outplay_core::{AnyPosition, Game, Notation, Turn, Verdict};
use outplay_players::{ExactOracle, MoveValue};
use outplay_runtime::{Deadline, Monitor};
use outplay_workbench::{Answer, GameHandle, Oracle, PositionRef, Session, Trouble, check_stop};
use serde::Serialize;

/// A position of a played game, with its value and the mistake that led to it, if any.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryStep {
    /// Moves made before it.
    pub ply: usize,
    /// The move that led here.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The player who made that move; of a roll, the player whose roll it was.
    pub by: Option<Turn>,
    /// Whether chance decided that move.
    pub chance: bool,
    /// The position.
    pub position: String,
    /// The player to move.
    pub to_move: Turn,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The first player's payoff with best play, or its mean in games with chance; `None` if it is unknown.
    pub first: Option<f64>,
    /// The mistake of the move that led here, if it was one.
    pub mistake: Option<Mistake>,
}

/// A move that was worth less than the best move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mistake {
    /// The player who made it.
    pub by: Turn,
    /// The verdict before the move, for the player who made it.
    pub from: Verdict,
    /// The verdict after the move, for the same player.
    pub to: Verdict,
    /// The payoff that the move lost.
    pub loss: f64,
}

/// The answer of `history`: every position of a game with its value.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// The canonical spec.
    pub game: String,
    /// The positions from the first to the last.
    pub plies: Vec<HistoryStep>,
    /// The turning point and the accuracy of the players.
    pub review: GameReview,
}

/// Smaller differences of payoffs are rounding errors.
const SAME: f64 = 1e-9;

/// Returns the verdict that a payoff is.
fn verdict(payoff: f64) -> Verdict {
    match payoff {
        payoff if payoff > SAME => Verdict::Win,
        payoff if payoff < -SAME => Verdict::Loss,
        _ => Verdict::Draw,
    }
}

/// The value of every position that a list of moves goes through, with the mistakes; `found` hears of each position as
/// soon as it is valued, the last one first.
///
/// # Errors
///
/// Bad input or a stop. Positions whose value is out of reach have the value "unknown".
pub fn history(
    session: &Session,
    entry: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
    found: &mut dyn FnMut(&HistoryStep),
) -> Result<History, Trouble> {
    let game = entry.game();
    let mut steps = walk(entry, place)?;
    let truth = Oracle::new(session.clone(), entry.clone());
    watch.stage("valuing the game", steps.len() as u64);
    let clock = Deadline::new(session.time, watch).silent();
    for (pos, step) in steps.iter_mut().rev() {
        if clock.stopped() {
            break;
        }
        let merit = match truth.value(pos, &clock) {
            Ok(merit) => merit,
            Err(_) if clock.stopped() => None,
            Err(error) => return Err(error.into()),
        };
        let sign = if game.turn(pos) == Turn::Second { -1.0 } else { 1.0 };
        match merit {
            Some(MoveValue::Value(value)) => step.answer = entry.answer(pos, value),
            Some(MoveValue::Mean(mean)) => {
                step.answer = Answer::Mean { mean: mean * sign, most: game.best_payoff() };
            }
            None => {}
        }
        // Adding zero makes nothing of a negative zero.
        step.first = merit.map(|merit| merit.payoff() * sign + 0.0);
        found(step);
        watch.advance(1);
    }
    check_stop(watch)?;
    for at in 1..steps.len() {
        let (before, after) = (&steps[at - 1].1, &steps[at].1);
        let by = before.to_move;
        let sign = if by == Turn::Second { -1.0 } else { 1.0 };
        if let (Some(could), Some(has)) = (before.first, after.first) {
            let (could, has) = (could * sign, has * sign);
            // What the dice do is nobody's mistake.
            if by != Turn::Chance && has < could - SAME {
                let mistake = Mistake { by, from: verdict(could), to: verdict(has), loss: could - has };
                steps[at].1.mistake = Some(mistake);
            }
        }
    }
    let outcome = steps.last().and_then(|(pos, _)| game.outcome(pos));
    let plies: Vec<HistoryStep> = steps.into_iter().map(|(_, step)| step).collect();
    Ok(History { game: game.spec(), review: review(&plies, outcome, game.has_dice()), plies })
}

/// The positions that a list of moves goes through.
fn walk(entry: &GameHandle, place: &PositionRef) -> Result<Vec<(AnyPosition, HistoryStep)>, Trouble> {
    let game = entry.game();
    let mut steps = Vec::new();
    follow(entry, place, &mut |VisitedPosition { pos, made, .. }| {
        let step = HistoryStep {
            ply: steps.len(),
            by: made.as_ref().map(|made| made.by),
            chance: made.as_ref().is_some_and(|made| made.chance),
            mv: made.map(|made| made.mv),
            position: game.write_position(&pos),
            to_move: game.turn(&pos),
            answer: entry.unknown(),
            first: None,
            mistake: None,
        };
        steps.push((pos, step));
    })?;
    Ok(steps)
}
