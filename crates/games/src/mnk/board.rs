//! m,n,k-games on column-major bitboards with one sentinel bit on top of each column.
//!
//! ```text
//!  3  7 11      a 3x3 board: bit = column * (height + 1) + row.
//!  2  6 10      The sentinel bits 3, 7, 11 are never set, so that a line shifted
//!  1  5  9      by 1 (up), 4 (right), 3 or 5 (diagonally) cannot wrap from one
//!  0  4  8      column into the next.
//! ```
//!
//! Invariant: only the player who moved last can have k in a row.

use super::{Rules, grid, reach, scene};
use outplay_core::{
    Content, Game, HashKeys, InputError, LineBoard, LineGame, Mark, Notation, Payoff, Picture, Scene, Turn,
};
use outplay_index::{Bits, Columns};
use std::sync::Arc;

/// An m,n,k-game whose board fits in a bitboard.
#[derive(Clone)]
pub struct Mnk<B> {
    rules: Arc<Rules>,
    k: u32,
    gravity: bool,
    misere: bool,
    /// Cells that can ever hold a stone.
    playable: B,
    /// Cells that never can: obstacles and, with gravity, the cells below them.
    blocked: B,
    /// The bottom cell of every column.
    bottom: B,
    start: Board<B>,
    /// Shifts along which k in a row fit: vertical, horizontal and the two diagonals.
    directions: Vec<u32>,
    /// The shift to the right; 0 if k in a row do not fit horizontally.
    right: u32,
    /// Images of every cell under the board's symmetries, except the identity.
    symmetries: Arc<Vec<Vec<u8>>>,
}

/// A position on a bitboard: the stones of both players and the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board<B> {
    /// The first player's stones, then the second's.
    pub stones: [B; 2],
    /// Whether the second player is to move.
    pub second_to_move: bool,
}

impl<B: Bits> Board<B> {
    /// All stones.
    #[inline]
    pub fn occupied(&self) -> B {
        self.stones[0] | self.stones[1]
    }

    /// The stones of the player who moved last.
    #[inline]
    fn last_movers(&self) -> B {
        if self.second_to_move { self.stones[0] } else { self.stones[1] }
    }
}

impl<B: Bits> Mnk<B> {
    /// Builds the game; `None` if the board needs more bits than the word has.
    pub fn new(rules: Rules) -> Option<Mnk<B>> {
        let board = rules.start().clone();
        let columns = Columns::fit::<B>(board.width, board.height)?;
        let holds = |content: Content| columns.set(|c, r| board.cells[board.cell(c, r)] == content);
        let playable = columns.set::<B>(|c, r| board.playable(board.cell(c, r)));
        let k = board.k;
        let start = Board {
            stones: [holds(Content::First), holds(Content::Second)],
            second_to_move: board.turn == Turn::Second,
        };
        let symmetries = Arc::new(symmetries(&rules));
        Some(Mnk {
            k: k as u32,
            gravity: board.gravity,
            misere: board.misere,
            playable,
            blocked: columns.set::<B>(|_, _| true) & !playable,
            bottom: columns.set(|_, r| r == 0),
            start,
            directions: columns.directions(k),
            right: if k <= board.width { columns.right() } else { 0 },
            symmetries,
            rules: Arc::new(rules),
        })
    }

    /// The description of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Cells that can ever hold a stone, preset ones included.
    pub fn playable(&self) -> B {
        self.playable
    }

    /// The position before the first move.
    pub fn start_board(&self) -> Board<B> {
        self.start
    }

    /// Whether a set of stones holds k in a row.
    #[inline]
    pub fn has_line(&self, stones: B) -> bool {
        // The common values of k are straight-line code (shift and AND). A diagonal step is one to the right and one
        // up or down, and the sentinel bits absorb steps that leave a column.
        let (right, k) = (self.right, self.k);
        let found = match k {
            3 | 4 if right == 0 => long_row(stones, k, 1),
            3 => {
                let (next, last) = (stones >> right, stones >> (2 * right));
                stones
                    & (((stones >> 1) & (stones >> 2))
                        | (next & last)
                        | ((next >> 1) & (last >> 2))
                        | ((next << 1) & (last << 2)))
            }
            4 => {
                let next = stones >> right;
                let (up, across) = (stones & (stones >> 1), stones & next);
                let (rising, falling) = (stones & (next >> 1), stones & (next << 1));
                (up & (up >> 2))
                    | (across & (across >> (2 * right)))
                    | (rising & ((rising >> (2 * right)) >> 2))
                    | (falling & ((falling >> (2 * right)) << 2))
            }
            _ => return self.directions.iter().any(|&shift| long_row(stones, k, shift) != B::NONE),
        };
        found != B::NONE
    }

