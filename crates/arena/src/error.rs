//! What can go wrong in the arena.

use outplay_core::InputError;
use outplay_players::PlayError;
use outplay_solve::SolveError;
use thiserror::Error;

/// Why there is no match, no tuned player or no experiment.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// A spec, position or move that makes no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A player that cannot be made or cannot answer.
    #[error(transparent)]
    Play(PlayError),
    /// A solver gave up.
    #[error(transparent)]
    Solve(SolveError),
    /// What was asked for makes no sense.
    #[error("{0}")]
    Unable(String),
    /// A record, checkpoint or weights file that is of no use here.
    #[error("{file}: {why}")]
    File {
        /// Which file.
        file: String,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

impl From<PlayError> for ArenaError {
    fn from(error: PlayError) -> ArenaError {
        match error {
            PlayError::Input(error) => ArenaError::Input(error),
            PlayError::Stopped => ArenaError::Stopped,
            other => ArenaError::Play(other),
        }
    }
}

impl From<SolveError> for ArenaError {
    fn from(error: SolveError) -> ArenaError {
        match error {
            SolveError::Stopped => ArenaError::Stopped,
            other => ArenaError::Solve(other),
        }
    }
}

impl ArenaError {
    /// What is wrong with a file.
    pub fn file(file: &std::path::Path, why: impl Into<String>) -> ArenaError {
        ArenaError::File { file: file.display().to_string(), why: why.into() }
    }
}
