//! Opening book: the exact score of every position up to a number of stones.
//!
//! ```text
//! "outplay book 1\n"  width height k plies (a byte each)  floors (a byte per column)  checksum (8 bytes)
//! then for each number of stones from 0 to plies:
//!   length (4 bytes)  checksum (8 bytes)  the scores, one byte each, compressed by zstd
//! ```
//!
//! Numbers are little-endian, checksums are XXH3. A layer is all positions with the same number of stones. Its scores
//! (plus 128) are stored in the order of [`BookIndex`], a perfect hash, so the positions themselves are not stored.
//! Don't-care entries (unreachable, or solved by forced moves) repeat the previous entry, which compresses well. A
//! layer is decompressed on first use.
//!
//! Invariant: a score that was read from a file has passed its checksum.

use crate::places::{BookIndex, BookSlot, Colours};
use crate::{ConnectError, Depth, Solver, SolverLimits};
use outplay_core::{Content, LineBoard};
use outplay_runtime::Monitor;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8] = b"outplay book 1\n";
/// Bias that makes a score an unsigned byte.
pub(crate) const ZERO: i32 = 128;

/// Error of building, reading or writing an opening book.
#[derive(Debug, Error)]
pub enum BookError {
    /// The solver does not accept the board.
    #[error(transparent)]
    Board(#[from] ConnectError),
    /// The layers would not fit into memory, or the board has too few cells.
    #[error("a book of {plies} plies is too deep for this board; choose at most {most} plies")]
    TooDeep {
        /// Requested depth.
        plies: usize,
        /// Largest depth that is possible, or worth a try.
        most: usize,
    },
    /// An I/O error.
    #[error("{}: {source}; check that the path exists and can be written", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Underlying error.
        source: std::io::Error,
    },
    /// The file is corrupt.
    #[error("{name}: {why}; rebuild the book with `outplay book build`")]
    Damaged {
        /// Path of the file.
        name: String,
        /// Description of the damage.
        why: String,
    },
    /// The partial file belongs to another board or depth.
    #[error("{}: the unfinished book belongs to another board or depth; remove it, or give another path", path.display())]
    Other {
        /// Path of the file.
        path: PathBuf,
    },
    /// Another process holds the lock on the partial file.
    #[error("{}: another process is building this book; wait until it has finished, or stop it", path.display())]
    Locked {
        /// Path of the file.
        path: PathBuf,
    },
    /// The monitor stopped the work.
    #[error("the build of the book was stopped after {done} of {units} parts; repeat the command to resume")]
    Stopped {
        /// Shapes solved.
        done: usize,
        /// Shapes in total.
        units: usize,
    },
}

/// One layer, compressed; decompressed on first use.
struct BookLayer {
    packed: Vec<u8>,
    checksum: u64,
    scores: OnceLock<Option<Vec<u8>>>,
}

/// Opening book: the exact scores of all positions of a board with at most [`Book::plies`] stones.
pub struct Book {
    places: BookIndex,
    layers: Vec<BookLayer>,
    name: String,
}

/// Result of solving a random sample of a book's positions again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookSample {
    /// Positions solved again.
    pub checked: usize,
    /// Positions whose stored score is wrong.
    pub wrong: Vec<LineBoard>,
}

impl Book {
    /// Compresses layers of scores, one per number of stones; `None` if the monitor stopped the work.
    pub(crate) fn pack(places: BookIndex, layers: Vec<Vec<u8>>, monitor: &dyn Monitor) -> Option<Book> {
        let pack = |scores: Vec<u8>| {
            let packed = packed(&scores, monitor)?;
            let checksum = xxh3_64(&packed);
            Some(BookLayer { packed, checksum, scores: OnceLock::from(Some(scores)) })
        };
        let layers: Option<Vec<BookLayer>> = layers.into_iter().map(pack).collect();
        Some(Book { places, layers: layers?, name: "book".into() })
    }

