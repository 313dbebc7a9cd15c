//! Slots as runs of equal values, with what is free about their ends.

use crate::cell::Cell;

/// Slots that are looked at together.
const GROUP: usize = 16;

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

/// The runs of some slots; none if all are don't-cares.
pub(crate) fn runs_of<C: Cell>(cells: &[C], out: &mut Vec<Run<u64>>) {
    out.clear();
    // Most slots are don't-cares, and whole groups of them are told with a few instructions.
    for (group, cells) in cells.chunks(GROUP).enumerate() {
        // No early end: this way several are looked at with one instruction.
        if cells.iter().fold(true, |all, cell| all & cell.is_unknown()) {
            continue;
        }
        for (slot, &cell) in (group * GROUP..).zip(cells) {
            if !cell.is_unknown() {
                let slot = slot as u32;
                push(out, Run { value: cell.to_bits(), first: slot, last: slot });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_skip_what_nobody_asks_for() {
        const U: i8 = i8::UNKNOWN;
        let mut runs = Vec::new();
        runs_of(&[U, 3, U, 3, U, 5, 5, U], &mut runs);
        assert_eq!(runs, [Run { value: 3, first: 1, last: 3 }, Run { value: 5, first: 5, last: 6 }]);
        runs_of(&[U; 9], &mut runs);
        assert!(runs.is_empty());
    }
}
