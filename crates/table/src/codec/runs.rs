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

/// The runs of some slots, none if all are don't-cares, and how many slots are none.
///
/// Most slots are don't-cares and most others have the value before them, so that a group is told with a few instructions:
/// only where a run ends something is done.
pub(crate) fn runs_of<C: Cell>(cells: &[C], out: &mut Vec<Run<u64>>) -> u64 {
    out.clear();
    let mut count = 0;
    for (group, cells) in cells.chunks(GROUP).enumerate() {
        let mut known = !C::unknown(cells);
        if cells.len() < GROUP {
            known &= (1 << cells.len()) - 1;
        }
        count += u64::from(known.count_ones());
        let start = (group * GROUP) as u32;
        while known != 0 {
            let slot = known.trailing_zeros();
            let cell = cells[slot as usize];
            // The first slot after it with another value, and the last one with this value before that.
            let others = known & !cell.like(cells);
            let same = if others == 0 { known } else { known & ((1 << others.trailing_zeros()) - 1) };
            let last = same.ilog2();
            push(out, Run { value: cell.to_bits(), first: start + slot, last: start + last });
            known &= !same;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn runs_skip_what_nobody_asks_for() {
        const U: i8 = i8::UNKNOWN;
        let mut runs = Vec::new();
        runs_of(&[U, 3, U, 3, U, 5, 5, U], &mut runs);
        assert_eq!(runs, [Run { value: 3, first: 1, last: 3 }, Run { value: 5, first: 5, last: 6 }]);
        assert_eq!(runs_of(&[U; 9], &mut runs), 0);
        assert!(runs.is_empty());
    }

    /// One slot after the other.
    fn plain<C: Cell>(cells: &[C]) -> Vec<Run<u64>> {
        let mut runs = Vec::new();
        for (slot, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_unknown()) {
            push(&mut runs, Run { value: cell.to_bits(), first: slot as u32, last: slot as u32 });
        }
        runs
    }

    #[test]
    fn groups_of_slots_have_the_runs_of_their_slots() {
        let mut rng = SmallRng::seed_from_u64(5);
        let mut found = Vec::new();
        for _ in 0..3000 {
            let (care, values) = (rng.random_range(0.0..1.0), rng.random_range(1..5));
            let slots = rng.random_range(0..=256);
            let cells: Vec<i8> = (0..slots)
                .map(|_| if rng.random_bool(care) { rng.random_range(0..values) } else { i8::UNKNOWN })
                .collect();
            let known = cells.iter().filter(|cell| !cell.is_unknown()).count() as u64;
            assert_eq!(runs_of(&cells, &mut found), known);
            assert_eq!(found, plain(&cells));
            let means: Vec<f64> =
                cells.iter().map(|&cell| if cell.is_unknown() { f64::NAN } else { cell.into() }).collect();
            assert_eq!(runs_of(&means, &mut found), known);
            assert_eq!(found, plain(&means));
        }
    }
}
