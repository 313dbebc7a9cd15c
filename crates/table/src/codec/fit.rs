//! Optimal parsing of runs over don't-cares by dynamic programming (Viterbi 1967), vectorised.
//!
//! A run is a sequence of slots with one value; between two runs, don't-care slots may belong to either. The boundary
//! is chosen so that the run lengths take the fewest bits:
//!
//! ```text
//! slots   3 . . . 3 . . . . 5 5 3 . 5        the first boundary may lie at any of the bars, the second is fixed
//!                  | | | | |   |
//! ```
//!
//! A boundary between two adjacent defined slots is fixed, and fixed boundaries make the parts between them
//! independent. So only *stretches* of free boundaries are optimised, by dynamic programming: the cheapest way to end
//! run k at a slot is the cheapest way to end run k − 1 at an earlier slot plus the cost of the length between. A gap
//! of more than sixteen candidate ends is subsampled to sixteen, so the result is optimal only for narrower gaps.
//!
//! The candidate ends of a boundary are SIMD lanes. Cost and back-pointer are packed into one number, `cost · 16 +
//! place`, so the minimum over sixteen lanes yields both. The kernel is compiled for several instruction sets.
#![allow(unsafe_code)]

use super::lanes::{LANES as ENDS, Lanes, NONE, NUMBERS};
use super::length::{self, ESCAPE};
use super::runs::Runs;

/// Low bits of a lane that hold the back-pointer.
const PLACE: u32 = ENDS.ilog2();

/// Costs of lengths by value, in 1/256 bit, shifted to leave room for a back-pointer.
pub(crate) struct LengthCosts {
    slots: usize,
    /// By value: the cost of each length, padded on both sides so that sixteen can be loaded from any length on.
    costs: Vec<u32>,
    /// The same in order of falling length.
    falling: Vec<u32>,
    /// By value and length: the cheapest symbol.
    symbols: Vec<u8>,
}

/// Cost of padding: more than any length costs.
const UNUSED: u32 = (u16::MAX as u32) << PLACE;
/// Number of boundaries after which the costs must be rebased, lest a lane overflow.
const UNCHECKED: usize = (NONE / (UNUSED + (1 << PLACE)) / 2) as usize;

impl LengthCosts {
    /// Computes the costs of all lengths of blocks with `slots` slots from the cost of each length symbol.
    pub(crate) fn new(slots: u32, symbols: &[[u16; 256]]) -> LengthCosts {
        let slots = slots as usize;
        let mut costs = LengthCosts { slots, costs: Vec::new(), falling: Vec::new(), symbols: Vec::new() };
        let row = costs.row();
        costs.costs.reserve(symbols.len() * row);
        costs.falling.reserve(symbols.len() * row);
        costs.symbols.reserve(symbols.len() * slots);
        for by_symbol in symbols {
            let start = costs.costs.len();
            costs.costs.extend([UNUSED; ENDS]);
            for length in 1..=slots as u32 {
                let (symbol, cost) = cheapest(length, by_symbol);
                costs.costs.push(u32::from(cost) << PLACE);
                costs.symbols.push(symbol);
            }
            costs.costs.extend([UNUSED; ENDS]);
            costs.falling.extend(costs.costs[start..].iter().rev());
        }
        costs
    }

    fn row(&self) -> usize {
        self.slots + 2 * ENDS
    }

    /// Returns the cheapest symbol of a length.
    #[inline]
    pub(crate) fn symbol(&self, value: u8, length: u16) -> u8 {
        self.symbols[usize::from(value) * self.slots + usize::from(length) - 1]
    }

    /// Costs of `length` and the lengths above it; at least sixteen, with padding.
    #[inline(always)]
    fn rising(&self, value: u8, length: u32) -> &[u32] {
        &self.costs[usize::from(value) * self.row() + ENDS - 1 + length as usize..]
    }

    /// Costs of `length` and the lengths below it, in falling order; at least sixteen, with padding below length 1.
    #[inline(always)]
    fn falling(&self, value: u8, length: u32) -> &[u32] {
        &self.falling[usize::from(value) * self.row() + ENDS + self.slots - length as usize..]
    }
}

/// Loads sixteen consecutive costs.
#[inline(always)]
unsafe fn load<L: Lanes>(costs: &[u32]) -> L {
    // SAFETY: as for this function.
    unsafe { L::load(costs.first_chunk().expect("rows end with sixteen more")) }
}

