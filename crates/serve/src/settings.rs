//! What the server may use, and what a request may ask for.

use crate::lent::Lent;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How a server is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen.
    pub addr: SocketAddr,
    /// Where tables are, and where solve jobs put theirs.
    pub data: PathBuf,
    /// Bytes for all searches together.
    pub memory: u64,
    /// Threads for all searches together.
    pub threads: usize,
    /// Searches that run at a time.
    pub searches: usize,
    /// Searches that may wait for their turn; further ones are told "busy".
    pub queue: usize,
    /// Connections that may be open.
    pub connections: usize,
    /// Connections that one address may have open.
    pub connections_each: usize,
    /// Searches that one address may have under way or waiting.
    pub searches_each: usize,
    /// Names that the server goes by, besides localhost and its own address.
    pub hosts: Vec<String>,
    /// Proxies whose word is taken for whom they ask.
    pub proxies: Vec<IpAddr>,
    /// Whether nothing may be written.
    pub read_only: bool,
    /// What visitors may leave on the disk; `None` where the visitors are the owner.
    pub lent: Option<Lent>,
    /// The longest time that an answer may take.
    pub time: Duration,
    /// Whether to write a line per request to standard error.
    pub log: bool,
    /// Players that visitors may choose by name, each with the spec that nobody else is shown.
    pub engines: Vec<(String, String)>,
}

impl Settings {
    /// A quiet server at an address.
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
            read_only: false,
            lent: None,
            time: Duration::from_secs(20),
            log: false,
            engines: Vec::new(),
        }
    }
}

/// How many files and connections the system lets this process open, where it says so.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Bytes of a request's body.
pub(crate) const BODY: usize = 64 << 10;
/// Characters of a game's spec.
pub(crate) const SPEC: usize = 4_000;
/// Characters of a position.
pub(crate) const POSITION: usize = 8_000;
/// Characters of a list of moves.
pub(crate) const MOVES: usize = 16_000;
/// Cells of a board.
pub(crate) const CELLS: u64 = 2_500;
/// The sum of the other numbers in a spec, such as the matches of a game of Nim.
pub(crate) const NUMBERS: u64 = 3_000;
/// Games that are kept ready.
pub(crate) const GAMES: usize = 6;
/// Answers that are kept.
pub(crate) const ANSWERS: usize = 4_096;
/// The longest header that a client may take its time for.
pub(crate) const HEADERS: Duration = Duration::from_secs(10);
/// The longest body that a client may take its time for.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(10);
/// How long a client may take nothing of its answer.
pub(crate) const WRITE_TIME: Duration = Duration::from_secs(10);

/// Matches that run at a time.
pub(crate) const MATCHES: usize = 2;
/// Experiments that run at a time.
pub(crate) const RUNS: usize = 1;

impl Settings {
    /// Bytes that one piece of work may use: searches, as many studies, matches and experiments run beside each other,
    /// and what all of them share counts as one more.
    pub(crate) fn share(&self) -> u64 {
        self.memory / (2 * self.searches + MATCHES + RUNS + 1) as u64
    }

    /// Bytes for the table of one search: each game that is kept ready may have one for its queries and one for
    /// each of its players that think at the same time.
    pub(crate) fn hash(&self) -> u64 {
        let most = GAMES * (2 * self.searches + 2);
        (self.memory / 2 / most as u64).clamp(1 << 20, 128 << 20)
    }
}
