//! What a tier's writer keeps on disk until the tier is complete.
//!
//! Frequencies must be known before the first block can be coded, and pieces come in any order. So pieces
//! are first turned into runs, granule by granule, and put into a temporary file as they come; the tier is
//! coded from there in order. Memory stays small, and the result does not depend on who was first.

use crate::cell::Cell;
use crate::codec::model::{put_number, take_number};
use crate::codec::runs::{Run, push, runs_of};
use crate::{TableError, disk};
use rustc_hash::FxHashSet;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Slots that are put at once.
pub(crate) const PIECE: u64 = 1 << 16;
/// The smallest block; runs are cut at its borders, so that blocks of any larger size can be made.
pub(crate) const GRANULE: usize = 1 << 8;

pub(crate) struct Spill {
    file: File,
    path: PathBuf,
    spec: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    end: u64,
    /// Where each piece is; the length is 0 if it was not put yet.
    pieces: Vec<(u64, u32)>,
    missing: u64,
    runs: u64,
    values: FxHashSet<u64>,
    failed: bool,
}

/// What all pieces together have shown.
pub(crate) struct Seen {
    /// The different values, in increasing order of their bit patterns.
    pub(crate) values: Vec<u64>,
    /// Runs, counted granule by granule.
    pub(crate) runs: u64,
    /// Pieces that were never put.
    pub(crate) missing: u64,
    /// A piece could not be written.
    pub(crate) failed: bool,
}

/// More different values than this are not collected.
const MOST_VALUES: usize = 1 << 10;

impl Spill {
    pub(crate) fn create(path: PathBuf, slots: u64, spec: &str) -> Result<Spill, TableError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|e| TableError::io("create it", &path, spec, e))?;
        let pieces = slots.div_ceil(PIECE);
        let state = State { pieces: vec![(0, 0); pieces as usize], missing: pieces, ..State::default() };
        Ok(Spill { file, path, spec: spec.into(), state: Mutex::new(state) })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is changed in one go at the end of `put`, so that a panic elsewhere leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a piece; false if it was put before.
    pub(crate) fn put<C: Cell>(&self, piece: u64, cells: &[C]) -> Result<bool, TableError> {
        let width = C::KIND.bytes();
        let (mut bytes, mut runs) = (Vec::new(), Vec::new());
        let mut values = FxHashSet::default();
        let mut count = 0;
        for granule in cells.chunks(GRANULE) {
            runs_of(granule, &mut runs);
            put_number(&mut bytes, runs.len() as u64);
            for run in &runs {
                bytes.extend_from_slice(&run.value.to_le_bytes()[..width]);
                bytes.extend([run.first as u8, run.last as u8]);
                if values.len() <= MOST_VALUES {
                    values.insert(run.value);
                }
            }
            count += runs.len() as u64;
        }
        let place = {
            let mut state = self.state();
            let place = state.end;
            if state.pieces[piece as usize].1 > 0 {
                return Ok(false);
            }
            state.end += bytes.len() as u64;
            state.pieces[piece as usize] = (place, bytes.len() as u32);
            state.missing -= 1;
            state.runs += count;
            if state.values.len() <= MOST_VALUES {
                state.values.extend(values);
            }
            place
        };
        disk::write_at(&self.file, &bytes, place).map_err(|e| {
            self.state().failed = true;
            TableError::io("write it", &self.path, &self.spec, e)
        })?;
        Ok(true)
    }

    pub(crate) fn seen(&self) -> Seen {
        let state = self.state();
        let mut values: Vec<u64> = state.values.iter().copied().collect();
        values.sort_unstable();
        Seen { values, runs: state.runs, missing: state.missing, failed: state.failed }
    }

    /// The runs of a piece, cut at the borders of blocks, one list for each block.
    pub(crate) fn blocks(
        &self,
        piece: u64,
        width: usize,
        piece_slots: u32,
        block_slots: u32,
    ) -> Result<Vec<Vec<Run<u64>>>, TableError> {
        let (place, length) = self.state().pieces[piece as usize];
        let mut bytes = vec![0; length as usize];
        disk::read_at(&self.file, &mut bytes, place)
            .map_err(|e| TableError::io("read it", &self.path, &self.spec, e))?;
        let mut blocks = vec![Vec::new(); piece_slots.div_ceil(block_slots) as usize];
        self.parse(&bytes, width, block_slots, &mut blocks).ok_or_else(|| {
            let source = std::io::Error::other("the temporary file was changed by someone else");
            TableError::io("read it", &self.path, &self.spec, source)
        })?;
        Ok(blocks)
    }

    fn parse(
        &self,
        mut bytes: &[u8],
        width: usize,
        block_slots: u32,
        blocks: &mut [Vec<Run<u64>>],
    ) -> Option<()> {
        let granules = block_slots as usize / GRANULE;
        let mut granule = 0;
        while !bytes.is_empty() {
            let block = blocks.get_mut(granule / granules)?;
            let base = (granule % granules * GRANULE) as u32;
            for _ in 0..take_number(&mut bytes)? {
                let (run, rest) = bytes.split_at_checked(width + 2)?;
                let mut value = [0; 8];
                value[..width].copy_from_slice(&run[..width]);
                let (first, last) = (base + u32::from(run[width]), base + u32::from(run[width + 1]));
                push(block, Run { value: u64::from_le_bytes(value), first, last });
                bytes = rest;
            }
            granule += 1;
        }
        Some(())
    }

    /// Where the file is, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the table is opened the next time.
        let _ = fs::remove_file(&self.path);
    }
}
