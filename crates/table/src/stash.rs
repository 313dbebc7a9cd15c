//! What a long solve puts aside on the disk: bytes by name and number, there again after a kill.
//!
//! ```text
//! connect4-6x6/stash/
//!   values-17.slabs    records, one after the other:  "slab" · number · length · checksum · bytes
//! ```
//!
//! A record is appended in one go. What a kill left half written fails its checksum and is cut off when the stash is
//! opened; so does what a power cut left unwritten, and what was put aside for a table of other rules. Nothing is forced to the disk, because all of it can be computed again.
//!
//! Invariant: what the stash has is what was put.

use crate::{TableError, disk};
use rustc_hash::FxHashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::Xxh3;

/// The directory within the table's.
pub(crate) const DIR: &str = "stash";
const MAGIC: [u8; 4] = *b"slab";
const HEADER: usize = 24;
const ENDING: &str = ".slabs";

/// Bytes by name and number.
#[derive(Debug)]
pub struct Stash {
    dir: PathBuf,
    /// The table's directory.
    table: PathBuf,
    spec: String,
    /// The number of the table's identity, from which checksums follow.
    identity: u64,
    /// Most bytes that the table's directory may have, the stash included.
    most: Option<u64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    shelves: FxHashMap<String, Shelf>,
    bytes: u64,
    peak: u64,
}

/// One file.
#[derive(Debug)]
struct Shelf {
    file: File,
    end: u64,
    /// By number: where the bytes are, and how many.
    records: FxHashMap<u32, (u64, u64)>,
}

impl Stash {
    /// Opens what is there, or begins anew. `table` is the table's directory, whose lock the caller holds.
    pub(crate) fn open(
        dir: PathBuf,
        table: &Path,
        spec: &str,
        identity: u64,
        most: Option<u64>,
    ) -> Result<Stash, TableError> {
        let table = table.to_path_buf();
        let stash = Stash { dir, table, spec: spec.into(), identity, most, state: Mutex::default() };
        let fail = |e| TableError::io("read the directory", &stash.dir, spec, e);
        if !stash.dir.exists() {
            return Ok(stash);
        }
        for entry in fs::read_dir(&stash.dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(name) = name.strip_suffix(ENDING) {
                let shelf =
                    read_shelf(&path, identity).map_err(|e| TableError::io("read it", &path, spec, e))?;
                let mut state = stash.state();
                state.bytes += shelf.end;
                state.peak = state.bytes;
                state.shelves.insert(name.into(), shelf);
            }
        }
        Ok(stash)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A record is entered after it was written, so that a panic elsewhere leaves the state whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}{ENDING}"))
    }

    /// Whether something is there.
    pub fn has(&self, name: &str, number: u32) -> bool {
        self.state().shelves.get(name).is_some_and(|shelf| shelf.records.contains_key(&number))
    }

    /// All that is there, by name and number.
    pub fn names(&self) -> Vec<(String, u32)> {
        let state = self.state();
        let of = |(name, shelf): (&String, &Shelf)| {
            shelf.records.keys().map(|&number| (name.clone(), number)).collect::<Vec<_>>()
        };
        state.shelves.iter().flat_map(of).collect()
    }

    /// What was put; `None` if nothing was.
    ///
    /// # Errors
    ///
    /// A disk that cannot be read, or bytes that were changed since.
    pub fn get(&self, name: &str, number: u32) -> Result<Option<Vec<u8>>, TableError> {
        let path = self.path(name);
        let fail = |e| TableError::io("read it", &path, &self.spec, e);
        let (file, place, length) = {
            let state = self.state();
            let Some(shelf) = state.shelves.get(name) else { return Ok(None) };
            let Some(&(place, length)) = shelf.records.get(&number) else { return Ok(None) };
            // The lock is not held while the disk is read.
            (shelf.file.try_clone().map_err(fail)?, place, length)
        };
        let mut bytes = vec![0; HEADER + length as usize];
        disk::read_at(&file, &mut bytes, place - HEADER as u64).map_err(fail)?;
        if bytes[16..24] != checksum(self.identity, &bytes[..16], &bytes[HEADER..]).to_le_bytes() {
            return Err(fail(io::Error::other("its bytes were changed by someone else")));
        }
        bytes.drain(..HEADER);
        Ok(Some(bytes))
    }

    /// Keeps bytes; what was under that name and number before is forgotten.
    ///
    /// # Errors
    ///
    /// A full disk, or more than is allowed.
    pub fn put(&self, name: &str, number: u32, bytes: &[u8]) -> Result<(), TableError> {
        let path = self.path(name);
        let mut state = self.state();
        let size = (HEADER + bytes.len()) as u64;
        if let Some(most) = self.most.filter(|&most| state.bytes + size + self.beside() > most) {
            return Err(TableError::OverLimit { path, most, spec: self.spec.clone() });
        }
        let fail = |e| TableError::io("write it", &path, &self.spec, e);
        if !state.shelves.contains_key(name) {
            let dir = &self.dir;
            fs::create_dir_all(dir)
                .map_err(|e| TableError::io("create the directory", dir, &self.spec, e))?;
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
            let file = file.map_err(|e| TableError::io("create it", &path, &self.spec, e))?;
            state.shelves.insert(name.into(), Shelf { file, end: 0, records: FxHashMap::default() });
        }
        let Some(shelf) = state.shelves.get_mut(name) else { return Ok(()) };
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(number.to_le_bytes());
        header.extend((bytes.len() as u64).to_le_bytes());
        header.extend(checksum(self.identity, &header, bytes).to_le_bytes());
        // What fails half way is overwritten by the next record, or cut off at the next start.
        disk::write_at(&shelf.file, &header, shelf.end).map_err(fail)?;
        disk::write_at(&shelf.file, bytes, shelf.end + HEADER as u64).map_err(fail)?;
        shelf.records.insert(number, (shelf.end + HEADER as u64, bytes.len() as u64));
        shelf.end += size;
        state.bytes += size;
        state.peak = state.peak.max(state.bytes);
        Ok(())
    }

    /// Gives up all that is under a name.
    ///
    /// # Errors
    ///
    /// A file that cannot be removed.
    pub fn forget(&self, name: &str) -> Result<(), TableError> {
        let mut state = self.state();
        let Some(shelf) = state.shelves.remove(name) else { return Ok(()) };
        state.bytes -= shelf.end;
        let path = self.path(name);
        fs::remove_file(&path).map_err(|e| TableError::io("write to the directory", &path, &self.spec, e))
    }

    /// Bytes at the moment, and the most there were since it was opened.
    pub fn bytes(&self) -> (u64, u64) {
        let state = self.state();
        (state.bytes, state.peak)
    }

    /// Gives up everything.
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

