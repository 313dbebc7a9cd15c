//! Errors of reading and writing tables, each with its remedy as data.

use crate::Values;
use outplay_core::{ProbeError, Tier};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Error of reading or writing a table, printed as one sentence; [`TableError::cure`] returns the remedy.
#[derive(Debug, Error)]
pub enum TableError {
    /// The system refused a file operation.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// The failed operation.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The disk is full, or a quota or limit is used up.
    #[error("{}: the disk is full", path.display())]
    Full {
        /// The file that did not fit.
        path: PathBuf,
        /// The game.
        spec: String,
    },
    /// The table would exceed its disk limit.
    #[error("{}: the disk limit of {} is used up", path.display(), outplay_core::figures::bytes(*most))]
    OverLimit {
        /// The file that did not fit.
        path: PathBuf,
        /// Bytes allowed.
        most: u64,
        /// The game.
        spec: String,
    },
    /// The directory is not writable.
    #[error("{}: no write permission: {source}", path.display())]
    NotWritable {
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another rank that writes this table failed or has exited.
    #[error("{table}: {why}")]
    Communicator {
        /// The table's name.
        table: String,
        /// The error that the other ranks report.
        why: String,
    },
    /// Another process, or another part of this one, writes the table.
    #[error("{table}: {holder} is writing this table")]
    Locked {
        /// The table's name.
        table: String,
        /// The lock's holder.
        holder: String,
    },
    /// There is no such table.
    #[error("{table}: there is no such table in {}", data.display())]
    NoTable {
        /// The table's name.
        table: String,
        /// The game; empty if only the name is known.
        spec: String,
        /// The kind of values, if that matters.
        values: Option<Values>,
        /// The data directory.
        data: PathBuf,
    },
    /// A tier is not written yet, or its file was removed.
    #[error("{table}/{}: this tier is missing", file_name(*tier))]
    NoTier {
        /// The table's name.
        table: String,
        /// The game.
        spec: String,
        /// The tier.
        tier: Tier,
    },
    /// The table has a format that this program does not support.
    #[error("{file}: the file has table format {found}, but this program reads format {}", crate::VERSION)]
    Version {
        /// Table and file.
        file: String,
        /// The format's version.
        found: u64,
        /// The game.
        spec: String,
    },
    /// The table is of another game or holds other values.
    #[error("{table}: this table holds {found}, not {wanted}")]
    OtherGame {
        /// The table's name.
        table: String,
        /// The expected content.
        wanted: String,
        /// The actual content.
        found: String,
        /// The requested game.
        spec: String,
    },
    /// The table is of this game, but of another version of its rules or of its position index.
    #[error("{table}: this table was made by other rules (version {found}, now {now})")]
    OtherRules {
        /// The table's name.
        table: String,
        /// The table's version.
        found: u32,
        /// The requested version.
        now: u32,
        /// The game.
        spec: String,
    },
    /// A file is shorter or longer than it should be.
    #[error("{file}: the file has {is} bytes instead of {should}")]
    Truncated {
        /// Table and file.
        file: String,
        /// Actual size in bytes.
        is: u64,
        /// Expected size in bytes.
        should: u64,
        /// The game.
        spec: String,
        /// The tier that the file holds.
        tier: Tier,
    },
    /// A checksum does not match.
    #[error("{file}: {what} fails its checksum")]
    Damaged {
        /// Table and file.
        file: String,
        /// The damaged part: `header`, `block 12`, …
        what: String,
        /// The game.
        spec: String,
        /// The tier that the file holds; none for the manifest.
        tier: Option<Tier>,
    },
    /// The tier has no such slot.
    #[error("{table}: tier {} has {slots} slots, but slot {slot} was requested", tier.0)]
    NoSlot {
        /// The table's name.
        table: String,
        /// The tier.
        tier: Tier,
        /// The requested slot.
        slot: u64,
        /// Number of slots.
        slots: u64,
    },
    /// The operation was cancelled.
    #[error("{table}: the work was stopped at tier {}", tier.0)]
    Stopped {
        /// The table's name.
        table: String,
        /// The tier that was being written or checked.
        tier: Tier,
        /// The game.
        spec: String,
    },
    /// A call violates the contract of the writer or the reader.
    #[error("{table}: {why}")]
    Misuse {
        /// The table's name.
        table: String,
        /// The violated part of the contract.
        why: String,
    },
}

/// The name of a tier's file.
pub(crate) fn file_name(tier: Tier) -> String {
    format!("tier-{:02}.opt", tier.0)
}

/// Remedy for a table error, in words that name no command; a user interface may phrase it with its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Check the path and the disk.
    TryAgain,
    /// Free disk space, then solve this game again: it resumes.
    MakeRoom {
        /// The game.
        spec: String,
        /// The kind of values, if that matters.
        values: Option<Values>,
    },
    /// Raise the disk limit, then solve this game again: it resumes.
    AllowMore {
        /// The game.
        spec: String,
        /// The kind of values, if that matters.
        values: Option<Values>,
    },
    /// Choose a writable directory.
    Writable,
    /// Wait until the other writer is done.
    Wait,
    /// Choose one of the existing tables.
    Choose,
    /// Solve the game.
    Solve {
        /// The game.
        spec: String,
        /// The kind of values, if that matters.
        values: Option<Values>,
        /// The effect of solving.
        does: SolveEffect,
    },
    /// Remove the table, then solve the game again.
    Remove {
        /// The table's name.
        table: String,
        /// The game, where it is known.
        spec: Option<String>,
        /// The kind of values, if that matters.
        values: Option<Values>,
    },
    /// Report a bug in the program.
    Report,
}

