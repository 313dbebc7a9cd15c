//! Background solve jobs: started, polled, streamed and cancelled by id.
//!
//! ```text
//!  POST   /api/v1/solve      {"game": …}  →  {"id": 3, "state": "running"}
//!  GET    /api/v1/solve/3                 →  stage, done, total … then the answer
//!  GET    /api/v1/solve/3/stream          →  the same as server-sent events
//!  DELETE /api/v1/solve/3                 →  {"state": "cancelled"}
//! ```
//!
//! A job started with `"stay": false` is cancelled when its last event stream closes, so that no work continues after a
//! page is closed.
//!
//! Scheduling is first come, first served, with one job per client. A running job is preempted (cancelled) after its
//! time slice only if another client is waiting.
//!
//! Invariant: one job runs at a time. Tables go to the data directory under names that the table crate makes; no
//! request can choose a path.

use crate::api_request::ApiRequest;
use crate::background::{JobStatus, Stage, spawn};
use crate::net::ClientId;
use crate::place::At;
use crate::question::GRACE;
use crate::quota::GuestTables;
use crate::refusal::Refusal;
use crate::reply::{Reply, Soon, as_json, at_once, begun, written};
use crate::router::ServerState;
use crate::stream::Live;
use crate::workers::{CancelOnDrop, JobProgress, run};
use axum::http::StatusCode;
use outplay_core::figures::bytes;
use outplay_runtime::Monitor;
use outplay_workbench::{Method, SolveAnswer, SolveRequest, Trouble, Values};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};

/// Finished jobs that stay in the list.
const FINISHED: usize = 32;
/// Polling interval for the queue and for the disk usage of a job's table.
const POLL: Duration = Duration::from_millis(250);
/// Time after which a job without `stay` is cancelled if no stream was opened.
const STREAM_WAIT: Duration = Duration::from_secs(10);
/// Time limit of a job once it runs.
const TIME_LIMIT: Duration = Duration::from_secs(3600);
/// Length of the queue.
const QUEUE: usize = 8;

/// A solve job.
struct Job {
    id: u64,
    game: String,
    watch: Arc<JobProgress>,
    /// The client that started the job; only this client may cancel it.
    visitor: ClientId,
    /// Keeps the job running without an open stream.
    stay: bool,
    /// Whether a stream was ever opened.
    streamed: bool,
    /// Shared by the open streams; the last one to drop it cancels the job.
    guard: Weak<CancelOnDrop>,
    began: Instant,
    /// Start of the time slice; `None` while the job is queued.
    turn: Option<Instant>,
    /// Whether the job was preempted for another client.
    yielded: bool,
    end: Option<(f64, Result<SolveAnswer, Refusal>)>,
}

impl Job {
    /// Returns a share of the cancel-on-drop guard; `None` for a job that stays.
    fn hold(&mut self) -> Option<Arc<CancelOnDrop>> {
        if self.stay {
            return None;
        }
        let guard = self.guard.upgrade().unwrap_or_else(|| Arc::new(CancelOnDrop(Arc::clone(&self.watch))));
        self.guard = Arc::downgrade(&guard);
        Some(guard)
    }
}

/// The solve jobs of a server.
#[derive(Default)]
pub(crate) struct Jobs {
    list: Mutex<(u64, Vec<Job>)>,
}

/// The body of `POST /api/v1/solve`.
#[derive(Deserialize)]
struct JobRequest {
    /// The game's spec.
    game: String,
    /// Solving method; `auto` by default.
    #[serde(default)]
    method: Option<String>,
    /// `wdl` or `distance`.
    #[serde(default)]
    values: Option<String>,
    /// Whether to keep a table; true by default.
    #[serde(default)]
    save: Option<bool>,
    /// Whether the job keeps running without an open stream; true by default.
    #[serde(default)]
    stay: Option<bool>,
}

impl Jobs {
    fn with<T>(&self, act: impl FnOnce(&mut u64, &mut Vec<Job>) -> T) -> T {
        // No update of the list panics halfway, so a poisoned lock is still consistent.
        let mut list = self.list.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (last, jobs) = &mut *list;
        act(last, jobs)
    }

