//! Spill log: append-only, checksummed records that survive a kill.
//!
//! ```text
//! connect4-6x6/stash/
//!   values-17.slabs    records:  "slab" · number · length · checksum · bytes
//! ```
//!
//! A long solve stores intermediate results (slabs of bit-planes) here, by name and number. Opening the log verifies
//! every record and truncates each file after its last valid one; a damaged record with another header after it is
//! skipped. That covers partial writes of a kill, data lost in a power cut, and records of another version of the
//! rules. Nothing is synced, because all records can be recomputed.
//!
//! Invariant: a record that is returned equals the one that was put.

use crate::{TableError, disk};
use outplay_runtime::Monitor;
use rustc_hash::FxHashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::Xxh3;

/// Subdirectory of the table's directory.
pub(crate) const DIR: &str = "stash";
const MAGIC: [u8; 4] = *b"slab";
const HEADER: usize = 24;
const ENDING: &str = ".slabs";

/// Append-only log of checksummed records, each with a name and a number.
#[derive(Debug)]
pub struct SpillLog {
    dir: PathBuf,
    /// The table's directory.
    table: PathBuf,
    spec: String,
    /// Hash of the table's identity, the seed of the checksums.
    identity: u64,
    /// Disk limit in bytes of the table's directory, including the log.
    most: Option<u64>,
    state: Mutex<LogState>,
}

#[derive(Debug, Default)]
struct LogState {
    files: FxHashMap<String, LogFile>,
    bytes: u64,
    peak: u64,
}

/// File with the records of one name.
#[derive(Debug)]
struct LogFile {
    file: File,
    end: u64,
    /// By number: offset and length of the record.
    records: FxHashMap<u32, (u64, u64)>,
}

impl SpillLog {
    /// Opens the existing log or starts an empty one. `table` is the table's directory, whose lock the caller holds.
    pub(crate) fn open(
        dir: PathBuf,
        table: &Path,
        spec: &str,
        identity: u64,
        most: Option<u64>,
    ) -> Result<SpillLog, TableError> {
        let table = table.to_path_buf();
        let log = SpillLog { dir, table, spec: spec.into(), identity, most, state: Mutex::default() };
        let fail = |e| TableError::io("read the directory", &log.dir, spec, e);
        if !log.dir.exists() {
            return Ok(log);
        }
        for entry in fs::read_dir(&log.dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(name) = name.strip_suffix(ENDING) {
                let log_file =
                    read_log_file(&path, identity).map_err(|e| TableError::io("read it", &path, spec, e))?;
                let mut state = log.state();
                state.bytes += log_file.end;
                state.peak = state.bytes;
                state.files.insert(name.into(), log_file);
            }
        }
        Ok(log)
    }

