//! Spill file of a tier: a temporary file of runs, written in any order and read in slot order.
//!
//! ```text
//! slots     |<------------ piece: 65,536 slots ------------>|<-- next piece
//!           | granule: 256 | granule | granule | …
//! fragment        |<-- slots of one put -->|       cut at piece borders, its runs at granule borders
//!
//! put(first, cells)  ──▶  fragments, appended to the file as they come
//! end(), blocks()    ──▶  fragments sorted by slot  ──▶  runs of each block, in order, merged where adjacent
//! ```
//!
//! The model must be trained before the first block can be encoded, and slots arrive in any order. They are therefore
//! first stored as runs in a temporary file, from which the tier is encoded. Memory use stays small, and the result
//! depends neither on the order of the calls nor on their sizes.
//!
//! A fragment stores for each granule the number of its runs, their values, their first slots and their last slots.
//!
//! Invariant: a fragment lies within a piece, and no two fragments overlap.

use crate::cell::Cell;
use crate::codec::find::{MOST, RunFinder};
use crate::codec::runs::Blocks;
use crate::{TableError, disk};
use outplay_runtime::varint::{read_varint, write_varint};
use rustc_hash::FxHashSet;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Slots of a piece: the unit of work of a thread.
pub(crate) const PIECE: u64 = 1 << 16;
/// The smallest block; runs are cut at its borders, so that blocks of any larger size can be formed.
pub(crate) const GRANULE: u64 = MOST as u64;
/// Size of the write buffer.
const BUFFER: usize = 1 << 20;
/// Limit on the collected values; a tier with more is not coded as runs.
const MOST_VALUES: usize = 1 << 10;

/// Spill file while slots are being put.
pub(crate) struct SpillWriter {
    file: File,
    path: TemporaryFile,
    spec: String,
    state: Mutex<SpillState>,
}

#[derive(Default)]
struct SpillState {
    fragments: Vec<Fragment>,
    /// Bytes not yet written, and their offset in the file.
    buffer: Vec<u8>,
    place: u64,
    known: u64,
    values: ValueSet,
    failed: bool,
}

/// Set of values: a bit per byte value, a hash set for larger values.
struct ValueSet {
    small: [bool; 256],
    large: FxHashSet<u64>,
}

impl Default for ValueSet {
    fn default() -> ValueSet {
        ValueSet { small: [false; 256], large: FxHashSet::default() }
    }
}

impl ValueSet {
    #[inline(always)]
    fn add(&mut self, value: u64) {
        if value < 256 {
            self.small[value as usize] = true;
        } else if self.large.len() <= MOST_VALUES {
            self.large.insert(value);
        }
    }

    fn merge(&mut self, other: ValueSet) {
        self.small.iter_mut().zip(other.small).for_each(|(mine, theirs)| *mine |= theirs);
        other.large.into_iter().for_each(|value| self.add(value));
    }

    fn sorted(self) -> Vec<u64> {
        let small = (0..256u64).filter(|&value| self.small[value as usize]);
        let mut large: Vec<u64> = self.large.into_iter().collect();
        large.sort_unstable();
        small.chain(large).collect()
    }
}

#[derive(Clone, Copy)]
struct Fragment {
    first: u64,
    slots: u32,
    bytes: u32,
    place: u64,
}

/// Spill file after the last put: read-only source of runs.
pub(crate) struct SpillReader {
    file: File,
    path: TemporaryFile,
    spec: String,
    /// Sorted by slot.
    fragments: Vec<Fragment>,
    /// Size of the file.
    end: u64,
    /// The different values, in increasing order of their bit patterns.
    pub(crate) values: Vec<u64>,
    /// Number of defined slots.
    pub(crate) known: u64,
}

/// Temporary file, removed on drop.
pub(crate) struct TemporaryFile(pub(crate) PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // A file that cannot be removed now is removed when the table is next opened.
        let _ = fs::remove_file(&self.0);
    }
}

