//! Building an opening book: a resumable, append-only log of solved shapes.
//!
//! ```text
//! FILE.partial:  header, then records in any order
//!   number of the shape (4 bytes)  number of scores (4 bytes)  the scores (a byte each)  checksum (8 bytes)
//! ```
//!
//! A layer is all positions with the same number of stones. The deepest layer is solved by search; the layers above it
//! are derived by one-ply minimax. A record holds a score for each colouring (owners of the stones) of one shape
//! (heights of the columns); the code calls its work a unit. Records are only appended; an incomplete record at the end
//! fails its checksum and is truncated on resume. The finished book is written to a temporary file, synced and renamed,
//! then the partial file is removed.
//!
//! Threads take shapes in order and share one transposition table, because neighbouring shapes lead to the same
//! positions.

use crate::book::{BookError, ZERO, header, regular};
use crate::places::{BookIndex, BookSlot, Colours};
use crate::solver::solve_with;
use crate::table::TranspositionTable;
use crate::{Book, Depth, board};
use outplay_core::LineBoard;
use outplay_runtime::{Deadline, Monitor, Pace};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8] = b"outplay partial book 1\n";

/// The scores of every solved shape, one byte per colouring.
type Units = Vec<Option<Vec<u8>>>;

/// Builder of an opening book; resumes an interrupted run.
pub struct Author {
    places: BookIndex,
    path: PathBuf,
    partial: PathBuf,
}

impl Author {
    /// Prepares a book for the empty board (stones on `board` are removed) with positions of up to `plies`
    /// stones, to be written to `path`.
    ///
    /// # Errors
    ///
    /// If the solver does not accept the board, or a book of this depth would not fit into memory.
    pub fn new(board: &LineBoard, plies: usize, path: &Path) -> Result<Author, BookError> {
        let places = BookIndex::new(board, plies)?;
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        Ok(Author { places, path: path.into(), partial: partial.into() })
    }

    /// Builds the book, or resumes an interrupted build.
    ///
    /// # Errors
    ///
    /// If files cannot be written, another process is writing them, or the monitor stops the work; solved
    /// shapes are kept on disk.
    pub fn build(
        &self,
        table_entries: usize,
        monitor: &dyn Monitor,
        threads: usize,
    ) -> Result<Book, BookError> {
        let plies = self.places.plies();
        let (mut file, mut units) = self.resume()?;
        let missing: Vec<usize> = (0..units.len()).filter(|&unit| units[unit].is_none()).collect();
        monitor.stage("solving openings", missing.len() as u64);
        if !missing.is_empty() {
            let Some(reachable) = self.reachable(monitor) else { return Err(self.stopped(&units)) };
            let table = TranspositionTable::new(table_entries, board::key_bits(&self.places.board))?;
            table.spread(&|| monitor.stopped());
            self.solve_units(&missing, &reachable, &table, monitor, threads, &mut file, &mut units)?;
        }
        let stopped = self.stopped(&units);
        if units.iter().any(Option::is_none) {
            return Err(stopped);
        }
        let mut layers = vec![units.into_iter().flatten().flatten().collect::<Vec<u8>>()];
        for ply in (0..plies).rev() {
            let Some(above) = self.derive(ply, &layers[layers.len() - 1], monitor) else {
                return Err(stopped);
            };
            layers.push(above);
        }
        layers.reverse();
        let places = BookIndex::new(&self.places.board, plies)?;
        let Some(book) = Book::pack(places, layers, monitor) else { return Err(stopped) };
        self.publish(&book.to_bytes()).map_err(|source| self.trouble(&self.path, source))?;
        Ok(book)
    }

    fn stopped(&self, units: &Units) -> BookError {
        BookError::Stopped { done: units.iter().flatten().count(), units: units.len() }
    }

    /// Solves shapes in parallel and appends a record for each.
    #[allow(clippy::too_many_arguments)]
    fn solve_units(
        &self,
        missing: &[usize],
        reachable: &[bool],
        table: &TranspositionTable,
        monitor: &dyn Monitor,
        threads: usize,
        file: &mut File,
        units: &mut Units,
    ) -> Result<(), BookError> {
        let next = AtomicUsize::new(0);
        let sink = Mutex::new((file, units));
        let work = || -> Result<(), BookError> {
            while let Some(&unit) = missing.get(next.fetch_add(1, Relaxed)) {
                let Some(scores) = self.solve_unit(unit, reachable, table, monitor) else { return Ok(()) };
                // A poisoned lock means that another thread has panicked already.
                let mut sink = sink.lock().expect("no writer of the book has failed");
                sink.0.write_all(&record(unit, &scores)).map_err(|e| self.trouble(&self.partial, e))?;
                sink.1[unit] = Some(scores);
                monitor.advance(1);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            // A panic in a worker is a bug in this crate and must not be hidden.
            workers.into_iter().try_for_each(|worker| worker.join().expect("a worker failed"))
        })
    }

    /// Solves all colourings of a shape; `None` if the monitor stopped the work.
    fn solve_unit(
        &self,
        unit: usize,
        reachable: &[bool],
        table: &TranspositionTable,
        monitor: &dyn Monitor,
    ) -> Option<Vec<u8>> {
        let ply = self.places.plies();
        // The nodes of a search do not count as progress of the book.
        let silent = Deadline::new(None, monitor).silent();
        let mut pace = Pace::new(monitor);
        let mut previous = ZERO as u8;
        (0..self.places.colourings(ply))
            .map(|colouring| {
                if pace.step() {
                    return None;
                }
                let place = BookSlot { ply, unit, colouring };
                if !reachable[self.places.number(place)] {
                    return Some(previous);
                }
                let colours = self.places.position(place);
                if self.places.settled(colours).is_none() {
                    let board = self.places.board_of(colours);
                    let answer = solve_with(table, &board, Depth::Score, None, &silent, 1);
                    previous = (answer.score()? + ZERO) as u8;
                }
                Some(previous)
            })
            .collect()
    }

