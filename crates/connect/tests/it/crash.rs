//! What a crash can leave of a book in the making: its unfinished file cut off at every byte, with zeros for what was not
//! written, with records lost in the middle, and the finished book torn under its temporary or its final name.
//! Whatever is found, nothing damaged is believed, and building goes on to the same bytes.

use crate::book::{Impatient, board};
use outplay_connect::{Author, Book, BookError};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

const PLIES: usize = 4;

/// Files by the end of their name.
type Files = Vec<(&'static str, Vec<u8>)>;

fn directory() -> tempfile::TempDir {
    // Memory is as good as a disk here, and needs no waiting for it.
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory")
}

fn build(path: &Path, patience: u64) -> Result<Book, BookError> {
    let watch = Impatient { patience, done: AtomicU64::new(0) };
    Author::new(&board(4, 4, 3), PLIES, path)?.build(1 << 10, &watch, 1)
}

/// The bytes of the book, and of the unfinished file when all of its records are there.
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

/// Every beginning of some bytes, alone and with zeros up to their length.
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
        // A disk that kept the name and lost the bytes, with the unfinished file and without.
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

/// A pipe is not waited for, and a device that never ends is not read.
#[test]
fn only_regular_files_are_books() {
    let folder = directory();
    let path = folder.path().join("b");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert!(matches!(Book::open(&path), Err(BookError::File { .. })));
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("c.partial")).unwrap();
    assert!(matches!(build(&folder.path().join("c"), u64::MAX), Err(BookError::File { .. })));
}
