//! What can be wrong with a table, and what to do about it.

use outplay_core::{ProbeError, Tier};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A table that cannot be written or read, said in one sentence; [`TableError::cure`] says what to do.
#[derive(Debug, Error)]
pub enum TableError {
    /// The system refused a file operation.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The disk is full, or a quota or limit is used up.
    #[error("{}: no room left on the disk", path.display())]
    Full {
        /// The file that did not fit.
        path: PathBuf,
        /// The game.
        spec: String,
    },
    /// The directory may not be written to.
    #[error("{}: not allowed to write here: {source}", path.display())]
    NotWritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process, or another part of this one, writes the table.
    #[error("{table}: {holder} is writing this table")]
    Locked {
        /// The table's name.
        table: String,
        /// Who holds the lock.
        holder: String,
    },
    /// There is no such table.
    #[error("{table}: there is no such table in {}", data.display())]
    NoTable {
        /// The table's name.
        table: String,
        /// The game; empty if only the name is known.
        spec: String,
        /// Where it was looked for.
        data: PathBuf,
    },
    /// A tier is not written yet, or its file is gone.
    #[error("{table}/{}: this tier is missing", file_name(*tier))]
    NoTier {
        /// The table's name.
        table: String,
        /// The game.
        spec: String,
        /// The tier.
        tier: Tier,
    },
    /// The table is of a format that this program does not know.
    #[error("{file}: written in table format {found}, and this program reads format {}", crate::VERSION)]
    Version {
        /// Table and file.
        file: String,
        /// The format's number.
        found: u64,
        /// The game.
        spec: String,
    },
    /// The table is of another game or of other values.
    #[error("{table}: this table holds {found}, not {wanted}")]
    OtherGame {
        /// The table's name.
        table: String,
        /// What was expected.
        wanted: String,
        /// What is there.
        found: String,
        /// The game that was asked for.
        spec: String,
    },
    /// The table is of this game and was made when its rules or the numbering of its positions were others.
    #[error("{table}: this table was made by other rules (version {found}, now {now})")]
    OtherRules {
        /// The table's name.
        table: String,
        /// The version that made it.
        found: u32,
        /// The version that is asked for.
        now: u32,
        /// The game.
        spec: String,
    },
    /// A file is shorter or longer than it should be.
    #[error("{file}: the file has {is} bytes and should have {should}")]
    Truncated {
        /// Table and file.
        file: String,
        /// Bytes there are.
        is: u64,
        /// Bytes there should be.
        should: u64,
        /// The game.
        spec: String,
        /// The tier that the file holds.
        tier: Tier,
    },
    /// Bytes are not those that were written.
    #[error("{file}: {what} fails its checksum")]
    Damaged {
        /// Table and file.
        file: String,
        /// What of it: `header`, `block 12`, …
        what: String,
        /// The game.
        spec: String,
        /// The tier that the file holds; none for the manifest.
        tier: Option<Tier>,
    },
    /// A slot that the tier does not have.
    #[error("{table}: tier {} has {slots} slots, and slot {slot} was asked for", tier.0)]
    NoSlot {
        /// The table's name.
        table: String,
        /// The tier.
        tier: Tier,
        /// The slot asked for.
        slot: u64,
        /// How many there are.
        slots: u64,
    },
    /// Somebody asked to stop.
    #[error("{table}: stopped before tier {} was written", tier.0)]
    Stopped {
        /// The table's name.
        table: String,
        /// The tier that was being written.
        tier: Tier,
        /// The game.
        spec: String,
    },
    /// A call that breaks the writer's or the reader's contract.
    #[error("{table}: {why}")]
    Misuse {
        /// The table's name.
        table: String,
        /// Which part of the contract.
        why: String,
    },
}

/// The name of a tier's file.
pub(crate) fn file_name(tier: Tier) -> String {
    format!("tier-{:02}.opt", tier.0)
}

impl TableError {
    /// What to do about it, in one sentence.
    pub fn cure(&self) -> String {
        match self {
            TableError::Io { .. } => "check the path and the disk, then try again".into(),
            TableError::Full { spec, .. } => {
                format!("free some space and run `outplay solve {spec}` again: it goes on where it was")
            }
            TableError::NotWritable { .. } => {
                "make the directory writable or choose another one with `--data DIR`".into()
            }
            TableError::Locked { .. } => {
                "wait until it is done, or stop it: what it has finished is kept".into()
            }
            TableError::NoTable { spec, .. } if spec.is_empty() => {
                "`outplay tables` lists the tables there are".into()
            }
            // Lists know the name only.
            TableError::Version { file, spec, .. } | TableError::Damaged { file, spec, tier: None, .. }
                if spec.is_empty() =>
            {
                format!("{}, then solve the game again", removal(file))
            }
            TableError::NoTable { spec, .. } => format!("run `outplay solve {spec}` to make it"),
            TableError::Stopped { spec, .. } => format!("run `outplay solve {spec}` to go on"),
            TableError::NoTier { spec, .. } => format!("run `outplay solve {spec}` to write what is missing"),
            TableError::Version { file, spec, .. } => {
                format!("{}, then run `outplay solve {spec}`", removal(file))
            }
            TableError::OtherGame { table, spec, .. } => {
                format!("{}, then run `outplay solve {spec}`", removal(table))
            }
            TableError::OtherRules { spec, .. } => format!("`outplay solve {spec}` rebuilds it"),
            TableError::Truncated { spec, .. } | TableError::Damaged { spec, tier: Some(_), .. } => format!(
                "the file was damaged after it was written; run `outplay solve {spec}` to rebuild that tier"
            ),
            TableError::Damaged { spec, tier: None, .. } => format!(
                "the file was damaged after it was written; run `outplay solve {spec}` to rebuild the table"
            ),
            TableError::NoSlot { .. } | TableError::Misuse { .. } => {
                "this is a mistake in the program, please report it".into()
            }
        }
    }

    /// The tier whose file is missing or damaged: writing just that tier again is the cure.
    pub fn tier(&self) -> Option<Tier> {
        match self {
            TableError::NoTier { tier, .. } | TableError::Truncated { tier, .. } => Some(*tier),
            TableError::Damaged { tier, .. } => *tier,
            _ => None,
        }
    }

    /// Sorts a failed read or write by its cause.
    pub(crate) fn io(doing: &'static str, path: &Path, spec: &str, source: io::Error) -> TableError {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                TableError::Full { path, spec: spec.into() }
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
                if doing.starts_with("create")
                    || doing.starts_with("write")
                    || doing.starts_with("rename") =>
            {
                TableError::NotWritable { path, source }
            }
            _ => TableError::Io { doing, path, source },
        }
    }
}

/// How to get rid of the table that a file or directory belongs to.
fn removal(file: &str) -> String {
    let table = file.split('/').next().unwrap_or(file);
    format!("remove it with `outplay tables --remove {table}`")
}

/// Probes pass the sentence and the cure on.
impl From<TableError> for ProbeError {
    fn from(error: TableError) -> ProbeError {
        ProbeError(format!("{error}; {}", error.cure()))
    }
}
