//! The papers' experiments, run again: theirs and ours side by side.
//!
//! ```text
//!   ALL       name, question, fn(&Bench) -> Findings        one file per experiment
//!   Bench     what an experiment may use                    made from a request
//!   Findings  tables of text, and plots                     printed and drawn by interfaces
//! ```
//!
//! This crate stands above everything that it uses, and nothing but interfaces may use it. To add an experiment, write
//! a file with a `run` function and an entry in `list.rs`.
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
mod connect4_weights;
mod dp;
mod duel;
mod filtering;
mod findings;
mod helpful_memory;
mod helpful_vs_minimax;
mod horizon;
mod league;
mod lesson;
mod list;
mod loops_alphabeta;
mod minimax_cost;
mod obstacle_map;
mod obstacles;
mod opinion;
mod ordering;
mod plot;
mod reading;
mod sample;
mod slippery;
mod trend;
mod visibility;

pub(crate) use bench::Bench;
pub use findings::{Findings, Grid};
pub use list::{About, experiments};
pub use plot::{Colour, Lines, Map, Plot, Point, Series, stacked};

use outplay_answer::{QueryOptions, Trouble};
use outplay_catalog::Catalog;
use outplay_core::Watch;

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
    /// How often what is timed or sampled is repeated, from seeds that follow each other.
    pub runs: Option<u32>,
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
            runs: None,
            options: QueryOptions::default(),
        }
    }
}

/// Runs an experiment of a paper again.
///
/// # Errors
///
/// An unknown name, with the known ones, repetitions of what is exact, or a stop.
pub fn run(catalog: &Catalog, request: &ExperimentRequest, watch: &dyn Watch) -> Result<Findings, Trouble> {
    let experiment = list::find(&request.name)?;
    let about = experiment.about;
    if request.runs.is_some() && !about.repeats {
        let why = format!("`{}` is exact and needs no repetition; leave out how many runs", about.name);
        return Err(Trouble::unable(why));
    }
    let bench = Bench {
        catalog,
        options: &request.options,
        watch,
        seed: request.seed,
        full: request.full,
        games: request.games,
        runs: request.runs,
    };
    let mut findings = (experiment.run)(&bench)?;
    findings.experiment = about.name.into();
    (findings.question, findings.source) = (about.question.into(), about.source.into());
    Ok(findings)
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
        let mut findings = Findings::new("nothing");
        findings.claim(true, "fine");
        assert_eq!((findings.holds, findings.remarks.len()), (Some(true), 0));
        findings.claim(false, "It was not so.");
        findings.claim(true, "fine");
        assert_eq!((findings.holds, findings.remarks.len()), (Some(false), 1));
    }
}
