//! What can go wrong in the arena.

use outplay_answer::Trouble;
use outplay_core::InputError;
use outplay_players::PlayError;
use thiserror::Error;

/// Why there is no match or no tuned player.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// A spec, position or move that makes no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A player that cannot be made or cannot answer.
    #[error(transparent)]
    Play(PlayError),
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

impl From<ArenaError> for Trouble {
    fn from(error: ArenaError) -> Trouble {
        match error {
            ArenaError::Input(error) => error.into(),
            ArenaError::Play(error) => error.into(),
            ArenaError::Stopped => Trouble::stopped(),
            // A file that is of no use is one that the user named.
            error @ (ArenaError::Unable(_) | ArenaError::File { .. }) => Trouble::unable(error.to_string()),
        }
    }
}

impl ArenaError {
    /// What is wrong with a file.
    pub fn file(file: &std::path::Path, why: impl Into<String>) -> ArenaError {
        ArenaError::File { file: file.display().to_string(), why: why.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_says_whose_fault_it_is() {
        let file = ArenaError::file(std::path::Path::new("games.jsonl"), "cannot be read");
        assert_eq!(file.to_string(), "games.jsonl: cannot be read");
        for error in [file, ArenaError::Unable("no".into()), ArenaError::Play(PlayError::Unknown)] {
            let (words, trouble) = (error.to_string(), Trouble::from(error));
            assert!(trouble.is_input() && !trouble.is_stop() && trouble.to_string() == words, "{trouble}");
        }
        assert!(Trouble::from(ArenaError::Stopped).is_stop());
        assert!(Trouble::from(ArenaError::from(PlayError::Stopped)).is_stop());
    }
}
