//! One tier on its way to the disk.

use crate::cell::Cell;
use crate::codec::model::put_number;
use crate::error::file_name;
use crate::header::{HEADER, Header};
use crate::manifest::Written;
use crate::pack::Plan;
use crate::spill::{PIECE, Spill, Temporary, Unusable};
use crate::writer::Writer;
use crate::{TableError, disk};
use outplay_core::{Quiet, Tier, Watch};
use rayon::prelude::*;
use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// The model is small and written once: compress it well.
const MODEL_LEVEL: i32 = 19;

/// Takes the slots of a tier, in any order and from any thread, and then writes its file.
///
/// Slots that nobody puts are don't-cares. What is written depends only on the cells, not on the order or the
/// size of the calls nor on the threads.
///
/// Dropped before [`TierWriter::finish`], it leaves nothing behind.
pub struct TierWriter<'a, C> {
    writer: &'a Writer,
    tier: Tier,
    slots: u64,
    spill: Spill,
    cells: PhantomData<fn(C)>,
}

impl<'a, C: Cell> TierWriter<'a, C> {
    pub(crate) fn new(writer: &'a Writer, tier: Tier, slots: u64) -> Result<Self, TableError> {
        let path = writer.dir().join(format!("{}spill-{}", disk::TEMPORARY, file_name(tier)));
        let spill = Spill::create(path, &writer.identity().spec)?;
        Ok(TierWriter { writer, tier, slots, spill, cells: PhantomData })
    }

    /// How many slots the tier has.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Puts the slots from `first` on. Don't-cares are [`Cell::UNKNOWN`].
    ///
    /// # Errors
    ///
    /// A full disk; slots that the tier does not have.
    pub fn put(&self, first: u64, cells: &[C]) -> Result<(), TableError> {
        match first.checked_add(cells.len() as u64) {
            Some(end) if end <= self.slots => self.spill.put(first, cells),
            _ => Err(self.misuse(format!("{} slots from slot {first} on do not fit", cells.len()))),
        }
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
        let pieces = cells.par_chunks(PIECE as usize).enumerate();
        pieces.try_for_each(|(i, cells)| self.put(i as u64 * PIECE, cells))
    }

    /// Codes the tier, puts its file in place and enters it in the manifest.
    ///
    /// # Errors
    ///
    /// A full disk, a slot that was put twice, a call of [`TierWriter::put`] that failed before.
    pub fn finish(self) -> Result<(), TableError> {
        self.finish_watched(&Quiet)
    }

    /// As [`TierWriter::finish`]; the watch is told how many slots are coded and can stop it.
    ///
    /// # Errors
    ///
    /// Those of [`TierWriter::finish`], or a stop: then the tier is as if it had not been begun.
    pub fn finish_watched(self, watch: &dyn Watch) -> Result<(), TableError> {
        let TierWriter { writer, tier, slots, spill, .. } = self;
        let spilled = spill.end().map_err(|unusable| match unusable {
            Unusable::Disk(error) => error,
            Unusable::Failed => misuse(writer, tier, "slots could not be put before".into()),
            Unusable::Twice(slot) => misuse(writer, tier, format!("slot {slot} was put twice")),
        })?;
        let identity = writer.identity().number();
        let plan = Plan::new(&spilled, slots, C::KIND.bytes(), identity, tier.0)?;
        let target = writer.dir().join(file_name(tier));
        // What is coded is smaller than the runs that it is coded from.
        writer.has_room(spilled.bytes(), &target)?;
        let temporary = Temporary(writer.dir().join(format!("{}{}", disk::TEMPORARY, file_name(tier))));
        let header = Header {
            tier: tier.0,
            identity,
            slots,
            block_slots: plan.block_slots,
            cell: C::KIND.number(),
            codec: plan.codec(),
            model_bytes: 0,
            model_unpacked: 0,
            data_bytes: 0,
            index_bytes: 0,
            body_checksum: 0,
        };
        let spec = &writer.identity().spec;
        let stopped = || TableError::Stopped { table: writer.name().into(), tier, spec: spec.clone() };
        let written = write(&plan, header, &temporary.0, spec, watch)?.ok_or_else(stopped)?;
        disk::publish(&temporary.0, &target, spec)?;
        writer.enter(tier, written)
    }

    fn misuse(&self, why: String) -> TableError {
        misuse(self.writer, self.tier, why)
    }
}

fn misuse(writer: &Writer, tier: Tier, why: String) -> TableError {
    TableError::Misuse { table: writer.name().into(), why: format!("tier {}: {why}", tier.0) }
}

/// Writes the file of a tier, completing the header on the way; `None` if the watch stopped it.
fn write(
    plan: &Plan<'_>,
    mut header: Header,
    path: &Path,
    spec: &str,
    watch: &dyn Watch,
) -> Result<Option<Written>, TableError> {
    let fail = |e| TableError::io("write it", path, spec, e);
    let mut file = File::create(path).map_err(|e| TableError::io("create it", path, spec, e))?;
    let unpacked = plan.model();
    let model = zstd::bulk::compress(&unpacked, MODEL_LEVEL).map_err(fail)?;
    // The header is known last; its place is kept.
    file.write_all(&[0; HEADER]).and_then(|()| file.write_all(&model)).map_err(fail)?;
    let mut index = Vec::new();
    // A few pieces per thread at a time keep all threads busy and memory small.
    let step = 4 * rayon::current_num_threads() as u64;
    for wave in (0..plan.pieces()).step_by(step as usize) {
        if watch.stopped() {
            return Ok(None);
        }
        let pieces = wave..(wave + step).min(plan.pieces());
        let slots = (pieces.end * PIECE).min(header.slots) - pieces.start * PIECE;
        let packed: Vec<_> = pieces.into_par_iter().map(|piece| plan.pack(piece)).collect();
        for packed in packed {
            let packed = packed?;
            file.write_all(&packed.bytes).map_err(fail)?;
            header.data_bytes += packed.bytes.len() as u64;
            packed.sizes.iter().for_each(|&size| put_number(&mut index, size.into()));
        }
        watch.advance(slots);
    }
    file.write_all(&index).map_err(fail)?;
    let mut body = Xxh3::new();
    body.update(&model);
    body.update(&index);
    header.model_bytes = model.len() as u32;
    header.model_unpacked = unpacked.len() as u32;
    header.index_bytes = index.len() as u64;
    header.body_checksum = body.digest();
    disk::write_at(&file, &header.write(), 0).and_then(|()| file.sync_all()).map_err(fail)?;
    let bytes = HEADER as u64 + (model.len() + index.len()) as u64 + header.data_bytes;
    Ok(Some(Written { bytes, seal: header.seal() }))
}
