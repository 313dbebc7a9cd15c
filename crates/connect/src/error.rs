//! Errors of the connect-k solver.

use thiserror::Error;

/// A board that the connect-k solver does not support.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectError {
    /// Stones do not fall.
    #[error(
        "this solver supports only boards with gravity; add the flag `gravity` to the spec, or use `--method proof`"
    )]
    NoGravity,
    /// Completing a line loses.
    #[error("this solver does not support misère play; solve the board with a table instead")]
    Misere,
    /// Too many cells for 128 bits.
    #[error(
        "a board of {width}x{height} needs {bits} bits, but this solver supports 128: width × (height + 1) must not exceed 128"
    )]
    TooLarge {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Bits needed.
        bits: usize,
    },
    /// The description is inconsistent.
    #[error("the board is malformed: {why}")]
    Malformed {
        /// The inconsistency, and how to fix it.
        why: String,
    },
    /// A stone has an empty cell below it.
    #[error(
        "the stone in column {column}, row {row} has an empty cell below it, which gravity does not allow"
    )]
    Floating {
        /// Counted from 1.
        column: usize,
        /// Counted from 1.
        row: usize,
    },
    /// The table does not fit into memory.
    #[error(
        "the system could not allocate the {bytes} bytes of the transposition table; choose a smaller table"
    )]
    NoMemory {
        /// Bytes needed.
        bytes: usize,
    },
}