/// Reason why a spill file is unusable.
pub(crate) enum SpillError {
    /// This slot was put twice.
    Twice(u64),
    /// An earlier put failed.
    Failed,
    Disk(TableError),
}

impl SpillWriter {
    pub(crate) fn create(path: PathBuf, spec: &str) -> Result<SpillWriter, TableError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|e| TableError::io("create it", &path, spec, e))?;
        Ok(SpillWriter { file, path: TemporaryFile(path), spec: spec.into(), state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, SpillState> {
        // No update of the state panics midway, so a poisoned lock still guards a consistent state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the slots from `first` on.
    pub(crate) fn put<C: Cell>(&self, mut first: u64, mut cells: &[C]) -> Result<(), TableError> {
        let (mut bytes, mut found) = (Vec::new(), RunFinder::new());
        while !cells.is_empty() {
            let (fragment, rest) = cells.split_at(cells.len().min((PIECE - first % PIECE) as usize));
            bytes.clear();
            let mut values = ValueSet::default();
            let known = write_runs(first, fragment, &mut bytes, &mut found, &mut values);
            // Slots without a fragment are don't-cares, so a fragment of don't-cares is not stored.
            if known > 0 {
                self.store(first, fragment.len() as u32, &bytes, known, values)?;
            }
            first += fragment.len() as u64;
            cells = rest;
        }
        Ok(())
    }

    fn store(
        &self,
        first: u64,
        slots: u32,
        bytes: &[u8],
        known: u64,
        values: ValueSet,
    ) -> Result<(), TableError> {
        let mut state = self.state();
        let place = state.place + state.buffer.len() as u64;
        state.fragments.push(Fragment { first, slots, bytes: bytes.len() as u32, place });
        state.buffer.extend_from_slice(bytes);
        state.known += known;
        state.values.merge(values);
        if state.buffer.len() >= BUFFER { self.flush(&mut state) } else { Ok(()) }
    }

    fn flush(&self, state: &mut SpillState) -> Result<(), TableError> {
        let buffer = std::mem::take(&mut state.buffer);
        let place = state.place;
        state.place += buffer.len() as u64;
        disk::write_at(&self.file, &buffer, place).map_err(|e| {
            state.failed = true;
            TableError::io("write it", &self.path.0, &self.spec, e)
        })
    }

    /// Flushes the file and sorts the fragments.
    pub(crate) fn end(self) -> Result<SpillReader, SpillError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            return Err(SpillError::Failed);
        }
        self.flush(&mut state).map_err(SpillError::Disk)?;
        let SpillState { mut fragments, values, known, place: state_end, .. } = std::mem::take(&mut *state);
        drop(state);
        sort(&mut fragments)?;
        let (values, end) = (values.sorted(), state_end);
        let SpillWriter { file, path, spec, .. } = self;
        Ok(SpillReader { file, path, spec, fragments, end, values, known })
    }
}

/// Sorts fragments by slot; an overlap is an error.
fn sort(fragments: &mut [Fragment]) -> Result<(), SpillError> {
    fragments.sort_unstable_by_key(|fragment| fragment.first);
    for pair in fragments.windows(2) {
        if pair[0].first + u64::from(pair[0].slots) > pair[1].first {
            return Err(SpillError::Twice(pair[1].first));
        }
    }
    Ok(())
}

/// Appends the runs of a fragment and returns the number of defined slots.
fn write_runs<C: Cell>(
    first: u64,
    mut cells: &[C],
    bytes: &mut Vec<u8>,
    found: &mut RunFinder<C>,
    values: &mut ValueSet,
) -> u64 {
    let mut known = 0;
    let mut offset = (first % GRANULE) as u8;
    while !cells.is_empty() {
        let (granule, rest) = cells.split_at(cells.len().min(GRANULE as usize - usize::from(offset)));
        known += found.find(offset, granule);
        write_varint(bytes, found.len() as u64);
        for value in found.values().iter().map(|value| value.to_bits()) {
            bytes.extend_from_slice(&value.to_le_bytes()[..C::KIND.bytes()]);
            values.add(value);
        }
        bytes.extend_from_slice(found.firsts());
        bytes.extend_from_slice(found.lasts());
        offset = 0;
        cells = rest;
    }
    known
}

