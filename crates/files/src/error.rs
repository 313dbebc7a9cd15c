//! Errors about a file; each message says what is wrong and what to do.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Error about a file, with the remedy.
#[derive(Debug, Error)]
pub enum FileError {
    /// The system refused.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation: `read`, `write`, `lock`.
        action: &'static str,
        /// The system's reason.
        error: io::Error,
    },
    /// A directory, device, pipe or socket, or a link where links are not followed.
    #[error("{} is not a regular file (perhaps a directory or a device); give the path of a regular file", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
    },
    /// More bytes than the caller allows.
    #[error("{} is longer than {limit} bytes, the largest file that the memory limit allows; raise --memory", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Maximum number of bytes to read.
        limit: u64,
    },
    /// Bytes that are not UTF-8.
    #[error("{} is not a UTF-8 text file; give the path of a text file", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error("another process is using {}; wait until it has finished, or give another path", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Unfinished work of another request.
    #[error("{} is an unfinished file of another request ({request}); repeat that request to finish it, remove the file, or give another path", path.display())]
    OtherRequest {
        /// The file.
        path: PathBuf,
        /// The request that the file belongs to.
        request: String,
    },
    /// A file named by the user that is not of the expected kind.
    #[error("{} is not a file of the kind `{kind}`; remove it, or give another path", path.display())]
    Stranger {
        /// The file.
        path: PathBuf,
        /// The expected kind.
        kind: String,
    },
}

impl FileError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_path_buf();
        move |error| FileError::Io { path, action, error }
    }

    /// Whether another process holds the lock.
    pub fn is_busy(&self) -> bool {
        matches!(self, FileError::Busy { .. })
    }

    /// Whether there is no such file.
    pub fn is_missing(&self) -> bool {
        matches!(self, FileError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}
