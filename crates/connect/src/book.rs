//! A book of openings: the exact score of every position with few stones.
//!
//! ```text
//! "outplay book 1\n"  width height k plies (a byte each)  floors (a byte per column)  checksum (8 bytes)
//! then for each number of stones from 0 to plies:
//!   length (4 bytes)  checksum (8 bytes)  the scores, one byte each, packed by zstd
//! ```
//!
//! Numbers are little-endian, checksums are XXH3. The scores of a layer stand in the order of [`Places`],
//! so that no position is stored, only its score (+128). Entries that the rules answer, or that cannot come about,
//! repeat the entry before them. A layer is unpacked when it is first asked for.
//!
//! Invariant: a score that was read from a file has passed its checksum.

use crate::places::{Colours, Place, Places};
use crate::{ConnectError, Depth, Limits, Solver};
use outplay_core::{Content, LineBoard, Watch};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8] = b"outplay book 1\n";
/// What is added to a score to make it a byte.
pub(crate) const ZERO: i32 = 128;

/// Why a book cannot be built, read or written.
#[derive(Debug, Error)]
pub enum BookError {
    /// The board is not one for the solver.
    #[error(transparent)]
    Board(#[from] ConnectError),
    /// The layers would not fit into memory, or the board is full before.
    #[error("a book of {plies} plies is too deep for this board; ask for at most {most}")]
    TooDeep {
        /// What was asked for.
        plies: usize,
        /// What is possible, or worth a try.
        most: usize,
    },
    /// The file system said no.
    #[error("{}: {source}; check that the path exists and can be written", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The file does not hold what was written.
    #[error("{name}: {why}; build the book again")]
    Damaged {
        /// Which file.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// The unfinished book is of another board or depth.
    #[error("{}: holds an unfinished book of another board or depth; remove it or choose another name", path.display())]
    Other {
        /// Which file.
        path: PathBuf,
    },
    /// Somebody else builds it.
    #[error("{}: another process is building this book; wait for it or stop it", path.display())]
    Locked {
        /// Which file.
        path: PathBuf,
    },
    /// The watcher stopped the work.
    #[error("stopped with {done} of {units} parts of the book solved; build it again to go on from there")]
    Stopped {
        /// Parts solved.
        done: usize,
        /// Parts in all.
        units: usize,
    },
}

/// One layer as it is in the file, and as scores once it was asked for.
struct Layer {
    packed: Vec<u8>,
    checksum: u64,
    scores: OnceLock<Option<Vec<u8>>>,
}

/// The exact scores of all positions of a board with at most so many stones.
pub struct Book {
    places: Places,
    layers: Vec<Layer>,
    name: String,
}

/// What re-solving a sample found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Positions solved again.
    pub checked: usize,
    /// Those whose score is another.
    pub wrong: Vec<LineBoard>,
}

impl Book {
    /// Packs layers of scores, one per number of stones; `None` if the watcher stopped the work.
    pub(crate) fn pack(places: Places, layers: Vec<Vec<u8>>, watch: &dyn Watch) -> Option<Book> {
        let pack = |scores: Vec<u8>| {
            let packed = packed(&scores, watch)?;
            let checksum = xxh3_64(&packed);
            Some(Layer { packed, checksum, scores: OnceLock::from(Some(scores)) })
        };
        let layers: Option<Vec<Layer>> = layers.into_iter().map(pack).collect();
        Some(Book { places, layers: layers?, name: "book".into() })
    }

    /// Reads a book from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is no book.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let bytes = read_regular(path).map_err(|source| BookError::File { path: path.into(), source })?;
        Book::from_bytes(&bytes, &path.display().to_string())
    }