impl SpillReader {
    /// Bytes on disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.fragments.iter().map(|fragment| u64::from(fragment.bytes)).sum()
    }

    /// Collects the runs of a piece by block, cut at the blocks' borders; `value` maps a cell's bits injectively to the
    /// values of the runs.
    pub(crate) fn blocks<V: Copy + PartialEq>(
        &self,
        piece: u64,
        width: usize,
        (piece_slots, block_slots): (u32, u32),
        value: impl Fn(u64) -> V,
        blocks: &mut Blocks<V>,
    ) -> Result<(), TableError> {
        blocks.clear();
        let slots = (piece_slots, block_slots);
        self.fragments(piece, |granule, bytes| match width {
            // Most tables have byte cells.
            1 => read_runs::<1, V>(bytes, granule, slots, &value, blocks),
            2 => read_runs::<2, V>(bytes, granule, slots, &value, blocks),
            4 => read_runs::<4, V>(bytes, granule, slots, &value, blocks),
            _ => read_runs::<8, V>(bytes, granule, slots, &value, blocks),
        })?;
        blocks.advance_to(piece_slots.div_ceil(block_slots) as usize);
        Ok(())
    }

    /// By granule of a piece: the number of runs, the first and the last value.
    pub(crate) fn run_counts(
        &self,
        piece: u64,
        width: usize,
        piece_slots: u32,
    ) -> Result<Vec<RunCount>, TableError> {
        let mut run_counts = vec![RunCount::default(); u64::from(piece_slots).div_ceil(GRANULE) as usize];
        self.fragments(piece, |mut granule, mut bytes| {
            while !bytes.is_empty() {
                let count = usize::try_from(read_varint(&mut bytes)?).ok()?;
                let (runs, rest) = bytes.split_at_checked(count.checked_mul(width + 2)?)?;
                let run_count = run_counts.get_mut(granule as usize)?;
                let value = |at: usize| {
                    runs[at..at + width].iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
                };
                if count > 0 {
                    let (first, last) = (value(0), value((count - 1) * width));
                    *run_count = run_count.and(RunCount { runs: count as u32, first, last });
                }
                bytes = rest;
                granule += 1;
            }
            Some(())
        })?;
        Ok(run_counts)
    }

    /// Reads the fragments of a piece in order; `read` receives a fragment's first granule and its bytes.
    fn fragments(
        &self,
        piece: u64,
        mut read: impl FnMut(u64, &[u8]) -> Option<()>,
    ) -> Result<(), TableError> {
        let start = piece * PIECE;
        let from = self.fragments.partition_point(|fragment| fragment.first < start);
        let fail = |e| TableError::io("read it", &self.path.0, &self.spec, e);
        let mut bytes = Vec::new();
        for fragment in self.fragments[from..].iter().take_while(|f| f.first < start + PIECE) {
            bytes.resize(fragment.bytes as usize, 0);
            disk::read_at(&self.file, &mut bytes, fragment.place).map_err(fail)?;
            read((fragment.first - start) / GRANULE, &bytes).ok_or_else(|| {
                fail(std::io::Error::other("the temporary file was changed by another process"))
            })?;
        }
        Ok(())
    }

    /// Bytes of each piece in this file.
    pub(crate) fn by_piece(&self, pieces: u64) -> Vec<u64> {
        let mut bytes = vec![0; pieces as usize];
        for fragment in &self.fragments {
            bytes[(fragment.first / PIECE) as usize] += u64::from(fragment.bytes);
        }
        bytes
    }

    /// Removes the fragments of pieces that other ranks encode, and returns them as one message per rank.
    pub(crate) fn take_fragments(
        &mut self,
        coder: &[u16],
        rank: usize,
        size: usize,
    ) -> Result<Vec<Vec<u8>>, TableError> {
        let mut messages = vec![Vec::new(); size];
        let mut bytes = Vec::new();
        let of = |fragment: &Fragment| usize::from(coder[(fragment.first / PIECE) as usize]);
        for fragment in self.fragments.iter().filter(|fragment| of(fragment) != rank) {
            bytes.resize(fragment.bytes as usize, 0);
            disk::read_at(&self.file, &mut bytes, fragment.place)
                .map_err(|e| TableError::io("read it", &self.path.0, &self.spec, e))?;
            let message: &mut Vec<u8> = &mut messages[of(fragment)];
            message.extend(fragment.first.to_le_bytes());
            message.extend(fragment.slots.to_le_bytes());
            message.extend(fragment.bytes.to_le_bytes());
            message.extend_from_slice(&bytes);
        }
        self.fragments.retain(|fragment| of(fragment) == rank);
        Ok(messages)
    }

    /// Appends fragments received from other ranks.
    pub(crate) fn add_fragments(&mut self, messages: &[Vec<u8>]) -> Result<(), SpillError> {
        for mut message in messages.iter().map(Vec::as_slice) {
            disk::write_at(&self.file, message, self.end)
                .map_err(|e| SpillError::Disk(TableError::io("write it", &self.path.0, &self.spec, e)))?;
            while let Some((head, rest)) = message.split_at_checked(16) {
                let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
                let (first, slots, bytes) = (number(&head[..8]), number(&head[8..12]), number(&head[12..]));
                let place = self.end + 16;
                self.fragments.push(Fragment { first, slots: slots as u32, bytes: bytes as u32, place });
                self.end = place + bytes;
                message = rest.get(bytes as usize..).unwrap_or_default();
            }
        }
        sort(&mut self.fragments)
    }

    /// Path of the file, for error messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path.0
    }
}

