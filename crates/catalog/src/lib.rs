//! Names become games: `mnk:4x4,k=3` becomes a [`GameHandle`] with everything that the game can do.
//!
//! Below this layer code is generic and monomorphic; above it, interfaces see only text and plain data. One
//! call through a [`GameHandle`] carries a whole command (solve, query), never a single position.
//!
//! A game of one's own joins the catalog with [`Catalog::add`]; see `examples/` of the workspace.

mod answers;
mod catalog;
mod classic;
mod entry;
mod families;
mod handle;
mod solved;
mod trouble;

pub use answers::{
    Answer, CheckReport, Counts, IndexReport, IndexTier, Longest, LongestBySide, MoveAnswer, QueryAnswer,
    Rules, SolveAnswer, Splits, TurnCounts,
};
pub use catalog::{Catalog, Family};
pub use classic::{ClassicReport, ClassicRow};
pub use entry::Entry;
pub use handle::{GameHandle, Method, Place, SolveRequest};
pub use trouble::Trouble;
