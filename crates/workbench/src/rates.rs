//! Calibration of the bit-plane solver: its throughput on this machine, measured on a small board of the same kind.
//!
//! ```text
//!  solve                     rates              unit
//!  in memory                 reach, values      bytes of planes and neighbours per second
//!  with a table              write              stored positions per second
//!  slab by slab              slabs              live positions packed and unpacked per second; packed sizes
//!  a file                    disk               bytes per second
//! ```

use crate::extent::{Extent, TierExtent};
use crate::{Trouble, planes};
use outplay_bitplane::{BitplaneOptions, Part, Plan, Sink, SlabBytes, SlabKey, SlabStore, Slots};
use outplay_core::{LineBoard, Tier};
use outplay_files::Lock;
use outplay_runtime::Monitor;
use outplay_table::{CellKind, Identity, Values, Writer};
use serde::Serialize;
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Slot limit of the calibration board.
const SLOTS: u128 = 700_000_000;
/// Bytes of the file that the disk benchmark writes.
const FILE: usize = 128 << 20;
/// Bytes of a slab of the measured board.
const SLAB: u64 = 2 << 20;
/// Slots per granule: a tier being coded takes one byte of disk per granule, even for don't-cares.
pub(crate) const GRANULE: f64 = 256.0;

/// Throughput of a machine in the phases of a solve, and compressed sizes per position.
#[derive(Clone, Debug, Serialize)]
pub struct Rates {
    /// The calibration board.
    pub measured_on: String,
    /// Number of threads.
    pub threads: usize,
    /// Bytes of live planes times neighbours per second.
    pub reach: f64,
    /// Bytes of planes of values times neighbours per second.
    pub values: f64,
    /// Stored positions coded and written per second.
    pub write: f64,
    /// Live positions packed and unpacked per second.
    pub slabs: f64,
    /// Bytes written to the disk per second.
    pub disk: f64,
    /// Packed bytes of live planes per live position.
    pub packed_reach: f64,
    /// Packed bytes of values per live position and plane.
    pub packed_value: f64,
    /// Bytes of a table per stored position.
    pub table: f64,
    /// Bytes of the runs that a tier is coded from, per stored position.
    pub runs: f64,
    /// Fixed cost in seconds of writing a tier.
    pub tier: f64,
    /// Fixed cost in seconds of a tier, slab by slab.
    pub slab_tier: f64,
    /// Compressed sizes by tier of the calibration board; compression depends on how full a board is.
    #[serde(skip)]
    pub(crate) sizes: Vec<Sizes>,
}

/// Compressed sizes in bytes at some fill level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sizes {
    /// Live planes, per live position.
    pub(crate) reach: f64,
    /// Values, per live position and plane.
    pub(crate) value: f64,
    /// Table, per stored position.
    pub(crate) table: f64,
}

/// Minimum number of positions of a tier whose sizes are significant.
const TELLING: f64 = 1000.0;

impl Rates {
    /// Compressed sizes in a tier of a board with `plies` plies.
    pub(crate) fn sizes_at(&self, tier: usize, plies: usize) -> Sizes {
        let usual = Sizes { reach: self.packed_reach, value: self.packed_value, table: self.table };
        let last = self.sizes.len().saturating_sub(1);
        let at = tier as f64 * last as f64 / plies.max(1) as f64;
        let of = |tier: usize| self.sizes.get(tier).copied().unwrap_or(usual);
        let (low, high, part) = (of(at as usize), of(at.ceil() as usize), at.fract());
        let between = |low: f64, high: f64| low + (high - low) * part;
        Sizes {
            reach: between(low.reach, high.reach),
            value: between(low.value, high.value),
            table: between(low.table, high.table),
        }
    }
}

/// Prefix of temporary directories.
const SCRATCH: &str = "outplay-plan-";

/// A temporary directory that is removed on drop. Its lock distinguishes one in use from one that a killed process
/// left.
struct ScratchDir {
    path: PathBuf,
    _lock: Lock,
}

