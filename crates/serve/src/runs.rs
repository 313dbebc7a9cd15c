//! Experiments, run again: theirs beside ours, with plots.
//!
//! ```text
//!  GET    /api/v1/experiments         what there is, with the number of the last run of each
//!  POST   /api/v1/experiments/run     {"name": "dp"}  →  {"id": 2, "state": "running"}
//!  GET    /api/v1/experiments/run/2   how far it is, then what it found, each plot as SVG too
//!  DELETE /api/v1/experiments/run/2   stops it
//! ```

use crate::ask::Asked;
use crate::background::{Report, Stage, Tenure, Work, behind, lock};
use crate::refusal::Refusal;
use crate::reply::{Reply, as_json, at_once, begun, json, written};
use crate::router::Shared;
use crate::workers::Attention;
use axum::http::StatusCode;
use outplay_core::Watch;
use outplay_door::Visitor;
use outplay_experiments::{About, ExperimentRequest, Findings, experiments, run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The longest that an experiment may take.
const LONGEST: Duration = Duration::from_secs(900);
/// The most games, trials or positions that a visitor may ask for.
const MOST: u32 = 10_000;

/// One run of an experiment.
pub(crate) struct Run {
    request: ExperimentRequest,
    visitor: Visitor,
    watch: Arc<Attention>,
    tenure: Tenure,
    began: Instant,
    end: Mutex<Option<(f64, Result<Findings, Refusal>)>>,
}

impl Work for Run {
    const NAME: &'static str = "an experiment";

    fn visitor(&self) -> Visitor {
        self.visitor
    }

    fn runs(&self) -> bool {
        lock(&self.end).is_none()
    }

    fn stop(&self) {
        self.watch.stop();
    }
}

/// The watch of a run: somebody has to look at it.
struct Looked<'a>(&'a Run);

impl Watch for Looked<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.0.watch.stage(name, total);
    }
    fn advance(&self, units: u64) {
        self.0.watch.advance(units);
    }
    fn stopped(&self) -> bool {
        self.0.watch.stopped() || self.0.tenure.is_over()
    }
}

impl Run {
    fn go(&self, shared: &Shared) {
        let catalog = shared.shelf.catalog();
        let found = catch_unwind(AssertUnwindSafe(|| run(catalog, &self.request, &Looked(self))));
        let found = match found {
            Ok(found) => found.map_err(Refusal::from),
            Err(_) => {
                let error = "the experiment failed for a reason that should not exist";
                Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error, "please report its name"))
            }
        };
        *lock(&self.end) = Some((self.began.elapsed().as_secs_f64(), found));
    }

    /// How it stands, written.
    fn describe(&self, id: u64, visitor: Visitor) -> String {
        let end = lock(&self.end);
        let (state, stage) = match &*end {
            None => {
                let state = if self.watch.stopped() { "stopping" } else { "running" };
                (state, Stage::Running(self.watch.progress()))
            }
            Some((_, Ok(findings))) => {
                let pictures = findings.plots.iter().map(|plot| plot.svg()).collect();
                ("done", Stage::Done(Found { findings, pictures }))
            }
            Some((_, Err(refusal))) => {
                let state = if self.watch.stopped() || self.tenure.is_over() { "stopped" } else { "failed" };
                (state, Stage::Failed(refusal))
            }
        };
        let ExperimentRequest { name, seed, games, .. } = &self.request;
        let about = What { mine: visitor == self.visitor, name, sample: *games, seed: *seed };
        let seconds =
            end.as_ref().map_or_else(|| self.began.elapsed().as_secs_f64(), |(seconds, _)| *seconds);
        written(&Report { id, about, state, seconds, stage })
    }
}

/// What a run is about.
#[derive(Serialize)]
struct What<'a> {
    mine: bool,
    name: &'a str,
    sample: Option<u32>,
    seed: u64,
}

/// What a run found, each plot as SVG too.
#[derive(Serialize)]
struct Found<'a> {
    findings: &'a Findings,
    pictures: Vec<String>,
}

/// Which experiment, and with what.
#[derive(Deserialize)]
struct RunRequest {
    name: String,
    /// What chance follows from.
    #[serde(default)]
    seed: Option<u64>,
    /// How many games, trials or positions.
    #[serde(default)]
    sample: Option<u32>,
    /// Whether to go on when nobody looks.
    #[serde(default)]
    stay: bool,
}

/// What there is.
#[derive(Serialize)]
struct List {
    experiments: Vec<About>,
    /// The number of the last run of each.
    latest: BTreeMap<String, u64>,
}

/// `GET /api/v1/experiments`
pub(crate) fn list(asked: &Asked) -> Result<Reply, Refusal> {
    let mut latest = BTreeMap::new();
    for (id, run) in asked.shared.runs.all() {
        let done = matches!(&*lock(&run.end), Some((_, Ok(_))));
        if done || run.runs() {
            latest.entry(run.request.name.clone()).or_insert(id);
        }
    }
    at_once(json(&List { experiments: experiments(), latest }))
}

/// `POST /api/v1/experiments/run`
pub(crate) fn start(asked: &Asked) -> Result<Reply, Refusal> {
    let wish: RunRequest = asked.told()?;
    let (shared, visitor) = (&asked.shared, asked.visitor);
    if !experiments().iter().any(|about| about.name == wish.name) {
        let name: String = wish.name.chars().take(80).collect();
        let error = format!("there is no experiment called `{name}`");
        return Err(Refusal::bad(error, "/api/v1/experiments lists them"));
    }
    if wish.sample.is_some_and(|sample| !(1..=MOST).contains(&sample)) {
        return Err(Refusal::bad(
            format!("a sample is between 1 and {MOST}"),
            "leave it out for the experiment's own",
        ));
    }
    let mut request = ExperimentRequest::default();
    request.name = wish.name;
    request.seed = wish.seed.unwrap_or(request.seed);
    request.games = wish.sample;
    // It shares the machine with everybody: one thread, no notes, a visitor's memory.
    request.options = shared.options(1);
    request.options.recall = false;
    request.options.time = None;
    let made = Arc::new(Run {
        request,
        visitor,
        watch: Attention::new(Some(LONGEST)),
        tenure: Tenure::new(wish.stay),
        began: Instant::now(),
        end: Mutex::new(None),
    });
    let id = shared.runs.add(Arc::clone(&made))?;
    let (desk, working) = (Arc::clone(shared), Arc::clone(&made));
    if let Err(refusal) = behind("experiment", Box::new(move || working.go(&desk))) {
        *lock(&made.end) = Some((0.0, Err(Refusal::busy())));
        return Err(refusal);
    }
    at_once(begun(as_json(made.describe(id, visitor))))
}

/// `GET /api/v1/experiments/run/{id}`
pub(crate) fn show(asked: &Asked) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.runs.find(&asked.id)?;
    let visitor = asked.visitor;
    if found.visitor == visitor {
        found.tenure.look();
    }
    Ok(asked.quick(move |_, _| Ok(as_json(found.describe(id, visitor)))))
}

/// `DELETE /api/v1/experiments/run/{id}`
pub(crate) fn stop(asked: &Asked) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.runs.own(&asked.id, asked.visitor)?;
    found.stop();
    at_once(as_json(found.describe(id, asked.visitor)))
}
