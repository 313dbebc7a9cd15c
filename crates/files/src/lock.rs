//! Exclusive advisory lock on a file, with a timeout.
//!
//! The operating system holds the lock and releases it when the process ends. A waiting process polls, so that its
//! timeout is respected. If the file is replaced or removed meanwhile, the lock is taken on the new file.

use crate::FileError;
use crate::open::{Links, leads_to, open};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);
/// Retries when a file disappears between opening and locking.
const ATTEMPTS: usize = 100;

/// A regular file, open for reading and appending, with an exclusive advisory lock.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that was just started may still hold a copy of the descriptor.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Opens a file of outplay's own (creating it if `create`) and locks it; never follows a link. Makes at least one
    /// attempt, and further ones while `wait` returns true.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened or is not regular, or [`FileError::Busy`].
    pub fn take(path: &Path, create: bool, wait: &dyn Fn() -> bool) -> Result<Lock, FileError> {
        Lock::take_as(path, Links::Refuse, create, wait)
    }

    /// The same for a file that the user named, which may be a link to a regular file.
    ///
    /// # Errors
    ///
    /// As [`Lock::take`].
    pub fn take_named(path: &Path, create: bool, wait: &dyn Fn() -> bool) -> Result<Lock, FileError> {
        // Paths are compared after links are resolved.
        let real = if path.is_symlink() {
            std::fs::canonicalize(path).map_err(FileError::io("open", path))?
        } else {
            path.to_path_buf()
        };
        Lock::take_as(&real, Links::Refuse, create, wait)
    }

    fn take_as(path: &Path, links: Links, create: bool, wait: &dyn Fn() -> bool) -> Result<Lock, FileError> {
        let mut pause = Duration::from_millis(1);
        let mut gone = 0;
        loop {
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(create);
            let file = open(path, links, "open", &mut options)?;
            match file.try_lock() {
                Ok(()) if leads_to(path, &file) => return Ok(Lock { file, path: path.into() }),
                Ok(()) if gone < ATTEMPTS => gone += 1,
                Ok(()) | Err(TryLockError::WouldBlock) => {
                    if !wait() {
                        return Err(FileError::Busy { path: path.into() });
                    }
                    std::thread::sleep(pause);
                    pause = (2 * pause).min(PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(FileError::io("lock", path)(error)),
            }
        }
    }

    /// Locks a file that was just created.
    pub(crate) fn own(file: File, path: &Path) -> Option<Lock> {
        file.try_lock().ok()?;
        leads_to(path, &file).then(|| Lock { file, path: path.into() })
    }

    /// The same lock after its file was renamed.
    pub(crate) fn moved(mut self, path: &Path) -> Lock {
        self.path = path.into();
        self
    }

    /// The locked file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Its path, with links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn waiting_for_a_lock_respects_the_timeout() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let held = Lock::take(&path, true, &|| false).unwrap();
        assert!(Lock::take(&path, true, &|| false).unwrap_err().is_busy());
        let end = Instant::now() + Duration::from_millis(50);
        assert!(Lock::take(&path, true, &|| Instant::now() < end).unwrap_err().is_busy());
        assert!(Instant::now() >= end && Instant::now() < end + Duration::from_secs(5));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                drop(held);
            });
            assert!(Lock::take(&path, true, &|| true).is_ok());
        });
    }

    #[test]
    fn a_file_that_is_replaced_is_locked_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let held = Lock::take(&path, true, &|| false).unwrap();
        std::fs::rename(&path, folder.path().join("b")).unwrap();
        let other = Lock::take(&path, true, &|| false).expect("it is another file now");
        assert!(leads_to(&path, &other.file) && !leads_to(&path, &held.file));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_followed_only_where_a_user_named_it() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        std::fs::write(&file, "letter").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(matches!(Lock::take(&link, true, &|| true), Err(FileError::NotRegular { .. })));
        assert_eq!(Lock::take_named(&link, false, &|| true).unwrap().path(), file.canonicalize().unwrap());
    }
}
