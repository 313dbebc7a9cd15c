//! Bitboards for connect-k, with a sentinel row on top (Tromp's layout).
//!
//! ```text
//!  6 13 20 27 34 41 48    sentinel row: never occupied, so a run of
//!  5 12 19 26 33 40 47    stones cannot wrap from one column
//!  4 11 18 25 32 39 46    into the next
//!  3 10 17 24 31 38 45
//!  2  9 16 23 30 37 44    up = 1, right = height + 1,
//!  1  8 15 22 29 36 43    the diagonals = height and height + 2
//!  0  7 14 21 28 35 42
//! ```
//!
//! Invariant: in every column the filled cells (stones, obstacles and all cells below obstacles) are a
//! contiguous run from the floor, so `filled + bottom` marks the lowest empty cell of each column.

use crate::ConnectError;
use outplay_core::{Content, LineBoard, Turn};
use outplay_index::Bits;

/// Value of the width parameter of [`BoardRules`]: not a compile-time constant, but known to be at least k.
pub(crate) const WIDE: u32 = u32::MAX;

/// A board; width, height and k are compile-time constants where the parameters are not zero.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct BoardRules<B, const W: u32, const H: u32, const K: u32> {
    width: u32,
    height: u32,
    k: u32,
    /// The cells that can ever hold a stone.
    pub(crate) board: B,
    /// The lowest cell of every column.
    pub(crate) bottom: B,
    /// The highest cell of every column.
    pub(crate) top: B,
    /// Rows 1, 3, 5, …
    pub(crate) odd_rows: B,
    /// The obstacles and the cells below them.
    pub(crate) blocked: B,
    /// Whether the empty board is its own mirror image.
    symmetric: bool,
    /// The columns of the left half, each with the shift to its mirror image.
    swaps: [(B, u32); 64],
    /// The column that is its own mirror image, if there is one.
    middle: B,
    /// Number of lines through each cell.
    pub(crate) lines_through: [u8; 128],
}

