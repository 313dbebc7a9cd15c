//! Distributed encoding of a tier: assignment of pieces to ranks, and assembly of the file on rank 0.
//!
//! ```text
//!  runs, on the rank that put them ──▶ the rank that encodes the piece ──▶ symbol counts, summed over all ranks
//!                                      encoded pieces ──▶ rank 0, which writes them in order
//! ```
//!
//! A piece is 65,536 consecutive slots; each is assigned to one rank (process). A rank reports an error in the next
//! collective operation instead of returning early, because the other ranks would wait for it.
//!
//! Invariant: all ranks take part in the same sequence of collectives, whichever of them fails.

use crate::TableError;
use crate::disk;
use crate::header::{HEADER, Header};
use crate::manifest::TierEntry;
use crate::pack::{EncodedPiece, TierEncoder};
use crate::spill::{PIECE, SpillError, SpillReader};
use crate::tier_writer::{MODEL_LEVEL, complete, wave};
use outplay_runtime::communicator::{pack, unpack};
use outplay_runtime::varint::write_varint;
use outplay_runtime::{Communicator, Monitor};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Assignment of a tier's pieces to the ranks that encode them.
pub(crate) struct EncodePlan<'a> {
    pub(crate) crew: &'a dyn Communicator,
    pub(crate) coder: Vec<u16>,
    table: String,
}

impl<'a> EncodePlan<'a> {
    /// Assigns each piece to the rank that has most of its bytes, unless that rank has its fair share already, and
    /// moves the fragments there. An error in storing them is returned separately, to be reported in the next
    /// collective.
    pub(crate) fn assign(
        spilled: &mut SpillReader,
        slots: u64,
        crew: &'a dyn Communicator,
        table: &str,
    ) -> Result<(EncodePlan<'a>, Result<(), SpillError>), TableError> {
        crew.phase("coding");
        let mut plan = EncodePlan { crew, coder: Vec::new(), table: table.into() };
        let pieces = slots.div_ceil(PIECE);
        let mut mine = vec![spilled.known, spilled.values.len() as u64];
        mine.extend(&spilled.values);
        mine.extend(spilled.by_piece(pieces));
        let (mut known, mut values, mut held) = (0, Vec::new(), Vec::new());
        for bytes in plan.gather(Ok(pack(&mine)))? {
            let mut numbers = unpack(&bytes);
            known += numbers.next().unwrap_or(0);
            let count = numbers.next().unwrap_or(0);
            values.extend(numbers.by_ref().take(count as usize));
            held.push(numbers.collect::<Vec<u64>>());
        }
        values.sort_unstable();
        values.dedup();
        let bytes = |piece: usize| held.iter().map(|held| held[piece]).sum::<u64>();
        let all: u64 = (0..pieces as usize).map(bytes).sum();
        let (fair, mut load) = (all.div_ceil(crew.size() as u64), vec![0u64; crew.size()]);
        for piece in 0..pieces as usize {
            // The rank with most of the piece, unless it has its fair share already.
            let most = (0..held.len()).rev().max_by_key(|&rank| held[rank][piece]).unwrap_or(0);
            let least = (0..load.len()).min_by_key(|&rank| load[rank]).unwrap_or(0);
            let rank = if load[most] + bytes(piece) > fair { least } else { most };
            load[rank] += bytes(piece);
            plan.coder.push(rank as u16);
        }
        let messages = plan.exchange(spilled.take_fragments(&plan.coder, crew.rank(), crew.size()))?;
        let taken = spilled.add_fragments(&messages);
        (spilled.values, spilled.known) = (values, known);
        Ok((plan, taken))
    }

    /// Reports an error to the other ranks, which are about to start the assignment.
    pub(crate) fn report_failure(crew: &'a dyn Communicator, table: &str, error: TableError) -> TableError {
        crew.phase("coding");
        let plan = EncodePlan { crew, coder: Vec::new(), table: table.into() };
        plan.agree::<()>(Err(error)).err().unwrap_or_else(|| plan.peer_error("it failed".into()))
    }

    /// Converts an error of another rank.
    fn peer_error(&self, why: String) -> TableError {
        TableError::Communicator { table: self.table.clone(), why }
    }

    /// All-to-all exchange that fails on all ranks if one rank has an error; a rank with an error returns its own.
    pub(crate) fn exchange(
        &self,
        mine: Result<Vec<Vec<u8>>, TableError>,
    ) -> Result<Vec<Vec<u8>>, TableError> {
        match mine {
            Ok(messages) => self.crew.all_to_all_ok(Ok(messages)).map_err(|why| self.peer_error(why)),
            Err(error) => {
                let _ = self.crew.all_to_all_ok(Err(error.to_string()));
                Err(error)
            }
        }
    }

    /// All-gather that fails on all ranks if one rank has an error.
    pub(crate) fn gather(&self, mine: Result<Vec<u8>, TableError>) -> Result<Vec<Vec<u8>>, TableError> {
        self.exchange(mine.map(|bytes| vec![bytes; self.crew.size()]))
    }

    /// Succeeds if all ranks succeed.
    pub(crate) fn agree<T>(&self, mine: Result<T, TableError>) -> Result<T, TableError> {
        let (mine, done) = match mine {
            Ok(done) => (Ok(Vec::new()), Some(done)),
            Err(error) => (Err(error), None),
        };
        self.gather(mine)?;
        done.ok_or_else(|| self.peer_error("it failed".into()))
    }
}

/// Pieces encoded by this rank, in a temporary file.
pub(crate) struct CodedPieces {
    file: File,
    /// By piece: its number, the offset of its bytes, and the sizes of its blocks.
    pieces: Vec<(u64, u64, Vec<u32>)>,
}

