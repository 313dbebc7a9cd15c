//! Weights of the linear evaluation, found by games or by exact values, and accepted only by a test.
//!
//! ```text
//!   games         population ──▶ games ──▶ ranking ──▶ next population     breed (ga, sound), cma
//!   labels        positions ──▶ exact values ──▶ fit ──▶ weights           labels, fit, accuracy
//!                                              │
//!                 candidate against incumbent, sequential test ──▶ accepted or not
//! ```
//!
//! Every generation's chance follows from the seed and its number, so a run that was stopped goes on as if it
//! had not been, on any number of threads.

pub mod accuracy;
pub mod breed;
mod checkpoint;
pub mod cma;
mod evolve;
pub mod fit;
pub mod labels;
mod page;

pub use checkpoint::Checkpoint;
pub use page::page;

use crate::ArenaError;
use crate::matches::{self, MatchReport, MatchRequest};
use crate::seed::part;
use crate::stats::{Decision, Sprt};
use accuracy::{Accuracy, accuracy};
use fit::{FitOptions, Lessons};
use labels::{Sampling, labels};
use outplay_answer::{Entry, QueryOptions, Trouble};
use outplay_core::{Game, Notation, Watch};
use outplay_players::{FeatureSet, Features, Kit, Weights};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Instant;

/// How candidates come about when games decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The paper's genetic algorithm.
    Ga,
    /// A genetic algorithm with paired openings, an elite that is measured again, and crossover.
    Sound,
    /// A cloud of candidates whose shape follows what did well.
    Cmaes,
}

impl Method {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Method::Ga => "ga",
            Method::Sound => "sound",
            Method::Cmaes => "cmaes",
        }
    }
}

/// What decides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum By {
    /// Games between candidates.
    Games(Method),
    /// Exact values of positions.
    Labels {
        /// Positions to fit to.
        positions: usize,
        /// Further positions, to measure by.
        held_out: usize,
        /// Which positions.
        sampling: Sampling,
        /// How to fit.
        fit: FitOptions,
    },
}

/// What to tune, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TuneRequest {
    /// What decides.
    pub by: By,
    /// The features whose weights are sought.
    pub features: FeatureSet,
    /// Plies that candidates look ahead in games.
    pub depth: u32,
    /// Candidates in a generation.
    pub population: usize,
    /// Opponents that a candidate meets in a generation, twice each (`ga`), or openings (`sound`, `cmaes`).
    pub games: usize,
    /// The share of a generation that survives.
    pub survive: f64,
    /// Generations.
    pub generations: u32,
    /// Plies of random openings.
    pub openings: u32,
    /// The first weights are whole numbers from 1 to this (`ga`).
    pub largest: u32,
    /// What chance follows from.
    pub seed: u64,
    /// Games at the same time.
    pub threads: usize,
    /// Who is to be beaten: an evaluation's spec.
    pub incumbent: String,
    /// The test that the result has to pass; `None` to leave it out.
    pub sprt: Option<Sprt>,
    /// Games of the test at most.
    pub sprt_games: u64,
    /// Where the state is written after every generation.
    pub checkpoint: Option<PathBuf>,
    /// Go on with what is there.
    pub resume: bool,
    /// Where labels are kept.
    pub labels: Option<PathBuf>,
}

impl Default for TuneRequest {
    /// The setting of the paper, on one thread, its result taken without a test.
    fn default() -> TuneRequest {
        TuneRequest {
            by: By::Games(Method::Ga),
            features: FeatureSet::Paper,
            depth: 7,
            population: 32,
            games: 5,
            survive: 0.5,
            generations: 5,
            openings: 0,
            largest: 30,
            seed: 1,
            threads: 1,
            incumbent: "lines:weights=paper".into(),
            sprt: None,
            sprt_games: 0,
            checkpoint: None,
            resume: false,
            labels: None,
        }
    }
}

/// One generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u32,
    /// The weights of its best candidate.
    pub best: Vec<f32>,
    /// Points of the best candidate.
    pub points: f64,
    /// Out of so many.
    pub out_of: f64,
    /// The mean share of points of all candidates.
    pub mean: f64,
    /// Games played.
    pub games: u64,
}

/// How often players keep the value of positions that were not fitted to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    /// The result on the positions that it was fitted to.
    pub fitted: Accuracy,
    /// The result on held-out positions.
    pub held_out: Accuracy,
    /// The incumbent on held-out positions.
    pub incumbent: Accuracy,
    /// The share of held-out positions kept, quiet ones alone, and of the fitted ones.
    pub shares: Shares,
    /// Positions that teach something.
    pub lessons: usize,
    /// The loss after each step of the fit, thinned out.
    pub losses: Vec<(u32, f64)>,
}

/// The same as shares.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Shares {
    /// All held-out positions.
    pub all: f64,
    /// Quiet ones.
    pub quiet: f64,
    /// The incumbent on all.
    pub incumbent_all: f64,
    /// The incumbent on quiet ones.
    pub incumbent_quiet: f64,
}

/// What tuning found.
#[derive(Clone, Debug, Serialize)]
pub struct TuneReport {
    /// The game's canonical spec.
    pub game: String,
    /// `games` or `labels`.
    pub by: &'static str,
    /// `ga`, `sound`, `cmaes` or `softmax`.
    pub method: &'static str,
    /// The features' name.
    pub features: &'static str,
    /// Their names.
    pub names: Vec<&'static str>,
    /// The weights found.
    pub weights: Vec<f32>,
    /// The evaluation's spec.
    pub evaluation: String,
    /// Who was to be beaten.
    pub incumbent: String,
    /// What chance followed from.
    pub seed: u64,
    /// One after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub generations: Vec<Generation>,
    /// Against exact values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// Seconds that the search for weights took.
    pub seconds: f64,
    /// The match against the incumbent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<MatchReport>,
    /// Whether the result is accepted: the test says that it beats the incumbent.
    pub accepted: Option<bool>,
}