    /// The cells where a stone can be placed now; lines on the board are ignored.
    #[inline]
    pub fn open(&self, pos: &Board<B>) -> B {
        let occupied = pos.occupied();
        if self.gravity {
            // Columns are filled from the bottom, so adding one at the bottom carries to the lowest free cell.
            ((occupied | self.blocked) + self.bottom) & self.playable & !occupied
        } else {
            self.playable & !occupied
        }
    }

    fn board_of(&self, pos: &Board<B>) -> LineBoard {
        let mut board = self.rules.start().clone();
        let stride = board.height as u32 + 1;
        for (stones, content) in [(pos.stones[0], Content::First), (pos.stones[1], Content::Second)] {
            for bit in stones.cells() {
                let cell = board.cell((bit / stride) as usize, (bit % stride) as usize);
                board.cells[cell] = content;
            }
        }
        board.turn = if pos.second_to_move { Turn::Second } else { Turn::First };
        board
    }

    fn bit(&self, column: usize, row: usize) -> u8 {
        (column * (self.rules.start().height + 1) + row) as u8
    }

    fn column_and_row(&self, mv: u8) -> (usize, usize) {
        let stride = self.rules.start().height + 1;
        (mv as usize / stride, mv as usize % stride)
    }
}

/// The first stones of all rows of k along a shift, by doubling: two overlapping rows of the largest power of two not
/// above k.
fn long_row<B: Bits>(stones: B, k: u32, shift: u32) -> B {
    let (mut rows, mut length) = (stones, 1);
    while 2 * length <= k {
        rows = rows & (rows >> (length * shift));
        length *= 2;
    }
    if length < k { rows & (rows >> ((k - length) * shift)) } else { rows }
}

/// The symmetries of the square (without gravity) or the mirror (with gravity) that keep obstacles and preset stones.
fn symmetries(rules: &Rules) -> Vec<Vec<u8>> {
    let (w, h) = (rules.start().width, rules.start().height);
    type Map = Box<dyn Fn(usize, usize) -> (usize, usize)>;
    let mut maps: Vec<Map> = vec![Box::new(move |c, r| (w - 1 - c, r))];
    if !rules.start().gravity {
        maps.push(Box::new(move |c, r| (c, h - 1 - r)));
        maps.push(Box::new(move |c, r| (w - 1 - c, h - 1 - r)));
        if w == h {
            maps.push(Box::new(move |c, r| (r, c)));
            maps.push(Box::new(move |c, r| (h - 1 - r, w - 1 - c)));
            maps.push(Box::new(move |c, r| (r, w - 1 - c)));
            maps.push(Box::new(move |c, r| (h - 1 - r, c)));
        }
    }
    let image = |map: &Map, bit: usize| {
        let (column, row) = (bit / (h + 1), bit % (h + 1));
        if row == h {
            return bit as u8; // the sentinel bit
        }
        let (c, r) = map(column, row);
        (c * (h + 1) + r) as u8
    };
    maps.iter()
        .filter(|map| rules.unchanged_by(map))
        .map(|map| (0..w * (h + 1)).map(|bit| image(map, bit)).collect())
        .collect()
}

impl<B: Bits> Game for Mnk<B> {
    type Position = Board<B>;
    /// The bit of the cell where the stone comes to lie.
    type Move = u8;

    fn start(&self) -> Option<Board<B>> {
        Some(self.start)
    }

    #[inline]
    fn turn(&self, pos: &Board<B>) -> Turn {
        if pos.second_to_move { Turn::Second } else { Turn::First }
    }

    #[inline]
    fn moves(&self, pos: &Board<B>, out: &mut Vec<u8>) {
        if !self.has_line(pos.last_movers()) {
            out.extend(self.open(pos).cells().map(|bit| bit as u8));
        }
    }

    #[inline]
    fn play(&self, pos: &Board<B>, mv: u8) -> Board<B> {
        // Selecting by value instead of indexing keeps the stones in registers.
        let bit = B::one(u32::from(mv));
        let (first, second) = if pos.second_to_move { (B::NONE, bit) } else { (bit, B::NONE) };
        Board { stones: [pos.stones[0] | first, pos.stones[1] | second], second_to_move: !pos.second_to_move }
    }

