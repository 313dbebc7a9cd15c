//! Crash-safe writer of a table, tier by tier: a kill at any moment loses at most one tier.
//!
//! ```text
//! connect4-5x4/
//!   lock               locked by the writer
//!   manifest.json      which tiers are complete
//!   tier-07.opt        a complete tier
//!   tmp-…              temporary file of a killed writer; removed at the next start
//! ```
//!
//! Invariant: a file without `tmp-` is complete and synced, and a tier in the manifest has its file.

use crate::cell::Cell;
use crate::disk::{self, TEMPORARY};
use crate::error::file_name;
use crate::identity::Identity;
use crate::lock::Lock;
use crate::manifest::{Manifest, TierEntry};
use crate::spill_log::{self, SpillLog};
use crate::tier_file::{CHECKING, TierFile};
use crate::tier_writer::TierWriter;
use crate::{Table, TableError};
use outplay_core::Tier;
use outplay_runtime::{Communicator, Monitor, NoMonitor};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Writer of a table; a table has one writer at a time.
pub struct Writer {
    identity: Identity,
    name: String,
    data: PathBuf,
    dir: PathBuf,
    manifest: Mutex<Manifest>,
    /// Disk limit in bytes.
    most: Option<u64>,
    /// The ranks that write the table together; only rank 0 holds the lock and writes the manifest.
    crew: Option<Arc<dyn Communicator>>,
    /// Total bytes of spilled runs.
    runs: AtomicU64,
    _lock: Option<Lock>,
}

impl Writer {
    /// Creates the table below a data directory, or resumes an existing one.
    ///
    /// Every block of every file is read and verified. Tiers whose files are missing or damaged count as not
    /// written, so that solving resumes with exactly those. Complete files that the manifest lacks, because it
    /// was lost or not written in time, are adopted. A table of another version of the rules is restarted.
    ///
    /// # Errors
    ///
    /// Another writer, another game or format under this name, a directory that cannot be written.
    pub fn open(data: &Path, identity: Identity) -> Result<Writer, TableError> {
        Writer::open_with(data, identity, &NoMonitor)
    }

    /// Does the same, reports progress in slots while files are verified, and can be cancelled by the monitor.
    ///
    /// # Errors
    ///
    /// As [`Writer::open`], or a cancellation.
    pub fn open_with(data: &Path, identity: Identity, monitor: &dyn Monitor) -> Result<Writer, TableError> {
        let (name, spec) = (identity.name(), identity.spec.clone());
        let dir = data.join(&name);
        fs::create_dir_all(&dir).map_err(|e| TableError::io("create the directory", &dir, &spec, e))?;
        let lock = Lock::take(&dir, &name, &spec)?;
        disk::sync_dir(data).map_err(|e| TableError::io("write the directory", data, &spec, e))?;
        let manifest = match Manifest::read(&dir, &name, &spec) {
            Ok(Some(found)) => match identity.expect(&found.identity) {
                Ok(()) => found,
                // The old files carry another identity and will be replaced.
                Err(TableError::OtherRules { .. }) => {
                    let fresh = Manifest::new(identity.clone());
                    fresh.write(&dir)?;
                    fresh
                }
                Err(error) => return Err(error),
            },
            // Without a valid manifest, the tier files are identified by their headers.
            Ok(None) | Err(TableError::Damaged { .. }) => Manifest::new(identity.clone()),
            Err(error) => return Err(error),
        };
        let manifest = Mutex::new(manifest);
        let (data, lock) = (data.to_path_buf(), Some(lock));
        let (runs, crew) = (AtomicU64::new(0), None);
        let writer = Writer { identity, name, data, dir, manifest, most: None, crew, runs, _lock: lock };
        clean(&writer)?;
        reconcile(&writer, monitor)?;
        Ok(writer)
    }

