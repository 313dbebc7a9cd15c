//! Single-writer lock of a table.
//!
//! An advisory file lock of the operating system on the file `lock` in the table's directory. It is released
//! when the process ends, however that happens. The file's content, a process id, is informational.

use crate::TableError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// The name of the file.
pub(crate) const FILE: &str = "lock";

/// Guard, held while a table is written.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that another thread has just started may still
        // hold a copy of the descriptor.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Acquires the lock of the table in a directory.
    pub(crate) fn take(dir: &Path, table: &str, spec: &str) -> Result<Lock, TableError> {
        let path = dir.join(FILE);
        // A symbolic link would truncate its target, and opening a pipe could block for ever.
        if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
            let why = std::io::Error::other("it is not a regular file");
            return Err(TableError::io("create the lock", &path, spec, why));
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|e| TableError::io("create the lock", &path, spec, e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(TableError::Locked { table: table.into(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(e)) => return Err(TableError::io("lock it", &path, spec, e)),
        }
        // The process id is informational: a full disk is no reason not to hold the lock.
        let _ = file.set_len(0);
        let _ = write!(file, "{}", std::process::id());
        Ok(Lock { file })
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.rewind();
    let _ = file.take(20).read_to_string(&mut text);
    match text.trim().parse::<u32>() {
        Ok(process) if process == std::process::id() => format!("this process ({process})"),
        Ok(process) => format!("process {process}"),
        Err(_) => "another process".into(),
    }
}
