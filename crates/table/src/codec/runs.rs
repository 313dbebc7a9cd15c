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

/// Appends a run, or lengthens the last one if the value is the same.
#[inline]
pub(crate) fn push<V: PartialEq>(runs: &mut Vec<Run<V>>, run: Run<V>) {
    match runs.last_mut() {
        Some(before) if before.value == run.value => before.last = run.last,
        _ => runs.push(run),
    }
}

/// The runs of a few slots as bytes, in memory that is used again: the value, the first and the last slot of each.
pub(crate) struct Runs {
    /// With room for a value behind the last one.
    bytes: [u8; MOST * (8 + 2) + 8],
    count: usize,
}

/// Slots whose runs are looked for together.
pub(crate) const MOST: usize = 256;

impl Runs {
    pub(crate) fn new() -> Runs {
        Runs { bytes: [0; MOST * (8 + 2) + 8], count: 0 }
    }

    /// How many were found.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// What was found, if a value has that many bytes.
    pub(crate) fn bytes(&self, width: usize) -> &[u8] {
        &self.bytes[..self.count * (width + 2)]
    }

    /// Finds the runs of slots from `offset` of 256 on, none if all are don't-cares, and returns how many are none.
    ///
    /// Most slots are don't-cares, which are passed over a group at a time. Nobody can foresee whether a slot begins a run, so
    /// there is no branch for it: every slot writes its run as far as it goes.
    pub(crate) fn find<const WIDTH: usize, C: Cell>(&mut self, offset: u8, cells: &[C]) -> u64 {
        assert!(usize::from(offset) + cells.len() <= MOST, "{} slots from {offset} on", cells.len());
        let (mut slots, mut count) = (0, 0);
        let (mut value, mut first) = (0, 0);
        for (group, cells) in cells.chunks(GROUP).enumerate() {
            let mut known = !C::unknown(cells);
            if cells.len() < GROUP {
                known &= (1 << cells.len()) - 1;
            }
            slots += u64::from(known.count_ones());
            let start = u64::from(offset) + (group * GROUP) as u64;
            while known != 0 {
                let slot = known.trailing_zeros();
                known &= known - 1;
                let bits = cells[slot as usize].to_bits();
                let (begins, last) = ((count == 0) | (bits != value), start + u64::from(slot));
                count += usize::from(begins);
                first = if begins { last } else { first };
                value = bits;
                let run = &mut self.bytes[(count - 1) * (WIDTH + 2)..][..WIDTH + 8];
                if WIDTH > 1 {
                    run[..8].copy_from_slice(&bits.to_le_bytes());
                    run[WIDTH..].copy_from_slice(&(first | last << 8).to_le_bytes());
                } else {
                    run[..8].copy_from_slice(&(bits | first << 8 | last << 16).to_le_bytes());
                }
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

    fn found<const WIDTH: usize, C: Cell>(runs: &mut Runs, offset: u8, cells: &[C]) -> (u64, Vec<Run<u64>>) {
        let known = runs.find::<WIDTH, C>(offset, cells);
        let run = |bytes: &[u8]| {
            let mut value = [0; 8];
            value[..WIDTH].copy_from_slice(&bytes[..WIDTH]);
            let [first, last] = [WIDTH, WIDTH + 1].map(|place| u32::from(bytes[place]));
            Run { value: u64::from_le_bytes(value), first, last }
        };
        assert_eq!(runs.bytes(WIDTH).len(), runs.count() * (WIDTH + 2));
        (known, runs.bytes(WIDTH).chunks_exact(WIDTH + 2).map(run).collect())
    }

    #[test]
    fn runs_skip_what_nobody_asks_for() {
        const U: i8 = i8::UNKNOWN;
        let mut runs = Runs::new();
        let expected = vec![Run { value: 3, first: 1, last: 3 }, Run { value: 5, first: 5, last: 6 }];
        assert_eq!(found::<1, i8>(&mut runs, 0, &[U, 3, U, 3, U, 5, 5, U]), (4, expected));
        assert_eq!(found::<1, i8>(&mut runs, 0, &[U; 9]), (0, Vec::new()));
    }

    /// One slot after the other.
    fn plain<C: Cell>(offset: u8, cells: &[C]) -> Vec<Run<u64>> {
        let mut runs = Vec::new();
        for (slot, cell) in (offset.into()..).zip(cells).filter(|(_, cell)| !cell.is_unknown()) {
            push(&mut runs, Run { value: cell.to_bits(), first: slot, last: slot });
        }
        runs
    }

    #[test]
    fn groups_of_slots_have_the_runs_of_their_slots() {
        let mut rng = SmallRng::seed_from_u64(5);
        let mut runs = Runs::new();
        for _ in 0..3000 {
            let (care, values) = (rng.random_range(0.0..=1.0), rng.random_range(1..5));
            let slots = [256, rng.random_range(0..=256)][rng.random_range(0..2)];
            let offset = rng.random_range(0..=256 - slots).min(255) as u8;
            let cells: Vec<i8> = (0..slots)
                .map(|_| if rng.random_bool(care) { rng.random_range(0..values) } else { i8::UNKNOWN })
                .collect();
            let known = cells.iter().filter(|cell| !cell.is_unknown()).count() as u64;
            assert_eq!(found::<1, i8>(&mut runs, offset, &cells), (known, plain(offset, &cells)));
            let wide: Vec<i16> = cells
                .iter()
                .map(|&cell| if cell.is_unknown() { i16::UNKNOWN } else { -300 - i16::from(cell) })
                .collect();
            assert_eq!(found::<2, i16>(&mut runs, offset, &wide), (known, plain(offset, &wide)));
            let means: Vec<f64> =
                cells.iter().map(|&cell| if cell.is_unknown() { f64::NAN } else { cell.into() }).collect();
            assert_eq!(found::<8, f64>(&mut runs, offset, &means), (known, plain(offset, &means)));
        }
    }
}
