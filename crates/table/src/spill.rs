//! What a tier's writer keeps on disk until the tier is complete.
//!
//! ```text
//! put(first, cells)  ──▶  fragments: runs, cut at every 256th slot  ──▶  a temporary file, as they come
//!                         sorted by slot, merged where they meet    ──▶  the runs of each block, in order
//! ```
//!
//! Frequencies must be known before the first block can be coded, and slots come in any order. So they are
//! first turned into runs and kept in a file; the tier is coded from there. Memory stays small, and the
//! result depends neither on who was first nor on how the slots were cut into calls.
//!
//! A granule of 256 slots is kept as the number of its runs, their values, their first slots and their last ones.
//!
//! Invariant: a fragment lies within a piece, and no two fragments share a slot.

use crate::cell::Cell;
use crate::codec::find::{Found, MOST};
use crate::codec::runs::Blocks;
use crate::{TableError, disk};
use outplay_core::numbers::{put_number, take_number};
use rustc_hash::FxHashSet;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Slots that are coded as a whole by one thread.
pub(crate) const PIECE: u64 = 1 << 16;
/// The smallest block; runs are cut at its borders, so that blocks of any larger size can be made.
pub(crate) const GRANULE: u64 = MOST as u64;
/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 20;
/// More different values than this are not collected.
const MOST_VALUES: usize = 1 << 10;

/// Takes slots.
pub(crate) struct Spill {
    file: File,
    path: Temporary,
    spec: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    fragments: Vec<Fragment>,
    /// What is not written yet, and where it belongs.
    buffer: Vec<u8>,
    place: u64,
    known: u64,
    values: Seen,
    failed: bool,
}

/// Different values: small ones by place, which is all that bytes need.
struct Seen {
    small: [bool; 256],
    large: FxHashSet<u64>,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { small: [false; 256], large: FxHashSet::default() }
    }
}

impl Seen {
    #[inline(always)]
    fn add(&mut self, value: u64) {
        if value < 256 {
            self.small[value as usize] = true;
        } else if self.large.len() <= MOST_VALUES {
            self.large.insert(value);
        }
    }

    fn merge(&mut self, other: Seen) {
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

/// Hands out what was taken.
pub(crate) struct Spilled {
    file: File,
    path: Temporary,
    spec: String,
    /// By slot.
    fragments: Vec<Fragment>,
    /// Where the file ends.
    end: u64,
    /// The different values, in increasing order of their bit patterns.
    pub(crate) values: Vec<u64>,
    /// Slots that are no don't-cares.
    pub(crate) known: u64,
}

/// Removes a file that did not get its final name.
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the table is opened the next time.
        let _ = fs::remove_file(&self.0);
    }
}

/// Why a spill cannot be used.
pub(crate) enum Unusable {
    /// Two calls put this slot.
    Twice(u64),
    /// A call failed before.
    Failed,
    Disk(TableError),
}

