//! One tier on its way to the disk.

use crate::cell::Cell;
use crate::codec::model::put_number;
use crate::error::file_name;
use crate::header::{HEADER, Header};
use crate::manifest::Written;
use crate::pack::Plan;
use crate::spill::{PIECE, Spill};
use crate::writer::Writer;
use crate::{TableError, disk};
use outplay_core::Tier;
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::Write;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Takes the pieces of a tier, in any order and from any thread, and then writes its file.
///
/// Dropped before [`TierWriter::finish`], it leaves nothing behind.
pub struct TierWriter<'a, C> {
    writer: &'a Writer,
    tier: Tier,
    slots: u64,
    spill: Spill,
    cells: PhantomData<fn(C)>,
}

/// Removes a file that did not get its final name.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl<'a, C: Cell> TierWriter<'a, C> {
    /// Slots in a piece; the last one of a tier may have fewer.
    pub const PIECE: u64 = PIECE;

    pub(crate) fn new(writer: &'a Writer, tier: Tier, slots: u64) -> Result<Self, TableError> {
        let path = writer.dir().join(format!("{}spill-{}", disk::TEMPORARY, file_name(tier)));
        let spill = Spill::create(path, slots, &writer.identity().spec)?;
        Ok(TierWriter { writer, tier, slots, spill, cells: PhantomData })
    }

    /// How many pieces the tier has.
    pub fn pieces(&self) -> u64 {
        self.slots.div_ceil(PIECE)
    }

    /// How many slots the tier has.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Puts piece number `piece`: the slots from `piece × PIECE` on. Don't-cares are [`Cell::UNKNOWN`].
    ///
    /// # Errors
    ///
    /// A full disk; a piece that does not exist, has the wrong length or was put before.
    pub fn put(&self, piece: u64, cells: &[C]) -> Result<(), TableError> {
        let first = piece.checked_mul(PIECE).filter(|&first| first < self.slots);
        if first.map(|first| (self.slots - first).min(PIECE)) != Some(cells.len() as u64) {
            return Err(self.misuse(format!("piece {piece} of {} cells does not fit", cells.len())));
        }
        if !self.spill.put(piece, cells)? {
            return Err(self.misuse(format!("piece {piece} was put twice")));
        }
        Ok(())
    }

    /// Puts a whole tier that is in memory, on all threads.
    ///
    /// # Errors
    ///
    /// Those of [`TierWriter::put`].
    pub fn put_all(&self, cells: &[C]) -> Result<(), TableError> {
        if cells.len() as u64 != self.slots {
            return Err(self.misuse(format!("{} cells for {} slots", cells.len(), self.slots)));
        }
        cells.par_chunks(PIECE as usize).enumerate().try_for_each(|(i, cells)| self.put(i as u64, cells))
    }

    /// Codes the tier, puts its file in place and enters it in the manifest. What it writes depends only on
    /// the cells.
    ///
    /// # Errors
    ///
    /// A full disk, or a piece that was not put.
    pub fn finish(self) -> Result<(), TableError> {
        let seen = self.spill.seen();
        if seen.missing > 0 || seen.failed {
            return Err(self.misuse(format!("{} pieces are missing", seen.missing.max(1))));
        }
        let identity = self.writer.identity().number();
        let plan = Plan::new(&self.spill, &seen, self.slots, C::KIND.bytes(), identity, self.tier.0)?;
        let target = self.writer.dir().join(file_name(self.tier));
        let name = format!("{}{}", disk::TEMPORARY, file_name(self.tier));
        let temporary = Temporary(self.writer.dir().join(name));
        let written = self.write(&plan, &temporary.0, identity)?;
        disk::publish(&temporary.0, &target, &self.writer.identity().spec)?;
        self.writer.enter(self.tier, written)
    }

    fn write(&self, plan: &Plan<'_>, path: &Path, identity: u64) -> Result<Written, TableError> {
        let spec = &self.writer.identity().spec;
        let fail = |e| TableError::io("write it", path, spec, e);
        let mut file = File::create(path).map_err(|e| TableError::io("create it", path, spec, e))?;
        let unpacked = plan.model();
        let model = zstd::bulk::compress(&unpacked, 19).map_err(fail)?;
        // The header is known last; its place is kept.
        file.write_all(&[0; HEADER]).and_then(|()| file.write_all(&model)).map_err(fail)?;
        let (mut index, mut data_bytes) = (Vec::new(), 0);
        // A few pieces per thread at a time keep all threads busy and memory small.
        let pieces: Vec<u64> = (0..plan.pieces()).collect();
        for wave in pieces.chunks(4 * rayon::current_num_threads()) {
            let packed: Vec<_> = wave.par_iter().map(|&piece| plan.pack(piece)).collect();
            for packed in packed {
                let packed = packed?;
                file.write_all(&packed.bytes).map_err(fail)?;
                data_bytes += packed.bytes.len() as u64;
                packed.sizes.iter().for_each(|&size| put_number(&mut index, size.into()));
            }
        }
        file.write_all(&index).map_err(fail)?;
        let mut body = Xxh3::new();
        body.update(&model);
        body.update(&index);
        let header = Header {
            tier: self.tier.0,
            identity,
            slots: self.slots,
            block_slots: plan.block_slots,
            cell: C::KIND.number(),
            codec: plan.codec(),
            model_bytes: model.len() as u32,
            model_unpacked: unpacked.len() as u32,
            data_bytes,
            index_bytes: index.len() as u64,
            body_checksum: body.digest(),
        };
        disk::write_at(&file, &header.write(), 0).and_then(|()| file.sync_all()).map_err(fail)?;
        let bytes = HEADER as u64 + (model.len() + index.len()) as u64 + data_bytes;
        Ok(Written { bytes, seal: header.seal() })
    }

    fn misuse(&self, why: String) -> TableError {
        TableError::Misuse { table: self.writer.name().into(), why: format!("tier {}: {why}", self.tier.0) }
    }
}