    /// Queues a job and returns its id; refuses a second job of the same client and a full queue.
    fn begin(
        &self,
        game: &str,
        watch: &Arc<JobProgress>,
        visitor: ClientId,
        stay: bool,
    ) -> Result<u64, Refusal> {
        self.with(|last, jobs| {
            let busy =
                |error: &str, cure: &str| Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, cure));
            if jobs.iter().any(|job| job.end.is_none() && job.visitor == visitor) {
                let error = "busy: another solve of your address is running or queued";
                return busy(error, "wait until it has finished, or cancel it");
            }
            if jobs.iter().filter(|job| job.end.is_none()).count() > QUEUE {
                return busy("busy: the queue of solves is full", "ask again in a few minutes");
            }
            *last += 1;
            let job = Job {
                id: *last,
                game: game.into(),
                watch: Arc::clone(watch),
                visitor,
                stay,
                streamed: false,
                guard: Weak::new(),
                began: Instant::now(),
                turn: None,
                yielded: false,
                end: None,
            };
            jobs.push(job);
            if jobs.len() > FINISHED
                && let Some(oldest) = jobs.iter().position(|job| job.end.is_some())
            {
                jobs.remove(oldest);
            }
            Ok(*last)
        })
    }

    /// Returns true once a queued job may leave the queue: its turn has come, or it was cancelled. Called for the head
    /// of the queue, it preempts the running job after its time slice.
    fn turn(&self, id: u64, slice: Duration) -> bool {
        self.with(|_, jobs| {
            if jobs.iter().find(|job| job.id == id).is_none_or(|job| job.watch.stopped()) {
                return true;
            }
            let waits = |job: &&mut Job| job.end.is_none() && job.turn.is_none() && !job.watch.stopped();
            if jobs.iter_mut().find(waits).is_none_or(|first| first.id != id) {
                return false;
            }
            match jobs.iter_mut().find(|job| job.end.is_none() && job.turn.is_some()) {
                Some(running) => {
                    let over = running.turn.is_some_and(|turn| turn.elapsed() >= slice);
                    if over && !running.watch.stopped() {
                        running.yielded = true;
                        running.watch.stop();
                    }
                    false
                }
                None => {
                    jobs.iter_mut()
                        .filter(|job| job.id == id)
                        .for_each(|job| job.turn = Some(Instant::now()));
                    true
                }
            }
        })
    }

    fn finish(&self, id: u64, result: Result<SolveAnswer, Refusal>) {
        self.with(|_, jobs| {
            if let Some(job) = jobs.iter_mut().find(|job| job.id == id) {
                let result = if job.yielded { result.map_err(|_| preempted()) } else { result };
                job.end = Some((job.began.elapsed().as_secs_f64(), result));
            }
        });
    }

    /// Applies a function to a job by id.
    fn look<T>(&self, id: &str, look: impl FnOnce(&mut Job) -> T) -> Result<T, Refusal> {
        let id: u64 = id.parse().map_err(|_| missing(id))?;
        self.with(|_, jobs| {
            let job = jobs.iter_mut().find(|job| job.id == id);
            job.map(look).ok_or_else(|| missing(&id.to_string()))
        })
    }

    /// Whether a stream was ever opened for the job, or the job no longer exists.
    fn streamed(&self, id: u64) -> bool {
        self.with(|_, jobs| jobs.iter().find(|job| job.id == id).is_none_or(|job| job.streamed))
    }

    /// Cancels all jobs at shutdown.
    pub(crate) fn stop(&self) {
        self.with(|_, jobs| jobs.iter().for_each(|job| job.watch.stop()));
    }
}

/// The error of a preempted job.
fn preempted() -> Refusal {
    let error = "this solve was stopped after its time slice because another visitor was waiting";
    let cure = "repeat the request to queue it again; a solve with a table resumes";
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, cure)
}

fn missing(id: &str) -> Refusal {
    let id: String = id.chars().take(20).collect();
    let error = format!("there is no solve job {id}");
    Refusal::new(StatusCode::NOT_FOUND, error, "POST /api/v1/solve starts a job and returns its number")
}

/// The subject of a job's report.
#[derive(Serialize)]
struct JobSubject<'a> {
    game: &'a str,
}

/// The result in a job's report.
#[derive(Serialize)]
struct JobResult<'a> {
    answer: &'a SolveAnswer,
}

/// Serialises the status of a job.
fn describe(job: &Job) -> String {
    let Job { id, game, watch, began, turn, end, .. } = job;
    let (state, stage) = match end {
        None if turn.is_none() => ("waiting", Stage::Running(watch.progress())),
        None if watch.stopped() => ("stopping", Stage::Running(watch.progress())),
        None => ("running", Stage::Running(watch.progress())),
        Some((_, Ok(answer))) => ("done", Stage::Done(JobResult { answer })),
        Some((_, Err(refusal))) => {
            // A job that stopped because the quota was full has failed; it was not cancelled.
            let cancelled = watch.stopped() && refusal.status != StatusCode::SERVICE_UNAVAILABLE;
            (if cancelled { "cancelled" } else { "failed" }, Stage::Failed(refusal))
        }
    };
    let seconds = end.as_ref().map_or_else(|| began.elapsed().as_secs_f64(), |(seconds, _)| *seconds);
    written(&JobStatus { id: *id, about: JobSubject { game }, state, seconds, stage })
}

