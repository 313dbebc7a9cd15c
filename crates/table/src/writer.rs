//! Writing a table, tier by tier, such that a kill at any moment costs one tier at most.
//!
//! ```text
//! connect4-5x4/
//!   lock               held while somebody writes
//!   manifest.json      which tiers are complete
//!   tier-07.opt        a complete tier
//!   tmp-…              left behind by a kill; removed at the next start
//! ```
//!
//! Invariant: a file without `tmp-` is complete and on the disk, and a tier in the manifest has its file.

use crate::cell::Cell;
use crate::disk::{self, TEMPORARY};
use crate::error::file_name;
use crate::identity::Identity;
use crate::lock::Lock;
use crate::manifest::{Manifest, Written};
use crate::stash::{self, Stash};
use crate::tier_file::TierFile;
use crate::tier_writer::TierWriter;
use crate::{Table, TableError};
use outplay_core::{Crew, Tier};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The one writer of a table.
pub struct Writer {
    identity: Identity,
    name: String,
    data: PathBuf,
    dir: PathBuf,
    manifest: Mutex<Manifest>,
    /// Most bytes on the disk.
    most: Option<u64>,
    /// Who writes the table together with this process; only the first of them holds the lock and touches the manifest.
    crew: Option<Arc<dyn Crew>>,
    /// Bytes of the runs that tiers were coded from.
    runs: AtomicU64,
    _lock: Option<Lock>,
}

impl Writer {
    /// Creates the table below a data directory, or goes on with what is there.
    ///
    /// Tiers whose files are missing, of the wrong size or damaged in header, model or index count as not
    /// written. Complete files that the manifest does not know, because it was lost or not written in time,
    /// are checked block by block and taken over. A table that was made by other rules is begun anew.
    ///
    /// # Errors
    ///
    /// Another writer, another game or format under this name, a directory that cannot be written.
    pub fn open(data: &Path, identity: Identity) -> Result<Writer, TableError> {
        let (name, spec) = (identity.name(), identity.spec.clone());
        let dir = data.join(&name);
        fs::create_dir_all(&dir).map_err(|e| TableError::io("create the directory", &dir, &spec, e))?;
        let lock = Lock::take(&dir, &name, &spec)?;
        disk::sync_dir(data).map_err(|e| TableError::io("write the directory", data, &spec, e))?;
        let manifest = match Manifest::read(&dir, &name, &spec) {
            Ok(Some(found)) => match identity.expect(&found.identity) {
                Ok(()) => found,
                // Its files say that they are of another table, and give way to this one's.
                Err(TableError::OtherRules { .. }) => {
                    let fresh = Manifest::new(identity.clone());
                    fresh.write(&dir)?;
                    fresh
                }
                Err(error) => return Err(error),
            },
            // The files themselves know what they are.
            Ok(None) | Err(TableError::Damaged { .. }) => Manifest::new(identity.clone()),
            Err(error) => return Err(error),
        };
        let manifest = Mutex::new(manifest);
        let (data, lock) = (data.to_path_buf(), Some(lock));
        let (runs, crew) = (AtomicU64::new(0), None);
        let writer = Writer { identity, name, data, dir, manifest, most: None, crew, runs, _lock: lock };
        writer.clean()?;
        writer.take_stock()?;
        Ok(writer)
    }

