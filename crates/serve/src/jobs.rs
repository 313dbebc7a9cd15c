//! Solving a whole game in the background: started, watched and cancelled by its number.
//!
//! ```text
//!  POST   /api/v1/solve      {"game": …}  →  {"id": 3, "state": "running"}
//!  GET    /api/v1/solve/3                 →  stage, done, total … then the answer
//!  GET    /api/v1/solve/3/stream          →  the same as events, for as long as somebody listens
//!  DELETE /api/v1/solve/3                 →  {"state": "cancelled"}
//! ```
//!
//! A job that was begun with `"stay": false` ends with the stream of the last who listens to it: a page that is closed
//! leaves no work behind.
//!
//! Invariant: one job runs at a time, and tables go to the data directory under names that the table crate makes;
//! no request can say where.

use crate::ask::Told;
use crate::lent::Loan;
use crate::place::At;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::router::Shared;
use crate::stream::watched;
use crate::workers::{Attention, Leash};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use outplay_answer::{Method, SolveAnswer, SolveRequest, Trouble, Values};
use outplay_core::Watch;
use outplay_core::figures::bytes;
use outplay_door::Visitor;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};

/// Finished jobs that are remembered.
const REMEMBERED: usize = 32;
/// How often a job's table is measured.
const LOOK: Duration = Duration::from_millis(250);
/// How long a job that does not stay waits for a listener.
const UNHEARD: Duration = Duration::from_secs(10);
/// The longest that a job may take.
const LONGEST: Duration = Duration::from_secs(3600);

/// One solve.
struct Job {
    id: u64,
    game: String,
    watch: Arc<Attention>,
    /// Who began it, and may end it.
    visitor: Visitor,
    /// Whether it goes on when nobody listens.
    stay: bool,
    /// Whether anybody ever listened.
    heard: bool,
    /// What those who listen hold together: dropped by the last of them, it ends the job.
    leash: Weak<Leash>,
    began: Instant,
    end: Option<(f64, Result<SolveAnswer, Refusal>)>,
}

impl Job {
    /// A share of what keeps the job going, unless it stays anyway.
    fn hold(&mut self) -> Option<Arc<Leash>> {
        if self.stay {
            return None;
        }
        let leash = self.leash.upgrade().unwrap_or_else(|| Arc::new(Leash(Arc::clone(&self.watch))));
        self.leash = Arc::downgrade(&leash);
        Some(leash)
    }
}

/// The solves of a server.
#[derive(Default)]
pub(crate) struct Jobs {
    list: Mutex<(u64, VecDeque<Job>)>,
}

/// What to solve.
#[derive(Deserialize)]
pub(crate) struct JobRequest {
    /// The game's spec.
    game: String,
    /// `auto` unless given.
    #[serde(default)]
    method: Option<String>,
    /// `wdl` or `distance`.
    #[serde(default)]
    values: Option<String>,
    /// Whether to keep a table; true unless given.
    #[serde(default)]
    save: Option<bool>,
    /// Whether it goes on when nobody listens to its stream; true unless given.
    #[serde(default)]
    stay: Option<bool>,
}

impl Jobs {
    fn with<T>(&self, act: impl FnOnce(&mut u64, &mut VecDeque<Job>) -> T) -> T {
        // A job that panicked left the list as it was.
        let mut list = self.list.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (last, jobs) = &mut *list;
        act(last, jobs)
    }

    /// A new job's number, if no other job runs.
    fn begin(
        &self,
        game: &str,
        watch: &Arc<Attention>,
        visitor: Visitor,
        stay: bool,
    ) -> Result<u64, Refusal> {
        self.with(|last, jobs| {
            if jobs.iter().any(|job| job.end.is_none()) {
                let error = "busy: another game is being solved";
                return Err(Refusal::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    error,
                    "wait for it, or cancel it",
                ));
            }
            *last += 1;
            let job = Job {
                id: *last,
                game: game.into(),
                watch: Arc::clone(watch),
                visitor,
                stay,
                heard: false,
                leash: Weak::new(),
                began: Instant::now(),
                end: None,
            };
            jobs.push_back(job);
            if jobs.len() > REMEMBERED {
                jobs.pop_front();
            }
            Ok(*last)
        })
    }

    fn finish(&self, id: u64, result: Result<SolveAnswer, Refusal>) {
        self.with(|_, jobs| {
            if let Some(job) = jobs.iter_mut().find(|job| job.id == id) {
                job.end = Some((job.began.elapsed().as_secs_f64(), result));
            }
        });
    }

    fn describe(&self, id: u64) -> Result<Value, Refusal> {
        self.with(|_, jobs| {
            let job = jobs.iter().find(|job| job.id == id).ok_or_else(|| missing(&id.to_string()))?;
            Ok(describe(job))
        })
    }

    /// Whether anybody listened to a job, or there is none any more.
    fn heard(&self, id: u64) -> bool {
        self.with(|_, jobs| jobs.iter().find(|job| job.id == id).is_none_or(|job| job.heard))
    }

    /// Tells every job to stop, because the server ends.
    pub(crate) fn stop(&self) {
        self.with(|_, jobs| jobs.iter().for_each(|job| job.watch.stop()));
    }
}

