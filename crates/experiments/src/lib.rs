//! Reproductions of published experiments: the papers' figures and ours side by side.
//!
//! ```text
//!   item      contents                                   where
//!   ALL       name, question, fn(&Bench) -> Findings        one file per experiment
//!   Bench     context of an experiment                     made from a request
//!   Streams   independent random streams by purpose         one for each run and game
//!   Findings  tables, plots and remarks                    printed and drawn by interfaces
//! ```
//!
//! This crate is above all crates that it uses, and only interfaces depend on it. To add an experiment, write a file
//! with a `run` function and an entry in `list.rs`.
//!
//! ```
//! use outplay_catalog::Catalog;
//! use outplay_experiments::{ExperimentRequest, run};
//!
//! let mut request = ExperimentRequest::default();
//! (request.name, request.games) = ("dp".into(), Some(3));
//! let findings = run(&Catalog::standard(), &request, &outplay_runtime::NoMonitor)?;
//! let table = &findings.tables[0];
//! assert_eq!(table.columns[1..3], ["theirs", "ours"]);
//! assert_eq!(table.rows[0][..2], ["top-down", "4.98 s"]);
//! # Ok::<(), outplay_workbench::Trouble>(())
//! ```

mod alphabeta_savings;
mod bench;
mod connect4_ga;
mod connect4_weights;
mod design;
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
pub use list::{ExperimentInfo, experiments};
pub use plot::{Colour, Lines, Map, Plot, Point, Series, stacked};

use outplay_catalog::Catalog;
use outplay_runtime::Monitor;
use outplay_workbench::{Session, Trouble};

/// A request to run an experiment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExperimentRequest {
    /// Name of the experiment.
    pub name: String,
    /// Random seed.
    pub seed: u64,
    /// Run the paper's full setting.
    pub full: bool,
    /// Number of games, trials or positions, instead of the experiment's default.
    pub games: Option<u32>,
    /// Number of repetitions of timed or sampled figures, with consecutive seeds.
    pub runs: Option<u32>,
    /// Limits and caches of exact values.
    pub session: Session,
}

impl Default for ExperimentRequest {
    /// A quick setting without the name of an experiment.
    fn default() -> ExperimentRequest {
        ExperimentRequest {
            name: String::new(),
            seed: 1,
            full: false,
            games: None,
            runs: None,
            session: Session::default(),
        }
    }
}

/// Reproduces an experiment of a paper.
///
/// # Errors
///
/// An unknown name (the message lists the known ones), repetitions of an exact experiment, or a stop.
pub fn run(catalog: &Catalog, request: &ExperimentRequest, watch: &dyn Monitor) -> Result<Findings, Trouble> {
    let about = list::find(&request.name)?;
    if request.runs.is_some() && !about.repeats {
        let why = format!("`{}` is exact and needs no repetition; leave out how many runs", about.name);
        return Err(Trouble::unable(why));
    }
    let bench = Bench {
        catalog,
        session: &request.session,
        watch,
        seed: request.seed,
        full: request.full,
        games: request.games,
        runs: request.runs,
    };
    let mut findings = (about.run)(&bench)?;
    findings.experiment = about.name.into();
    (findings.question, findings.source) = (about.question.into(), about.source.into());
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;

    fn request(name: &str, games: u32) -> ExperimentRequest {
        ExperimentRequest { name: name.into(), games: Some(games), ..ExperimentRequest::default() }
    }

    #[test]
    fn misspelt_name_suggests_the_experiment() {
        let message = |name: &str| {
            let trouble = run(&Catalog::standard(), &request(name, 1), &NoMonitor).unwrap_err();
            assert!(trouble.is_input());
            trouble.to_string()
        };
        assert!(message("horizn").contains("did you mean `horizon`? there are dp, "));
        assert!(!message("nothing at all").contains("did you mean"));
    }

    #[test]
    fn failed_claim_adds_a_remark() {
        let mut findings = Findings::new("nothing");
        findings.claim(true, "fine");
        assert_eq!((findings.holds, findings.remarks.len()), (Some(true), 0));
        findings.claim(false, "It was not so.");
        findings.claim(true, "fine");
        assert_eq!((findings.holds, findings.remarks.len()), (Some(false), 1));
    }
}
