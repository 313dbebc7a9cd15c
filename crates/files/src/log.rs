//! Append-only log of checksummed records, locked while it is open.
//!
//! Opening a log verifies the checksum of every line. Lines that fail are dropped, a file with a foreign or damaged
//! first line is renamed, and the caller receives a remark.

use crate::open::read_open;
use crate::replace::replace_locked;
use crate::sealed::{encode, line, parse};
use crate::{Contents, FileError, Identity, Lock, State, set_aside};
use std::io::Write;
use std::path::Path;

/// Policy for an existing file that belongs to another game, version or request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strangers {
    /// The name is outplay's own: renames the file.
    SetAside,
    /// The name is outplay's own, but a file of another request that this program could still resume is an error and
    /// stays.
    KeepRequests,
    /// The user named the file: one of another kind or of another request is an error and stays.
    Refuse,
}

/// An append-only log file, locked while it is open.
#[derive(Debug)]
pub struct Log {
    lock: Lock,
    seal: u64,
    /// The last record was written only in part.
    torn: bool,
}

/// An opened log with its records.
#[derive(Debug)]
pub struct OpenLog {
    /// The file.
    pub log: Log,
    /// Its records, in order.
    pub records: Vec<String>,
    /// Remarks on dropped or renamed data, a sentence each.
    pub remarks: Vec<String>,
}