/// Returns the cheapest symbol of a length, and its cost including its raw bits.
#[inline]
fn cheapest(length: u32, symbols: &[u16; 256]) -> (u8, u16) {
    let mut best = (ESCAPE, symbols[usize::from(ESCAPE)].saturating_add(16 << 8));
    if let Some(symbol) = length::exact(length) {
        let cost = symbols[usize::from(symbol)];
        if cost < best.1 {
            best = (symbol, cost);
        }
    }
    if length > 32 {
        let (symbol, _, bits) = length::range(length);
        let cost = symbols[usize::from(symbol)].saturating_add((bits << 8) as u16);
        if cost < best.1 {
            best = (symbol, cost);
        }
    }
    best
}

/// Candidate ends of a boundary: all of them, or sixteen evenly spaced ones including both extremes.
#[derive(Clone, Copy)]
struct CandidateEnds {
    low: u32,
    gap: u32,
}

impl CandidateEnds {
    #[inline(always)]
    fn of(runs: Runs<'_, u8>, boundary: usize) -> CandidateEnds {
        let low = u32::from(runs.lasts[boundary]) + 1;
        CandidateEnds { low, gap: u32::from(runs.firsts[boundary + 1]) - low }
    }

    /// Whether the candidates are consecutive slots.
    #[inline(always)]
    fn close(self) -> bool {
        self.gap < ENDS as u32
    }

    #[inline(always)]
    fn count(self) -> usize {
        (self.gap as usize + 1).min(ENDS)
    }

    /// Distance of a candidate from the first one.
    #[inline(always)]
    fn behind(self, place: u32) -> u32 {
        if self.close() { place } else { place * self.gap / (ENDS as u32 - 1) }
    }

    #[inline(always)]
    fn all_behind(self) -> [u32; ENDS] {
        let mut all = NUMBERS;
        all.iter_mut().for_each(|place| *place = *place * self.gap / (ENDS as u32 - 1));
        all
    }
}

/// Optimal parser; its buffers are reused.
#[derive(Default)]
pub(crate) struct RunParser {
    /// The free boundaries.
    open: Vec<u16>,
    /// By boundary of a stretch: its candidates, and for each the cheapest cost with its back-pointer.
    table: Vec<(CandidateEnds, [u32; ENDS])>,
}

impl RunParser {
    /// Computes the lengths of all runs but the last, which extends to the end of the block.
    pub(crate) fn fit(&mut self, runs: Runs<'_, u8>, costs: &LengthCosts, lengths: &mut Vec<u16>) {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                return unsafe { self.fit_avx512(runs, costs, lengths) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                return unsafe { self.fit_avx2(runs, costs, lengths) };
            }
        }
        // SAFETY: this version needs no special instructions.
        unsafe { self.fit_with::<[u32; ENDS]>(runs, costs, lengths) };
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2")]
    fn fit_avx512(&mut self, runs: Runs<'_, u8>, costs: &LengthCosts, lengths: &mut Vec<u16>) {
        // SAFETY: the processor has the instructions.
        unsafe { self.fit_with::<super::lanes::x86::Avx512>(runs, costs, lengths) };
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fit_avx2(&mut self, runs: Runs<'_, u8>, costs: &LengthCosts, lengths: &mut Vec<u16>) {
        // SAFETY: the processor has the instructions.
        unsafe { self.fit_with::<super::lanes::x86::Avx2>(runs, costs, lengths) };
    }

    #[inline(always)]
    unsafe fn fit_with<L: Lanes>(&mut self, runs: Runs<'_, u8>, costs: &LengthCosts, lengths: &mut Vec<u16>) {
        lengths.clear();
        let boundaries = runs.len().saturating_sub(1);
        if boundaries == 0 {
            return;
        }
        // Start with every run ending at its last defined slot.
        lengths.push(runs.lasts[0] + 1);
        lengths.extend(runs.lasts[..boundaries].windows(2).map(|pair| pair[1] - pair[0]));
        // Whether a boundary is free is unpredictable, so it has no branch.
        self.open.resize(boundaries.max(self.open.len()), 0);
        let mut count = 0;
        for (boundary, (last, first)) in runs.lasts.iter().zip(&runs.firsts[1..]).enumerate() {
            self.open[count] = boundary as u16;
            count += usize::from(last + 1 != *first);
        }
        let mut place = 0;
        while place < count {
            let from = usize::from(self.open[place]);
            let mut to = from + 1;
            place += 1;
            while place < count && usize::from(self.open[place]) == to {
                place += 1;
                to += 1;
            }
            // SAFETY: as for this function.
            unsafe { self.stretch::<L>(runs, costs, (from, to), lengths) };
        }
    }

    /// Moves the boundaries `from..to` to their cheapest ends.
    #[inline(always)]
    unsafe fn stretch<L: Lanes>(
        &mut self,
        runs: Runs<'_, u8>,
        costs: &LengthCosts,
        (from, to): (usize, usize),
        lengths: &mut [u16],
    ) {
        let start = from.checked_sub(1).map_or(0, |before| u32::from(runs.lasts[before]) + 1);
        let mut ends = CandidateEnds::of(runs, from);
        // End of the run after the last boundary; `None` for the block's last run, whose cost does not depend on its
        // length.
        let stop = (to < lengths.len()).then(|| u32::from(runs.lasts[to]) + 1);
        // SAFETY: as for this function.
        unsafe {
            let mut bases = first::<L>(costs, runs.values[from], start, ends).own(ends.count() as u32);
            if to == from + 1 {
                let place = last(costs, runs.values[to], bases, ends, stop);
                return shift(lengths, from, ends, place);
            }
            self.table.clear();
            for boundary in from + 1..to {
                if (boundary - from) % UNCHECKED == 0 {
                    let least = bases.least() >> PLACE << PLACE;
                    bases = bases.add(L::fill(least.wrapping_neg())).own(ends.count() as u32);
                }
                let behind = CandidateEnds::of(runs, boundary);
                let lanes = next(costs, runs.values[boundary], &bases.store(), ends, behind);
                self.table.push((ends, L::store(lanes)));
                (bases, ends) = (lanes.own(behind.count() as u32), behind);
            }
            let mut place = last(costs, runs.values[to], bases, ends, stop);
            shift(lengths, to - 1, ends, place);
            for (boundary, (ends, lanes)) in (from..to - 1).zip(&self.table).rev() {
                place = lanes[place as usize] % ENDS as u32;
                shift(lengths, boundary, *ends, place);
            }
        }
    }
}

