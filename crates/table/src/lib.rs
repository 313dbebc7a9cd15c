//! Values of every position on disk: small, checksummed, quick to ask, safe against a kill at any moment.
//!
//! A table is a directory below a data directory. It has one file per tier with the values of all slots, in
//! blocks that are compressed one by one, and a manifest that lists what is complete. The format is described
//! in `docs/table-format.md`. Nothing here knows a game: slots are numbers, and what they hold are codes.
//!
//! ```
//! use outplay_core::Tier;
//! use outplay_table::{Cell, CellKind, Identity, Table, Values, Writer};
//!
//! # let dir = tempfile::tempdir()?;
//! # let data = dir.path();
//! let identity =
//!     Identity { spec: "nim:2+2".into(), version: 1, values: Values::Distance, cell: CellKind::I8, slots: vec![1, 3] };
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
mod stash;
mod sums;
mod table;
mod tier_file;
mod tier_writer;
mod writer;

pub use cell::{Cell, CellKind};
pub use disk::default_data_dir;
pub use error::{Cure, Mends, TableError};
pub use identity::{Identity, Values, name};
pub use list::{Listed, ListedTable, list};
pub use pack::TRAINED;
pub use stash::Stash;
pub use sums::{Sum, read_sums, sums};
pub use table::Table;
pub use tier_writer::TierWriter;
pub use writer::{Writer, remove};

/// The number of the table format that this program writes and reads.
pub const VERSION: u32 = 1;
