//! Writer of one tier: collects the slots in a spill file, then encodes the tier and publishes its file atomically.

use crate::cell::Cell;
use crate::error::file_name;
use crate::header::{HEADER, Header};
use crate::manifest::TierEntry;
use crate::pack::{EncodedPiece, TierEncoder};
use crate::shares::{CodedPieces, EncodePlan, assemble};
use crate::spill::{PIECE, SpillError, SpillWriter, TemporaryFile};
use crate::writer::Writer;
use crate::{TableError, disk};
use outplay_core::Tier;
use outplay_runtime::varint::write_varint;
use outplay_runtime::{Monitor, NoMonitor, threads};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// zstd level of the model, which is small and written once.
pub(crate) const MODEL_LEVEL: i32 = 19;

/// Writer of one tier: accepts its slots in any order and from any thread, then writes the tier's file.
///
/// Slots that are never put are don't-cares. The file depends only on the cells, not on the order or the
/// size of the calls nor on the number of threads.
///
/// Dropping it before [`TierWriter::finish`] leaves no files behind.
pub struct TierWriter<'a, C> {
    writer: &'a Writer,
    tier: Tier,
    slots: u64,
    spill: SpillWriter,
    cells: PhantomData<fn(C)>,
}

impl<'a, C: Cell> TierWriter<'a, C> {
    pub(crate) fn new(writer: &'a Writer, tier: Tier, slots: u64) -> Result<Self, TableError> {
        let path = writer.dir().join(format!("{}spill{}-{}", disk::TEMPORARY, rank(writer), file_name(tier)));
        let spill = SpillWriter::create(path, &writer.identity().spec)?;
        Ok(TierWriter { writer, tier, slots, spill, cells: PhantomData })
    }

    /// Number of slots of the tier.
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
            _ => Err(self.misuse(format!(
                "{} slots starting at slot {first} go beyond the end of the tier",
                cells.len()
            ))),
        }
    }

    /// Puts a whole tier from memory, on all threads.
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

    /// Encodes the tier, publishes its file and enters it in the manifest.
    ///
    /// # Errors
    ///
    /// A full disk, a slot that was put twice, an earlier [`TierWriter::put`] that failed.
    pub fn finish(self) -> Result<(), TableError> {
        self.finish_watched(&NoMonitor)
    }

    /// As [`TierWriter::finish`]; reports progress in slots and can be cancelled by the monitor.
    ///
    /// # Errors
    ///
    /// Those of [`TierWriter::finish`], or a cancellation, which leaves the tier unwritten.
    pub fn finish_watched(self, monitor: &dyn Monitor) -> Result<(), TableError> {
        let TierWriter { writer, tier, slots, spill, .. } = self;
        let spill_error = |error| match error {
            SpillError::Disk(error) => error,
            SpillError::Failed => misuse(writer, tier, "slots could not be put before".into()),
            SpillError::Twice(slot) => misuse(writer, tier, format!("slot {slot} was put twice")),
        };
        let mut spilled = match (spill.end().map_err(spill_error), writer.crew()) {
            (Err(error), Some(crew)) => {
                return Err(EncodePlan::report_failure(&**crew, writer.name(), error));
            }
            (spilled, _) => spilled?,
        };
        let mut ready = Ok(());
        let plan = writer.crew().map(|crew| -> Result<EncodePlan<'_>, TableError> {
            let (plan, taken) = EncodePlan::assign(&mut spilled, slots, &**crew, writer.name())?;
            ready = taken.map_err(spill_error);
            Ok(plan)
        });
        let plan = plan.transpose()?;
        let identity = writer.identity().number();
        let encoder =
            TierEncoder::new(&spilled, slots, C::KIND.bytes(), identity, tier.0, plan.as_ref(), ready)?;
        let target = writer.dir().join(file_name(tier));
        // The encoded tier is smaller than its runs.
        let room = writer.has_room(spilled.bytes(), &target);
        writer.add_runs(spilled.bytes());
        let temporary = format!("{}coded{}-{}", disk::TEMPORARY, rank(writer), file_name(tier));
        let temporary = TemporaryFile(writer.dir().join(temporary));
        let header = Header {
            tier: tier.0,
            identity,
            slots,
            block_slots: encoder.block_slots,
            cell: C::KIND.number(),
            codec: encoder.codec(),
            model_bytes: 0,
            model_unpacked: 0,
            data_bytes: 0,
            index_bytes: 0,
            body_checksum: 0,
        };
        let spec = &writer.identity().spec;
        let stopped = || TableError::Stopped { table: writer.name().into(), tier, spec: spec.clone() };
        let Some(plan) = &plan else {
            room?;
            let written = write(&encoder, header, &temporary.0, spec, monitor)?.ok_or_else(stopped)?;
            disk::publish(&temporary.0, &target, spec)?;
            return writer.enter(tier, written);
        };
        let code = || CodedPieces::code(&encoder, &temporary.0, spec, monitor)?.ok_or_else(stopped);
        let coded = room.and_then(|()| code());
        let whole = TemporaryFile(writer.dir().join(format!("{}{}", disk::TEMPORARY, file_name(tier))));
        let written = assemble(&encoder, plan, coded, header, &whole.0, spec);
        let published = written.and_then(|written| {
            if plan.crew.rank() == 0 {
                disk::publish(&whole.0, &target, spec)?;
            }
            writer.enter(tier, written)
        });
        plan.agree(published)
    }

    fn misuse(&self, why: String) -> TableError {
        misuse(self.writer, self.tier, why)
    }
}

