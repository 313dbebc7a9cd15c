//! HTTP load and abuse generator for `outplay serve`.
//!
//! Each part of the test starts a server of its own, so that no part benefits from caches that another has filled.

mod beside;
mod client;
mod columns;
mod load;
mod malformed;
mod proofs;
mod report;
mod slow;

pub use beside::BesideReport;
pub use columns::ColumnsReport;
pub use load::LoadReport;
pub use malformed::MalformedReport;
pub use report::LoadTestReport;
pub use slow::SlowReport;

use crate::process::{ServerProcess, cpu_time, resident_bytes};
use crate::{StageProgress, interrupted};
use outplay_catalog::Catalog;
use outplay_workbench::GameHandle;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Number of positions that the simulated users request.
const OPENINGS: usize = 500;

/// Parameters of a load test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadTest {
    /// Concurrent connections.
    pub connections: usize,
    /// Duration of the load, and of the slow clients.
    pub time: Duration,
    /// Clients that send requests slowly or never read responses.
    pub slow: usize,
    /// Malformed requests.
    pub malformed: u64,
    /// Random positions of 7x6 Connect-4 for which the time to the last column's score is measured.
    pub columns: usize,
    /// Replies of a computer player on 15x15 while Explore is open on the same position.
    pub replies: usize,
    /// Random seed of positions and requests.
    pub seed: u64,
    /// Further options of `outplay serve`, such as `--threads 2`.
    pub options: Vec<String>,
}

impl Default for LoadTest {
    fn default() -> LoadTest {
        LoadTest {
            connections: 200,
            time: Duration::from_secs(30),
            slow: 2000,
            malformed: 10_000,
            columns: 1000,
            replies: 20,
            seed: 1,
            options: Vec::new(),
        }
    }
}

/// Starts a server for each part of the test and measures it under overload.
pub fn run(program: &Path, test: &LoadTest, progress: &StageProgress) -> io::Result<LoadTestReport> {
    let data = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let start = || ServerProcess::start(program, data.path(), &test.options);
    let (game, board) = (open("connect4")?, open("mnk:15x15,k=5")?);

    progress.stage("response times of positions")?;
    let server = start()?;
    let stopped = || progress.stopped();
    let columns = columns::columns(server.addr, server.pid(), &game, test.columns, test.seed, stopped);
    let columns = runtime.block_on(columns);
    drop(server);

    progress.stage("malformed requests")?;
    let server = start()?;
    let malformed = malformed::malformed(server.addr, server.pid(), test.malformed, test.seed);
    let malformed = runtime.block_on(malformed);

    progress.stage("load")?;
    let openings = columns::random_positions(&game, OPENINGS, test.seed);
    let load = load::load(server.addr, server.pid(), test.connections, test.time, openings);
    let load = runtime.block_on(load);
    drop(server);

    progress.stage("slow clients")?;
    let server = start()?;
    let slow = runtime.block_on(slow::slow(server.addr, server.pid(), test.slow, test.time));
    drop(server);

    progress.stage("replies beside Explore")?;
    let server = start()?;
    let beside = beside::beside(server.addr, &board, test.replies, test.seed, stopped);
    let beside = runtime.block_on(beside);
    match progress.stopped() {
        true => Err(interrupted()),
        false => Ok(LoadTestReport { load, slow, malformed, columns, beside }),
    }
}

fn open(spec: &str) -> io::Result<GameHandle> {
    Catalog::standard().open(spec).map_err(|error| io::Error::other(error.to_string()))
}

/// Spawns a client. Boxed, so that the runtime's code for a task is compiled once.
fn spawn(client: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let client: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(client);
    tokio::spawn(client)
}

/// Returns a percentile of the sorted times, in milliseconds.
fn percentile(sorted: &[Duration], share: f64) -> f64 {
    let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
