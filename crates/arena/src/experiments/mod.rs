//! The papers' experiments, run again: theirs and ours side by side.
//!
//! ```text
//!   ALL  name, what it is, fn(&Bench) -> Findings      one file per experiment
//!   Bench   what an experiment may use                 filled by the catalog
//!   Findings  tables of text                           printed by the command line
//! ```
//!
//! To add one, write a file with a `run` function and a line in [`ALL`].

mod alphabeta_savings;
mod bench;
mod connect4_ga;
mod dp;
mod duel;
mod findings;
mod helpful_memory;
mod helpful_vs_minimax;
mod horizon;
mod minimax_cost;
mod obstacles;

pub use bench::{Bench, Lab, Timed};
pub use findings::{Findings, Grid};

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
pub const ALL: &[Experiment] = &[
    Experiment {
        name: "dp",
        about: "the solvers of the 2020 report on tic-tac-toe: top-down, memoized, bottom-up",
        run: dp::run,
    },
    Experiment {
        name: "minimax-cost",
        about: "time and memory of full search on 4x4 by the number of open cells",
        run: minimax_cost::run,
    },
    Experiment {
        name: "connect4-ga",
        about: "the genetic algorithm for Connect-4, its bot against random, greedy and perfect",
        run: connect4_ga::run,
    },
    Experiment {
        name: "helpful-vs-minimax",
        about: "the helpfulness heuristic against perfect play on 3x3, 4x4, larger boards and Connect-4",
        run: helpful_vs_minimax::run,
    },
    Experiment {
        name: "helpful-memory",
        about: "time and memory of one move of the heuristic, on boards to 1000x1000",
        run: helpful_memory::run,
    },
    Experiment {
        name: "obstacles",
        about: "how deep a search sees, and what that is worth, as obstacles fill the board",
        run: obstacles::run,
    },
    Experiment {
        name: "alphabeta-savings",
        about: "leaves of alpha-beta in the best, natural and worst order against minimax",
        run: alphabeta_savings::run,
    },
    Experiment {
        name: "horizon",
        about: "lost positions that a fixed depth does not see, and what quiescence and extensions do about it",
        run: horizon::run,
    },
];

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