    /// Reads a book that is in memory; `name` appears in errors.
    ///
    /// # Errors
    ///
    /// If it is no book, or a damaged one.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Book, BookError> {
        let damaged = |why: &str| BookError::Damaged { name: name.into(), why: why.into() };
        let short = || damaged("the file ends too soon");
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("this is no book of openings"))?;
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
        // Layers first: numbering the positions of a deep book takes seconds, which a few bytes that lie must not cost.
        let plies = usize::from(header[3]);
        let mut layers = Vec::new();
        for _ in 0..=plies {
            let (length, after) = rest.split_first_chunk::<4>().ok_or_else(short)?;
            rest = after;
            let checksum = take_u64(&mut rest).ok_or_else(short)?;
            let length = u32::from_le_bytes(*length) as usize;
            let (packed, after) = rest.split_at_checked(length).ok_or_else(short)?;
            rest = after;
            layers.push(Layer { packed: packed.to_vec(), checksum, scores: OnceLock::new() });
        }
        if !rest.is_empty() {
            return Err(damaged("something follows the last layer"));
        }
        let places = Places::new(&board, plies)?;
        Ok(Book { places, layers, name: name.into() })
    }

    /// The book as the bytes of its file.
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

    /// The empty board the book is about.
    pub fn board(&self) -> &LineBoard {
        &self.places.board
    }

    /// The number of stones up to which positions are known.
    pub fn plies(&self) -> usize {
        self.places.plies()
    }

    /// The score of a position for the player to move; `None` if it is not in the book.
    pub fn probe(&self, board: &LineBoard) -> Option<i32> {
        let colours = self.places.colours_of(board)?;
        // Positions with more stones are not in the book even where the rules answer them.
        let place = self.places.place(colours)?;
        self.places.settled(colours).or_else(|| self.stored(place))
    }

    fn stored(&self, place: Place) -> Option<i32> {
        let scores = self.layer(place.ply)?;
        Some(i32::from(scores[self.places.number(place)]) - ZERO)
    }

    /// The scores of a layer, unpacked; `None` if they are damaged.
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

    /// Tests the checksum of every layer.
    ///
    /// # Errors
    ///
    /// The first layer that is damaged.
    pub fn verify(&self) -> Result<(), BookError> {
        let bad = (0..=self.plies()).find(|&ply| self.layer(ply).is_none());
        bad.map_or(Ok(()), |ply| {
            let why = format!("the scores of positions with {ply} stones fail their checksum");
            Err(BookError::Damaged { name: self.name.clone(), why })
        })
    }

    /// Solves a random sample of positions again, each reached by random moves.
    ///
    /// # Errors
    ///
    /// If a layer is damaged.
    pub fn check(
        &self,
        solver: &mut Solver,
        sample: usize,
        seed: u64,
        watch: &dyn Watch,
        threads: usize,
    ) -> Result<Checked, BookError> {
        self.verify()?;
        watch.stage("check", sample as u64);
        let mut random = StdRng::seed_from_u64(seed);
        let mut result = Checked { checked: 0, wrong: Vec::new() };
        let mut moves = Vec::new();
        while result.checked < sample && !watch.stopped() {
            let mut colours = Colours { first: 0, second: 0 };
            for _ in 0..random.random_range(0..=self.plies()) {
                if self.places.finished(colours) {
                    break;
                }
                self.places.successors(colours, &mut moves);
                colours = moves[random.random_range(0..moves.len())];
            }
            let board = self.places.board_of(colours);
            let answer = solver.solve(&board, Depth::Score, Limits::default(), watch, threads)?;
            let Some(score) = answer.score() else { break };
            if self.probe(&board) != Some(score) {
                result.wrong.push(board);
            }
            result.checked += 1;
            watch.advance(1);
        }
        Ok(result)
    }
}

/// Refuses what is not a regular file: a pipe would be waited for, and a device may never end.
///
/// # Errors
///
/// It is something else, or cannot be looked at.
pub(crate) fn regular(data: &std::fs::Metadata) -> std::io::Result<()> {
    if data.is_file() { Ok(()) } else { Err(std::io::Error::other("it is not a regular file")) }
}

fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    // Opening a pipe may take for ever, so it is looked at before.
    regular(&std::fs::metadata(path)?)?;
    let mut file = std::fs::File::open(path)?;
    regular(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Packs bytes, a few milliseconds' worth at a time; `None` if the watcher stopped the work.
fn packed(bytes: &[u8], watch: &dyn Watch) -> Option<Vec<u8>> {
    const AT_ONCE: usize = 1 << 14;
    // Packing into memory fails only if the level is out of range, which 19 is not.
    let whole = "zstd packs what it is given";
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 19).expect(whole);
    encoder.set_pledged_src_size(Some(bytes.len() as u64)).expect(whole);
    for part in bytes.chunks(AT_ONCE) {
        if watch.stopped() {
            return None;
        }
        encoder.write_all(part).expect(whole);
    }
    Some(encoder.finish().expect(whole))
}

/// Width, height, k, plies and the floors of the columns.
pub(crate) fn header(places: &Places) -> Vec<u8> {
    let board = &places.board;
    // A k beyond the board is as good as any other such k.
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
