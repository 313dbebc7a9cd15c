//! Automatic tuning of the linear evaluation, by playing games (genetic algorithm or CMA-ES) or by regression on exact
//! values.
//!
//! One path is an evolution by games, the other a regression on labels; an optional match against the incumbent weights
//! then accepts or rejects the result:
//!
//! ```text
//!   objective     steps                                                    modules
//!   games         population ──▶ games ──▶ ranking ──▶ next population     breed (ga, sound), cma
//!   labels        positions ──▶ exact values ──▶ fit ──▶ weights           labels, fit, accuracy
//!                                              │
//!                 candidate against incumbent, SPRT ──▶ accepted or not
//! ```
//!
//! Invariant: the random numbers of a generation derive from the seed and the generation's index alone, so a resumed
//! run equals an uninterrupted one, on any number of threads.

pub mod accuracy;
pub mod breed;
mod checkpoint;
pub mod cma;
mod evolve;
pub mod fit;
pub mod labels;
mod page;

pub use checkpoint::{Checkpoint, Setting};
pub use page::page;

use crate::ArenaError;
use crate::matches::{self, MatchReport, MatchRequest};
use crate::seed::part;
use crate::stats::{Decision, Sprt};
use accuracy::{Accuracy, accuracy};
use fit::{FitOptions, TrainingSet};
use labels::{Label, LabelFile, Sampling, labels};
use outplay_core::{AnyPosition, Game, Notation};
use outplay_players::{FeatureSet, Features, PlayerContext, Weights};
use outplay_runtime::Monitor;
use outplay_workbench::export::MOST_POSITIONS;
use outplay_workbench::{GameHandle, Session, Trouble};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Instant;

/// The optimiser of tuning by games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TuningMethod {
    /// The paper's genetic algorithm.
    Ga,
    /// A genetic algorithm with paired openings, an elite that is re-evaluated, and crossover.
    Sound,
    /// CMA-ES.
    Cmaes,
}

impl TuningMethod {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            TuningMethod::Ga => "ga",
            TuningMethod::Sound => "sound",
            TuningMethod::Cmaes => "cmaes",
        }
    }
}

/// The objective of tuning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TuningObjective {
    /// Results of games.
    Games(TuningMethod),
    /// Exact values of positions.
    Labels {
        /// Positions to fit to.
        positions: usize,
        /// Held-out positions, to measure by.
        held_out: usize,
        /// The distribution of the positions.
        sampling: Sampling,
        /// The parameters of the fit.
        fit: FitOptions,
    },
}

/// The settings of a tuning run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TuneRequest {
    /// The objective.
    pub by: TuningObjective,
    /// The features whose weights are tuned.
    pub features: FeatureSet,
    /// Search depth of candidates in games, in plies.
    pub depth: u32,
    /// Candidates in a generation.
    pub population: usize,
    /// Opponents of a candidate per generation, twice each (`ga`), or openings (`sound`, `cmaes`).
    pub games: usize,
    /// The share of a generation that survives.
    pub survive: f64,
    /// Generations.
    pub generations: u32,
    /// Plies of random openings.
    pub openings: u32,
    /// Initial weights are integers from 1 to this (`ga`).
    pub largest: u32,
    /// Random seed.
    pub seed: u64,
    /// Games played concurrently.
    pub threads: usize,
    /// The spec of the evaluation to beat.
    pub incumbent: String,
    /// The test that the result must pass; `None` for no test.
    pub sprt: Option<Sprt>,
    /// Maximal games of the test.
    pub sprt_games: u64,
    /// The checkpoint file, written after every generation.
    pub checkpoint: Option<PathBuf>,
    /// Whether to resume from the checkpoint.
    pub resume: bool,
    /// The label file.
    pub labels: Option<PathBuf>,
    /// Whether that file is in the data directory: there a foreign file is renamed, while a foreign file that the user
    /// named is refused.
    pub own_labels: bool,
    /// Memory limit in bytes.
    pub memory: u64,
}

impl Default for TuneRequest {
    /// The settings of the paper, on one thread, without a test of the result.
    fn default() -> TuneRequest {
        TuneRequest {
            by: TuningObjective::Games(TuningMethod::Ga),
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
            own_labels: false,
            memory: 1 << 30,
        }
    }
}

/// Results of one generation of a tuning run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u32,
    /// The weights of its best candidate.
    pub best: Vec<f32>,
    /// Points of the best candidate.
    pub points: f64,
    /// Games of the best candidate: the maximal points.
    pub out_of: f64,
    /// The mean share of points of all candidates.
    pub mean: f64,
    /// Games played.
    pub games: u64,
}