fn missing(id: &str) -> Refusal {
    let id: String = id.chars().take(20).collect();
    let error = format!("there is no solve job {id}");
    Refusal::new(StatusCode::NOT_FOUND, error, "POST /api/v1/solve begins one and tells its number")
}

fn describe(job: &Job) -> Value {
    let Job { id, game, watch, began, end, .. } = job;
    match end {
        None => json!({
            "id": id, "game": game, "state": if watch.stopped() { "stopping" } else { "running" },
            "stage": watch.stage_name(), "done": watch.done.load(Ordering::Relaxed),
            "total": watch.total.load(Ordering::Relaxed), "seconds": began.elapsed().as_secs_f64(),
        }),
        Some((seconds, Ok(answer))) => {
            json!({ "id": id, "game": game, "state": "done", "seconds": seconds, "answer": answer })
        }
        Some((seconds, Err(refusal))) => {
            // A job that had to be stopped because the disk's share was full was not cancelled by anybody.
            let cancelled = watch.stopped() && refusal.status != StatusCode::SERVICE_UNAVAILABLE;
            let state = if cancelled { "cancelled" } else { "failed" };
            json!({ "id": id, "game": game, "state": state, "seconds": seconds, "error": refusal.error, "cure": refusal.cure })
        }
    }
}

/// `POST /api/v1/solve`
pub(crate) async fn start(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Told(request, _working): Told<JobRequest>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    if shared.settings.read_only {
        let error = "this server writes nothing and solves no games as a whole";
        let cure = "ask for one position, or solve the game with the command line: `outplay solve GAME`";
        return Err(Refusal::new(StatusCode::FORBIDDEN, error, cure));
    }
    let place = At { game: request.game.clone(), ..At::default() }.place()?;
    let word = |error: String| Refusal::bad(error, "docs/api.md lists what a solve job takes");
    let method: Method = request.method.as_deref().unwrap_or("auto").parse().map_err(word)?;
    let values = match request.values.as_deref() {
        None | Some("distance") => Values::Distance,
        Some("wdl") => Values::Wdl,
        Some(_) => return Err(word("`values` is neither wdl nor distance".into())),
    };
    let store = request.save.unwrap_or(true);
    let desk = Arc::clone(&shared);
    let spec = request.game.clone();
    let (game, loan) = shared
        .workers
        .quick(move || {
            let game = desk.shelf.open(&spec)?;
            let loan = desk.loan.clone().filter(|_| store);
            match loan {
                None => Ok((game, None)),
                // What is there already is read where it stands.
                Some(loan) if loan.complete(&game.spec(), values).map_err(Trouble::from)? => Ok((game, None)),
                Some(loan) => {
                    desk.sweep();
                    if !loan.has_room().map_err(Trouble::from)? {
                        return Err(full(&loan));
                    }
                    // The table will move; a game of its own does not hand a stale place to others.
                    Ok((desk.shelf.catalog().open(&spec)?, Some(loan)))
                }
            }
        })
        .await?;
    let watch = Attention::new(Some(LONGEST + GRACE));
    let stay = request.stay.unwrap_or(true);
    let id = shared.jobs.begin(&game.spec(), &watch, visitor, stay)?;
    let settings = &shared.settings;
    let mut solve = SolveRequest::default();
    solve.place = place;
    solve.method = method;
    solve.values = values;
    solve.store = store;
    solve.options = shared.options(settings.threads);
    solve.options.memory = settings.memory;
    solve.options.time = Some(LONGEST);
    // A job is to find out, not to repeat what was found.
    solve.options.recall = false;
    if let Some(loan) = &loan {
        solve.options.data = Some(loan.workshop());
    }
    if !stay {
        let (desk, watch) = (Arc::clone(&shared), Arc::clone(&watch));
        tokio::spawn(async move {
            tokio::time::sleep(UNHEARD).await;
            if !desk.jobs.heard(id) {
                watch.stop();
            }
        });
    }
    let desk = Arc::clone(&shared);
    // The job outlives its request, and a fault inside it ends as its answer.
    tokio::spawn(async move {
        let watched = Arc::clone(&watch);
        let work = crate::workers::run(move || Ok(game.solve(&solve, &*watched)?));
        let result = match loan {
            None => work.await,
            Some(loan) => within(loan, &watch, work).await,
        };
        if let Ok(answer) = &result {
            desk.answers.forget(&answer.game);
            // Whoever asks next looks for its table anew.
            desk.shelf.forget(|spec| *spec == answer.game);
        }
        desk.jobs.finish(id, result);
    });
    Ok((StatusCode::ACCEPTED, Json(shared.jobs.describe(id)?)))
}

