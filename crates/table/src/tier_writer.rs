//! One tier on its way to the disk.

use crate::cell::Cell;
use crate::error::file_name;
use crate::header::{HEADER, Header};
use crate::manifest::Written;
use crate::pack::{Packed, Plan, Shares};
use crate::spill::{PIECE, Spill, Spilled, Temporary, Unusable};
use crate::writer::Writer;
use crate::{TableError, disk};
use outplay_core::crew::{pack, unpack};
use outplay_core::numbers::put_number;
use outplay_core::{Crew, Quiet, Tier, Watch, threads};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Write};
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
        let mut spilled = spill.end().map_err(unusable)?;
        let shares = writer
            .crew()
            .map(|crew| share(&mut spilled, slots, &**crew, writer.name()).map_err(unusable))
            .transpose()?;
        let identity = writer.identity().number();
        let plan = Plan::new(&spilled, slots, C::KIND.bytes(), identity, tier.0, shares.as_ref())?;
        let target = writer.dir().join(file_name(tier));
        // What is coded is smaller than the runs that it is coded from.
        writer.has_room(spilled.bytes(), &target)?;
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
            let written = write(&plan, header, &temporary.0, spec, watch)?.ok_or_else(stopped)?;
            disk::publish(&temporary.0, &target, spec)?;
            return writer.enter(tier, written);
        };
        let coded = shares
            .agree(code(&plan, &temporary.0, spec, watch).and_then(|coded| coded.ok_or_else(stopped)))?;
        let whole = Temporary(writer.dir().join(format!("{}{}", disk::TEMPORARY, file_name(tier))));
        let written = assemble(&plan, shares, &coded, header, &whole.0, spec);
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

/// Who codes which piece: who has most of it, as long as all get about as much. What others have of it goes there.
fn share<'a>(
    spilled: &mut Spilled,
    slots: u64,
    crew: &'a dyn Crew,
    table: &str,
) -> Result<Shares<'a>, Unusable> {
    crew.phase("coding");
    let mut shares = Shares { crew, coder: Vec::new(), table: table.into() };
    let gone = |why| Unusable::Disk(TableError::Crew { table: table.into(), why });
    let pieces = slots.div_ceil(PIECE);
    let mut held: Vec<Vec<u64>> = Vec::new();
    for bytes in crew.gather(&pack(&spilled.by_piece(pieces))).map_err(gone)? {
        held.push(unpack(&bytes).collect());
    }
    let bytes = |piece: usize| held.iter().map(|held| held[piece]).sum::<u64>();
    let all: u64 = (0..pieces as usize).map(bytes).sum();
    let (fair, mut load) = (all.div_ceil(crew.size() as u64), vec![0u64; crew.size()]);
    for piece in 0..pieces as usize {
        // Who has most of it, unless that rank has its share already.
        let most = (0..held.len()).rev().max_by_key(|&rank| held[rank][piece]).unwrap_or(0);
        let least = (0..load.len()).min_by_key(|&rank| load[rank]).unwrap_or(0);
        let rank = if load[most] + bytes(piece) > fair { least } else { most };
        load[rank] += bytes(piece);
        shares.coder.push(rank as u16);
    }
    let parcels = spilled.hand_over(&shares.coder, crew.rank(), crew.size());
    let parcels = shares.agree(parcels).map_err(Unusable::Disk)?;
    let taken = spilled.take_over(&crew.exchange(parcels).map_err(gone)?);
    let told = crew.agree(taken.as_ref().map_err(|_| "another rank could not put slots".to_string()));
    let told = told.map(|_| ()).map_err(gone);
    taken?;
    told?;
    let mut values: Vec<u64> = Vec::new();
    for bytes in crew.gather(&pack(&spilled.values)).map_err(gone)? {
        values.extend(unpack(&bytes));
    }
    values.sort_unstable();
    values.dedup();
    spilled.values = values;
    spilled.known = crew.sum(&[spilled.known]).map_err(gone)?[0];
    Ok(shares)
}

/// The pieces that this process coded, in a file of its own.
struct Coded {
    file: File,
    /// The piece, where its bytes begin, and the sizes of its blocks.
    pieces: Vec<(u64, u64, Vec<u32>)>,
}

