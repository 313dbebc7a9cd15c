//! Board geometry: lines and symmetries.
//!
//! The number of a cell is `column * height + row`, as on the board. Lines through an obstacle are omitted. A symmetry
//! is a permutation of the cells that maps the board, obstacles included, to itself; images of sets of cells come from
//! lookup tables, eight cells at a time.
//!
//! ```text
//!  bit 0 of a symmetry:  columns mirrored
//!  bit 1:                rows mirrored
//!  bit 2 (applied first): columns and rows exchanged (square boards only)
//! ```

use crate::cells::Cells;
use outplay_core::{Content, LineBoard};

/// Code of a symmetry, 0 … 7; 0 is the identity.
pub(crate) type Symmetry = u8;

/// A symmetry as lookup tables: the image of a set is the union of the images of its bytes.
struct Mapping<const W: usize> {
    name: Symmetry,
    cells: Vec<u16>,
    bytes: Vec<Cells<W>>,
}

/// Lines and symmetries of a board.
pub(crate) struct BoardGeometry<const W: usize> {
    /// Lines as sets.
    pub(crate) lines: Vec<Cells<W>>,
    /// Indices of the lines through each cell.
    pub(crate) through: Vec<Vec<u16>>,
    /// Number of bytes of a set that can be non-zero.
    used_bytes: usize,
    mappings: Vec<Mapping<W>>,
}

/// Returns the image of a cell of a `width` × `height` board.
fn image(name: Symmetry, width: usize, height: usize, cell: usize) -> usize {
    let (mut column, mut row) = (cell / height, cell % height);
    if name & 4 != 0 {
        std::mem::swap(&mut column, &mut row);
    }
    if name & 1 != 0 {
        column = width - 1 - column;
    }
    if name & 2 != 0 {
        row = height - 1 - row;
    }
    column * height + row
}

/// Returns the inverse of a symmetry.
pub(crate) fn inverse(name: Symmetry) -> Symmetry {
    // The two quarter turns are inverse to each other; all others are involutions.
    match name {
        5 => 6,
        6 => 5,
        _ => name,
    }
}

/// Returns the composition: `first`, then `second`.
pub(crate) fn after(first: Symmetry, second: Symmetry) -> Symmetry {
    // The board's size does not matter for the composition, so a 3x3 board suffices.
    let place = |name, cell| image(name, 3, 3, cell);
    (0..8)
        .find(|&name| (0..9).all(|cell| place(name, cell) == place(second, place(first, cell))))
        .unwrap_or(0)
}

impl<const W: usize> BoardGeometry<W> {
    /// Computes the geometry of a board with at most [`Cells::ROOM`] cells.
    pub(crate) fn new(board: &LineBoard) -> Self {
        let cells = board.cells.len();
        let lines: Vec<Cells<W>> = board.lines().into_iter().map(|line| line.into_iter().collect()).collect();
        let mut through = vec![Vec::new(); cells];
        for (number, line) in lines.iter().enumerate() {
            for cell in line.iter() {
                through[cell].push(number as u16);
            }
        }
        let blocked = |cell: usize| board.cells[cell] == Content::Blocked;
        let used_bytes = cells.div_ceil(8);
        let mut mappings = Vec::new();
        for name in 1..8 {
            if name & 4 != 0 && board.width != board.height {
                continue;
            }
            let images: Vec<u16> =
                (0..cells).map(|cell| image(name, board.width, board.height, cell) as u16).collect();
            if (0..cells).any(|cell| blocked(cell) != blocked(images[cell].into())) {
                continue;
            }
            let mut bytes = Vec::with_capacity(used_bytes * 256);
            for byte in 0..used_bytes {
                for bits in 0..256usize {
                    let set = (0..8)
                        .filter(|bit| bits >> bit & 1 != 0)
                        .map(|bit| byte * 8 + bit)
                        .filter(|&cell| cell < cells)
                        .map(|cell| images[cell].into())
                        .collect();
                    bytes.push(set);
                }
            }
            mappings.push(Mapping { name, cells: images, bytes });
        }
        BoardGeometry { lines, through, used_bytes, mappings }
    }

    fn mapped(&self, mapping: &Mapping<W>, set: Cells<W>) -> Cells<W> {
        let words = set.words();
        (0..self.used_bytes).fold(Cells::NONE, |image, byte| {
            let bits = (words[byte / 8] >> (byte % 8 * 8)) as u8;
            image | mapping.bytes[byte * 256 + usize::from(bits)]
        })
    }

    fn mapping(&self, name: Symmetry) -> Option<&Mapping<W>> {
        self.mappings.iter().find(|mapping| mapping.name == name)
    }

    /// Returns the image of a set.
    pub(crate) fn map(&self, name: Symmetry, set: Cells<W>) -> Cells<W> {
        self.mapping(name).map_or(set, |mapping| self.mapped(mapping, set))
    }

    /// Returns the image of a cell.
    pub(crate) fn map_cell(&self, name: Symmetry, cell: usize) -> usize {
        self.mapping(name).map_or(cell, |mapping| mapping.cells[cell].into())
    }

    /// Returns the smallest image of some sets under all symmetries, and the symmetry that leads to it.
    pub(crate) fn canonical<const N: usize>(&self, sets: [Cells<W>; N]) -> ([Cells<W>; N], Symmetry) {
        let mut best = (sets, 0);
        for mapping in &self.mappings {
            let first = self.mapped(mapping, sets[0]);
            if first > best.0[0] {
                continue;
            }
            let images = std::array::from_fn(|i| self.mapped(mapping, sets[i]));
            if images < best.0 {
                best = (images, mapping.name);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_undo_each_other_and_keep_lines() {
        for (width, height, k) in [(4, 4, 3), (5, 3, 3), (9, 8, 4)] {
            let geometry: BoardGeometry<2> = BoardGeometry::new(&LineBoard::empty(width, height, k));
            assert_eq!(geometry.mappings.len(), if width == height { 7 } else { 3 });
            for mapping in &geometry.mappings {
                for &line in &geometry.lines {
                    let image = geometry.map(mapping.name, line);
                    assert!(geometry.lines.contains(&image));
                    assert_eq!(geometry.map(inverse(mapping.name), image), line);
                }
            }
        }
    }

    #[test]
    fn obstacles_break_symmetries() {
        let mut board = LineBoard::empty(3, 3, 3);
        board.cells[0] = Content::Blocked;
        let geometry: BoardGeometry<1> = BoardGeometry::new(&board);
        // The corner is fixed only by the exchange of columns and rows.
        assert_eq!(geometry.mappings.iter().map(|m| m.name).collect::<Vec<_>>(), vec![4]);
    }
}
