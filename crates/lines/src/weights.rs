//! What shapes are worth.
//!
//! An opinion is a sum over the empty cells near stones and the four directions through each: what a stone there would make.
//! The player to move has the use of its own shapes at once and of the other's only after an answer, so each
//! shape has two weights.

use crate::shape::{FAR, FIVE, FOUR, ONE, OPEN_FOUR, OPEN_ONE, OPEN_THREE, OPEN_TWO, SHAPES, THREE, TWO};

/// The shapes that weights are for, by name.
pub const NAMES: [&str; 10] =
    ["far", "one", "open_one", "two", "open_two", "three", "open_three", "four", "open_four", "five"];
/// Their numbers.
pub(crate) const NUMBERED: [u8; 10] =
    [FAR, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE];

/// What shapes are worth to the player to move, and to the other; in the order of [`NAMES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// To the player to move.
    pub mover: [i16; 10],
    /// To the other one.
    pub waiter: [i16; 10],
    /// The move itself.
    pub tempo: i16,
}

impl Weights {
    /// All weights by name; the first are used if nothing is said.
    pub const NAMED: [(&str, Weights); 2] = [("fitted", Weights::FITTED), ("plain", Weights::PLAIN)];

    /// Weights by rule of thumb: every stone towards a line is worth three times the one before.
    pub const PLAIN: Weights = Weights {
        mover: [0, 1, 2, 4, 10, 12, 36, 30, 110, 300],
        waiter: [0, 1, 2, 4, 9, 10, 28, 24, 90, 200],
        tempo: 20,
    };

    /// Weights fitted to won attacks on 15x15, 9x9 with obstacles and 7x7 (`examples/fit.rs`); lines and open fours of the
    /// player to move end a search before they are weighed, so theirs are by rule of thumb.
    pub const FITTED: Weights = Weights {
        mover: [0, 3, -3, 3, 14, 26, 61, 116, 150, 300],
        waiter: [0, 3, -3, 3, 12, 25, 59, 109, 150, 172],
        tempo: 5,
    };
}

/// Weights by the number of a shape: the mover's in the high half, the other's in the low one.
pub(crate) fn packed(weights: &Weights) -> [i64; SHAPES] {
    let mut table = [0; SHAPES];
    for (at, &shape) in NUMBERED.iter().enumerate() {
        table[shape as usize] = (i64::from(weights.mover[at]) << 32) + i64::from(weights.waiter[at]);
    }
    table
}

/// Both sums of a packed one: as the mover, as the other.
pub(crate) fn unpacked(sum: i64) -> (i32, i32) {
    let low = sum as i32;
    (((sum - i64::from(low)) >> 32) as i32, low)
}

/// How soon a cell is tried, by what it makes for either player.
pub(crate) const RANKS: [i32; SHAPES] = [0, 0, 1, 3, 5, 14, 16, 0, 60, 50, 500, 2000, 0, 0, 0, 0];
