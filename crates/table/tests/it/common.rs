//! Tables of synthetic values, reproducible by seed.

use outplay_core::Tier;
use outplay_table::{Cell, CellKind, Identity, Table, TableError, TierWriter, Values, Writer};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) const SPEC: &str = "made:up,k=3";

pub(crate) fn identity(slots: &[u64]) -> Identity {
    let (values, cell) = (Values::Distance, CellKind::I8);
    Identity { spec: SPEC.into(), version: 1, values, cell, slots: slots.to_vec() }
}

/// Runs of a few values with many don't-cares, some stretches without any value, some dense ones.
pub(crate) fn codes(slots: u64, seed: u64) -> Vec<i8> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut codes = Vec::with_capacity(slots as usize);
    while codes.len() < slots as usize {
        let most = 1u32 << rng.random_range(0..13);
        let length = rng.random_range(1..=most) as usize;
        let end = (codes.len() + length).min(slots as usize);
        let (kind, values) = (rng.random_range(0..4), rng.random_range(1..30));
        let care = rng.random_range(0.02..1.0);
        let mut value = 0;
        while codes.len() < end {
            if rng.random_bool(0.1) || kind == 0 {
                value = [0, 120, -119, 101, -100][rng.random_range(0..5)] + rng.random_range(0..values);
            }
            let known = kind != 1 && rng.random_bool(care);
            codes.push(if known { value as i8 } else { i8::UNKNOWN });
        }
    }
    codes
}

/// Writes the missing tiers of the table and completes it.
pub(crate) fn write(data: &Path, slots: &[u64]) -> Result<(), TableError> {
    let writer = Writer::open(data, identity(slots))?;
    for (i, &slots) in slots.iter().enumerate().rev() {
        let tier = Tier(i as u32);
        if writer.has(tier) {
            continue;
        }
        let file: TierWriter<'_, i8> = writer.tier(tier)?;
        file.put_all(&codes(slots, i as u64))?;
        file.finish()?;
    }
    writer.finish(serde_json::json!({"tiers": slots.len()}))
}

/// Whether every defined slot reads as it was written.
pub(crate) fn agrees<C: Cell>(found: &[C], written: &[C]) -> bool {
    found.len() == written.len() && found.iter().zip(written).all(|(f, w)| w.is_unknown() || f == w)
}

/// Checks all slots of all tiers against what was written.
pub(crate) fn check(data: &Path, slots: &[u64]) {
    let table = Table::open(data, SPEC, Values::Distance).expect("opens");
    assert!(table.complete());
    for (i, &slots) in slots.iter().enumerate() {
        let found: Vec<i8> = table.read_tier(Tier(i as u32)).expect("reads");
        assert!(agrees(&found, &codes(slots, i as u64)), "tier {i}");
    }
}

/// The bytes of all files of a table, the lock left out.
pub(crate) fn files(data: &Path, name: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(data.join(name)).expect("is there") {
        let path = entry.expect("reads").path();
        let file = path.file_name().expect("has a name").to_string_lossy().into_owned();
        if file != "lock" {
            files.insert(file, std::fs::read(&path).expect("reads"));
        }
    }
    files
}
