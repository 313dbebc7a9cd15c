//! Where runs end: the cheapest lengths that the don't-cares allow.
//!
//! ```text
//! slots   3 . . . 3 . . . . 5 . 5        the boundary may lie at any of the bars
//!                  | | | | |
//! ```
//!
//! Dynamic programming over the boundaries of a block: the cheapest way to end run k at a slot is the cheapest
//! way to end run k − 1 at an earlier one plus the cost of the length between. Wide gaps are thinned out.
//!
//! This is where writing a table spends its time, so the ends of a boundary are weighed side by side: a cost and
//! where it comes from are one number, `cost · 16 + place`, and the best is the minimum of sixteen lanes. Costs are
//! kept relative to the cheapest end of the boundary before, which bounds them by what one length costs.
#![allow(unsafe_code)]

use super::length::{self, ESCAPE};
use super::runs::Run;

/// Ends considered per boundary.
const ENDS: usize = 16;
/// Bits of a lane that say where a cost comes from.
const PLACE: u32 = 4;

/// What lengths cost, in 1/256 bit, by value.
pub(crate) struct Costs {
    /// Entries of a value: those of all lengths, and so many more that sixteen can be read from each.
    row: usize,
    costs: Vec<u16>,
}

impl Costs {
    /// Costs for blocks of that many slots from the cost of each length symbol.
    pub(crate) fn new(slots: u32, symbols: &[[u16; 256]]) -> Costs {
        let row = slots as usize + 1 + ENDS;
        let mut costs = Vec::with_capacity(symbols.len() * row);
        for symbol in symbols {
            costs.push(u16::MAX);
            costs.extend((1..=slots).map(|l| cheapest(l, symbol).1));
            costs.extend([u16::MAX; ENDS]);
        }
        Costs { row, costs }
    }

    /// By length; the first one, for no slots at all, is not to be used.
    #[inline]
    fn of(&self, value: u8) -> &[u16] {
        &self.costs[usize::from(value) * self.row..][..self.row]
    }
}

/// How to say a length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Saying {
    Exact(u8),
    /// The symbol, the plain bits and their number.
    Range(u8, u32, u32),
    Escape,
}

/// The cheapest way to say a length and its cost.
#[inline]
pub(crate) fn cheapest(length: u32, symbols: &[u16; 256]) -> (Saying, u16) {
    let escape = (Saying::Escape, symbols[usize::from(ESCAPE)].saturating_add(16 << 8));
    let mut best = escape;
    if let Some(symbol) = length::exact(length) {
        let cost = symbols[usize::from(symbol)];
        if cost < best.1 {
            best = (Saying::Exact(symbol), cost);
        }
    }
    if length > 32 {
        let (symbol, rest, bits) = length::range(length);
        let cost = symbols[usize::from(symbol)].saturating_add((bits << 8) as u16);
        if cost < best.1 {
            best = (Saying::Range(symbol, rest, bits), cost);
        }
    }
    best
}

/// The ends of a boundary that were weighed, and for each the place of the end before it.
#[derive(Clone, Copy)]
struct Boundary {
    ends: [u32; ENDS],
    from: [u8; ENDS],
}

/// Memory that is used again for every block.
#[derive(Default)]
pub(crate) struct Fitter {
    boundaries: Vec<Boundary>,
}

impl Fitter {
    /// The lengths of all runs but the last, which takes the rest of the block.
    pub(crate) fn fit(&mut self, runs: &[Run<u8>], costs: &Costs, lengths: &mut Vec<u32>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            unsafe { self.fit_avx2(runs, costs, lengths) };
            return;
        }
        self.fit_lanes(runs, costs, lengths);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn fit_avx2(&mut self, runs: &[Run<u8>], costs: &Costs, lengths: &mut Vec<u32>) {
        self.fit_lanes(runs, costs, lengths);
    }

