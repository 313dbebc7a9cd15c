//! Errors of matches and of tuning.

use outplay_core::InputError;
use outplay_players::PlayError;
use outplay_workbench::Trouble;
use thiserror::Error;

/// An error of a match or of tuning.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// An invalid spec, position or move.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A player that cannot be constructed or returns no move.
    #[error(transparent)]
    Play(PlayError),
    /// An invalid request.
    #[error("{0}")]
    Unable(String),
    /// An unusable record, checkpoint or weights file.
    #[error("{file}: {why}")]
    File {
        /// The path.
        file: String,
        /// The problem, and a remedy.
        why: String,
    },
    /// The monitor requested a stop.
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

impl From<outplay_files::FileError> for ArenaError {
    fn from(error: outplay_files::FileError) -> ArenaError {
        ArenaError::Unable(error.to_string())
    }
}

impl From<ArenaError> for Trouble {
    fn from(error: ArenaError) -> Trouble {
        match error {
            ArenaError::Input(error) => error.into(),
            ArenaError::Play(error) => error.into(),
            ArenaError::Stopped => Trouble::stopped(),
            // Only a file that the user named is reported as unusable.
            error @ (ArenaError::Unable(_) | ArenaError::File { .. }) => Trouble::unable(error.to_string()),
        }
    }
}

impl ArenaError {
    /// An error about a file.
    pub fn file(file: &std::path::Path, why: impl Into<String>) -> ArenaError {
        ArenaError::File { file: file.display().to_string(), why: why.into() }
    }

    /// Refuses a count beyond a limit, so that a typing error is an error message rather than a huge allocation.
    ///
    /// # Errors
    ///
    /// `asked` exceeds `most`.
    pub(crate) fn unless_at_most(what: &str, asked: u64, most: u64) -> Result<(), ArenaError> {
        match asked <= most {
            true => Ok(()),
            false => Err(ArenaError::Unable(format!("at most {most} {what} are allowed; reduce the number"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_errors_and_stops_are_distinguished() {
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