    /// Reads a book from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a valid book.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let bytes = read_regular(path).map_err(|source| BookError::File { path: path.into(), source })?;
        Book::from_bytes(&bytes, &path.display().to_string())
    }

    /// Parses a book in memory; `name` appears in error messages.
    ///
    /// # Errors
    ///
    /// If the bytes are not a book, or are damaged.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Book, BookError> {
        let damaged = |why: &str| BookError::Damaged { name: name.into(), why: why.into() };
        let short = || damaged("the file is truncated");
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("this is not an opening book"))?;
        let width = usize::from(*rest.first().ok_or_else(short)?);
        let (header, mut rest) = rest.split_at_checked(4 + width).ok_or_else(short)?;
        if take_u64(&mut rest).ok_or_else(short)? != xxh3_64(header) {
            return Err(damaged("the header fails its checksum"));
        }
        let mut board = LineBoard::empty(width, usize::from(header[1]), usize::from(header[2]));
        board.gravity = true;
        for (column, &floor) in header[4..].iter().enumerate() {
            for row in 0..usize::from(floor).min(board.height) {
                let cell = board.cell(column, row);
                board.cells[cell] = Content::Blocked;
            }
        }
        // Layers first: building the index of a deep book takes seconds, which a corrupt header of a few bytes
        // must not cost.
        let plies = usize::from(header[3]);
        let mut layers = Vec::new();
        for _ in 0..=plies {
            let (length, after) = rest.split_first_chunk::<4>().ok_or_else(short)?;
            rest = after;
            let checksum = take_u64(&mut rest).ok_or_else(short)?;
            let length = u32::from_le_bytes(*length) as usize;
            let (packed, after) = rest.split_at_checked(length).ok_or_else(short)?;
            rest = after;
            layers.push(BookLayer { packed: packed.to_vec(), checksum, scores: OnceLock::new() });
        }
        if !rest.is_empty() {
            return Err(damaged("there is data after the last layer"));
        }
        let places = BookIndex::new(&board, plies)?;
        Ok(Book { places, layers, name: name.into() })
    }

    /// Serializes the book.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let header = header(&self.places);
        bytes.extend(&header);
        bytes.extend(xxh3_64(&header).to_le_bytes());
        for layer in &self.layers {
            bytes.extend((layer.packed.len() as u32).to_le_bytes());
            bytes.extend(layer.checksum.to_le_bytes());
            bytes.extend(&layer.packed);
        }
        bytes
    }

    /// Returns the empty board of the book.
    pub fn board(&self) -> &LineBoard {
        &self.places.board
    }

    /// Returns the largest number of stones of a position in the book.
    pub fn plies(&self) -> usize {
        self.places.plies()
    }

    /// Looks up the score of a position for the player to move; `None` if it is not in the book.
    pub fn probe(&self, board: &LineBoard) -> Option<i32> {
        let colours = self.places.colours_of(board)?;
        // Positions with more stones are not in the book, even where forced moves would give the score.
        let place = self.places.place(colours)?;
        self.places.settled(colours).or_else(|| self.stored(place))
    }

    fn stored(&self, place: BookSlot) -> Option<i32> {
        let scores = self.layer(place.ply)?;
        Some(i32::from(scores[self.places.number(place)]) - ZERO)
    }

    /// Returns the scores of a layer, decompressed; `None` if they are damaged.
    fn layer(&self, ply: usize) -> Option<&[u8]> {
        let (layer, length) = (&self.layers[ply], self.places.len(ply));
        let unpack = || {
            let whole = xxh3_64(&layer.packed) == layer.checksum;
            let scores =
                if whole { zstd::bulk::decompress(&layer.packed, length).ok()? } else { return None };
            (scores.len() == length).then_some(scores)
        };
        layer.scores.get_or_init(unpack).as_deref()
    }

    /// Verifies the checksum of every layer.
    ///
    /// # Errors
    ///
    /// If a layer is damaged; the first one is reported.
    pub fn verify(&self) -> Result<(), BookError> {
        let bad = (0..=self.plies()).find(|&ply| self.layer(ply).is_none());
        bad.map_or(Ok(()), |ply| {
            let why = format!("the scores of positions with {ply} stones fail their checksum");
            Err(BookError::Damaged { name: self.name.clone(), why })
        })
    }

    /// Solves a random sample of positions again, each reached by random moves, and compares the scores.
    ///
    /// # Errors
    ///
    /// If a layer is damaged.
    pub fn check(
        &self,
        solver: &mut Solver,
        sample: usize,
        seed: u64,
        monitor: &dyn Monitor,
        threads: usize,
    ) -> Result<BookSample, BookError> {
        self.verify()?;
        monitor.stage("checking the book", sample as u64);
        let mut random = StdRng::seed_from_u64(seed);
        let mut result = BookSample { checked: 0, wrong: Vec::new() };
        let mut moves = Vec::new();
        while result.checked < sample && !monitor.stopped() {
            let mut colours = Colours { first: 0, second: 0 };
            for _ in 0..random.random_range(0..=self.plies()) {
                if self.places.finished(colours) {
                    break;
                }
                self.places.successors(colours, &mut moves);
                colours = moves[random.random_range(0..moves.len())];
            }
            let board = self.places.board_of(colours);
            let answer = solver.solve(&board, Depth::Score, SolverLimits::default(), monitor, threads)?;
            let Some(score) = answer.score() else { break };
            if self.probe(&board) != Some(score) {
                result.wrong.push(board);
            }
            result.checked += 1;
            monitor.advance(1);
        }
        Ok(result)
    }
}

/// Rejects everything but regular files: reading a pipe may block, and a device may never end.
///
/// # Errors
///
/// If it is something else, or its metadata cannot be read.
pub(crate) fn regular(data: &std::fs::Metadata) -> std::io::Result<()> {
    if data.is_file() { Ok(()) } else { Err(std::io::Error::other("it is not a regular file")) }
}

fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    // Opening a pipe may block forever, so the type is checked first.
    regular(&std::fs::metadata(path)?)?;
    let mut file = std::fs::File::open(path)?;
    regular(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Compresses bytes, a few milliseconds' worth at a time; `None` if the monitor stopped the work.
fn packed(bytes: &[u8], monitor: &dyn Monitor) -> Option<Vec<u8>> {
    const AT_ONCE: usize = 1 << 14;
    // Compressing into memory fails only if the level is out of range, which 19 is not.
    let whole = "zstd packs what it is given";
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 19).expect(whole);
    encoder.set_pledged_src_size(Some(bytes.len() as u64)).expect(whole);
    for part in bytes.chunks(AT_ONCE) {
        if monitor.stopped() {
            return None;
        }
        encoder.write_all(part).expect(whole);
    }
    Some(encoder.finish().expect(whole))
}

/// Returns the header: width, height, k, plies and the floors of the columns.
pub(crate) fn header(places: &BookIndex) -> Vec<u8> {
    let board = &places.board;
    // All values of k larger than the board are equivalent.
    let k = board.k.min(255);
    let mut header = vec![board.width as u8, board.height as u8, k as u8, places.plies() as u8];
    header.extend((0..board.width).map(|column| board.floor(column) as u8));
    header
}

fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (word, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*word))
}
