//! Memory use of positions held by Python: measured where the system reports it, otherwise estimated from samples.

use crate::script::{InternedPosition, Script, Store};
use pyo3::prelude::*;

/// Bytes per position besides the objects of the rules, without its moves.
const PER_POSITION: usize = size_of::<InternedPosition>() + 160;
/// Bytes per move besides its object.
const PER_MOVE: usize = 24;

/// Resident memory of this process in bytes, where Linux reports it.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Memory per position: the mean of samples, or the measured growth if that is more.
#[derive(Default)]
pub(crate) struct Footprint {
    samples: u64,
    sampled_bytes: u64,
    /// Bytes per position by the growth of the process during exploration.
    measured: f64,
}

impl Footprint {
    /// Returns the bytes of a number of positions.
    pub(crate) fn bytes(&self, positions: usize) -> u64 {
        let mean = self.sampled_bytes as f64 / self.samples.max(1) as f64;
        (mean.max(self.measured) * positions as f64) as u64
    }
}

/// Growth of the process during exploration.
pub(crate) struct Growth {
    before: Option<u64>,
    positions: usize,
}

impl Growth {
    pub(crate) fn begin(store: &Store) -> Growth {
        Growth { before: resident_bytes(), positions: store.positions.len() }
    }

    /// Updates the measurement with the positions since the start, and returns the bytes of all positions.
    pub(crate) fn note(&self, store: &mut Store) -> u64 {
        let fresh = store.positions.len() - self.positions;
        // Too few positions give no reliable figure, because the process grows in steps.
        if let (Some(before), Some(now)) = (self.before, resident_bytes().filter(|_| fresh >= 4096)) {
            store.footprint.measured = now.saturating_sub(before) as f64 / fresh as f64;
        }
        store.footprint.bytes(store.positions.len())
    }
}

impl Script {
    /// Adds a position to the sample of sizes.
    pub(crate) fn weigh(
        &self,
        py: Python<'_>,
        store: &mut Store,
        object: &Bound<'_, PyAny>,
        moves: usize,
    ) -> PyResult<()> {
        let bytes: u64 = self.laws.bind(py).getattr("size_of")?.call1((object,))?.extract()?;
        store.footprint.samples += 1;
        store.footprint.sampled_bytes += bytes + (PER_POSITION + PER_MOVE * moves) as u64;
        Ok(())
    }
}