impl Spill {
    pub(crate) fn create(path: PathBuf, spec: &str) -> Result<Spill, TableError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|e| TableError::io("create it", &path, spec, e))?;
        Ok(Spill { file, path: Temporary(path), spec: spec.into(), state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the state is changed marks it as failed by leaving the buffer unwritten; nothing
        // that was entered before is wrong.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the slots from `first` on.
    pub(crate) fn put<C: Cell>(&self, mut first: u64, mut cells: &[C]) -> Result<(), TableError> {
        let (mut bytes, mut found) = (Vec::new(), Found::new());
        while !cells.is_empty() {
            let (fragment, rest) = cells.split_at(cells.len().min((PIECE - first % PIECE) as usize));
            bytes.clear();
            let mut values = Seen::default();
            let known = write_runs(first, fragment, &mut bytes, &mut found, &mut values);
            // Slots that nobody puts are don't-cares, so those that are need no fragment.
            if known > 0 {
                self.keep(first, fragment.len() as u32, &bytes, known, values)?;
            }
            first += fragment.len() as u64;
            cells = rest;
        }
        Ok(())
    }

    fn keep(&self, first: u64, slots: u32, bytes: &[u8], known: u64, values: Seen) -> Result<(), TableError> {
        let mut state = self.state();
        let place = state.place + state.buffer.len() as u64;
        state.fragments.push(Fragment { first, slots, bytes: bytes.len() as u32, place });
        state.buffer.extend_from_slice(bytes);
        state.known += known;
        state.values.merge(values);
        if state.buffer.len() >= BUFFER { self.flush(&mut state) } else { Ok(()) }
    }

    fn flush(&self, state: &mut State) -> Result<(), TableError> {
        let buffer = std::mem::take(&mut state.buffer);
        let place = state.place;
        state.place += buffer.len() as u64;
        disk::write_at(&self.file, &buffer, place).map_err(|e| {
            state.failed = true;
            TableError::io("write it", &self.path.0, &self.spec, e)
        })
    }

    /// Ends taking and begins handing out.
    pub(crate) fn end(self) -> Result<Spilled, Unusable> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            return Err(Unusable::Failed);
        }
        self.flush(&mut state).map_err(Unusable::Disk)?;
        let State { mut fragments, values, known, place: state_end, .. } = std::mem::take(&mut *state);
        drop(state);
        sort(&mut fragments)?;
        let (values, end) = (values.sorted(), state_end);
        let Spill { file, path, spec, .. } = self;
        Ok(Spilled { file, path, spec, fragments, end, values, known })
    }
}

/// Brings fragments in order; no two of them may share a slot.
fn sort(fragments: &mut [Fragment]) -> Result<(), Unusable> {
    fragments.sort_unstable_by_key(|fragment| fragment.first);
    for pair in fragments.windows(2) {
        if pair[0].first + u64::from(pair[0].slots) > pair[1].first {
            return Err(Unusable::Twice(pair[1].first));
        }
    }
    Ok(())
}

