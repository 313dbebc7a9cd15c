//! The positions of a tier as sets: 64 to a word, and what moves do to whole words.
//!
//! ```text
//! row 0   word 0   ........ …      a row is a player to move and all that its words have in common;
//!         word 1   ...x.... …      a word has 64 slots, for example the squares on which one man can stand;
//! row 1   word 0   ........ …      slot s of word w is number 64 w + s of its row
//! ```
//!
//! Where an index has such a picture, moves of many positions at once are a few shifts and ANDs, and a
//! retrograde solver needs no counters: it asks which positions have no way out.
//!
//! Invariant: symmetric positions that share a number have slots of their own, and a set holds all of them or
//! none.

use crate::{Tier, Turn};

/// What the slots of a word stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slots {
    /// The number of slot 0, counted from the first number of its row. Additions wrap: slot 0 may have none.
    pub first: u64,
    /// Slots that are numbered, one after the other: slot `s` has `first + s`, unless [`Sets::places`] tells otherwise.
    pub numbered: u64,
    /// Slots that count, so that each position without symmetry counts once, `weight` times.
    pub counted: u64,
    /// How many positions a slot that counts stands for.
    pub weight: u32,
}

/// A move that leaves the tier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leaving {
    /// The position's number within its row.
    pub slot: u16,
    /// The number that the move leads to, in its tier.
    pub number: u32,
}

/// A move to a position without a slot, see [`crate::Detour`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SetDetour {
    /// The position's number within its row.
    pub slot: u16,
    /// The row and the slot of the position with the other moves; `None` if there is no other move.
    pub like: Option<(u32, u16)>,
    /// Tiers and numbers that the additional moves lead to.
    pub instead: Vec<(Tier, u64)>,
}

/// A tier in words. The players alternate on every move, those that leave the tier included.
pub trait Sets: Send + Sync {
    /// How many words a row has, 64 at most.
    fn width(&self) -> usize;

    /// The positions, one bit each, row after row.
    fn legal(&self) -> &[u64];

    /// How many numbers a row has; rows follow one another.
    fn numbers(&self) -> u64;

    /// Whose turn it is in a row.
    fn turn(&self, row: usize) -> Turn;

    /// What the slots of a word stand for.
    fn slots(&self, row: usize, word: usize) -> Slots;

    /// The number within a row of each of its slots, where numbered slots are not numbered one after the other; what
    /// [`Slots::first`] says does not matter then. The fallback says that they are.
    fn places(&self) -> Option<&[u32]> {
        None
    }

    /// The number within the tier of a position; slots that share it have the same.
    fn number(&self, row: usize, slot: u16) -> u64;

    /// Takes away from `rest`, some positions of a row, all that have a move within the tier to one of `to`, a
    /// set of positions. Detours are no such moves.
    fn strike(&self, row: usize, to: &[u64], rest: &mut [u64]);

    /// The words of a row, one bit each, with perhaps a move to one of the words `changed`, a mask for each row.
    fn touched(&self, row: usize, changed: &[u64]) -> u64;

    /// Visits all moves of a row that leave the tier: tier by tier, in any number of pieces.
    fn exits(&self, row: usize, visit: &mut dyn FnMut(Tier, &[Leaving]));

    /// The moves of a row that lead to positions without a slot. The fallback knows none.
    fn detours(&self, _row: usize) -> Vec<SetDetour> {
        Vec::new()
    }
}
