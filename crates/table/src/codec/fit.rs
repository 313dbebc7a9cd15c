//! Where runs end: the cheapest lengths that the don't-cares allow.
//!
//! ```text
//! slots   3 . . . 3 . . . . 5 5 3 . 5        the first boundary may lie at any of the bars, the second has no choice
//!                  | | | | |   |
//! ```
//!
//! Most boundaries lie between two slots that count and have one end. What lies between two of those does not depend on
//! anything else, so only *stretches* of boundaries with a choice are weighed, by dynamic programming: the cheapest way to
//! end run k at a slot is the cheapest way to end run k − 1 at an earlier one plus the cost of the length between. Wide
//! gaps are thinned out.
//!
//! The ends of a boundary are weighed side by side: a cost and where it comes from are one number, `cost · 16 + place`, and
//! the best is the minimum of sixteen lanes. Loops over lanes are plain; they are compiled for several instruction sets.
#![allow(unsafe_code)]

use super::lanes::{LANES as ENDS, Lanes, NONE, NUMBERS};
use super::length::{self, ESCAPE};
use super::runs::Runs;

/// Bits of a lane that say where a cost comes from.
const PLACE: u32 = ENDS.ilog2();

/// What lengths cost, in 1/256 bit, by value; each with room below for a place.
pub(crate) struct Costs {
    slots: usize,
    /// By value: what all lengths cost, and so many more on both sides that sixteen can be read from each.
    costs: Vec<u32>,
    /// The same with the longest first.
    falling: Vec<u32>,
    /// By value and length: the symbol that says it at that cost.
    symbols: Vec<u8>,
}

/// What is not to be used: more than any length costs.
const UNUSED: u32 = (u16::MAX as u32) << PLACE;
/// Boundaries whose costs fit in a lane together.
const UNCHECKED: usize = (NONE / (UNUSED + (1 << PLACE)) / 2) as usize;

impl Costs {
    /// Costs for blocks of that many slots from the cost of each length symbol.
    pub(crate) fn new(slots: u32, symbols: &[[u16; 256]]) -> Costs {
        let slots = slots as usize;
        let mut costs = Costs { slots, costs: Vec::new(), falling: Vec::new(), symbols: Vec::new() };
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

    /// The symbol that says a length most cheaply.
    #[inline]
    pub(crate) fn symbol(&self, value: u8, length: u16) -> u8 {
        self.symbols[usize::from(value) * self.slots + usize::from(length) - 1]
    }

    /// What lengths cost from one on; sixteen at least.
    #[inline(always)]
    fn rising(&self, value: u8, length: u32) -> &[u32] {
        &self.costs[usize::from(value) * self.row() + ENDS - 1 + length as usize..]
    }

    /// What lengths cost from one on, each shorter than the one before; those below one, of which there are so many that
    /// there are sixteen at least, are not to be used.
    #[inline(always)]
    fn falling(&self, value: u8, length: u32) -> &[u32] {
        &self.falling[usize::from(value) * self.row() + ENDS + self.slots - length as usize..]
    }
}

/// Sixteen costs that lie side by side.
#[inline(always)]
unsafe fn load<L: Lanes>(costs: &[u32]) -> L {
    // SAFETY: the caller's.
    unsafe { L::load(costs.first_chunk().expect("rows end with sixteen more")) }
}

/// The symbol that says a length most cheaply, and what it costs with the plain bits that it takes.
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

/// The ends of a boundary that are weighed: all of them, or sixteen evenly spread with both extremes.
#[derive(Clone, Copy)]
struct Ends {
    low: u32,
    gap: u32,
}

impl Ends {
    #[inline(always)]
    fn of(runs: Runs<'_, u8>, boundary: usize) -> Ends {
        let low = u32::from(runs.lasts[boundary]) + 1;
        Ends { low, gap: u32::from(runs.firsts[boundary + 1]) - low }
    }

    /// Whether all are weighed, one next to the other.
    #[inline(always)]
    fn close(self) -> bool {
        self.gap < ENDS as u32
    }

    #[inline(always)]
    fn count(self) -> usize {
        (self.gap as usize + 1).min(ENDS)
    }