impl Log {
    /// Opens a log, or creates one. A file of another identity is renamed to `NAME.stale`, one with a damaged first
    /// line to `NAME.damaged`; its records that verify are kept. Waits for the lock while `wait` returns true.
    ///
    /// # Errors
    ///
    /// A file that cannot be used, is longer than `limit` bytes, is locked by another process, or is refused by
    /// `strangers`.
    pub fn open(
        path: &Path,
        wanted: &Identity,
        strangers: Strangers,
        limit: u64,
        wait: &dyn Fn() -> bool,
    ) -> Result<OpenLog, FileError> {
        let own = strangers != Strangers::Refuse;
        let mut remarks = Vec::new();
        let odd = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
        if own && path.symlink_metadata().is_ok_and(odd) {
            let to = set_aside(path, "damaged").map_err(FileError::io("rename", path))?;
            remarks.push(format!(
                "{} is not a regular file; it was renamed to {}",
                path.display(),
                to.display()
            ));
        }
        let mut lock = if own { Lock::take(path, true, wait)? } else { Lock::take_named(path, true, wait)? };
        let path = lock.path().to_path_buf();
        let bytes = read_open(lock.file(), &path, limit)?;
        let Contents { state, records, damaged, torn } = parse(&bytes, wanted);
        drop(bytes);
        let aside = match &state {
            State::Empty | State::Ours => None,
            State::Other(found) if strangers != Strangers::SetAside && found.is_usable(wanted) => {
                return Err(FileError::OtherRequest {
                    path,
                    request: format!("{}, {}", found.game, found.about),
                });
            }
            State::Other(found) if own || found.kind == wanted.kind => {
                Some(("stale", found.difference(wanted).unwrap_or_default()))
            }
            State::Damaged => Some(("damaged", "has a damaged first line".to_string())),
            State::Stranger if own => Some(("stale", format!("is not a file of the kind `{}`", wanted.kind))),
            State::Other(_) | State::Stranger => {
                return Err(FileError::Stranger { path, kind: wanted.kind.clone() });
            }
        };
        if let Some((word, why)) = &aside {
            let to = set_aside(&path, word).map_err(FileError::io("rename", &path))?;
            remarks.push(format!("{} {why}; it was renamed to {}", path.display(), to.display()));
        }
        if damaged > 0 && aside.is_none() {
            let lines = match damaged {
                1 => "1 line has a wrong checksum and is ignored".to_string(),
                _ => format!("{damaged} lines have wrong checksums and are ignored"),
            };
            remarks.push(format!("{}: {lines}", path.display()));
        }
        if state != State::Ours || damaged > 0 || torn {
            lock = replace_locked(&path, &encode(wanted, records.iter().map(String::as_str)))?;
        }
        Ok(OpenLog { log: Log { lock, seal: wanted.seal(), torn: false }, records, remarks })
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, such as on a full disk. A partial write does not affect later records.
    pub fn append(&mut self, record: &str) -> Result<(), FileError> {
        let mut text = line(self.seal, record);
        if self.torn {
            text.insert(0, '\n');
        }
        let path = self.lock.path().to_path_buf();
        let written = self.lock.file().write_all(text.as_bytes());
        self.torn = written.is_err();
        written.map_err(FileError::io("write", &path))
    }

    /// Replaces all records.
    ///
    /// # Errors
    ///
    /// As [`crate::replace`].
    pub fn rewrite(self, identity: &Identity, records: &[String]) -> Result<Log, FileError> {
        let bytes = encode(identity, records.iter().map(String::as_str));
        let lock = replace_locked(self.lock.path(), &bytes)?;
        Ok(Log { lock, seal: identity.seal(), torn: false })
    }

    /// Removes the file, when its contents are no longer needed.
    ///
    /// # Errors
    ///
    /// The system refused.
    pub fn remove(self) -> Result<(), FileError> {
        std::fs::remove_file(self.lock.path()).map_err(FileError::io("remove", self.lock.path()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn identity(game: &str) -> Identity {
        let (kind, program) = ("test records".to_string(), "1".to_string());
        Identity { kind, format: 1, game: game.into(), rules: 1, program, about: String::new() }
    }

    fn open(path: &Path, game: &str, strangers: Strangers) -> Result<OpenLog, FileError> {
        Log::open(path, &identity(game), strangers, 1 << 20, &|| false)
    }

    #[test]
    fn records_are_added_and_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for number in 0..3 {
            let OpenLog { mut log, records, remarks } = open(&path, "nim", Strangers::SetAside).unwrap();
            assert_eq!((records.len(), remarks.len()), (number, 0));
            assert!(open(&path, "nim", Strangers::SetAside).unwrap_err().is_busy());
            log.append(&number.to_string()).unwrap();
        }
        let opened = open(&path, "nim", Strangers::SetAside).unwrap();
        opened.log.rewrite(&identity("nim"), &opened.records[1..]).unwrap().append("9").unwrap();
        let opened = open(&path, "nim", Strangers::Refuse).unwrap();
        assert_eq!(opened.records, ["1", "2", "9"]);
        opened.log.remove().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_torn_line_does_not_swallow_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes = encode(&identity("nim"), ["first", "second"]);
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let mut opened = open(&path, "nim", Strangers::SetAside).unwrap();
            let before = opened.records.len();
            opened.log.append("next").unwrap();
            drop(opened);
            let records = open(&path, "nim", Strangers::SetAside).unwrap().records;
            assert_eq!((records.len(), records.last().unwrap().as_str()), (before + 1, "next"), "{cut}");
        }
    }

    #[test]
    fn mismatched_file_is_set_aside_with_a_remark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let check = |bytes: &[u8], left: &str, words: &str, kept: usize| {
            fs::write(&path, bytes).unwrap();
            let opened = open(&path, "nim", Strangers::SetAside).unwrap();
            assert_eq!(opened.records.len(), kept);
            assert!(opened.remarks.len() == 1 && opened.remarks[0].contains(words), "{:?}", opened.remarks);
            let aside = folder.path().join(left);
            assert_eq!(fs::read(&aside).unwrap(), bytes);
            fs::remove_file(aside).unwrap();
        };
        let nim = encode(&identity("nim"), ["first", "second"]);
        check(&encode(&identity("chess"), ["x"]), "a.stale", "belongs to chess", 0);
        check(b"{\"old\":\"format\"}\n", "a.stale", "is not a file of the kind", 0);
        let damaged = [b"0000", &nim[4..]].concat();
        check(&damaged, "a.damaged", "has a damaged first line", 2);
        // A file that the user named stays.
        fs::write(&path, "dear all").unwrap();
        assert!(matches!(open(&path, "nim", Strangers::Refuse), Err(FileError::Stranger { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "dear all");
    }

    #[test]
    fn work_for_another_request_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let other = Identity { about: "10 positions".into(), ..identity("nim") };
        fs::write(&path, encode(&other, ["x"])).unwrap();
        let error = open(&path, "nim", Strangers::KeepRequests).unwrap_err();
        assert!(error.to_string().contains("another request (nim, 10 positions)"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), encode(&other, ["x"]));
        // Written by another version of the program or of the rules, it cannot be resumed.
        let program = Identity { program: "0".into(), ..other.clone() };
        let rules = Identity { rules: other.rules + 1, ..other };
        for old in [program, rules] {
            fs::write(&path, encode(&old, ["x"])).unwrap();
            assert_eq!(open(&path, "nim", Strangers::KeepRequests).unwrap().remarks.len(), 1);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["letter", "a"].map(|name| folder.path().join(name));
        fs::write(&file, "dear all").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut opened = open(&link, "nim", Strangers::SetAside).unwrap();
        opened.log.append("x").unwrap();
        assert!(opened.remarks[0].contains("not a regular file"), "{:?}", opened.remarks);
        assert_eq!(fs::read_to_string(&file).unwrap(), "dear all");
    }
}
