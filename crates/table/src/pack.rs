//! A tier's pieces become blocks: choosing the block size, training the model, coding.

use crate::TableError;
use crate::codec::block::Packer;
use crate::codec::fit::{Costs, Fitter};
use crate::codec::length::LONGEST;
use crate::codec::model::{MOST_VALUES, Parts};
use crate::codec::runs::{Blocks, Runs};
use crate::codec::train::{Coding, Counts, first_costs, length_costs};
use crate::header::{Codec, block_checksum};
use crate::shares::Shares;
use crate::spill::{GRANULE, PIECE, Spilled, Tally};
use outplay_core::crew::{pack, unpack};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// Runs that a block should have on average at most: a probe decodes half a block, in about 20 ns a run.
const RUNS_PER_BLOCK: u64 = 160;
/// Slots of a tier, don't-cares not counted, that its model is trained on at most.
pub const TRAINED: u64 = 1 << 22;
/// How often the ends of runs and the frequencies of lengths are fitted to each other.
const ROUNDS: usize = 3;
/// The size of a block of plain cells.
const PLAIN_BYTES: u32 = 1 << 12;
const ZSTD_LEVEL: i32 = 9;

/// How a tier is going to be coded.
pub(crate) struct Plan<'a> {
    spill: &'a Spilled,
    slots: u64,
    /// Bytes of a cell.
    width: usize,
    identity: u64,
    tier: u32,
    pub(crate) block_slots: u32,
    /// None if the cells are compressed as they are.
    runs: Option<RunPlan>,
    shares: Option<&'a Shares<'a>>,
    benches: Mutex<Vec<Bench>>,
}

/// Memory that pieces are coded in, one after the other.
#[derive(Default)]
struct Bench {
    blocks: Blocks<u8>,
    packer: Packer,
}

/// What a value is called in the blocks: bytes by place, others by looking them up.
#[derive(Clone)]
struct Symbols {
    small: [u8; 256],
    large: FxHashMap<u64, u8>,
}

impl Symbols {
    /// The values' places in ascending order.
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

struct RunPlan {
    symbols: Symbols,
    parts: Parts,
    coding: Coding,
}

/// The coded blocks of one piece.
pub(crate) struct Packed {
    /// One after the other.
    pub(crate) bytes: Vec<u8>,
    /// The size of each, 0 for a block of don't-cares.
    pub(crate) sizes: Vec<u32>,
}

/// Block sizes: a granule, and its doubles up to the longest.
const SIZES: usize = (LONGEST.ilog2() - (GRANULE as u32).ilog2() + 1) as usize;

/// By size: how many runs all blocks have, and how many are not empty.
type BySize = [[u64; 2]; SIZES];

/// Counts the runs of a piece from those of its granules.
fn runs_by_size(mut blocks: Vec<Tally>) -> BySize {
    std::array::from_fn(|size| {
        if size > 0 {
            blocks = blocks
                .chunks(2)
                .map(|pair| pair.iter().copied().fold(Tally::default(), Tally::and))
                .collect();
        }
        let live = blocks.iter().filter(|block| block.runs > 0).count();
        [blocks.iter().map(|block| u64::from(block.runs)).sum(), live as u64]
    })
}

impl<'a> Plan<'a> {
    /// Looks at the pieces, or at enough of them, and decides. Whoever codes together with others does so even if it could
    /// not get `ready`, and tells them.
    pub(crate) fn new(
        spill: &'a Spilled,
        slots: u64,
        width: usize,
        identity: u64,
        tier: u32,
        shares: Option<&'a Shares<'a>>,
        ready: Result<(), TableError>,
    ) -> Result<Plan<'a>, TableError> {
        let block_slots = PLAIN_BYTES / width as u32;
        let benches = Mutex::default();
        let mut plan = Plan { spill, slots, width, identity, tier, block_slots, runs: None, shares, benches };
        if spill.values.len() > MOST_VALUES {
            shares.map_or(Ok(()), |shares| shares.agree(ready))?;
            return Ok(plan);
        }
        let symbols = Symbols::new(&spill.values);
        let stride = spill.known.div_ceil(TRAINED).max(1);
        let sample = (0..plan.pieces()).step_by(stride as usize);
        let sample: Vec<u64> = sample.filter(|&piece| plan.is_mine(piece)).collect();
        plan.block_slots = plan.block_size(&sample, ready)?;
        let blocks = sample.par_iter().map(|&piece| {
            let mut blocks = Blocks::default();
            plan.symbol_blocks(piece, &symbols, &mut blocks).map(|()| blocks)
        });
        // Those who failed tell the others when they add up what was counted.
        let blocks: Result<Vec<Blocks<u8>>, TableError> = plan.at_work(|| blocks.collect());
        let (blocks, mut read) =
            blocks.map_or_else(|error| (Vec::new(), Err(error)), |blocks| (blocks, Ok(())));
        let mut costs = Costs::new(plan.block_slots, &first_costs(spill.values.len()));
        let mut parts = Parts::default();
        for round in 0..ROUNDS {
            if round > 0 {
                costs = Costs::new(plan.block_slots, &length_costs(&parts));
            }
            let begin = || (Counts::new(spill.values.len()), Fitter::default(), Vec::new());
            let count = |(mut counts, mut fitter, mut lengths): (Counts, Fitter, _), blocks: &Blocks<u8>| {
                for runs in blocks.iter().filter(|runs| !runs.is_empty()) {
                    fitter.fit(runs, &costs, &mut lengths);
                    counts.add(runs, &lengths, &costs);
                }
                (counts, fitter, lengths)
            };
            let counts = blocks.par_iter().fold(begin, count).map(|(counts, ..)| counts);
            let counts = plan.at_work(|| counts.reduce(|| Counts::new(spill.values.len()), Counts::merge));
            let read = std::mem::replace(&mut read, Ok(()));
            parts = plan.summed(read.map(|()| counts))?.parts(spill.values.clone());
        }
        // Training makes only shares that add up.
        let coding = Coding::new(&parts, plan.block_slots);
        plan.runs = coding.map(|coding| RunPlan { symbols, parts, coding });
        Ok(plan)
    }

