//! Room on the disk that is lent to visitors: so much in all, and each table for so long.
//!
//! ```text
//!  DATA/visitors/TABLE      while a job writes it: a table that is under way is nobody else's concern
//!  DATA/TABLE/visitor       once it is complete: beside the owner's own, marked as what may be removed
//! ```
//!
//! Invariant: nothing without the mark is ever removed, and a table has its mark before it stands beside the owner's.

use outplay_answer::{TableError, Trouble, Values, list, remove};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Where jobs of visitors write.
const WORKSHOP: &str = "visitors";
/// The file that tells a visitor's table from the owner's.
const MARK: &str = "visitor";

/// What visitors may leave behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lent {
    /// Bytes of all their tables together.
    pub bytes: u64,
    /// How long a table stays.
    pub time: Duration,
}

/// The part of a data directory that visitors use.
#[derive(Clone, Debug)]
pub(crate) struct Loan {
    data: PathBuf,
    lent: Lent,
}

impl Loan {
    pub(crate) fn new(data: &Path, lent: Lent) -> Loan {
        Loan { data: data.to_path_buf(), lent }
    }

    /// The directory in which jobs write.
    pub(crate) fn workshop(&self) -> PathBuf {
        self.data.join(WORKSHOP)
    }

    /// Whether the owner or a visitor has the whole table of a game already.
    pub(crate) fn complete(&self, spec: &str, values: Values) -> Result<bool, TableError> {
        Ok(list(&self.data)?.iter().any(|listed| {
            listed.table.as_ref().is_ok_and(|table| {
                table.complete && table.identity.spec == spec && table.identity.values == values
            })
        }))
    }

    /// Marked tables with the time at which they were finished.
    fn marked(&self) -> Result<Vec<(String, u64, SystemTime)>, TableError> {
        let tables = list(&self.data)?.into_iter().filter_map(|listed| {
            let mark = fs::symlink_metadata(self.data.join(&listed.name).join(MARK)).ok()?;
            let made = mark.is_file().then(|| mark.modified().ok())??;
            Some((listed.name, listed.bytes, made))
        });
        Ok(tables.collect())
    }

    /// Bytes that visitors use now.
    pub(crate) fn used(&self) -> Result<u64, TableError> {
        let marked: u64 = self.marked()?.iter().map(|(_, bytes, _)| bytes).sum();
        Ok(marked + bytes_below(&self.workshop()))
    }

    /// Whether there is room for more.
    pub(crate) fn has_room(&self) -> Result<bool, TableError> {
        Ok(self.used()? < self.lent.bytes)
    }

    /// What is lent, for sentences.
    pub(crate) fn lent(&self) -> Lent {
        self.lent
    }

    /// Removes tables whose time is over; their names. What somebody writes just now stays.
    pub(crate) fn sweep(&self, now: SystemTime) -> Result<Vec<String>, TableError> {
        let old = |made: SystemTime| now.duration_since(made).is_ok_and(|age| age > self.lent.time);
        let mut gone = Vec::new();
        for (name, _, made) in self.marked()? {
            if old(made) && remove(&self.data, &name).is_ok() {
                gone.push(name);
            }
        }
        for listed in list(&self.workshop())? {
            let manifest = fs::metadata(self.workshop().join(&listed.name)).and_then(|dir| dir.modified());
            if manifest.is_ok_and(old) {
                let _ = remove(&self.workshop(), &listed.name);
            }
        }
        Ok(gone)
    }

    /// Puts finished tables beside the owner's.
    pub(crate) fn deliver(&self) -> Result<(), Trouble> {
        for listed in list(&self.workshop())? {
            let (from, to) = (self.workshop().join(&listed.name), self.data.join(&listed.name));
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

    /// Throws away what a job that had to be stopped has written.
    pub(crate) fn clear(&self) {
        for listed in list(&self.workshop()).unwrap_or_default() {
            let _ = remove(&self.workshop(), &listed.name);
        }
    }
}

/// The sizes of all files below a directory, links not followed; what cannot be read counts nothing.
fn bytes_below(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let sizes = entries.flatten().filter_map(|entry| {
        let data = entry.metadata().ok()?;
        Some(if data.is_dir() { bytes_below(&entry.path()) } else { data.len() })
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_answer::{SolveRequest, Values};
    use outplay_catalog::Catalog;
    use outplay_core::Quiet;

    fn solve(data: &Path, spec: &str) {
        let mut request = SolveRequest::default();
        request.store = true;
        request.method = outplay_answer::Method::Sweep;
        request.options.data = Some(data.to_path_buf());
        Catalog::standard().open(spec).unwrap().solve(&request, &Quiet).unwrap();
    }

    #[test]
    fn visitors_tables_come_and_go_and_the_owners_stay() {
        let data = tempfile::tempdir().unwrap();
        let lent = Lent { bytes: 1 << 20, time: Duration::from_secs(3600) };
        let loan = Loan::new(data.path(), lent);
        solve(data.path(), "mnk:3x2,k=3");
        assert_eq!(loan.used().unwrap(), 0, "the owner's own do not count");
        solve(&loan.workshop(), "tictactoe");
        let bytes = loan.used().unwrap();
        assert!(bytes > 0);
        assert!(!loan.complete("tictactoe", Values::Distance).unwrap());
        loan.deliver().unwrap();
        assert!(loan.complete("tictactoe", Values::Distance).unwrap());
        assert_eq!(loan.used().unwrap(), bytes);
        assert!(loan.has_room().unwrap());
        let full = Loan::new(data.path(), Lent { bytes, ..lent });
        assert!(!full.has_room().unwrap());
        // Its time comes, and the owner's table stays.
        let now = SystemTime::now();
        assert!(loan.sweep(now + Duration::from_secs(3000)).unwrap().is_empty());
        assert_eq!(loan.sweep(now + Duration::from_secs(4000)).unwrap().len(), 1);
        assert_eq!(loan.used().unwrap(), 0);
        assert!(loan.complete("mnk:3x2,k=3", Values::Distance).unwrap());
        // What a job left unfinished goes in the same way.
        solve(&loan.workshop(), "tictactoe");
        loan.sweep(now + Duration::from_secs(4000)).unwrap();
        assert_eq!(loan.used().unwrap(), 0);
        solve(&loan.workshop(), "tictactoe");
        loan.clear();
        assert_eq!(loan.used().unwrap(), 0);
    }
}
