//! What the server may use, and what a request may ask for.

use std::net::SocketAddr;
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
            connections: 1024,
            time: Duration::from_secs(20),
            log: false,
            engines: Vec::new(),
        }
    }
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

impl Settings {
    /// Bytes for the table of one search: each game that is kept ready may have one for its queries and one for
    /// each of its players that think at the same time.
    pub(crate) fn hash(&self) -> u64 {
        let most = GAMES * (self.searches + 2);
        (self.memory / 2 / most as u64).clamp(1 << 20, 128 << 20)
    }
}
