//! Many users at once: clicks, searches, moves of players and streams that are left in the middle.

use super::client::{Client, events};
use super::{percentile, resident_bytes};
use crate::spawn;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a load did to a server.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LoadReport {
    /// Connections that were open at a time.
    pub connections: usize,
    /// How long.
    pub seconds: f64,
    /// Requests that were answered.
    pub requests: u64,
    /// Those with an answer.
    pub ok: u64,
    /// Those that were told to come back.
    pub busy: u64,
    /// Those with any other error.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<String>,
    /// Clicks of somebody else meanwhile.
    pub clicks: u64,
    /// How long half of them took at most, in milliseconds.
    pub click_median_ms: f64,
    /// How long 99 of 100 of them took at most.
    pub click_p99_ms: f64,
    /// How long the slowest took.
    pub click_worst_ms: f64,
    /// Memory of the server before.
    pub bytes_before: u64,
    /// The most that was seen meanwhile.
    pub bytes_peak: u64,
    /// Memory of the server afterwards.
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

#[derive(Default)]
struct Tally {
    report: LoadReport,
}

impl Tally {
    fn count(&mut self, what: &str, result: io::Result<u16>) {
        self.report.requests += 1;
        match result {
            Ok(200..=299) => self.report.ok += 1,
            Ok(503) => self.report.busy += 1,
            other => {
                self.report.errors += 1;
                self.report.first_error.get_or_insert_with(|| format!("{what}: {other:?}"));
            }
        }
    }
}

/// Loads a server and reports what came of it; `pid` is the server's process, `openings` are unfinished positions
/// of connect4 that users look at.
pub async fn load(
    addr: SocketAddr,
    pid: u32,
    connections: usize,
    time: Duration,
    openings: Vec<String>,
) -> LoadReport {
    let openings = Arc::new(openings);
    let tally = Arc::new(Mutex::new(Tally::default()));
    let before = resident_bytes(pid);
    let end = Instant::now() + time;
    let began = Instant::now();
    let mut users = Vec::new();
    for number in 0..connections {
        let (openings, tally) = (Arc::clone(&openings), Arc::clone(&tally));
        users.push(spawn(user(addr, number as u64, end, openings, tally)));
    }
    let (clicks, peak) = bystander(addr, pid, end).await;
    for user in users {
        let _ = user.await;
    }
    let mut report = tally.lock().map(|tally| tally.report.clone()).unwrap_or_default();
    report.connections = connections;
    report.seconds = began.elapsed().as_secs_f64();
    report.clicks = clicks.len() as u64;
    let times = answered(clicks, &mut report.errors, &mut report.first_error);
    report.click_median_ms = percentile(&times, 0.5);
    report.click_p99_ms = percentile(&times, 0.99);
    report.click_worst_ms = percentile(&times, 1.0);
    // Searches that nobody waits for any more end within a moment.
    tokio::time::sleep(Duration::from_secs(1)).await;
    (report.bytes_before, report.bytes_peak, report.bytes_after) = (before, peak, resident_bytes(pid));
    report
}

/// How long the answers to clicks took, in order; those that failed are counted, and the first is told.
pub(super) fn answered(
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

/// Somebody who clicks ten times a second on positions that are known.
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

/// One user: mostly clicks, now and then something that takes time.
async fn user(
    addr: SocketAddr,
    seed: u64,
    end: Instant,
    openings: Arc<Vec<String>>,
    tally: Arc<Mutex<Tally>>,
) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut client = Client::new(addr);
    while Instant::now() < end {
        let at = rng.random_range(0..openings.len().max(1));
        let moves = openings.get(at).map(String::as_str).unwrap_or_default();
        let (what, result) = match rng.random_range(0..100) {
            0..70 => {
                let path = CLICKS[rng.random_range(0..CLICKS.len())];
                (path.to_string(), client.get(path).await.map(|reply| reply.status))
            }
            70..80 => {
                let path = format!("/api/v1/position?game=connect4&moves={moves}");
                let result = client.get(&path).await.map(|reply| reply.status);
                (path, result)
            }
            80..88 => {
                let seed: u32 = rng.random();
                let body = format!(
                    r#"{{"game":"connect4","moves":"{moves}","player":"alphabeta:depth=4","seed":{seed}}}"#
                );
                let result = client.post("/api/v1/move", &body).await.map(|reply| reply.status);
                (body, result)
            }
            88..94 => {
                // Leaves after a few lines, which must end the work.
                let path = format!("/api/v1/position/stream?game=connect4&moves={moves}");
                let mut lines = 0;
                let result = events(addr, &path, |_| {
                    lines += 1;
                    lines > 14
                });
                (path.clone(), result.await)
            }
            94..97 => {
                let path = "/api/v1/why?game=mnk:4x4,k=4&moves=a1+b2".to_string();
                let result = client.get(&path).await.map(|reply| reply.status);
                (path, result)
            }
            _ => ("/".to_string(), client.get("/").await.map(|reply| reply.status)),
        };
        if let Ok(mut tally) = tally.lock() {
            tally.count(&what, result);
        }
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..60))).await;
    }
}
