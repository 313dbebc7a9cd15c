//! File system functions of tables: data directory, temporary names, atomic replacement, directory sync, positional
//! I/O.

use crate::{TableError, lock};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Prefix of temporary files; a killed writer leaves them behind.
pub(crate) const TEMPORARY: &str = "tmp-";

/// Returns the default data directory: `$OUTPLAY_DATA`, else `$XDG_DATA_HOME/outplay`, else
/// `~/.local/share/outplay`.
pub fn default_data_dir() -> PathBuf {
    data_dir_from(|variable| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn data_dir_from(variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    if let Some(data) = variable("OUTPLAY_DATA") {
        return data;
    }
    // The XDG specification requires relative paths to be ignored.
    if let Some(data) = variable("XDG_DATA_HOME").filter(|path| path.is_absolute()) {
        return data.join("outplay");
    }
    let home = variable("HOME").or_else(|| variable("USERPROFILE")).unwrap_or_else(|| PathBuf::from("."));
    home.join(".local/share/outplay")
}

/// Total size of the files in a directory but for the lock; unreadable entries count 0.
pub(crate) fn bytes_in(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let content = entries.flatten().filter(|entry| entry.file_name() != lock::FILE);
    let files = content.filter_map(|entry| entry.metadata().ok());
    files.filter(fs::Metadata::is_file).map(|data| data.len()).sum()
}

/// Size of a table on disk: its manifest, tiers and temporary files, and the records of its spill log.
pub(crate) fn table_bytes(dir: &Path) -> u64 {
    bytes_in(dir) + bytes_in(&dir.join(crate::spill_log::DIR))
}

/// The time of the last change of a file.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// The size of a file in bytes.
pub(crate) fn size(path: &Path) -> Option<u64> {
    Some(fs::metadata(path).ok()?.len())
}

/// Sets the time of the last change of a file, if that is permitted.
pub(crate) fn set_modified(path: &Path, time: SystemTime) {
    // A table on a read-only disk is checked more often than necessary.
    let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(time));
}

/// Syncs a directory, so that created, renamed or removed names survive a crash.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Renames a complete and synced temporary file to its final name.
pub(crate) fn publish(temporary: &Path, target: &Path, spec: &str) -> Result<(), TableError> {
    fs::rename(temporary, target)
        .map_err(|e| TableError::io("rename its temporary file", target, spec, e))?;
    match target.parent() {
        Some(dir) => sync_dir(dir).map_err(|e| TableError::io("write the directory", dir, spec, e)),
        None => Ok(()),
    }
}

/// Writes a file atomically: at any moment either the old or the new content is there.
pub(crate) fn write_whole(target: &Path, bytes: &[u8], spec: &str) -> Result<(), TableError> {
    // Manifests have a parent and a name.
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = target.with_file_name(format!("{TEMPORARY}{name}"));
    let fail = |e| TableError::io("write it", &temporary, spec, e);
    let mut file = File::create(&temporary).map_err(fail)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // A partial file is useless, and the disk may be full.
        let _ = fs::remove_file(&temporary);
        return Err(fail(error));
    }
    publish(&temporary, target, spec)
}

/// Opens a regular file for reading and returns its size. Pipes and devices are refused before they are opened,
/// because opening a pipe may block for ever.
pub(crate) fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    let refused = || io::Error::other("it is not a regular file");
    if !fs::metadata(path)?.is_file() {
        return Err(refused());
    }
    let file = File::open(path)?;
    let data = file.metadata()?;
    if data.is_file() { Ok((file, data.len())) } else { Err(refused()) }
}

/// Reads exactly the buffer from an offset.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, place)
}

/// Reads exactly the buffer from an offset.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut buffer: &mut [u8], mut place: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, place)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                buffer = &mut buffer[n..];
                place += n as u64;
            }
        }
    }
    Ok(())
}

/// Writes the whole buffer at an offset.
#[cfg(unix)]
pub(crate) fn write_at(file: &File, buffer: &[u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, buffer, place)
}

/// Writes the whole buffer at an offset.
#[cfg(windows)]
pub(crate) fn write_at(file: &File, mut buffer: &[u8], mut place: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, buffer, place)?;
        buffer = &buffer[n..];
        place += n as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_directory_follows_the_environment() {
        let check = |set: &[(&str, &str)], expected: &str| {
            let found = data_dir_from(|asked| {
                set.iter().find(|(name, _)| *name == asked).map(|(_, value)| PathBuf::from(value))
            });
            assert_eq!(found, Path::new(expected));
        };
        check(&[("OUTPLAY_DATA", "/d"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")], "/d");
        check(&[("XDG_DATA_HOME", "/x"), ("HOME", "/h")], "/x/outplay");
        check(&[("XDG_DATA_HOME", "x"), ("HOME", "/h")], "/h/.local/share/outplay");
        check(&[("HOME", "/h")], "/h/.local/share/outplay");
    }
}
