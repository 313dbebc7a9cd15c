//! Table reader: random probes in microseconds, and scans of whole tiers on all threads.

use crate::cell::Cell;
use crate::error::file_name;
use crate::identity::{Identity, Values, name};
use crate::manifest::Manifest;
use crate::tier_file::{Block, CHECKING, TierFile};
use crate::{TableError, disk, manifest};
use outplay_core::Tier;
use outplay_runtime::{Monitor, NoMonitor};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// Size of the direct-mapped cache of decoded blocks; a newer block replaces an older one in its slot.
const CACHE_SLOTS: usize = 1 << 12;

/// Slots of a table whose blocks are all checked in some tens of milliseconds.
const QUICKLY_CHECKED: u64 = 5_000_000;

/// Reader of a table, which threads can share.
///
/// Don't-cares are not stored as such: probing one returns `None` or any of the tier's values.
pub struct Table {
    name: String,
    dir: PathBuf,
    manifest: Manifest,
    tiers: Vec<OnceLock<TierFile>>,
    cache: Vec<Mutex<Option<Box<CachedBlock>>>>,
}

#[derive(Default)]
struct CachedBlock {
    of: Option<(Tier, u64)>,
    block: Block,
}

impl Table {
    /// Opens the table of a game.
    ///
    /// Tier files are opened lazily. A table that is still being written can be probed for the tiers that are
    /// complete.
    ///
    /// # Errors
    ///
    /// No such table, another format, another game under this name, a damaged manifest.
    pub fn open(data: &Path, spec: &str, values: Values) -> Result<Table, TableError> {
        let table = Table::open_named(data, &name(spec, values), spec)?;
        let found = table.identity();
        if (found.spec.as_str(), found.values) == (spec, values) {
            return Ok(table);
        }
        let wanted = Identity { spec: spec.into(), values, ..found.clone() };
        wanted.expect(found)?;
        Ok(table)
    }

    /// Opens a table and checks its full identity, tiers and cell type included.
    ///
    /// # Errors
    ///
    /// Those of [`Table::open`].
    pub fn open_as(data: &Path, identity: &Identity) -> Result<Table, TableError> {
        let table = Table::open_named(data, &identity.name(), &identity.spec)?;
        identity.expect(table.identity())?;
        Ok(table)
    }

    fn open_named(data: &Path, name: &str, spec: &str) -> Result<Table, TableError> {
        let dir = data.join(name);
        let Some(manifest) = Manifest::read(&dir, name, spec)? else {
            let (table, data) = (name.into(), data.to_path_buf());
            return Err(TableError::NoTable { table, spec: spec.into(), values: None, data });
        };
        let tiers = manifest.identity.slots.iter().map(|_| OnceLock::new()).collect();
        let cache = (0..CACHE_SLOTS).map(|_| Mutex::default()).collect();
        Ok(Table { name: name.into(), dir, manifest, tiers, cache })
    }

    /// The table's name, which is the name of its directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table's identity.
    pub fn identity(&self) -> &Identity {
        &self.manifest.identity
    }

    /// Whether a tier is written.
    pub fn has(&self, tier: Tier) -> bool {
        self.manifest.has(tier)
    }

    /// Whether all tiers are written and the table was finished.
    pub fn complete(&self) -> bool {
        self.manifest.complete()
    }

    /// The summary that its writer stored; `None` until the table is complete.
    pub fn summary(&self) -> Option<&serde_json::Value> {
        self.manifest.summary.as_ref()
    }

    /// Size of a tier's file in bytes, 0 if there is none.
    pub fn tier_bytes(&self, tier: Tier) -> u64 {
        self.manifest.tiers.get(&tier.0).map_or(0, |written| written.bytes)
    }

    /// Size in bytes on disk, as [`list`](crate::list) has it: the tiers, the manifest and files of an unfinished solve.
    pub fn bytes(&self) -> u64 {
        disk::table_bytes(&self.dir)
    }

    fn file(&self, tier: Tier) -> Result<&TierFile, TableError> {
        let missing =
            || TableError::NoTier { table: self.name.clone(), spec: self.identity().spec.clone(), tier };
        let place = self.tiers.get(tier.0 as usize).ok_or_else(missing)?;
        if let Some(file) = place.get() {
            return Ok(file);
        }
        let known = self.manifest.tiers.get(&tier.0).copied().ok_or_else(missing)?;
        let file = TierFile::open(&self.dir, &self.name, self.identity(), tier, Some(known))?;
        Ok(place.get_or_init(|| file))
    }

    fn expect_cell<C: Cell>(&self) -> Result<(), TableError> {
        if C::KIND == self.identity().cell {
            return Ok(());
        }
        let why = format!("its cells are {:?}, not {:?}", self.identity().cell, C::KIND);
        Err(TableError::Misuse { table: self.name.clone(), why })
    }

