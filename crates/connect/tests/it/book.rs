//! Books are complete, resumable, verified and correct.

use outplay_connect::{Author, Book, BookError, Depth, Solver, SolverLimits};
use outplay_core::{Content, LineBoard, Turn};
use outplay_runtime::{Monitor, NoMonitor};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) fn board(width: usize, height: usize, k: usize) -> LineBoard {
    LineBoard { gravity: true, ..LineBoard::empty(width, height, k) }
}

/// Monitor that stops the work after a number of parts.
pub(crate) struct Impatient {
    pub(crate) patience: u64,
    pub(crate) done: AtomicU64,
}

impl Monitor for Impatient {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }
    fn stopped(&self) -> bool {
        self.done.load(Relaxed) >= self.patience
    }
}

/// Compares the book's score of every reachable position with the solver.
fn check_all(book: &Book, board: &LineBoard, plies: usize, solver: &mut Solver) -> usize {
    let answer = solver.solve(board, Depth::Score, SolverLimits::default(), &NoMonitor, 1).unwrap();
    assert_eq!(book.probe(board), answer.score(), "{board:?}");
    if plies == 0 || board.has_line(Content::First) || board.has_line(Content::Second) {
        return 1;
    }
    let mut count = 1;
    for cell in board.open_cells() {
        let mut next = board.clone();
        next.cells[cell] = if board.turn == Turn::First { Content::First } else { Content::Second };
        next.turn = board.turn.other();
        count += check_all(book, &next, plies - 1, solver);
    }
    count
}

#[test]
fn every_position_has_its_score() {
    let folder = tempfile::tempdir().unwrap();
    let mut blocked = board(4, 5, 3);
    blocked.cells[1] = Content::Blocked;
    for (number, board) in [board(5, 4, 4), board(4, 4, 3), board(6, 3, 3), blocked].iter().enumerate() {
        let path = folder.path().join(format!("{number}.book"));
        let built = Author::new(board, 5, &path).unwrap().build(1 << 16, &NoMonitor, 2).unwrap();
        let book = Book::open(&path).unwrap();
        assert_eq!(book.to_bytes(), built.to_bytes());
        let mut solver = Solver::new(1 << 16);
        assert!(check_all(&book, book.board(), book.plies(), &mut solver) > 500);
        let checked = book.check(&mut solver, 50, 7, &NoMonitor, 1).unwrap();
        assert_eq!((checked.checked, checked.wrong.len()), (50, 0));
        // One stone too many, and a board other than the book's.
        let mut full = book.board().clone();
        for _ in 0..=book.plies() {
            let cell = full.open_cells()[0];
            full.cells[cell] = if full.turn == Turn::First { Content::First } else { Content::Second };
            full.turn = full.turn.other();
        }
        assert_eq!(book.probe(&full), None);
        assert_eq!(book.probe(&LineBoard::empty(3, 3, 3)), None);
    }
}

#[test]
fn an_interrupted_build_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, path) = (folder.path().join("whole.book"), folder.path().join("resumed.book"));
    let board = board(5, 5, 4);
    Author::new(&board, 5, &whole).unwrap().build(1 << 16, &NoMonitor, 1).unwrap();
    let author = Author::new(&board, 5, &path).unwrap();
    let monitor = Impatient { patience: 10, done: AtomicU64::new(0) };
    let stopped = author.build(1 << 16, &monitor, 1);
    assert!(matches!(stopped, Err(BookError::Stopped { done: 10.., .. })), "{:?}", stopped.err());
    assert!(!path.exists());
    // A kill in the middle of a write leaves a torn record.
    let partial = folder.path().join("resumed.book.partial");
    let mut bytes = std::fs::read(&partial).unwrap();
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&partial, &bytes).unwrap();
    assert!(matches!(
        Author::new(&board, 4, &path).unwrap().build(1 << 16, &NoMonitor, 1),
        Err(BookError::Other { .. })
    ));
    author.build(1 << 16, &NoMonitor, 2).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&whole).unwrap());
    assert!(!partial.exists());
}

#[test]
fn damage_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    let bytes =
        Author::new(&board(4, 4, 3), 4, &path).unwrap().build(1 << 12, &NoMonitor, 1).unwrap().to_bytes();
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 16;
        assert!(Book::from_bytes(&bad, "bad").and_then(|book| book.verify()).is_err(), "byte {at}");
    }
    for length in 0..bytes.len() {
        assert!(Book::from_bytes(&bytes[..length], "short").is_err(), "{length} bytes");
    }
    assert!(matches!(Author::new(&board(4, 4, 3), 16, &path), Err(BookError::TooDeep { .. })));
}
