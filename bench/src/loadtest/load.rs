//! Mixed load of many concurrent users: clicks on the page, searches, replies of computer players, recorded search
//! trees, checks of proofs, walks through proofs, and event streams that the client closes early.

use super::client::{Client, events};
use super::{percentile, proofs, resident_bytes, spawn};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Results of a load test.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LoadReport {
    /// Concurrent connections.
    pub connections: usize,
    /// Duration in seconds.
    pub seconds: f64,
    /// Requests that got a response.
    pub requests: u64,
    /// Responses with an answer.
    pub ok: u64,
    /// Responses 503 (busy).
    pub busy: u64,
    /// Responses with any other error.
    pub errors: u64,
    /// The first error.
    pub first_error: Option<String>,
    /// Recorded trees among the requests.
    pub trees: u64,
    /// Checks of proofs among the requests.
    pub checks: u64,
    /// Walks through proofs among the requests.
    pub walks: u64,
    /// Clicks of the bystander during the load.
    pub clicks: u64,
    /// Median response time of clicks, in milliseconds.
    pub click_median_ms: f64,
    /// 99th percentile of clicks, in milliseconds.
    pub click_p99_ms: f64,
    /// Slowest click, in milliseconds.
    pub click_worst_ms: f64,
    /// Memory of the server before the load, in bytes.
    pub bytes_before: u64,
    /// Memory after a third of the duration, when the caches are warm.
    pub bytes_warm: u64,
    /// Peak memory during the load.
    pub bytes_peak: u64,
    /// Memory after the load.
    pub bytes_after: u64,
}

/// Clicks on positions that need no search.
const CLICKS: [&str; 8] = [
    "/api/v1/view?game=connect4&moves=4453",
    "/api/v1/position?game=tictactoe",
    "/api/v1/position?game=tictactoe&moves=a1+b2",
    "/api/v1/position?game=connect4",
    "/api/v1/position?game=connect4&moves=44",
    "/api/v1/position?game=mnk:3x3,k=3,misere",
    "/api/v1/games",
    "/healthz",
];

/// The route of recorded trees.
const TREE: &str = "/api/v1/tree";
/// A game whose proof users check and walk through.
const PROOF: &str = "/api/v1/proof?game=mnk:4x3,k=3";

/// Inputs of the simulated users.
struct UserInputs {
    /// Unfinished positions of connect4.
    openings: Vec<String>,
    /// A proof that the server wrote.
    proof: String,
}

#[derive(Default)]
struct LoadCounters {
    report: LoadReport,
}

impl LoadCounters {
    /// Counts a response; `expected` is the status of a correct one.
    fn count(&mut self, what: &str, expected: u16, result: io::Result<u16>) {
        let report = &mut self.report;
        report.requests += 1;
        report.trees += u64::from(what.starts_with(TREE));
        report.checks += u64::from(what.starts_with("/api/v1/check"));
        report.walks += u64::from(what.starts_with("/api/v1/walk"));
        match result {
            Ok(status) if status == expected => self.report.ok += 1,
            Ok(503) => self.report.busy += 1,
            other => {
                self.report.errors += 1;
                self.report.first_error.get_or_insert_with(|| {
                    format!("{}: {other:?}", what.chars().take(300).collect::<String>())
                });
            }
        }
    }
}

/// Runs the load against a server and reports the results; `pid` is the server's process, `openings` are unfinished
/// positions of connect4 that users request.
pub(super) async fn load(
    addr: SocketAddr,
    pid: u32,
    connections: usize,
    time: Duration,
    openings: Vec<String>,
) -> LoadReport {
    let proof = Client::new(addr).get(PROOF).await.map(|reply| reply.body).unwrap_or_default();
    let proof: serde_json::Value = serde_json::from_slice(&proof).unwrap_or_default();
    let inputs =
        Arc::new(UserInputs { openings, proof: proof["proof"].as_str().unwrap_or_default().to_string() });
    let tally = Arc::new(Mutex::new(LoadCounters::default()));
    let before = resident_bytes(pid);
    let end = Instant::now() + time;
    let began = Instant::now();
    let mut users = Vec::new();
    for number in 0..connections {
        let (inputs, tally) = (Arc::clone(&inputs), Arc::clone(&tally));
        users.push(spawn(user(addr, number as u64, end, inputs, tally)));
    }
    let warm = async {
        tokio::time::sleep(time / 3).await;
        resident_bytes(pid)
    };
    let ((clicks, peak), warm) = tokio::join!(bystander(addr, pid, end), warm);
    for user in users {
        let _ = user.await;
    }
    let mut report = tally.lock().map(|tally| tally.report.clone()).unwrap_or_default();
    report.connections = connections;
    report.seconds = began.elapsed().as_secs_f64();
    report.clicks = clicks.len() as u64;
    let times = response_times(clicks, &mut report.errors, &mut report.first_error);
    report.click_median_ms = percentile(&times, 0.5);
    report.click_p99_ms = percentile(&times, 0.99);
    report.click_worst_ms = percentile(&times, 1.0);
    // Cancelled searches end within a moment.
    tokio::time::sleep(Duration::from_secs(1)).await;
    (report.bytes_before, report.bytes_warm, report.bytes_peak) = (before, warm, peak);
    report.bytes_after = resident_bytes(pid);
    report
}