/// Effect that solving a game would have on its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveEffect {
    /// Creates the table.
    Makes,
    /// Resumes an interrupted solve.
    GoesOn,
    /// Writes the missing tiers.
    Fills,
    /// Rebuilds the table, which is of another version of the rules.
    Renews,
    /// Rebuilds a tier that was damaged after it was written.
    MendsTier,
    /// Rebuilds the table, which was damaged after it was written.
    MendsTable,
}

impl SolveEffect {
    /// Returns the reason, if there is more to explain, and the purpose.
    pub fn words(self) -> (&'static str, &'static str) {
        const DAMAGED: &str = "the file was damaged after it was written; ";
        match self {
            SolveEffect::Makes => ("", "to create it"),
            SolveEffect::GoesOn => ("", "to resume"),
            SolveEffect::Fills => ("", "to write the missing tiers"),
            SolveEffect::Renews => ("", "to rebuild it"),
            SolveEffect::MendsTier => (DAMAGED, "to rebuild that tier"),
            SolveEffect::MendsTable => (DAMAGED, "to rebuild the table"),
        }
    }
}

/// Names the values of a table where they are not the default, distances.
fn with(values: Option<Values>) -> &'static str {
    if values == Some(Values::Wdl) { " with values wdl" } else { "" }
}

impl fmt::Display for Cure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cure::TryAgain => f.write_str("check the path and the disk, then try again"),
            Cure::MakeRoom { spec, values } => {
                let values = with(*values);
                write!(
                    f,
                    "free some disk space, then solve {spec}{values} again; it resumes where it stopped"
                )
            }
            Cure::AllowMore { spec, values } => {
                let values = with(*values);
                write!(
                    f,
                    "raise the disk limit, then solve {spec}{values} again; it resumes where it stopped"
                )
            }
            Cure::Writable => f.write_str("make the directory writable or choose another one"),
            Cure::Wait => {
                f.write_str("wait until that process has finished, or stop it; finished tiers are kept")
            }
            Cure::Choose => f.write_str("choose one of the existing tables"),
            Cure::Solve { spec, values, does } => {
                let (why, purpose) = does.words();
                write!(f, "{why}solve {spec}{} {purpose}", with(*values))
            }
            Cure::Remove { table, spec, values } => {
                let spec = spec.as_deref().unwrap_or("the game");
                write!(f, "remove {table}, then solve {spec}{} again", with(*values))
            }
            Cure::Report => f.write_str("this is a bug in the program; please report it"),
        }
    }
}