    fn state(&self) -> MutexGuard<'_, LogState> {
        // A record is registered after it was written, so a panic elsewhere leaves the state consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}{ENDING}"))
    }

    /// Whether a record exists.
    pub fn has(&self, name: &str, number: u32) -> bool {
        self.state().files.get(name).is_some_and(|log_file| log_file.records.contains_key(&number))
    }

    /// Returns the names and numbers of all records.
    pub fn names(&self) -> Vec<(String, u32)> {
        let state = self.state();
        let of = |(name, log_file): (&String, &LogFile)| {
            log_file.records.keys().map(|&number| (name.clone(), number)).collect::<Vec<_>>()
        };
        state.files.iter().flat_map(of).collect()
    }

    /// Reads a record; `None` if there is none.
    ///
    /// # Errors
    ///
    /// A read error or a checksum mismatch; the record is then discarded.
    pub fn get(&self, name: &str, number: u32) -> Result<Option<Vec<u8>>, TableError> {
        let path = self.path(name);
        let fail = |e| TableError::io("read it", &path, &self.spec, e);
        let (file, place, length) = {
            let state = self.state();
            let Some(log_file) = state.files.get(name) else { return Ok(None) };
            let Some(&(place, length)) = log_file.records.get(&number) else { return Ok(None) };
            // Clone the handle, so that the lock is not held during the read.
            (log_file.file.try_clone().map_err(fail)?, place, length)
        };
        let mut bytes = vec![0; HEADER + length as usize];
        let read = disk::read_at(&file, &mut bytes, place - HEADER as u64);
        let intact =
            || bytes[16..24] == checksum(self.identity, &bytes[..16], &bytes[HEADER..]).to_le_bytes();
        if read.is_err() || !intact() {
            self.discard(name, number);
            let table = self.table.file_name().unwrap_or_default().to_string_lossy();
            return Err(TableError::Damaged {
                file: format!("{table}/{DIR}/{name}{ENDING}"),
                what: format!("slab {number}"),
                spec: self.spec.clone(),
                tier: None,
            });
        }
        bytes.drain(..HEADER);
        Ok(Some(bytes))
    }

    /// Verifies every record, discards the damaged ones and returns their number. Stops early when the monitor cancels.
    pub fn check(&self, monitor: &dyn Monitor) -> usize {
        let names = self.names().into_iter().take_while(|_| !monitor.stopped());
        names.filter(|(name, number)| self.get(name, *number).is_err()).count()
    }

    /// Directory of the log.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Discards a record, so that it can be recomputed and put again.
    pub fn discard(&self, name: &str, number: u32) {
        if let Some(log_file) = self.state().files.get_mut(name) {
            log_file.records.remove(&number);
        }
    }

    /// Appends a record; it supersedes an earlier one with the same name and number.
    ///
    /// # Errors
    ///
    /// A full disk, or the disk limit.
    pub fn put(&self, name: &str, number: u32, bytes: &[u8]) -> Result<(), TableError> {
        let path = self.path(name);
        let mut state = self.state();
        let size = (HEADER + bytes.len()) as u64;
        if let Some(most) = self.most.filter(|&most| state.bytes + size + self.beside() > most) {
            return Err(TableError::OverLimit { path, most, spec: self.spec.clone() });
        }
        let fail = |e| TableError::io("write it", &path, &self.spec, e);
        if !state.files.contains_key(name) {
            let dir = &self.dir;
            fs::create_dir_all(dir)
                .map_err(|e| TableError::io("create the directory", dir, &self.spec, e))?;
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
            let file = file.map_err(|e| TableError::io("create it", &path, &self.spec, e))?;
            state.files.insert(name.into(), LogFile { file, end: 0, records: FxHashMap::default() });
        }
        let Some(log_file) = state.files.get_mut(name) else { return Ok(()) };
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(number.to_le_bytes());
        header.extend((bytes.len() as u64).to_le_bytes());
        header.extend(checksum(self.identity, &header, bytes).to_le_bytes());
        // A partial write is overwritten by the next record, or truncated at the next start.
        disk::write_at(&log_file.file, &header, log_file.end).map_err(fail)?;
        disk::write_at(&log_file.file, bytes, log_file.end + HEADER as u64).map_err(fail)?;
        log_file.records.insert(number, (log_file.end + HEADER as u64, bytes.len() as u64));
        log_file.end += size;
        state.bytes += size;
        state.peak = state.peak.max(state.bytes);
        Ok(())
    }

    /// Removes all records of a name.
    ///
    /// # Errors
    ///
    /// A file that cannot be removed.
    pub fn forget(&self, name: &str) -> Result<(), TableError> {
        let mut state = self.state();
        let Some(log_file) = state.files.remove(name) else { return Ok(()) };
        state.bytes -= log_file.end;
        let path = self.path(name);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(TableError::io("write to the directory", &path, &self.spec, e))
            }
            _ => Ok(()),
        }
    }

    /// Current size in bytes, and the peak since the log was opened.
    pub fn bytes(&self) -> (u64, u64) {
        let state = self.state();
        (state.bytes, state.peak)
    }

    /// Removes the log.
    ///
    /// # Errors
    ///
    /// Files that cannot be removed.
    pub fn remove(self) -> Result<(), TableError> {
        remove(&self.dir, &self.spec)
    }

    /// Bytes of the table's own files.
    fn beside(&self) -> u64 {
        disk::bytes_in(&self.table)
    }
}

/// Removes a log, if it exists.
pub(crate) fn remove(dir: &Path, spec: &str) -> Result<(), TableError> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(TableError::io("write to the directory", dir, spec, e))
        }
        _ => Ok(()),
    }
}

fn checksum(identity: u64, header: &[u8], bytes: &[u8]) -> u64 {
    let mut sum = Xxh3::with_seed(identity);
    sum.update(header);
    sum.update(bytes);
    sum.digest()
}

