//! The points of a board, their neighbours and their lines.

/// A board: up to 16 points, as bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Board {
    /// Column and row of each point; the order is by row from the bottom, then by column.
    pub(super) points: Vec<(usize, usize)>,
    /// The neighbours of each point.
    pub(super) near: Vec<u16>,
    /// Three points each.
    pub(super) lines: Vec<u16>,
    /// Where each point goes under each symmetry of the board, the identity first.
    pub(super) symmetries: Vec<Vec<u8>>,
}

type Cell = (usize, usize);
/// Where a cell goes.
type Image = Box<dyn Fn(Cell) -> Cell>;

/// The eight ways to turn and mirror a square of cells.
fn square_symmetries(size: usize) -> Vec<Image> {
    let last = size - 1;
    (0..8)
        .map(|image| -> Image {
            Box::new(move |(column, row)| {
                let (column, row) = if image & 1 != 0 { (last - column, row) } else { (column, row) };
                let (column, row) = if image & 2 != 0 { (column, last - row) } else { (column, row) };
                if image & 4 != 0 { (row, column) } else { (column, row) }
            })
        })
        .collect()
}

/// Swaps the outer and the inner ring of the board of Six Men's Morris.
fn swap_rings((column, row): Cell) -> Cell {
    let outer = column % 4 == 0 || row % 4 == 0;
    if outer { (1 + column / 2, 1 + row / 2) } else { (2 * column - 2, 2 * row - 2) }
}

impl Board {
    fn new(points: Vec<(usize, usize)>, near: &[[&str; 2]], lines: &[[&str; 3]]) -> Board {
        let near_none = vec![0; points.len()];
        let mut board = Board { near: near_none, points, lines: Vec::new(), symmetries: Vec::new() };
        for [a, b] in near {
            let (a, b) = (board.point(a), board.point(b));
            board.near[a] |= 1 << b;
            board.near[b] |= 1 << a;
        }
        board.lines =
            lines.iter().map(|line| line.iter().fold(0, |set, name| set | 1 << board.point(name))).collect();
        board
    }

    /// Adds the symmetries that `images` of cells describe.
    fn symmetric(mut self, images: &[Image]) -> Board {
        let place = |cell: Cell| self.points.iter().position(|&point| point == cell).unwrap_or(0) as u8;
        let map = |image: &Image| self.points.iter().map(|&cell| place(image(cell))).collect();
        self.symmetries = images.iter().map(map).collect();
        self
    }

    /// The number of a point that the lists below name.
    fn point(&self, name: &str) -> usize {
        let cell = outplay_core::parse_cell(name);
        // The names come from the lists below only, and tests build every board.
        self.points.iter().position(|&point| Some(point) == cell).expect("a point of the board")
    }

    /// Nine points; `cross` joins the corners with the centre, `diagonals` makes two lines of them.
    pub(super) fn nine(cross: bool, diagonals: bool) -> Board {
        let points = (0..9).map(|i| (i % 3, i / 3)).collect();
        let mut near = vec![
            ["a1", "b1"],
            ["b1", "c1"],
            ["a2", "b2"],
            ["b2", "c2"],
            ["a3", "b3"],
            ["b3", "c3"],
            ["a1", "a2"],
            ["a2", "a3"],
            ["b1", "b2"],
            ["b2", "b3"],
            ["c1", "c2"],
            ["c2", "c3"],
        ];
        if cross {
            near.extend([["a1", "b2"], ["c1", "b2"], ["a3", "b2"], ["c3", "b2"]]);
        }
        let mut lines = vec![
            ["a1", "b1", "c1"],
            ["a2", "b2", "c2"],
            ["a3", "b3", "c3"],
            ["a1", "a2", "a3"],
            ["b1", "b2", "b3"],
            ["c1", "c2", "c3"],
        ];
        if diagonals {
            lines.extend([["a1", "b2", "c3"], ["c1", "b2", "a3"]]);
        }
        Board::new(points, &near, &lines).symmetric(&square_symmetries(3))
    }

    /// Two rings of eight points, joined at the midpoints of the sides.
    pub(super) fn six() -> Board {
        let on_ring = |&(c, r): &(usize, usize)| {
            let outer = c % 2 == 0 && r % 2 == 0 && (c, r) != (2, 2);
            let inner = (1..=3).contains(&c) && (1..=3).contains(&r) && (c, r) != (2, 2);
            outer || inner
        };
        let points = (0..25).map(|i| (i % 5, i / 5)).filter(on_ring).collect();
        let lines = [
            ["a1", "c1", "e1"],
            ["e1", "e3", "e5"],
            ["e5", "c5", "a5"],
            ["a5", "a3", "a1"],
            ["b2", "c2", "d2"],
            ["d2", "d3", "d4"],
            ["d4", "c4", "b4"],
            ["b4", "b3", "b2"],
        ];
        let mut near = vec![["a3", "b3"], ["c1", "c2"], ["c4", "c5"], ["d3", "e3"]];
        near.extend(lines.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c]]));
        let mut images = square_symmetries(5);
        let swapped = square_symmetries(5)
            .into_iter()
            .map(|image| -> Image { Box::new(move |cell| image(swap_rings(cell))) });
        images.extend(swapped);
        Board::new(points, &near, &lines).symmetric(&images)
    }

    /// A set of points under a symmetry.
    #[inline]
    pub(super) fn image(&self, map: &[u8], set: u16) -> u16 {
        super::rules::each(set).fold(0, |image, point| image | 1 << map[point as usize])
    }

    /// Whether a set holds a whole line.
    #[inline]
    pub(super) fn has_line(&self, set: u16) -> bool {
        // Not `contains`: what is asked is whether the set covers a line, not whether it is one.
        self.lines.iter().any(|line| !set & line == 0)
    }

    /// The points of a set that are part of one of its whole lines.
    #[inline]
    pub(super) fn in_lines(&self, set: u16) -> u16 {
        self.lines.iter().filter(|&&line| set & line == line).fold(0, |all, line| all | line)
    }

    /// All points.
    pub(super) fn all(&self) -> u16 {
        (((1u32) << self.points.len()) - 1) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_have_their_points_and_edges() {
        let edges = |board: &Board| board.near.iter().map(|set| set.count_ones()).sum::<u32>() / 2;
        let check = |board: Board, points, joined, lines| {
            assert_eq!((board.points.len(), edges(&board), board.lines.len()), (points, joined, lines));
        };
        check(Board::nine(false, false), 9, 12, 6);
        check(Board::nine(false, true), 9, 12, 8);
        check(Board::nine(true, true), 9, 16, 8);
        check(Board::six(), 16, 20, 8);
    }

    #[test]
    fn symmetries_keep_neighbours_and_lines() {
        for (board, count) in
            [(Board::nine(false, false), 8), (Board::nine(true, true), 8), (Board::six(), 16)]
        {
            let different: std::collections::HashSet<&Vec<u8>> = board.symmetries.iter().collect();
            assert_eq!(different.len(), count);
            for map in &board.symmetries {
                assert_eq!(board.image(map, board.all()), board.all(), "every point has an image of its own");
                for (point, &near) in board.near.iter().enumerate() {
                    assert_eq!(board.image(map, near), board.near[map[point] as usize]);
                }
                assert!(board.lines.iter().all(|&line| board.lines.contains(&board.image(map, line))));
            }
        }
    }
}
