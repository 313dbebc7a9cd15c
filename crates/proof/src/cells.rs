//! Bitset of cells: bit `c` is cell number `c` of the board.
//!
//! ```text
//!  word 0: cells 0 … 63    word 1: cells 64 … 127    …
//! ```
//!
//! The number of words is a const parameter, so a board of up to 64 cells uses single words.

use std::ops::{BitAnd, BitOr};

/// A set of cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Cells<W> {
    /// The empty set.
    pub(crate) const NONE: Self = Cells([0; W]);
    /// Capacity in cells.
    pub(crate) const ROOM: usize = 64 * W;

    /// Returns the set of a single cell.
    #[inline]
    pub(crate) fn one(cell: usize) -> Self {
        let mut set = Self::NONE;
        set.0[cell / 64] = 1 << (cell % 64);
        set
    }

    /// Returns the words, for lookup by bytes.
    #[inline]
    pub(crate) fn words(&self) -> &[u64; W] {
        &self.0
    }

    #[inline]
    pub(crate) fn has(self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 != 0
    }

    #[inline]
    pub(crate) fn with(self, cell: usize) -> Self {
        self | Self::one(cell)
    }

    #[inline]
    pub(crate) fn without(self, cell: usize) -> Self {
        self.minus(Self::one(cell))
    }

    #[inline]
    pub(crate) fn minus(mut self, other: Self) -> Self {
        for (word, take) in self.0.iter_mut().zip(other.0) {
            *word &= !take;
        }
        self
    }

    #[inline]
    pub(crate) fn within(self, other: Self) -> bool {
        self.minus(other) == Self::NONE
    }

    #[inline]
    pub(crate) fn meets(self, other: Self) -> bool {
        self & other != Self::NONE
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    #[inline]
    pub(crate) fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the lowest cell of a non-empty set.
    #[inline]
    pub(crate) fn first(self) -> usize {
        let word = self.0.iter().position(|&word| word != 0).unwrap_or(0);
        word * 64 + self.0[word].trailing_zeros() as usize
    }

    /// Iterates over the cells in ascending order.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self;
        std::iter::from_fn(move || {
            if rest.is_none() {
                return None;
            }
            let cell = rest.first();
            rest.0[cell / 64] &= rest.0[cell / 64] - 1;
            Some(cell)
        })
    }
}

impl<const W: usize> BitAnd for Cells<W> {
    type Output = Self;
    #[inline]
    fn bitand(mut self, other: Self) -> Self {
        for (word, keep) in self.0.iter_mut().zip(other.0) {
            *word &= keep;
        }
        self
    }
}

impl<const W: usize> BitOr for Cells<W> {
    type Output = Self;
    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        for (word, add) in self.0.iter_mut().zip(other.0) {
            *word |= add;
        }
        self
    }
}

impl<const W: usize> FromIterator<usize> for Cells<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> Self {
        cells.into_iter().fold(Self::NONE, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_like_sets() {
        let set: Cells<2> = [3, 64, 127, 5].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), vec![3, 5, 64, 127]);
        assert_eq!(set.count(), 4);
        assert_eq!(set.without(3).first(), 5);
        assert!(set.has(127) && !set.has(126));
        assert!(Cells::one(64).within(set) && !set.within(Cells::one(64)));
        assert!(set.minus(set).is_none() && !set.meets(Cells::one(4)));
    }
}
