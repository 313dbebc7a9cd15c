//! What can go wrong with a file of rows.

use std::io;
use std::path::Path;
use thiserror::Error;

/// Why rows cannot be written.
#[derive(Debug, Error)]
pub enum DataError {
    /// A file that cannot be written.
    #[error("cannot write {file}: {error}")]
    File {
        /// Which file.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// A name that does not say which form.
    #[error("`{0}` does not say which form it has; let its name end with .jsonl, .csv or .npz")]
    Form(String),
    /// A row that does not fit the columns.
    #[error("a row does not fit: {0}")]
    Row(String),
}

impl DataError {
    /// What the system says about a file.
    pub(crate) fn file(file: &Path, error: io::Error) -> DataError {
        DataError::File { file: file.display().to_string(), error }
    }
}
