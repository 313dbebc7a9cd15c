//! One tier on its way to the disk.

use crate::cell::Cell;
use crate::error::file_name;
use crate::header::{HEADER, Header};
use crate::manifest::Written;
use crate::pack::{Packed, Plan};
use crate::shares::{Coded, Shares, assemble};
use crate::spill::{PIECE, Spill, Temporary, Unusable};
use crate::writer::Writer;
use crate::{TableError, disk};
use outplay_core::numbers::put_number;
use outplay_core::{Quiet, Tier, Watch, threads};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// The model is small and written once: compress it well.
pub(crate) const MODEL_LEVEL: i32 = 19;

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
        let path = writer.dir().join(format!("{}spill{}-{}", disk::TEMPORARY, rank(writer), file_name(tier)));
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
        let pieces: Vec<&[C]> = cells.chunks(PIECE as usize).collect();
        threads::try_each(pieces.len(), &|i| self.put(i as u64 * PIECE, pieces[i]))
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
        let unusable = |unusable| match unusable {
            Unusable::Disk(error) => error,
            Unusable::Failed => misuse(writer, tier, "slots could not be put before".into()),
            Unusable::Twice(slot) => misuse(writer, tier, format!("slot {slot} was put twice")),
        };
        let mut spilled = match (spill.end().map_err(unusable), writer.crew()) {
            (Err(error), Some(crew)) => return Err(Shares::refuse(&**crew, writer.name(), error)),
            (spilled, _) => spilled?,
        };
        let mut ready = Ok(());
        let shares = writer.crew().map(|crew| -> Result<Shares<'_>, TableError> {
            let (shares, taken) = Shares::deal(&mut spilled, slots, &**crew, writer.name())?;
            ready = taken.map_err(unusable);
            Ok(shares)
        });
        let shares = shares.transpose()?;
        let identity = writer.identity().number();
        let plan = Plan::new(&spilled, slots, C::KIND.bytes(), identity, tier.0, shares.as_ref(), ready)?;
        let target = writer.dir().join(file_name(tier));
        // What is coded is smaller than the runs that it is coded from.
        let room = writer.has_room(spilled.bytes(), &target);
        writer.add_runs(spilled.bytes());
        let temporary = format!("{}coded{}-{}", disk::TEMPORARY, rank(writer), file_name(tier));
        let temporary = Temporary(writer.dir().join(temporary));
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
        let Some(shares) = &shares else {
            room?;
            let written = write(&plan, header, &temporary.0, spec, watch)?.ok_or_else(stopped)?;
            disk::publish(&temporary.0, &target, spec)?;
            return writer.enter(tier, written);
        };
        let code = || Coded::code(&plan, &temporary.0, spec, watch)?.ok_or_else(stopped);
        let coded = room.and_then(|()| code());
        let whole = Temporary(writer.dir().join(format!("{}{}", disk::TEMPORARY, file_name(tier))));
        let written = assemble(&plan, shares, coded, header, &whole.0, spec);
        let published = written.and_then(|written| {
            if shares.crew.rank() == 0 {
                disk::publish(&whole.0, &target, spec)?;
            }
            writer.enter(tier, written)
        });
        shares.agree(published)
    }

    fn misuse(&self, why: String) -> TableError {
        misuse(self.writer, self.tier, why)
    }
}

fn misuse(writer: &Writer, tier: Tier, why: String) -> TableError {
    TableError::Misuse { table: writer.name().into(), why: format!("tier {}: {why}", tier.0) }
}

/// What the names of a process's temporary files have, where several write a table.
fn rank(writer: &Writer) -> String {
    writer.crew().map_or(String::new(), |crew| format!("-{}", crew.rank()))
}

/// Pieces that are coded before they are written: enough for each thread that all are busy most of the time.
pub(crate) fn wave() -> usize {
    64 * rayon::current_num_threads()
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
    let pack = |first: u64| -> Vec<Result<Packed, TableError>> {
        let count = (plan.pieces() - first).min(wave() as u64) as usize;
        (0..count).into_par_iter().with_max_len(1).map(|i| plan.pack(first + i as u64)).collect()
    };
    // The model lies before the blocks, and one thread takes some time for it.
    let (model, mut packed) = rayon::join(|| zstd::bulk::compress(&unpacked, MODEL_LEVEL), || pack(0));
    let model = model.map_err(fail)?;
    // The header is known last; its place is kept.
    file.write_all(&[0; HEADER]).and_then(|()| file.write_all(&model)).map_err(fail)?;
    let (mut index, mut piece) = (Vec::new(), 0);
    while !packed.is_empty() {
        if watch.stopped() {
            return Ok(None);
        }
        let first = piece;
        piece += packed.len() as u64;
        let put = || -> Result<(), TableError> {
            for packed in packed {
                let packed = packed?;
                file.write_all(&packed.bytes).map_err(fail)?;
                header.data_bytes += packed.bytes.len() as u64;
                packed.sizes.iter().for_each(|&size| put_number(&mut index, size.into()));
            }
            Ok(())
        };
        let (written, ahead) = rayon::join(put, || pack(piece));
        written?;
        packed = ahead;
        watch.advance((piece * PIECE).min(header.slots) - first * PIECE);
    }
    complete(&mut file, header, (&model, unpacked.len()), &index).map(Some).map_err(fail)
}

/// Ends a file whose model and blocks are written: the index goes behind them, the header, which knows all, before.
pub(crate) fn complete(
    file: &mut File,
    mut header: Header,
    (model, unpacked): (&[u8], usize),
    index: &[u8],
) -> io::Result<Written> {
    file.write_all(index)?;
    let mut body = Xxh3::new();
    body.update(model);
    body.update(index);
    header.model_bytes = model.len() as u32;
    header.model_unpacked = unpacked as u32;
    header.index_bytes = index.len() as u64;
    header.body_checksum = body.digest();
    disk::write_at(file, &header.write(), 0)?;
    file.sync_all()?;
    let bytes = HEADER as u64 + (model.len() + index.len()) as u64 + header.data_bytes;
    Ok(Written { bytes, seal: header.seal() })
}