impl CodedPieces {
    /// Encodes this rank's pieces; `None` if the monitor cancelled it.
    pub(crate) fn code(
        encoder: &TierEncoder<'_>,
        path: &Path,
        spec: &str,
        monitor: &dyn Monitor,
    ) -> Result<Option<CodedPieces>, TableError> {
        let fail = |e| TableError::io("write it", path, spec, e);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
        let mut coded = CodedPieces {
            file: file.map_err(|e| TableError::io("create it", path, spec, e))?,
            pieces: Vec::new(),
        };
        let mine: Vec<u64> = (0..encoder.pieces()).filter(|&piece| encoder.is_mine(piece)).collect();
        let mut place = 0;
        for wave in mine.chunks(wave()) {
            if monitor.stopped() {
                return Ok(None);
            }
            let packed = wave.par_iter().with_max_len(1).map(|&piece| encoder.pack(piece));
            let packed: Vec<_> = encoder.with_cpu_lock(|| packed.collect());
            for (&piece, packed) in wave.iter().zip(packed) {
                let EncodedPiece { bytes, sizes } = packed?;
                disk::write_at(&coded.file, &bytes, place).map_err(fail)?;
                coded.pieces.push((piece, place, sizes));
                place += bytes.len() as u64;
            }
            monitor.advance(wave.len() as u64 * PIECE);
        }
        Ok(Some(coded))
    }

    /// Serialises consecutive pieces for rank 0: the sizes of all blocks, then all bytes.
    fn message(&self, pieces: &[(u64, u64, Vec<u32>)]) -> io::Result<Vec<u8>> {
        let mut message = Vec::new();
        for (_, _, sizes) in pieces {
            sizes.iter().for_each(|size| message.extend(size.to_le_bytes()));
        }
        let bytes: u64 = pieces.iter().flat_map(|piece| &piece.2).map(|&size| u64::from(size)).sum();
        let sized = message.len();
        message.resize(sized + bytes as usize, 0);
        // The pieces are contiguous in the file.
        disk::read_at(&self.file, &mut message[sized..], pieces.first().map_or(0, |piece| piece.1))?;
        Ok(message)
    }
}

/// Pieces sent to rank 0 at a time.
const ROUND: u64 = 1 << 10;

/// Sends all encoded pieces to rank 0, which writes them in order.
pub(crate) fn assemble(
    encoder: &TierEncoder<'_>,
    plan: &EncodePlan<'_>,
    coded: Result<CodedPieces, TableError>,
    mut header: Header,
    path: &Path,
    spec: &str,
) -> Result<TierEntry, TableError> {
    let fail = |e| TableError::io("write it", path, spec, e);
    let (crew, first) = (plan.crew, plan.crew.rank() == 0);
    let unpacked = encoder.model();
    let begin = || -> io::Result<(Option<File>, Vec<u8>)> {
        if !first {
            return Ok((None, Vec::new()));
        }
        let model = encoder.with_cpu_lock(|| zstd::bulk::compress(&unpacked, MODEL_LEVEL))?;
        let mut file = File::create(path)?;
        file.write_all(&[0; HEADER]).and_then(|()| file.write_all(&model))?;
        Ok((Some(file), model))
    };
    let begun = coded.and_then(|coded| Ok((coded, begin().map_err(fail)?)));
    let (coded, (mut file, model)) = plan.agree(begun)?;
    crew.phase("writing");
    let mut index = Vec::new();
    let mut own = coded.pieces.as_slice();
    let mut well = Ok(());
    for round in (0..encoder.pieces()).step_by(ROUND as usize) {
        let end = (round + ROUND).min(encoder.pieces());
        let (now, later) = own.split_at(own.partition_point(|piece| piece.0 < end));
        own = later;
        let message = std::mem::replace(&mut well, Ok(())).and_then(|()| coded.message(now).map_err(fail));
        let messages = message.map(|message| {
            let mut messages = vec![Vec::new(); crew.size()];
            messages[0] = message;
            messages
        });
        let messages = plan.exchange(messages)?;
        if let Some(file) = &mut file {
            let put = |bytes: &[u8]| {
                header.data_bytes += bytes.len() as u64;
                file.write_all(bytes).map_err(fail)
            };
            well = put_round(encoder, plan, round..end, &messages, &mut index, put);
        }
    }
    well?;
    let Some(file) = &mut file else { return Ok(TierEntry { bytes: 0, seal: 0 }) };
    complete(file, header, (&model, unpacked.len()), &index).map_err(fail)
}

/// Writes pieces in order, each from the message of the rank that encoded it.
fn put_round(
    encoder: &TierEncoder<'_>,
    plan: &EncodePlan<'_>,
    round: std::ops::Range<u64>,
    messages: &[Vec<u8>],
    index: &mut Vec<u8>,
    mut put: impl FnMut(&[u8]) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let coder = |piece: u64| usize::from(plan.coder[piece as usize]);
    let mut cursors: Vec<(usize, usize)> = vec![(0, 0); messages.len()];
    for piece in round.clone() {
        cursors[coder(piece)].1 += 4 * encoder.blocks_of(piece);
    }
    for piece in round {
        let (message, (sizes, bytes)) = (&messages[coder(piece)], &mut cursors[coder(piece)]);
        let mut length = 0;
        for _ in 0..encoder.blocks_of(piece) {
            let size = message.get(*sizes..*sizes + 4).unwrap_or_default();
            let size = size.iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
            write_varint(index, size);
            length += size as usize;
            *sizes += 4;
        }
        let packed = message.get(*bytes..*bytes + length);
        put(packed.ok_or_else(|| plan.peer_error("another rank sent an incomplete piece".into()))?)?;
        *bytes += length;
    }
    Ok(())
}
