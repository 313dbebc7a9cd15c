//! The papers' experiments, run again: theirs and ours side by side.
//!
//! ```text
//!   ALL       name, what it is, fn(&Bench) -> Findings      one file per experiment
//!   Bench     what an experiment may use                    made from a request
//!   Findings  tables of text, and plots                     printed and drawn by interfaces
//! ```
//!
//! This crate stands above everything that it uses, and nothing but interfaces may use it. To add an experiment, write
//! a file with a `run` function and a line in `ALL`.
//!
//! ```
//! use outplay_catalog::Catalog;
//! use outplay_experiments::{ExperimentRequest, run};
//!
//! let mut request = ExperimentRequest::default();
//! (request.name, request.games) = ("dp".into(), Some(3));
//! let findings = run(&Catalog::standard(), &request, &outplay_core::Quiet)?;
//! let table = &findings.tables[0];
//! assert_eq!(table.columns[1..3], ["theirs", "ours"]);
//! assert_eq!(table.rows[0][..2], ["top-down", "4.98 s"]);
//! # Ok::<(), outplay_answer::Trouble>(())
//! ```

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
mod obstacle_map;
mod obstacles;
mod opinion;
mod plot;
mod slippery;
mod visibility;

pub(crate) use bench::Bench;
pub use findings::{Findings, Grid};
pub use plot::{Colour, Lines, Map, Plot, Point, Series, stacked};

use outplay_answer::{QueryOptions, Trouble};
use outplay_catalog::Catalog;
use outplay_core::Watch;

/// An experiment by name.
struct Experiment {
    /// What it is called.
    name: &'static str,
    /// What it shows, in a line.
    about: &'static str,
    /// Runs it.
    run: fn(&Bench<'_>) -> Result<Findings, Trouble>,
}

/// Every experiment, in the order in which they are listed.
const ALL: &[Experiment] = &[
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
    Experiment {
        name: "visibility",
        about: "whether a deeper search chooses better moves, and an atlas of positions in which it does not",
        run: visibility::run,
    },
    Experiment {
        name: "obstacle-map",
        about: "the value of small boards with one and two obstacles wherever they are, as maps",
        run: obstacle_map::run,
    },
    Experiment {
        name: "slippery",
        about: "what boards are worth when a stone may land one cell aside",
        run: slippery::run,
    },
];

/// Which experiment to run, and with what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExperimentRequest {
    /// Which one.
    pub name: String,
    /// What chance follows from.
    pub seed: u64,
    /// Take as long as the paper's setting needs.
    pub full: bool,
    /// How many games, trials or positions, where the experiment's own number should not do.
    pub games: Option<u32>,
    /// What exact knowledge may use.
    pub options: QueryOptions,
}

impl Default for ExperimentRequest {
    /// As long as somebody who is curious waits; which experiment is yet to be said.
    fn default() -> ExperimentRequest {
        ExperimentRequest {
            name: String::new(),
            seed: 1,
            full: false,
            games: None,
            options: QueryOptions::default(),
        }
    }
}

/// The experiments by name, with a line about each.
pub fn experiments() -> Vec<(&'static str, &'static str)> {
    ALL.iter().map(|experiment| (experiment.name, experiment.about)).collect()
}

/// Runs an experiment of a paper again.
///
/// # Errors
///
/// An unknown name, with the known ones, or a stop.
pub fn run(catalog: &Catalog, request: &ExperimentRequest, watch: &dyn Watch) -> Result<Findings, Trouble> {
    let experiment = find(&request.name)?;
    let bench = Bench {
        catalog,
        options: &request.options,
        watch,
        seed: request.seed,
        full: request.full,
        games: request.games,
    };
    (experiment.run)(&bench)
}

/// The experiment of that name.
fn find(name: &str) -> Result<&'static Experiment, Trouble> {
    let unknown = || {
        let names: Vec<&str> = ALL.iter().map(|experiment| experiment.name).collect();
        let near = outplay_core::nearest(name, names.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        Trouble::unable(format!(
            "there is no experiment called `{name}`; {near}there are {}",
            names.join(", ")
        ))
    };
    ALL.iter().find(|experiment| experiment.name == name).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Quiet;

    fn request(name: &str, games: u32) -> ExperimentRequest {
        ExperimentRequest { name: name.into(), games: Some(games), ..ExperimentRequest::default() }
    }

    #[test]
    fn typing_errors_find_their_experiment() {
        let message = |name: &str| {
            let trouble = run(&Catalog::standard(), &request(name, 1), &Quiet).unwrap_err();
            assert!(trouble.is_input());
            trouble.to_string()
        };
        assert!(message("horizn").contains("did you mean `horizon`? there are dp, "));
        assert!(!message("nothing at all").contains("did you mean"));
    }

    #[test]
    fn what_does_not_hold_is_said() {
        let mut findings = Findings::new("none", "nobody", "nothing");
        findings.claim(true, "fine");
        assert_eq!((findings.holds, findings.remarks.len()), (Some(true), 0));
        findings.claim(false, "It was not so.");
        findings.claim(true, "fine");
        assert_eq!((findings.holds, findings.remarks.len()), (Some(false), 1));
    }
}
