//! Everything that can go wrong in a command, as one sentence.

use outplay_core::{InputError, ProbeError};
use outplay_solve::SolveError;
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
    /// A table could not answer.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The game cannot do what was asked.
    #[error("{0}")]
    Unable(String),
}

impl Trouble {
    /// Whether the user's words are to blame, rather than the work.
    pub fn is_input(&self) -> bool {
        matches!(self, Trouble::Input(_) | Trouble::Unable(_) | Trouble::Solve(SolveError::NoStart))
    }

    /// Whether somebody asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Trouble::Solve(SolveError::Stopped))
    }
}
