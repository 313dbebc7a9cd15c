//! Square sets under symmetries of the board and under backward moves, with Kogge–Stone occluded fills for sliding
//! pieces.
//!
//! A fill grows a set along a direction through empty squares by one, two and four steps, for all its squares at
//! once.

use super::geometry::GEOMETRY;
use super::material::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// Transposes the board: columns and rows swapped.
#[inline]
fn transposed(mut set: u64) -> u64 {
    let mut swap = |shift: u32, mask: u64| {
        let moved = (set ^ set >> shift) & mask;
        set ^= moved ^ moved << shift;
    };
    swap(7, 0x00aa_00aa_00aa_00aa);
    swap(14, 0x0000_cccc_0000_cccc);
    swap(28, 0x0000_0000_f0f0_f0f0);
    set
}

/// Mirrors the columns.
#[inline]
fn mirrored(set: u64) -> u64 {
    let set = (set >> 1 & 0x5555_5555_5555_5555) | (set & 0x5555_5555_5555_5555) << 1;
    let set = (set >> 2 & 0x3333_3333_3333_3333) | (set & 0x3333_3333_3333_3333) << 2;
    (set >> 4 & 0x0f0f_0f0f_0f0f_0f0f) | (set & 0x0f0f_0f0f_0f0f_0f0f) << 4
}

/// The preimage of a set under [`super::kings::transformed`].
#[inline]
pub(super) fn before_image(mut set: u64, image: u8) -> u64 {
    if image & 4 != 0 {
        set = transposed(set);
    }
    if image & 2 != 0 {
        set = set.swap_bytes();
    }
    if image & 1 != 0 {
        set = mirrored(set);
    }
    set
}

/// Occluded fill (Kogge–Stone) in both directions of a line, plus one step, without wrapping around the board's edge.
#[inline]
fn along(set: u64, empty: u64, shift: u32, up_mask: u64, down_mask: u64) -> u64 {
    let (mut up, mut down) = (set, set);
    let (mut free_up, mut free_down) = (empty & up_mask, empty & down_mask);
    up |= free_up & up << shift;
    free_up &= free_up << shift;
    up |= free_up & up << (2 * shift);
    free_up &= free_up << (2 * shift);
    up |= free_up & up << (4 * shift);
    down |= free_down & down >> shift;
    free_down &= free_down >> shift;
    down |= free_down & down >> (2 * shift);
    free_down &= free_down >> (2 * shift);
    down |= free_down & down >> (4 * shift);
    up << shift & up_mask | down >> shift & down_mask
}

#[inline]
fn straight(set: u64, empty: u64) -> u64 {
    along(set, empty, 8, u64::MAX, u64::MAX) | along(set, empty, 1, NOT_A, NOT_H)
}

#[inline]
fn oblique(set: u64, empty: u64) -> u64 {
    along(set, empty, 9, NOT_A, NOT_H) | along(set, empty, 7, NOT_H, NOT_A)
}

#[inline]
fn jumps(set: u64) -> u64 {
    (set << 17 | set >> 15) & NOT_A
        | (set << 15 | set >> 17) & NOT_H
        | (set << 10 | set >> 6) & NOT_AB
        | (set << 6 | set >> 10) & NOT_GH
}

/// The squares from which a man can move to one of a set without a capture; some may be occupied.
#[inline]
pub(super) fn origins(kind: u8, black: bool, set: u64, empty: u64) -> u64 {
    match kind {
        QUEEN => straight(set, empty) | oblique(set, empty),
        ROOK => straight(set, empty),
        BISHOP => oblique(set, empty),
        KNIGHT => jumps(set),
        PAWN if black => set << 8 | ((set & 0xff << 32) << 8 & empty) << 8,
        PAWN => set >> 8 | ((set & 0xff << 24) >> 8 & empty) >> 8,
        _ => 0,
    }
}

/// The squares from which a man attacks a square, with some other squares as blockers.
#[inline]
pub(super) fn attackers(kind: u8, black: bool, square: u8, others: &[u8]) -> u64 {
    let at = square as usize;
    match kind {
        PAWN => GEOMETRY.pawn_attacks[usize::from(!black)][at],
        KING | KNIGHT => GEOMETRY.reach[kind as usize][at],
        _ => others.iter().fold(GEOMETRY.reach[kind as usize][at], |seen, &other| {
            seen & !GEOMETRY.shadow[at][other as usize]
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Squares;
    use super::super::kings::transformed;
    use super::*;

    /// Pseudo-random sets.
    fn sets() -> impl Iterator<Item = u64> {
        (1..40u64).map(|n| {
            n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & n.wrapping_mul(0xd1b5_4a32_d192_ed03).rotate_left(17)
        })
    }

    #[test]
    fn images_of_sets_are_sets_of_images() {
        for set in sets() {
            for image in 0..8 {
                let to = Squares(set).fold(0u64, |to, square| to | 1 << transformed(square, image));
                assert_eq!(before_image(to, image), set, "{set:x} {image}");
            }
        }
    }

    #[test]
    fn origins_are_found_square_by_square() {
        for (set, blocked) in sets().zip(sets().skip(7)) {
            let empty = !blocked;
            let set = set & empty;
            for kind in QUEEN..=KNIGHT {
                let reached = |from: u8| {
                    Squares(GEOMETRY.reach[kind as usize][from as usize] & set).any(|to| {
                        kind == KNIGHT || GEOMETRY.between[from as usize][to as usize] & blocked == 0
                    })
                };
                let expected = (0..64).filter(|&from| reached(from)).fold(0u64, |all, from| all | 1 << from);
                assert_eq!(origins(kind, false, set, empty), expected, "{kind} {set:x} {blocked:x}");
            }
            // A white pawn moves one rank up, or two from the second rank.
            let white = |from: u8| {
                let ahead = |rows: u8| from + 8 * rows < 64 && set >> (from + 8 * rows) & 1 == 1;
                ahead(1) || from / 8 == 1 && empty >> (from + 8) & 1 == 1 && ahead(2)
            };
            let expected = (0..64).filter(|&from| white(from)).fold(0u64, |all, from| all | 1 << from);
            assert_eq!(origins(PAWN, false, set, empty), expected);
            let swapped = origins(PAWN, true, set.swap_bytes(), empty.swap_bytes()).swap_bytes();
            assert_eq!(swapped, expected, "black pawns are white ones upside down");
        }
    }

    #[test]
    fn attackers_see_the_square() {
        let others = [9, 27, 44];
        let occupied = others.iter().fold(0u64, |all, &square| all | 1 << square);
        for kind in QUEEN..=KNIGHT {
            for square in (0..64).filter(|square| occupied >> square & 1 == 0) {
                let found = attackers(kind, false, square, &others);
                for from in (0..64usize).filter(|from| occupied >> from & 1 == 0) {
                    let line = kind == KNIGHT || GEOMETRY.between[from][square as usize] & occupied == 0;
                    let sees = GEOMETRY.reach[kind as usize][from] >> square & 1 == 1 && line;
                    assert_eq!(found >> from & 1 == 1, sees, "{kind} {from} {square}");
                }
            }
        }
    }
}
