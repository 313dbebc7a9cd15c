//! Atomic replacement of a file by a temporary file and a rename.
//!
//! ```text
//!  x.csv            the target file, unchanged until `finish` renames the temporary file to its name
//!  .x.csv.partial   the temporary file, locked while it is written; the next writer replaces that of a killed process
//! ```
//!
//! The temporary name is the same for every run, so that killed runs do not accumulate files. The lock is an advisory
//! lock of the operating system and ends with the process. Symbolic links are neither followed nor removed, and the
//! target's directory is synced after the rename.

use crate::DataError;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writer that replaces a file atomically. Dropping it before it is finished removes the temporary file.
#[derive(Debug)]
pub struct Partial {
    target: PathBuf,
    path: PathBuf,
    file: File,
    finished: bool,
}

/// The directory of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates an unnamed temporary file in the directory of a target; the system removes it with the process.
pub(crate) fn spool(target: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder(target))
}

/// Attempts to create the temporary file: other processes may remove or rename it between any two steps.
const ATTEMPTS: usize = 100;

impl Partial {
    /// Creates and locks the temporary file of a target.
    ///
    /// # Errors
    ///
    /// A target that is a device, a pipe or a directory; another process that is writing it; a temporary name that is
    /// not a regular file; a directory without write access.
    pub fn create(target: &Path) -> Result<Partial, DataError> {
        let wrong = |error| DataError::file(target, error);
        // Links are followed: /dev/stdout leads to a pipe or a terminal.
        if std::fs::metadata(target).is_ok_and(|found| !found.is_file()) {
            return Err(DataError::NotAFile(target.display().to_string()));
        }
        let Some(name) = target.file_name() else {
            return Err(DataError::NotAFile(target.display().to_string()));
        };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(".partial");
        let path = folder(target).join(hidden);
        for _ in 0..ATTEMPTS {
            let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
            let (file, fresh) = match made {
                Ok(file) => (file, true),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => match left(&path) {
                    Ok(Some(file)) => (file, false),
                    Ok(None) => continue,
                    Err(Obstacle::InTheWay) => {
                        return Err(DataError::InTheWay {
                            file: target.display().to_string(),
                            taken: path.display().to_string(),
                        });
                    }
                    Err(Obstacle::Io(error)) => return Err(wrong(error)),
                },
                Err(error) => return Err(wrong(error)),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(DataError::Busy(target.display().to_string()));
                }
                Err(TryLockError::Error(error)) => return Err(wrong(error)),
            }
            if !names(&path, &file) {
                // Another process has removed or renamed it since.
                continue;
            }
            if fresh {
                return Ok(Partial { target: target.into(), path, file, finished: false });
            }
            // Left by a killed process: the lock was free.
            std::fs::remove_file(&path).map_err(wrong)?;
        }
        Err(DataError::Busy(target.display().to_string()))
    }

    /// Replaces the target durably.
    ///
    /// # Errors
    ///
    /// A full disk.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.path, &self.target)?;
        self.finished = true;
        sync_folder(folder(&self.target))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.finished && names(&self.path, &self.file) {
            let _ = std::fs::remove_file(&self.path);
        }
        // Closing is not enough: a child process that another thread has just started may hold a copy of the
        // descriptor.
        let _ = self.file.unlock();
    }
}

impl Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for Partial {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Seek for Partial {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The reason why an existing temporary file cannot be reused.
enum Obstacle {
    InTheWay,
    Io(io::Error),
}

/// Opens the file that a killed process left; `None` if it is gone. Links, pipes and directories are refused.
fn left(path: &Path) -> Result<Option<File>, Obstacle> {
    let gone = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => Ok(None),
        _ => Err(Obstacle::Io(error)),
    };
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Err(Obstacle::InTheWay),
        Ok(_) => {}
        Err(error) => return gone(error),
    }
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) => gone(error),
    }
}

/// Whether a path names this very inode, and not a link to it.
fn names(path: &Path, file: &File) -> bool {
    match (std::fs::symlink_metadata(path), file.metadata()) {
        (Ok(named), Ok(opened)) => named.is_file() && same(&named, &opened),
        _ => false,
    }
}

#[cfg(unix)]
fn same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Without inode numbers: an open file can be neither removed nor renamed here.
#[cfg(not(unix))]
fn same(_a: &Metadata, _b: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Directories cannot be opened as files here.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn write(target: &Path, text: &str) {
        let mut partial = Partial::create(target).unwrap();
        partial.write_all(text.as_bytes()).unwrap();
        partial.finish().unwrap();
    }

    #[test]
    fn target_changes_only_when_the_file_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.csv");
        write(&target, "old");
        let mut partial = Partial::create(&target).unwrap();
        partial.write_all(b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "old");
        assert_eq!(listing(folder.path()), [".x.csv.partial", "x.csv"]);
        partial.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        drop(Partial::create(&target).unwrap());
        assert_eq!(listing(folder.path()), ["x.csv"]);
    }

    #[test]
    fn file_of_a_killed_process_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.csv");
        std::fs::write(folder.path().join(".x.csv.partial"), "a long line that was cut").unwrap();
        write(&target, "new");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(listing(folder.path()), ["x.csv"]);
    }

    #[test]
    fn second_writer_of_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.csv");
        let first = Partial::create(&target).unwrap();
        let error = Partial::create(&target).unwrap_err();
        assert!(error.to_string().contains("another process is writing"), "{error}");
        first.finish().unwrap();
        write(&target, "new");
    }

    #[test]
    fn concurrent_writers_leave_one_complete_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.csv");
        std::thread::scope(|scope| {
            for number in 0..4u8 {
                let target = &target;
                scope.spawn(move || {
                    for _ in 0..50 {
                        if let Ok(mut partial) = Partial::create(target) {
                            partial.write_all(&[number; 1000]).unwrap();
                            partial.finish().unwrap();
                        }
                    }
                });
            }
        });
        let bytes = std::fs::read(&target).unwrap();
        assert!(bytes.len() == 1000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(listing(folder.path()), ["x.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (target, other) = (folder.path().join("x.csv"), folder.path().join("other"));
        std::fs::write(&other, "mine").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join(".x.csv.partial")).unwrap();
        let error = Partial::create(&target).unwrap_err().to_string();
        assert!(error.contains(".x.csv.partial exists already"), "{error}");
        assert_eq!(listing(folder.path()), [".x.csv.partial", "other"]);
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
        for device in ["/dev/null", "/dev/stdout", "/"] {
            if Path::new(device).exists() && !Path::new(device).is_file() {
                let error = Partial::create(Path::new(device)).unwrap_err().to_string();
                assert!(error.contains("not a regular file"), "{error}");
            }
        }
        let error = Partial::create(folder.path()).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
    }
}
