//! Opening books: the built-in book of Connect-4, and books that a user builds.

use crate::Trouble;
use outplay_connect::{Author, Book, BookSample, Solver};
use outplay_core::LineBoard;
use outplay_runtime::Monitor;
use serde::Serialize;
use std::path::Path;
use std::sync::OnceLock;

/// Number of entries of the connect-k solver's table in `bytes` bytes: wide boards take twice the space per entry.
pub(crate) fn entries(board: &LineBoard, bytes: u64) -> usize {
    let each = if board.width * (board.height + 1) > 64 { 16 } else { 8 };
    (bytes / each) as usize
}

/// The opening book of 7x6 Connect-4.
static CONNECT4: &[u8] = include_bytes!("../books/connect4.book");

/// Returns the built-in book of a board, if there is one.
pub(crate) fn book(board: &LineBoard) -> Option<&'static Book> {
    static BOOK: OnceLock<Option<Book>> = OnceLock::new();
    let book = BOOK.get_or_init(|| Book::from_bytes(CONNECT4, "the book of connect4").ok()).as_ref()?;
    let known = book.board();
    let same = (board.width, board.height, board.k, board.gravity, board.misere)
        == (known.width, known.height, known.k, known.gravity, known.misere);
    same.then_some(book)
}

/// The answer of `book info`: board, depth and size of an opening book.
#[derive(Clone, Debug, Serialize)]
pub struct BookInfo {
    /// Columns of the board.
    pub width: usize,
    /// Rows of the board.
    pub height: usize,
    /// Length of a winning line.
    pub k: usize,
    /// The book covers positions with up to this number of stones.
    pub plies: usize,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The answer of `book check`: how many positions of a sample have the right score.
#[derive(Clone, Debug, Serialize)]
pub struct BookCheck {
    /// Positions solved again.
    pub checked: u64,
    /// Those with a different score.
    pub wrong: u64,
}

/// Builds an opening book of a board, or resumes an unfinished one.
///
/// # Errors
///
/// A board that the connect-k solver does not know, a file that cannot be written, or a stop.
pub fn build_book(
    board: &LineBoard,
    plies: usize,
    file: &Path,
    hash: u64,
    threads: usize,
    watch: &dyn Monitor,
) -> Result<BookInfo, Trouble> {
    let book = Author::new(board, plies, file)?.build(entries(board, hash), watch, threads)?;
    Ok(info(&book))
}

/// Describes a book: the one in `file`, or the built-in one.
///
/// # Errors
///
/// A file that is no book.
pub fn book_info(file: Option<&Path>) -> Result<BookInfo, Trouble> {
    Ok(info(&open(file)?))
}

/// Solves a random sample of a book's positions again.
///
/// # Errors
///
/// A file that is no book, or a damaged one.
pub fn check_book(
    file: Option<&Path>,
    sample: usize,
    seed: u64,
    hash: u64,
    threads: usize,
    watch: &dyn Monitor,
) -> Result<BookCheck, Trouble> {
    let book = open(file)?;
    let mut solver = Solver::new(entries(book.board(), hash));
    let BookSample { checked, wrong } = book.check(&mut solver, sample, seed, watch, threads)?;
    Ok(BookCheck { checked: checked as u64, wrong: wrong.len() as u64 })
}

fn open(file: Option<&Path>) -> Result<Book, Trouble> {
    Ok(match file {
        Some(file) => Book::open(file)?,
        None => Book::from_bytes(CONNECT4, "the book of connect4")?,
    })
}

fn info(book: &Book) -> BookInfo {
    let board = book.board();
    let (width, height, k) = (board.width, board.height, board.k);
    BookInfo { width, height, k, plies: book.plies(), bytes: book.to_bytes().len() as u64 }
}
