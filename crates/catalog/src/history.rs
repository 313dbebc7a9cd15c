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

use crate::Trouble;
use crate::answers::Answer;
use crate::deadline::Deadline;
use crate::entry::Entry;
use crate::handle::{Place, QueryOptions};
use outplay_core::{Game, Notation, Turn, Watch};
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
    /// `first`, `second` or `chance`.
    pub to_move: &'static str,
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
    /// `first` or `second`: who made it.
    pub by: &'static str,
    /// What could have been had.
    pub from: &'static str,
    /// What is left.
    pub to: &'static str,
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

/// A payoff as a word.
fn word(payoff: f64) -> &'static str {
    match payoff {
        payoff if payoff > SAME => "win",
        payoff if payoff < -SAME => "loss",
        _ => "draw",
    }
}

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn trace(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&HistoryStep),
    ) -> Result<History, Trouble> {
        let mut steps = self.walk(place)?;
        let truth = self.informed(options)?;
        let deadline = Deadline::new(options.time, watch);
        watch.stage("valuing the game", steps.len() as u64);
        let silent = Deadline::new(options.time, watch).silent();
        for (pos, step) in steps.iter_mut().rev() {
            if deadline.stopped() {
                break;
            }
            let merit = match truth.value(pos, &silent) {
                Ok(merit) => merit,
                Err(_) if deadline.stopped() => None,
                Err(error) => return Err(error.into()),
            };
            let sign = if self.game.turn(pos) == Turn::Second { -1.0 } else { 1.0 };
            match merit {
                Some(Merit::Value(value)) => step.answer = self.answer(pos, value),
                Some(Merit::Mean(mean)) => step.answer = Answer::mean(mean * sign, self.game.best_payoff()),
                None => {}
            }
            // Adding zero makes nothing of a negative zero.
            step.first = merit.map(|merit| merit.payoff() * sign + 0.0);
            found(step);
            watch.advance(1);
        }
        if watch.stopped() {
            return Err(outplay_solve::SolveError::Stopped.into());
        }
        for at in 1..steps.len() {
            let (before, after) = (&steps[at - 1].1, &steps[at].1);
            let by = before.to_move;
            let sign = if by == "second" { -1.0 } else { 1.0 };
            if let (Some(could), Some(has)) = (before.first, after.first) {
                let (could, has) = (could * sign, has * sign);
                // What the dice do is nobody's mistake.
                if by != "chance" && has < could - SAME {
                    let mistake = Mistake { by, from: word(could), to: word(has), loss: could - has };
                    steps[at].1.mistake = Some(mistake);
                }
            }
        }
        Ok(History { game: self.game.spec(), plies: steps.into_iter().map(|(_, step)| step).collect() })
    }

    /// The positions that a list of moves goes through.
    fn walk(&self, place: &Place) -> Result<Vec<(G::Position, HistoryStep)>, Trouble> {
        // A list that makes no sense is refused as a whole.
        self.locate(place)?;
        let (mut pos, moves) = match place {
            Place::Start => (self.start()?, ""),
            Place::Position(text) => (self.game.read_position(text)?, ""),
            Place::Moves(moves) => (self.start()?, moves.as_str()),
            Place::MovesFrom { position, moves } => (self.game.read_position(position)?, moves.as_str()),
        };
        let best = self.game.best_payoff();
        let step = |ply: usize, mv: Option<String>, pos: &G::Position| HistoryStep {
            ply,
            mv,
            position: self.game.write_position(pos),
            to_move: self.whose_turn(pos),
            answer: Answer::unknown(-best, best),
            first: None,
            mistake: None,
        };
        let mut steps = vec![(pos.clone(), step(0, None, &pos))];
        for word in self.game.split_moves(moves) {
            let mv = self.game.read_move(&pos, &word)?;
            let text = self.game.write_move(&pos, mv);
            pos = self.game.play(&pos, mv);
            steps.push((pos.clone(), step(steps.len(), Some(text), &pos)));
        }
        Ok(steps)
    }

    /// `first`, `second` or `chance`.
    pub(crate) fn whose_turn(&self, pos: &G::Position) -> &'static str {
        match self.game.turn(pos) {
            Turn::First => "first",
            Turn::Second => "second",
            Turn::Chance => "chance",
        }
    }
}