fn misuse(writer: &Writer, tier: Tier, why: String) -> TableError {
    TableError::Misuse { table: writer.name().into(), why: format!("tier {}: {why}", tier.0) }
}

/// Infix of a rank's temporary file names, where several ranks write a table.
fn rank(writer: &Writer) -> String {
    writer.crew().map_or(String::new(), |crew| format!("-{}", crew.rank()))
}

/// Pieces encoded between two writes: enough to keep all threads busy most of the time.
pub(crate) fn wave() -> usize {
    64 * rayon::current_num_threads()
}

/// Writes the file of a tier and completes its header; `None` if the monitor cancelled it.
fn write(
    encoder: &TierEncoder<'_>,
    mut header: Header,
    path: &Path,
    spec: &str,
    monitor: &dyn Monitor,
) -> Result<Option<TierEntry>, TableError> {
    let fail = |e| TableError::io("write it", path, spec, e);
    let mut file = File::create(path).map_err(|e| TableError::io("create it", path, spec, e))?;
    let unpacked = encoder.model();
    let pack = |first: u64| -> Vec<Result<EncodedPiece, TableError>> {
        let count = (encoder.pieces() - first).min(wave() as u64) as usize;
        (0..count).into_par_iter().with_max_len(1).map(|i| encoder.pack(first + i as u64)).collect()
    };
    // The model precedes the blocks in the file; its compression is single-threaded, so it runs beside the first
    // pieces.
    let (model, mut packed) = rayon::join(|| zstd::bulk::compress(&unpacked, MODEL_LEVEL), || pack(0));
    let model = model.map_err(fail)?;
    // The header is known last, so its place is reserved.
    file.write_all(&[0; HEADER]).and_then(|()| file.write_all(&model)).map_err(fail)?;
    let (mut index, mut piece) = (Vec::new(), 0);
    while !packed.is_empty() {
        if monitor.stopped() {
            return Ok(None);
        }
        let first = piece;
        piece += packed.len() as u64;
        let put = || -> Result<(), TableError> {
            for packed in packed {
                let packed = packed?;
                file.write_all(&packed.bytes).map_err(fail)?;
                header.data_bytes += packed.bytes.len() as u64;
                packed.sizes.iter().for_each(|&size| write_varint(&mut index, size.into()));
            }
            Ok(())
        };
        let (written, ahead) = rayon::join(put, || pack(piece));
        written?;
        packed = ahead;
        monitor.advance((piece * PIECE).min(header.slots) - first * PIECE);
    }
    complete(&mut file, header, (&model, unpacked.len()), &index).map(Some).map_err(fail)
}

/// Completes a file whose model and blocks are written: appends the index, then fills in the header.
pub(crate) fn complete(
    file: &mut File,
    mut header: Header,
    (model, unpacked): (&[u8], usize),
    index: &[u8],
) -> io::Result<TierEntry> {
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
    Ok(TierEntry { bytes, seal: header.seal() })
}