/// Returns the sorted response times of clicks; counts failures and records the first.
pub(super) fn response_times(
    clicks: Vec<Result<Duration, String>>,
    errors: &mut u64,
    first_error: &mut Option<String>,
) -> Vec<Duration> {
    let mut times = Vec::new();
    for click in clicks {
        match click {
            Ok(time) => times.push(time),
            Err(why) => {
                *errors += 1;
                first_error.get_or_insert(why);
            }
        }
    }
    times.sort_unstable();
    times
}

/// A bystander that clicks ten times a second on positions of known value.
pub(super) async fn bystander(
    addr: SocketAddr,
    pid: u32,
    end: Instant,
) -> (Vec<Result<Duration, String>>, u64) {
    let mut client = Client::new(addr);
    let (mut clicks, mut peak) = (Vec::new(), 0);
    for path in CLICKS.iter().cycle() {
        if Instant::now() > end {
            break;
        }
        let began = Instant::now();
        let result = client.get(path).await;
        clicks.push(match result {
            Ok(reply) if reply.status == 200 => Ok(began.elapsed()),
            Ok(reply) => {
                Err(format!("click {path}: {} {}", reply.status, String::from_utf8_lossy(&reply.body)))
            }
            Err(error) => Err(format!("click {path}: {error}")),
        });
        peak = peak.max(resident_bytes(pid));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    (clicks, peak)
}

/// One user: mostly clicks, sometimes a request that takes time.
async fn user(
    addr: SocketAddr,
    seed: u64,
    end: Instant,
    inputs: Arc<UserInputs>,
    tally: Arc<Mutex<LoadCounters>>,
) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut client = Client::new(addr);
    while Instant::now() < end {
        let at = rng.random_range(0..inputs.openings.len().max(1));
        let moves = inputs.openings.get(at).map(String::as_str).unwrap_or_default();
        let mut expected = 200;
        let (what, result) = match rng.random_range(0..100) {
            0..58 => {
                let path = CLICKS[rng.random_range(0..CLICKS.len())];
                (path.to_string(), client.get(path).await.map(|reply| reply.status))
            }
            58..68 => {
                let path = format!("/api/v1/position?game=connect4&moves={moves}");
                let result = client.get(&path).await.map(|reply| reply.status);
                (path, result)
            }
            68..76 => {
                let seed: u32 = rng.random();
                let body = format!(
                    r#"{{"game":"connect4","moves":"{moves}","player":"alphabeta:depth=4","seed":{seed}}}"#
                );
                let result = client.post("/api/v1/move", &body).await.map(|reply| reply.status);
                (body, result)
            }
            76..82 => {
                // Disconnects after a few lines, which must cancel the work.
                let path = format!("/api/v1/position/stream?game=connect4&moves={moves}");
                let mut lines = 0;
                let result = events(addr, &path, |_| {
                    lines += 1;
                    lines > 14
                });
                (path.clone(), result.await)
            }
            82..85 => {
                let path = "/api/v1/why?game=mnk:4x4,k=4&moves=a1+b2".to_string();
                let result = client.get(&path).await.map(|reply| reply.status);
                (path, result)
            }
            85..90 => {
                let depth = rng.random_range(2..6);
                let path = format!("{TREE}?game=connect4&moves={moves}&depth={depth}&most=2000");
                let result = client.get(&path).await.map(|reply| reply.status);
                (path, result)
            }
            kind @ 90..97 => {
                let proof = &inputs.proof;
                let request =
                    if kind < 93 { proofs::check(&mut rng, proof) } else { proofs::walk(&mut rng, proof) };
                expected = request.status;
                let result = client.post(request.path, &request.body).await.map(|reply| reply.status);
                (format!("{} {}", request.path, request.body), result)
            }
            _ => ("/".to_string(), client.get("/").await.map(|reply| reply.status)),
        };
        if let Ok(mut tally) = tally.lock() {
            tally.count(&what, expected, result);
        }
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..60))).await;
    }
}