impl TableError {
    /// Returns the remedy.
    pub fn cure(&self) -> Cure {
        // The directory name encodes the kind of values; distances are the default.
        let values = |path: &Path, spec: &str| {
            let wdl = crate::name(spec, Values::Wdl);
            let inside = !spec.is_empty() && path.iter().any(|part| part == wdl.as_str());
            inside.then_some(Values::Wdl)
        };
        let solve = |file: &str, spec: &str, does| {
            let values = values(Path::new(file), spec);
            Cure::Solve { spec: spec.into(), values, does }
        };
        let remove = |file: &str, spec: &str| Cure::Remove {
            table: file.split('/').next().unwrap_or(file).into(),
            // A listing knows the name only.
            spec: (!spec.is_empty()).then(|| spec.into()),
            values: values(Path::new(file), spec),
        };
        match self {
            TableError::Io { .. } | TableError::Communicator { .. } => Cure::TryAgain,
            TableError::Full { path, spec } => {
                Cure::MakeRoom { spec: spec.clone(), values: values(path, spec) }
            }
            TableError::OverLimit { path, spec, .. } => {
                Cure::AllowMore { spec: spec.clone(), values: values(path, spec) }
            }
            TableError::NotWritable { .. } => Cure::Writable,
            TableError::Locked { .. } => Cure::Wait,
            TableError::NoTable { spec, .. } if spec.is_empty() => Cure::Choose,
            TableError::NoTable { spec, values, .. } => {
                Cure::Solve { spec: spec.clone(), values: *values, does: SolveEffect::Makes }
            }
            TableError::Stopped { table, spec, .. } => solve(table, spec, SolveEffect::GoesOn),
            TableError::NoTier { table, spec, .. } => solve(table, spec, SolveEffect::Fills),
            TableError::OtherRules { table, spec, .. } => solve(table, spec, SolveEffect::Renews),
            TableError::Damaged { file, spec, tier: None, .. } if spec.is_empty() => remove(file, spec),
            TableError::Version { file, spec, .. } => remove(file, spec),
            TableError::OtherGame { table, spec, .. } => remove(table, spec),
            TableError::Truncated { file, spec, .. }
            | TableError::Damaged { file, spec, tier: Some(_), .. } => {
                solve(file, spec, SolveEffect::MendsTier)
            }
            TableError::Damaged { file, spec, tier: None, .. } => solve(file, spec, SolveEffect::MendsTable),
            TableError::NoSlot { .. } | TableError::Misuse { .. } => Cure::Report,
        }
    }

    /// Returns the tier whose file is missing or damaged: rewriting just that tier is the remedy.
    pub fn tier(&self) -> Option<Tier> {
        match self {
            TableError::NoTier { tier, .. } | TableError::Truncated { tier, .. } => Some(*tier),
            TableError::Damaged { tier, .. } => *tier,
            _ => None,
        }
    }

    /// Classifies a failed read or write by its cause.
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

/// Keeps the sentence and the remedy.
impl From<TableError> for ProbeError {
    fn from(error: TableError) -> ProbeError {
        ProbeError(format!("{error}; {}", error.cure()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One error of each kind whose remedy solves the game again, for a table of this name.
    fn errors(table: &str) -> Vec<TableError> {
        let (spec, tier) = (|| "nim:2+3".to_string(), Tier(1));
        let (table, file) = (|| table.to_string(), || format!("{table}/tier-01.opt"));
        let path = || PathBuf::from(format!("/data/{}/stash/values-01.slabs", table()));
        let what = || "block 3".to_string();
        vec![
            TableError::Full { path: path(), spec: spec() },
            TableError::OverLimit { path: path(), most: 9, spec: spec() },
            TableError::NoTier { table: table(), spec: spec(), tier },
            TableError::Version { file: file(), found: 99, spec: spec() },
            TableError::OtherGame {
                table: table(),
                wanted: String::new(),
                found: String::new(),
                spec: spec(),
            },
            TableError::OtherRules { table: table(), found: 1, now: 2, spec: spec() },
            TableError::Truncated { file: file(), is: 1, should: 2, spec: spec(), tier },
            TableError::Damaged { file: file(), what: what(), spec: spec(), tier: Some(tier) },
            TableError::Damaged { file: file(), what: what(), spec: spec(), tier: None },
            TableError::Stopped { table: table(), tier, spec: spec() },
        ]
    }

    #[test]
    fn cures_name_the_values_of_the_table() {
        for error in errors("nim-2+3.wdl") {
            let cure = error.cure().to_string();
            assert!(cure.contains("solve nim:2+3 with values wdl"), "{error}: {cure}");
        }
        for error in errors("nim-2+3") {
            let cure = error.cure().to_string();
            assert!(cure.contains("solve nim:2+3") && !cure.contains("values"), "{error}: {cure}");
        }
    }
}
