//! Bitboards: sets of cells in 64-bit or 128-bit words, behind one trait.
//!
//! Code on sets of cells is generic over [`Bits`] and compiled for both widths.

use crate::bits;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

/// An unsigned integer used as a bitboard: a set of cells.
pub trait Bits:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The number of cells.
    const WIDTH: u32;
    /// The empty set.
    const NONE: Self;
    /// The set of cell 0.
    const ONE: Self;
    /// The set of one cell, whose number is below [`Bits::WIDTH`].
    fn one(cell: u32) -> Self;
    /// The smallest cell number; [`Bits::WIDTH`] if the set is empty.
    fn lowest(self) -> u32;
    /// The number of cells in the set.
    fn count(self) -> u32;
    /// Wrapping addition of the words.
    fn plus(self, other: Self) -> Self;
    /// Wrapping subtraction of the words.
    fn minus(self, other: Self) -> Self;
    /// The word as 128 bits.
    fn wide(self) -> u128;
    /// The members of `self` selected by `mask` as consecutive bits (PEXT); the mask has at most 64 members.
    fn gather(self, mask: Self) -> u64;
    /// The inverse of [`Bits::gather`] (PDEP).
    fn scatter(value: u64, mask: Self) -> Self;
    /// The set folded to 64 bits, for hashing; distinct sets of at most 64 cells stay distinct.
    fn folded(self) -> u64;

    /// Whether the cell is a member.
    #[inline(always)]
    fn has(self, cell: u32) -> bool {
        self & Self::one(cell) != Self::NONE
    }

    /// Whether the set is empty.
    #[inline(always)]
    fn none(self) -> bool {
        self == Self::NONE
    }

    /// Whether the set is not empty.
    #[inline(always)]
    fn any(self) -> bool {
        self != Self::NONE
    }

    /// The lowest cell alone, as a set.
    #[inline(always)]
    fn first(self) -> Self {
        self & Self::NONE.minus(self)
    }

    /// The set without its lowest cell.
    #[inline(always)]
    fn rest(self) -> Self {
        self & self.minus(Self::ONE)
    }

    /// The first `n` cells; all of them if `n` is the width.
    fn low(n: u32) -> Self {
        if n >= Self::WIDTH { !Self::NONE } else { Self::one(n).minus(Self::ONE) }
    }

    /// The cell numbers in ascending order.
    #[inline]
    fn cells(self) -> Cells<Self> {
        Cells(self)
    }
}

/// Iterator over the cells of a set.
pub struct Cells<B>(B);

impl<B: Bits> Iterator for Cells<B> {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.none() {
            return None;
        }
        let cell = self.0.lowest();
        self.0 = self.0.rest();
        Some(cell)
    }
}

macro_rules! bitboard {
    ($word:ty, $gather:path, $scatter:path, $fold:expr) => {
        impl Bits for $word {
            const WIDTH: u32 = <$word>::BITS;
            const NONE: $word = 0;
            const ONE: $word = 1;
            #[inline(always)]
            fn one(cell: u32) -> $word {
                1 << cell
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn plus(self, other: $word) -> $word {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: $word) -> $word {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                self as u128
            }
            #[inline]
            fn gather(self, mask: $word) -> u64 {
                $gather(self, mask)
            }
            #[inline]
            fn scatter(value: u64, mask: $word) -> $word {
                $scatter(value, mask)
            }
            #[inline]
            fn folded(self) -> u64 {
                let fold: fn($word) -> u64 = $fold;
                fold(self)
            }
        }
    };
}

bitboard!(u64, bits::gather, bits::scatter, |word| word);
bitboard!(u128, bits::gather_wide, bits::scatter_wide, |word| {
    word as u64 ^ ((word >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
});
