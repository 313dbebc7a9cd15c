//! Where runs end: the cheapest lengths that the don't-cares allow.
//!
//! ```text
//! slots   3 . . . 3 . . . . 5 . 5        the boundary may lie at any of the bars
//!                  | | | | |
//! ```
//!
//! Dynamic programming over the boundaries of a block: the cheapest way to end run k at a slot is the cheapest
//! way to end run k − 1 at an earlier one plus the cost of the length between. Wide gaps are thinned out.

use super::length::{self, ESCAPE};
use super::runs::Run;

/// Ends considered per boundary.
const ENDS: u32 = 16;

/// What lengths cost, in 1/256 bit, by value.
pub(crate) struct Costs {
    slots: usize,
    costs: Vec<u16>,
}

impl Costs {
    /// Costs for blocks of that many slots from the cost of each length symbol.
    pub(crate) fn new(slots: u32, symbols: &[[u16; 256]]) -> Costs {
        let mut costs = Vec::with_capacity(symbols.len() * (slots as usize + 1));
        for symbol in symbols {
            costs.push(u16::MAX);
            costs.extend((1..=slots).map(|l| cheapest(l, symbol).1));
        }
        Costs { slots: slots as usize, costs }
    }

    /// By length; the first one, for no slots at all, is not to be used.
    #[inline]
    fn of(&self, value: u8) -> &[u16] {
        let row = self.slots + 1;
        &self.costs[usize::from(value) * row..][..row]
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

/// Memory that is used again for every block.
#[derive(Default)]
pub(crate) struct Fitter {
    /// Ends of all boundaries, one boundary after the other, with their costs and where they come from.
    ends: Vec<(u32, u32, u32)>,
    /// Where each boundary's ends begin.
    firsts: Vec<u32>,
}

impl Fitter {
    /// The lengths of all runs but the last, which takes the rest of the block.
    pub(crate) fn fit(&mut self, runs: &[Run<u8>], costs: &Costs, lengths: &mut Vec<u32>) {
        lengths.clear();
        self.ends.clear();
        self.firsts.clear();
        self.ends.push((0, 0, 0));
        let mut before = 0..1;
        for pair in runs.windows(2) {
            let (low, high) = (pair[0].last + 1, pair[1].first);
            let costs = costs.of(pair[0].value);
            let first = self.ends.len();
            let gap = high - low;
            let count = (gap + 1).min(ENDS);
            for i in 0..count {
                // Evenly spread, both extremes included.
                let end = if gap < ENDS { low + i } else { low + i * gap / (ENDS - 1) };
                let (mut best, mut from) = (u32::MAX, 0);
                for place in before.clone() {
                    let (start, so_far, _) = self.ends[place];
                    let cost = so_far + u32::from(costs[(end - start) as usize]);
                    if cost < best {
                        (best, from) = (cost, place as u32);
                    }
                }
                self.ends.push((end, best, from));
            }
            before = first..self.ends.len();
        }
        // Walk back from the cheapest last boundary.
        let Some(mut place) = before.min_by_key(|&place| self.ends[place].1) else { return };
        while place > 0 {
            let (end, _, from) = self.ends[place];
            lengths.push(end - self.ends[from as usize].0);
            place = from as usize;
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