    /// Whether this process codes a piece.
    pub(crate) fn is_mine(&self, piece: u64) -> bool {
        self.shares.is_none_or(|shares| usize::from(shares.coder[piece as usize]) == shares.crew.rank())
    }

    /// Computes, while nobody else of this process does.
    pub(crate) fn at_work<T>(&self, work: impl FnOnce() -> T) -> T {
        let _floor = self.shares.map(|shares| shares.crew.floor().take_first());
        work()
    }

    /// What all processes counted.
    fn summed(&self, counts: Result<Counts, TableError>) -> Result<Counts, TableError> {
        let Some(shares) = self.shares else { return counts };
        let values = self.spill.values.len();
        let all = shares.gather(counts.map(|counts| counts.write()))?;
        Ok(all.iter().map(|bytes| Counts::read(values, bytes)).fold(Counts::new(values), Counts::merge))
    }

    pub(crate) fn codec(&self) -> Codec {
        if self.runs.is_some() { Codec::Runs } else { Codec::Zstd }
    }

    /// The stored model.
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

    /// How many blocks a piece has.
    pub(crate) fn blocks_of(&self, piece: u64) -> usize {
        self.piece_slots(piece).div_ceil(self.block_slots) as usize
    }

    fn piece_slots(&self, piece: u64) -> u32 {
        (self.slots - piece * PIECE).min(PIECE) as u32
    }

    /// The largest block size with few enough runs in a block that is not empty.
    fn block_size(&self, sample: &[u64], ready: Result<(), TableError>) -> Result<u32, TableError> {
        let count = |&piece: &u64| {
            let slots = self.piece_slots(piece);
            Ok(runs_by_size(self.spill.tallies(piece, self.width, slots)?))
        };
        let add = |a: BySize, b: BySize| Ok(std::array::from_fn(|i| [a[i][0] + b[i][0], a[i][1] + b[i][1]]));
        let sums = sample.par_iter().map(count);
        let sums = ready.and_then(|()| self.at_work(|| sums.try_reduce(|| [[0; 2]; SIZES], add)));
        let sums = match self.shares {
            Some(shares) => {
                let mut all = [[0; 2]; SIZES];
                for bytes in shares.gather(sums.map(|sums| pack(sums.as_flattened())))? {
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

    /// Codes the blocks of a piece.
    pub(crate) fn pack(&self, piece: u64) -> Result<Packed, TableError> {
        let mut packed = Packed { bytes: Vec::new(), sizes: Vec::new() };
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
            Some(plan) => {
                let mut bench =
                    self.benches.lock().ok().and_then(|mut benches| benches.pop()).unwrap_or_default();
                let Bench { blocks, packer } = &mut bench;
                self.symbol_blocks(piece, &plan.symbols, blocks)?;
                packer.pack(&plan.coding, blocks);
                for block in 0..blocks.len() {
                    add(&mut |out| {
                        packer.append(block, out);
                        Ok(())
                    })?;
                }
                if let Ok(mut benches) = self.benches.lock() {
                    benches.push(bench);
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
    fn runs_of_all_sizes_are_those_that_blocks_have() {
        let mut rng = SmallRng::seed_from_u64(6);
        for _ in 0..200 {
            // By granule: the values of its runs, none for don't-cares.
            let runs =
                |rng: &mut SmallRng| (0..rng.random_range(0..4)).map(|_| rng.random_range(0..3)).collect();
            let granules: Vec<Vec<u64>> = (0..rng.random_range(1..200)).map(|_| runs(&mut rng)).collect();
            let apart = |values: &[&u64]| 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count();
            let tally = |values: &Vec<u64>| match (values.first(), values.last()) {
                (Some(&first), Some(&last)) => {
                    Tally { runs: apart(&values.iter().collect::<Vec<_>>()) as u32, first, last }
                }
                _ => Tally::default(),
            };
            let found = runs_by_size(granules.iter().map(tally).collect());
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
