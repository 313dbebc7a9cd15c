//! A tier that several processes code together: who codes which piece, and how the coded pieces come to one file.
//!
//! ```text
//!  runs, where they were put ──▶ who codes the piece ──▶ counts of all ──▶ coded pieces ──▶ the first process, in order
//! ```
//!
//! Every step that may fail somewhere tells so with what it sends anyway, because each exchange waits for the slowest.
//!
//! Invariant: all processes come to the same exchanges, whatever went wrong in one of them.

use crate::TableError;
use crate::disk;
use crate::header::{HEADER, Header};
use crate::manifest::Written;
use crate::pack::{Packed, Plan};
use crate::spill::{PIECE, Spilled, Unusable};
use crate::tier_writer::{MODEL_LEVEL, complete, wave};
use outplay_core::crew::{pack, unpack};
use outplay_core::numbers::put_number;
use outplay_core::{Crew, Watch};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Processes that code a tier together, and who codes which piece.
pub(crate) struct Shares<'a> {
    pub(crate) crew: &'a dyn Crew,
    pub(crate) coder: Vec<u16>,
    table: String,
}

impl<'a> Shares<'a> {
    /// A piece is coded by who has most of it, as long as all get about as much. What others have of it goes there; whether
    /// it arrived well is told apart, for the next exchange to say.
    pub(crate) fn deal(
        spilled: &mut Spilled,
        slots: u64,
        crew: &'a dyn Crew,
        table: &str,
    ) -> Result<(Shares<'a>, Result<(), Unusable>), TableError> {
        crew.phase("coding");
        let mut shares = Shares { crew, coder: Vec::new(), table: table.into() };
        let pieces = slots.div_ceil(PIECE);
        let mut mine = vec![spilled.known, spilled.values.len() as u64];
        mine.extend(&spilled.values);
        mine.extend(spilled.by_piece(pieces));
        let (mut known, mut values, mut held) = (0, Vec::new(), Vec::new());
        for bytes in shares.gather(Ok(pack(&mine)))? {
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
            // Who has most of it, unless that rank has its share already.
            let most = (0..held.len()).rev().max_by_key(|&rank| held[rank][piece]).unwrap_or(0);
            let least = (0..load.len()).min_by_key(|&rank| load[rank]).unwrap_or(0);
            let rank = if load[most] + bytes(piece) > fair { least } else { most };
            load[rank] += bytes(piece);
            shares.coder.push(rank as u16);
        }
        let parcels = shares.exchange(spilled.hand_over(&shares.coder, crew.rank(), crew.size()))?;
        let taken = spilled.take_over(&parcels);
        (spilled.values, spilled.known) = (values, known);
        Ok((shares, taken))
    }

    /// Tells the others, who are about to share, that there is nothing to share here.
    pub(crate) fn refuse(crew: &'a dyn Crew, table: &str, error: TableError) -> TableError {
        crew.phase("coding");
        let shares = Shares { crew, coder: Vec::new(), table: table.into() };
        shares.agree::<()>(Err(error)).err().unwrap_or_else(|| shares.gone("it failed".into()))
    }

    /// A sentence of the others' as an error of the table.
    fn gone(&self, why: String) -> TableError {
        TableError::Crew { table: self.table.clone(), why }
    }

    /// Hands a parcel to each, if all went well everywhere; an error of one's own is the one that is told here.
    pub(crate) fn exchange(
        &self,
        mine: Result<Vec<Vec<u8>>, TableError>,
    ) -> Result<Vec<Vec<u8>>, TableError> {
        match mine {
            Ok(parcels) => self.crew.exchange_well(Ok(parcels)).map_err(|why| self.gone(why)),
            Err(error) => {
                let _ = self.crew.exchange_well(Err(error.to_string()));
                Err(error)
            }
        }
    }

    /// What everybody has, if all went well everywhere.
    pub(crate) fn gather(&self, mine: Result<Vec<u8>, TableError>) -> Result<Vec<Vec<u8>>, TableError> {
        self.exchange(mine.map(|bytes| vec![bytes; self.crew.size()]))
    }

    /// Says whether all went well everywhere.
    pub(crate) fn agree<T>(&self, mine: Result<T, TableError>) -> Result<T, TableError> {
        let (mine, done) = match mine {
            Ok(done) => (Ok(Vec::new()), Some(done)),
            Err(error) => (Err(error), None),
        };
        self.gather(mine)?;
        done.ok_or_else(|| self.gone("it failed".into()))
    }
}

/// The pieces that this process coded, in a file of its own.
pub(crate) struct Coded {
    file: File,
    /// The piece, where its bytes begin, and the sizes of its blocks.
    pieces: Vec<(u64, u64, Vec<u32>)>,
}

