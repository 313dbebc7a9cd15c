//! Errors of all commands: one sentence each, with the remedy as data that an interface puts into words.

use crate::Method;
use outplay_bitplane::DenseError;
use outplay_connect::{BookError, ConnectError};
use outplay_core::{InputError, ProbeError};
use outplay_players::PlayError;
use outplay_proof::ProveError;
use outplay_runtime::Monitor;
use outplay_search::SearchError;
use outplay_solve::SolveError;
use outplay_table::{TableError, Values};
use thiserror::Error;

/// Error of a command.
#[derive(Debug, Error)]
pub enum Trouble {
    /// A malformed spec, position or move.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The dense solver failed.
    #[error(transparent)]
    Dense(DenseError),
    /// A table could not be written or read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The connect-k solver does not support the board.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The proof search does not support the board.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The engine failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// An opening book could not be built or read.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A source of values failed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A player cannot move.
    #[error(transparent)]
    Play(PlayError),
    /// The game does not support the request.
    #[error("{why}")]
    Unable {
        /// The reason, as a sentence.
        why: String,
        /// The cure, unless the sentence names it.
        cure: Option<Cure>,
    },
    /// No result within the limits.
    #[error("{0}")]
    Limits(String),
    /// The request needs more memory than the limit.
    #[error("this needs {:.2} GB of memory and {:.2} GB are allowed", *.needed as f64 / 1e9, *.allowed as f64 / 1e9)]
    Memory {
        /// Bytes that are needed.
        needed: u128,
        /// Bytes that may be used.
        allowed: u64,
    },
}

/// Remedy for an error, as data; each interface puts it into words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Allow more memory, or ask for one position instead of all.
    MoreMemory,
    /// Use this method.
    Use(Method),
    /// Solve the game first, with these values.
    Solve {
        /// The game.
        spec: String,
        /// Which values.
        values: Values,
    },
    /// Solve the game first, or ask a player that needs no exact values.
    SolveOrAsk,
    /// Name a position.
    GivePosition,
    /// Repair a table.
    Table(outplay_table::Cure),
}

impl From<DenseError> for Trouble {
    fn from(error: DenseError) -> Trouble {
        match error {
            DenseError::Stopped => Trouble::Solve(SolveError::Stopped),
            other => Trouble::Dense(other),
        }
    }
}

impl From<outplay_files::FileError> for Trouble {
    fn from(error: outplay_files::FileError) -> Trouble {
        Trouble::unable(error.to_string())
    }
}

impl From<outplay_dataset::DataError> for Trouble {
    fn from(error: outplay_dataset::DataError) -> Trouble {
        Trouble::unable(error.to_string())
    }
}

impl From<PlayError> for Trouble {
    fn from(error: PlayError) -> Trouble {
        match error {
            PlayError::Input(error) => Trouble::Input(error),
            PlayError::Search(error) => Trouble::Search(error),
            PlayError::Probe(error) => Trouble::Probe(error),
            PlayError::Stopped => Trouble::Solve(SolveError::Stopped),
            other => Trouble::Play(other),
        }
    }
}

/// Returns the error of a cancelled command if the monitor stopped.
///
/// # Errors
///
/// A stop.
pub fn check_stop(watch: &dyn Monitor) -> Result<(), Trouble> {
    if watch.stopped() { Err(Trouble::stopped()) } else { Ok(()) }
}

impl Trouble {
    /// Whether a position is missing because the game has no start.
    pub fn is_startless(&self) -> bool {
        matches!(self, Trouble::Solve(SolveError::NoStart))
    }

    /// Whether the input is at fault.
    pub fn is_input(&self) -> bool {
        match self {
            Trouble::Input(_) | Trouble::Unable { .. } | Trouble::Solve(SolveError::NoStart) => true,
            Trouble::Table(TableError::NoTable { .. }) => true,
            // An engine's fault is not its user's.
            Trouble::Play(PlayError::Fault { .. }) => false,
            Trouble::Connect(_) | Trouble::Prove(_) | Trouble::Play(_) => true,
            Trouble::Dense(error) => {
                matches!(error, DenseError::TooManyCells { .. } | DenseError::TooManyShapes { .. })
            }
            _ => self.is_limit(),
        }
    }

    /// Whether a limit is the cause: with more time or memory there may be an answer.
    pub fn is_limit(&self) -> bool {
        use Trouble::{Dense, Limits, Memory};
        matches!(self, Limits(_) | Memory { .. } | Dense(DenseError::Memory { .. }))
    }

    /// Whether the command was cancelled.
    pub fn is_stop(&self) -> bool {
        matches!(
            self,
            Trouble::Solve(SolveError::Stopped)
                | Trouble::Search(SearchError::Stopped)
                | Trouble::Book(BookError::Stopped { .. })
                | Trouble::Table(TableError::Stopped { .. })
        )
    }

    /// Returns the cure, unless the error message names it.
    pub fn cure(&self) -> Option<Cure> {
        match self {
            Trouble::Table(error) => Some(Cure::Table(error.cure())),
            Trouble::Dense(DenseError::Memory { .. }) | Trouble::Memory { .. } => Some(Cure::MoreMemory),
            Trouble::Play(PlayError::Unknown) => Some(Cure::SolveOrAsk),
            Trouble::Solve(SolveError::Loops(_)) => Some(Cure::Use(Method::Retrograde)),
            Trouble::Solve(SolveError::Chance(_)) => Some(Cure::Use(Method::Chance)),
            Trouble::Solve(SolveError::TooLarge(_)) => Some(Cure::MoreMemory),
            Trouble::Solve(SolveError::NoStart) => Some(Cure::GivePosition),
            Trouble::Prove(ProveError::Gravity) => Some(Cure::Use(Method::Search)),
            Trouble::Unable { cure, .. } => cure.clone(),
            _ => None,
        }
    }

    /// The error of a cancelled command.
    pub fn stopped() -> Trouble {
        Trouble::Solve(SolveError::Stopped)
    }

    /// The error of a game that does not support the request.
    pub fn unable(why: impl Into<String>) -> Trouble {
        Trouble::Unable { why: why.into(), cure: None }
    }

    /// The error of a game that does not support the method, with another that works.
    pub(crate) fn method(why: impl Into<String>, instead: Method) -> Trouble {
        Trouble::Unable { why: why.into(), cure: Some(Cure::Use(instead)) }
    }
}