/// Removes a stash, if there is one.
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

/// Reads which records a file has, and cuts off what is not one.
fn read_shelf(path: &Path, identity: u64) -> io::Result<Shelf> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let size = file.metadata()?.len();
    let mut shelf = Shelf { file, end: 0, records: FxHashMap::default() };
    let mut bytes = Vec::new();
    while shelf.end + HEADER as u64 <= size {
        let mut header = [0; HEADER];
        disk::read_at(&shelf.file, &mut header, shelf.end)?;
        let number = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        let length = u64::from_le_bytes(std::array::from_fn(|i| header[8 + i]));
        let place = shelf.end + HEADER as u64;
        // A length beyond the file's end would ask for memory that nobody has.
        if header[..4] != MAGIC || length > size - place {
            break;
        }
        bytes.resize(length as usize, 0);
        disk::read_at(&shelf.file, &mut bytes, place)?;
        if header[16..] != checksum(identity, &header[..16], &bytes).to_le_bytes() {
            break;
        }
        shelf.records.insert(number, (place, length));
        shelf.end = place + length;
    }
    shelf.file.set_len(shelf.end)?;
    Ok(shelf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(stash: &Stash) -> Vec<(u32, Option<Vec<u8>>)> {
        (0..4).map(|number| (number, stash.get("a", number).expect("readable"))).collect()
    }

    #[test]
    fn what_was_put_is_there_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        stash.put("a", 1, b"one").expect("room");
        stash.put("a", 3, b"").expect("room");
        stash.put("b", 1, b"other").expect("room");
        stash.put("a", 1, b"uno").expect("room");
        let before = names(&stash);
        assert_eq!(before[1].1.as_deref(), Some(&b"uno"[..]));
        assert_eq!((before[0].1.as_ref(), before[3].1.as_deref()), (None, Some(&b""[..])));
        drop(stash);
        let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        assert_eq!(names(&stash), before);
        assert!(stash.has("b", 1) && !stash.has("b", 2));
        stash.forget("b").expect("removed");
        assert!(!stash.has("b", 1));
        assert_eq!(stash.bytes().0, 3 * 24 + 6);
        stash.remove().expect("removed");
        assert!(!dir.path().join(DIR).exists());
    }

    #[test]
    fn half_a_record_is_cut_off_and_a_changed_one_is_told() {
        let dir = tempfile::tempdir().expect("a directory");
        let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        for number in 0..3 {
            stash.put("a", number, &[number as u8; 40]).expect("room");
        }
        let path = stash.path("a");
        let whole = fs::read(&path).expect("a file");
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).expect("room");
            let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
            assert_eq!((0..3).filter(|&number| stash.has("a", number)).count(), cut / 64, "{cut}");
            stash.put("a", 9, b"more").expect("room");
            let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
            assert!(stash.has("a", 9));
        }
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).expect("room");
            let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
            for number in 0..3 {
                let found = stash.get("a", number).expect("readable");
                assert!(found.is_none_or(|bytes| bytes == [number as u8; 40]), "bit {bit}");
            }
        }
        fs::write(&path, &whole).expect("room");
        let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash");
        let mut bytes = whole.clone();
        bytes[30] ^= 1;
        fs::write(&path, &bytes).expect("room");
        assert!(stash.get("a", 0).is_err());
    }

    #[test]
    fn other_rules_find_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None)
            .and_then(|stash| stash.put("a", 1, b"one"))
            .expect("room");
        assert!(Stash::open(dir.path().join(DIR), dir.path(), "game", 7, None).expect("a stash").has("a", 1));
        assert!(
            !Stash::open(dir.path().join(DIR), dir.path(), "game", 8, None).expect("a stash").has("a", 1)
        );
    }

    #[test]
    fn a_limit_is_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("tier-00.opt"), [0; 100]).expect("room");
        let stash = Stash::open(dir.path().join(DIR), dir.path(), "game", 7, Some(300)).expect("a stash");
        stash.put("a", 0, &[1; 100]).expect("224 of 300");
        assert!(matches!(stash.put("a", 1, &[1; 100]), Err(TableError::OverLimit { most: 300, .. })));
        stash.put("a", 1, &[1; 20]).expect("268 of 300");
    }
}
