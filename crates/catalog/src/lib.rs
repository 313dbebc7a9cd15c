//! The game catalog: spec strings such as `mnk:4x4,k=3` become [`GameHandle`]s.
//!
//! [`Catalog::add`] registers a user-defined game; see `examples/` of the workspace.
//!
//! ```
//! use outplay_catalog::Catalog;
//! use outplay_core::{Verdict};
//! use outplay_runtime::NoMonitor;
//! use outplay_workbench::{PositionRef, Session, query};
//!
//! let game = Catalog::standard().open("nim:3+4+5")?;
//! let answer = query(&Session::in_memory(), &game, &PositionRef::Start, &NoMonitor)?;
//! assert_eq!(answer.answer.verdict(), Some(Verdict::Win));
//! # Ok::<(), outplay_workbench::Trouble>(())
//! ```
//!
//! [`GameHandle`]: outplay_workbench::GameHandle

mod aliases;
mod catalog;
mod families;

pub use catalog::{Catalog, Family};
