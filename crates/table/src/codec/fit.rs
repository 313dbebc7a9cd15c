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

/// What lengths cost, in 1/256 bit, by value; each with room below for a place.
pub(crate) struct Costs {
    /// Entries of a value: those of all lengths, and so many more on both sides that sixteen can be read from each,
    /// forwards and backwards.
    row: usize,
    costs: Vec<u32>,
    /// By value and length: the symbol that says it at that cost.
    symbols: Vec<u8>,
}

/// What is not to be used: more than any length costs.
const UNUSED: u32 = (u16::MAX as u32) << PLACE;

impl Costs {
    /// Costs for blocks of that many slots from the cost of each length symbol.
    pub(crate) fn new(slots: u32, symbols: &[[u16; 256]]) -> Costs {
        let row = slots as usize + 1 + 2 * ENDS;
        let mut costs = Costs {
            row,
            costs: Vec::with_capacity(symbols.len() * row),
            symbols: Vec::with_capacity(symbols.len() * slots as usize),
        };
        for by_symbol in symbols {
            costs.costs.extend([UNUSED; ENDS + 1]);
            for length in 1..=slots {
                let (symbol, cost) = cheapest(length, by_symbol);
                costs.costs.push(u32::from(cost) << PLACE);
                costs.symbols.push(symbol);
            }
            costs.costs.extend([UNUSED; ENDS]);
        }
        costs
    }

    /// The symbol that says a length most cheaply.
    #[inline]
    pub(crate) fn symbol(&self, value: u8, length: u32) -> u8 {
        let slots = self.row - 1 - 2 * ENDS;
        self.symbols[usize::from(value) * slots + length as usize - 1]
    }

    /// By length; the first one, for no slots at all, is not to be used.
    #[inline]
    fn of(&self, value: u8) -> &[u32] {
        &self.padded(value)[ENDS..]
    }

    /// The same behind sixteen entries that are not to be used.
    #[inline]
    fn padded(&self, value: u8) -> &[u32] {
        &self.costs[usize::from(value) * self.row..][..self.row]
    }
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
    fn of(pair: &[Run<u8>]) -> Ends {
        let low = pair[0].last + 1;
        Ends { low, gap: pair[1].first - low }
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

    #[inline(always)]
    fn at(self, place: usize) -> u32 {
        let place = place as u32;
        if self.close() { self.low + place } else { self.low + place * self.gap / (ENDS as u32 - 1) }
    }
}

/// A boundary, and for each of its ends the cheapest cost with the place of the end before it.
#[derive(Clone, Copy)]
struct Boundary {
    ends: Ends,
    lanes: [u32; ENDS],
}

/// Memory that is used again for every block.
#[derive(Default)]
pub(crate) struct Fitter {
    boundaries: Vec<Boundary>,
}

impl Fitter {
    /// The lengths of all runs but the last, which takes the rest of the block.
    pub(crate) fn fit(&mut self, runs: &[Run<u8>], costs: &Costs, lengths: &mut Vec<u32>) {
        self.boundaries.clear();
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            unsafe { self.weigh_avx2(runs, costs) };
            self.walk_back(lengths);
            return;
        }
        self.weigh(runs, costs);
        self.walk_back(lengths);
    }

    /// Weighs the ends of every boundary.
    fn weigh(&mut self, runs: &[Run<u8>], costs: &Costs) {
        // The ends of the boundary before, and what each costs more than the cheapest.
        let (mut before, mut so_far) = (Ends { low: 0, gap: 0 }, [0u32; ENDS]);
        for pair in runs.windows(2) {
            let ends = Ends::of(pair);
            let costs = costs.of(pair[0].value);
            let mut lanes = [u32::MAX; ENDS];
            for (i, lane) in lanes.iter_mut().enumerate().take(ends.count()) {
                for (place, so_far) in so_far.iter().enumerate().take(before.count()) {
                    let cost = (so_far << PLACE) + costs[(ends.at(i) - before.at(place)) as usize];
                    *lane = (*lane).min(cost | place as u32);
                }
            }
            let least = lanes[..ends.count()].iter().min().map_or(0, |lane| lane >> PLACE);
            so_far = lanes.map(|lane| (lane >> PLACE).wrapping_sub(least));
            before = ends;
            self.boundaries.push(Boundary { ends, lanes });
        }
    }

    /// Walks back from the cheapest last boundary.
    #[inline(always)]
    fn walk_back(&self, lengths: &mut Vec<u32>) {
        lengths.clear();
        let Some(last) = self.boundaries.last() else { return };
        let cheapest = last.lanes[..last.ends.count()].iter().map(|lane| lane >> PLACE).enumerate();
        let Some((mut place, _)) = cheapest.min_by_key(|&(_, cost)| cost) else { return };
        let mut later = self.boundaries.iter().rev().peekable();
        while let Some(Boundary { ends, lanes }) = later.next() {
            let end = ends.at(place);
            place = (lanes[place] & (ENDS as u32 - 1)) as usize;
            lengths.push(end - later.peek().map_or(0, |before| before.ends.at(place)));
        }
        lengths.reverse();
    }