/// Codes this process's pieces; `None` if the watch stopped it.
fn code(plan: &Plan<'_>, path: &Path, spec: &str, watch: &dyn Watch) -> Result<Option<Coded>, TableError> {
    let fail = |e| TableError::io("write it", path, spec, e);
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
    let mut coded =
        Coded { file: file.map_err(|e| TableError::io("create it", path, spec, e))?, pieces: Vec::new() };
    let mine: Vec<u64> = (0..plan.pieces()).filter(|&piece| plan.is_mine(piece)).collect();
    let mut place = 0;
    for wave in mine.chunks(wave()) {
        if watch.stopped() {
            return Ok(None);
        }
        let packed = wave.par_iter().with_max_len(1).map(|&piece| plan.pack(piece));
        let packed: Vec<_> = plan.at_work(|| packed.collect());
        for (&piece, packed) in wave.iter().zip(packed) {
            let Packed { bytes, sizes } = packed?;
            disk::write_at(&coded.file, &bytes, place).map_err(fail)?;
            coded.pieces.push((piece, place, sizes));
            place += bytes.len() as u64;
        }
        watch.advance(wave.len() as u64 * PIECE);
    }
    Ok(Some(coded))
}

/// Pieces that are coded before they are written: enough for each thread that all are busy most of the time.
fn wave() -> usize {
    64 * rayon::current_num_threads()
}

/// Pieces that are sent to the first process at a time.
const ROUND: u64 = 1 << 10;

/// Brings all coded pieces to the first process, which writes them in order.
fn assemble(
    plan: &Plan<'_>,
    shares: &Shares<'_>,
    coded: &Coded,
    mut header: Header,
    path: &Path,
    spec: &str,
) -> Result<Written, TableError> {
    let fail = |e| TableError::io("write it", path, spec, e);
    let (crew, first) = (shares.crew, shares.crew.rank() == 0);
    crew.phase("writing");
    let unpacked = plan.model();
    let begin = || -> io::Result<(Option<File>, Vec<u8>)> {
        let model = zstd::bulk::compress(&unpacked, MODEL_LEVEL)?;
        if !first {
            return Ok((None, model));
        }
        let mut file = File::create(path)?;
        file.write_all(&[0; HEADER]).and_then(|()| file.write_all(&model))?;
        Ok((Some(file), model))
    };
    let (mut file, model) = shares.agree(begin().map_err(fail))?;
    let mut index = Vec::new();
    let mut own = coded.pieces.as_slice();
    for round in (0..plan.pieces()).step_by(ROUND as usize) {
        let end = (round + ROUND).min(plan.pieces());
        let (now, later) = own.split_at(own.partition_point(|piece| piece.0 < end));
        own = later;
        // All sizes of all pieces, then all bytes.
        let mut parcel = Vec::new();
        for (_, _, sizes) in now {
            sizes.iter().for_each(|size| parcel.extend(size.to_le_bytes()));
        }
        let bytes: u64 = now.iter().flat_map(|piece| &piece.2).map(|&size| u64::from(size)).sum();
        let sized = parcel.len();
        parcel.resize(sized + bytes as usize, 0);
        let place = now.first().map_or(0, |piece| piece.1);
        // Pieces lie one after the other.
        let read = disk::read_at(&coded.file, &mut parcel[sized..], place).map_err(fail);
        shares.agree(read)?;
        let mut parcels = vec![Vec::new(); crew.size()];
        parcels[0] = parcel;
        let parcels = crew.exchange(parcels).map_err(|why| shares.gone(why))?;
        let Some(file) = &mut file else { continue };
        let blocks = |piece: u64| plan.blocks_of(piece);
        let mut cursors: Vec<(usize, usize)> = vec![(0, 0); crew.size()];
        for piece in round..end {
            cursors[usize::from(shares.coder[piece as usize])].1 += 4 * blocks(piece);
        }
        for piece in round..end {
            let rank = usize::from(shares.coder[piece as usize]);
            let (parcel, (sizes, bytes)) = (&parcels[rank], &mut cursors[rank]);
            let mut length = 0;
            for _ in 0..blocks(piece) {
                let size = parcel.get(*sizes..*sizes + 4).unwrap_or_default();
                let size = size.iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
                put_number(&mut index, size);
                length += size as usize;
                *sizes += 4;
            }
            let packed = parcel.get(*bytes..*bytes + length);
            let packed = packed.ok_or_else(|| shares.gone("another rank sent half a piece".into()))?;
            file.write_all(packed).map_err(fail)?;
            header.data_bytes += length as u64;
            *bytes += length;
        }
    }
    let Some(file) = &mut file else { return Ok(Written { bytes: 0, seal: 0 }) };
    complete(file, header, (&model, unpacked.len()), &index).map_err(fail)
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
fn complete(
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