/// Move accuracy of the fitted weights, on training and held-out positions, beside that of the incumbent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FitAccuracy {
    /// The result on the training positions.
    pub fitted: Accuracy,
    /// The result on held-out positions.
    pub held_out: Accuracy,
    /// The incumbent on held-out positions.
    pub incumbent: Accuracy,
    /// The same on held-out positions, as shares.
    pub shares: Shares,
    /// Number of training examples.
    pub lessons: usize,
    /// The loss of the fit by step, thinned out.
    pub losses: Vec<(u32, f64)>,
}

/// Move accuracy on held-out positions: shares of positions in which the move preserved the value.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Shares {
    /// All held-out positions.
    pub all: f64,
    /// Quiet positions.
    pub quiet: f64,
    /// The incumbent on all positions.
    pub incumbent_all: f64,
    /// The incumbent on quiet positions.
    pub incumbent_quiet: f64,
}

/// The result of a tuning run: the weights, the generations, and the match against the incumbent.
#[derive(Clone, Debug, Serialize)]
pub struct TuneReport {
    /// The game's canonical spec.
    pub game: String,
    /// `games` or `labels`.
    pub by: &'static str,
    /// `ga`, `sound`, `cmaes` or `softmax`.
    pub method: &'static str,
    /// The name of the feature set.
    pub features: &'static str,
    /// The names of the features.
    pub names: Vec<&'static str>,
    /// The tuned weights.
    pub weights: Vec<f32>,
    /// The evaluation's spec.
    pub evaluation: String,
    /// The spec of the evaluation to beat.
    pub incumbent: String,
    /// Random seed.
    pub seed: u64,
    /// The generations in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub generations: Vec<Generation>,
    /// Accuracy by exact values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<FitAccuracy>,
    /// Time of the tuning in seconds, without the test.
    pub seconds: f64,
    /// The match against the incumbent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<MatchReport>,
    /// Whether the test accepts that the result beats the incumbent.
    pub accepted: Option<bool>,
}

/// The spec of a searching player with an evaluation.
pub fn searcher(depth: u32, evaluation: &str) -> String {
    format!("alphabeta:depth={depth},eval={evaluation}")
}

/// Tunes and tests weights for a game of the catalog, with the exact values that the session provides.
///
/// # Errors
///
/// As [`run`].
pub fn tune(
    session: &Session,
    entry: &GameHandle,
    request: &TuneRequest,
    monitor: &dyn Monitor,
) -> Result<TuneReport, Trouble> {
    // Games and labels run concurrently, so each uses one thread for exact values.
    let request = TuneRequest { memory: session.memory, ..request.clone() };
    Ok(run(&outplay_workbench::kit(&session.on_threads(1).impartial(), entry), &request, monitor)?)
}

