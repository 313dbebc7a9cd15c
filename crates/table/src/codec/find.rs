//! Branch-free detection of runs of equal values in slots with don't-cares, with an AVX-512 kernel (`vpcompressb`).
//!
//! ```text
//! slots      . 3 . 3 . 5 5 .
//! defined      3   3   5 5           compacted: a run begins where the value differs from the one before
//! begins       *       *
//! ends             *     *
//! ```
//!
//! Whether a slot is defined or begins a run is unpredictable, so neither has a branch. With AVX-512, 64 byte slots are
//! compacted, compared with themselves shifted by one, and the first and last slots of the runs are compacted in turn.
#![allow(unsafe_code)]

use crate::cell::Cell;

/// Most slots of one call.
pub(crate) const MOST: usize = 256;
/// Slots processed at a time.
const GROUP: usize = 64;
/// Capacity: one run per slot, plus the overhang of a full-width store.
const ROOM: usize = MOST + GROUP;

/// Run detector and the runs it found last; its buffers are reused.
pub struct RunFinder<C> {
    values: [C; ROOM],
    firsts: [u8; ROOM],
    lasts: [u8; ROOM],
    count: usize,
}

impl<C: Cell> RunFinder<C> {
    pub(crate) fn new() -> RunFinder<C> {
        RunFinder { values: [C::UNKNOWN; ROOM], firsts: [0; ROOM], lasts: [0; ROOM], count: 0 }
    }

    /// Number of runs.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Values of the runs.
    pub(crate) fn values(&self) -> &[C] {
        &self.values[..self.count]
    }

    /// First defined slot of each run.
    pub(crate) fn firsts(&self) -> &[u8] {
        &self.firsts[..self.count]
    }

    /// Last defined slot of each run.
    pub(crate) fn lasts(&self) -> &[u8] {
        &self.lasts[..self.count]
    }

    /// Finds the runs of `cells`, which begin at slot `first` of a granule of 256 slots. Returns the number of defined
    /// slots; there are no runs if all are don't-cares.
    pub(crate) fn find(&mut self, first: u8, cells: &[C]) -> u64 {
        assert!(usize::from(first) + cells.len() <= MOST, "{} slots from {first} on", cells.len());
        C::find_runs(self, first, cells)
    }

    /// Portable version for every cell type: each defined slot rewrites the current run.
    pub(crate) fn find_portable(&mut self, start: u8, cells: &[C]) -> u64 {
        let (mut slots, mut count) = (0, 0);
        let (mut value, mut first) = (0, 0);
        for (group, cells) in cells.chunks(GROUP).enumerate() {
            let mut known = !C::unknown(cells);
            if cells.len() < GROUP {
                known &= (1 << cells.len()) - 1;
            }
            slots += u64::from(known.count_ones());
            let start = usize::from(start) + group * GROUP;
            while known != 0 {
                let slot = known.trailing_zeros() as usize;
                known &= known - 1;
                let cell = cells[slot];
                let (begins, slot) = ((count == 0) | (cell.to_bits() != value), (start + slot) as u8);
                count += usize::from(begins);
                first = if begins { slot } else { first };
                value = cell.to_bits();
                let run = (count - 1) % MOST;
                (self.values[run], self.firsts[run], self.lasts[run]) = (cell, first, slot);
            }
        }
        self.count = count;
        slots
    }
}

