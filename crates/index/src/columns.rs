//! Geometry of column-major bitboards with one sentinel bit on top of each column.
//!
//! ```text
//!  3  7 11      a 3x3 board: bit = column * (height + 1) + row.
//!  2  6 10      The sentinel bits 3, 7, 11 are never set, so that a line shifted
//!  1  5  9      by 1 (up), 4 (right), 3 or 5 (diagonally) cannot wrap from one
//!  0  4  8      column into the next.
//! ```

use crate::Bits;

/// Geometry of a board that fits in a bitboard: width and height.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    width: usize,
    height: usize,
}

impl Columns {
    /// A board; `None` if its cells and sentinel bits exceed the bits of a word.
    pub fn fit<B: Bits>(width: usize, height: usize) -> Option<Columns> {
        (width * (height + 1) <= B::WIDTH as usize).then_some(Columns { width, height })
    }

    /// The shift from a cell to its right neighbour.
    pub fn right(self) -> u32 {
        self.height as u32 + 1
    }

    /// The cells for which `wanted(column, row)` holds.
    pub fn set<B: Bits>(self, wanted: impl Fn(usize, usize) -> bool) -> B {
        let mut bits = B::NONE;
        for column in 0..self.width {
            for row in (0..self.height).filter(|&row| wanted(column, row)) {
                bits = bits | B::one(column as u32 * self.right() + row as u32);
            }
        }
        bits
    }

    /// The shifts along which `k` in a row fit: vertical, horizontal and the two diagonals. With k = 1 there is only
    /// one.
    pub fn directions(self, k: usize) -> Vec<u32> {
        let (up, right) = (1, self.right());
        let (fits_up, fits_right) = (k <= self.height, k <= self.width && k > 1);
        let shifts = [
            (fits_up, up),
            (fits_right, right),
            (fits_up && fits_right, right + up),
            (fits_up && fits_right, right - up),
        ];
        shifts.into_iter().filter(|(fits, _)| *fits).map(|(_, shift)| shift).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_directions_that_fit() {
        let of = |width, height, k| Columns::fit::<u64>(width, height).unwrap().directions(k);
        assert_eq!(of(7, 6, 4), [1, 7, 8, 6]);
        assert_eq!(of(7, 3, 4), [4]);
        assert_eq!(of(3, 7, 4), [1]);
        assert_eq!(of(3, 3, 1), [1]);
        assert_eq!(of(3, 3, 4), []);
    }

    #[test]
    fn sentinel_bits_count_towards_the_width() {
        assert!(Columns::fit::<u64>(8, 7).is_some());
        assert!(Columns::fit::<u64>(8, 8).is_none());
        assert!(Columns::fit::<u128>(8, 8).is_some());
    }
}