/// `POST /api/v1/solve`
pub(crate) fn start(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let request: JobRequest = asked.told()?;
    if asked.shared.settings.read_only {
        let error = "this server is read-only and does not solve whole games";
        let cure = "query single positions, or solve the game on the command line: `outplay solve GAME`";
        return Err(Refusal::new(StatusCode::FORBIDDEN, error, cure));
    }
    let mut solve = SolveRequest::default();
    solve.place = At { game: request.game.clone(), ..At::default() }.place()?;
    let word = |error: String| Refusal::bad(error, "docs/api.md lists the fields of a solve job");
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

/// Queues a validated job and returns its status as JSON.
fn begin(
    shared: &Arc<ServerState>,
    visitor: ClientId,
    spec: &str,
    solve: SolveRequest,
    stay: bool,
) -> Result<String, Refusal> {
    let mut game = shared.shelf.open(spec)?;
    let mut guest_tables = shared.guest_tables.clone().filter(|_| solve.store);
    if let Some(tables) = &guest_tables {
        if tables.complete(&game.spec(), solve.values).map_err(Trouble::from)? {
            // A complete table is read in place.
            guest_tables = None;
        } else {
            shared.sweep();
            if !tables.has_room().map_err(Trouble::from)? {
                return Err(full(tables));
            }
            // The table will be moved, so the job opens its own handle: a shared one would keep the stale path.
            game = shared.shelf.catalog().open(spec)?;
        }
    }
    let settings = &shared.settings;
    // The deadline includes the longest wait in the queue; the time limit of the solve itself is in its session.
    let slice = settings.solve_slice;
    let watch = JobProgress::new(Some(TIME_LIMIT + slice.saturating_mul(QUEUE as u32) + GRACE));
    watch.stage("waiting for another solve to end", 0);
    let id = shared.jobs.begin(&game.spec(), &watch, visitor, stay)?;
    let session = shared.session(settings.threads).with(|session| {
        session.memory = settings.memory;
        session.time = Some(TIME_LIMIT);
        // A job solves again instead of returning a cached result.
        session.recall = false;
        if let Some(guest_tables) = &guest_tables {
            session.data = Some(guest_tables.staging_dir());
        }
    });
    if !stay {
        let (desk, watch) = (Arc::clone(shared), Arc::clone(&watch));
        spawn(async move {
            tokio::time::sleep(STREAM_WAIT).await;
            if !desk.jobs.streamed(id) {
                watch.stop();
            }
        });
    }
    let desk = Arc::clone(shared);
    // The job outlives its request; a panic inside it becomes its error.
    spawn(async move {
        while !desk.jobs.turn(id, slice) {
            tokio::time::sleep(POLL).await;
        }
        if watch.stopped() {
            desk.jobs.finish(id, Err(Trouble::stopped().into()));
            return;
        }
        let watched = Arc::clone(&watch);
        let work = Box::pin(run(Box::new(move || {
            Ok(outplay_workbench::solve(&session, &game, &solve, &*watched)?)
        })));
        let result = match guest_tables {
            None => work.await,
            Some(guest_tables) => within_quota(guest_tables, &watch, work).await,
        };
        if let Ok(answer) = &result {
            desk.answers.forget(&answer.game);
            // The next request reopens the game and finds the new table.
            desk.shelf.forget(|spec| *spec == answer.game);
        }
        desk.jobs.finish(id, result);
    });
    shared.jobs.look(&id.to_string(), |job| describe(job))
}

/// Runs a job under the disk quota and moves its finished table beside the owner's.
async fn within_quota(
    guest_tables: GuestTables,
    watch: &JobProgress,
    mut work: Soon<SolveAnswer>,
) -> Result<SolveAnswer, Refusal> {
    let mut look = tokio::time::interval(POLL);
    let mut over = false;
    let result = loop {
        tokio::select! {
            result = &mut work => break result,
            _ = look.tick() => {
                let guest_tables = guest_tables.clone();
                let room = run(Box::new(move || Ok(guest_tables.has_room().map_err(Trouble::from)?))).await;
                if matches!(room, Ok(false)) {
                    over = true;
                    watch.stop();
                }
            }
        }
    };
    run(Box::new(move || {
        let fits = !over && guest_tables.has_room().map_err(Trouble::from)?;
        if result.is_ok() && fits {
            guest_tables.deliver()?;
        } else if !fits {
            guest_tables.clear();
            return Err(full(&guest_tables));
        }
        result
    }))
    .await
}

fn full(guest_tables: &GuestTables) -> Refusal {
    let quota = guest_tables.quota();
    let error = format!("the quota of {} for tables that visitors solve is full", bytes(quota.bytes));
    let cure = "solve without storing the table (`\"save\": false`), or wait until older tables are removed";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, cure)
}

