//! Errors of writing data sets; each message says what is wrong and what to do.

use std::io;
use std::path::Path;
use thiserror::Error;

/// Error of writing a data set.
#[derive(Debug, Error)]
pub enum DataError {
    /// A file that cannot be written.
    #[error("cannot write {file}: {error}")]
    File {
        /// The file.
        file: String,
        /// The system's error.
        error: io::Error,
    },
    /// A target that is not a regular file.
    #[error("cannot write {0}: it is not a regular file; give the path of a new or regular file")]
    NotAFile(String),
    /// A target that another process is writing.
    #[error(
        "cannot write {0}: another process is writing this file; wait until it has finished, or give another path"
    )]
    Busy(String),
    /// A temporary name that is taken by a link, a directory or a pipe.
    #[error(
        "cannot write {file}: its temporary file {taken} exists already and is not one of this program; remove it, or give another path"
    )]
    InTheWay {
        /// The file.
        file: String,
        /// The temporary name.
        taken: String,
    },
    /// A file extension without a format.
    #[error("the format of `{0}` is unknown; use a name that ends with .jsonl, .csv or .npz")]
    Form(String),
    /// A row that does not fit the columns.
    #[error("a row cannot be stored in this format: {0}")]
    Row(String),
    /// Lines for a format that stores columns.
    #[error("an npz file cannot be written line by line; use the csv or jsonl format")]
    ByLine,
}

impl DataError {
    /// An I/O error of a file.
    pub(crate) fn file(file: &Path, error: io::Error) -> DataError {
        DataError::File { file: file.display().to_string(), error }
    }
}