/// Moves a boundary from its first candidate end to another.
#[inline(always)]
fn shift(lengths: &mut [u16], boundary: usize, ends: CandidateEnds, place: u32) {
    let by = ends.behind(place) as u16;
    lengths[boundary] = lengths[boundary].wrapping_add(by);
    if let Some(behind) = lengths.get_mut(boundary + 1) {
        *behind = behind.wrapping_sub(by);
    }
}

/// Costs of a boundary's candidates from a fixed start.
#[inline(always)]
unsafe fn first<L: Lanes>(costs: &LengthCosts, value: u8, start: u32, ends: CandidateEnds) -> L {
    let costs = costs.rising(value, ends.low - start);
    // SAFETY: as for this function.
    unsafe { if ends.close() { load(costs) } else { L::gather(costs, &ends.all_behind()) } }
}

/// Costs of a boundary's candidates from those of the boundary before.
#[inline(always)]
unsafe fn next<L: Lanes>(
    costs: &LengthCosts,
    value: u8,
    bases: &[u32; ENDS],
    before: CandidateEnds,
    ends: CandidateEnds,
) -> L {
    // SAFETY: as for this function.
    unsafe {
        let mut lanes = L::fill(u32::MAX);
        let apart = if ends.close() { NUMBERS } else { ends.all_behind() };
        for (place, &base) in (0..).zip(bases).take(before.count()) {
            let costs = costs.rising(value, ends.low - before.low - before.behind(place));
            let costs: L = if ends.close() { load(costs) } else { L::gather(costs, &apart) };
            lanes = lanes.min(costs.add(L::fill(base)));
        }
        lanes
    }
}

