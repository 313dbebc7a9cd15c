//! Errors of the bit-plane solver: unsupported boards, limits, cancellation and failed storage.

use thiserror::Error;

/// Error of the bit-plane solver: an unsupported board, a limit, cancellation, or failed storage.
#[derive(Debug, Error)]
pub enum DenseError {
    /// The board has more free cells than a machine word has bits.
    #[error(
        "the board has {cells} free cells, but the dense solver supports at most 63; use a search instead"
    )]
    TooManyCells {
        /// Free cells of the board.
        cells: usize,
    },
    /// The board has too many shapes to number.
    #[error(
        "the board has more than {} shapes (sets of occupied cells), too many for the dense solver; use a search, or \
         block some cells",
        outplay_core::figures::grouped(*most)
    )]
    TooManyShapes {
        /// Largest accepted number of shapes.
        most: u64,
    },
    /// The solve exceeds the memory limit.
    #[error("this solve needs {}, but the limit is {}{cure}", Bytes(*needs), Bytes(*allowed))]
    Memory {
        /// Bytes that the cheapest representation needs.
        needs: u64,
        /// The limit in bytes.
        allowed: u64,
        /// Remedies, ready to be appended.
        cure: String,
    },
    /// The system refused memory that the plan allowed.
    #[error("the system could not allocate {} of memory ({why}); close other programs or lower the memory limit", Bytes(*bytes))]
    Refused {
        /// Requested bytes.
        bytes: u64,
        /// The system's error.
        why: std::io::Error,
    },
    /// Slabs could not be stored or read.
    #[error("{why}")]
    SlabStore {
        /// A sentence with a remedy.
        why: String,
    },
    /// The sink could not receive a slice of codes.
    #[error("the values of tier {tier} could not be stored: {why}")]
    Sink {
        /// The tier.
        tier: usize,
        /// The sink's error.
        why: String,
    },
    /// The solve was cancelled.
    #[error("the solve was stopped before the board was solved; repeat it to resume")]
    Stopped,
    /// The thread pool could not be built.
    #[error("cannot start {threads} threads ({why}); use fewer threads")]
    Threads {
        /// Requested threads.
        threads: usize,
        /// The error.
        why: String,
    },
}

/// A number of bytes in human-readable form.
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
