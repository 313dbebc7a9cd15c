//! Multinomial ranking of boards with two kinds of stones: the minimal perfect hash of Zagaynov and Zhao (2020), called
//! "rearranger" there.
//!
//! ```text
//! R(X, O, S) = S! / (X! O! (S − X − O)!)          arrangements of X and O stones on S cells
//!
//! rank = bias + place        bias:  the sum of R(x, o, S) over all smaller numbers of stones (the tiers)
//!                            place: for each cell, the arrangements with a smaller mark on this cell
//!
//!   this cell is    adds                                  A, B: crosses and noughts from this cell on
//!   empty           0                                     C:    cells from this cell on
//!   nought          R(A, B, C − 1)                        with this cell empty
//!   cross           R(A, B, C − 1) + R(A, B − 1, C − 1)   with it empty, and with a nought on it
//! ```
//!
//! The report stops the sum when only crosses, only noughts or only empty cells are left. R = 0 for arrangements that
//! do not fit has the same effect, because a single arrangement is left.

use crate::rearrangements;

/// Content of a cell; the order of the variants determines the rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// No stone.
    Empty,
    /// A stone of the second player.
    Nought,
    /// A stone of the first player.
    Cross,
}

/// The numbers of crosses and noughts after `plies` plies.
fn stones(plies: u32) -> (u32, u32) {
    (plies.div_ceil(2), plies / 2)
}

/// The number of a board on which the players alternate; `None` if the counts of stones are impossible, or if a
/// number exceeds 128 bits.
///
/// # Examples
///
/// ```
/// use outplay_index::{Mark::{Cross, Empty}, rearranger_rank, rearranger_unrank};
///
/// // A cross in the middle: the empty board and four boards with a cross on a later cell come first.
/// let board = [Empty, Empty, Empty, Empty, Cross, Empty, Empty, Empty, Empty];
/// assert_eq!(rearranger_rank(&board), Some(1 + 4));
/// assert_eq!(rearranger_unrank(5, 9).as_deref(), Some(&board[..]));
/// ```
pub fn rearranger_rank(board: &[Mark]) -> Option<u128> {
    let count = |mark| board.iter().filter(|&&cell| cell == mark).count() as u32;
    let (mut a, mut b) = (count(Mark::Cross), count(Mark::Nought));
    if (a, b) != stones(a + b) {
        return None;
    }
    let cells = board.len() as u32;
    let mut number: u128 = 0;
    for plies in 0..a + b {
        let (x, o) = stones(plies);
        number = number.checked_add(rearrangements(x, o, cells)?)?;
    }
    for (mark, c) in board.iter().zip((1..=cells).rev()) {
        number = number.checked_add(before(*mark, a, b, c)?)?;
        a -= u32::from(*mark == Mark::Cross);
        b -= u32::from(*mark == Mark::Nought);
    }
    Some(number)
}

/// The number of arrangements of `a` crosses and `b` noughts on `c` cells whose first cell holds less than `mark`.
fn before(mark: Mark, a: u32, b: u32, c: u32) -> Option<u128> {
    let empty = rearrangements(a, b, c - 1)?;
    match mark {
        Mark::Empty => Some(0),
        Mark::Nought => Some(empty),
        Mark::Cross if b == 0 => Some(empty),
        Mark::Cross => empty.checked_add(rearrangements(a, b - 1, c - 1)?),
    }
}

/// The board of `cells` cells with a number; `None` if the number is out of range.
pub fn rearranger_unrank(mut number: u128, cells: u32) -> Option<Vec<Mark>> {
    let mut plies = 0;
    let (mut a, mut b) = loop {
        let (x, o) = stones(plies);
        let tier = rearrangements(x, o, cells)?;
        if number < tier {
            break (x, o);
        }
        // A full board is the last tier.
        if plies == cells {
            return None;
        }
        number -= tier;
        plies += 1;
    };
    let mut board = Vec::with_capacity(cells as usize);
    for c in (1..=cells).rev() {
        // The greatest available mark that is preceded by at most `number` arrangements.
        let fits = |&mark: &Mark| match mark {
            Mark::Cross => a > 0,
            Mark::Nought => b > 0,
            Mark::Empty => true,
        };
        let marks = [Mark::Cross, Mark::Nought, Mark::Empty];
        let earlier = |&mark: &Mark| before(mark, a, b, c).is_some_and(|before| before <= number);
        let mark = marks.into_iter().filter(fits).find(earlier)?;
        number -= before(mark, a, b, c)?;
        a -= u32::from(mark == Mark::Cross);
        b -= u32::from(mark == Mark::Nought);
        board.push(mark);
    }
    Some(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All boards of `cells` cells on which the players alternate.
    fn boards(cells: u32) -> impl Iterator<Item = Vec<Mark>> {
        (0..3u32.pow(cells)).filter_map(move |code| {
            let mark = |i| [Mark::Empty, Mark::Nought, Mark::Cross][(code / 3u32.pow(i) % 3) as usize];
            let board: Vec<Mark> = (0..cells).map(mark).collect();
            let count = |mark| board.iter().filter(|&&cell| cell == mark).count() as u32;
            let (x, o) = (count(Mark::Cross), count(Mark::Nought));
            (x == o || x == o + 1).then_some(board)
        })
    }

    /// The report's formula with its stopping rule, taken literally.
    fn as_printed(board: &[Mark]) -> u128 {
        let count = |cells: &[Mark], mark| cells.iter().filter(|&&cell| cell == mark).count() as u32;
        let (x, o) = (count(board, Mark::Cross), count(board, Mark::Nought));
        let s = board.len() as u32;
        let mut sum = 0;
        for fewer in 0..=s {
            for also in [fewer, fewer + 1] {
                if also + fewer < x + o {
                    sum += rearrangements(also, fewer, s).unwrap();
                }
            }
        }
        for at in 0..board.len() {
            let rest = &board[at..];
            if rest.iter().all(|mark| *mark == rest[0]) {
                break;
            }
            let (a, b, c) = (count(rest, Mark::Cross), count(rest, Mark::Nought), rest.len() as u32);
            let r = |a, b| rearrangements(a, b, c - 1).unwrap();
            sum += match rest[0] {
                Mark::Empty => 0,
                Mark::Nought => r(a, b),
                Mark::Cross => r(a, b) + b.checked_sub(1).map_or(0, |b| r(a, b)),
            };
        }
        sum
    }

    #[test]
    fn ranks_are_a_bijection_and_children_come_later() {
        for (cells, size) in [(4, 35), (6, 267), (9, 6046)] {
            let mut seen = vec![false; size];
            for board in boards(cells) {
                let number = rearranger_rank(&board).unwrap();
                assert_eq!(number, as_printed(&board), "{board:?}");
                // A bijection, without holes.
                assert!(!std::mem::replace(&mut seen[number as usize], true), "{board:?}");
                assert_eq!(rearranger_unrank(number, cells), Some(board.clone()));
                // Every child has a larger number.
                let plies = board.iter().filter(|&&mark| mark != Mark::Empty).count();
                let stone = if plies % 2 == 0 { Mark::Cross } else { Mark::Nought };
                for cell in (0..board.len()).filter(|&cell| board[cell] == Mark::Empty) {
                    let mut child = board.clone();
                    child[cell] = stone;
                    assert!(rearranger_rank(&child).unwrap() > number);
                }
            }
            assert!(seen.iter().all(|seen| *seen));
            assert_eq!(rearranger_unrank(size as u128, cells), None);
        }
        assert_eq!(rearranger_rank(&[Mark::Nought, Mark::Empty]), None);
    }
}
