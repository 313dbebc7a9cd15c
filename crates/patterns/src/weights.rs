//! Evaluation weights of shapes (open three, four, …) of the pattern engine.
//!
//! The static evaluation is a sum over all empty cells and the four directions through each: the shape that a
//! stone there would make. The player to move can use its own shapes at once and the opponent's only after a
//! reply, so each shape has two weights.

use crate::shape::{FAR, FIVE, FOUR, ONE, OPEN_FOUR, OPEN_ONE, OPEN_THREE, OPEN_TWO, SHAPES, THREE, TWO};

/// Names of the weighted shapes.
pub const NAMES: [&str; 10] =
    ["far", "one", "open_one", "two", "open_two", "three", "open_three", "four", "open_four", "five"];
/// Codes of the weighted shapes.
pub(crate) const NUMBERED: [u8; 10] =
    [FAR, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE];

/// Evaluation weights of shapes, for the player to move and for the opponent, in the order of [`NAMES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Weights for the player to move.
    pub mover: [i16; 10],
    /// Weights for the opponent.
    pub waiter: [i16; 10],
    /// Bonus for the right to move.
    pub tempo: i16,
}

impl Weights {
    /// All weight sets by name; the first is the default.
    pub const NAMED: [(&str, Weights); 2] = [("fitted", Weights::FITTED), ("plain", Weights::PLAIN)];

    /// Hand-set weights: every further stone roughly triples the weight.
    pub const PLAIN: Weights = Weights {
        mover: [0, 1, 2, 4, 10, 12, 36, 30, 110, 300],
        waiter: [0, 1, 2, 4, 9, 10, 28, 24, 90, 200],
        tempo: 20,
    };

    /// Weights fitted by logistic regression to won attacks on 15x15, 9x9 with obstacles and 7x7
    /// (`examples/fit.rs`). Fives and open fours of the player to move end a search before evaluation, so
    /// theirs are hand-set.
    pub const FITTED: Weights = Weights {
        mover: [0, 3, -3, 3, 14, 26, 61, 116, 150, 300],
        waiter: [0, 3, -3, 3, 12, 25, 59, 109, 150, 172],
        tempo: 5,
    };
}

/// Weights by shape code: the mover's in the high half, the opponent's in the low half.
pub(crate) fn packed(weights: &Weights) -> [i64; SHAPES] {
    let mut table = [0; SHAPES];
    for (at, &shape) in NUMBERED.iter().enumerate() {
        table[shape as usize] = (i64::from(weights.mover[at]) << 32) + i64::from(weights.waiter[at]);
    }
    table
}

/// Unpacks a sum: as the mover, as the opponent.
pub(crate) fn unpacked(sum: i64) -> (i32, i32) {
    let low = sum as i32;
    (((sum - i64::from(low)) >> 32) as i32, low)
}

/// Move-ordering score by shape, for either player.
pub(crate) const RANKS: [i32; SHAPES] = [0, 0, 1, 3, 5, 14, 16, 0, 60, 50, 500, 2000, 0, 0, 0, 0];
