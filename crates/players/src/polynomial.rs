//! The static evaluation of the 2014 report: rows and columns by how many own stones they hold, in powers of a
//! base.
//!
//! ```text
//!   y = c0 + c1 B + c2 B² + …      c_i = rows that hold i own stones and meet the conditions
//!   (rows mine + columns mine) − (rows theirs + columns theirs)
//! ```
//!
//! What had to be interpreted: the report asks for at most so many opposing stones, at most so many obstacles
//! and at least so many empty cells, without numbers; its code asks for k empty cells, which leaves out the row
//! that needs one more stone. Here a row counts if a line still fits: own and empty cells together are at least
//! k, so that opposing stones and obstacles are at most its length less k. There are no diagonals, as in the
//! report. i stops at k, and the sum is scaled so that Bᵏ⁻¹ is at most 10000.

use crate::Judge;
use crate::words::spelled;
use outplay_core::{AnyGame, AnyPosition, Content, LineBoard, Turn};

/// The evaluation `polynomial`.
pub struct Polynomial {
    game: AnyGame,
    base: f64,
}

impl Polynomial {
    /// The evaluation with base B.
    pub fn new(game: AnyGame, base: f64) -> Polynomial {
        Polynomial { game, base }
    }
}

/// One player's polynomial over the rows that `cells` lists.
fn rows<I: Iterator<Item = usize>>(
    board: &LineBoard,
    mine: Content,
    base: f64,
    lines: impl Iterator<Item = I>,
) -> f64 {
    let mut sum = 0.0;
    for line in lines {
        let (mut own, mut empty) = (0, 0);
        for cell in line {
            own += usize::from(board.cells[cell] == mine);
            empty += usize::from(board.cells[cell] == Content::Empty);
        }
        if own + empty >= board.k {
            sum += base.powi(own.min(board.k) as i32);
        }
    }
    sum
}

/// The polynomial of a board for the player to move.
pub(crate) fn polynomial(board: &LineBoard, base: f64) -> f64 {
    let (mine, theirs) = match board.turn {
        Turn::Second => (Content::Second, Content::First),
        _ => (Content::First, Content::Second),
    };
    let (w, h) = (board.width, board.height);
    let of = |player: Content| {
        let across = (0..h).map(|row| (0..w).map(move |column| column * h + row));
        let upright = (0..w).map(|column| column * h..(column + 1) * h);
        rows(board, player, base, across) + rows(board, player, base, upright)
    };
    of(mine) - of(theirs)
}

impl Judge for Polynomial {
    fn spec(&self) -> String {
        spelled("polynomial", &[("base", self.base.to_string())])
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let Some(mut board) = self.game.board(pos) else { return 0 };
        board.turn = me;
        let scale = (1e4 / self.base.powi(board.k as i32 - 1)).min(1.0);
        (polynomial(&board, self.base) * scale).round().clamp(-65535.0, 65535.0) as i32
    }

    fn unit(&self) -> i32 {
        2000
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{LineGame, Notation};
    use outplay_games::mnk::{Mnk, Rules};

    #[test]
    fn rows_and_columns_by_hand() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let check = |text: &str, value: f64| {
            let board = game.board(&game.read_position(text).unwrap());
            assert_eq!(polynomial(&board, 10.0), value, "{text}");
        };
        // Nobody has a stone: six rows and columns each.
        check("3/3/3", 0.0);
        // x has one row and one column with a stone; o cannot use those two.
        check("3/1x1/3", (4.0) - (4.0 + 20.0));
        // o in the corner takes a row and a column from x, x those of the centre from o.
        check("2o/1x1/3", 0.0);
        check("2o/xx1/3", (10.0 + 1.0 + 10.0) - (100.0 + 1.0 + 10.0 + 10.0));
    }
}