impl RunFinder<i8> {
    /// Version for bytes, with AVX-512 where the processor has it.
    pub(crate) fn find_bytes(&mut self, start: u8, cells: &[i8]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512vbmi")
            && std::arch::is_x86_feature_detected!("avx512vbmi2")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("lzcnt")
        {
            // SAFETY: the processor has the instructions.
            return unsafe { self.find_avx512(start, cells) };
        }
        self.find_portable(start, cells)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt,lzcnt")]
    fn find_avx512(&mut self, start: u8, cells: &[i8]) -> u64 {
        use std::arch::x86_64::*;
        const NUMBERS: [u8; GROUP] = {
            let mut numbers = [0; GROUP];
            let mut i = 0;
            while i < GROUP {
                numbers[i] = i as u8;
                i += 1;
            }
            numbers
        };
        // SAFETY: loads are masked to the group's length. Stores of 64 bytes stay in bounds: there are at most `MOST`
        // runs, and the arrays have room for `GROUP` more.
        unsafe {
            let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
            // Indices of the preceding values: lane 63 of `last` first, then this register's own.
            let before = _mm512_mask_mov_epi8(
                _mm512_sub_epi8(numbers, _mm512_set1_epi8(1)),
                1,
                _mm512_set1_epi8(GROUP as i8),
            );
            let unknown = _mm512_set1_epi8(i8::UNKNOWN);
            let (mut slots, mut count) = (0, 0);
            // No defined value equals UNKNOWN, so the first defined slot begins a run.
            let mut last = unknown;
            let mut places = _mm512_add_epi8(numbers, _mm512_set1_epi8(start as i8));
            for group in cells.chunks(GROUP) {
                let all = if group.len() == GROUP { u64::MAX } else { (1 << group.len()) - 1 };
                let cells = _mm512_maskz_loadu_epi8(all, group.as_ptr());
                let known = _mm512_mask_cmpneq_epi8_mask(all, cells, unknown);
                if known != 0 {
                    let here = known.count_ones();
                    slots += u64::from(here);
                    let values = _mm512_maskz_compress_epi8(known, cells);
                    let slots = _mm512_maskz_compress_epi8(known, places);
                    let closed = u64::MAX >> (64 - here);
                    let others = _mm512_permutex2var_epi8(values, before, last);
                    let begins = _mm512_mask_cmpneq_epi8_mask(closed, values, others);
                    let ends = begins >> 1 | (closed ^ closed >> 1);
                    // A run that continues from the group before has its end overwritten.
                    let from = count - usize::from(begins & 1 == 0);
                    let values_at = self.values.as_mut_ptr().add(count).cast();
                    _mm512_storeu_si512(values_at, _mm512_maskz_compress_epi8(begins, values));
                    let firsts_at = self.firsts.as_mut_ptr().add(count).cast();
                    _mm512_storeu_si512(firsts_at, _mm512_maskz_compress_epi8(begins, slots));
                    let lasts_at = self.lasts.as_mut_ptr().add(from).cast();
                    _mm512_storeu_si512(lasts_at, _mm512_maskz_compress_epi8(ends, slots));
                    count += begins.count_ones() as usize;
                    last = _mm512_set1_epi8(group[63 - known.leading_zeros() as usize]);
                }
                places = _mm512_add_epi8(places, _mm512_set1_epi8(GROUP as i8));
            }
            self.count = count;
            slots
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Runs, with the bits of their values.
    type TableEntry = Vec<(u64, u8, u8)>;

    fn listed<C: Cell>(found: &RunFinder<C>) -> TableEntry {
        let slots = found.firsts().iter().zip(found.lasts());
        found.values().iter().zip(slots).map(|(value, slots)| (value.to_bits(), *slots.0, *slots.1)).collect()
    }

    #[test]
    fn runs_skip_dont_cares() {
        const U: i8 = i8::UNKNOWN;
        let mut found = RunFinder::new();
        assert_eq!(found.find(0, &[U, 3, U, 3, U, 5, 5, U]), 4);
        assert_eq!(listed(&found), [(3, 1, 3), (5, 5, 6)]);
        assert_eq!(found.find(100, &[3]), 1);
        assert_eq!(listed(&found), [(3, 100, 100)]);
        assert_eq!(found.find(0, &[U; 9]), 0);
        assert_eq!(found.len(), 0);
    }

    /// Reference implementation, slot by slot.
    fn one_by_one<C: Cell>(start: u8, cells: &[C]) -> TableEntry {
        let mut runs: TableEntry = Vec::new();
        for (slot, cell) in (usize::from(start)..).zip(cells).filter(|(_, cell)| !cell.is_unknown()) {
            match runs.last_mut() {
                Some(run) if run.0 == cell.to_bits() => run.2 = slot as u8,
                _ => runs.push((cell.to_bits(), slot as u8, slot as u8)),
            }
        }
        runs
    }

    #[test]
    fn all_versions_agree_with_the_slot_by_slot_reference() {
        let mut rng = SmallRng::seed_from_u64(5);
        let (mut bytes, mut means) = (RunFinder::new(), RunFinder::new());
        for _ in 0..3000 {
            let (care, values) = (rng.random_range(0.0..1.0), rng.random_range(1..5));
            let start = rng.random_range(0..=255);
            let slots = rng.random_range(0..=256 - usize::from(start));
            let cells: Vec<i8> = (0..slots)
                .map(|_| if rng.random_bool(care) { rng.random_range(-1..values) } else { i8::UNKNOWN })
                .collect();
            let known = cells.iter().filter(|cell| !cell.is_unknown()).count() as u64;
            assert_eq!(bytes.find(start, &cells), known);
            assert_eq!(listed(&bytes), one_by_one(start, &cells));
            assert_eq!(bytes.find_portable(start, &cells), known);
            assert_eq!(listed(&bytes), one_by_one(start, &cells));
            let cells: Vec<f64> =
                cells.iter().map(|&cell| if cell.is_unknown() { f64::NAN } else { cell.into() }).collect();
            assert_eq!(means.find(start, &cells), known);
            assert_eq!(listed(&means), one_by_one(start, &cells));
        }
    }
}