    /// Reads a slot. A don't-care returns `None` or any value.
    ///
    /// # Errors
    ///
    /// A missing or damaged tier; no value is returned then.
    pub fn code<C: Cell>(&self, tier: Tier, slot: u64) -> Result<Option<C>, TableError> {
        self.expect_cell::<C>()?;
        let file = self.file(tier)?;
        if slot >= file.slots() {
            let (table, slots) = (self.name.clone(), file.slots());
            return Err(TableError::NoSlot { table, tier, slot, slots });
        }
        let (number, within) = file.block_of(slot);
        // Multiplicative hashing spreads neighbouring blocks and tiers over the cache.
        let mixed = (number ^ u64::from(tier.0) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> (64 - CACHE_SLOTS.ilog2())) as usize;
        // After a panic while decoding, the cache slot is marked empty, so that the block is read again.
        let mut cached = self.cache[place].lock().unwrap_or_else(PoisonError::into_inner);
        let cached = cached.get_or_insert_default();
        if cached.of != Some((tier, number)) {
            cached.of = None;
            file.read(number, &mut cached.block).inspect_err(|_| self.distrust())?;
            cached.of = Some((tier, number));
        }
        let cell = file.cell(&mut cached.block, within);
        if cell.is_err() {
            cached.of = None;
        }
        Ok(cell?.map(C::from_bits))
    }

    /// Decodes all slots of a tier, on all threads. Don't-cares are [`Cell::UNKNOWN`] or any value.
    ///
    /// # Errors
    ///
    /// A missing or damaged tier.
    pub fn read_tier<C: Cell>(&self, tier: Tier) -> Result<Vec<C>, TableError> {
        self.expect_cell::<C>()?;
        let file = self.file(tier)?;
        let mut cells: Vec<C> = Vec::new();
        let slots =
            usize::try_from(file.slots()).ok().filter(|&slots| cells.try_reserve_exact(slots).is_ok());
        let Some(slots) = slots else {
            let why = format!("tier {} has {} slots, more than memory can hold", tier.0, file.slots());
            return Err(TableError::Misuse { table: self.name.clone(), why });
        };
        cells.resize(slots, C::UNKNOWN);
        if file.blocks() == 0 {
            return Ok(cells);
        }
        let block_slots = file.range(0).end as usize;
        let blocks: Vec<Mutex<&mut [C]>> = cells.chunks_mut(block_slots).map(Mutex::new).collect();
        let read = file.each_block(&|number, block| {
            let mut cells = blocks[number as usize].lock().unwrap_or_else(PoisonError::into_inner);
            let mut left: &mut [C] = &mut cells;
            file.each_run(block, &mut |slots, bits| {
                let (run, rest) = std::mem::take(&mut left).split_at_mut(slots);
                run.fill(bits.map_or(C::UNKNOWN, C::from_bits));
                left = rest;
            })
        });
        read.inspect_err(|_| self.distrust())?;
        Ok(cells)
    }

    /// Reads and verifies every block of every written tier.
    ///
    /// # Errors
    ///
    /// The first damage found.
    pub fn check(&self) -> Result<(), TableError> {
        self.check_with(&NoMonitor)
    }

    /// Does the same, unless the table is large and no file has changed since it was finished or last checked.
    ///
    /// # Errors
    ///
    /// The first damage found, or a cancellation.
    pub fn check_if_changed(&self, monitor: &dyn Monitor) -> Result<(), TableError> {
        let large = self.manifest.identity.slots.iter().sum::<u64>() > QUICKLY_CHECKED;
        if large && !self.is_changed() {
            return Ok(());
        }
        self.check_with(monitor)?;
        if large {
            disk::set_modified(&self.dir.join(manifest::FILE), SystemTime::now());
        }
        Ok(())
    }

    /// Whether a tier's file differs in size from its entry in the manifest, or is not older than the manifest, which
    /// is written last.
    fn is_changed(&self) -> bool {
        let finished = disk::modified(&self.dir.join(manifest::FILE));
        self.manifest.tiers.iter().any(|(&tier, written)| {
            let path = self.dir.join(file_name(Tier(tier)));
            disk::size(&path) != Some(written.bytes) || disk::modified(&path) >= finished
        })
    }

    /// Marks a table in which damage was found, so that the next solve checks and repairs all of it.
    fn distrust(&self) {
        disk::set_modified(&self.dir.join(manifest::FILE), SystemTime::UNIX_EPOCH);
    }

    /// Does the same as [`Table::check`], reports progress in slots, and can be cancelled by the monitor.
    ///
    /// # Errors
    ///
    /// The first damage found, or a cancellation.
    pub fn check_with(&self, monitor: &dyn Monitor) -> Result<(), TableError> {
        let slots = |&tier: &u32| self.manifest.identity.slots.get(tier as usize).copied().unwrap_or(0);
        monitor.stage(CHECKING, self.manifest.tiers.keys().map(slots).sum());
        self.manifest.tiers.keys().try_for_each(|&tier| self.file(Tier(tier))?.check(monitor))
    }
}
