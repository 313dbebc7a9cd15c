//! What can be wrong with a table, and what to do about it.

use crate::Values;
use outplay_core::{ProbeError, Tier};
use std::fmt;
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
    /// More of the disk would be used than is allowed.
    #[error("{}: the {} of disk that are allowed are used up", path.display(), outplay_core::figures::bytes(*most))]
    OverLimit {
        /// The file that did not fit.
        path: PathBuf,
        /// Bytes allowed.
        most: u64,
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
    /// A process that writes the table together with this one failed or is gone.
    #[error("{table}: {why}")]
    Crew {
        /// The table's name.
        table: String,
        /// What the others say.
        why: String,
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
        /// Which values it would hold, if that matters.
        values: Option<Values>,
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

/// What to do about a trouble with a table, in words that name nobody's commands; interfaces may put it in their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Look after the path and the disk.
    TryAgain,
    /// Make room on the disk, then solve this game again: it goes on where it was.
    MakeRoom {
        /// The game.
        spec: String,
    },
    /// Allow more of the disk, then solve this game again: it goes on where it was.
    AllowMore {
        /// The game.
        spec: String,
    },
    /// Choose a directory that can be written to.
    Writable,
    /// Wait for whoever writes the table.
    Wait,
    /// Choose one of the tables there are.
    Choose,
    /// Solve the game.
    Solve {
        /// The game.
        spec: String,
        /// Which values, if it matters.
        values: Option<Values>,
        /// What that does.
        does: Mends,
    },
    /// Remove the table, then solve the game again.
    Remove {
        /// The table's name.
        table: String,
        /// The game, where it is known.
        spec: Option<String>,
    },
    /// The program is to blame.
    Report,
}

/// What solving a game does for its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mends {
    /// It makes the table.
    Makes,
    /// It goes on where it was stopped.
    GoesOn,
    /// It writes what is missing.
    Fills,
    /// It rebuilds the table, which is of other rules.
    Renews,
    /// It rebuilds a tier that was damaged after it was written.
    MendsTier,
    /// It rebuilds the table, which was damaged after it was written.
    MendsTable,
}

impl Mends {
    /// Why, if there is more to say, and what for.
    pub fn words(self) -> (&'static str, &'static str) {
        const DAMAGED: &str = "the file was damaged after it was written; ";
        match self {
            Mends::Makes => ("", "to make it"),
            Mends::GoesOn => ("", "to go on"),
            Mends::Fills => ("", "to write what is missing"),
            Mends::Renews => ("", "to rebuild it"),
            Mends::MendsTier => (DAMAGED, "to rebuild that tier"),
            Mends::MendsTable => (DAMAGED, "to rebuild the table"),
        }
    }
}

impl fmt::Display for Cure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cure::TryAgain => f.write_str("check the path and the disk, then try again"),
            Cure::MakeRoom { spec } => {
                write!(f, "free some space and solve {spec} again: it goes on where it was")
            }
            Cure::AllowMore { spec } => {
                write!(f, "allow more of the disk and solve {spec} again: it goes on where it was")
            }
            Cure::Writable => f.write_str("make the directory writable or choose another one"),
            Cure::Wait => f.write_str("wait until it is done, or stop it: what it has finished is kept"),
            Cure::Choose => f.write_str("choose one of the tables there are"),
            Cure::Solve { spec, does, .. } => {
                let (why, purpose) = does.words();
                write!(f, "{why}solve {spec} {purpose}")
            }
            Cure::Remove { table, spec } => {
                write!(f, "remove {table}, then solve {} again", spec.as_deref().unwrap_or("the game"))
            }
            Cure::Report => f.write_str("this is a mistake in the program, please report it"),
        }
    }
}

impl TableError {
    /// What to do about it.
    pub fn cure(&self) -> Cure {
        let solve = |spec: &str, does| Cure::Solve { spec: spec.into(), values: None, does };
        let remove = |file: &str, spec: &str| Cure::Remove {
            table: file.split('/').next().unwrap_or(file).into(),
            // Lists know the name only.
            spec: (!spec.is_empty()).then(|| spec.into()),
        };
        match self {
            TableError::Io { .. } | TableError::Crew { .. } => Cure::TryAgain,
            TableError::Full { spec, .. } => Cure::MakeRoom { spec: spec.clone() },
            TableError::OverLimit { spec, .. } => Cure::AllowMore { spec: spec.clone() },
            TableError::NotWritable { .. } => Cure::Writable,
            TableError::Locked { .. } => Cure::Wait,
            TableError::NoTable { spec, .. } if spec.is_empty() => Cure::Choose,
            TableError::NoTable { spec, values, .. } => {
                Cure::Solve { spec: spec.clone(), values: *values, does: Mends::Makes }
            }
            TableError::Stopped { spec, .. } => solve(spec, Mends::GoesOn),
            TableError::NoTier { spec, .. } => solve(spec, Mends::Fills),
            TableError::OtherRules { spec, .. } => solve(spec, Mends::Renews),
            TableError::Damaged { file, spec, tier: None, .. } if spec.is_empty() => remove(file, spec),
            TableError::Version { file, spec, .. } => remove(file, spec),
            TableError::OtherGame { table, spec, .. } => remove(table, spec),
            TableError::Truncated { spec, .. } | TableError::Damaged { spec, tier: Some(_), .. } => {
                solve(spec, Mends::MendsTier)
            }
            TableError::Damaged { spec, tier: None, .. } => solve(spec, Mends::MendsTable),
            TableError::NoSlot { .. } | TableError::Misuse { .. } => Cure::Report,
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

/// Probes pass the sentence and the cure on.
impl From<TableError> for ProbeError {
    fn from(error: TableError) -> ProbeError {
        ProbeError(format!("{error}; {}", error.cure()))
    }
}
