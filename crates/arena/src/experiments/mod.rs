//! The papers' experiments, run again: theirs and ours side by side.
//!
//! ```text
//!   ALL  name, what it is, fn(&Bench) -> Findings      one file per experiment
//!   Bench   what an experiment may use                 filled by the catalog
//!   Findings  tables of text                           printed by the command line
//! ```
//!
//! To add one, write a file with a `run` function and a line in [`ALL`].

mod bench;
mod dp;
mod findings;

pub use bench::{Bench, Lab, Timed};
pub use findings::{Findings, Grid, bytes, count, duration};

use crate::ArenaError;

/// An experiment by name.
pub struct Experiment {
    /// What it is called.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    /// Runs it.
    pub run: fn(&Bench<'_>) -> Result<Findings, ArenaError>,
}

/// Every experiment, in the order in which they are listed.
pub const ALL: &[Experiment] = &[Experiment {
    name: "dp",
    about: "the solvers of the 2020 report on tic-tac-toe: top-down, memoized, bottom-up",
    run: dp::run,
}];

/// The experiment of that name.
///
/// # Errors
///
/// An unknown name, with the known ones.
pub fn find(name: &str) -> Result<&'static Experiment, ArenaError> {
    let names: Vec<&str> = ALL.iter().map(|experiment| experiment.name).collect();
    ALL.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
        ArenaError::Unable(format!("there is no experiment called `{name}`; there are {}", names.join(", ")))
    })
}
