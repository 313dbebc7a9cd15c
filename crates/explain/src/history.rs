//! The value of every position of a game that was played, and where it was thrown away.
//!
//! ```text
//!  ply     0    1    2    3      seen by the first player
//!  first   0    0   +1   -1
//!               └ mistake of the second player: draw became loss
//! ```
//!
//! Positions are valued from the last to the first: late ones are cheap, and what a search learns from them helps
//! with the earlier ones.

use outplay_answer::{Answer, Entry, Oracle, Place, QueryOptions, Trouble};
use outplay_core::{AnyPosition, Deadline, Game, Notation, Turn, Verdict, Watch};
use outplay_players::{Merit, Truth};
use serde::Serialize;

/// One position of a game that was played.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryStep {
    /// Moves made before it.
    pub ply: usize,
    /// The move that led here.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The position.
    pub position: String,
    /// Who moves.
    pub to_move: Turn,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// What the first player gets with best play, in the mean where there are dice; none if unknown.
    pub first: Option<f64>,
    /// What the move that led here gave away.
    pub mistake: Option<Mistake>,
}

/// A move that was not worth as much as the best one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mistake {
    /// Who made it.
    pub by: Turn,
    /// What could have been had.
    pub from: Verdict,
    /// What is left.
    pub to: Verdict,
    /// The payoff given away.
    pub loss: f64,
}

/// The answer of `history`.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// The canonical spec.
    pub game: String,
    /// The positions from the first to the last.
    pub plies: Vec<HistoryStep>,
}

/// Differences smaller than this are a matter of digits.
const SAME: f64 = 1e-9;

/// What a payoff amounts to.
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
    entry: &Entry,
    place: &Place,
    options: &QueryOptions,
    watch: &dyn Watch,
    found: &mut dyn FnMut(&HistoryStep),
) -> Result<History, Trouble> {
    let game = entry.game();
    let mut steps = walk(entry, place)?;
    let truth = Oracle::new(entry.clone(), options.clone());
    watch.stage("valuing the game", steps.len() as u64);
    let clock = Deadline::new(options.time, watch).silent();
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
            Some(Merit::Value(value)) => step.answer = entry.answer(pos, value),
            Some(Merit::Mean(mean)) => {
                step.answer = Answer::Mean { mean: mean * sign, most: game.best_payoff() };
            }
            None => {}
        }
        // Adding zero makes nothing of a negative zero.
        step.first = merit.map(|merit| merit.payoff() * sign + 0.0);
        found(step);
        watch.advance(1);
    }
    if watch.stopped() {
        return Err(Trouble::stopped());
    }
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
    Ok(History { game: game.spec(), plies: steps.into_iter().map(|(_, step)| step).collect() })
}

/// The positions that a list of moves goes through.
fn walk(entry: &Entry, place: &Place) -> Result<Vec<(AnyPosition, HistoryStep)>, Trouble> {
    // A list that makes no sense is refused as a whole.
    entry.locate(place)?;
    let game = entry.game();
    let (mut pos, moves) = match place {
        Place::Start | Place::Moves(_) => (entry.locate(&Place::Start)?, place),
        Place::Position(text) | Place::MovesFrom { position: text, .. } => (game.read_position(text)?, place),
        Place::At(pos) => (pos.clone(), place),
    };
    let moves = match moves {
        Place::Moves(moves) | Place::MovesFrom { moves, .. } => moves.as_str(),
        Place::Start | Place::Position(_) | Place::At(_) => "",
    };
    let step = |ply: usize, mv: Option<String>, pos: &AnyPosition| HistoryStep {
        ply,
        mv,
        position: game.write_position(pos),
        to_move: game.turn(pos),
        answer: entry.unknown(),
        first: None,
        mistake: None,
    };
    let mut steps = vec![(pos.clone(), step(0, None, &pos))];
    for word in game.split_moves(moves) {
        let mv = game.read_move(&pos, &word)?;
        let text = game.write_move(&pos, mv);
        pos = game.play(&pos, mv);
        steps.push((pos.clone(), step(steps.len(), Some(text), &pos)));
    }
    Ok(steps)
}
