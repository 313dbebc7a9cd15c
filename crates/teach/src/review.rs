//! Review of a played game: the turning point, and the accuracy of each player's moves.
//!
//! ```text
//!  ply      0     1     2     3     4
//!  first    0     ?     ?    +1    +1       ?: a position whose value is not known
//!  move        not   not   not  kept        judged are moves with a known value before and after them
//! ```
//!
//! Invariant: an unknown value is no value. It makes no move accurate, no mistake, and no start lost.

use crate::history::{HistoryStep, Mistake};
use outplay_core::{Payoff, Turn, Verdict};
use outplay_workbench::BySide;
use serde::Serialize;

/// Review of a played game, as far as the values of its positions are known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameReview {
    /// The first player's payoff, if the game is over.
    pub outcome: Option<Payoff>,
    /// Positions whose value is not known.
    pub unknown: usize,
    /// The mistake that decided the game, as far as the values are known; with dice, the costliest mistake.
    pub turning_point: Option<TurningPoint>,
    /// The accuracy of each player.
    pub accuracy: BySide<JudgedMoves>,
}

/// A mistake that decided a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurningPoint {
    /// Moves made when it had been played.
    pub ply: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The mistake.
    #[serde(flatten)]
    pub mistake: Mistake,
    /// Whether no later move can have been the turning point: all values from there on are known. With dice: all
    /// values of the game.
    pub certain: bool,
}

/// How many moves of a player kept the value, of those with a known value before and after them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JudgedMoves {
    /// The player's moves; rolls do not count.
    pub moves: usize,
    /// Moves with a known value before and after them.
    pub judged: usize,
    /// Moves that were not judged.
    pub unjudged: usize,
    /// Judged moves that were no mistake.
    pub kept: usize,
    /// The share of the judged moves that were no mistake; `None` if no move was judged.
    pub accuracy: Option<f64>,
}

/// Reviews a game: its positions from the first to the last, the first player's payoff if it is over, and whether it
/// has dice.
pub(crate) fn review(steps: &[HistoryStep], outcome: Option<Payoff>, dice: bool) -> GameReview {
    let unknown = |steps: &[HistoryStep]| steps.iter().filter(|step| step.first.is_none()).count();
    let turning_point = turning_point(steps, outcome, dice).and_then(|at| {
        let step = &steps[at];
        Some(TurningPoint {
            ply: step.ply,
            mv: step.mv.clone()?,
            mistake: step.mistake.clone()?,
            certain: unknown(if dice { steps } else { &steps[at..] }) == 0,
        })
    });
    let accuracy = BySide {
        first: Some(judged_moves(steps, Turn::First)),
        second: Some(judged_moves(steps, Turn::Second)),
        mover: None,
    };
    GameReview { outcome, unknown: unknown(steps), turning_point, accuracy }
}

/// The index of the step after the turning point: the last known mistake that decided the result or, in a game that is
/// not over, the last one that changed the verdict; with dice, the costliest one.
pub fn turning_point(steps: &[HistoryStep], outcome: Option<Payoff>, dice: bool) -> Option<usize> {
    let decides = |mistake: &Mistake| match outcome {
        None => mistake.from != mistake.to,
        Some(0) => mistake.from == Verdict::Win,
        Some(payoff) => {
            let loser = if payoff > 0 { Turn::Second } else { Turn::First };
            mistake.by == loser && mistake.to == Verdict::Loss && mistake.from != Verdict::Loss
        }
    };
    let mut mistakes = steps.iter().enumerate().filter_map(|(at, step)| Some((at, step.mistake.as_ref()?)));
    let found = match dice {
        true => mistakes.max_by(|(_, a), (_, b)| a.loss.total_cmp(&b.loss)),
        false => mistakes.rfind(|(_, mistake)| decides(mistake)),
    };
    found.map(|(at, _)| at)
}

