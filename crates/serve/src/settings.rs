//! Settings of the server, and limits on the size of requests.

use crate::access::AccessToken;
use crate::quota::Quota;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address to listen on.
    pub addr: SocketAddr,
    /// Directory of tables, also for tables of solve jobs.
    pub data: PathBuf,
    /// Bytes for all searches together.
    pub memory: u64,
    /// Threads for all searches together.
    pub threads: usize,
    /// Concurrent searches.
    pub searches: usize,
    /// Queued searches; further ones get 503.
    pub queue: usize,
    /// Open connections.
    pub connections: usize,
    /// Open connections per client.
    pub connections_each: usize,
    /// Running and queued searches per client.
    pub searches_each: usize,
    /// Further host names of the server, besides localhost and its own address.
    pub hosts: Vec<String>,
    /// Trusted proxies, whose `X-Forwarded-For` header names the client.
    pub proxies: Vec<IpAddr>,
    /// Time slice of a solve job while another client waits.
    pub solve_slice: Duration,
    /// Access token; `None` admits every client.
    pub token: Option<AccessToken>,
    /// Whether writing is disabled.
    pub read_only: bool,
    /// Disk quota for guests' tables; `None` where all clients are the owner.
    pub guest_quota: Option<Quota>,
    /// Time limit of a response.
    pub time: Duration,
    /// Whether to write a line per request to standard error.
    pub log: bool,
    /// Engines that clients may choose by name, each with its spec, which is never sent to clients.
    pub engines: Vec<(String, String)>,
}

impl Settings {
    /// Creates default settings for an address and a data directory.
    pub fn new(addr: SocketAddr, data: PathBuf) -> Settings {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Settings {
            addr,
            data,
            memory: 2 << 30,
            threads,
            searches: threads.max(2),
            queue: 16,
            connections: open_files().map_or(1024, |files| (files * 3 / 4).clamp(64, 1024)),
            connections_each: 256,
            searches_each: 8,
            hosts: Vec::new(),
            proxies: Vec::new(),
            solve_slice: Duration::from_secs(300),
            token: None,
            read_only: false,
            guest_quota: None,
            time: Duration::from_secs(20),
            log: false,
            engines: Vec::new(),
        }
    }
}

/// Limit of open files (`RLIMIT_NOFILE`), where the system reports it.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Longest request body, in bytes.
pub(crate) const BODY: usize = 64 << 10;
/// Longest game spec, in characters.
pub(crate) const SPEC: usize = 4_000;
/// Longest position, in characters.
pub(crate) const POSITION: usize = 8_000;
/// Longest move list, in characters.
pub(crate) const MOVES: usize = 16_000;
/// Most cells of a board.
pub(crate) const CELLS: u64 = 2_500;
/// Largest sum of the other numbers in a spec, such as the matches of a game of Nim.
pub(crate) const NUMBERS: u64 = 3_000;
/// Games in the cache of open games.
pub(crate) const GAMES: usize = 6;
/// Entries of the answer cache.
pub(crate) const ANSWERS: usize = 4_096;
/// Time limit for a request's headers.
pub(crate) const HEADERS: Duration = Duration::from_secs(10);
/// Time limit for a request's body.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(10);
/// Write timeout: the longest time without progress while sending a response.
pub(crate) const WRITE_TIME: Duration = Duration::from_secs(10);

/// Concurrent matches.
pub(crate) const MATCHES: usize = 2;
/// Concurrent experiments.
pub(crate) const RUNS: usize = 1;

impl Settings {
    /// Bytes of one unit of work: searches, an equal number of studies, matches and experiments run concurrently, and
    /// shared state counts as one more.
    pub(crate) fn share(&self) -> u64 {
        self.memory / (2 * self.searches + MATCHES + RUNS + 1) as u64
    }

    /// Bytes of one transposition table: each open game may have one for its queries and one for each concurrently
    /// thinking player.
    pub(crate) fn hash(&self) -> u64 {
        let most = GAMES * (2 * self.searches + 2);
        (self.memory / 2 / most as u64).clamp(1 << 20, 128 << 20)
    }
}