    /// Opens a table that several ranks write together. The table's files belong to rank 0; the other ranks
    /// keep temporary files in a directory of the same name, which may be the same directory.
    ///
    /// # Errors
    ///
    /// As [`Writer::open`], the same on all ranks.
    pub fn open_together(
        data: &Path,
        identity: Identity,
        crew: &Arc<dyn Communicator>,
        monitor: &dyn Monitor,
    ) -> Result<Writer, TableError> {
        let (name, spec) = (identity.name(), identity.spec.clone());
        let dir = data.join(&name);
        let first = crew.rank() == 0;
        let opened =
            if first { Writer::open_with(data, identity.clone(), monitor).map(Some) } else { Ok(None) };
        let agreed = crew.all_ok(opened.as_ref().map(|_| ()).map_err(ToString::to_string));
        let opened = opened?;
        agreed.map_err(|why| TableError::Communicator { table: name.clone(), why })?;
        let peer_error = |why| TableError::Communicator { table: name.clone(), why };
        let text = opened.as_ref().map(|writer| writer.manifest().text()).transpose();
        let text = text.map_err(|e| TableError::io("write it", &dir, &spec, e.into()))?.unwrap_or_default();
        let text = crew.broadcast(text.as_bytes()).map_err(peer_error)?;
        let crew = Some(crew.clone());
        if let Some(writer) = opened {
            return Ok(Writer { crew, ..writer });
        }
        let manifest = Mutex::new(Manifest::parse(&text, &name, &spec)?);
        fs::create_dir_all(&dir).map_err(|e| TableError::io("create the directory", &dir, &spec, e))?;
        let data = data.to_path_buf();
        let runs = AtomicU64::new(0);
        Ok(Writer { identity, name, data, dir, manifest, most: None, crew, runs, _lock: None })
    }

    /// The communicator of the ranks that write the table together.
    pub fn crew(&self) -> Option<&Arc<dyn Communicator>> {
        self.crew.as_ref()
    }

    /// Whether this rank owns the table's files.
    fn is_first(&self) -> bool {
        self.crew.as_ref().is_none_or(|crew| crew.rank() == 0)
    }

    fn manifest(&self) -> MutexGuard<'_, Manifest> {
        // Entries are made in one step each, so a panic elsewhere leaves the manifest consistent.
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Total bytes of the runs that this process spilled to disk, over all tiers.
    pub fn runs(&self) -> u64 {
        self.runs.load(Relaxed)
    }

    pub(crate) fn add_runs(&self, bytes: u64) {
        self.runs.fetch_add(bytes, Relaxed);
    }

    /// The table's name, which is the name of its directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table's identity.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether a tier is written.
    pub fn has(&self, tier: Tier) -> bool {
        self.manifest().has(tier)
    }

    /// Whether all tiers are written and the table was finished.
    pub fn complete(&self) -> bool {
        self.manifest().complete()
    }

    /// Opens a reader of the tiers written so far.
    ///
    /// # Errors
    ///
    /// The manifest cannot be read.
    pub fn table(&self) -> Result<Table, TableError> {
        Table::open_as(&self.data, &self.identity)
    }

    /// Verifies every block of the tiers written so far. Damaged tiers count as not written afterwards and are
    /// returned.
    ///
    /// # Errors
    ///
    /// A file that cannot be read for reasons other than damage.
    pub fn check(&self) -> Result<Vec<Tier>, TableError> {
        let Some(crew) = &self.crew else { return check_alone(self) };
        let peer_error = |why| TableError::Communicator { table: self.name.clone(), why };
        let found = if self.is_first() { check_alone(self) } else { Ok(Vec::new()) };
        let agreed = crew.all_ok(found.as_ref().map(|_| ()).map_err(ToString::to_string));
        let tiers: Vec<u64> = found?.iter().map(|tier| tier.0.into()).collect();
        agreed.map_err(peer_error)?;
        let tiers = crew.broadcast(&outplay_runtime::communicator::pack(&tiers)).map_err(peer_error)?;
        let damaged: Vec<Tier> =
            outplay_runtime::communicator::unpack(&tiers).map(|tier| Tier(tier as u32)).collect();
        if !damaged.is_empty() {
            let mut manifest = self.manifest();
            damaged.iter().for_each(|tier| _ = manifest.tiers.remove(&tier.0));
            manifest.summary = None;
        }
        Ok(damaged)
    }

