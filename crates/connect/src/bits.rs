//! The machine words that serve as bitboards.
//!
//! Everything above this module is written once and compiled for 64 and for 128 bits.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// An unsigned word, one bit per cell.
pub(crate) trait Bits:
    Copy
    + Eq
    + Ord
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// No cell.
    const ZERO: Self;
    /// The lowest cell alone.
    const ONE: Self;
    /// How many bits a word has.
    const WIDTH: u32;
    /// The sum modulo the width.
    fn plus(self, other: Self) -> Self;
    /// The difference modulo the width.
    fn minus(self, other: Self) -> Self;
    /// How many cells are in the set.
    fn count(self) -> u32;
    /// The number of the lowest cell; the width if there is none.
    fn lowest(self) -> u32;
    /// The word as 128 bits.
    fn wide(self) -> u128;

    /// Whether the set is empty.
    #[inline(always)]
    fn none(self) -> bool {
        self == Self::ZERO
    }

    /// Whether the set holds anything.
    #[inline(always)]
    fn any(self) -> bool {
        self != Self::ZERO
    }

    /// The lowest cell alone, as a set.
    #[inline(always)]
    fn first(self) -> Self {
        self & Self::ZERO.minus(self)
    }

    /// The set without its lowest cell.
    #[inline(always)]
    fn rest(self) -> Self {
        self & self.minus(Self::ONE)
    }

    /// The first `n` bits; all of them if `n` is the width.
    fn low(n: u32) -> Self {
        if n >= Self::WIDTH { !Self::ZERO } else { (Self::ONE << n).minus(Self::ONE) }
    }
}

macro_rules! bits {
    ($word:ty) => {
        impl Bits for $word {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const WIDTH: u32 = <$word>::BITS;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                self as u128
            }
        }
    };
}

bits!(u64);
bits!(u128);