/// The stones of the two players, relative to the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stones<B> {
    /// Those of the player to move.
    pub(crate) mine: B,
    /// Those of the opponent.
    pub(crate) theirs: B,
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> BoardRules<B, W, H, K> {
    /// Reads a board that [`check`] has accepted.
    pub(crate) fn new(board: &LineBoard) -> (Self, Stones<B>) {
        let (width, height, k) = (board.width as u32, board.height as u32, board.k.min(1000) as u32);
        assert!((W == 0 || W == width || W == WIDE && width >= k) && (H == 0 || H == height));
        assert!(K == 0 || K == k);
        let at = |column: usize, row: usize| B::ONE << (column as u32 * (height + 1) + row as u32);
        let mut rules = BoardRules {
            width,
            height,
            k,
            board: B::NONE,
            bottom: B::NONE,
            top: B::NONE,
            odd_rows: B::NONE,
            blocked: B::NONE,
            symmetric: false,
            swaps: [(B::NONE, 0); 64],
            middle: B::NONE,
            lines_through: [0; 128],
        };
        let stride = height + 1;
        for left in 0..width / 2 {
            let mirrored = (width - 1 - 2 * left) * stride;
            rules.swaps[left as usize] = (B::low(stride) << (left * stride), mirrored);
        }
        if width % 2 == 1 {
            rules.middle = B::low(stride) << (width / 2 * stride);
        }
        let (mut first, mut second) = (B::NONE, B::NONE);
        for column in 0..board.width {
            rules.bottom = rules.bottom | at(column, 0);
            rules.top = rules.top | at(column, board.height - 1);
            for row in 0..board.height {
                let (cell, bit) = (board.cell(column, row), at(column, row));
                if row % 2 == 0 {
                    rules.odd_rows = rules.odd_rows | bit;
                }
                if !board.playable(cell) {
                    rules.blocked = rules.blocked | bit;
                    continue;
                }
                rules.board = rules.board | bit;
                match board.cells[cell] {
                    Content::First => first = first | bit,
                    Content::Second => second = second | bit,
                    _ => {}
                }
            }
        }
        for direction in 0..4 {
            let Some(step) = rules.step(direction) else { continue };
            // The lowest cells of the lines in this direction, then their second cells, …
            let mut cells = (1..k).fold(rules.board, |starts, _| rules.board & (starts >> step));
            for _ in 0..k {
                let mut rest = cells;
                while rest.any() {
                    rules.lines_through[rest.lowest() as usize] += 1;
                    rest = rest.rest();
                }
                cells = cells << step;
            }
        }
        rules.symmetric = rules.mirror(rules.board) == rules.board;
        let stones = match board.turn {
            Turn::Second => Stones { mine: second, theirs: first },
            _ => Stones { mine: first, theirs: second },
        };
        (rules, stones)
    }

    #[inline(always)]
    pub(crate) fn width(&self) -> u32 {
        if W > 0 && W != WIDE { W } else { self.width }
    }

    #[inline(always)]
    pub(crate) fn height(&self) -> u32 {
        if H > 0 { H } else { self.height }
    }

    #[inline(always)]
    fn k(&self) -> u32 {
        if K > 0 { K } else { self.k }
    }

    /// Shift from a cell to the next one in a direction (vertical, horizontal, diagonal down, diagonal up);
    /// `None` where no line fits.
    #[inline(always)]
    fn step(&self, direction: usize) -> Option<u32> {
        let (fits_up, fits_right) = (self.height() >= self.k(), W == WIDE || self.width() >= self.k());
        let (step, fits) = match direction {
            0 => (1, fits_up),
            1 => (self.height() + 1, fits_right && self.k() > 1),
            2 => (self.height(), fits_up && fits_right && self.k() > 1),
            _ => (self.height() + 2, fits_up && fits_right && self.k() > 1),
        };
        fits.then_some(step)
    }

    /// Returns all cells that are not empty.
    #[inline(always)]
    pub(crate) fn filled(&self, stones: Stones<B>) -> B {
        stones.mine | stones.theirs | self.blocked
    }

    /// Returns the playable cells: the lowest empty cell of each column.
    #[inline(always)]
    pub(crate) fn open(&self, filled: B) -> B {
        filled.plus(self.bottom) & self.board
    }

    /// Whether a set of cells contains a line of k.
    #[inline(always)]
    pub(crate) fn has_line(&self, cells: B) -> bool {
        let mut found = B::NONE;
        for direction in 0..4 {
            let Some(step) = self.step(direction) else { continue };
            if self.k() == 4 {
                let pairs = cells & (cells >> step);
                found = found | (pairs & (pairs >> (2 * step)));
            } else {
                let (mut run, mut shifted) = (cells, cells);
                for _ in 1..self.k() {
                    shifted = shifted >> step;
                    run = run & shifted;
                }
                found = found | run;
            }
        }
        found.any()
    }

    /// Returns the empty cells that would complete a line of `stones`.
    #[inline(always)]
    pub(crate) fn wins(&self, stones: B, filled: B) -> B {
        let mut found = B::NONE;
        for direction in 0..4 {
            let Some(step) = self.step(direction) else { continue };
            if self.k() == 4 {
                let (below, above) = (stones << step, stones >> step);
                let two_below = below & (below << step);
                found = found | (two_below & ((below << (2 * step)) | above));
                if direction > 0 {
                    let two_above = above & (above >> step);
                    found = found | (two_above & ((above >> (2 * step)) | below));
                }
            } else {
                found = found | self.gaps(stones, step);
            }
        }
        found & self.board & !filled
    }

    /// Returns the cells with, for some i, i stones in a row before and k − 1 − i after them.
    fn gaps(&self, stones: B, step: u32) -> B {
        let mut found = B::NONE;
        for before in 0..self.k() {
            let (mut cells, mut shifted) = (!B::NONE, stones);
            for _ in 0..before {
                shifted = shifted << step;
                cells = cells & shifted;
            }
            shifted = stones;
            for _ in before + 1..self.k() {
                shifted = shifted >> step;
                cells = cells & shifted;
            }
            found = found | cells;
        }
        found
    }

    /// Returns the left-right mirror image.
    #[inline(always)]
    pub(crate) fn mirror(&self, cells: B) -> B {
        let mut image = cells & self.middle;
        for &(column, shift) in &self.swaps[..self.width() as usize / 2] {
            image = image | ((cells >> shift) & column) | ((cells & column) << shift);
        }
        image
    }

    /// Returns a unique key of the position, the same for its mirror image.
    #[inline(always)]
    pub(crate) fn key(&self, stones: Stones<B>, filled: B) -> B {
        let key = stones.mine | filled.plus(self.bottom);
        if self.symmetric { key.min(self.mirror(key)) } else { key }
    }
}

/// Rejects boards that this solver cannot solve.
///
/// # Errors
///
/// Every kind of [`ConnectError`], each with what to change.
pub fn check(board: &LineBoard) -> Result<(), ConnectError> {
    let malformed = |why: String| Err(ConnectError::Malformed { why });
    if !board.gravity {
        return Err(ConnectError::NoGravity);
    }
    if board.misere {
        return Err(ConnectError::Misere);
    }
    let (width, height) = (board.width, board.height);
    if width == 0 || height == 0 || board.k == 0 {
        return malformed("width, height and k must all be at least 1".into());
    }
    let bits = width.saturating_mul(height.saturating_add(1));
    if bits > 128 {
        return Err(ConnectError::TooLarge { width, height, bits });
    }
    if board.cells.len() != width * height {
        return malformed(format!(
            "a board of {width}x{height} has {} cells, but {} were given",
            width * height,
            board.cells.len()
        ));
    }
    if board.turn == Turn::Chance {
        return malformed("one of the two players must be to move".into());
    }
    for column in 0..width {
        let mut empty_below = false;
        for row in board.floor(column)..height {
            match board.cells[board.cell(column, row)] {
                Content::Empty => empty_below = true,
                Content::First | Content::Second if empty_below => {
                    return Err(ConnectError::Floating { column: column + 1, row: row + 1 });
                }
                _ => {}
            }
        }
    }
    Ok(())
}
