//! Tier encoder: block size, model training, block compression.
//!
//! A tier is encoded in pieces of 65,536 slots, which are independent of each other once the model is trained. Training
//! alternates between optimal parsing under the current costs and counting the resulting symbols.

use crate::TableError;
use crate::codec::block::BlockEncoder;
use crate::codec::fit::{LengthCosts, RunParser};
use crate::codec::length::LONGEST;
use crate::codec::model::{FrequencyTables, MOST_VALUES};
use crate::codec::runs::{Blocks, Runs};
use crate::codec::train::{EncoderTables, TrainingCounts, first_costs, length_costs};
use crate::header::{Codec, block_checksum};
use crate::shares::EncodePlan;
use crate::spill::{GRANULE, PIECE, RunCount, SpillReader};
use outplay_runtime::communicator::{pack, unpack};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// Target for the average number of runs in a block: a probe decodes half a block, at about 20 ns a run.
const RUNS_PER_BLOCK: u64 = 160;
/// Size of the training sample, in defined slots.
pub const TRAINED: u64 = 1 << 22;
/// Training rounds of optimal parsing and frequency estimation.
const ROUNDS: usize = 3;
/// Bytes of a block of raw cells.
const PLAIN_BYTES: u32 = 1 << 12;
const ZSTD_LEVEL: i32 = 9;

/// Encoder of a tier.
pub(crate) struct TierEncoder<'a> {
    spill: &'a SpillReader,
    slots: u64,
    /// Bytes of a cell.
    width: usize,
    identity: u64,
    tier: u32,
    pub(crate) block_slots: u32,
    /// `None` if raw cells are compressed by zstd.
    runs: Option<RunModel>,
    plan: Option<&'a EncodePlan<'a>>,
    pool: Mutex<Vec<EncodeBuffers>>,
}

/// Reusable buffers to encode a piece.
#[derive(Default)]
struct EncodeBuffers {
    blocks: Blocks<u8>,
    packer: BlockEncoder,
}

/// Map from cell bits to symbols: an array for bytes, a hash map for larger values.
#[derive(Clone)]
struct Symbols {
    small: [u8; 256],
    large: FxHashMap<u64, u8>,
}

impl Symbols {
    /// Numbers the values in ascending order.
    fn new(values: &[u64]) -> Symbols {
        let mut symbols = Symbols { small: [0; 256], large: FxHashMap::default() };
        for (&value, symbol) in values.iter().zip(0..) {
            match symbols.small.get_mut(value as usize) {
                Some(small) => *small = symbol,
                None => _ = symbols.large.insert(value, symbol),
            }
        }
        symbols
    }

    #[inline(always)]
    fn of(&self, value: u64) -> u8 {
        self.small.get(value as usize).copied().unwrap_or_else(|| self.large[&value])
    }
}

struct RunModel {
    symbols: Symbols,
    parts: FrequencyTables,
    coding: EncoderTables,
}

/// Encoded blocks of a piece.
pub(crate) struct EncodedPiece {
    /// The concatenated blocks.
    pub(crate) bytes: Vec<u8>,
    /// Size of each block, 0 if all its slots are don't-cares.
    pub(crate) sizes: Vec<u32>,
}

/// Number of block sizes: a granule, doubled up to the longest.
const SIZES: usize = (LONGEST.ilog2() - (GRANULE as u32).ilog2() + 1) as usize;

/// By block size: the total number of runs, and the number of blocks that are not empty.
type BySize = [[u64; 2]; SIZES];

/// Counts the runs of a piece for each block size, from those of its granules.
fn runs_by_size(mut blocks: Vec<RunCount>) -> BySize {
    std::array::from_fn(|size| {
        if size > 0 {
            blocks = blocks
                .chunks(2)
                .map(|pair| pair.iter().copied().fold(RunCount::default(), RunCount::and))
                .collect();
        }
        let live = blocks.iter().filter(|block| block.runs > 0).count();
        [blocks.iter().map(|block| u64::from(block.runs)).sum(), live as u64]
    })
}