    #[inline(always)]
    fn fit_lanes(&mut self, runs: &[Run<u8>], costs: &Costs, lengths: &mut Vec<u32>) {
        lengths.clear();
        self.boundaries.clear();
        // The ends of the boundary before, what each costs more than the cheapest, and how many there are.
        let (mut before, mut so_far, mut count) = ([0u32; ENDS], [0u32; ENDS], 1);
        for pair in runs.windows(2) {
            let (low, high) = (pair[0].last + 1, pair[1].first);
            let costs = costs.of(pair[0].value);
            let gap = high - low;
            let close = gap < ENDS as u32;
            // Evenly spread, both extremes included.
            let ends: [u32; ENDS] = std::array::from_fn(|i| {
                let i = i as u32;
                if close { low + i } else { low + i * gap / (ENDS as u32 - 1) }
            });
            let mut lanes = [u32::MAX; ENDS];
            for place in 0..count {
                let base = so_far[place] << PLACE | place as u32;
                let start = before[place];
                if close {
                    // Lanes beyond the gap weigh what follows, and nobody looks at them.
                    let costs = &costs[(low - start) as usize..][..ENDS];
                    for (lane, &cost) in lanes.iter_mut().zip(costs) {
                        *lane = (*lane).min(base + (u32::from(cost) << PLACE));
                    }
                } else {
                    for (lane, end) in lanes.iter_mut().zip(ends) {
                        *lane = (*lane).min(base + (u32::from(costs[(end - start) as usize]) << PLACE));
                    }
                }
            }
            count = (gap as usize + 1).min(ENDS);
            let least = lanes[..count].iter().min().map_or(0, |lane| lane >> PLACE);
            so_far = lanes.map(|lane| (lane >> PLACE).wrapping_sub(least));
            before = ends;
            self.boundaries.push(Boundary { ends, from: lanes.map(|lane| (lane & (ENDS as u32 - 1)) as u8) });
        }
        // Walk back from the cheapest last boundary.
        let Some(mut place) = (0..count).min_by_key(|&place| so_far[place]) else { return };
        for i in (0..self.boundaries.len()).rev() {
            let Boundary { ends, from } = &self.boundaries[i];
            let end = ends[place];
            place = usize::from(from[place]);
            let start = i.checked_sub(1).map_or(0, |i| self.boundaries[i].ends[place]);
            lengths.push(end - start);
        }
        lengths.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// All ways to place the boundaries.
    fn brute(runs: &[Run<u8>], costs: &Costs, start: u32) -> u32 {
        let [run, next, ..] = runs else { return 0 };
        (run.last + 1..=next.first)
            .map(|end| u32::from(costs.of(run.value)[(end - start) as usize]) + brute(&runs[1..], costs, end))
            .min()
            .unwrap_or(0)
    }

    #[test]
    fn no_choice_of_ends_is_cheaper() {
        let mut rng = SmallRng::seed_from_u64(3);
        let mut fitter = Fitter::default();
        for _ in 0..300 {
            let symbols = [(); 3].map(|()| std::array::from_fn(|_| rng.random_range(1..3000)));
            let costs = Costs::new(64, &symbols);
            let mut runs = Vec::new();
            let mut slot = rng.random_range(0..4);
            for i in 0..rng.random_range(1..6) {
                let last = slot + rng.random_range(0..4);
                runs.push(Run { value: (i % 3) as u8, first: slot, last });
                slot = last + rng.random_range(1..8);
            }
            let mut lengths = Vec::new();
            fitter.fit(&runs, &costs, &mut lengths);
            assert_eq!(lengths.len(), runs.len() - 1);
            let mut end = 0;
            let mut sum = 0;
            for (pair, &length) in runs.windows(2).zip(&lengths) {
                sum += u32::from(costs.of(pair[0].value)[length as usize]);
                end += length;
                assert!(pair[0].last < end && end <= pair[1].first);
            }
            assert_eq!(sum, brute(&runs, &costs, 0));
        }
    }
}