/// Returns the cheapest candidate of the last boundary. Lanes without a candidate cost more than any sum.
#[inline(always)]
unsafe fn last<L: Lanes>(
    costs: &LengthCosts,
    value: u8,
    bases: L,
    ends: CandidateEnds,
    stop: Option<u32>,
) -> u32 {
    // SAFETY: as for this function.
    unsafe {
        // A closure would not inherit the target features.
        let Some(stop) = stop else { return bases.least() % ENDS as u32 };
        let costs = costs.falling(value, stop - ends.low);
        let costs = if ends.close() { load(costs) } else { L::gather(costs, &ends.all_behind()) };
        bases.add(costs).least() % ENDS as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::runs::Blocks;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Fewer under Miri, which is about a thousand times slower.
    const TRIALS: usize = if cfg!(miri) { 6 } else { 300 };

    /// The runs of a block from the value, the first and the last slot of each.
    fn block(runs: &[(u8, u32, u32)]) -> Blocks<u8> {
        let mut blocks = Blocks::default();
        for &(value, first, last) in runs {
            let base = first as u16;
            blocks.push(base, std::iter::once(value), &[0], &[(last - first) as u8]);
        }
        blocks.advance_to(1);
        blocks
    }

    fn cost(costs: &LengthCosts, value: u8, length: u32) -> u32 {
        costs.rising(value, length)[0] >> PLACE
    }

    /// The cheapest cost by exhaustive search over all boundaries.
    fn brute(runs: &[(u8, u32, u32)], costs: &LengthCosts, start: u32) -> u32 {
        let [(value, _, last), (_, first, _), ..] = runs else { return 0 };
        (last + 1..=*first)
            .map(|end| cost(costs, *value, end - start) + brute(&runs[1..], costs, end))
            .min()
            .unwrap_or(0)
    }

    #[test]
    fn lengths_cost_no_more_than_by_exhaustive_search() {
        let mut rng = SmallRng::seed_from_u64(3);
        let mut parser = RunParser::default();
        for _ in 0..TRIALS {
            let symbols = [(); 3].map(|()| std::array::from_fn(|_| rng.random_range(1..3000)));
            let costs = LengthCosts::new(64, &symbols);
            let mut runs = Vec::new();
            let mut slot = rng.random_range(0..4);
            for i in 0..rng.random_range(1..6) {
                let last = slot + rng.random_range(0..4);
                runs.push(((i % 3) as u8, slot, last));
                slot = last + rng.random_range(1..8);
            }
            let mut lengths = Vec::new();
            parser.fit(block(&runs).block(0), &costs, &mut lengths);
            assert_eq!(lengths.len(), runs.len() - 1);
            let mut end = 0;
            let mut sum = 0;
            for (pair, &length) in runs.windows(2).zip(&lengths) {
                sum += cost(&costs, pair[0].0, length.into());
                end += u32::from(length);
                assert!(pair[0].2 < end && end <= pair[1].1);
            }
            assert_eq!(sum, brute(&runs, &costs, 0));
        }
    }

    /// Scalar reference: all boundaries in order, fixed ones included; ties go to the first end.
    fn plain(runs: Runs<'_, u8>, costs: &LengthCosts) -> Vec<u16> {
        let at = |ends: CandidateEnds, place: usize| ends.low + ends.behind(place as u32);
        let mut before = (CandidateEnds { low: 0, gap: 0 }, vec![0u64]);
        let mut table = Vec::new();
        for boundary in 0..runs.len() - 1 {
            let ends = CandidateEnds::of(runs, boundary);
            let way = |place: usize| {
                let ways = before.1.iter().enumerate().map(|(from, so_far)| {
                    let length = at(ends, place) - at(before.0, from);
                    (so_far + u64::from(cost(costs, runs.values[boundary], length)), from)
                });
                ways.min().expect("a boundary has an end")
            };
            let ways: Vec<(u64, usize)> = (0..ends.count()).map(way).collect();
            before = (ends, ways.iter().map(|way| way.0).collect());
            table.push((ends, ways));
        }
        let last = (0..before.1.len()).min_by_key(|&place| before.1[place]);
        let mut place = last.expect("a boundary has an end");
        let mut ends: Vec<u32> = Vec::new();
        for (boundary, ways) in table.iter().rev() {
            ends.push(at(*boundary, place));
            place = ways[place].1;
        }
        ends.push(0);
        ends.reverse();
        ends.windows(2).map(|pair| (pair[1] - pair[0]) as u16).collect()
    }

    #[test]
    fn all_instruction_sets_agree_with_the_scalar_reference() {
        let mut rng = SmallRng::seed_from_u64(4);
        let mut parser = RunParser::default();
        for trial in 0..TRIALS {
            let most = [1, 3000, 65_000][rng.random_range(0..3)];
            let symbols = [(); 3].map(|()| std::array::from_fn(|_| rng.random_range(1..=most)));
            // Many runs in one stretch exceed the range of a lane, so that rebasing is tested.
            let (count, slots) = if trial % 10 == 0 { (4000, 14) } else { (60, 12) };
            let costs = LengthCosts::new(1 << slots, &symbols);
            let mut runs = Vec::new();
            let mut slot = rng.random_range(0..40);
            while runs.len() < count && slot < (1 << slots) - 210 {
                let last = slot + rng.random_range(0..4);
                runs.push((runs.len() as u8 % 3, slot, last));
                let gap = [1, 2, 16, 17, 200][rng.random_range(0..if count > 60 { 3 } else { 5 })];
                slot = last + 1 + rng.random_range(0..gap) + u32::from(trial % 20 == 0);
            }
            let blocks = block(&runs);
            let runs = blocks.block(0);
            let expected = plain(runs, &costs);
            let mut lengths = Vec::new();
            parser.fit(runs, &costs, &mut lengths);
            assert_eq!(lengths, expected);
            // SAFETY: this version needs no special instructions.
            unsafe { parser.fit_with::<[u32; ENDS]>(runs, &costs, &mut lengths) };
            assert_eq!(lengths, expected);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                unsafe { parser.fit_avx2(runs, &costs, &mut lengths) };
                assert_eq!(lengths, expected);
            }
        }
    }
}
