//! The two widths of bitboard behind one name.

use outplay_index::bits;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

/// An unsigned integer used as a set of cells.
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
    /// How many cells fit.
    const WIDTH: u32;
    /// No cell.
    const NONE: Self;
    /// The cell with a number below [`Bits::WIDTH`].
    fn one(cell: u32) -> Self;
    /// The smallest cell number; [`Bits::WIDTH`] if there is none.
    fn lowest(self) -> u32;
    /// How many cells.
    fn count(self) -> u32;
    /// The members of `self` under `mask`, moved together; the mask has at most 64 members.
    fn gather(self, mask: Self) -> u64;
    /// The inverse of [`Bits::gather`].
    fn scatter(value: u64, mask: Self) -> Self;
    /// The set folded to 64 bits, for hashing; different sets of at most 64 cells stay different.
    fn folded(self) -> u64;
    /// Whether the cell is a member.
    #[inline]
    fn has(self, cell: u32) -> bool {
        self & Self::one(cell) != Self::NONE
    }
    /// The cell numbers in ascending order.
    #[inline]
    fn cells(self) -> Cells<Self> {
        Cells(self)
    }
}

/// Iterates over the cells of a set.
pub struct Cells<B>(B);

impl<B: Bits> Iterator for Cells<B> {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0 == B::NONE {
            return None;
        }
        let cell = self.0.lowest();
        self.0 = self.0 & (self.0 - B::one(0));
        Some(cell)
    }
}

impl Bits for u64 {
    const WIDTH: u32 = 64;
    const NONE: u64 = 0;
    #[inline]
    fn one(cell: u32) -> u64 {
        1 << cell
    }
    #[inline]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline]
    fn gather(self, mask: u64) -> u64 {
        bits::gather(self, mask)
    }
    #[inline]
    fn scatter(value: u64, mask: u64) -> u64 {
        bits::scatter(value, mask)
    }
    #[inline]
    fn folded(self) -> u64 {
        self
    }
}

impl Bits for u128 {
    const WIDTH: u32 = 128;
    const NONE: u128 = 0;
    #[inline]
    fn one(cell: u32) -> u128 {
        1 << cell
    }
    #[inline]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline]
    fn gather(self, mask: u128) -> u64 {
        bits::gather_wide(self, mask)
    }
    #[inline]
    fn scatter(value: u64, mask: u128) -> u128 {
        bits::scatter_wide(value, mask)
    }
    #[inline]
    fn folded(self) -> u64 {
        self as u64 ^ ((self >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}
