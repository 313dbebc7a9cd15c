//! Perfect index of opening positions: rank and unrank by shape and colouring.
//!
//! ```text
//!  .  x  .      shape: 1 + 3 + 1 stones in the columns, ranked among the shapes with five stones
//!  .  o  .      colouring: the subset of the stones that are the first player's, column by column
//!  x  o  x      index = (rank of the shape among the canonical ones) × colourings + (rank of the colouring)
//! ```
//!
//! Shapes are ranked as bounded compositions, colourings in the combinatorial number system. Of a shape and its mirror
//! image, the one with the smaller rank is canonical. In the opening almost every colouring of every shape is reachable
//! (89 % at ply 10 of 7x6), so a dense array needs less space than stored keys.

use crate::BookError;
use crate::board::without_stones;
use crate::rules::{BoardRules, Stones, check};
use crate::search::{ForcedResult, Searcher};
use outplay_core::{Content, LineBoard, Turn};
use outplay_index::{Compositions, Subsets, bits};

/// Index of a position: layer, shape and colouring.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct BookSlot {
    pub(crate) ply: usize,
    /// Number of the shape among the canonical ones.
    pub(crate) unit: usize,
    pub(crate) colouring: usize,
}

/// A position as the stones of the first and the second player, rather than mine and theirs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Colours {
    pub(crate) first: u128,
    pub(crate) second: u128,
}

/// The shapes with a given number of stones.
struct ShapeLayer {
    /// Shape number to unit; `None` for shapes whose mirror image is smaller.
    units: Vec<Option<u32>>,
    /// Unit to shape number.
    shapes: Vec<u64>,
    colourings: usize,
}

/// Index of all positions of a board up to a number of stones.
pub(crate) struct BookIndex {
    pub(crate) board: LineBoard,
    rules: BoardRules<u128, 0, 0, 0>,
    floors: Vec<u32>,
    compositions: Compositions,
    subsets: Subsets,
    symmetric: bool,
    layers: Vec<ShapeLayer>,
}

impl BookIndex {
    /// Builds the index of an empty board for 0 to `plies` stones.
    pub(crate) fn new(board: &LineBoard, plies: usize) -> Result<BookIndex, BookError> {
        check(board)?;
        let board = without_stones(board);
        let cells = board.playable_cells();
        if plies > 32 || plies >= cells {
            return Err(BookError::TooDeep { plies, most: cells.saturating_sub(1).min(32) });
        }
        let floors: Vec<u32> = (0..board.width).map(|column| board.floor(column) as u32).collect();
        let caps: Vec<u32> = floors.iter().map(|floor| board.height as u32 - floor).collect();
        let too_deep = || BookError::TooDeep { plies, most: plies - 1 };
        let compositions = Compositions::new(&caps).ok_or_else(too_deep)?;
        let symmetric = caps.iter().eq(caps.iter().rev());
        let subsets = Subsets::new(plies.max(1) as u32);
        let mut layers = Vec::new();
        for ply in 0..=plies as u32 {
            let count = compositions.count(ply);
            let colourings = subsets.count(ply, ply.div_ceil(2));
            // A layer must fit into memory.
            if count.saturating_mul(colourings) > 1 << 32 {
                return Err(too_deep());
            }
            let mut layer =
                ShapeLayer { units: Vec::new(), shapes: Vec::new(), colourings: colourings as usize };
            for shape in 0..count {
                let heights = compositions.unrank(ply, shape);
                let mirrored = symmetric && compositions.rank(ply, heights.into_iter().rev()) < shape;
                layer.units.push((!mirrored).then_some(layer.shapes.len() as u32));
                if !mirrored {
                    layer.shapes.push(shape);
                }
            }
            layers.push(layer);
        }
        let (rules, _) = BoardRules::new(&board);
        Ok(BookIndex { board, rules, floors, compositions, subsets, symmetric, layers })
    }

    pub(crate) fn plies(&self) -> usize {
        self.layers.len() - 1
    }

    /// Number of canonical shapes with `ply` stones.
    pub(crate) fn units(&self, ply: usize) -> usize {
        self.layers[ply].shapes.len()
    }

    /// Number of colourings of a shape with `ply` stones.
    pub(crate) fn colourings(&self, ply: usize) -> usize {
        self.layers[ply].colourings
    }

    /// Number of entries in a layer.
    pub(crate) fn len(&self, ply: usize) -> usize {
        self.units(ply) * self.colourings(ply)
    }

    /// Returns an entry's offset in its layer.
    pub(crate) fn number(&self, place: BookSlot) -> usize {
        place.unit * self.colourings(place.ply) + place.colouring
    }

    /// Returns the entry at an offset: the inverse of [`BookIndex::number`].
    pub(crate) fn entry(&self, ply: usize, number: usize) -> BookSlot {
        let colourings = self.colourings(ply);
        BookSlot { ply, unit: number / colourings, colouring: number % colourings }
    }

