//! Listing of the tables in a data directory, unreadable ones included.

use crate::identity::Identity;
use crate::manifest::{FILE, Manifest};
use crate::{TableError, disk};
use std::fs;
use std::io;
use std::path::Path;

/// An entry in the list of a data directory's tables, readable or not.
#[derive(Debug)]
pub struct TableEntry {
    /// The name of its directory.
    pub name: String,
    /// Disk usage in bytes.
    pub bytes: u64,
    /// The table's description, or its error.
    pub table: Result<ListedTable, TableError>,
}

/// Description of a readable table in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedTable {
    /// The table's identity.
    pub identity: Identity,
    /// Number of tiers written.
    pub tiers_written: usize,
    /// Whether all tiers are written and the table was finished.
    pub complete: bool,
    /// The summary that its writer stored.
    pub summary: Option<serde_json::Value>,
}

/// Lists the tables of a data directory by name; none if the directory does not exist.
///
/// # Errors
///
/// A directory that cannot be read.
pub fn list(data: &Path) -> Result<Vec<TableEntry>, TableError> {
    let fail = |e| TableError::io("read the directory", data, "", e);
    let entries = match fs::read_dir(data) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fail)?,
    };
    let mut tables = Vec::new();
    for entry in entries {
        let dir = entry.map_err(fail)?.path();
        if !dir.join(FILE).is_file() {
            continue;
        }
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let table = match Manifest::read(&dir, &name, "") {
            Ok(Some(manifest)) => Ok(ListedTable {
                tiers_written: manifest.tiers.len(),
                complete: manifest.complete(),
                summary: manifest.summary,
                identity: manifest.identity,
            }),
            // The table was removed meanwhile.
            Ok(None) => continue,
            Err(error) => Err(error),
        };
        tables.push(TableEntry { bytes: disk::table_bytes(&dir), name, table });
    }
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tables)
}
