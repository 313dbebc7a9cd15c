//! Board geometry of the morris family: points, neighbours, lines and symmetries.

use std::cmp::Ordering;

/// A board: up to 24 points, as bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Board {
    /// Column and row of each point, ordered by row from the bottom, then by column.
    pub(super) points: Vec<(usize, usize)>,
    /// The neighbours of each point.
    pub(super) near: Vec<u32>,
    /// The lines that can become mills, three points each.
    pub(super) lines: Vec<u32>,
    /// The lines through each point, without the point.
    pub(super) through: Vec<Vec<u32>>,
    /// The image of each point under each symmetry of the board, the identity first.
    pub(super) symmetries: Vec<Vec<u8>>,
}

type Cell = (usize, usize);
/// A map of cells.
type Image = Box<dyn Fn(Cell) -> Cell>;

/// The eight rotations and reflections of a square of cells.
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

/// Swaps the outermost and the innermost of `rings` rings; one between them stays.
fn swap_rings(rings: usize) -> impl Fn(Cell) -> Cell + Copy {
    move |(column, row)| {
        let swapped = rings + 1 - column.abs_diff(rings).max(row.abs_diff(rings));
        let place = |at: usize| match at.cmp(&rings) {
            Ordering::Less => rings - swapped,
            Ordering::Equal => rings,
            Ordering::Greater => rings + swapped,
        };
        (place(column), place(row))
    }
}

impl Board {
    fn new(points: Vec<Cell>, near: &[[Cell; 2]], lines: &[[Cell; 3]]) -> Board {
        let none = vec![0; points.len()];
        let through = vec![Vec::new(); points.len()];
        let mut board = Board { near: none, points, lines: Vec::new(), through, symmetries: Vec::new() };
        for &[a, b] in near {
            let (a, b) = (board.point(a), board.point(b));
            board.near[a] |= 1 << b;
            board.near[b] |= 1 << a;
        }
        board.lines =
            lines.iter().map(|line| line.iter().fold(0, |set, &cell| set | 1 << board.point(cell))).collect();
        for &line in &board.lines {
            super::rules::each(line).for_each(|at| board.through[at as usize].push(line & !(1 << at)));
        }
        board
    }

    /// Adds the symmetries given as maps of cells.
    fn symmetric(mut self, images: &[Image]) -> Board {
        let place = |cell: Cell| self.points.iter().position(|&point| point == cell).unwrap_or(0) as u8;
        let map = |image: &Image| self.points.iter().map(|&cell| place(image(cell))).collect();
        self.symmetries = images.iter().map(map).collect();
        self
    }

    /// The number of a point of the lists below.
    fn point(&self, cell: Cell) -> usize {
        // The cells come from the lists below only, and tests build every board.
        self.points.iter().position(|&point| point == cell).expect("a point of the board")
    }

    /// Nine points; `cross` joins the corners with the centre, `diagonals` makes the diagonals lines.
    pub(super) fn square(cross: bool, diagonals: bool) -> Board {
        let points = (0..9).map(|i| (i % 3, i / 3)).collect();
        let rows = (0..3).map(|i| [(0, i), (1, i), (2, i)]);
        let mut lines: Vec<[Cell; 3]> = rows.chain((0..3).map(|i| [(i, 0), (i, 1), (i, 2)])).collect();
        let mut near = neighbours(&lines);
        let oblique = [[(0, 0), (1, 1), (2, 2)], [(2, 0), (1, 1), (0, 2)]];
        if cross {
            near.extend(neighbours(&oblique));
        }
        if diagonals {
            lines.extend(oblique);
        }
        Board::new(points, &near, &lines).symmetric(&square_symmetries(3))
    }

    /// Two rings of eight points, joined at the midpoints of the sides; the sides are lines.
    pub(super) fn six() -> Board {
        Board::rings(2)
    }

    /// Three such rings; the joins of the rings are lines as well.
    pub(super) fn nine() -> Board {
        Board::rings(3)
    }

    fn rings(rings: usize) -> Board {
        let size = 2 * rings + 1;
        let ring = |c: usize, r: usize| c.abs_diff(rings).max(r.abs_diff(rings));
        // Corners and midpoints: each coordinate is as far from the middle as the ring, or in the middle.
        let on_ring = |&(c, r): &Cell| {
            let away = ring(c, r);
            away > 0 && [c, r].iter().all(|at| [0, away].contains(&at.abs_diff(rings)))
        };
        let points: Vec<Cell> = (0..size * size).map(|i| (i % size, i / size)).filter(on_ring).collect();
        let mut lines = Vec::new();
        for away in 1..=rings {
            let [low, high] = [rings - away, rings + away];
            for side in [low, high] {
                lines.extend([
                    [(low, side), (rings, side), (high, side)],
                    [(side, low), (side, rings), (side, high)],
                ]);
            }
        }
        let mut near = neighbours(&lines);
        let spokes = |away: usize| {
            let [low, high] = [rings - away, rings + away];
            [(low, rings), (high, rings), (rings, low), (rings, high)]
        };
        for away in 1..rings {
            near.extend(spokes(away).into_iter().zip(spokes(away + 1)).map(|(a, b)| [a, b]));
        }
        if rings == 3 {
            lines.extend((0..4).map(|side| [1, 2, 3].map(|away| spokes(away)[side])));
        }
        let swap = swap_rings(rings);
        let swapped = square_symmetries(size)
            .into_iter()
            .map(|image| -> Image { Box::new(move |cell| image(swap(cell))) });
        let images: Vec<Image> = square_symmetries(size).into_iter().chain(swapped).collect();
        Board::new(points, &near, &lines).symmetric(&images)
    }

    /// A set of points under a symmetry.
    #[inline]
    pub(super) fn image(&self, map: &[u8], set: u32) -> u32 {
        super::rules::each(set).fold(0, |image, point| image | 1 << map[point as usize])
    }

    /// Whether a set contains a whole line.
    #[inline]
    pub(super) fn has_line(&self, set: u32) -> bool {
        // A subset test of the line, not an equality test as `contains` would be.
        self.lines.iter().any(|line| !set & line == 0)
    }

    /// The points of a set that belong to whole lines within it.
    #[inline]
    pub(super) fn in_lines(&self, set: u32) -> u32 {
        self.lines.iter().filter(|&&line| set & line == line).fold(0, |all, line| all | line)
    }

    /// Whether a man at a point completes a line with those of a set.
    #[inline]
    pub(super) fn closes(&self, set: u32, at: u8) -> bool {
        // A subset test, as above.
        self.through[at as usize].iter().any(|line| !set & line == 0)
    }

    /// All points.
    pub(super) fn all(&self) -> u32 {
        (1 << self.points.len()) - 1
    }
}

/// The pairs of neighbours of some lines.
fn neighbours(lines: &[[Cell; 3]]) -> Vec<[Cell; 2]> {
    lines.iter().flat_map(|&[a, b, c]| [[a, b], [b, c]]).collect()
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
        check(Board::square(false, false), 9, 12, 6);
        check(Board::square(false, true), 9, 12, 8);
        check(Board::square(true, true), 9, 16, 8);
        check(Board::six(), 16, 20, 8);
        check(Board::nine(), 24, 32, 16);
    }

    #[test]
    fn symmetries_keep_neighbours_and_lines() {
        for (board, count) in [
            (Board::square(false, false), 8),
            (Board::square(true, true), 8),
            (Board::six(), 16),
            (Board::nine(), 16),
        ] {
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
