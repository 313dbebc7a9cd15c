//! Crash-safe, checksummed, compressed endgame tables with random access.
//!
//! A table is a directory below a data directory. It has one file per tier, with the values of all slots in
//! independently compressed blocks, and a manifest of the complete tiers. A kill at any moment loses at most the
//! tier being written. `docs/table-format.md` specifies the format. This crate knows no game: a slot is a number,
//! and its content is a code.
//!
//! ```
//! use outplay_core::Tier;
//! use outplay_table::{Cell, CellKind, Identity, Table, Values, Writer};
//!
//! # let dir = tempfile::tempdir()?;
//! # let data = dir.path();
//! let identity = Identity {
//!     spec: "nim:2+2".into(),
//!     version: 1,
//!     values: Values::Distance,
//!     cell: CellKind::I8,
//!     slots: vec![1, 3],
//! };
//! let writer = Writer::open(data, identity)?;
//! for (tier, codes) in [(Tier(0), vec![-123_i8]), (Tier(1), vec![124, i8::UNKNOWN, 126])] {
//!     if !writer.has(tier) {
//!         let file = writer.tier(tier)?;
//!         file.put_all(&codes)?;
//!         file.finish()?;
//!     }
//! }
//! writer.finish(serde_json::json!({"value": "loss"}))?;
//!
//! let table = Table::open(data, "nim:2+2", Values::Distance)?;
//! assert_eq!(table.code(Tier(1), 2)?, Some(126_i8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cell;
mod codec;
mod disk;
mod error;
mod header;
mod identity;
mod list;
mod lock;
mod manifest;
mod pack;
mod shares;
mod spill;
mod spill_log;
mod sums;
mod table;
mod tier_file;
mod tier_writer;
mod writer;

pub use cell::{Cell, CellKind};
pub use disk::default_data_dir;
pub use error::{Cure, SolveEffect, TableError};
pub use identity::{Identity, Values, name};
pub use list::{ListedTable, TableEntry, list};
pub use pack::TRAINED;
pub use spill_log::SpillLog;
pub use sums::{Sum, read_sums, sums};
pub use table::Table;
pub use tier_writer::TierWriter;
pub use writer::{Writer, remove};

/// Version of the table format that this program writes and reads.
pub const VERSION: u32 = 1;