    #[inline]
    fn outcome(&self, pos: &Board<B>) -> Option<Payoff> {
        if self.has_line(pos.last_movers()) {
            // The first player completed the line if the second is to move.
            return Some(if pos.second_to_move != self.misere { 1 } else { -1 });
        }
        (pos.occupied() == self.playable).then_some(0)
    }

    fn tie_plies(&self, pos: &Board<B>) -> Option<u32> {
        Some((self.playable & !pos.occupied()).count())
    }

    fn symmetric(&self, pos: &Board<B>, out: &mut Vec<Board<B>>) {
        out.push(*pos);
        for map in self.symmetries.iter() {
            let image = |stones: B| {
                stones.cells().fold(B::NONE, |all, bit| all | B::one(u32::from(map[bit as usize])))
            };
            out.push(Board { stones: pos.stones.map(image), ..*pos });
        }
    }
}

impl<B: Bits> HashKeys for Mnk<B> {
    #[inline]
    fn key(&self, pos: &Board<B>) -> u64 {
        // Two odd multipliers separate the players; the final steps mix the high bits into the low ones.
        let first = pos.stones[0].folded().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let second = pos.stones[1].folded().wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = first ^ second.rotate_left(32) ^ u64::from(pos.second_to_move);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 29)
    }
}

impl<B: Bits> LineGame for Mnk<B> {
    fn board(&self, pos: &Board<B>) -> LineBoard {
        self.board_of(pos)
    }

    fn placed(&self, board: &LineBoard) -> Board<B> {
        let mut pos = Board { stones: [B::NONE; 2], second_to_move: board.turn == Turn::Second };
        for (cell, &content) in board.cells.iter().enumerate() {
            let bit = B::one(u32::from(self.bit(cell / board.height, cell % board.height)));
            match content {
                Content::First => pos.stones[0] = pos.stones[0] | bit,
                Content::Second => pos.stones[1] = pos.stones[1] | bit,
                Content::Empty | Content::Blocked => {}
            }
        }
        pos
    }

    #[inline]
    fn cell(&self, mv: u8) -> usize {
        let (column, row) = self.column_and_row(mv);
        self.rules.start().cell(column, row)
    }
}

impl<B: Bits> Notation for Mnk<B> {
    fn spec(&self) -> String {
        self.rules.spec()
    }

    fn write_position(&self, pos: &Board<B>) -> String {
        grid::write(&self.board_of(pos))
    }

    fn read_position(&self, text: &str) -> Result<Board<B>, InputError> {
        let board = grid::read(self.rules.start(), text)?;
        reach::check(self.rules.start(), &board).map_err(|why| InputError::position(text, why))?;
        Ok(self.placed(&board))
    }

    fn read_arrangement(&self, text: &str) -> Result<Board<B>, InputError> {
        let board = grid::read(self.rules.start(), text)?;
        reach::arrangement(self.rules.start(), &board).map_err(|why| InputError::position(text, why))?;
        Ok(self.placed(&board))
    }

    fn reading_note(&self, text: &str) -> Option<String> {
        grid::note(self.rules.start(), text)
    }

    fn write_move(&self, _pos: &Board<B>, mv: u8) -> String {
        let (column, row) = self.column_and_row(mv);
        grid::write_move(self.rules.start(), column, row)
    }

    fn read_move(&self, pos: &Board<B>, text: &str) -> Result<u8, InputError> {
        let over = self.outcome(pos).is_some();
        let (column, row) = grid::read_move(&self.board_of(pos), over, text)?;
        Ok(self.bit(column, row))
    }

    fn split_moves(&self, text: &str) -> Vec<String> {
        grid::split_moves(self.rules.start(), text)
    }

    fn draw(&self, pos: &Board<B>, marks: &[Mark<u8>]) -> Picture {
        let at: Vec<_> =
            marks.iter().map(|mark| (self.column_and_row(mark.mv), mark.text.as_str(), mark.tone)).collect();
        grid::draw(&self.board_of(pos), &at)
    }

    fn scene(&self, pos: &Board<B>) -> Scene {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let cells = moves.into_iter().map(|mv| {
            let (column, row) = self.column_and_row(mv);
            self.rules.start().cell(column, row)
        });
        scene::scene(&self.board_of(pos), cells)
    }

    fn warning(&self) -> Option<String> {
        self.rules.warning()
    }
}