    /// Starts a tier. Several can be open at once; a tier that is written already is replaced.
    ///
    /// # Errors
    ///
    /// A tier that does not exist, a cell of another kind, a directory that cannot be written.
    pub fn tier<C: Cell>(&self, tier: Tier) -> Result<TierWriter<'_, C>, TableError> {
        let misuse = |why: String| TableError::Misuse { table: self.name.clone(), why };
        let Some(&slots) = self.identity.slots.get(tier.0 as usize) else {
            return Err(misuse(format!("there is no tier {}", tier.0)));
        };
        if C::KIND != self.identity.cell {
            return Err(misuse(format!("its cells are {:?}, not {:?}", self.identity.cell, C::KIND)));
        }
        TierWriter::new(self, tier, slots)
    }

    /// Opens the spill log, whose records survive a kill.
    ///
    /// # Errors
    ///
    /// A directory that cannot be written.
    pub fn stash(&self) -> Result<SpillLog, TableError> {
        open_stash(self, self.dir.join(spill_log::DIR))
    }

    /// Opens the spill logs of this rank: its own first, then those that a run with another number of ranks left; each
    /// of those is adopted by one rank.
    ///
    /// # Errors
    ///
    /// A directory that cannot be read or written.
    pub fn stashes(&self) -> Result<Vec<SpillLog>, TableError> {
        let Some(crew) = &self.crew else { return Ok(vec![self.stash()?]) };
        let all = self.dir.join(spill_log::DIR);
        let mut stashes = vec![open_stash(self, all.join(format!("rank-{}", crew.rank())))?];
        if crew.rank() == 0 && all.exists() {
            stashes.push(self.stash()?);
        }
        let Ok(entries) = fs::read_dir(&all) else { return Ok(stashes) };
        for entry in entries.flatten() {
            let rank = entry.file_name().to_str().and_then(|name| name.strip_prefix("rank-")?.parse().ok());
            if rank.is_some_and(|rank: usize| rank >= crew.size() && rank % crew.size() == crew.rank()) {
                stashes.push(open_stash(self, entry.path())?);
            }
        }
        Ok(stashes)
    }

    /// Sets the disk limit in bytes for the table, its temporary files and its spill log.
    pub fn allow(&mut self, most: Option<u64>) {
        self.most = most;
    }

    /// Returns an error if `bytes` more bytes exceed the disk limit.
    pub(crate) fn has_room(&self, bytes: u64, path: &Path) -> Result<(), TableError> {
        let used = || disk::bytes_in(&self.dir) + disk::bytes_in(&self.dir.join(spill_log::DIR));
        match self.most.filter(|&most| used() + bytes > most) {
            Some(most) => {
                Err(TableError::OverLimit { path: path.into(), most, spec: self.identity.spec.clone() })
            }
            None => Ok(()),
        }
    }

    /// Attaches a note to a tier that is about to be finished. It is stored together with the tier, so that a resumed
    /// solve finds it.
    pub fn note(&self, tier: Tier, note: serde_json::Value) {
        self.manifest().notes.insert(tier.0, note);
    }

    /// Returns the note of a written tier.
    pub fn noted(&self, tier: Tier) -> Option<serde_json::Value> {
        let manifest = self.manifest();
        manifest.notes.get(&tier.0).filter(|_| manifest.has(tier)).cloned()
    }

    /// Enters a published tier into the manifest.
    pub(crate) fn enter(&self, tier: Tier, written: TierEntry) -> Result<(), TableError> {
        let mut manifest = self.manifest();
        manifest.tiers.insert(tier.0, written);
        if self.is_first() { manifest.write(&self.dir) } else { Ok(()) }
    }

    /// Completes the table; `summary` is stored for its readers.
    ///
    /// # Errors
    ///
    /// A tier that is not written, a full disk.
    pub fn finish(self, summary: serde_json::Value) -> Result<(), TableError> {
        let mut manifest = self.manifest();
        let missing = (0..self.identity.slots.len() as u32).map(Tier).find(|&tier| !manifest.has(tier));
        if let Some(tier) = missing {
            let why = format!("{} has not been written, so the table is incomplete", file_name(tier));
            return Err(TableError::Misuse { table: self.name.clone(), why });
        }
        // A null would be read back as "not finished".
        manifest.summary = Some(if summary.is_null() { serde_json::json!({}) } else { summary });
        let stashed = self.dir.join(spill_log::DIR);
        if let Some(crew) = &self.crew {
            let removed =
                spill_log::remove(&stashed.join(format!("rank-{}", crew.rank())), &self.identity.spec);
            let met =
                crew.barrier().map_err(|why| TableError::Communicator { table: self.name.clone(), why });
            removed.and(met)?;
            if !self.is_first() {
                return Ok(());
            }
        }
        manifest.write(&self.dir)?;
        // A complete table needs no spill log.
        spill_log::remove(&stashed, &self.identity.spec)
    }
}

