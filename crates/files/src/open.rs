//! Bounded reads of regular files.
//!
//! A path is checked before it is opened, because opening a device can have side effects and opening a pipe can
//! block. The open file is checked again, because the path may have changed in between (TOCTOU).

use crate::FileError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Whether symbolic links to regular files are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// Follows links: for a file that the user named.
    Follow,
    /// Refuses links: for a file that outplay created.
    Refuse,
}

/// Opens a regular file with the given options.
pub(crate) fn open(
    path: &Path,
    links: Links,
    action: &'static str,
    options: &mut OpenOptions,
) -> Result<File, FileError> {
    let fail = |error: io::Error| FileError::Io { path: path.into(), action, error };
    let strange = || FileError::NotRegular { path: path.into() };
    let found = if links == Links::Follow { fs::metadata(path) } else { fs::symlink_metadata(path) };
    match found {
        Ok(found) if !found.is_file() => return Err(strange()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
        _ => {}
    }
    guard(options, links);
    let file = options.open(path).map_err(|error| match refused_link(&error) {
        true if links == Links::Refuse => strange(),
        _ => fail(error),
    })?;
    if file.metadata().map_err(fail)?.is_file() { Ok(file) } else { Err(strange()) }
}

/// Opens without blocking, and without following a link if links are refused.
#[cfg(unix)]
pub(crate) fn guard(options: &mut OpenOptions, links: Links) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = match links {
        Links::Follow => OFlags::NONBLOCK,
        Links::Refuse => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    options.custom_flags(flags.bits() as i32);
}

#[cfg(not(unix))]
pub(crate) fn guard(_options: &mut OpenOptions, _links: Links) {}

#[cfg(unix)]
fn refused_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn refused_link(_error: &io::Error) -> bool {
    false
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
///
/// A file that cannot be read, is not regular (links: according to `links`) or is longer.
pub fn read(path: &Path, links: Links, limit: u64) -> Result<Vec<u8>, FileError> {
    let mut file = open(path, links, "read", OpenOptions::new().read(true))?;
    read_open(&mut file, path, limit)
}

/// Reads an open file from its current offset.
pub(crate) fn read_open(file: &mut File, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let long = || FileError::TooLong { path: path.into(), limit };
    // Files of procfs report a size of 0, so the limit applies to the bytes read as well.
    if file.metadata().map_err(FileError::io("read", path))?.len() > limit {
        return Err(long());
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(FileError::io("read", path))?;
    if bytes.len() as u64 > limit { Err(long()) } else { Ok(bytes) }
}

/// Reads a text file that the user named: a regular file, or a link to one.
///
/// # Errors
///
/// As [`read`], and bytes that are not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    String::from_utf8(read(path, Links::Follow, limit)?).map_err(|_| FileError::NotText { path: path.into() })
}

/// Creates a directory of outplay's own unless it exists; it must not be a link.
///
/// # Errors
///
/// It cannot be created, or is not a directory.
pub fn own_directory(path: &Path) -> Result<(), FileError> {
    let strange = || FileError::Io {
        path: path.into(),
        action: "use",
        error: io::Error::other("it is not a directory (links are not followed)"),
    };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(strange()),
        Err(_) => {
            fs::create_dir_all(path).map_err(FileError::io("create", path))?;
            let made = fs::symlink_metadata(path).map_err(FileError::io("create", path))?;
            if made.is_dir() { Ok(()) } else { Err(strange()) }
        }
    }
}

/// Syncs a file's directory, so that names created, renamed or removed in it survive a crash.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(parent)?.sync_all() {
        // Some file systems do not support this and do not need it.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Whether a path still leads to an open file, which may have been removed or replaced since.
pub(crate) fn leads_to(path: &Path, file: &File) -> bool {
    let (Ok(there), Ok(here)) = (fs::symlink_metadata(path), file.metadata()) else { return false };
    same_file(&there, &here)
}

#[cfg(unix)]
fn same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    a.len() == b.len() && a.is_file() == b.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, Links::Refuse, 5).unwrap(), b"12345");
        assert!(matches!(read(&path, Links::Refuse, 4), Err(FileError::TooLong { limit: 4, .. })));
        assert!(read(&folder.path().join("b"), Links::Follow, 4).unwrap_err().is_missing());
        fs::write(&path, b"\xff").unwrap();
        assert!(matches!(read_text(&path, 4), Err(FileError::NotText { .. })));
    }

    #[test]
    #[cfg(unix)]
    fn links_devices_pipes_and_directories_are_told_apart() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| folder.path().join(name));
        fs::write(&file, "x").unwrap();
        symlink(&file, &link).unwrap();
        assert_eq!(read(&link, Links::Follow, 9).unwrap(), b"x");
        let refused = |path: &Path, links| matches!(read(path, links, 9), Err(FileError::NotRegular { .. }));
        assert!(refused(&link, Links::Refuse));
        let status = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(status.success());
        for links in [Links::Follow, Links::Refuse] {
            assert!(refused(&pipe, links) && refused(Path::new("/dev/zero"), links));
            assert!(refused(folder.path(), links));
        }
        let linked = folder.path().join("directory");
        symlink(folder.path(), &linked).unwrap();
        assert!(own_directory(&linked).is_err(), "a directory of our own is not a link");
        own_directory(&folder.path().join("new/deep")).unwrap();
    }
}
