//! The positions of a tier as bitsets: 64 positions to a word, with set-wise move generation.
//!
//! ```text
//! row 0   word 0   ........ …      a row has one player to move, and what all its words have in common;
//!         word 1   ...x.... …      a word has 64 slots, for example the squares on which one man can stand;
//! row 1   word 0   ........ …      slot s of word w is position 64 w + s of its row
//! ```
//!
//! If an index has this layout, the moves of 64 positions at once are a few shifts and ANDs. A retrograde solver then
//! needs no successor counters: a position is lost when every move leads to a win for the opponent.
//!
//! Invariant: symmetric positions that share a rank have separate slots, and a set contains all of them or none.

use crate::{Tier, Turn};

/// Ranks of the slots (bits) of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slots {
    /// The number of slot 0, counted from the first number of its row. Additions wrap: slot 0 may have none.
    pub first: u64,
    /// Slots with consecutive numbers: slot `s` has `first + s`, unless [`Sets::places`] overrides it.
    pub numbered: u64,
    /// Slots that count in statistics, so that each position up to symmetry counts once, `weight` times.
    pub counted: u64,
    /// The number of positions that a counted slot represents.
    pub weight: u32,
}

/// A move that leads to another tier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TierExit {
    /// The position's number within its row.
    pub slot: u32,
    /// The number that the move leads to, in its tier.
    pub number: u32,
}

/// A move to a position without a slot (a [`crate::Detour`]).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SetDetour {
    /// The position's number within its row.
    pub slot: u32,
    /// The row and the slot of the position without the additional moves; `None` if it has no moves.
    pub like: Option<(u32, u32)>,
    /// Tiers and numbers of the successors by the additional moves.
    pub instead: Vec<(Tier, u64)>,
}

/// The positions of a tier as rows of 64-bit words. The players alternate on every move, moves to other tiers included.
pub trait Sets: Send + Sync {
    /// The number of words of a row: at most 64, or a power of two. A mask of a row's words has 64 bits; in a wider row
    /// each bit stands for a *group* of `width / 64` consecutive words.
    fn width(&self) -> usize;

    /// The binary logarithm of the number of words of a group.
    fn group_shift(&self) -> u32 {
        self.width().max(64).ilog2() - 6
    }

    /// The positions, one bit each, row after row.
    fn legal(&self) -> &[u64];

    /// The number of numbers of a row; rows are numbered consecutively.
    fn numbers(&self) -> u64;

    /// The player to move in a row.
    fn turn(&self, row: usize) -> Turn;

    /// The meaning of the slots of a word.
    fn slots(&self, row: usize, word: usize) -> Slots;

    /// The number within a row of each of its slots, where the numbers are not consecutive; [`Slots::first`] is
    /// ignored then. The fallback, `None`, means consecutive numbers.
    fn places(&self) -> Option<&[u32]> {
        None
    }

    /// The number of a position within the tier; slots of symmetric positions share it.
    fn number(&self, row: usize, slot: u32) -> u64;

    /// Removes from `rest`, a set of positions of a row, all that have a move within the tier to a position of the
    /// set `to`. Detours are ignored.
    fn strike(&self, row: usize, to: &[u64], rest: &mut [u64]);

    /// The mask of the words of a row that may have a move to one of the words `changed`, a mask for each row.
    fn touched(&self, row: usize, changed: &[u64]) -> u64;

    /// Visits all moves of a row that leave the tier, grouped by tier, in any number of batches.
    fn exits(&self, row: usize, visit: &mut dyn FnMut(Tier, &[TierExit]));

    /// The moves of a row that lead to positions without a slot. The fallback has none.
    fn detours(&self, _row: usize) -> Vec<SetDetour> {
        Vec::new()
    }
}
