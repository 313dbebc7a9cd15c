//! Canonical sets of occupied points up to the symmetries of the board.
//!
//! A *shape* is a set of occupied points, whatever the owners. Its canonical form is the smallest of its images as a
//! bit mask; the canonical shapes of one size are ranked in ascending order.

use super::board::Board;
use outplay_index::{Subsets, next_subset};

/// The board's symmetries as lookup tables, one lookup for eight points.
pub(super) struct Images {
    tables: Vec<[[u32; 256]; 3]>,
    /// The inverse of each symmetry.
    inverse: Vec<u8>,
}

impl Images {
    pub(super) fn new(board: &Board) -> Images {
        let table = |map: &Vec<u8>| {
            let mut table = [[0; 256]; 3];
            for (part, images) in table.iter_mut().enumerate() {
                for (points, image) in images.iter_mut().enumerate() {
                    *image = board.image(map, (points as u32) << (8 * part) & board.all());
                }
            }
            table
        };
        let undone = |map: &Vec<u8>| {
            let undoes =
                |other: &Vec<u8>| map.iter().enumerate().all(|(at, &to)| other[to as usize] as usize == at);
            // Symmetries form a group, so an inverse exists.
            board.symmetries.iter().position(undoes).unwrap_or(0) as u8
        };
        Images {
            tables: board.symmetries.iter().map(table).collect(),
            inverse: board.symmetries.iter().map(undone).collect(),
        }
    }

    /// The number of symmetries.
    pub(super) fn count(&self) -> usize {
        self.tables.len()
    }

    /// A set of points under a symmetry.
    #[inline]
    pub(super) fn of(&self, image: u8, set: u32) -> u32 {
        let [low, middle, high] = &self.tables[image as usize];
        low[(set & 255) as usize] | middle[(set >> 8 & 255) as usize] | high[(set >> 16 & 255) as usize]
    }

    /// The number of shapes of each size, by Burnside's lemma: the mean over all symmetries of the number of sets
    /// they fix. A fixed set is a union of cycles.
    pub(super) fn shapes(board: &Board) -> Vec<u64> {
        let points = board.points.len();
        let mut sums = vec![0u64; points + 1];
        for map in &board.symmetries {
            let mut sets = vec![0u64; points + 1];
            sets[0] = 1;
            let mut seen = 0u32;
            for start in 0..points {
                let (mut at, mut length) = (start, 0);
                while seen >> at & 1 == 0 {
                    seen |= 1 << at;
                    length += 1;
                    at = map[at] as usize;
                }
                if length > 0 {
                    (length..=points).rev().for_each(|size| sets[size] += sets[size - length]);
                }
            }
            sums.iter_mut().zip(sets).for_each(|(sum, sets)| *sum += sets);
        }
        sums.into_iter().map(|sum| sum / board.symmetries.len() as u64).collect()
    }
}

/// The canonical shapes of one size.
pub(super) struct Shapes {
    /// The canonical shapes in order, one row each.
    pub(super) rows: Vec<u32>,
    /// The stabiliser of each shape: the symmetries that fix it, one bit each.
    pub(super) still: Vec<u16>,
    /// For every set of this size, the row times sixteen plus the symmetry that maps the set to it.
    found: Vec<u32>,
}

impl Shapes {
    pub(super) fn new(subsets: &Subsets, images: &Images, points: u32, size: u32) -> Shapes {
        const OPEN: u32 = u32::MAX;
        let mut shapes = Shapes {
            rows: Vec::new(),
            still: Vec::new(),
            found: vec![OPEN; subsets.count(points, size) as usize],
        };
        let mut shape = (1u64 << size) - 1;
        for rank in 0..shapes.found.len() {
            if shapes.found[rank] == OPEN {
                let (row, mut still) = (shapes.rows.len() as u32, 0);
                for image in 0..images.count() as u8 {
                    let other = images.of(image, shape as u32);
                    still |= u16::from(u64::from(other) == shape) << image;
                    shapes.found[subsets.rank(other.into()) as usize] =
                        row << 4 | u32::from(images.inverse[image as usize]);
                }
                // A canonical shape needs no symmetry.
                shapes.found[rank] = row << 4;
                shapes.rows.push(shape as u32);
                shapes.still.push(still);
            }
            shape = next_subset(shape);
        }
        shapes
    }

    /// The row of a set, by its rank among those of its size, and the symmetry that maps the set to it.
    #[inline]
    pub(super) fn find(&self, rank: u64) -> (usize, u8) {
        let found = self.found[rank as usize];
        ((found >> 4) as usize, (found & 15) as u8)
    }
}

/// Extracts the members of a set selected by another as consecutive bits (PEXT), by lookup of eight points at a time.
pub(super) struct Packer {
    packed: Vec<u8>,
    ones: [u8; 256],
}

impl Packer {
    pub(super) fn new() -> Packer {
        let pack = |place: usize| {
            let (among, set) = (place >> 8, place & 255);
            let bits = (0..8).filter(|bit| among >> bit & 1 == 1).enumerate();
            bits.fold(0, |all, (to, bit)| all | ((set >> bit & 1) << to) as u8)
        };
        let mut ones = [0; 256];
        (0..256usize).for_each(|byte| ones[byte] = byte.count_ones() as u8);
        Packer { packed: (0..1 << 16).map(pack).collect(), ones }
    }

    /// Extracts the bits of `set` selected by `among`.
    #[inline]
    pub(super) fn pack(&self, set: u32, among: u32) -> u32 {
        let part = |shift: u32| {
            let among = (among >> shift & 255) as usize;
            (u32::from(self.packed[among << 8 | (set >> shift & 255) as usize]), u32::from(self.ones[among]))
        };
        let ((low, first), (middle, second), (high, _)) = (part(0), part(8), part(16));
        low | middle << first | high << (first + second)
    }

    /// Deposits the bits of `packed` at the ones of `among`, the inverse of [`Packer::pack`].
    pub(super) fn unpack(packed: u32, among: u32) -> u32 {
        let points = super::rules::each(among).enumerate();
        points.fold(0, |set, (bit, point)| set | (packed >> bit & 1) << point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_counted_and_found() {
        let board = Board::nine();
        let images = Images::new(&board);
        let subsets = Subsets::new(24);
        let counts = Images::shapes(&board);
        for size in 0..=7 {
            let shapes = Shapes::new(&subsets, &images, 24, size);
            assert_eq!(shapes.rows.len() as u64, counts[size as usize], "{size}");
            let mut shape = (1u64 << size) - 1;
            for rank in 0..subsets.count(24, size) {
                let (row, image) = shapes.find(rank);
                assert_eq!(images.of(image, shape as u32), shapes.rows[row]);
                shape = next_subset(shape);
            }
            for (&shape, still) in shapes.rows.iter().zip(&shapes.still) {
                let alone = (0..16).filter(|&image| images.of(image, shape) == shape);
                assert_eq!(alone.fold(0, |all, image| all | 1 << image), *still);
            }
        }
    }

    #[test]
    fn packed_sets_unpack() {
        let packer = Packer::new();
        for n in 1..2000u32 {
            let among = n.wrapping_mul(0x9e37_79b9) >> 8;
            let set = n.wrapping_mul(0x85eb_ca6b) >> 8 & among;
            assert_eq!(Packer::unpack(packer.pack(set, among), among), set);
        }
    }
}