    /// How far a place lies behind the first one.
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

/// Memory that is used again for every block.
#[derive(Default)]
pub(crate) struct Fitter {
    /// The boundaries that have a choice.
    open: Vec<u16>,
    /// Of a stretch: the ends of every boundary, and for each the cheapest cost with the place of the end before it.
    weighed: Vec<(Ends, [u32; ENDS])>,
}

impl Fitter {
    /// The lengths of all runs but the last, which takes the rest of the block.
    pub(crate) fn fit(&mut self, runs: Runs<'_, u8>, costs: &Costs, lengths: &mut Vec<u16>) {
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
        // SAFETY: every processor can do this.
        unsafe { self.fit_with::<[u32; ENDS]>(runs, costs, lengths) };
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2")]
    fn fit_avx512(&mut self, runs: Runs<'_, u8>, costs: &Costs, lengths: &mut Vec<u16>) {
        // SAFETY: the processor has the instructions.
        unsafe { self.fit_with::<super::lanes::x86::One>(runs, costs, lengths) };
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fit_avx2(&mut self, runs: Runs<'_, u8>, costs: &Costs, lengths: &mut Vec<u16>) {
        // SAFETY: the processor has the instructions.
        unsafe { self.fit_with::<super::lanes::x86::Two>(runs, costs, lengths) };
    }

    #[inline(always)]
    unsafe fn fit_with<L: Lanes>(&mut self, runs: Runs<'_, u8>, costs: &Costs, lengths: &mut Vec<u16>) {
        lengths.clear();
        let boundaries = runs.len().saturating_sub(1);
        if boundaries == 0 {
            return;
        }
        // As if every run ended with its last slot that counts.
        lengths.push(runs.lasts[0] + 1);
        lengths.extend(runs.lasts[..boundaries].windows(2).map(|pair| pair[1] - pair[0]));
        // Nobody can foresee which boundaries have a choice, so there is no branch for it.
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
            // SAFETY: the caller's.
            unsafe { self.stretch::<L>(runs, costs, (from, to), lengths) };
        }
    }

    /// Moves the boundaries from one to before another to where they cost least.
    #[inline(always)]
    unsafe fn stretch<L: Lanes>(
        &mut self,
        runs: Runs<'_, u8>,
        costs: &Costs,
        (from, to): (usize, usize),
        lengths: &mut [u16],
    ) {
        let start = from.checked_sub(1).map_or(0, |before| u32::from(runs.lasts[before]) + 1);
        let mut ends = Ends::of(runs, from);
        // Where the run behind the last boundary ends, unless it is the last one, which costs the same however long it is.
        let stop = (to < lengths.len()).then(|| u32::from(runs.lasts[to]) + 1);
        // SAFETY: the caller's.
        unsafe {
            let mut bases = first::<L>(costs, runs.values[from], start, ends).own(ends.count() as u32);
            if to == from + 1 {
                let place = last(costs, runs.values[to], bases, ends, stop);
                return shift(lengths, from, ends, place);
            }
            self.weighed.clear();
            for boundary in from + 1..to {
                if (boundary - from) % UNCHECKED == 0 {
                    let least = bases.least() >> PLACE << PLACE;
                    bases = bases.add(L::fill(least.wrapping_neg())).own(ends.count() as u32);
                }
                let behind = Ends::of(runs, boundary);
                let lanes = next(costs, runs.values[boundary], &bases.store(), ends, behind);
                self.weighed.push((ends, L::store(lanes)));
                (bases, ends) = (lanes.own(behind.count() as u32), behind);
            }
            let mut place = last(costs, runs.values[to], bases, ends, stop);
            shift(lengths, to - 1, ends, place);
            for (boundary, (ends, lanes)) in (from..to - 1).zip(&self.weighed).rev() {
                place = lanes[place as usize] % ENDS as u32;
                shift(lengths, boundary, *ends, place);
            }
        }
    }
}

/// Moves a boundary from its first end to another.
#[inline(always)]
fn shift(lengths: &mut [u16], boundary: usize, ends: Ends, place: u32) {
    let by = ends.behind(place) as u16;
    lengths[boundary] = lengths[boundary].wrapping_add(by);
    if let Some(behind) = lengths.get_mut(boundary + 1) {
        *behind = behind.wrapping_sub(by);
    }
}

/// What the ends of a boundary cost from a start.
#[inline(always)]
unsafe fn first<L: Lanes>(costs: &Costs, value: u8, start: u32, ends: Ends) -> L {
    let costs = costs.rising(value, ends.low - start);
    // SAFETY: the caller's.
    unsafe { if ends.close() { load(costs) } else { L::gather(costs, &ends.all_behind()) } }
}

/// What the ends of a boundary cost from those of the one before.
#[inline(always)]
unsafe fn next<L: Lanes>(costs: &Costs, value: u8, bases: &[u32; ENDS], before: Ends, ends: Ends) -> L {
    // SAFETY: the caller's.
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

/// The cheapest end of the last boundary: ends that do not exist cost more than any, whatever is added.
#[inline(always)]
unsafe fn last<L: Lanes>(costs: &Costs, value: u8, bases: L, ends: Ends, stop: Option<u32>) -> u32 {
    // SAFETY: the caller's.
    unsafe {
        // A closure would be compiled without the instructions.
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

    /// Fewer under Miri, which is some thousand times slower.
    const TRIALS: usize = if cfg!(miri) { 6 } else { 300 };

    /// A block's runs from the value, the first and the last slot of each.
    fn block(runs: &[(u8, u32, u32)]) -> Blocks<u8> {
        let mut blocks = Blocks::default();
        for &(value, first, last) in runs {
            let base = first as u16;
            blocks.push(base, std::iter::once(value), &[0], &[(last - first) as u8]);
        }
        blocks.go_on(1);
        blocks
    }

    fn cost(costs: &Costs, value: u8, length: u32) -> u32 {
        costs.rising(value, length)[0] >> PLACE
    }

    /// All ways to place the boundaries.
    fn brute(runs: &[(u8, u32, u32)], costs: &Costs, start: u32) -> u32 {
        let [(value, _, last), (_, first, _), ..] = runs else { return 0 };
        (last + 1..=*first)
            .map(|end| cost(costs, *value, end - start) + brute(&runs[1..], costs, end))
            .min()
            .unwrap_or(0)
    }

    #[test]
    fn no_choice_of_ends_is_cheaper() {
        let mut rng = SmallRng::seed_from_u64(3);
        let mut fitter = Fitter::default();
        for _ in 0..TRIALS {
            let symbols = [(); 3].map(|()| std::array::from_fn(|_| rng.random_range(1..3000)));
            let costs = Costs::new(64, &symbols);
            let mut runs = Vec::new();
            let mut slot = rng.random_range(0..4);
            for i in 0..rng.random_range(1..6) {
                let last = slot + rng.random_range(0..4);
                runs.push(((i % 3) as u8, slot, last));
                slot = last + rng.random_range(1..8);
            }
            let mut lengths = Vec::new();
            fitter.fit(block(&runs).block(0), &costs, &mut lengths);
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

    /// All boundaries one after the other, those without a choice like the others; of ends that cost the same the first.
    fn plain(runs: Runs<'_, u8>, costs: &Costs) -> Vec<u16> {
        let at = |ends: Ends, place: usize| ends.low + ends.behind(place as u32);
        let mut before = (Ends { low: 0, gap: 0 }, vec![0u64]);
        let mut weighed = Vec::new();
        for boundary in 0..runs.len() - 1 {
            let ends = Ends::of(runs, boundary);
            let way = |place: usize| {
                let ways = before.1.iter().enumerate().map(|(from, so_far)| {
                    let length = at(ends, place) - at(before.0, from);
                    (so_far + u64::from(cost(costs, runs.values[boundary], length)), from)
                });
                ways.min().expect("a boundary has an end")
            };
            let ways: Vec<(u64, usize)> = (0..ends.count()).map(way).collect();
            before = (ends, ways.iter().map(|way| way.0).collect());
            weighed.push((ends, ways));
        }
        let last = (0..before.1.len()).min_by_key(|&place| before.1[place]);
        let mut place = last.expect("a boundary has an end");
        let mut ends: Vec<u32> = Vec::new();
        for (boundary, ways) in weighed.iter().rev() {
            ends.push(at(*boundary, place));
            place = ways[place].1;
        }
        ends.push(0);
        ends.reverse();
        ends.windows(2).map(|pair| (pair[1] - pair[0]) as u16).collect()
    }

    #[test]
    fn all_instructions_find_the_lengths_that_plain_weighing_finds() {
        let mut rng = SmallRng::seed_from_u64(4);
        let mut fitter = Fitter::default();
        for trial in 0..TRIALS {
            let most = [1, 3000, 65_000][rng.random_range(0..3)];
            let symbols = [(); 3].map(|()| std::array::from_fn(|_| rng.random_range(1..=most)));
            // Many runs in one stretch cost more than a lane holds.
            let (count, slots) = if trial % 10 == 0 { (4000, 14) } else { (60, 12) };
            let costs = Costs::new(1 << slots, &symbols);
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
            fitter.fit(runs, &costs, &mut lengths);
            assert_eq!(lengths, expected);
            // SAFETY: every processor can do this.
            unsafe { fitter.fit_with::<[u32; ENDS]>(runs, &costs, &mut lengths) };
            assert_eq!(lengths, expected);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                unsafe { fitter.fit_avx2(runs, &costs, &mut lengths) };
                assert_eq!(lengths, expected);
            }
        }
    }
}
