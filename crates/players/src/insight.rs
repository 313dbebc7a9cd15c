//! Explainable evaluation: the score of a position, broken down into its terms.
//!
//! ```text
//!   score = scale × (amount of part 1 + amount of part 2 + …), rounded        amount = count × weight
//! ```
//!
//! The helpfulness of cells is a second view of a position: the value of each empty cell to the player to move.

use crate::helpfulness::{Form, Helpfulness};
use outplay_core::{Content, LineBoard, Turn};
use serde::Serialize;

/// Breakdown of a static evaluation into its terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Insight {
    /// The score, as players use it.
    pub score: i32,
    /// The factor of the sum of the amounts.
    pub scale: f64,
    /// The terms of the score; empty for an evaluation without terms.
    pub parts: Vec<Part>,
    /// The value of each empty cell; empty for evaluations of whole positions.
    pub cells: Vec<CellHelp>,
}

impl Insight {
    /// A score without terms.
    pub fn of(score: i32) -> Insight {
        Insight { score, scale: 1.0, parts: Vec::new(), cells: Vec::new() }
    }

    /// The score as the scaled sum of its terms.
    pub fn sum(&self) -> f64 {
        self.scale * self.parts.iter().map(|part| part.amount).sum::<f64>()
    }
}

/// A term of a static evaluation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The name of the feature.
    pub name: String,
    /// The value of the feature.
    pub count: f64,
    /// The weight of the feature.
    pub weight: f64,
    /// `count` times `weight`.
    pub amount: f64,
}

impl Part {
    pub(crate) fn new(name: impl Into<String>, count: f64, weight: f64) -> Part {
        Part { name: name.into(), count, weight, amount: count * weight }
    }
}

/// The directions of lines, in the order of [`CellHelp::own`].
pub const DIRECTIONS: [&str; 4] = ["column", "row", "rising diagonal", "falling diagonal"];

/// Helpfulness of an empty cell by direction, from windows of the player to move and of the opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CellHelp {
    /// The cell.
    pub cell: usize,
    /// The sum of `own` and `other`.
    pub total: i32,
    /// The helpfulness from windows of the player to move.
    pub own: [i32; 4],
    /// The helpfulness from windows of the opponent.
    pub other: [i32; 4],
    /// A stone here completes a line of the player to move.
    pub wins: bool,
    /// A stone here stops the opponent from completing one.
    pub blocks: bool,
}

/// The direction of a line of cells.
pub(crate) fn direction(board: &LineBoard, line: &[usize]) -> usize {
    let place = |cell: usize| (cell / board.height, cell % board.height);
    match line {
        [first, second, ..] => match (place(*first), place(*second)) {
            ((a, _), (b, _)) if a == b => 0,
            ((_, a), (_, b)) if a == b => 1,
            ((_, a), (_, b)) if a < b => 2,
            _ => 3,
        },
        _ => 0,
    }
}

/// Computes the helpfulness of every playable cell, window by window.
pub(crate) fn cell_helps(board: &LineBoard, lines: &[Vec<usize>], form: Form) -> Vec<CellHelp> {
    let me = if board.turn == Turn::Second { Content::Second } else { Content::First };
    let found = Helpfulness::of(board, form);
    let open = board.open_cells();
    let mut helps: Vec<CellHelp> = open
        .iter()
        .map(|&cell| CellHelp {
            cell,
            total: 0,
            own: [0; 4],
            other: [0; 4],
            wins: found.wins.binary_search(&cell).is_ok(),
            blocks: found.blocks.binary_search(&cell).is_ok(),
        })
        .collect();
    let mut at = vec![None; board.cells.len()];
    open.iter().enumerate().for_each(|(place, &cell)| at[cell] = Some(place));
    for line in lines {
        let stones =
            |of: &dyn Fn(Content) -> bool| line.iter().filter(|&&cell| of(board.cells[cell])).count() as i32;
        let mine = stones(&|content| content == me);
        let theirs = stones(&|content| content != me && content != Content::Empty);
        let way = direction(board, line);
        for place in line.iter().filter_map(|&cell| at[cell]) {
            if theirs == 0 {
                helps[place].own[way] += 1 + mine;
            }
            if mine == 0 && form == Form::Revised {
                helps[place].other[way] += 1 + theirs;
            }
        }
    }
    for help in &mut helps {
        help.total = help.own.iter().chain(&help.other).sum();
    }
    helps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerContext;
    use outplay_core::{Game, Native, Notation};
    use outplay_games::mnk::{Mnk, Rules};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Positions of random games.
    fn positions(spec: &str, count: usize) -> (PlayerContext, Vec<outplay_core::AnyPosition>) {
        let game: Mnk<u64> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
        let kit = PlayerContext::new(Native::new(game).lines());
        let mut rng = SmallRng::seed_from_u64(7);
        let mut found = Vec::new();
        while found.len() < count {
            let mut pos = kit.game.start().unwrap();
            while kit.game.outcome(&pos).is_none() {
                found.push(pos.clone());
                let moves: Vec<_> = kit.game.list(&pos).collect();
                pos = kit.game.play(&pos, moves[rng.random_range(0..moves.len())]);
            }
        }
        found.truncate(count);
        (kit, found)
    }

    #[test]
    fn parts_make_the_score_that_players_use() {
        for spec in ["connect4", "mnk:5x5,k=4,obstacles=b2", "mnk:4x4,k=4", "connect4:6x5,obstacles=c2"] {
            let (kit, positions) = positions(spec, 250);
            for eval in
                ["lines", "lines:weights=extended", "patterns", "polynomial", "polynomial:base=3", "helpful"]
            {
                let Ok(judge) = kit.judge(eval) else { continue };
                for pos in &positions {
                    for me in [Turn::First, Turn::Second] {
                        let insight = judge.insight(pos, me);
                        assert_eq!(insight.score, judge.score(pos, me));
                        assert!(!insight.parts.is_empty() || insight.score == 0);
                        let off = (insight.sum() - f64::from(insight.score)).abs();
                        // The score is rounded, and is a sum in 32-bit floating point.
                        let most = 0.5 + 1e-4 * f64::from(insight.score.abs()).max(1.0);
                        assert!(off <= most, "{spec} {eval} {}: {off}", kit.game.write_position(pos));
                    }
                }
            }
        }
    }

    #[test]
    fn cells_are_worth_what_the_player_sees() {
        let (kit, positions) = positions("mnk:5x5,k=4,obstacles=b2", 250);
        for form in [Form::First, Form::Revised] {
            for pos in &positions {
                let board = kit.game.board(pos).unwrap();
                let found = Helpfulness::of(&board, form);
                for help in cell_helps(&board, &board.lines(), form) {
                    assert_eq!(help.total, found.cells[help.cell]);
                }
            }
        }
    }
}