/// Number of runs in a range of slots, and the values of the first and the last run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct RunCount {
    pub(crate) runs: u32,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl RunCount {
    /// Concatenates two adjacent ranges; a run may continue across the border.
    pub(crate) fn and(self, behind: RunCount) -> RunCount {
        match (self.runs, behind.runs) {
            (_, 0) => self,
            (0, _) => behind,
            (own, others) => {
                let runs = own + others - u32::from(self.last == behind.first);
                RunCount { runs, first: self.first, last: behind.last }
            }
        }
    }
}

/// Parses the runs of a fragment that begins in `granule` of its piece; `None` if the bytes are malformed.
fn read_runs<const WIDTH: usize, V: Copy + PartialEq>(
    mut bytes: &[u8],
    mut granule: u64,
    (piece_slots, block_slots): (u32, u32),
    value: &impl Fn(u64) -> V,
    blocks: &mut Blocks<V>,
) -> Option<()> {
    let granules = u64::from(block_slots) / GRANULE;
    while !bytes.is_empty() {
        // Blocks have at most 16,384 slots.
        let base = (granule % granules * GRANULE) as u16;
        let count = usize::try_from(read_varint(&mut bytes)?).ok()?;
        let (runs, rest) = bytes.split_at_checked(count.checked_mul(WIDTH + 2)?)?;
        if granule * GRANULE >= piece_slots.into() {
            return None;
        }
        blocks.advance_to((granule / granules) as usize);
        let (values, slots) = runs.split_at(count * WIDTH);
        let (firsts, lasts) = slots.split_at(count);
        let values = values.chunks_exact(WIDTH).map(|run| {
            let mut bits = [0; 8];
            bits[..WIDTH].copy_from_slice(run);
            value(u64::from_le_bytes(bits))
        });
        blocks.push(base, values, firsts, lasts);
        bytes = rest;
        granule += 1;
    }
    Some(())
}