/// Appends the runs of a fragment and returns how many of its slots are no don't-cares.
fn write_runs<C: Cell>(
    first: u64,
    mut cells: &[C],
    bytes: &mut Vec<u8>,
    found: &mut Found<C>,
    values: &mut Seen,
) -> u64 {
    let mut known = 0;
    let mut offset = (first % GRANULE) as u8;
    while !cells.is_empty() {
        let (granule, rest) = cells.split_at(cells.len().min(GRANULE as usize - usize::from(offset)));
        known += found.find(offset, granule);
        put_number(bytes, found.len() as u64);
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

impl Spilled {
    /// Bytes on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.fragments.iter().map(|fragment| u64::from(fragment.bytes)).sum()
    }

    /// The runs of a piece, cut at the borders of blocks, one list for each block; `value` says what a cell's bits are
    /// called there, different ones differently.
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
            // By far the most tables have bytes.
            1 => read_runs::<1, V>(bytes, granule, slots, &value, blocks),
            2 => read_runs::<2, V>(bytes, granule, slots, &value, blocks),
            4 => read_runs::<4, V>(bytes, granule, slots, &value, blocks),
            _ => read_runs::<8, V>(bytes, granule, slots, &value, blocks),
        })?;
        blocks.go_on(piece_slots.div_ceil(block_slots) as usize);
        Ok(())
    }

    /// By granule of a piece: how many runs it has, and how they begin and end.
    pub(crate) fn tallies(
        &self,
        piece: u64,
        width: usize,
        piece_slots: u32,
    ) -> Result<Vec<Tally>, TableError> {
        let mut tallies = vec![Tally::default(); u64::from(piece_slots).div_ceil(GRANULE) as usize];
        self.fragments(piece, |mut granule, mut bytes| {
            while !bytes.is_empty() {
                let count = usize::try_from(take_number(&mut bytes)?).ok()?;
                let (runs, rest) = bytes.split_at_checked(count.checked_mul(width + 2)?)?;
                let tally = tallies.get_mut(granule as usize)?;
                let value = |at: usize| {
                    runs[at..at + width].iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
                };
                if count > 0 {
                    let (first, last) = (value(0), value((count - 1) * width));
                    *tally = tally.and(Tally { runs: count as u32, first, last });
                }
                bytes = rest;
                granule += 1;
            }
            Some(())
        })?;
        Ok(tallies)
    }

    /// Reads the fragments of a piece in order; `read` is given the granule in which one begins, and its bytes.
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
                fail(std::io::Error::other("the temporary file was changed by someone else"))
            })?;
        }
        Ok(())
    }

    /// How many bytes each piece has here.
    pub(crate) fn by_piece(&self, pieces: u64) -> Vec<u64> {
        let mut bytes = vec![0; pieces as usize];
        for fragment in &self.fragments {
            bytes[(fragment.first / PIECE) as usize] += u64::from(fragment.bytes);
        }
        bytes
    }

    /// Takes out the fragments of pieces that other processes code, as a parcel for each of `size`.
    pub(crate) fn hand_over(
        &mut self,
        coder: &[u16],
        rank: usize,
        size: usize,
    ) -> Result<Vec<Vec<u8>>, TableError> {
        let mut parcels = vec![Vec::new(); size];
        let mut bytes = Vec::new();
        let of = |fragment: &Fragment| usize::from(coder[(fragment.first / PIECE) as usize]);
        for fragment in self.fragments.iter().filter(|fragment| of(fragment) != rank) {
            bytes.resize(fragment.bytes as usize, 0);
            disk::read_at(&self.file, &mut bytes, fragment.place)
                .map_err(|e| TableError::io("read it", &self.path.0, &self.spec, e))?;
            let parcel: &mut Vec<u8> = &mut parcels[of(fragment)];
            parcel.extend(fragment.first.to_le_bytes());
            parcel.extend(fragment.slots.to_le_bytes());
            parcel.extend(fragment.bytes.to_le_bytes());
            parcel.extend_from_slice(&bytes);
        }
        self.fragments.retain(|fragment| of(fragment) == rank);
        Ok(parcels)
    }

    /// Adds fragments that others handed over.
    pub(crate) fn take_over(&mut self, parcels: &[Vec<u8>]) -> Result<(), Unusable> {
        for mut parcel in parcels.iter().map(Vec::as_slice) {
            disk::write_at(&self.file, parcel, self.end)
                .map_err(|e| Unusable::Disk(TableError::io("write it", &self.path.0, &self.spec, e)))?;
            while let Some((head, rest)) = parcel.split_at_checked(16) {
                let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
                let (first, slots, bytes) = (number(&head[..8]), number(&head[8..12]), number(&head[12..]));
                let place = self.end + 16;
                self.fragments.push(Fragment { first, slots: slots as u32, bytes: bytes as u32, place });
                self.end = place + bytes;
                parcel = rest.get(bytes as usize..).unwrap_or_default();
            }
        }
        sort(&mut self.fragments)
    }

    /// Where the file is, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path.0
    }
}

/// How many runs some slots have, and the values of the first and the last.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) runs: u32,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Tally {
    /// With the slots behind: a run may go on in them.
    pub(crate) fn and(self, behind: Tally) -> Tally {
        match (self.runs, behind.runs) {
            (_, 0) => self,
            (0, _) => behind,
            (own, others) => {
                let runs = own + others - u32::from(self.last == behind.first);
                Tally { runs, first: self.first, last: behind.last }
            }
        }
    }
}

/// Reads the runs of a fragment that begins in a granule of its piece; `None` if the bytes are not such.
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
        let count = usize::try_from(take_number(&mut bytes)?).ok()?;
        let (runs, rest) = bytes.split_at_checked(count.checked_mul(WIDTH + 2)?)?;
        if granule * GRANULE >= piece_slots.into() {
            return None;
        }
        blocks.go_on((granule / granules) as usize);
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