/// Tunes weights and tests them.
///
/// # Errors
///
/// Invalid input, a game that is not k in a row, unusable files, or a stop (a checkpoint keeps the progress).
pub fn run(
    kit: &PlayerContext,
    request: &TuneRequest,
    monitor: &dyn Monitor,
) -> Result<TuneReport, ArenaError> {
    let spec = kit.game.spec();
    let start =
        kit.game.start().ok_or_else(|| ArenaError::Unable(format!("{spec} has no start position")))?;
    let Some(board) = kit.game.board(&start) else {
        let why =
            format!("`lines` is for games of k in a row, which {spec} is not; tune a game such as connect4");
        return Err(ArenaError::Unable(why));
    };
    let features = Features::new(request.features, &board).ok_or_else(|| {
        ArenaError::Unable(format!(
            "the extended features are for boards of up to 128 bits, not for {spec}; tune the `paper` features instead"
        ))
    })?;
    // An invalid incumbent is reported before any game is played.
    let incumbent = kit.judge(&request.incumbent)?.spec();
    let request = &TuneRequest { incumbent, ..request.clone() };
    let began = Instant::now();
    let (values, generations, measured) = match request.by {
        TuningObjective::Games(method) => {
            let (best, generations) = evolve::run(kit, &start, method, request, monitor)?;
            (best, generations, None)
        }
        TuningObjective::Labels { positions, held_out, sampling, fit } => {
            let (fitted, held) = labelled(kit, request, &sampling, positions, held_out, monitor)?;
            let (values, measured) = fit_labels(kit, request, &features, &fit, [&fitted, &held], monitor)?;
            (values, Vec::new(), Some(measured))
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    let found = weights(request.features, values)?;
    let trial = trial(kit, &start, request, &found.spec(), monitor)?;
    if monitor.stopped() {
        return Err(ArenaError::Stopped);
    }
    let accepted =
        trial.as_ref().and_then(|trial| trial.sprt.as_ref()).map(|sprt| sprt.decision == Decision::Accepted);
    let (by, method) = match request.by {
        TuningObjective::Games(method) => ("games", method.word()),
        TuningObjective::Labels { .. } => ("labels", "softmax"),
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

/// Returns labelled positions for training and held-out ones for measuring.
fn labelled(
    kit: &PlayerContext,
    request: &TuneRequest,
    sampling: &Sampling,
    positions: usize,
    held_out: usize,
    monitor: &dyn Monitor,
) -> Result<(Vec<Label>, Vec<Label>), ArenaError> {
    let wanted = positions.saturating_add(held_out);
    ArenaError::unless_at_most("labelled positions", wanted as u64, MOST_POSITIONS)?;
    let file = request.labels.as_ref().map(|path| LabelFile {
        path: path.clone(),
        own: request.own_labels,
        // Labels in memory take about twice the bytes of their lines.
        limit: request.memory / 4,
    });
    let mut fitted = labels(kit, sampling, wanted, file.as_ref(), request.threads, monitor)?;
    let held = fitted.split_off(positions.min(fitted.len()));
    Ok((fitted, held))
}

/// Fits weights to labelled positions, and measures them on training and held-out positions.
fn fit_labels(
    kit: &PlayerContext,
    request: &TuneRequest,
    features: &Features,
    fit: &FitOptions,
    [fitted, held]: [&[Label]; 2],
    monitor: &dyn Monitor,
) -> Result<(Vec<f32>, FitAccuracy), ArenaError> {
    let examples = TrainingSet::new(kit, features, fitted);
    if examples.is_empty() {
        let why = "no sampled position has both a move that keeps the value and one that does not; sample more positions or other plies";
        return Err(ArenaError::Unable(why.into()));
    }
    monitor.stage("fitting the weights", u64::from(fit.steps));
    let mut losses = Vec::new();
    let values = examples.fit(fit, request.threads, |step| {
        monitor.advance(1);
        if step.step == 1 || step.step.is_multiple_of((fit.steps / 60).max(1)) {
            losses.push((step.step, step.loss));
        }
    });
    let evaluation = weights(request.features, values.clone())?.spec();
    let measure = |evaluation: &str, labels: &[Label]| {
        accuracy(kit, &searcher(1, evaluation), labels, request.threads, monitor)
    };
    let fitted = measure(&evaluation, fitted)?;
    let held_out = measure(&evaluation, held)?;
    let incumbent = measure(&request.incumbent, held)?;
    let share = |kept: &crate::scrutiny::PreservedMoves| kept.share().unwrap_or(0.0);
    let shares = Shares {
        all: share(&held_out.all),
        quiet: share(&held_out.quiet),
        incumbent_all: share(&incumbent.all),
        incumbent_quiet: share(&incumbent.quiet),
    };
    Ok((values, FitAccuracy { fitted, held_out, incumbent, shares, lessons: examples.len(), losses }))
}

/// Plays the match of an evaluation against the incumbent, if there is a test.
fn trial(
    kit: &PlayerContext,
    start: &AnyPosition,
    request: &TuneRequest,
    evaluation: &str,
    monitor: &dyn Monitor,
) -> Result<Option<MatchReport>, ArenaError> {
    let Some(sprt) = request.sprt else { return Ok(None) };
    let request = MatchRequest {
        players: [evaluation, &request.incumbent].map(|eval| searcher(request.depth, eval)).to_vec(),
        games: request.sprt_games,
        seed: part(request.seed, 9),
        concurrency: request.threads,
        sprt: Some(sprt),
        ..MatchRequest::default()
    };
    matches::run(kit, start, None, &request, monitor).map(Some)
}

/// Rounds weights to four decimals, so that printed and played weights are the same.
pub(crate) fn weights(set: FeatureSet, values: Vec<f32>) -> Result<Weights, ArenaError> {
    let rounded = values.into_iter().map(|value| (value * 1e4).round() / 1e4).collect();
    Weights::new(set, rounded).map_err(|error| ArenaError::Unable(error.to_string()))
}
