//! Everything that can go wrong in a command, as one sentence and its cure.

use outplay_arena::ArenaError;
use outplay_connect::{BookError, ConnectError};
use outplay_core::{InputError, ProbeError};
use outplay_dense::DenseError;
use outplay_players::PlayError;
use outplay_proof::ProveError;
use outplay_search::SearchError;
use outplay_solve::SolveError;
use outplay_table::TableError;
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
    /// The arena gave up.
    #[error(transparent)]
    Arena(ArenaError),
    /// The game cannot do what was asked.
    #[error("{0}")]
    Unable(String),
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

impl From<ArenaError> for Trouble {
    fn from(error: ArenaError) -> Trouble {
        match error {
            ArenaError::Input(error) => Trouble::Input(error),
            ArenaError::Play(error) => error.into(),
            ArenaError::Solve(error) => Trouble::Solve(error),
            ArenaError::Unable(why) => Trouble::Unable(why),
            ArenaError::Stopped => Trouble::Solve(SolveError::Stopped),
            other => Trouble::Arena(other),
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
            Trouble::Input(_) | Trouble::Unable(_) | Trouble::Solve(SolveError::NoStart) => true,
            Trouble::Table(TableError::NoTable { .. }) => true,
            Trouble::Connect(_) | Trouble::Prove(_) | Trouble::Play(_) | Trouble::Arena(_) => true,
            Trouble::Dense(error) => {
                use DenseError::{Memory, TooManyCells, TooManyShapes};
                matches!(error, Memory { .. } | TooManyCells { .. } | TooManyShapes { .. })
            }
            _ => false,
        }
    }

    /// Whether somebody asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Trouble::Solve(SolveError::Stopped) | Trouble::Book(BookError::Stopped { .. }))
    }

    /// What to do about it, where the sentence itself does not say.
    pub fn cure(&self) -> Option<String> {
        match self {
            Trouble::Table(error) => Some(error.cure()),
            Trouble::Dense(DenseError::Memory { .. }) => {
                Some("raise --memory, or find the value of one position with `--method search` or `--method proof`".into())
            }
            _ => None,
        }
    }
}
