//! Small files: atomic replacement, bounded reading, advisory locks and sealed records.
//!
//! | module | provides |
//! |---|---|
//! | `open` | bounded reads of regular files: no devices or pipes, no links where the file is outplay's own |
//! | `replace` | atomic replacement of a whole file: temporary file, `fsync`, rename, directory sync |
//! | `lock` | an exclusive advisory lock with a timeout |
//! | `sealed` | lines with checksums seeded by the identity of the file: game, rules, program |
//! | `log` | an append-only sealed file, under a lock |
//!
//! docs/files.md lists the files that are written with this crate.
//!
//! Invariant: no function here follows a symbolic link (except one that the user named), waits without a timeout, or
//! reads more bytes than its caller allows.

mod error;
mod lock;
mod log;
mod open;
mod replace;
mod sealed;

pub use error::FileError;
pub use lock::Lock;
pub use log::{Log, OpenLog, Strangers};
pub use open::{Links, own_directory, read, read_text};
pub use replace::{replace, temporary_name, write_output};
pub use sealed::{Contents, Identity, State, encode, parse, read_sealed, set_aside};