    /// Marks the reachable entries of the deepest layer; `None` if the monitor stopped the work.
    fn reachable(&self, monitor: &dyn Monitor) -> Option<Vec<bool>> {
        let mut layer = vec![true];
        let mut moves = Vec::new();
        let mut pace = Pace::new(monitor);
        for ply in 0..self.places.plies() {
            let mut next = vec![false; self.places.len(ply + 1)];
            for number in (0..layer.len()).filter(|&number| layer[number]) {
                if pace.step() {
                    return None;
                }
                let colours = self.places.position(self.places.entry(ply, number));
                if self.places.finished(colours) {
                    continue;
                }
                self.places.successors(colours, &mut moves);
                for place in moves.iter().filter_map(|&after| self.places.place(after)) {
                    next[self.places.number(place)] = true;
                }
            }
            layer = next;
        }
        Some(layer)
    }

    /// Derives a layer from the next deeper one by one-ply minimax; `None` if the monitor stopped the work.
    fn derive(&self, ply: usize, deeper: &[u8], monitor: &dyn Monitor) -> Option<Vec<u8>> {
        let mut pace = Pace::new(monitor);
        let mut moves = Vec::new();
        let mut previous = ZERO as u8;
        let score = |after: &Colours| {
            let stored =
                || self.places.place(*after).map(|place| i32::from(deeper[self.places.number(place)]) - ZERO);
            self.places.settled(*after).or_else(stored)
        };
        (0..self.places.len(ply))
            .map(|number| {
                if pace.step() {
                    return None;
                }
                let colours = self.places.position(self.places.entry(ply, number));
                if self.places.settled(colours).is_none() {
                    self.places.successors(colours, &mut moves);
                    // Unreachable entries get an arbitrary score; no probe ever reads it.
                    let best = moves.iter().filter_map(score).map(|score| -score).max();
                    previous = (best.unwrap_or(0) + ZERO) as u8;
                }
                Some(previous)
            })
            .collect()
    }

    /// Opens the partial file and reads the shapes solved by earlier runs.
    fn resume(&self) -> Result<(File, Units), BookError> {
        let trouble = |source| self.trouble(&self.partial, source);
        if let Ok(data) = std::fs::metadata(&self.partial) {
            regular(&data).map_err(trouble)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&self.partial)
            .map_err(trouble)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BookError::Locked { path: self.partial.clone() }),
            Err(TryLockError::Error(source)) => return Err(trouble(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(trouble)?;
        let mut start = MAGIC.to_vec();
        start.extend(header(&self.places));
        let ply = self.places.plies();
        let mut units = vec![None; self.places.units(ply)];
        let mut good = start.len();
        if is_incomplete_header(&bytes, &start) {
            file.seek(SeekFrom::Start(0)).map_err(trouble)?;
            file.write_all(&start).map_err(trouble)?;
        } else if !bytes.starts_with(&start) {
            return Err(BookError::Other { path: self.partial.clone() });
        } else {
            while let Some((unit, scores, length)) = read_record(&bytes[good..]) {
                if unit >= units.len() || scores.len() != self.places.colourings(ply) {
                    break;
                }
                units[unit] = Some(scores.to_vec());
                good += length;
            }
        }
        file.set_len(good as u64).map_err(trouble)?;
        file.seek(SeekFrom::End(0)).map_err(trouble)?;
        Ok((file, units))
    }

    /// Publishes the finished book atomically: a reader sees all of it or nothing.
    fn publish(&self, bytes: &[u8]) -> std::io::Result<()> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".new");
        let mut file = File::create(&name)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&name, &self.path)?;
        // Sync the directory before removing the partial file, which may be hours of work.
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        std::fs::remove_file(&self.partial)
    }

    fn trouble(&self, path: &Path, source: std::io::Error) -> BookError {
        BookError::File { path: path.into(), source }
    }
}

/// Whether a partial file is new, or a crash left only part of its header: truncated, or with zeros where pages
/// were not written. Zeros among the floors may belong to another board. Before the floors, the only other
/// unfinished book with a zero byte is one of 0 plies, which costs nothing to rebuild.
fn is_incomplete_header(bytes: &[u8], start: &[u8]) -> bool {
    let same = bytes.iter().zip(start).take_while(|(found, meant)| found == meant).count();
    let lost = bytes.iter().zip(start).all(|(found, meant)| found == meant || *found == 0);
    let floors = MAGIC.len() + 4;
    same < start.len() && (bytes[same..].iter().all(|&byte| byte == 0) || (lost && same < floors))
}

fn record(unit: usize, scores: &[u8]) -> Vec<u8> {
    let mut bytes = (unit as u32).to_le_bytes().to_vec();
    bytes.extend((scores.len() as u32).to_le_bytes());
    bytes.extend(scores);
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// Parses the record at the start of `bytes`: unit, scores and length; `None` if it is torn.
fn read_record(bytes: &[u8]) -> Option<(usize, &[u8], usize)> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let (unit, end) = (word(0)?, 8 + word(4)?);
    let checksum = u64::from_le_bytes(bytes.get(end..end + 8)?.try_into().ok()?);
    (xxh3_64(&bytes[..end]) == checksum).then(|| (unit, &bytes[8..end], end + 8))
}