    /// As [`Fitter::weigh`], eight ends or places at a time.
    ///
    /// The cheapest end is not looked for at every boundary: costs add up until they might outgrow their lanes.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn weigh_avx2(&mut self, runs: &[Run<u8>], costs: &Costs) {
        use std::arch::x86_64::*;
        // SAFETY: costs are read from slices whose lengths are checked, and arrays of sixteen are read and written.
        unsafe {
            let (first, second) =
                (_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15));
            let load = |lanes: *const u32| _mm256_loadu_si256(lanes.cast());
            let mut before = Ends { low: 0, gap: 0 };
            // By place: what it costs, and the place; those that do not exist cost more than any.
            let mut bases: [u32; ENDS] = std::array::from_fn(|place| if place == 0 { 0 } else { NONE });
            for (number, pair) in runs.windows(2).enumerate() {
                if number % UNCHECKED == UNCHECKED - 1 {
                    let least = bases.iter().min().map_or(0, |base| base >> PLACE << PLACE);
                    bases.iter_mut().filter(|base| **base < NONE).for_each(|base| *base -= least);
                }
                let ends = Ends::of(pair);
                let (places, count) = (before.count(), ends.count());
                let padded = costs.padded(pair[0].value);
                let (low, high);
                if ends.close() && before.close() {
                    // All lengths from places to ends lie side by side, together with fifteen on both sides.
                    let longest = (ends.low - before.low) as usize;
                    let costs = padded[longest + 1..][..2 * ENDS - 1].as_ptr().add(ENDS - 1);
                    let costs = |place| costs.sub(place);
                    (low, high) = match (places <= 8, count <= 8) {
                        (true, true) => weigh_places::<8, false>(&bases, costs),
                        (true, false) => weigh_places::<8, true>(&bases, costs),
                        (false, true) => weigh_places::<16, false>(&bases, costs),
                        (false, false) => weigh_places::<16, true>(&bases, costs),
                    };
                } else {
                    // The costs of every length from any place to any end, and of fifteen lengths to both sides.
                    let shortest = (ends.low - before.at(places - 1)) as usize;
                    let costs = &padded[shortest + 1..(ends.at(count - 1) - before.low) as usize + 2 * ENDS];
                    let costs = costs.as_ptr().add(ENDS - 1);
                    let start = |place| costs.add((ends.low - before.at(place)) as usize - shortest);
                    if ends.close() {
                        (low, high) = if count <= 8 {
                            weigh_places::<16, false>(&bases, start)
                        } else {
                            weigh_places::<16, true>(&bases, start)
                        };
                    } else if before.close() {
                        // One end after the other, all places at once: the last place comes first.
                        let mut backwards = bases;
                        backwards.reverse();
                        let (these_bases, those_bases) =
                            (load(backwards.as_ptr()), load(backwards.as_ptr().add(8)));
                        let mut lanes = [0u32; ENDS];
                        for (i, lane) in lanes.iter_mut().enumerate() {
                            let end = costs.add((ends.at(i) - ends.low) as usize + places);
                            let those = _mm256_add_epi32(load(end.sub(ENDS - 8)), those_bases);
                            let eight = if places <= 8 {
                                those
                            } else {
                                let these = _mm256_add_epi32(load(end.sub(ENDS)), these_bases);
                                _mm256_min_epu32(these, those)
                            };
                            let (left, right) =
                                (_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
                            let four = _mm_min_epu32(left, right);
                            let two = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0b01_00_11_10));
                            let one = _mm_min_epu32(two, _mm_shuffle_epi32(two, 0b10_11_00_01));
                            *lane = _mm_cvtsi128_si32(one) as u32;
                        }
                        (low, high) = (load(lanes.as_ptr()), load(lanes.as_ptr().add(8)));
                    } else {
                        // All ends at once, whose costs lie apart.
                        let at: [u32; ENDS] = std::array::from_fn(|i| ends.at(i) - ends.low);
                        let (these_ends, those_ends) = (load(at.as_ptr()), load(at.as_ptr().add(8)));
                        let (mut all, mut others) = (_mm256_set1_epi32(-1), _mm256_set1_epi32(-1));
                        for (place, &base) in bases.iter().enumerate() {
                            let base = _mm256_set1_epi32(base as i32);
                            let these = _mm256_i32gather_epi32::<4>(start(place).cast(), these_ends);
                            let those = _mm256_i32gather_epi32::<4>(start(place).cast(), those_ends);
                            all = _mm256_min_epu32(all, _mm256_add_epi32(these, base));
                            others = _mm256_min_epu32(others, _mm256_add_epi32(those, base));
                        }
                        (low, high) = (all, others);
                    }
                }
                let all = _mm256_set1_epi32(count as i32 - 1);
                let base = |lanes, numbers| {
                    let costs = _mm256_slli_epi32(_mm256_srli_epi32(lanes, PLACE as i32), PLACE as i32);
                    let missing = _mm256_cmpgt_epi32(numbers, all);
                    let missing = _mm256_and_si256(missing, _mm256_set1_epi32(NONE as i32));
                    _mm256_or_si256(costs, _mm256_or_si256(missing, numbers))
                };
                _mm256_storeu_si256(bases.as_mut_ptr().cast(), base(low, first));
                _mm256_storeu_si256(bases.as_mut_ptr().add(8).cast(), base(high, second));
                let mut lanes = [0u32; ENDS];
                _mm256_storeu_si256(lanes.as_mut_ptr().cast(), low);
                _mm256_storeu_si256(lanes.as_mut_ptr().add(8).cast(), high);
                before = ends;
                self.boundaries.push(Boundary { ends, lanes });
            }
        }
    }
}

