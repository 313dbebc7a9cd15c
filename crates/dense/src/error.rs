//! What can stop a dense solve.

use thiserror::Error;

/// Why a board cannot be solved densely, or why the work stopped.
#[derive(Debug, Error)]
pub enum DenseError {
    /// The board has more free cells than a machine word has bits.
    #[error("the board has {cells} free cells and the dense solver takes at most 63; use a search instead")]
    TooManyCells {
        /// Free cells of the board.
        cells: usize,
    },
    /// The board has too many shapes to number.
    #[error("the board has more than {most} shapes; use a search, or block some cells")]
    TooManyShapes {
        /// The largest number of shapes that is accepted.
        most: u64,
    },
    /// The solve does not fit in the memory it may use.
    #[error("this solve needs {} and may use {}{cure}", Bytes(*needs), Bytes(*allowed))]
    Memory {
        /// Bytes that the cheapest representation needs.
        needs: u64,
        /// Bytes that were allowed.
        allowed: u64,
        /// What would help, ready to be appended.
        cure: String,
    },
    /// The system gave no memory although the plan allowed it.
    #[error("the system refused {} of memory ({why}); close other programs or allow less memory", Bytes(*bytes))]
    Refused {
        /// Bytes asked for.
        bytes: u64,
        /// What the system said.
        why: std::io::Error,
    },
    /// Slabs could not be kept, or not be had again.
    #[error("{why}")]
    Depot {
        /// A sentence with a cure.
        why: String,
    },
    /// The sink could not take a slice of codes.
    #[error("the values of tier {tier} could not be stored: {why}")]
    Sink {
        /// The tier.
        tier: usize,
        /// What the sink said.
        why: String,
    },
    /// Someone asked to stop.
    #[error("stopped before the board was solved; start again to go on")]
    Stopped,
    /// The thread pool could not be built.
    #[error("cannot start {threads} threads: {why}; ask for fewer")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What went wrong.
        why: String,
    },
}

/// A number of bytes as people read it.
pub(crate) struct Bytes(pub(crate) u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000_000 => write!(f, "{:.1} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} MB", bytes / 1e6),
            1_000_000_000..1_000_000_000_000 => write!(f, "{:.1} GB", bytes / 1e9),
            _ => write!(f, "{:.1} TB", bytes / 1e12),
        }
    }
}
