//! Handlers for experiment runs: reproductions of published results, with the published numbers and plots.
//!
//! ```text
//!  GET    /api/v1/experiments         all experiments, with the id of the latest run of each
//!  POST   /api/v1/experiments/run     {"name": "dp"}  →  {"id": 2, "state": "running"}
//!  GET    /api/v1/experiments/run/2   progress, then the result, each plot as SVG too
//!  DELETE /api/v1/experiments/run/2   stops the run
//! ```

use crate::api_request::ApiRequest;
use crate::background::{JobStatus, Lease, Stage, Work, behind, lock};
use crate::net::ClientId;
use crate::refusal::Refusal;
use crate::reply::{Reply, as_json, at_once, begun, json, written};
use crate::router::ServerState;
use crate::workers::JobProgress;
use axum::http::StatusCode;
use outplay_experiments::{ExperimentInfo, ExperimentRequest, Findings, experiments, run};
use outplay_runtime::Monitor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time limit of a run.
const LONGEST: Duration = Duration::from_secs(900);
/// Most games, trials or positions of a run.
const MOST: u32 = 10_000;

/// One run of an experiment.
pub(crate) struct Run {
    request: ExperimentRequest,
    visitor: ClientId,
    watch: Arc<JobProgress>,
    lease: Lease,
    began: Instant,
    end: Mutex<Option<(f64, Result<Findings, Refusal>)>>,
}

impl Work for Run {
    const NAME: &'static str = "an experiment";

    fn visitor(&self) -> ClientId {
        self.visitor
    }

    fn runs(&self) -> bool {
        lock(&self.end).is_none()
    }

    fn stop(&self) {
        self.watch.stop();
    }
}

/// Monitor of a run: stops it when its lease expires.
struct LeaseMonitor<'a>(&'a Run);

impl Monitor for LeaseMonitor<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.0.watch.stage(name, total);
    }
    fn advance(&self, units: u64) {
        self.0.watch.advance(units);
    }
    fn stopped(&self) -> bool {
        self.0.watch.stopped() || self.0.lease.is_over()
    }
}

impl Run {
    fn go(&self, shared: &ServerState) {
        let catalog = shared.shelf.catalog();
        let found = catch_unwind(AssertUnwindSafe(|| run(catalog, &self.request, &LeaseMonitor(self))));
        let found = match found {
            Ok(found) => found.map_err(Refusal::from),
            Err(_) => {
                let error = "internal error: the experiment crashed";
                Err(Refusal::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    error,
                    "please report this bug with the name of the experiment",
                ))
            }
        };
        *lock(&self.end) = Some((self.began.elapsed().as_secs_f64(), found));
    }

    /// Serialises the status of a run.
    fn describe(&self, id: u64, visitor: ClientId) -> String {
        let end = lock(&self.end);
        let (state, stage) = match &*end {
            None => {
                let state = if self.watch.stopped() { "stopping" } else { "running" };
                (state, Stage::Running(self.watch.progress()))
            }
            Some((_, Ok(findings))) => {
                let pictures = findings.plots.iter().map(|plot| plot.svg()).collect();
                ("done", Stage::Done(RunResult { findings, pictures }))
            }
            Some((_, Err(refusal))) => {
                let state = if self.watch.stopped() || self.lease.is_over() { "stopped" } else { "failed" };
                (state, Stage::Failed(refusal))
            }
        };
        let ExperimentRequest { name, seed, games, .. } = &self.request;
        let about = RunSubject { mine: visitor == self.visitor, name, sample: *games, seed: *seed };
        let seconds =
            end.as_ref().map_or_else(|| self.began.elapsed().as_secs_f64(), |(seconds, _)| *seconds);
        written(&JobStatus { id, about, state, seconds, stage })
    }
}

/// The subject of a run's report.
#[derive(Serialize)]
struct RunSubject<'a> {
    mine: bool,
    name: &'a str,
    sample: Option<u32>,
    seed: u64,
}

/// The result in a run's report, with each plot as SVG.
#[derive(Serialize)]
struct RunResult<'a> {
    findings: &'a Findings,
    pictures: Vec<String>,
}

/// The body of `POST /api/v1/experiments/run`.
#[derive(Deserialize)]
struct RunRequest {
    name: String,
    /// Random seed.
    #[serde(default)]
    seed: Option<u64>,
    /// Number of games, trials or positions.
    #[serde(default)]
    sample: Option<u32>,
    /// Whether to keep running when no client polls.
    #[serde(default)]
    stay: bool,
}

/// The answer of `GET /api/v1/experiments`.
#[derive(Serialize)]
struct ExperimentList {
    experiments: Vec<ExperimentInfo>,
    /// The id of the latest run of each experiment.
    latest: BTreeMap<String, u64>,
}

/// `GET /api/v1/experiments`
pub(crate) fn list(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let mut latest = BTreeMap::new();
    for (id, run) in asked.shared.runs.all() {
        let done = matches!(&*lock(&run.end), Some((_, Ok(_))));
        if done || run.runs() {
            latest.entry(run.request.name.clone()).or_insert(id);
        }
    }
    at_once(json(&ExperimentList { experiments: experiments(), latest }))
}

/// `POST /api/v1/experiments/run`
pub(crate) fn start(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let body: RunRequest = asked.told()?;
    let (shared, visitor) = (&asked.shared, asked.visitor);
    if !experiments().iter().any(|about| about.name == body.name) {
        let name: String = body.name.chars().take(80).collect();
        let error = format!("there is no experiment called `{name}`");
        return Err(Refusal::bad(error, "/api/v1/experiments lists them"));
    }
    if body.sample.is_some_and(|sample| !(1..=MOST).contains(&sample)) {
        return Err(Refusal::bad(
            format!("the sample must be from 1 to {MOST}"),
            "leave it out to use the experiment's default",
        ));
    }
    let mut request = ExperimentRequest::default();
    request.name = body.name;
    request.seed = body.seed.unwrap_or(request.seed);
    request.games = body.sample;
    // The machine is shared: one thread, no result cache, one client's share of memory.
    request.session = shared.session(1).impartial().with(|session| session.time = None);
    let made = Arc::new(Run {
        request,
        visitor,
        watch: JobProgress::new(Some(LONGEST)),
        lease: Lease::new(body.stay),
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
pub(crate) fn show(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.runs.find(&asked.id)?;
    let visitor = asked.visitor;
    if found.visitor == visitor {
        found.lease.renew();
    }
    Ok(asked.quick(move |_, _| Ok(as_json(found.describe(id, visitor)))))
}

/// `DELETE /api/v1/experiments/run/{id}`
pub(crate) fn stop(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.runs.own(&asked.id, asked.visitor)?;
    found.stop();
    at_once(as_json(found.describe(id, asked.visitor)))
}
