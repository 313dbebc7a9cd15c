//! Disk quota with expiry for tables that visitors' requests solve (guest tables).
//!
//! ```text
//!  DATA/visitors/TABLE      staging directory: a table that a job is writing, invisible to other requests
//!  DATA/TABLE/visitor       mark of a complete guest table, which lies beside the operator's tables
//! ```
//!
//! Invariant: only marked tables are removed, and a guest table gets its mark before it is moved beside the operator's
//! tables.

use outplay_workbench::{TableError, Trouble, Values, list, remove};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Staging directory of guests' jobs.
const STAGING: &str = "visitors";
/// Marker file of a guest's table.
const MARK: &str = "visitor";
/// Lock file of a table that is being written, which is not part of its size.
const LOCK: &str = "lock";

/// Disk quota of tables that visitors' requests solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quota {
    /// Bytes of all guest tables together.
    pub bytes: u64,
    /// Lifetime of a table.
    pub time: Duration,
}

/// The guest tables in a data directory.
#[derive(Clone, Debug)]
pub(crate) struct GuestTables {
    data: PathBuf,
    quota: Quota,
}

impl GuestTables {
    pub(crate) fn new(data: &Path, quota: Quota) -> GuestTables {
        GuestTables { data: data.to_path_buf(), quota }
    }

    /// The staging directory.
    pub(crate) fn staging_dir(&self) -> PathBuf {
        self.data.join(STAGING)
    }

    /// Whether a complete table of the game exists, the owner's or a guest's.
    pub(crate) fn complete(&self, spec: &str, values: Values) -> Result<bool, TableError> {
        Ok(list(&self.data)?.iter().any(|listed| {
            listed.table.as_ref().is_ok_and(|table| {
                table.complete && table.identity.spec == spec && table.identity.values == values
            })
        }))
    }

    /// Lists marked tables: name, bytes and completion time.
    fn marked(&self) -> Result<Vec<(String, u64, SystemTime)>, TableError> {
        let tables = list(&self.data)?.into_iter().filter_map(|listed| {
            let mark = fs::symlink_metadata(self.data.join(&listed.name).join(MARK)).ok()?;
            let made = mark.is_file().then(|| mark.modified().ok())??;
            Some((listed.name, listed.bytes, made))
        });
        Ok(tables.collect())
    }

    /// Bytes in use by guests.
    pub(crate) fn used(&self) -> Result<u64, TableError> {
        let marked: u64 = self.marked()?.iter().map(|(_, bytes, _)| bytes).sum();
        Ok(marked + bytes_below(&self.staging_dir()))
    }

    /// Whether usage is below the quota.
    pub(crate) fn has_room(&self) -> Result<bool, TableError> {
        Ok(self.used()? < self.quota.bytes)
    }

    /// The quota, for messages.
    pub(crate) fn quota(&self) -> Quota {
        self.quota
    }

    /// Removes expired tables and returns their names. Tables being written stay.
    pub(crate) fn sweep(&self, now: SystemTime) -> Result<Vec<String>, TableError> {
        let old = |made: SystemTime| now.duration_since(made).is_ok_and(|age| age > self.quota.time);
        let mut gone = Vec::new();
        for (name, _, made) in self.marked()? {
            if old(made) && remove(&self.data, &name).is_ok() {
                gone.push(name);
            }
        }
        for listed in list(&self.staging_dir())? {
            let manifest = fs::metadata(self.staging_dir().join(&listed.name)).and_then(|dir| dir.modified());
            if manifest.is_ok_and(old) {
                let _ = remove(&self.staging_dir(), &listed.name);
            }
        }
        Ok(gone)
    }

    /// Moves finished tables from staging beside the owner's.
    pub(crate) fn deliver(&self) -> Result<(), Trouble> {
        for listed in list(&self.staging_dir())? {
            let (from, to) = (self.staging_dir().join(&listed.name), self.data.join(&listed.name));
            if listed.table.is_ok_and(|table| table.complete) && !to.exists() {
                let moved = fs::write(from.join(MARK), "").and_then(|()| fs::rename(&from, &to));
                if let Err(error) = moved {
                    let _ = fs::remove_file(from.join(MARK));
                    return Err(Trouble::unable(format!(
                        "cannot move the table to {}: {error}",
                        to.display()
                    )));
                }
            }
        }
        Ok(())
    }

    /// Deletes the staging files of a stopped job.
    pub(crate) fn clear(&self) {
        for listed in list(&self.staging_dir()).unwrap_or_default() {
            let _ = remove(&self.staging_dir(), &listed.name);
        }
    }
}

/// Sums the file sizes below a directory without locks and without following links; unreadable entries count 0.
fn bytes_below(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let sizes = entries.flatten().filter_map(|entry| {
        let data = entry.metadata().ok()?;
        Some(match data.is_dir() {
            true => bytes_below(&entry.path()),
            false if entry.file_name() == LOCK => 0,
            false => data.len(),
        })
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_catalog::Catalog;
    use outplay_runtime::NoMonitor;
    use outplay_workbench::{SolveRequest, Values};

    fn solve(data: &Path, spec: &str) {
        let mut request = SolveRequest::default();
        request.store = true;
        request.method = outplay_workbench::Method::Sweep;
        let session = outplay_workbench::Session::at(data);
        outplay_workbench::solve(&session, &Catalog::standard().open(spec).unwrap(), &request, &NoMonitor)
            .unwrap();
    }

    #[test]
    fn expired_guest_tables_are_removed_and_the_owners_stay() {
        let data = tempfile::tempdir().unwrap();
        let quota = Quota { bytes: 1 << 20, time: Duration::from_secs(3600) };
        let guest_tables = GuestTables::new(data.path(), quota);
        solve(data.path(), "mnk:3x2,k=3");
        assert_eq!(guest_tables.used().unwrap(), 0, "the owner's own do not count");
        solve(&guest_tables.staging_dir(), "tictactoe");
        let bytes = guest_tables.used().unwrap();
        assert!(bytes > 0);
        assert!(!guest_tables.complete("tictactoe", Values::Distance).unwrap());
        guest_tables.deliver().unwrap();
        assert!(guest_tables.complete("tictactoe", Values::Distance).unwrap());
        assert_eq!(guest_tables.used().unwrap(), bytes);
        assert!(guest_tables.has_room().unwrap());
        let full = GuestTables::new(data.path(), Quota { bytes, ..quota });
        assert!(!full.has_room().unwrap());
        // Its time comes, and the owner's table stays.
        let now = SystemTime::now();
        assert!(guest_tables.sweep(now + Duration::from_secs(3000)).unwrap().is_empty());
        assert_eq!(guest_tables.sweep(now + Duration::from_secs(4000)).unwrap().len(), 1);
        assert_eq!(guest_tables.used().unwrap(), 0);
        assert!(guest_tables.complete("mnk:3x2,k=3", Values::Distance).unwrap());
        // What a job left unfinished goes in the same way.
        solve(&guest_tables.staging_dir(), "tictactoe");
        guest_tables.sweep(now + Duration::from_secs(4000)).unwrap();
        assert_eq!(guest_tables.used().unwrap(), 0);
        solve(&guest_tables.staging_dir(), "tictactoe");
        guest_tables.clear();
        assert_eq!(guest_tables.used().unwrap(), 0);
    }
}
