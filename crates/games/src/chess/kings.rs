//! King pairs up to symmetry, as in other tablebases: 462 without pawns, 1806 with pawns.
//!
//! ```text
//! without pawns               with pawns
//! . . . . . . . .             W W W W . . . .
//! . . . . . . . .             W W W W . . . .
//! . . . . . . . .             …
//! . . . . . . . .             W W W W . . . .
//! . . . W . . . .
//! . . W W . . . .             the white king is on a W; without pawns and with the white king on the
//! . W W W . . . .             diagonal, the black king is on or below it
//! W W W W . . . .
//! ```

use std::sync::LazyLock;

/// The image of a square under one of eight symmetries: bit 0 mirrors columns, bit 1 rows, bit 2 transposes, in this
/// order.
#[inline]
pub(super) const fn transformed(square: u8, image: u8) -> u8 {
    let mut square = square;
    if image & 1 != 0 {
        square ^= 7;
    }
    if image & 2 != 0 {
        square ^= 56;
    }
    if image & 4 != 0 {
        square = square >> 3 | (square & 7) << 3;
    }
    square
}

/// The symmetry that transposes columns and rows.
pub(super) const TRANSPOSE: u8 = 4;

/// A king pair's number, and the symmetry that maps it to the listed pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The number of the pair; `NO_PAIR` if the kings are adjacent.
    pub(super) number: u16,
    /// The symmetry that takes the kings to the listed squares.
    pub(super) image: u8,
    /// Whether both kings are on the diagonal, so that the transposition fixes them.
    pub(super) diagonal: bool,
}

pub(super) const NO_PAIR: u16 = u16::MAX;

/// All king pairs under a group of symmetries.
pub(super) struct Kings {
    /// By white king and black king.
    pub(super) pairs: Vec<Pair>,
    /// The squares of each listed pair.
    pub(super) squares: Vec<(u8, u8)>,
}

impl Kings {
    fn new(images: u8) -> Kings {
        let listed = |white: u8, black: u8| {
            let (column, row) = (white & 7, white >> 3);
            match images {
                2 => column < 4,
                _ => column < 4 && row <= column && (row < column || black >> 3 <= black & 7),
            }
        };
        let touch = |a: u8, b: u8| (a & 7).abs_diff(b & 7) <= 1 && (a >> 3).abs_diff(b >> 3) <= 1;
        let mut kings = Kings {
            pairs: vec![Pair { number: NO_PAIR, image: 0, diagonal: false }; 64 * 64],
            squares: Vec::new(),
        };
        let all = || (0..64u8).flat_map(|white| (0..64u8).map(move |black| (white, black)));
        for (white, black) in all().filter(|&(white, black)| !touch(white, black) && listed(white, black)) {
            let on = |square: u8| square & 7 == square >> 3;
            let number = kings.squares.len() as u16;
            kings.pairs[white as usize * 64 + black as usize] =
                Pair { number, image: 0, diagonal: images == 8 && on(white) && on(black) };
            kings.squares.push((white, black));
        }
        for (white, black) in all().filter(|&(white, black)| !touch(white, black)) {
            let image =
                (0..images).find(|&image| listed(transformed(white, image), transformed(black, image)));
            // Some symmetry maps every pair to a listed one.
            let image = image.expect("every pair of kings is listed up to symmetry");
            let (to_white, to_black) = (transformed(white, image), transformed(black, image));
            let listed = kings.pairs[to_white as usize * 64 + to_black as usize];
            kings.pairs[white as usize * 64 + black as usize] = Pair { image, ..listed };
        }
        kings
    }

    #[inline]
    pub(super) fn pair(&self, white: u8, black: u8) -> Pair {
        self.pairs[white as usize * 64 + black as usize]
    }
}

/// Without pawns: all eight symmetries of the square.
pub(super) static EIGHT: LazyLock<Kings> = LazyLock::new(|| Kings::new(8));
/// With pawns: the identity and the horizontal mirror only.
pub(super) static TWO: LazyLock<Kings> = LazyLock::new(|| Kings::new(2));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn king_pairs_agree_with_the_literature() {
        assert_eq!(EIGHT.squares.len(), 462);
        assert_eq!(TWO.squares.len(), 1806);
        let apart = EIGHT.pairs.iter().filter(|pair| pair.number != NO_PAIR).count();
        assert_eq!(apart, 3612);
    }
}
