//! Atomic replacement of a whole file.
//!
//! ```text
//!  .NAME.outplay-tmp   created exclusively, locked, written, synced   ──rename──▶  NAME, then directory sync
//! ```
//!
//! A reader sees either the old contents or the new contents. All processes use the same temporary name, so that the
//! next writer finds and removes the temporary file of a killed process; a lock distinguishes such a file from one in
//! use.

use crate::open::{guard, leads_to, sync_parent};
use crate::{FileError, Links, Lock};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::xxh3_64;

/// Extension of temporary files.
const ENDING: &str = ".outplay-tmp";
/// Longer names are truncated, so that the temporary name does not exceed the file system's limit.
const LONG: usize = 200;
/// Timeout of waiting for another writer of the same file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The temporary name under which a file is written.
pub fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let mut hidden = OsString::from(".");
    if name.len() > LONG {
        hidden.push(format!("{:016x}", xxh3_64(name.as_encoded_bytes())));
    } else {
        hidden.push(name);
    }
    hidden.push(ENDING);
    path.with_file_name(hidden)
}

/// Replaces or creates a file of outplay's own; a link at its path is replaced, not followed.
///
/// # Errors
///
/// A file that cannot be written, such as on a full disk: the old file is then unchanged, and no temporary file is
/// left.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace_with(path, |file| file.write_all(bytes)).map(drop)
}

/// The same; the new file stays locked.
pub(crate) fn replace_locked(path: &Path, bytes: &[u8]) -> Result<Lock, FileError> {
    replace_with(path, |file| file.write_all(bytes))
}

/// Writes a file that the user named. An existing regular file is replaced atomically, also behind a link; devices
/// and pipes are written to directly.
///
/// # Errors
///
/// As [`replace`].
pub fn write_output(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    // Inherited descriptors are written to directly, whatever they refer to.
    let direct = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|own| path.starts_with(own));
    match fs::metadata(path) {
        Ok(found) if direct || !(found.is_file() || found.is_dir()) => {
            let opened = OpenOptions::new().write(true).open(path);
            opened.and_then(|mut file| file.write_all(bytes)).map_err(FileError::io("write", path))
        }
        Ok(_) => {
            let real = fs::canonicalize(path).map_err(FileError::io("write", path))?;
            replace(&real, bytes)
        }
        // A dangling link would be replaced by the file.
        Err(_) if path.is_symlink() => {
            let error = io::Error::other("it is a symbolic link to a file that does not exist");
            Err(FileError::io("write", path)(error))
        }
        Err(_) => replace(path, bytes),
    }
}

fn replace_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<Lock, FileError> {
    let fail = |error: io::Error| FileError::Io { path: path.into(), action: "write", error };
    let old = fs::symlink_metadata(path).ok();
    if path.file_name().is_none() || old.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(fail(io::ErrorKind::IsADirectory.into()));
    }
    if old.as_ref().is_some_and(|old| old.is_file() && old.permissions().readonly()) {
        return Err(fail(io::ErrorKind::PermissionDenied.into()));
    }
    let temporary = temporary_name(path);
    let mut lock = exclusive(&temporary, path)?;
    let written = write(lock.file())
        .and_then(|()| match old.filter(fs::Metadata::is_file) {
            Some(old) => lock.file().set_permissions(old.permissions()),
            None => Ok(()),
        })
        .and_then(|()| lock.file().sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // A partial file is useless, and its space may be needed.
        let _ = fs::remove_file(&temporary);
        return Err(fail(error));
    }
    sync_parent(path).map_err(fail)?;
    Ok(lock.moved(path))
}

/// Creates the temporary file and locks it. Removes a leftover of a killed process first.
fn exclusive(temporary: &Path, path: &Path) -> Result<Lock, FileError> {
    let end = Instant::now() + PATIENCE;
    let fail = |error: io::Error| FileError::Io { path: path.into(), action: "write", error };
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        guard(&mut options, Links::Refuse);
        match options.open(temporary) {
            Ok(file) => {
                // Before it is locked, another writer may take the new file for a leftover.
                if let Some(lock) = Lock::own(file, temporary) {
                    return Ok(lock);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                match Lock::take(temporary, false, &|| Instant::now() < end) {
                    Ok(mut left) => {
                        if leads_to(temporary, left.file()) {
                            fs::remove_file(temporary).map_err(fail)?;
                        }
                    }
                    Err(error) if error.is_missing() => {}
                    Err(FileError::Busy { .. }) => return Err(FileError::Busy { path: path.into() }),
                    Err(error) => return Err(error),
                }
            }
            Err(error) => return Err(fail(error)),
        }
        if Instant::now() >= end {
            return Err(FileError::Busy { path: path.into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        let fail = |file: &mut File| {
            file.write_all(b"half")?;
            Err::<(), _>(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert!(replace_with(&path, fail).is_err());
        assert!(names(folder.path()).is_empty());
        replace(&path, b"old").unwrap();
        let error = replace_with(&path, fail).unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        replace(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"new".to_vec(), vec!["a.svg".into()]));
    }

    #[test]
    fn leftover_of_a_killed_writer_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(temporary_name(&path), "half").unwrap();
        fs::write(folder.path().join("a.new"), "a letter").unwrap();
        replace(&path, b"whole").unwrap();
        assert_eq!(names(folder.path()), ["a.json", "a.new"]);
        let long = folder.path().join("n".repeat(250));
        replace(&long, b"whole").unwrap();
        assert_eq!(names(folder.path()).len(), 3);
    }

    #[test]
    fn writers_of_one_file_take_turns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::thread::scope(|scope| {
            for letter in [b'x', b'y', b'z'] {
                let path = &path;
                scope.spawn(move || (0..20).for_each(|_| replace(path, &vec![letter; 5000]).unwrap()));
            }
        });
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() == 5000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    #[cfg(unix)]
    fn outputs_go_through_links_and_into_devices_but_own_files_do_not() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [file, link, lost] = ["file", "link", "lost"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        symlink(folder.path().join("nowhere"), &lost).unwrap();
        write_output(&link, b"new").unwrap();
        assert_eq!((fs::read(&file).unwrap(), link.is_symlink()), (b"new".to_vec(), true));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        replace(&link, b"own").unwrap();
        assert_eq!((fs::read(&file).unwrap(), link.is_symlink()), (b"new".to_vec(), false));
        write_output(Path::new("/dev/null"), b"x").unwrap();
        assert!(write_output(&lost, b"x").is_err() && write_output(folder.path(), b"x").is_err());
        assert_eq!(names(folder.path()), ["file", "link", "lost"]);
    }
}
