//! Errors of the connect-k solver.

use thiserror::Error;

/// A board that the connect-k solver does not accept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectError {
    /// Stones do not fall.
    #[error(
        "this solver is for boards with gravity; add the flag `gravity` or solve the board by proof search"
    )]
    NoGravity,
    /// Completing a line loses.
    #[error("this solver knows no misère play; solve the board with a table instead")]
    Misere,
    /// Too many cells for 128 bits.
    #[error(
        "a board of {width}x{height} needs {bits} bits and this solver has 128; width times (height + 1) must not exceed that"
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
    #[error("the board makes no sense: {why}")]
    Malformed {
        /// The inconsistency, and how to fix it.
        why: String,
    },
    /// A stone has an empty cell below it.
    #[error(
        "the stone in column {column}, row {row} has an empty cell below it; with gravity, stones rest on each other"
    )]
    Floating {
        /// Counted from 1.
        column: usize,
        /// Counted from 1.
        row: usize,
    },
    /// The table does not fit into memory.
    #[error("there is no memory for a search table of {bytes} bytes; ask for fewer entries")]
    NoMemory {
        /// Bytes needed.
        bytes: usize,
    },
}