/// The searching player with an evaluation.
pub fn searcher(depth: u32, evaluation: &str) -> String {
    format!("alphabeta:depth={depth},eval={evaluation}")
}

/// Finds and tests weights for a game that somebody asked for, with what is exactly known about it.
///
/// # Errors
///
/// As [`run`].
pub fn tune(
    entry: &Entry,
    request: &TuneRequest,
    options: &QueryOptions,
    watch: &dyn Watch,
) -> Result<TuneReport, Trouble> {
    // Games run and positions are labelled side by side already, so exact knowledge keeps to one thread in each.
    Ok(run(&entry.kit(&options.on_threads(1).impartial()), request, watch)?)
}

/// Finds weights and tests them.
///
/// # Errors
///
/// Bad input, a game without lines, files of no use, or a stop (a checkpoint keeps what was done).
pub fn run(kit: &Kit, request: &TuneRequest, watch: &dyn Watch) -> Result<TuneReport, ArenaError> {
    let spec = kit.game.spec();
    let start =
        kit.game.start().ok_or_else(|| ArenaError::Unable(format!("{spec} has no start to play from")))?;
    let Some(board) = kit.game.board(&start) else {
        let why = format!("`lines` counts k in a row, and {spec} has none; tune a board such as connect4");
        return Err(ArenaError::Unable(why));
    };
    let features = Features::new(request.features, &board).ok_or_else(|| {
        ArenaError::Unable(format!(
            "the extended features are for boards of up to 128 bits, not for {spec}; tune the paper's instead"
        ))
    })?;
    // A bad incumbent is found out before anything is played.
    let incumbent = kit.judge(&request.incumbent)?.spec();
    let request = &TuneRequest { incumbent, ..request.clone() };
    let began = Instant::now();
    let (values, generations, measured) = match request.by {
        By::Games(method) => {
            let (best, generations) = evolve::run(kit, &start, method, request, watch)?;
            (best, generations, None)
        }
        By::Labels { positions, held_out, sampling, fit } => {
            let file = request.labels.as_deref();
            let all = labels(kit, &sampling, positions + held_out, file, request.threads, watch)?;
            let (fitted, held) = all.split_at(positions.min(all.len()));
            let lessons = Lessons::new(kit, &features, fitted);
            if lessons.is_empty() {
                let why = "no sampled position teaches anything; sample more of them or other plies";
                return Err(ArenaError::Unable(why.into()));
            }
            watch.stage("fitting", u64::from(fit.steps));
            let mut losses = Vec::new();
            let values = lessons.fit(&fit, request.threads, |step| {
                watch.advance(1);
                if step.step == 1 || step.step.is_multiple_of((fit.steps / 60).max(1)) {
                    losses.push((step.step, step.loss));
                }
            });
            let evaluation = weights(request.features, values.clone())?.spec();
            let measure = |evaluation: &str, labels: &[labels::Label]| {
                accuracy(kit, &searcher(1, evaluation), labels, request.threads, watch)
            };
            let measured = Measured {
                fitted: measure(&evaluation, fitted)?,
                held_out: measure(&evaluation, held)?,
                incumbent: measure(&request.incumbent, held)?,
                shares: Shares { all: 0.0, quiet: 0.0, incumbent_all: 0.0, incumbent_quiet: 0.0 },
                lessons: lessons.len(),
                losses,
            };
            let share = |kept: &crate::scrutiny::Kept| kept.share().unwrap_or(0.0);
            let shares = Shares {
                all: share(&measured.held_out.all),
                quiet: share(&measured.held_out.quiet),
                incumbent_all: share(&measured.incumbent.all),
                incumbent_quiet: share(&measured.incumbent.quiet),
            };
            (values, Vec::new(), Some(Measured { shares, ..measured }))
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    let found = weights(request.features, values)?;
    let trial = request.sprt.map(|sprt| {
        let players =
            [found.spec(), request.incumbent.clone()].map(|eval| searcher(request.depth, &eval)).to_vec();
        let request = MatchRequest {
            players,
            games: request.sprt_games,
            seed: part(request.seed, 9),
            concurrency: request.threads,
            sprt: Some(sprt),
            ..MatchRequest::default()
        };
        matches::run(kit, &start, None, &request, watch)
    });
    let trial = trial.transpose()?;
    if watch.stopped() {
        return Err(ArenaError::Stopped);
    }
    let accepted =
        trial.as_ref().and_then(|trial| trial.sprt.as_ref()).map(|sprt| sprt.decision == Decision::Accepted);
    let (by, method) = match request.by {
        By::Games(method) => ("games", method.word()),
        By::Labels { .. } => ("labels", "softmax"),
    };
    Ok(TuneReport {
        game: spec,
        by,
        method,
        features: request.features.word(),
        names: request.features.names().to_vec(),
        weights: found.values().to_vec(),
        evaluation: found.spec(),
        incumbent: request.incumbent.clone(),
        seed: request.seed,
        generations,
        measured,
        seconds,
        trial,
        accepted,
    })
}

/// Weights with at most four digits after the point: what is printed is what is played.
pub(crate) fn weights(set: FeatureSet, values: Vec<f32>) -> Result<Weights, ArenaError> {
    let rounded = values.into_iter().map(|value| (value * 1e4).round() / 1e4).collect();
    Weights::new(set, rounded).map_err(|error| ArenaError::Unable(error.to_string()))
}