impl ScratchDir {
    /// Creates a directory below `place`, after removing those of killed processes.
    fn new(place: &Path) -> Result<ScratchDir, Trouble> {
        /// Limit on the directories of one process.
        const MOST: u32 = 1000;
        remove_leftovers(place);
        let mut failed = None;
        for number in 0..MOST {
            let path = place.join(format!("{SCRATCH}{}-{number}", std::process::id()));
            fs::create_dir_all(&path).map_err(|e| Trouble::unable(format!("{}: {e}", path.display())))?;
            match Lock::take(&path.join("lock"), true, &|| false) {
                Ok(lock) => return Ok(ScratchDir { path, _lock: lock }),
                // In use by another thread, or just removed as a leftover.
                Err(error) if error.is_busy() || error.is_missing() => failed = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(failed.map_or_else(Trouble::stopped, Trouble::from))
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // Files that cannot be removed are small.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes temporary directories that are not in use, as far as possible.
fn remove_leftovers(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(SCRATCH));
        if named
            && fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir())
            && let Ok(_lock) = Lock::take(&path.join("lock"), true, &|| false)
        {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// An in-memory slab store that counts bytes.
#[derive(Debug)]
struct CountingStore {
    slabs: Mutex<HashMap<SlabKey, SlabBytes>>,
    /// By tier.
    reach: Vec<AtomicU64>,
    values: Vec<AtomicU64>,
}

impl CountingStore {
    fn new(tiers: usize) -> CountingStore {
        let zeros = || (0..tiers).map(|_| AtomicU64::new(0)).collect();
        CountingStore { slabs: Mutex::default(), reach: zeros(), values: zeros() }
    }

    fn slabs(&self) -> std::sync::MutexGuard<'_, HashMap<SlabKey, SlabBytes>> {
        self.slabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlabStore for CountingStore {
    fn has(&self, key: SlabKey) -> bool {
        self.slabs().contains_key(&key)
    }
    fn get(&self, key: SlabKey) -> Result<SlabBytes, String> {
        self.slabs().get(&key).cloned().ok_or_else(|| "a slab is gone".into())
    }
    fn put(&self, key: SlabKey, bytes: SlabBytes) -> Result<(), String> {
        match key.part {
            Part::Reach | Part::ReachImages => self.reach[key.tier].fetch_add(bytes.len() as u64, Relaxed),
            Part::Values | Part::ValueImages => self.values[key.tier].fetch_add(bytes.len() as u64, Relaxed),
            _ => 0,
        };
        self.slabs().insert(key, bytes);
        Ok(())
    }
    fn forget(&self, part: Part, tier: usize) -> Result<(), String> {
        self.slabs().retain(|key, _| (key.part, key.tier) != (part, tier));
        Ok(())
    }
    fn bytes(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Counts stored slots by tier.
struct SlotCounter(Vec<AtomicU64>);

impl Sink for SlotCounter {
    fn wants(&self, _tier: usize) -> bool {
        true
    }
    fn put(&self, slots: Slots<'_>) -> Result<(), String> {
        let count = slots.codes.iter().filter(|code| **code != i8::MIN).count();
        self.0[slots.tier].fetch_add(count as u64, Relaxed);
        Ok(())
    }
    fn end(&self, _tier: usize) -> Result<(), String> {
        Ok(())
    }
}

/// Start times of the stages of a solve.
struct StageTimer<'a> {
    watch: &'a dyn Monitor,
    values: Mutex<Option<Instant>>,
}

impl Monitor for StageTimer<'_> {
    fn stage(&self, name: &str, _total: u64) {
        if let Ok(mut began) = self.values.lock()
            && name == outplay_bitplane::VALUES
        {
            *began = Some(Instant::now());
        }
    }
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.watch.stopped()
    }
}

/// The largest board of the same kind that is solved quickly, smaller than the board itself unless that is tiny.
fn smaller(board: &LineBoard, options: &BitplaneOptions) -> LineBoard {
    let (mut width, mut height) = (board.width, board.height);
    loop {
        // The longer side is reduced, and neither falls below the length of a line.
        match width > height {
            true if width > board.k.max(3) => width -= 1,
            _ if height > board.k.max(3) => height -= 1,
            _ if width > board.k.max(3) => width -= 1,
            _ => {}
        }
        let mut small = LineBoard::empty(width, height, board.k);
        (small.gravity, small.misere) = (board.gravity, board.misere);
        let slots = outplay_bitplane::plan(&small, options, true).map_or(u128::MAX, |plan| plan.slots);
        if slots <= SLOTS || width.max(height) <= board.k.max(3) {
            return small;
        }
    }
}

/// The smallest board of the same kind.
fn smallest(board: &LineBoard, options: &BitplaneOptions) -> LineBoard {
    let next = smaller(board, options);
    if next == *board { next } else { smallest(&next, options) }
}

impl Rates {
    /// Measures all rates in a few seconds; temporary files go below `place`.
    pub(crate) fn measure(
        board: &LineBoard,
        values: Values,
        threads: usize,
        place: &Path,
        watch: &dyn Monitor,
    ) -> Result<Rates, Trouble> {
        watch.stage("measuring this machine", 0);
        let planes = if values == Values::Wdl { BitplaneOptions::wdl() } else { BitplaneOptions::distance() };
        let options = BitplaneOptions { threads, counts: true, ..planes };
        let small = smaller(board, &options);
        let plan = outplay_bitplane::plan(&small, &options, true)?;
        let mut extent = Extent::new(&plan);
        let scratch = ScratchDir::new(place)?;

        // A warm-up run faults the memory in.
        let (mut reach, mut back) = (f64::MAX, f64::MAX);
        for _ in 0..3 {
            let stages = StageTimer { watch, values: Mutex::new(None) };
            let began = Instant::now();
            let solution = outplay_bitplane::solve(&small, &options, &stages, None)?;
            let end = Instant::now();
            let turned = stages.values.into_inner().ok().flatten().unwrap_or(end);
            reach = reach.min((turned - began).as_secs_f64());
            back = back.min((end - turned).as_secs_f64());
            let counts = solution.counts.unwrap_or_default();
            for (t, ply) in extent.tiers.iter_mut().zip(&counts.plies) {
                t.live = ply.legal as f64;
            }
        }
        let counter = SlotCounter(plan.tiers.iter().map(|_| AtomicU64::new(0)).collect());
        outplay_bitplane::solve(&small, &options, watch, Some(&counter))?;
        for (t, count) in extent.tiers.iter_mut().zip(&counter.0) {
            t.stored = count.load(Relaxed) as f64;
        }

        // The time on the smallest board is the fixed cost.
        let tiny = smallest(&small, &options);
        let tiny_plan = outplay_bitplane::plan(&tiny, &options, true)?;
        let written = |board: &LineBoard, plan: &Plan, name: String| -> Result<(f64, Writer), Trouble> {
            let slots = plan.tiers.iter().map(|t| t.shapes * t.slots).collect();
            let identity = Identity { spec: name, version: 1, values, cell: CellKind::I8, slots };
            let writer = Writer::open(&scratch.path, identity)?;
            let began = Instant::now();
            planes::dense(board, &options, Some(&writer), watch)?;
            Ok((began.elapsed().as_secs_f64(), writer))
        };
        let (mut write, mut tier) = (f64::MAX, f64::MAX);
        let (mut table_bytes, mut runs) = (Vec::new(), 0);
        for round in 0..2 {
            let (seconds, _) = written(&tiny, &tiny_plan, format!("tiny-{round}"))?;
            tier = tier.min(seconds / tiny_plan.tiers.len() as f64);
            let (seconds, writer) = written(&small, &plan, format!("measured-{round}"))?;
            write = write.min(seconds - reach - back);
            let table = writer.table()?;
            table_bytes =
                (0..plan.tiers.len()).map(|tier| table.tier_bytes(Tier(tier as u32)) as f64).collect();
            runs = writer.runs();
        }

        // Packing time is the difference between a solve in slabs and one in memory.
        let in_slabs = |board: &LineBoard, plan: &Plan| -> Result<(f64, Arc<CountingStore>), Trouble> {
            let depot = Arc::new(CountingStore::new(plan.tiers.len()));
            let kept = Some(Arc::clone(&depot) as Arc<dyn SlabStore>);
            let slabwise =
                BitplaneOptions { slabs: true, depot: kept, slab_bytes: Some(SLAB), ..options.clone() };
            let began = Instant::now();
            outplay_bitplane::solve(board, &slabwise, watch, None)?;
            Ok((began.elapsed().as_secs_f64(), depot))
        };
        let (mut slabs, mut depot) = in_slabs(&small, &plan)?;
        let mut slab_tier = f64::MAX;
        for _ in 0..2 {
            let seconds;
            (seconds, depot) = in_slabs(&small, &plan)?;
            slabs = slabs.min(seconds);
            slab_tier = slab_tier.min(in_slabs(&tiny, &tiny_plan)?.0 / tiny_plan.tiers.len() as f64);
        }
        // At least a tenth of the time is attributed to positions: the two boards may be the same.
        let beyond = |seconds: f64, each: f64| {
            (seconds - each * plan.tiers.len() as f64).max(seconds / 10.0).max(1e-6)
        };
        let (write, slabs) = (beyond(write, tier), beyond(slabs - reach - back, slab_tier));

        let disk = disk_rate(&scratch.path)?;
        let coded = extent.sum(TierExtent::coding);
        let live = extent.sum(TierExtent::live_computed);
        let valued = extent.sum(|t| t.live_computed() * t.planes);
        let bytes = |counted: &[AtomicU64]| -> Vec<f64> {
            counted.iter().map(|bytes| bytes.load(Relaxed) as f64).collect()
        };
        let (reach_bytes, value_bytes) = (bytes(&depot.reach), bytes(&depot.values));
        let mut rates = Rates {
            measured_on: format!("{}x{}, k={}", small.width, small.height, small.k),
            threads,
            reach: extent.sum(|t| t.plane * t.down) / reach.max(1e-6),
            values: extent.sum(|t| t.plane * t.planes * t.up) / back.max(1e-6),
            write: coded / write,
            slabs: live / slabs,
            tier,
            slab_tier,
            disk,
            packed_reach: reach_bytes.iter().sum::<f64>() / live.max(1.0),
            packed_value: value_bytes.iter().sum::<f64>() / valued.max(1.0),
            table: table_bytes.iter().sum::<f64>() / extent.sum(|t| t.stored).max(1.0),
            runs: (runs as f64 - extent.sum(TierExtent::granules)).max(0.0)
                / extent.sum(|t| t.stored).max(1.0),
            sizes: Vec::new(),
        };
        let sizes = |(tier, t): (usize, &TierExtent)| {
            let each = |bytes: f64, positions: f64, usual: f64| {
                if positions < TELLING { usual } else { bytes / positions }
            };
            let live = t.live_computed();
            Sizes {
                reach: each(reach_bytes[tier], live, rates.packed_reach),
                value: each(value_bytes[tier], live * t.planes, rates.packed_value),
                table: each(table_bytes[tier], t.stored, rates.table),
            }
        };
        rates.sizes = extent.tiers.iter().enumerate().map(sizes).collect();
        Ok(rates)
    }
}

/// Sequential write throughput in bytes per second, including the sync.
fn disk_rate(dir: &Path) -> Result<f64, Trouble> {
    let path = dir.join("rate");
    let timed = || -> std::io::Result<f64> {
        let bytes: Vec<u8> = (0..1usize << 20).map(|i| ((i * i) >> 7) as u8).collect();
        let began = Instant::now();
        let mut file = fs::File::create(&path)?;
        for _ in 0..FILE >> 20 {
            file.write_all(&bytes)?;
        }
        file.sync_all()?;
        Ok(FILE as f64 / began.elapsed().as_secs_f64())
    };
    let rate = timed().map_err(|e| Trouble::unable(format!("{}: {e}", path.display())));
    let _ = fs::remove_file(&path);
    rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;

    #[test]
    fn sizes_are_interpolated_between_measured_tiers() {
        let sizes = |each: f64| Sizes { reach: each, value: 2.0 * each, table: 3.0 * each };
        let dir = tempfile::tempdir().expect("a directory");
        let board = LineBoard { gravity: true, ..LineBoard::empty(4, 4, 3) };
        let rates = Rates::measure(&board, Values::Wdl, 1, dir.path(), &NoMonitor).expect("rates");
        assert_eq!(rates.sizes.len(), 13);
        let rates = Rates { sizes: vec![sizes(1.0), sizes(3.0), sizes(4.0)], ..rates };
        let found = [0, 5, 10, 15, 20].map(|tier| rates.sizes_at(tier, 20));
        assert_eq!(found, [1.0, 2.0, 3.0, 3.5, 4.0].map(sizes));
        assert_eq!(Rates { sizes: Vec::new(), ..rates.clone() }.sizes_at(3, 20).reach, rates.packed_reach);
    }

    #[test]
    fn leftovers_of_killed_processes_are_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        let left = dir.path().join("outplay-plan-1");
        fs::create_dir(&left).expect("room");
        fs::write(left.join("rate"), [0; 1000]).expect("room");
        let (one, two) =
            (ScratchDir::new(dir.path()).expect("one"), ScratchDir::new(dir.path()).expect("two"));
        assert!(!left.exists() && one.path.exists() && two.path.exists() && one.path != two.path);
        drop((one, two));
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 0);
    }

    #[test]
    fn rates_of_a_small_board_are_positive() {
        let dir = tempfile::tempdir().expect("a directory");
        let board = LineBoard { gravity: true, ..LineBoard::empty(4, 4, 3) };
        let rates = Rates::measure(&board, Values::Wdl, 1, dir.path(), &NoMonitor).expect("rates");
        assert_eq!(rates.measured_on, "4x3, k=3");
        let all = [
            rates.reach,
            rates.values,
            rates.write,
            rates.slabs,
            rates.tier,
            rates.slab_tier,
            rates.disk,
            rates.packed_reach,
        ];
        assert!(all.into_iter().all(|rate| rate.is_finite() && rate > 0.0), "{rates:?}");
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 0, "nothing is left behind");
    }
}
