//! Matches with honest statistics, tuning of evaluations, and the experiments of the papers.
//!
//! ```text
//!   matches       a match: openings, games, a record, standings
//!   contest       many games on several threads        opening    where they begin
//!   referee       one game, whatever the players do    scrutiny   moves held against exact knowledge
//!   record        games as lines of text               standings  the result as tables
//!   stats         what a result says: Elo, intervals, superiority, sequential tests
//!   tune          weights found by games or exact values, accepted by a test
//!   experiments   the papers' tables, theirs beside ours
//! ```
//!
//! Everything follows from a seed: the same seed gives the same games on any number of threads, as long as
//! players do not look at the clock.

pub mod contest;
mod error;
pub mod experiments;
pub mod matches;
pub mod opening;
pub mod record;
pub mod referee;
pub mod scrutiny;
pub mod seed;
pub mod standings;
pub mod stats;
pub mod tune;

pub use error::ArenaError;