/// More than so many boundaries cost.
const NONE: u32 = 1 << 31;
/// Boundaries whose costs fit in a lane together.
const UNCHECKED: usize = (NONE / (UNUSED + (1 << PLACE)) / 2) as usize;

/// For sixteen ends, or eight, whose costs lie side by side from every place: what the cheapest of so many places costs.
/// Those that do not exist, and ends beyond the gap, are weighed for nothing: not knowing how many would take longer.
///
/// # Safety
///
/// From where `costs` points to for a place, sixteen, or eight, costs can be read.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn weigh_places<const PLACES: usize, const WIDE: bool>(
    bases: &[u32; ENDS],
    costs: impl Fn(usize) -> *const u32,
) -> (std::arch::x86_64::__m256i, std::arch::x86_64::__m256i) {
    use std::arch::x86_64::*;
    let mut low = [_mm256_set1_epi32(-1); 2];
    let mut high = low;
    for (place, &base) in bases.iter().enumerate().take(PLACES) {
        let base = _mm256_set1_epi32(base as i32);
        let costs = costs(place);
        // SAFETY: the caller's.
        unsafe {
            let these = _mm256_add_epi32(_mm256_loadu_si256(costs.cast()), base);
            low[place % 2] = _mm256_min_epu32(low[place % 2], these);
            if WIDE {
                let those = _mm256_add_epi32(_mm256_loadu_si256(costs.add(8).cast()), base);
                high[place % 2] = _mm256_min_epu32(high[place % 2], those);
            }
        }
    }
    (_mm256_min_epu32(low[0], low[1]), _mm256_min_epu32(high[0], high[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Fewer under Miri, which is some thousand times slower.
    const TRIALS: usize = if cfg!(miri) { 6 } else { 300 };

    /// All ways to place the boundaries.
    fn brute(runs: &[Run<u8>], costs: &Costs, start: u32) -> u32 {
        let [run, next, ..] = runs else { return 0 };
        (run.last + 1..=next.first)
            .map(|end| (costs.of(run.value)[(end - start) as usize] >> PLACE) + brute(&runs[1..], costs, end))
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
                runs.push(Run { value: (i % 3) as u8, first: slot, last });
                slot = last + rng.random_range(1..8);
            }
            let mut lengths = Vec::new();
            fitter.fit(&runs, &costs, &mut lengths);
            assert_eq!(lengths.len(), runs.len() - 1);
            let mut end = 0;
            let mut sum = 0;
            for (pair, &length) in runs.windows(2).zip(&lengths) {
                sum += costs.of(pair[0].value)[length as usize] >> PLACE;
                end += length;
                assert!(pair[0].last < end && end <= pair[1].first);
            }
            assert_eq!(sum, brute(&runs, &costs, 0));
        }
    }

    #[test]
    fn all_instructions_find_the_same_lengths() {
        let mut rng = SmallRng::seed_from_u64(4);
        let (mut fast, mut plain) = (Fitter::default(), Fitter::default());
        for trial in 0..TRIALS {
            let most = [1, 3000, 65_000][rng.random_range(0..3)];
            let symbols = [(); 3].map(|()| std::array::from_fn(|_| rng.random_range(1..=most)));
            // Many runs cost more than a lane holds.
            let (count, slots) = if trial % 10 == 0 { (4000, 14) } else { (60, 12) };
            let costs = Costs::new(1 << slots, &symbols);
            let mut runs = Vec::new();
            let mut slot = rng.random_range(0..40);
            while runs.len() < count && slot < (1 << slots) - 210 {
                let last = slot + rng.random_range(0..4);
                runs.push(Run { value: rng.random_range(0..3), first: slot, last });
                let gap = [2, 16, 17, 200][rng.random_range(0..if count > 60 { 2 } else { 4 })];
                slot = last + 1 + rng.random_range(0..gap);
            }
            let (mut lengths, mut expected) = (Vec::new(), Vec::new());
            fast.fit(&runs, &costs, &mut lengths);
            plain.boundaries.clear();
            plain.weigh(&runs, &costs);
            plain.walk_back(&mut expected);
            assert_eq!(lengths, expected);
        }
    }
}
