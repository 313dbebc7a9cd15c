//! Everything that can go wrong in a command, as one sentence and its cure.

use crate::request::Method;
use outplay_connect::{BookError, ConnectError};
use outplay_core::{InputError, ProbeError};
use outplay_dense::DenseError;
use outplay_players::PlayError;
use outplay_proof::ProveError;
use outplay_search::SearchError;
use outplay_solve::SolveError;
use outplay_table::{TableError, Values};
use thiserror::Error;

/// Why a command has no answer.
#[derive(Debug, Error)]
pub enum Trouble {
    /// A spec, position or move that makes no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A solver gave up.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The dense solver gave up.
    #[error(transparent)]
    Dense(DenseError),
    /// A table could not be written or read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The connect-k solver does not know such a board.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The proof search does not know such a board.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The engine gave up.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A book of openings could not be built or read.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A source of values could not answer.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A player has no move to offer.
    #[error(transparent)]
    Play(PlayError),
    /// Somebody above gave up, and is not to blame for it.
    #[error("{0}")]
    Elsewhere(String),
    /// The game cannot do what was asked.
    #[error("{why}")]
    Unable {
        /// What is the matter.
        why: String,
        /// What to do about it, where the sentence does not say.
        cure: Option<Cure>,
    },
    /// It was not found within the limits.
    #[error("{0}")]
    Limits(String),
    /// More memory is needed than is allowed.
    #[error("this needs {:.1} GB of memory and {:.1} GB are allowed", *.needed as f64 / 1e9, *.allowed as f64 / 1e9)]
    Memory {
        /// Bytes that are needed.
        needed: u128,
        /// Bytes that may be used.
        allowed: u64,
    },
}

/// What to do about a trouble. Interfaces put it in their own words.
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
    /// Say which position is meant.
    GivePosition,
    /// Look after a table.
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

impl Trouble {
    /// Whether a position is missing because the game has no start.
    pub fn is_startless(&self) -> bool {
        matches!(self, Trouble::Solve(SolveError::NoStart))
    }

    /// Whether the user's words are to blame, rather than the work.
    pub fn is_input(&self) -> bool {
        match self {
            Trouble::Input(_) | Trouble::Unable { .. } | Trouble::Solve(SolveError::NoStart) => true,
            Trouble::Table(TableError::NoTable { .. }) => true,
            Trouble::Connect(_) | Trouble::Prove(_) | Trouble::Play(_) => true,
            Trouble::Dense(error) => {
                matches!(error, DenseError::TooManyCells { .. } | DenseError::TooManyShapes { .. })
            }
            _ => self.is_limit(),
        }
    }

    /// Whether a limit is to blame: with more time or memory there may be an answer.
    pub fn is_limit(&self) -> bool {
        use Trouble::{Dense, Limits, Memory};
        matches!(self, Limits(_) | Memory { .. } | Dense(DenseError::Memory { .. }))
    }

    /// Whether somebody asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Trouble::Solve(SolveError::Stopped) | Trouble::Book(BookError::Stopped { .. }))
    }

    /// What to do about it, where the sentence itself does not say.
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

    /// Somebody asked to stop.
    pub fn stopped() -> Trouble {
        Trouble::Solve(SolveError::Stopped)
    }

    /// The game cannot do what was asked.
    pub fn unable(why: impl Into<String>) -> Trouble {
        Trouble::Unable { why: why.into(), cure: None }
    }

    /// The game has no such method; another would do.
    pub(crate) fn method(why: impl Into<String>, instead: Method) -> Trouble {
        Trouble::Unable { why: why.into(), cure: Some(Cure::Use(instead)) }
    }
}