/// Waits for a job that may write only so much, and puts its table where it belongs.
async fn within(
    loan: Loan,
    watch: &Attention,
    work: impl Future<Output = Result<SolveAnswer, Refusal>>,
) -> Result<SolveAnswer, Refusal> {
    tokio::pin!(work);
    let mut look = tokio::time::interval(LOOK);
    let mut over = false;
    let result = loop {
        tokio::select! {
            result = &mut work => break result,
            _ = look.tick() => {
                let loan = loan.clone();
                let room = crate::workers::run(move || Ok(loan.has_room().map_err(Trouble::from)?)).await;
                if matches!(room, Ok(false)) {
                    over = true;
                    watch.stop();
                }
            }
        }
    };
    crate::workers::run(move || {
        let fits = !over && loan.has_room().map_err(Trouble::from)?;
        if result.is_ok() && fits {
            loan.deliver()?;
        } else if !fits {
            loan.clear();
            return Err(full(&loan));
        }
        result
    })
    .await
}

fn full(loan: &Loan) -> Refusal {
    let lent = loan.lent();
    let error =
        format!("tables that visitors made fill the {} that this server has for them", bytes(lent.bytes));
    let cure =
        "solve it without keeping the table (`\"save\": false`), or wait until older tables are removed";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, cure)
}

impl Shared {
    /// Removes tables of visitors whose time is over.
    pub(crate) fn sweep(&self) {
        let Some(loan) = &self.loan else { return };
        // A directory that cannot be read now is looked at again in a minute.
        let gone = loan.sweep(SystemTime::now()).unwrap_or_default();
        if !gone.is_empty() {
            self.shelf.forget(|_| true);
        }
    }
}

/// `GET /api/v1/solve/{id}`
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let id: u64 = id.parse().map_err(|_| missing(&id))?;
    shared.jobs.describe(id).map(Json)
}

/// `GET /api/v1/solve/{id}/stream`: `progress` while it runs, then `done` with what [`show`] says.
pub(crate) async fn listen(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Refusal> {
    let id: u64 = id.parse().map_err(|_| missing(&id))?;
    let (watch, leash) = shared.jobs.with(|_, jobs| {
        let job = jobs.iter_mut().find(|job| job.id == id).ok_or_else(|| missing(&id.to_string()))?;
        job.heard = true;
        Ok::<_, Refusal>((Arc::clone(&job.watch), job.hold()))
    })?;
    Ok(watched(watch, leash, move |_, _| async move {
        loop {
            let told = shared.jobs.describe(id)?;
            if !matches!(told["state"].as_str(), Some("running" | "stopping")) {
                return Ok(told);
            }
            tokio::time::sleep(LOOK).await;
        }
    }))
}

/// `DELETE /api/v1/solve/{id}`
pub(crate) async fn cancel(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let id: u64 = id.parse().map_err(|_| missing(&id))?;
    shared.jobs.with(|_, jobs| {
        let job = jobs.iter().find(|job| job.id == id).ok_or_else(|| missing(&id.to_string()))?;
        if job.visitor != visitor {
            let error = format!("solve job {id} was begun by somebody else");
            return Err(Refusal::new(StatusCode::FORBIDDEN, error, "wait for it"));
        }
        if job.end.is_none() {
            job.watch.stop();
        }
        Ok(Json(describe(job)))
    })
}