/// Judges the moves of one player.
fn judged_moves(steps: &[HistoryStep], by: Turn) -> JudgedMoves {
    let mut count = JudgedMoves::default();
    for pair in steps.windows(2).filter(|pair| pair[0].to_move == by) {
        count.moves += 1;
        if pair.iter().all(|step| step.first.is_some()) {
            count.judged += 1;
            count.kept += usize::from(pair[1].mistake.is_none());
        }
    }
    count.unjudged = count.moves - count.judged;
    count.accuracy = (count.judged > 0).then(|| count.kept as f64 / count.judged as f64);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_workbench::Answer;

    /// Positions with the first player's payoffs, `None` where it is unknown; the players alternate.
    fn game(values: &[Option<i32>]) -> Vec<HistoryStep> {
        let mut steps: Vec<HistoryStep> = Vec::new();
        for (ply, first) in values.iter().enumerate() {
            let (by, to_move) = match ply % 2 {
                0 => (Turn::Second, Turn::First),
                _ => (Turn::First, Turn::Second),
            };
            let sign = if by == Turn::First { 1 } else { -1 };
            let before = steps.last().and_then(|step| step.first);
            let verdict = |payoff: f64| [Verdict::Loss, Verdict::Draw, Verdict::Win][(payoff + 1.0) as usize];
            let mistake = before.zip(*first).and_then(|(before, after)| {
                let (from, to) = (before * f64::from(sign), f64::from(after * sign));
                let loss = from - to;
                (loss > 0.0).then(|| Mistake { by, from: verdict(from), to: verdict(to), loss })
            });
            steps.push(HistoryStep {
                ply,
                mv: (ply > 0).then(|| format!("m{ply}")),
                by: (ply > 0).then_some(by),
                chance: false,
                position: String::new(),
                to_move,
                answer: Answer::None,
                first: first.map(f64::from),
                mistake,
            });
        }
        steps
    }

    #[test]
    fn unknown_values_judge_no_move() {
        let review = review(&game(&[None, None, None, Some(1), Some(1), Some(1)]), Some(1), false);
        assert_eq!(review.unknown, 3);
        assert_eq!(review.turning_point, None);
        let first = review.accuracy.first.unwrap();
        assert_eq!((first.moves, first.judged, first.unjudged, first.kept), (3, 1, 2, 1));
        assert_eq!(first.accuracy, Some(1.0));
        let second = review.accuracy.second.unwrap();
        assert_eq!((second.moves, second.judged, second.accuracy), (2, 1, Some(1.0)));
    }

    #[test]
    fn accuracy_of_no_judged_move_is_unknown() {
        let review = review(&game(&[None, None, None]), None, false);
        let first = review.accuracy.first.unwrap();
        assert_eq!((first.moves, first.unjudged, first.accuracy), (1, 1, None));
    }

    #[test]
    fn mistakes_lower_the_accuracy_of_judged_moves() {
        // First, Second, First, Second: Second's first move loses, First's second move is not judged.
        let review = review(&game(&[Some(0), Some(0), Some(1), None, Some(1)]), Some(1), false);
        let (first, second) = (review.accuracy.first.unwrap(), review.accuracy.second.unwrap());
        assert_eq!((first.judged, first.kept, first.accuracy), (1, 1, Some(1.0)));
        assert_eq!((second.judged, second.kept, second.accuracy), (1, 0, Some(0.0)));
        let turning = review.turning_point.unwrap();
        assert_eq!((turning.ply, turning.mv.as_str(), turning.mistake.by), (2, "m2", Turn::Second));
        assert!(!turning.certain, "the position after it is unknown");
    }

    #[test]
    fn turning_point_is_certain_if_every_later_value_is_known() {
        let review = review(&game(&[None, Some(0), Some(1), Some(1)]), Some(1), false);
        assert_eq!(review.turning_point.map(|turning| (turning.ply, turning.certain)), Some((2, true)));
    }

    #[test]
    fn last_deciding_mistake_is_the_turning_point() {
        let check = |values: &[Option<i32>], outcome, wanted: Option<usize>| {
            assert_eq!(turning_point(&game(values), outcome, false), wanted, "{values:?}");
        };
        check(&[Some(0), Some(-1), Some(0), Some(0), Some(1)], Some(1), Some(4));
        check(&[Some(1), Some(0), Some(0)], Some(0), Some(1));
        check(&[Some(0), Some(-1), Some(-1)], None, Some(1));
        check(&[Some(1), Some(1), Some(1)], Some(1), None);
    }
}