/// Removes temporary files of a killed writer.
fn clean(writer: &Writer) -> Result<(), TableError> {
    let fail = |e| TableError::io("read the directory", &writer.dir, &writer.identity.spec, e);
    for entry in fs::read_dir(&writer.dir).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(TEMPORARY) {
            fs::remove_file(&path)
                .map_err(|e| TableError::io("write to the directory", &path, &writer.identity.spec, e))?;
        }
    }
    Ok(())
}

/// Reconciles the manifest with the tier files, each of which is verified completely.
fn reconcile(writer: &Writer, monitor: &dyn Monitor) -> Result<(), TableError> {
    let mut manifest = writer.manifest();
    let before = manifest.clone();
    let there = |(tier, _): &(usize, &u64)| writer.dir.join(file_name(Tier(*tier as u32))).exists();
    let slots = writer.identity.slots.iter().enumerate().filter(there).map(|(_, slots)| slots).sum();
    if slots > 0 {
        monitor.stage(CHECKING, slots);
    }
    for tier in (0..writer.identity.slots.len() as u32).map(Tier) {
        let known = manifest.tiers.get(&tier.0).copied();
        let found =
            TierFile::open(&writer.dir, &writer.name, &writer.identity, tier, known).and_then(|file| {
                file.check(monitor)?;
                Ok(file.written())
            });
        match found {
            Ok(written) => _ = manifest.tiers.insert(tier.0, written),
            Err(error) if error.tier().is_some() => _ = manifest.tiers.remove(&tier.0),
            // A file of another format or game will be replaced.
            Err(TableError::Version { .. } | TableError::OtherGame { .. }) => {
                manifest.tiers.remove(&tier.0);
            }
            Err(error) => return Err(error),
        }
    }
    if manifest.tiers.len() < writer.identity.slots.len() {
        manifest.summary = None;
    }
    // Writing the manifest at once reveals an unwritable directory before hours of solving.
    if *manifest != before || !writer.dir.join(crate::manifest::FILE).exists() {
        manifest.write(&writer.dir)?;
    }
    Ok(())
}

fn check_alone(writer: &Writer) -> Result<Vec<Tier>, TableError> {
    let mut damaged = Vec::new();
    let tiers: Vec<(u32, TierEntry)> = writer.manifest().tiers.iter().map(|(&t, &w)| (t, w)).collect();
    for (tier, written) in tiers {
        let file = TierFile::open(&writer.dir, &writer.name, &writer.identity, Tier(tier), Some(written));
        match file.and_then(|file| file.check(&NoMonitor)) {
            Ok(()) => {}
            Err(error) if error.tier().is_some() => damaged.push(Tier(tier)),
            Err(error) => return Err(error),
        }
    }
    if !damaged.is_empty() {
        let mut manifest = writer.manifest();
        damaged.iter().for_each(|tier| _ = manifest.tiers.remove(&tier.0));
        manifest.summary = None;
        manifest.write(&writer.dir)?;
    }
    Ok(damaged)
}

fn open_stash(writer: &Writer, dir: PathBuf) -> Result<SpillLog, TableError> {
    SpillLog::open(dir, &writer.dir, &writer.identity.spec, writer.identity.number(), writer.most)
}

/// Removes a table from a data directory. Of a symbolic link, only the link is removed.
///
/// # Errors
///
/// No such table, or a table that is being written.
pub fn remove(data: &Path, name: &str) -> Result<(), TableError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || ",=+-.".contains(c);
    let dir = data.join(name);
    let well_named = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain);
    if !well_named || !dir.join(crate::manifest::FILE).is_file() {
        let (table, data) = (name.into(), data.to_path_buf());
        return Err(TableError::NoTable { table, spec: String::new(), values: None, data });
    }
    if fs::symlink_metadata(&dir).is_ok_and(|data| data.is_symlink()) {
        // The link's target may be in use elsewhere; only the link belongs to this directory.
        fs::remove_file(&dir).map_err(|e| TableError::io("remove the link", &dir, "", e))?;
        return disk::sync_dir(data).map_err(|e| TableError::io("write to the directory", data, "", e));
    }
    let _lock = Lock::take(&dir, name, "")?;
    let fail = |e| TableError::io("write to the directory", &dir, "", e);
    // The manifest goes first: a kill during the removal must not leave a partial table that looks complete.
    fs::remove_file(dir.join(crate::manifest::FILE)).map_err(fail)?;
    fs::remove_dir_all(&dir).map_err(fail)?;
    disk::sync_dir(data).map_err(|e| TableError::io("write to the directory", data, "", e))
}
