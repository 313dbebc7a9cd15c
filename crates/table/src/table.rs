//! Reading a table: single slots in microseconds, whole tiers on all threads.

use crate::TableError;
use crate::cell::Cell;
use crate::identity::{Identity, Values, name};
use crate::manifest::Manifest;
use crate::tier_file::{Block, TierFile};
use outplay_core::Tier;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Decoded blocks that are kept; each has its place, so that what comes later takes what came before.
const KEPT: usize = 1 << 12;

/// A table to ask. Several threads may ask at once.
///
/// Don't-cares are not stored as such: a slot that was one answers `None` or any of the tier's values.
pub struct Table {
    name: String,
    dir: PathBuf,
    manifest: Manifest,
    tiers: Vec<OnceLock<TierFile>>,
    kept: Vec<Mutex<Option<Box<Kept>>>>,
}

#[derive(Default)]
struct Kept {
    of: Option<(Tier, u64)>,
    block: Block,
}

impl Table {
    /// Opens the table of a game.
    ///
    /// Its files are opened when they are first asked for, and a table that is still being written can be
    /// asked for the tiers that are complete.
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

    /// Opens a table and makes sure that it has this identity: tiers and cells, too.
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
        let kept = (0..KEPT).map(|_| Mutex::default()).collect();
        Ok(Table { name: name.into(), dir, manifest, tiers, kept })
    }

    /// The table's name, which is the name of its directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the table is of.
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

    /// What its writer wanted readers to know; none until the table is complete.
    pub fn summary(&self) -> Option<&serde_json::Value> {
        self.manifest.summary.as_ref()
    }

    /// How large the file of a tier is, 0 if there is none.
    pub fn tier_bytes(&self, tier: Tier) -> u64 {
        self.manifest.tiers.get(&tier.0).map_or(0, |written| written.bytes)
    }

    /// How large the files of its tiers are.
    pub fn bytes(&self) -> u64 {
        self.manifest.tiers.values().map(|written| written.bytes).sum()
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

    /// What a slot holds. A don't care gives `None` or any value.
    ///
    /// # Errors
    ///
    /// A missing or damaged tier; then nothing is answered.
    pub fn code<C: Cell>(&self, tier: Tier, slot: u64) -> Result<Option<C>, TableError> {
        self.expect_cell::<C>()?;
        let file = self.file(tier)?;
        if slot >= file.slots() {
            let (table, slots) = (self.name.clone(), file.slots());
            return Err(TableError::NoSlot { table, tier, slot, slots });
        }
        let (number, within) = file.block_of(slot);
        // Neighbouring blocks and neighbouring tiers get different places.
        let mixed = (number ^ u64::from(tier.0) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> (64 - KEPT.ilog2())) as usize;
        // A panic while decoding left the block marked as none, so that it is read again.
        let mut kept = self.kept[place].lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.get_or_insert_default();
        if kept.of != Some((tier, number)) {
            kept.of = None;
            file.read(number, &mut kept.block)?;
            kept.of = Some((tier, number));
        }
        let cell = file.cell(&mut kept.block, within);
        if cell.is_err() {
            kept.of = None;
        }
        Ok(cell?.map(C::from_bits))
    }

    /// All slots of a tier, decoded on all threads. Don't-cares are [`Cell::UNKNOWN`] or any value.
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
        file.each_block(&|number, block| {
            let mut cells = blocks[number as usize].lock().unwrap_or_else(PoisonError::into_inner);
            let mut left: &mut [C] = &mut cells;
            file.each_run(block, &mut |slots, bits| {
                let (run, rest) = std::mem::take(&mut left).split_at_mut(slots);
                run.fill(bits.map_or(C::UNKNOWN, C::from_bits));
                left = rest;
            })
        })?;
        Ok(cells)
    }

    /// Reads every block of every tier written and checks it.
    ///
    /// # Errors
    ///
    /// The first damage found.
    pub fn check(&self) -> Result<(), TableError> {
        self.manifest.tiers.keys().try_for_each(|&tier| self.file(Tier(tier))?.check())
    }
}