    /// The same for several processes that write one table together. Its files are those of the first one; the others
    /// put aside what they need in a directory of the same name, which may be the same.
    ///
    /// # Errors
    ///
    /// As [`Writer::open`], to all of them alike.
    pub fn open_together(
        data: &Path,
        identity: Identity,
        crew: &Arc<dyn Crew>,
    ) -> Result<Writer, TableError> {
        let (name, spec) = (identity.name(), identity.spec.clone());
        let dir = data.join(&name);
        let first = crew.rank() == 0;
        let opened = if first { Writer::open(data, identity.clone()).map(Some) } else { Ok(None) };
        let told = crew.agree(opened.as_ref().map(|_| ()).map_err(ToString::to_string));
        let opened = opened?;
        told.map_err(|why| TableError::Crew { table: name.clone(), why })?;
        let gone = |why| TableError::Crew { table: name.clone(), why };
        let text = opened.as_ref().map(|writer| writer.manifest().text()).transpose();
        let text = text.map_err(|e| TableError::io("write it", &dir, &spec, e.into()))?.unwrap_or_default();
        let text = crew.from_first(text.as_bytes()).map_err(gone)?;
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

    /// Who writes the table together with this process.
    pub fn crew(&self) -> Option<&Arc<dyn Crew>> {
        self.crew.as_ref()
    }

    /// Whether this process is the one that has the table's files.
    fn is_first(&self) -> bool {
        self.crew.as_ref().is_none_or(|crew| crew.rank() == 0)
    }

    /// Removes what a killed writer left behind.
    fn clean(&self) -> Result<(), TableError> {
        let fail = |e| TableError::io("read the directory", &self.dir, &self.identity.spec, e);
        for entry in fs::read_dir(&self.dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(TEMPORARY) {
                fs::remove_file(&path)
                    .map_err(|e| TableError::io("write to the directory", &path, &self.identity.spec, e))?;
            }
        }
        Ok(())
    }

    /// Makes the manifest agree with the files.
    fn take_stock(&self) -> Result<(), TableError> {
        let mut manifest = self.manifest();
        let before = manifest.clone();
        for tier in (0..self.identity.slots.len() as u32).map(Tier) {
            let known = manifest.tiers.get(&tier.0).copied();
            let found = TierFile::open(&self.dir, &self.name, &self.identity, tier, known).and_then(|file| {
                if known.is_none() {
                    file.check()?;
                }
                Ok(file.written())
            });
            match found {
                Ok(written) => _ = manifest.tiers.insert(tier.0, written),
                Err(error) if error.tier().is_some() => _ = manifest.tiers.remove(&tier.0),
                // A file of another format stands in the way of this table's own.
                Err(TableError::Version { .. } | TableError::OtherGame { .. }) => {
                    manifest.tiers.remove(&tier.0);
                }
                Err(error) => return Err(error),
            }
        }
        if manifest.tiers.len() < self.identity.slots.len() {
            manifest.summary = None;
        }
        // Writing it at once shows a directory that cannot be written before hours of solving do.
        if *manifest != before || !self.dir.join(crate::manifest::FILE).exists() {
            manifest.write(&self.dir)?;
        }
        Ok(())
    }

    fn manifest(&self) -> MutexGuard<'_, Manifest> {
        // Entries are made in one step each, so that a panic elsewhere leaves the manifest whole.
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of the runs that this process coded tiers from: what was on the disk for a while, tier by tier.
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

    /// What the table is of.
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

    /// A reader of the tiers written so far.
    ///
    /// # Errors
    ///
    /// The manifest cannot be read.
    pub fn table(&self) -> Result<Table, TableError> {
        Table::open_as(&self.data, &self.identity)
    }

    /// Checks every block of the tiers written so far; those with damage count as not written afterwards
    /// and are returned.
    ///
    /// # Errors
    ///
    /// A file that cannot be read for other reasons than damage.
    pub fn check(&self) -> Result<Vec<Tier>, TableError> {
        let Some(crew) = &self.crew else { return self.check_alone() };
        let gone = |why| TableError::Crew { table: self.name.clone(), why };
        let found = if self.is_first() { self.check_alone() } else { Ok(Vec::new()) };
        let told = crew.agree(found.as_ref().map(|_| ()).map_err(ToString::to_string));
        let tiers: Vec<u64> = found?.iter().map(|tier| tier.0.into()).collect();
        told.map_err(gone)?;
        let tiers = crew.from_first(&outplay_core::crew::pack(&tiers)).map_err(gone)?;
        let damaged: Vec<Tier> = outplay_core::crew::unpack(&tiers).map(|tier| Tier(tier as u32)).collect();
        if !damaged.is_empty() {
            let mut manifest = self.manifest();
            damaged.iter().for_each(|tier| _ = manifest.tiers.remove(&tier.0));
            manifest.summary = None;
        }
        Ok(damaged)
    }

    fn check_alone(&self) -> Result<Vec<Tier>, TableError> {
        let mut damaged = Vec::new();
        let tiers: Vec<(u32, Written)> = self.manifest().tiers.iter().map(|(&t, &w)| (t, w)).collect();
        for (tier, written) in tiers {
            let file = TierFile::open(&self.dir, &self.name, &self.identity, Tier(tier), Some(written));
            match file.and_then(|file| file.check()) {
                Ok(()) => {}
                Err(error) if error.tier().is_some() => damaged.push(Tier(tier)),
                Err(error) => return Err(error),
            }
        }
        if !damaged.is_empty() {
            let mut manifest = self.manifest();
            damaged.iter().for_each(|tier| _ = manifest.tiers.remove(&tier.0));
            manifest.summary = None;
            manifest.write(&self.dir)?;
        }
        Ok(damaged)
    }

    /// Begins a tier. Several can be under way at once; a tier that is written already is written again.
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

    /// Where a long solve puts aside what it will need again: what was put there before a kill is there.
    ///
    /// # Errors
    ///
    /// A directory that cannot be written.
    pub fn stash(&self) -> Result<Stash, TableError> {
        self.open_stash(self.dir.join(stash::DIR))
    }

    fn open_stash(&self, dir: PathBuf) -> Result<Stash, TableError> {
        Stash::open(dir, &self.dir, &self.identity.spec, self.identity.number(), self.most)
    }

    /// The same for processes that work together: this one's own first, then those that others left when there were
    /// more or fewer of them, each of which one process takes over.
    ///
    /// # Errors
    ///
    /// A directory that cannot be read or written.
    pub fn stashes(&self) -> Result<Vec<Stash>, TableError> {
        let Some(crew) = &self.crew else { return Ok(vec![self.stash()?]) };
        let all = self.dir.join(stash::DIR);
        let mut stashes = vec![self.open_stash(all.join(format!("rank-{}", crew.rank())))?];
        if crew.rank() == 0 && all.exists() {
            stashes.push(self.stash()?);
        }
        let Ok(entries) = fs::read_dir(&all) else { return Ok(stashes) };
        for entry in entries.flatten() {
            let rank = entry.file_name().to_str().and_then(|name| name.strip_prefix("rank-")?.parse().ok());
            if rank.is_some_and(|rank: usize| rank >= crew.size() && rank % crew.size() == crew.rank()) {
                stashes.push(self.open_stash(entry.path())?);
            }
        }
        Ok(stashes)
    }

    /// Says how many bytes the table may have on the disk together with its temporary files and its stash.
    pub fn allow(&mut self, most: Option<u64>) {
        self.most = most;
    }

    /// Whether so many more bytes may be written.
    pub(crate) fn has_room(&self, bytes: u64, path: &Path) -> Result<(), TableError> {
        let used = || disk::bytes_in(&self.dir) + disk::bytes_in(&self.dir.join(stash::DIR));
        match self.most.filter(|&most| used() + bytes > most) {
            Some(most) => {
                Err(TableError::OverLimit { path: path.into(), most, spec: self.identity.spec.clone() })
            }
            None => Ok(()),
        }
    }

    /// Says something about a tier that is about to be finished: it is entered together with the tier, so that whoever
    /// goes on after a kill knows it.
    pub fn note(&self, tier: Tier, note: serde_json::Value) {
        self.manifest().notes.insert(tier.0, note);
    }

    /// What was said about a tier that is written.
    pub fn noted(&self, tier: Tier) -> Option<serde_json::Value> {
        let manifest = self.manifest();
        manifest.notes.get(&tier.0).filter(|_| manifest.has(tier)).cloned()
    }

    /// Enters a tier whose file is in place.
    pub(crate) fn enter(&self, tier: Tier, written: Written) -> Result<(), TableError> {
        let mut manifest = self.manifest();
        manifest.tiers.insert(tier.0, written);
        if self.is_first() { manifest.write(&self.dir) } else { Ok(()) }
    }

    /// Completes the table; `summary` is whatever its readers will want to know at a glance.
    ///
    /// # Errors
    ///
    /// A tier that is not written, a full disk.
    pub fn finish(self, summary: serde_json::Value) -> Result<(), TableError> {
        let mut manifest = self.manifest();
        let missing = (0..self.identity.slots.len() as u32).map(Tier).find(|&tier| !manifest.has(tier));
        if let Some(tier) = missing {
            let why = format!("{} is not written, so the table is not complete", file_name(tier));
            return Err(TableError::Misuse { table: self.name.clone(), why });
        }
        // A null would read back as "not finished".
        manifest.summary = Some(if summary.is_null() { serde_json::json!({}) } else { summary });
        let stashed = self.dir.join(stash::DIR);
        if let Some(crew) = &self.crew {
            let removed = stash::remove(&stashed.join(format!("rank-{}", crew.rank())), &self.identity.spec);
            let met = crew.meet().map_err(|why| TableError::Crew { table: self.name.clone(), why });
            removed.and(met)?;
            if !self.is_first() {
                return Ok(());
            }
        }
        manifest.write(&self.dir)?;
        // Nobody goes on from here.
        stash::remove(&stashed, &self.identity.spec)
    }
}

/// Removes a table from a data directory; of one that is a link, the link alone.
///
/// # Errors
///
/// No such table, or somebody writes it.
pub fn remove(data: &Path, name: &str) -> Result<(), TableError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || ",=+-.".contains(c);
    let dir = data.join(name);
    let well_named = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain);
    if !well_named || !dir.join(crate::manifest::FILE).is_file() {
        let (table, data) = (name.into(), data.to_path_buf());
        return Err(TableError::NoTable { table, spec: String::new(), values: None, data });
    }
    if fs::symlink_metadata(&dir).is_ok_and(|data| data.is_symlink()) {
        // What a link leads to is somebody else's; the link is what was put here.
        fs::remove_file(&dir).map_err(|e| TableError::io("remove the link", &dir, "", e))?;
        return disk::sync_dir(data).map_err(|e| TableError::io("write to the directory", data, "", e));
    }
    let _lock = Lock::take(&dir, name, "")?;
    let fail = |e| TableError::io("write to the directory", &dir, "", e);
    // Without its manifest it is no table any more, so a kill during the removal leaves no half of one.
    fs::remove_file(dir.join(crate::manifest::FILE)).map_err(fail)?;
    fs::remove_dir_all(&dir).map_err(fail)?;
    disk::sync_dir(data).map_err(|e| TableError::io("write to the directory", data, "", e))
}