impl Coded {
    /// Codes this process's pieces; `None` if the watch stopped it.
    pub(crate) fn code(
        plan: &Plan<'_>,
        path: &Path,
        spec: &str,
        watch: &dyn Watch,
    ) -> Result<Option<Coded>, TableError> {
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

    /// Some pieces that follow each other, for the process that writes them: all sizes of all blocks, then all bytes.
    fn parcel(&self, pieces: &[(u64, u64, Vec<u32>)]) -> io::Result<Vec<u8>> {
        let mut parcel = Vec::new();
        for (_, _, sizes) in pieces {
            sizes.iter().for_each(|size| parcel.extend(size.to_le_bytes()));
        }
        let bytes: u64 = pieces.iter().flat_map(|piece| &piece.2).map(|&size| u64::from(size)).sum();
        let sized = parcel.len();
        parcel.resize(sized + bytes as usize, 0);
        // Pieces lie one after the other.
        disk::read_at(&self.file, &mut parcel[sized..], pieces.first().map_or(0, |piece| piece.1))?;
        Ok(parcel)
    }
}

/// Pieces that are sent to the first process at a time.
const ROUND: u64 = 1 << 10;

/// Brings all coded pieces to the first process, which writes them in order.
pub(crate) fn assemble(
    plan: &Plan<'_>,
    shares: &Shares<'_>,
    coded: Result<Coded, TableError>,
    mut header: Header,
    path: &Path,
    spec: &str,
) -> Result<Written, TableError> {
    let fail = |e| TableError::io("write it", path, spec, e);
    let (crew, first) = (shares.crew, shares.crew.rank() == 0);
    let unpacked = plan.model();
    let begin = || -> io::Result<(Option<File>, Vec<u8>)> {
        if !first {
            return Ok((None, Vec::new()));
        }
        let model = plan.at_work(|| zstd::bulk::compress(&unpacked, MODEL_LEVEL))?;
        let mut file = File::create(path)?;
        file.write_all(&[0; HEADER]).and_then(|()| file.write_all(&model))?;
        Ok((Some(file), model))
    };
    let begun = coded.and_then(|coded| Ok((coded, begin().map_err(fail)?)));
    let (coded, (mut file, model)) = shares.agree(begun)?;
    crew.phase("writing");
    let mut index = Vec::new();
    let mut own = coded.pieces.as_slice();
    let mut well = Ok(());
    for round in (0..plan.pieces()).step_by(ROUND as usize) {
        let end = (round + ROUND).min(plan.pieces());
        let (now, later) = own.split_at(own.partition_point(|piece| piece.0 < end));
        own = later;
        let parcel = std::mem::replace(&mut well, Ok(())).and_then(|()| coded.parcel(now).map_err(fail));
        let parcels = parcel.map(|parcel| {
            let mut parcels = vec![Vec::new(); crew.size()];
            parcels[0] = parcel;
            parcels
        });
        let parcels = shares.exchange(parcels)?;
        if let Some(file) = &mut file {
            let put = |bytes: &[u8]| {
                header.data_bytes += bytes.len() as u64;
                file.write_all(bytes).map_err(fail)
            };
            well = put_round(plan, shares, round..end, &parcels, &mut index, put);
        }
    }
    well?;
    let Some(file) = &mut file else { return Ok(Written { bytes: 0, seal: 0 }) };
    complete(file, header, (&model, unpacked.len()), &index).map_err(fail)
}

/// Puts pieces in order, each from the parcel of who coded it.
fn put_round(
    plan: &Plan<'_>,
    shares: &Shares<'_>,
    round: std::ops::Range<u64>,
    parcels: &[Vec<u8>],
    index: &mut Vec<u8>,
    mut put: impl FnMut(&[u8]) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let coder = |piece: u64| usize::from(shares.coder[piece as usize]);
    let mut cursors: Vec<(usize, usize)> = vec![(0, 0); parcels.len()];
    for piece in round.clone() {
        cursors[coder(piece)].1 += 4 * plan.blocks_of(piece);
    }
    for piece in round {
        let (parcel, (sizes, bytes)) = (&parcels[coder(piece)], &mut cursors[coder(piece)]);
        let mut length = 0;
        for _ in 0..plan.blocks_of(piece) {
            let size = parcel.get(*sizes..*sizes + 4).unwrap_or_default();
            let size = size.iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
            put_number(index, size);
            length += size as usize;
            *sizes += 4;
        }
        let packed = parcel.get(*bytes..*bytes + length);
        put(packed.ok_or_else(|| shares.gone("another rank sent half a piece".into()))?)?;
        *bytes += length;
    }
    Ok(())
}
