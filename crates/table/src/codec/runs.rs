//! Slots as runs of equal values, with what is free about their ends.

use crate::cell::Cell;

/// Slots that are looked at together.
const GROUP: usize = 64;

/// Equal values in a row, don't-cares between them included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run<V> {
    pub(crate) value: V,
    /// The first slot that counts.
    pub(crate) first: u32,
    /// The last slot that counts.
    pub(crate) last: u32,
}

/// The runs of blocks, one block after the other.
pub(crate) struct Blocks<V> {
    runs: Vec<Run<V>>,
    /// Where the runs of each block end that is done with.
    ends: Vec<usize>,
}

impl<V: Copy + PartialEq> Blocks<V> {
    /// No runs yet.
    pub(crate) fn new() -> Blocks<V> {
        Blocks { runs: Vec::new(), ends: Vec::new() }
    }

    /// Makes room for so many more.
    pub(crate) fn reserve(&mut self, runs: usize) {
        self.runs.reserve(runs);
    }

    /// Goes on with a block, which does not lie before the one that was gone on with last; all before it are done with.
    pub(crate) fn go_on(&mut self, block: usize) {
        self.ends.resize(self.ends.len().max(block), self.runs.len());
    }

    /// Appends a run to the block, or lengthens the last one if the value is the same.
    #[inline(always)]
    pub(crate) fn push(&mut self, run: Run<V>) {
        let begin = self.ends.last().copied().unwrap_or(0);
        match self.runs[begin..].last_mut() {
            Some(before) if before.value == run.value => before.last = run.last,
            _ => self.runs.push(run),
        }
    }

    /// The runs of each block that is done with.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[Run<V>]> {
        (0..self.ends.len()).map(|block| {
            let begin = block.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.runs[begin..self.ends[block]]
        })
    }
}

/// The runs of a few slots, in memory that is used again.
pub(crate) struct Runs {
    runs: [Run<u64>; MOST],
    count: usize,
}

/// Slots whose runs are looked for together.
pub(crate) const MOST: usize = 256;

impl Runs {
    pub(crate) fn new() -> Runs {
        Runs { runs: [Run { value: 0, first: 0, last: 0 }; MOST], count: 0 }
    }

    /// The runs that were found.
    pub(crate) fn found(&self) -> &[Run<u64>] {
        &self.runs[..self.count]
    }

    /// Finds the runs of up to 256 slots, none if all are don't-cares, and returns how many slots are none.
    ///
    /// Most slots are don't-cares, which are passed over a group at a time. Nobody can foresee whether a slot begins a run, so
    /// there is no branch for it: every slot writes its run as far as it goes.
    pub(crate) fn find<C: Cell>(&mut self, cells: &[C]) -> u64 {
        assert!(cells.len() <= MOST, "{} slots", cells.len());
        let (mut slots, mut count) = (0, 0);
        let (mut value, mut first) = (0, 0);
        for (group, cells) in cells.chunks(GROUP).enumerate() {
            let mut known = !C::unknown(cells);
            if cells.len() < GROUP {
                known &= (1 << cells.len()) - 1;
            }
            slots += u64::from(known.count_ones());
            let start = (group * GROUP) as u32;
            while known != 0 {
                let slot = known.trailing_zeros();
                known &= known - 1;
                let bits = cells[slot as usize].to_bits();
                let (begins, slot) = ((count == 0) | (bits != value), start + slot);
                count += usize::from(begins);
                first = if begins { slot } else { first };
                value = bits;
                self.runs[(count - 1) % MOST] = Run { value, first, last: slot };
            }
        }
        self.count = count;
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn runs_skip_what_nobody_asks_for() {
        const U: i8 = i8::UNKNOWN;
        let mut runs = Runs::new();
        assert_eq!(runs.find(&[U, 3, U, 3, U, 5, 5, U]), 4);
        assert_eq!(runs.found(), [Run { value: 3, first: 1, last: 3 }, Run { value: 5, first: 5, last: 6 }]);
        assert_eq!(runs.find(&[U; 9]), 0);
        assert!(runs.found().is_empty());
    }

    /// One slot after the other.
    fn plain<C: Cell>(cells: &[C]) -> Vec<Run<u64>> {
        let mut runs = Blocks::new();
        for (slot, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_unknown()) {
            runs.push(Run { value: cell.to_bits(), first: slot as u32, last: slot as u32 });
        }
        runs.go_on(1);
        runs.iter().flatten().copied().collect()
    }

    #[test]
    fn runs_end_with_their_block() {
        let mut blocks = Blocks::new();
        let run = |value, slot| Run { value, first: slot, last: slot };
        blocks.go_on(1);
        [run(3, 1), run(3, 2), run(4, 5)].into_iter().for_each(|run| blocks.push(run));
        blocks.go_on(1);
        blocks.push(run(4, 7));
        blocks.go_on(2);
        blocks.push(run(4, 0));
        blocks.go_on(4);
        let found: Vec<&[Run<u8>]> = blocks.iter().collect();
        let [first, second] = [Run { value: 3, first: 1, last: 2 }, Run { value: 4, first: 5, last: 7 }];
        assert_eq!(found, [&[][..], &[first, second], &[run(4, 0)], &[]]);
    }

    #[test]
    fn groups_of_slots_have_the_runs_of_their_slots() {
        let mut rng = SmallRng::seed_from_u64(5);
        let mut runs = Runs::new();
        for _ in 0..3000 {
            let (care, values) = (rng.random_range(0.0..1.0), rng.random_range(1..5));
            let slots = rng.random_range(0..=256);
            let cells: Vec<i8> = (0..slots)
                .map(|_| if rng.random_bool(care) { rng.random_range(0..values) } else { i8::UNKNOWN })
                .collect();
            let known = cells.iter().filter(|cell| !cell.is_unknown()).count() as u64;
            assert_eq!(runs.find(&cells), known);
            assert_eq!(runs.found(), plain(&cells));
            let means: Vec<f64> =
                cells.iter().map(|&cell| if cell.is_unknown() { f64::NAN } else { cell.into() }).collect();
            assert_eq!(runs.find(&means), known);
            assert_eq!(runs.found(), plain(&means));
        }
    }
}
