//! Bitboard geometry of k-in-a-row boards; each column has one sentinel bit on top.
//!
//! ```text
//!  3  7 11      a 3x3 board: bit = column * (height + 1) + row, as in the bitboards of `games`.
//!  2  6 10      A window is k cells in a row along a shift; it is identified by its first cell.
//!  1  5  9      Sentinel bits belong to no window, so that none wraps over the edge.
//!  0  4  8
//! ```
//!
//! Invariant: a window mask holds only first cells of windows whose cells are all playable.

use outplay_core::{Content, LineBoard, Turn};
use outplay_index::{Bits, Columns};

/// The geometry of a board.
#[derive(Clone, Debug)]
pub(crate) struct BoardGeometry<B> {
    pub(crate) k: u32,
    pub(crate) height: u32,
    pub(crate) gravity: bool,
    /// Cells that can ever hold a stone.
    pub(crate) playable: B,
    blocked: B,
    bottom: B,
    /// Rows 1, 3, 5 …
    pub(crate) odd: B,
    /// Bit shifts of the window directions.
    directions: Vec<u32>,
    /// Columns by distance from the middle, mirror images together; the last mask holds the rest.
    pub(crate) rings: [B; 4],
}

/// Windows of one player without a stone of the opponent, by number of stones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows<B> {
    pub(crate) one: B,
    /// Two stones short of a line.
    pub(crate) two: B,
    /// One stone short of a line.
    pub(crate) short: B,
}

impl<B: Bits> BoardGeometry<B> {
    /// The geometry of a board; `None` if it does not fit into the bits.
    pub(crate) fn new(board: &LineBoard) -> Option<BoardGeometry<B>> {
        let columns = Columns::fit::<B>(board.width, board.height)?;
        let playable = columns.set::<B>(|c, r| board.playable(board.cell(c, r)));
        let ring = |column: usize| ((2 * column + 1).abs_diff(board.width) / 2).min(3);
        Some(BoardGeometry {
            k: board.k as u32,
            height: board.height as u32,
            gravity: board.gravity,
            playable,
            blocked: columns.set::<B>(|_, _| true) & !playable,
            bottom: columns.set(|_, r| r == 0),
            odd: columns.set(|_, r| r % 2 == 0),
            directions: columns.directions(board.k),
            rings: [0, 1, 2, 3].map(|wanted| columns.set(|c, _| ring(c) == wanted)),
        })
    }

    /// The stones of the player who moved last and of the one to move.
    pub(crate) fn stones(&self, board: &LineBoard) -> (B, B) {
        let mut stones = [B::NONE; 2];
        for (cell, content) in board.cells.iter().enumerate() {
            let bit = B::one((cell / board.height * (board.height + 1) + cell % board.height) as u32);
            match content {
                Content::First => stones[0] = stones[0] | bit,
                Content::Second => stones[1] = stones[1] | bit,
                Content::Empty | Content::Blocked => {}
            }
        }
        if board.turn == Turn::Second { (stones[0], stones[1]) } else { (stones[1], stones[0]) }
    }

    /// Cells where a stone can be placed now.
    #[inline]
    pub(crate) fn open(&self, occupied: B) -> B {
        if self.gravity {
            ((occupied | self.blocked) + self.bottom) & self.playable & !occupied
        } else {
            self.playable & !occupied
        }
    }

    /// Calls `visit` with the shift of each direction and the windows of a player along it.
    #[inline]
    pub(crate) fn windows(&self, own: B, other: B, mut visit: impl FnMut(u32, Windows<B>)) {
        let free = self.playable & !other;
        for &s in &self.directions {
            let windows = if self.k == 4 {
                let pair = free & (free >> s);
                let whole = pair & (pair >> (2 * s));
                // Each half of a window of four holds two stones, one, or none.
                let (both, either) = (own & (own >> s), own ^ (own >> s));
                let (far_both, far_either) = (both >> (2 * s), either >> (2 * s));
                let (none, far_none) = (!(both | either), !(far_both | far_either));
                Windows {
                    one: whole & ((either & far_none) | (far_either & none)),
                    two: whole & ((both & far_none) | (far_both & none) | (either & far_either)),
                    short: whole & ((both & far_either) | (far_both & either)),
                }
            } else {
                self.counted(own, free, s)
            };
            visit(s, windows);
        }
    }

    /// The same for any k: a bit-sliced (vertical) counter holds the stones of every window.
    fn counted(&self, own: B, free: B, s: u32) -> Windows<B> {
        let mut digits = [B::NONE; 7];
        let mut whole = self.playable;
        for i in 0..self.k {
            whole = whole & (free >> (i * s));
            let mut carry = own >> (i * s);
            for digit in &mut digits {
                let sum = *digit ^ carry;
                carry = carry & *digit;
                *digit = sum;
            }
        }
        let exactly = |count: u32| {
            let digit = |i: usize| if count >> i & 1 == 1 { digits[i] } else { !digits[i] };
            (0..digits.len()).fold(whole, |all, i| all & digit(i))
        };
        Windows { one: exactly(1), two: exactly(self.k.saturating_sub(2)), short: exactly(self.k - 1) }
    }

    /// The empty cells of windows along a shift.
    #[inline]
    pub(crate) fn gaps(&self, windows: B, s: u32, empty: B) -> B {
        if windows == B::NONE {
            return B::NONE;
        }
        let mut cells = windows;
        for i in 1..self.k {
            cells = cells | (windows << (i * s));
        }
        cells & empty
    }

    /// The threats of a player: empty cells that complete a line, playable now or not.
    #[inline]
    pub(crate) fn threats(&self, own: B, other: B) -> B {
        let empty = self.playable & !(own | other);
        let mut threats = B::NONE;
        self.windows(own, other, |s, windows| threats = threats | self.gaps(windows.short, s, empty));
        threats
    }

    /// Counts the lines through each cell, for move ordering.
    pub(crate) fn lines_through(&self) -> Vec<i32> {
        let mut through = vec![0; B::WIDTH as usize];
        let mut whole = Vec::new();
        for &s in &self.directions {
            let mut windows = self.playable;
            for i in 1..self.k {
                windows = windows & (self.playable >> (i * s));
            }
            whole.extend(windows.cells().map(|first| (first, s)));
        }
        for (first, s) in whole {
            for i in 0..self.k {
                through[(first + i * s) as usize] += 1;
            }
        }
        through
    }
}
