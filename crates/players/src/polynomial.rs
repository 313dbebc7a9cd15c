//! The evaluation `polynomial` (Mishra 2014): each row and column counts a power of a base by the number of its own
//! stones.
//!
//! ```text
//!   y = c0 + c1 B + c2 B² + …      c_i = rows that hold i own stones and meet the conditions
//!   (rows mine + columns mine) − (rows theirs + columns theirs)
//! ```
//!
//! The report leaves its conditions open: it bounds the opposing stones, the obstacles and the empty cells of a row
//! without giving the bounds, and its code requires k empty cells, which excludes a row that needs one more stone. Here
//! a row counts if its own and empty cells together are at least k. There are no diagonals, as in the report. i is at
//! most k, and the sum is scaled so that Bᵏ⁻¹ is at most 10000.

use crate::Judge;
use crate::insight::{Insight, Part};
use crate::words::format_spec;
use outplay_core::{AnyGame, AnyPosition, Content, LineBoard, Turn, column_name};

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

    fn scale(&self, board: &LineBoard) -> f64 {
        (1e4 / self.base.powi(board.k as i32 - 1)).min(1.0)
    }
}

/// The exponent of the base for a row or column of a player; `None` if its own and empty cells are fewer than k. The
/// cells need not be adjacent: `x.#.x` counts with k = 4.
fn power(board: &LineBoard, mine: Content, line: impl Iterator<Item = usize>) -> Option<i32> {
    let (mut own, mut empty) = (0, 0);
    for cell in line {
        own += usize::from(board.cells[cell] == mine);
        empty += usize::from(board.cells[cell] == Content::Empty);
    }
    (own + empty >= board.k).then(|| own.min(board.k) as i32)
}

/// The player to move, and the opponent.
fn players(board: &LineBoard) -> [Content; 2] {
    match board.turn {
        Turn::Second => [Content::Second, Content::First],
        _ => [Content::First, Content::Second],
    }
}

/// The cells of a row.
fn row_cells(board: &LineBoard, row: usize) -> impl Iterator<Item = usize> {
    let height = board.height;
    (0..board.width).map(move |column| column * height + row)
}

fn column_cells(board: &LineBoard, column: usize) -> impl Iterator<Item = usize> {
    column * board.height..(column + 1) * board.height
}

/// The polynomial of a board for the player to move.
pub(crate) fn polynomial(board: &LineBoard, base: f64) -> f64 {
    let of = |player: Content| -> f64 {
        let rows = (0..board.height).filter_map(|row| power(board, player, row_cells(board, row)));
        let columns = (0..board.width).filter_map(|column| power(board, player, column_cells(board, column)));
        rows.chain(columns).map(|power| base.powi(power)).sum()
    };
    let [mine, theirs] = players(board);
    of(mine) - of(theirs)
}

/// The terms of the polynomial, one per row and column.
fn parts(board: &LineBoard, base: f64) -> Vec<Part> {
    let mut parts = Vec::new();
    for (player, whose, sign) in players(board).into_iter().zip(["my", "their"]).zip([1.0, -1.0]).map(flat) {
        let rows = (0..board.height)
            .map(|row| (format!("row {}", row + 1), power(board, player, row_cells(board, row))));
        let columns = (0..board.width).map(|column| {
            (format!("column {}", column_name(column)), power(board, player, column_cells(board, column)))
        });
        for (line, power) in rows.chain(columns) {
            let Some(power) = power else { continue };
            parts.push(Part::new(format!("{whose} {line}: B^{power}"), sign, base.powi(power)));
        }
    }
    parts
}

fn flat<A, B, C>(((a, b), c): ((A, B), C)) -> (A, B, C) {
    (a, b, c)
}

impl Judge for Polynomial {
    fn spec(&self) -> String {
        format_spec("polynomial", &[("base", self.base.to_string())])
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let Some(mut board) = self.game.board(pos) else { return 0 };
        board.turn = me;
        (polynomial(&board, self.base) * self.scale(&board)).round().clamp(-65535.0, 65535.0) as i32
    }

    fn insight(&self, pos: &AnyPosition, me: Turn) -> Insight {
        let Some(mut board) = self.game.board(pos) else { return Insight::of(0) };
        board.turn = me;
        let parts = parts(&board, self.base);
        Insight { score: self.score(pos, me), scale: self.scale(&board), parts, cells: Vec::new() }
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
        // An empty board: both players count three rows and three columns.
        check("3/3/3", 0.0);
        // x has one row and one column with a stone; o cannot use those two.
        check("3/1x1/3", (4.0) - (4.0 + 20.0));
        // o in the corner takes a row and a column from x, x those of the centre from o.
        check("2o/1x1/3", 0.0);
        check("2o/xx1/3", (10.0 + 1.0 + 10.0) - (100.0 + 1.0 + 10.0 + 10.0));
    }

    #[test]
    fn cells_of_a_row_need_not_be_adjacent() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("mnk:5x5,k=4,obstacles=c5").unwrap()).unwrap();
        let count = |text: &str| {
            let board = game.board(&game.read_position(text).unwrap());
            power(&board, Content::First, row_cells(&board, 4))
        };
        // No line of four fits around the obstacle in the middle, and the row counts with its two stones.
        assert_eq!(count("x.#.x/5/5/5/2oo1"), Some(2));
        // An opposing stone leaves three cells.
        assert_eq!(count("x.#ox/5/5/5/2o2"), None);
    }
}
