//! Matches with honest statistics, tuning of evaluations, and the experiments of the papers.
//!
//! ```text
//!   stats         what a result says: Elo, intervals, superiority, sequential tests
//!   experiments   the papers' tables, theirs beside ours
//! ```

mod error;
pub mod experiments;
pub mod stats;

pub use error::ArenaError;
