//! Crash recovery of a book under construction: the partial file truncated at every byte, with zeros for pages
//! that were not written, with records lost in the middle, and the finished book torn under its temporary or
//! its final name. In every state, damaged data is rejected and the build resumes to the same bytes.

use crate::book::{Impatient, board};
use outplay_connect::{Author, Book, BookError};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

const PLIES: usize = 4;

/// Files by name suffix.
type Files = Vec<(&'static str, Vec<u8>)>;

fn directory() -> tempfile::TempDir {
    // A RAM disk is as good here, and faster.
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory")
}

fn build(path: &Path, patience: u64) -> Result<Book, BookError> {
    let monitor = Impatient { patience, done: AtomicU64::new(0) };
    Author::new(&board(4, 4, 3), PLIES, path)?.build(1 << 10, &monitor, 1)
}

/// Returns the bytes of the book, and of the complete partial file.
fn whole() -> (Vec<u8>, Vec<u8>) {
    let folder = directory();
    let path = folder.path().join("b");
    let units = match build(&path, 0) {
        Err(BookError::Stopped { units, .. }) => units as u64,
        other => panic!("{:?}", other.map(|book| book.plies())),
    };
    assert!(matches!(build(&path, units), Err(BookError::Stopped { done, .. }) if done as u64 == units));
    let partial = fs::read(folder.path().join("b.partial")).unwrap();
    build(&path, u64::MAX).unwrap();
    assert!(!folder.path().join("b.partial").exists());
    (fs::read(&path).unwrap(), partial)
}

/// Yields every prefix of some bytes, alone and padded with zeros.
fn torn(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    (0..=bytes.len())
        .flat_map(|cut| [bytes[..cut].to_vec(), [&bytes[..cut], &vec![0; bytes.len() - cut]].concat()])
}

fn states(book: &[u8], partial: &[u8]) -> Vec<Files> {
    let mut states: Vec<Files> = vec![Vec::new()];
    states.extend(torn(partial).map(|bytes| vec![(".partial", bytes)]));
    // Pages of the unfinished file that never reached the disk.
    for (from, length) in (0..partial.len()).step_by(13).flat_map(|from| [(from, 16), (from, 64)]) {
        let mut bytes = partial.to_vec();
        let end = bytes.len().min(from + length);
        bytes[from..end].fill(0);
        states.push(vec![(".partial", bytes)]);
    }
    for bytes in torn(book) {
        states.push(vec![(".partial", partial.to_vec()), (".new", bytes.clone())]);
        // The rename reached the disk and the data did not, with the partial file and without.
        states.push(vec![(".partial", partial.to_vec()), ("", bytes.clone())]);
        states.push(vec![("", bytes)]);
    }
    states
}

fn each(stride: usize) -> usize {
    let (book, partial) = whole();
    let states = states(&book, &partial);
    assert!(states.len() >= 2_000, "{}", states.len());
    for state in states.iter().step_by(stride) {
        let folder = directory();
        let path = folder.path().join("b");
        let name = |end: &str| -> PathBuf { folder.path().join(format!("b{end}")) };
        state.iter().for_each(|(end, bytes)| fs::write(name(end), bytes).unwrap());
        if let Ok(found) = Book::open(&path)
            && found.verify().is_ok()
        {
            assert!(found.to_bytes() == book, "a torn book is believed");
        }
        let built = build(&path, u64::MAX).unwrap_or_else(|error| panic!("{error}"));
        assert!(built.to_bytes() == book && fs::read(&path).unwrap() == book);
        assert!(!name(".partial").exists() && !name(".new").exists());
    }
    states.len().div_ceil(stride)
}

#[test]
fn crash_states_are_built_to_the_same_bytes() {
    assert!(each(9) > 200);
}

#[test]
#[ignore = "takes a while"]
fn every_crash_state_is_built_to_the_same_bytes() {
    assert!(each(1) >= 2_000);
}

/// Opening a pipe does not block, and an endless device is not read.
#[test]
fn only_regular_files_are_books() {
    let folder = directory();
    let path = folder.path().join("b");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert!(matches!(Book::open(&path), Err(BookError::File { .. })));
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("c.partial")).unwrap();
    assert!(matches!(build(&folder.path().join("c"), u64::MAX), Err(BookError::File { .. })));
}