impl ServerState {
    /// Removes expired guest tables.
    pub(crate) fn sweep(&self) {
        let Some(guest_tables) = &self.guest_tables else { return };
        // An unreadable directory is tried again at the next sweep.
        let gone = guest_tables.sweep(SystemTime::now()).unwrap_or_default();
        if !gone.is_empty() {
            self.shelf.forget(|_| true);
        }
    }
}

/// `GET /api/v1/solve/{id}`
pub(crate) fn show(asked: &ApiRequest) -> Result<Reply, Refusal> {
    at_once(as_json(asked.shared.jobs.look(&asked.id, |job| describe(job))?))
}

/// `GET /api/v1/solve/{id}/stream`: `progress` while the job runs, then `done` with the status of [`show`].
pub(crate) fn listen(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (shared, id) = (Arc::clone(&asked.shared), asked.id.clone());
    let (watch, guard) = shared.jobs.look(&id, |job| {
        job.streamed = true;
        (Arc::clone(&job.watch), job.hold())
    })?;
    let end = Box::pin(async move {
        loop {
            let status = shared.jobs.look(&id, |job| job.end.is_some().then(|| describe(job)))?;
            if let Some(status) = status {
                return Ok(status);
            }
            tokio::time::sleep(POLL).await;
        }
    });
    let (events, live) = Live::new();
    at_once(live.until(end, events, watch, guard))
}

/// `DELETE /api/v1/solve/{id}`
pub(crate) fn cancel(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let status = asked.shared.jobs.look(&asked.id, |job| {
        if job.visitor != asked.visitor {
            let error = format!("solve job {} was started by another client", job.id);
            return Err(Refusal::new(StatusCode::FORBIDDEN, error, "wait for it"));
        }
        if job.end.is_none() {
            job.watch.stop();
        }
        Ok(describe(job))
    })?;
    at_once(as_json(status?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_client_preempts_after_a_time_slice() {
        let jobs = Jobs::default();
        let begin = |last: u8| {
            let watch = JobProgress::new(None);
            let visitor = ClientId::at([10, 0, 0, last].into());
            jobs.begin("tictactoe", &watch, visitor, true).map(|id| (id, watch))
        };
        let (long, none) = (Duration::from_secs(3600), Duration::ZERO);
        let stopped = || Err(Trouble::stopped().into());
        let (one, first) = begin(1).unwrap();
        assert!(jobs.turn(one, none), "nobody else is there");
        assert_eq!(begin(1).unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE, "one each");
        let (two, second) = begin(2).unwrap();
        let (three, third) = begin(3).unwrap();
        assert!(!jobs.turn(three, none) && !first.stopped(), "only the first in the queue counts");
        assert!(!jobs.turn(two, long) && !first.stopped(), "the slice is not over");
        assert!(!jobs.turn(two, none) && first.stopped(), "the slice is over");
        assert!(!jobs.turn(two, none), "one runs at a time, also while it stops");
        jobs.finish(one, stopped());
        let status = jobs.look(&one.to_string(), |job| describe(job)).unwrap();
        assert!(
            status.contains("\"cancelled\"") && status.contains("another visitor was waiting"),
            "{status}"
        );
        // The preempted client may queue again, at the end.
        let (again, _) = begin(1).unwrap();
        assert!(!jobs.turn(again, none) && !jobs.turn(three, none) && jobs.turn(two, none));
        // A job cancelled while queued does not block the queue.
        third.stop();
        assert!(jobs.turn(three, none), "it need not wait");
        jobs.finish(three, stopped());
        assert!(!second.stopped() && !jobs.turn(again, long));
        jobs.finish(two, stopped());
        assert!(jobs.turn(again, none));
        let waiting = (10..).map(begin).take_while(Result::is_ok).count();
        assert_eq!(waiting, QUEUE);
    }
}
