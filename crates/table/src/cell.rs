//! Cell types of a table: codes of 8, 16 or 32 bits, or 64-bit floats.

use crate::codec::find::RunFinder;
use serde::{Deserialize, Serialize};

/// Type of a table's cells, as stored in its header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellKind {
    /// One byte, a code as in [`outplay_core::Code`].
    I8,
    /// Two bytes, a code of a game with cycles.
    I16,
    /// Four bytes, a code as in [`outplay_core::Code`].
    I32,
    /// Eight bytes, a mean payoff or a probability.
    F64,
}

impl CellKind {
    /// Bytes of a cell before compression.
    pub fn bytes(self) -> usize {
        match self {
            CellKind::I8 => 1,
            CellKind::I16 => 2,
            CellKind::I32 => 4,
            CellKind::F64 => 8,
        }
    }

    pub(crate) fn number(self) -> u8 {
        match self {
            CellKind::I8 => 0,
            CellKind::I32 => 1,
            CellKind::F64 => 2,
            CellKind::I16 => 3,
        }
    }
}

/// A value that a table can store. One value of each type represents a don't-care.
pub trait Cell: Copy + PartialEq + Send + Sync + 'static {
    /// Don't-care: a slot that is never probed; the table may return any value for it.
    const UNKNOWN: Self;
    /// The cell type in the header.
    const KIND: CellKind;

    /// Whether this is a don't-care.
    fn is_unknown(self) -> bool;

    /// Returns the cell's bit pattern; different cells have different patterns.
    fn to_bits(self) -> u64;

    /// Returns the cell with a bit pattern, of which only the low [`CellKind::bytes`] count.
    fn from_bits(bits: u64) -> Self;

    /// Bit mask of the don't-cares among up to 64 cells.
    fn unknown(cells: &[Self]) -> u64 {
        cells.iter().rev().fold(0, |mask, cell| mask << 1 | u64::from(cell.is_unknown()))
    }

    /// Finds the runs of up to 256 slots, the first of which is slot `first` of a granule; returns the number of
    /// defined slots.
    #[doc(hidden)]
    fn find_runs(found: &mut RunFinder<Self>, first: u8, cells: &[Self]) -> u64 {
        found.find_portable(first, cells)
    }
}

impl Cell for i8 {
    const UNKNOWN: i8 = i8::MIN;
    const KIND: CellKind = CellKind::I8;

    #[inline]
    fn is_unknown(self) -> bool {
        self == i8::MIN
    }

    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self as u8)
    }

    #[inline]
    fn from_bits(bits: u64) -> i8 {
        bits as u8 as i8
    }

    #[inline]
    fn unknown(cells: &[i8]) -> u64 {
        unknown_bytes(cells)
    }

    #[inline]
    fn find_runs(found: &mut RunFinder<i8>, first: u8, cells: &[i8]) -> u64 {
        found.find_bytes(first, cells)
    }
}

/// Bit mask of the don't-cares among up to 64 bytes, by SSE2: most tables have byte cells.
#[inline]
#[allow(unsafe_code)]
fn unknown_bytes(cells: &[i8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Ok(cells) = <&[i8; 64]>::try_from(cells) {
        use std::arch::x86_64::*;
        // SAFETY: SSE2 is part of x86-64, and the four loads of 16 bytes stay within the 64 bytes.
        return unsafe {
            let unknown = _mm_set1_epi8(i8::UNKNOWN);
            (0..4).fold(0, |mask, part| {
                let sixteen = _mm_loadu_si128(cells.as_ptr().add(16 * part).cast());
                let these = _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, unknown));
                mask | u64::from(these as u16) << (16 * part)
            })
        };
    }
    cells.iter().rev().fold(0, |mask, cell| mask << 1 | u64::from(cell.is_unknown()))
}

impl Cell for i16 {
    const UNKNOWN: i16 = i16::MIN;
    const KIND: CellKind = CellKind::I16;

    #[inline]
    fn is_unknown(self) -> bool {
        self == i16::MIN
    }

    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self as u16)
    }

    #[inline]
    fn from_bits(bits: u64) -> i16 {
        bits as u16 as i16
    }
}

impl Cell for i32 {
    const UNKNOWN: i32 = i32::MIN;
    const KIND: CellKind = CellKind::I32;

    #[inline]
    fn is_unknown(self) -> bool {
        self == i32::MIN
    }

    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self as u32)
    }

    #[inline]
    fn from_bits(bits: u64) -> i32 {
        bits as u32 as i32
    }
}

/// Every NaN means "don't-care".
impl Cell for f64 {
    const UNKNOWN: f64 = f64::NAN;
    const KIND: CellKind = CellKind::F64;

    #[inline]
    fn is_unknown(self) -> bool {
        self.is_nan()
    }

    #[inline]
    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }

    #[inline]
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}