    /// Ranks a position; `None` if it has too many stones or the players did not alternate.
    pub(crate) fn place(&self, colours: Colours) -> Option<BookSlot> {
        let filled = colours.first | colours.second;
        let ply = filled.count_ones();
        let layer = self.layers.get(ply as usize)?;
        if colours.first.count_ones() != ply.div_ceil(2) {
            return None;
        }
        let (mut first, mut filled) = (colours.first, filled);
        let shape = self.compositions.rank(ply, self.heights(filled));
        let image = if self.symmetric { self.rules.mirror(filled) } else { filled };
        let unit = match layer.units[shape as usize] {
            Some(unit) if image != filled => unit,
            Some(unit) => {
                // The shape is its own mirror image: take the smaller of the two colourings.
                first = first.min(if self.symmetric { self.rules.mirror(first) } else { first });
                unit
            }
            None => {
                (first, filled) = (self.rules.mirror(first), image);
                layer.units[self.compositions.rank(ply, self.heights(filled)) as usize]?
            }
        };
        let colouring = self.subsets.rank(bits::gather_wide(first, filled)) as usize;
        Some(BookSlot { ply: ply as usize, unit: unit as usize, colouring })
    }

    /// Unranks a position.
    pub(crate) fn position(&self, place: BookSlot) -> Colours {
        let ply = place.ply as u32;
        let heights = self.compositions.unrank(ply, self.layers[place.ply].shapes[place.unit]);
        let stride = self.board.height as u32 + 1;
        let mut filled = 0u128;
        for (column, (height, floor)) in heights.into_iter().zip(&self.floors).enumerate() {
            filled |= ((1u128 << height) - 1) << (column as u32 * stride + floor);
        }
        let first = bits::scatter_wide(self.subsets.unrank(ply.div_ceil(2), place.colouring as u64), filled);
        Colours { first, second: filled ^ first }
    }

    /// Returns the number of stones in each column.
    fn heights(&self, filled: u128) -> impl Iterator<Item = u32> {
        let stride = self.board.height as u32 + 1;
        // A single column of 127 cells takes all 128 bits.
        let column = u128::MAX >> (u128::BITS - stride);
        (0..self.board.width as u32).map(move |at| (filled >> (at * stride) & column).count_ones())
    }

    /// Returns the score where forced moves alone decide it, for the player to move.
    pub(crate) fn settled(&self, colours: Colours) -> Option<i32> {
        match Searcher::settle(&self.rules, self.stones(colours)) {
            ForcedResult::Score(score) => Some(score),
            ForcedResult::Choice(..) => None,
        }
    }

    /// Whether the game is over by a line.
    pub(crate) fn finished(&self, colours: Colours) -> bool {
        self.rules.has_line(colours.first) || self.rules.has_line(colours.second)
    }

    /// Lists the positions after each move.
    pub(crate) fn successors(&self, colours: Colours, out: &mut Vec<Colours>) {
        out.clear();
        let mut open = self.rules.open(self.rules.filled(self.stones(colours)));
        let first_moves = (colours.first | colours.second).count_ones().is_multiple_of(2);
        while open != 0 {
            let cell = open & open.wrapping_neg();
            open ^= cell;
            out.push(if first_moves {
                Colours { first: colours.first | cell, ..colours }
            } else {
                Colours { second: colours.second | cell, ..colours }
            });
        }
    }

    fn stones(&self, Colours { first, second }: Colours) -> Stones<u128> {
        if (first | second).count_ones().is_multiple_of(2) {
            Stones { mine: first, theirs: second }
        } else {
            Stones { mine: second, theirs: first }
        }
    }

    /// Converts a position into a board.
    pub(crate) fn board_of(&self, colours: Colours) -> LineBoard {
        let mut board = self.board.clone();
        let stride = board.height + 1;
        for cell in 0..board.cells.len() {
            let bit = 1u128 << (cell / board.height * stride + cell % board.height);
            if colours.first & bit != 0 {
                board.cells[cell] = Content::First;
            } else if colours.second & bit != 0 {
                board.cells[cell] = Content::Second;
            }
        }
        if board.stones() % 2 == 1 {
            board.turn = Turn::Second;
        }
        board
    }

    /// Converts a board into a position; `None` if it is another board, or the wrong player is to move.
    pub(crate) fn colours_of(&self, board: &LineBoard) -> Option<Colours> {
        if check(board).is_err() || without_stones(board) != self.board {
            return None;
        }
        let stride = board.height + 1;
        let mut colours = Colours { first: 0, second: 0 };
        for (cell, content) in board.cells.iter().enumerate().filter(|&(cell, _)| board.playable(cell)) {
            let bit = 1u128 << (cell / board.height * stride + cell % board.height);
            match content {
                Content::First => colours.first |= bit,
                Content::Second => colours.second |= bit,
                _ => {}
            }
        }
        let turn = if (colours.first | colours.second).count_ones().is_multiple_of(2) {
            Turn::First
        } else {
            Turn::Second
        };
        (turn == board.turn).then_some(colours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_inverts_unrank() {
        // The second and third use all bits of a key.
        for (width, height) in [(3, 2), (1, 127), (2, 63), (4, 4)] {
            let mut board = LineBoard::empty(width, height, 4);
            board.gravity = true;
            let places = BookIndex::new(&board, 5).expect("deep enough");
            for ply in 0..=5 {
                let mut seen = 0;
                for number in 0..places.len(ply) {
                    let entry = places.entry(ply, number);
                    let colours = places.position(entry);
                    assert_eq!((colours.first | colours.second).count_ones(), ply as u32);
                    // On a self-symmetric shape, a colouring and its mirror image share one entry.
                    let found = places.place(colours).expect("a place");
                    assert_eq!((found.ply, found.unit), (entry.ply, entry.unit), "{width}x{height}");
                    assert!(places.number(found) <= number);
                    seen += usize::from(found == entry);
                }
                assert!(2 * seen >= places.len(ply), "{width}x{height}, {ply} stones: {seen}");
            }
        }
    }
}
