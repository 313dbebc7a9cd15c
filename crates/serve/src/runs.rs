//! Experiments, run again: theirs beside ours, with plots.
//!
//! ```text
//!  GET    /api/v1/experiments         what there is, with the number of the last run of each
//!  POST   /api/v1/experiments/run     {"name": "dp"}  →  {"id": 2, "state": "running"}
//!  GET    /api/v1/experiments/run/2   how far it is, then what it found, each plot as SVG too
//!  DELETE /api/v1/experiments/run/2   stops it
//! ```

use crate::ask::Told;
use crate::background::{Tenure, Work, behind, lock};
use crate::refusal::Refusal;
use crate::router::Shared;
use crate::workers::Attention;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use outplay_core::Watch;
use outplay_door::Visitor;
use outplay_experiments::{ExperimentRequest, Findings, experiments, run};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
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

    fn describe(&self, id: u64, visitor: Visitor) -> Value {
        let mut told = json!({
            "id": id, "name": self.request.name, "seed": self.request.seed, "sample": self.request.games, "mine": visitor == self.visitor,
        });
        let more = match &*lock(&self.end) {
            None => json!({
                "state": if self.watch.stopped() { "stopping" } else { "running" }, "stage": self.watch.stage_name(),
                "done": self.watch.done.load(Ordering::Relaxed), "total": self.watch.total.load(Ordering::Relaxed),
                "seconds": self.began.elapsed().as_secs_f64(),
            }),
            Some((seconds, Ok(findings))) => {
                let plots: Vec<String> = findings.plots.iter().map(|plot| plot.svg()).collect();
                json!({ "state": "done", "seconds": seconds, "findings": findings, "pictures": plots })
            }
            Some((seconds, Err(refusal))) => {
                let state = if self.watch.stopped() || self.tenure.is_over() { "stopped" } else { "failed" };
                json!({ "state": state, "seconds": seconds, "error": refusal.error, "cure": refusal.cure })
            }
        };
        if let (Value::Object(told), Value::Object(more)) = (&mut told, more) {
            told.extend(more);
        }
        told
    }
}

/// Which experiment, and with what.
#[derive(Deserialize)]
pub(crate) struct RunRequest {
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

/// `GET /api/v1/experiments`
pub(crate) async fn list(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let mut latest = Map::new();
    for (id, run) in shared.runs.all() {
        let done = matches!(&*lock(&run.end), Some((_, Ok(_))));
        if done || run.runs() {
            latest.entry(run.request.name.clone()).or_insert(json!(id));
        }
    }
    Json(json!({ "experiments": experiments(), "latest": latest }))
}

/// `POST /api/v1/experiments/run`
pub(crate) async fn start(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Told(wish, _working): Told<RunRequest>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
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
    let (desk, working) = (Arc::clone(&shared), Arc::clone(&made));
    if let Err(refusal) = behind("experiment", move || working.go(&desk)) {
        *lock(&made.end) = Some((0.0, Err(Refusal::busy())));
        return Err(refusal);
    }
    Ok((StatusCode::ACCEPTED, Json(made.describe(id, visitor))))
}

/// `GET /api/v1/experiments/run/{id}`
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let (id, found) = shared.runs.find(&id)?;
    if found.visitor == visitor {
        found.tenure.look();
    }
    shared.workers.quick(move || Ok(found.describe(id, visitor))).await.map(Json)
}

/// `DELETE /api/v1/experiments/run/{id}`
pub(crate) async fn stop(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let (id, found) = shared.runs.own(&id, visitor)?;
    found.stop();
    Ok(Json(found.describe(id, visitor)))
}