impl<'a> TierEncoder<'a> {
    /// Chooses the block size and trains the model on a sample of the pieces. Collective if the tier is distributed: a
    /// rank that is not `ready` participates and reports its error to the others.
    pub(crate) fn new(
        spill: &'a SpillReader,
        slots: u64,
        width: usize,
        identity: u64,
        tier: u32,
        plan: Option<&'a EncodePlan<'a>>,
        ready: Result<(), TableError>,
    ) -> Result<TierEncoder<'a>, TableError> {
        let block_slots = PLAIN_BYTES / width as u32;
        let pool = Mutex::default();
        let mut encoder =
            TierEncoder { spill, slots, width, identity, tier, block_slots, runs: None, plan, pool };
        if spill.values.len() > MOST_VALUES {
            plan.map_or(Ok(()), |plan| plan.agree(ready))?;
            return Ok(encoder);
        }
        let symbols = Symbols::new(&spill.values);
        let stride = spill.known.div_ceil(TRAINED).max(1);
        let sample = (0..encoder.pieces()).step_by(stride as usize);
        let sample: Vec<u64> = sample.filter(|&piece| encoder.is_mine(piece)).collect();
        encoder.block_slots = encoder.block_size(&sample, ready)?;
        let blocks = sample.par_iter().map(|&piece| {
            let mut blocks = Blocks::default();
            encoder.symbol_blocks(piece, &symbols, &mut blocks).map(|()| blocks)
        });
        // An error here is reported to the other ranks in the next collective, when counts are summed.
        let blocks: Result<Vec<Blocks<u8>>, TableError> = encoder.with_cpu_lock(|| blocks.collect());
        let (blocks, mut read) =
            blocks.map_or_else(|error| (Vec::new(), Err(error)), |blocks| (blocks, Ok(())));
        let mut costs = LengthCosts::new(encoder.block_slots, &first_costs(spill.values.len()));
        let mut parts = FrequencyTables::default();
        for round in 0..ROUNDS {
            if round > 0 {
                costs = LengthCosts::new(encoder.block_slots, &length_costs(&parts));
            }
            let begin = || (TrainingCounts::new(spill.values.len()), RunParser::default(), Vec::new());
            let count = |(mut counts, mut parser, mut lengths): (TrainingCounts, RunParser, _),
                         blocks: &Blocks<u8>| {
                for runs in blocks.iter().filter(|runs| !runs.is_empty()) {
                    parser.fit(runs, &costs, &mut lengths);
                    counts.add(runs, &lengths, &costs);
                }
                (counts, parser, lengths)
            };
            let counts = blocks.par_iter().fold(begin, count).map(|(counts, ..)| counts);
            let counts = encoder.with_cpu_lock(|| {
                counts.reduce(|| TrainingCounts::new(spill.values.len()), TrainingCounts::merge)
            });
            let read = std::mem::replace(&mut read, Ok(()));
            parts = encoder.summed(read.map(|()| counts))?.parts(spill.values.clone());
        }
        // Trained frequencies always add up, so this is `Some`.
        let coding = EncoderTables::new(&parts, encoder.block_slots);
        encoder.runs = coding.map(|coding| RunModel { symbols, parts, coding });
        Ok(encoder)
    }

    /// Whether this rank encodes the piece.
    pub(crate) fn is_mine(&self, piece: u64) -> bool {
        self.plan.is_none_or(|plan| usize::from(plan.coder[piece as usize]) == plan.crew.rank())
    }

    /// Runs a computation while holding the process's CPU lock.
    pub(crate) fn with_cpu_lock<T>(&self, work: impl FnOnce() -> T) -> T {
        let _floor = self.plan.map(|plan| plan.crew.cpu_lock().lock_urgent());
        work()
    }

    /// Sums the counts of all ranks.
    fn summed(&self, counts: Result<TrainingCounts, TableError>) -> Result<TrainingCounts, TableError> {
        let Some(plan) = self.plan else { return counts };
        let values = self.spill.values.len();
        let all = plan.gather(counts.map(|counts| counts.write()))?;
        Ok(all
            .iter()
            .map(|bytes| TrainingCounts::read(values, bytes))
            .fold(TrainingCounts::new(values), TrainingCounts::merge))
    }

    pub(crate) fn codec(&self) -> Codec {
        if self.runs.is_some() { Codec::Runs } else { Codec::Zstd }
    }

    /// Returns the stored form of the model.
    pub(crate) fn model(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(runs) = &self.runs {
            runs.parts.write(&mut bytes);
        }
        bytes
    }

    pub(crate) fn pieces(&self) -> u64 {
        self.slots.div_ceil(PIECE)
    }

    /// Number of blocks of a piece.
    pub(crate) fn blocks_of(&self, piece: u64) -> usize {
        self.piece_slots(piece).div_ceil(self.block_slots) as usize
    }

    fn piece_slots(&self, piece: u64) -> u32 {
        (self.slots - piece * PIECE).min(PIECE) as u32
    }

    /// Returns the largest block size whose average number of runs stays within the target.
    fn block_size(&self, sample: &[u64], ready: Result<(), TableError>) -> Result<u32, TableError> {
        let count = |&piece: &u64| {
            let slots = self.piece_slots(piece);
            Ok(runs_by_size(self.spill.run_counts(piece, self.width, slots)?))
        };
        let add = |a: BySize, b: BySize| Ok(std::array::from_fn(|i| [a[i][0] + b[i][0], a[i][1] + b[i][1]]));
        let sums = sample.par_iter().map(count);
        let sums = ready.and_then(|()| self.with_cpu_lock(|| sums.try_reduce(|| [[0; 2]; SIZES], add)));
        let sums = match self.plan {
            Some(plan) => {
                let mut all = [[0; 2]; SIZES];
                for bytes in plan.gather(sums.map(|sums| pack(sums.as_flattened())))? {
                    all.as_flattened_mut()
                        .iter_mut()
                        .zip(unpack(&bytes))
                        .for_each(|(sum, more)| *sum += more);
                }
                all
            }
            None => sums?,
        };
        let fits = |&size: &usize| size == 0 || sums[size][0] <= RUNS_PER_BLOCK * sums[size][1];
        Ok((GRANULE as u32) << (0..SIZES).rev().find(fits).unwrap_or(0))
    }

    fn symbol_blocks(
        &self,
        piece: u64,
        symbols: &Symbols,
        blocks: &mut Blocks<u8>,
    ) -> Result<(), TableError> {
        let slots = (self.piece_slots(piece), self.block_slots);
        self.spill.blocks(piece, self.width, slots, |bits| symbols.of(bits), blocks)
    }

    /// Encodes the blocks of a piece.
    pub(crate) fn pack(&self, piece: u64) -> Result<EncodedPiece, TableError> {
        let mut packed = EncodedPiece { bytes: Vec::new(), sizes: Vec::new() };
        let mut number = piece * (PIECE / u64::from(self.block_slots));
        let mut add = |code: &mut dyn FnMut(&mut Vec<u8>) -> Result<(), TableError>| {
            let start = packed.bytes.len();
            packed.bytes.extend([0; 4]);
            code(&mut packed.bytes)?;
            if packed.bytes.len() == start + 4 {
                packed.bytes.truncate(start);
            } else {
                let checksum = block_checksum(self.identity, self.tier, number, &packed.bytes[start + 4..]);
                packed.bytes[start..start + 4].copy_from_slice(&checksum);
            }
            packed.sizes.push((packed.bytes.len() - start) as u32);
            number += 1;
            Ok(())
        };
        match &self.runs {
            Some(model) => {
                let mut buffers = self.pool.lock().ok().and_then(|mut pool| pool.pop()).unwrap_or_default();
                let EncodeBuffers { blocks, packer } = &mut buffers;
                self.symbol_blocks(piece, &model.symbols, blocks)?;
                packer.pack(&model.coding, blocks);
                for block in 0..blocks.len() {
                    add(&mut |out| {
                        packer.append(block, out);
                        Ok(())
                    })?;
                }
                if let Ok(mut pool) = self.pool.lock() {
                    pool.push(buffers);
                }
            }
            None => {
                let slots = self.piece_slots(piece);
                let mut blocks = Blocks::default();
                let of = (slots, self.block_slots);
                self.spill.blocks(piece, self.width, of, |bits| bits, &mut blocks)?;
                for (i, runs) in blocks.iter().enumerate() {
                    let length = self.block_slots.min(slots - i as u32 * self.block_slots);
                    add(&mut |out| self.pack_plain(runs, length, out))?;
                }
            }
        }
        Ok(packed)
    }

    /// Compresses the cells of a block, each don't care repeating the cell before it.
    fn pack_plain(&self, runs: Runs<'_, u64>, slots: u32, out: &mut Vec<u8>) -> Result<(), TableError> {
        if runs.is_empty() {
            return Ok(());
        }
        let mut cells = Vec::with_capacity(slots as usize * self.width);
        for (i, value) in runs.values.iter().enumerate() {
            let end = runs.firsts.get(i + 1).map_or(slots, |&first| first.into()) as usize * self.width;
            while cells.len() < end {
                cells.extend_from_slice(&value.to_le_bytes()[..self.width]);
            }
        }
        let coded = zstd::bulk::compress(&cells, ZSTD_LEVEL)
            .map_err(|e| TableError::io("compress it", self.spill.path(), "", e))?;
        out.extend(coded);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn run_counts_of_all_block_sizes_match_plain_counting() {
        let mut rng = SmallRng::seed_from_u64(6);
        for _ in 0..200 {
            // By granule: the values of its runs, none for don't-cares.
            let runs =
                |rng: &mut SmallRng| (0..rng.random_range(0..4)).map(|_| rng.random_range(0..3)).collect();
            let granules: Vec<Vec<u64>> = (0..rng.random_range(1..200)).map(|_| runs(&mut rng)).collect();
            let apart = |values: &[&u64]| 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count();
            let run_count = |values: &Vec<u64>| match (values.first(), values.last()) {
                (Some(&first), Some(&last)) => {
                    RunCount { runs: apart(&values.iter().collect::<Vec<_>>()) as u32, first, last }
                }
                _ => RunCount::default(),
            };
            let found = runs_by_size(granules.iter().map(run_count).collect());
            for (size, found) in found.into_iter().enumerate() {
                let mut plain = [0; 2];
                for block in granules.chunks(1 << size) {
                    let values: Vec<&u64> = block.iter().flatten().collect();
                    if !values.is_empty() {
                        plain = [plain[0] + apart(&values) as u64, plain[1] + 1];
                    }
                }
                assert_eq!(found, plain, "blocks of {} granules", 1 << size);
            }
        }
    }
}
