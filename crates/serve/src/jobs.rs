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

use crate::ask::Asked;
use crate::background::{Report, Stage, spawn};
use crate::lent::Loan;
use crate::place::At;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::reply::{Reply, Soon, as_json, at_once, begun, written};
use crate::router::Shared;
use crate::stream::Live;
use crate::workers::{Attention, Leash, run};
use axum::http::StatusCode;
use outplay_answer::{Method, SolveAnswer, SolveRequest, Trouble, Values};
use outplay_core::Watch;
use outplay_core::figures::bytes;
use outplay_door::Visitor;
use serde::{Deserialize, Serialize};
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
    list: Mutex<(u64, Vec<Job>)>,
}

/// What to solve.
#[derive(Deserialize)]
struct JobRequest {
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
    fn with<T>(&self, act: impl FnOnce(&mut u64, &mut Vec<Job>) -> T) -> T {
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
            jobs.push(job);
            if jobs.len() > REMEMBERED {
                jobs.remove(0);
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

    /// Looks at a job.
    fn look<T>(&self, id: &str, look: impl FnOnce(&mut Job) -> T) -> Result<T, Refusal> {
        let id: u64 = id.parse().map_err(|_| missing(id))?;
        self.with(|_, jobs| {
            let job = jobs.iter_mut().find(|job| job.id == id);
            job.map(look).ok_or_else(|| missing(&id.to_string()))
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

/// What a job is about.
#[derive(Serialize)]
struct What<'a> {
    game: &'a str,
}

/// What a job found.
#[derive(Serialize)]
struct Found<'a> {
    answer: &'a SolveAnswer,
}

/// How a job stands, written.
fn describe(job: &Job) -> String {
    let Job { id, game, watch, began, end, .. } = job;
    let (state, stage) = match end {
        None if watch.stopped() => ("stopping", Stage::Running(watch.progress())),
        None => ("running", Stage::Running(watch.progress())),
        Some((_, Ok(answer))) => ("done", Stage::Done(Found { answer })),
        Some((_, Err(refusal))) => {
            // A job that had to be stopped because the disk's share was full was not cancelled by anybody.
            let cancelled = watch.stopped() && refusal.status != StatusCode::SERVICE_UNAVAILABLE;
            (if cancelled { "cancelled" } else { "failed" }, Stage::Failed(refusal))
        }
    };
    let seconds = end.as_ref().map_or_else(|| began.elapsed().as_secs_f64(), |(seconds, _)| *seconds);
    written(&Report { id: *id, about: What { game }, state, seconds, stage })
}

/// `POST /api/v1/solve`
pub(crate) fn start(asked: &Asked) -> Result<Reply, Refusal> {
    let request: JobRequest = asked.told()?;
    if asked.shared.settings.read_only {
        let error = "this server writes nothing and solves no games as a whole";
        let cure = "ask for one position, or solve the game with the command line: `outplay solve GAME`";
        return Err(Refusal::new(StatusCode::FORBIDDEN, error, cure));
    }
    let mut solve = SolveRequest::default();
    solve.place = At { game: request.game.clone(), ..At::default() }.place()?;
    let word = |error: String| Refusal::bad(error, "docs/api.md lists what a solve job takes");
    solve.method = request.method.as_deref().unwrap_or("auto").parse::<Method>().map_err(word)?;
    solve.values = match request.values.as_deref() {
        None | Some("distance") => Values::Distance,
        Some("wdl") => Values::Wdl,
        Some(_) => return Err(word("`values` is neither wdl nor distance".into())),
    };
    solve.store = request.save.unwrap_or(true);
    let (visitor, stay) = (asked.visitor, request.stay.unwrap_or(true));
    Ok(asked.quick(move |desk, _| Ok(begun(as_json(begin(desk, visitor, &request.game, solve, stay)?)))))
}

/// Begins a solve that was understood; how it stands.
fn begin(
    shared: &Arc<Shared>,
    visitor: Visitor,
    spec: &str,
    mut solve: SolveRequest,
    stay: bool,
) -> Result<String, Refusal> {
    let mut game = shared.shelf.open(spec)?;
    let mut loan = shared.loan.clone().filter(|_| solve.store);
    if let Some(lent) = &loan {
        if lent.complete(&game.spec(), solve.values).map_err(Trouble::from)? {
            // What is there already is read where it stands.
            loan = None;
        } else {
            shared.sweep();
            if !lent.has_room().map_err(Trouble::from)? {
                return Err(full(lent));
            }
            // The table will move; a game of its own does not hand a stale place to others.
            game = shared.shelf.catalog().open(spec)?;
        }
    }
    let watch = Attention::new(Some(LONGEST + GRACE));
    let id = shared.jobs.begin(&game.spec(), &watch, visitor, stay)?;
    let settings = &shared.settings;
    solve.options = shared.options(settings.threads);
    solve.options.memory = settings.memory;
    solve.options.time = Some(LONGEST);
    // A job is to find out, not to repeat what was found.
    solve.options.recall = false;
    if let Some(loan) = &loan {
        solve.options.data = Some(loan.workshop());
    }
    if !stay {
        let (desk, watch) = (Arc::clone(shared), Arc::clone(&watch));
        spawn(async move {
            tokio::time::sleep(UNHEARD).await;
            if !desk.jobs.heard(id) {
                watch.stop();
            }
        });
    }
    let desk = Arc::clone(shared);
    // The job outlives its request, and a fault inside it ends as its answer.
    spawn(async move {
        let watched = Arc::clone(&watch);
        let work = Box::pin(run(Box::new(move || Ok(game.solve(&solve, &*watched)?))));
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
    shared.jobs.look(&id.to_string(), |job| describe(job))
}

/// Waits for a job that may write only so much, and puts its table where it belongs.
async fn within(loan: Loan, watch: &Attention, mut work: Soon<SolveAnswer>) -> Result<SolveAnswer, Refusal> {
    let mut look = tokio::time::interval(LOOK);
    let mut over = false;
    let result = loop {
        tokio::select! {
            result = &mut work => break result,
            _ = look.tick() => {
                let loan = loan.clone();
                let room = run(Box::new(move || Ok(loan.has_room().map_err(Trouble::from)?))).await;
                if matches!(room, Ok(false)) {
                    over = true;
                    watch.stop();
                }
            }
        }
    };
    run(Box::new(move || {
        let fits = !over && loan.has_room().map_err(Trouble::from)?;
        if result.is_ok() && fits {
            loan.deliver()?;
        } else if !fits {
            loan.clear();
            return Err(full(&loan));
        }
        result
    }))
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
pub(crate) fn show(asked: &Asked) -> Result<Reply, Refusal> {
    at_once(as_json(asked.shared.jobs.look(&asked.id, |job| describe(job))?))
}

/// `GET /api/v1/solve/{id}/stream`: `progress` while it runs, then `done` with what [`show`] says.
pub(crate) fn listen(asked: &Asked) -> Result<Reply, Refusal> {
    let (shared, id) = (Arc::clone(&asked.shared), asked.id.clone());
    let (watch, leash) = shared.jobs.look(&id, |job| {
        job.heard = true;
        (Arc::clone(&job.watch), job.hold())
    })?;
    let end = Box::pin(async move {
        loop {
            let told = shared.jobs.look(&id, |job| job.end.is_some().then(|| describe(job)))?;
            if let Some(told) = told {
                return Ok(told);
            }
            tokio::time::sleep(LOOK).await;
        }
    });
    let (events, live) = Live::new();
    at_once(live.until(end, events, watch, leash))
}

/// `DELETE /api/v1/solve/{id}`
pub(crate) fn cancel(asked: &Asked) -> Result<Reply, Refusal> {
    let told = asked.shared.jobs.look(&asked.id, |job| {
        if job.visitor != asked.visitor {
            let error = format!("solve job {} was begun by somebody else", job.id);
            return Err(Refusal::new(StatusCode::FORBIDDEN, error, "wait for it"));
        }
        if job.end.is_none() {
            job.watch.stop();
        }
        Ok(describe(job))
    })?;
    at_once(as_json(told?))
}