/// Reads the records of a file and truncates it after the last valid one.
fn read_log_file(path: &Path, identity: u64) -> io::Result<LogFile> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let size = file.metadata()?.len();
    let mut log_file = LogFile { file, end: 0, records: FxHashMap::default() };
    let mut bytes = Vec::new();
    while log_file.end + HEADER as u64 <= size {
        let mut header = [0; HEADER];
        disk::read_at(&log_file.file, &mut header, log_file.end)?;
        let number = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        let length = u64::from_le_bytes(std::array::from_fn(|i| header[8 + i]));
        let place = log_file.end + HEADER as u64;
        // A corrupt length must not cause a huge allocation.
        if header[..4] != MAGIC || length > size - place {
            break;
        }
        bytes.resize(length as usize, 0);
        disk::read_at(&log_file.file, &mut bytes, place)?;
        let next = place + length;
        if header[16..] != checksum(identity, &header[..16], &bytes).to_le_bytes() {
            let mut magic = [0; MAGIC.len()];
            let follows =
                next + HEADER as u64 <= size && disk::read_at(&log_file.file, &mut magic, next).is_ok();
            if !follows || magic != MAGIC {
                break;
            }
            // An earlier record with this number is superseded all the same.
            log_file.records.remove(&number);
        } else {
            log_file.records.insert(number, (place, length));
        }
        log_file.end = next;
    }
    log_file.file.set_len(log_file.end)?;
    Ok(log_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(log: &SpillLog) -> Vec<(u32, Option<Vec<u8>>)> {
        (0..4).map(|number| (number, log.get("a", number).expect("readable"))).collect()
    }

    #[test]
    fn records_survive_reopening() {
        let dir = tempfile::tempdir().expect("a directory");
        let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        log.put("a", 1, b"one").expect("room");
        log.put("a", 3, b"").expect("room");
        log.put("b", 1, b"other").expect("room");
        log.put("a", 1, b"uno").expect("room");
        let before = names(&log);
        assert_eq!(before[1].1.as_deref(), Some(&b"uno"[..]));
        assert_eq!((before[0].1.as_ref(), before[3].1.as_deref()), (None, Some(&b""[..])));
        drop(log);
        let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        assert_eq!(names(&log), before);
        assert!(log.has("b", 1) && !log.has("b", 2));
        log.forget("b").expect("removed");
        assert!(!log.has("b", 1));
        assert_eq!(log.bytes().0, 3 * 24 + 6);
        log.remove().expect("removed");
        assert!(!dir.path().join(DIR).exists());
    }

    #[test]
    fn partial_records_are_truncated_and_damaged_ones_reported() {
        let dir = tempfile::tempdir().expect("a directory");
        let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        for number in 0..3 {
            log.put("a", number, &[number as u8; 40]).expect("room");
        }
        let path = log.path("a");
        let whole = fs::read(&path).expect("a file");
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).expect("room");
            let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
            assert_eq!((0..3).filter(|&number| log.has("a", number)).count(), cut / 64, "{cut}");
            log.put("a", 9, b"more").expect("room");
            let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
            assert!(log.has("a", 9));
        }
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).expect("room");
            let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
            for number in 0..3 {
                let found = log.get("a", number).expect("readable");
                assert!(found.is_none_or(|bytes| bytes == [number as u8; 40]), "bit {bit}");
            }
        }
        fs::write(&path, &whole).expect("room");
        let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        let mut bytes = whole.clone();
        bytes[30] ^= 1;
        fs::write(&path, &bytes).expect("room");
        assert!(log.get("a", 0).is_err(), "told once");
        assert!(!log.has("a", 0) && log.get("a", 1).expect("readable").is_some());
        log.put("a", 0, b"again").expect("room");
        drop(log);
        let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        assert_eq!(log.get("a", 0).expect("readable").as_deref(), Some(&b"again"[..]));
        assert!(log.has("a", 1) && log.has("a", 2), "records behind a damaged one are kept");
    }

    #[test]
    fn records_of_other_rules_are_dropped() {
        let dir = tempfile::tempdir().expect("a directory");
        SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None)
            .and_then(|log| log.put("a", 1, b"one"))
            .expect("room");
        assert!(
            SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash").has("a", 1)
        );
        assert!(
            !SpillLog::open(dir.path().join(DIR), dir.path(), "game", 8, None).expect("a stash").has("a", 1)
        );
    }

    #[test]
    fn disk_limit_is_enforced() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("tier-00.opt"), [0; 100]).expect("room");
        let log = SpillLog::open(dir.path().join(DIR), dir.path(), "game", 7, Some(300)).expect("a stash");
        log.put("a", 0, &[1; 100]).expect("224 of 300");
        assert!(matches!(log.put("a", 1, &[1; 100]), Err(TableError::OverLimit { most: 300, .. })));
        log.put("a", 1, &[1; 20]).expect("268 of 300");
    }
}
