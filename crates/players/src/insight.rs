//! An evaluation taken apart, so that one can see what it sees.
//!
//! ```text
//!   score = scale × (amount of part 1 + amount of part 2 + …), rounded        amount = count × weight
//! ```
//!
//! The helpfulness of cells is another picture of a position: what each empty cell would do for the player to move.

use crate::helpfulness::{Form, Helpfulness};
use outplay_core::{Content, LineBoard, Turn};
use serde::Serialize;

/// What an evaluation sees in a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Insight {
    /// How good the position looks, as the players use it.
    pub score: i32,
    /// What the sum of the amounts is multiplied with.
    pub scale: f64,
    /// What the score is made of; empty for an evaluation that cannot say.
    pub parts: Vec<Part>,
    /// What each empty cell is worth; empty for evaluations of whole positions.
    pub cells: Vec<CellHelp>,
}

impl Insight {
    /// A score without further ado.
    pub fn of(score: i32) -> Insight {
        Insight { score, scale: 1.0, parts: Vec::new(), cells: Vec::new() }
    }

    /// The score that the parts make.
    pub fn sum(&self) -> f64 {
        self.scale * self.parts.iter().map(|part| part.amount).sum::<f64>()
    }
}

/// One thing that an evaluation counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What is counted.
    pub name: String,
    /// How much of it there is.
    pub count: f64,
    /// What each is worth.
    pub weight: f64,
    /// Both together.
    pub amount: f64,
}

impl Part {
    pub(crate) fn new(name: impl Into<String>, count: f64, weight: f64) -> Part {
        Part { name: name.into(), count, weight, amount: count * weight }
    }
}

/// The directions of lines, in the order of their parts.
pub const DIRECTIONS: [&str; 4] = ["column", "row", "rising diagonal", "falling diagonal"];

/// How helpful an empty cell is, by direction: windows of the player to move, and of the opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CellHelp {
    /// The cell.
    pub cell: usize,
    /// Both together.
    pub total: i32,
    /// What own windows add.
    pub own: [i32; 4],
    /// What the opponent's windows add.
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

/// The helpfulness of every cell that can be played, window by window.
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
    use crate::Kit;
    use outplay_core::{Game, Native, Notation};
    use outplay_games::mnk::{Mnk, Rules};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Positions of random games.
    fn positions(spec: &str, count: usize) -> (Kit, Vec<outplay_core::AnyPosition>) {
        let game: Mnk<u64> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
        let kit = Kit::new(Native::new(game).lines());
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
                        // Whole numbers are made in the end, of sums in 32 bits.
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
