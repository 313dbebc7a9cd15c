//! What can be asked: which position, by which method, with how much time and memory.

use outplay_core::{AnyPosition, Crew};
use outplay_table::{Values, default_data_dir};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Which position a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The start of the game.
    #[default]
    Start,
    /// After these moves.
    Moves(String),
    /// This position in the game's notation.
    Position(String),
    /// This position itself, of the game that is asked.
    At(AnyPosition),
    /// After these moves from that position.
    MovesFrom {
        /// Where the moves begin.
        position: String,
        /// The moves.
        moves: String,
    },
}

/// How to find a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Whatever is best for the game.
    Auto,
    /// Minimax from the top.
    Plain,
    /// Minimax with every position remembered.
    Memo,
    /// Bottom-up over an index.
    Sweep,
    /// Bottom-up over bit-planes: boards of lines only.
    Dense,
    /// From finished positions backwards: what games that can go round in circles need, and any game can have.
    Retrograde,
    /// All positions again and again until nothing changes: the lecture's way with circles.
    UntilStable,
    /// Mean payoffs: games with dice.
    Chance,
    /// The value of one position: connect-k or the generic engine.
    Search,
    /// Win, draw or loss of one board without gravity, with a proof.
    Proof,
    /// Minimax level by level.
    Breadth,
    /// Looking ahead through dice, leaving nothing out.
    Expectimax,
    /// The same without rolls that cannot matter.
    Star1,
    /// The same after a glance at one reply to each roll.
    Star2,
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Method; 14] = [
        Method::Auto,
        Method::Plain,
        Method::Memo,
        Method::Sweep,
        Method::Dense,
        Method::Retrograde,
        Method::UntilStable,
        Method::Chance,
        Method::Search,
        Method::Proof,
        Method::Breadth,
        Method::Expectimax,
        Method::Star1,
        Method::Star2,
    ];

    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Plain => "plain",
            Method::Memo => "memo",
            Method::Sweep => "sweep",
            Method::Dense => "dense",
            Method::Retrograde => "retrograde",
            Method::UntilStable => "sweep-until-stable",
            Method::Chance => "chance",
            Method::Search => "search",
            Method::Proof => "proof",
            Method::Breadth => "breadth",
            Method::Expectimax => "expectimax",
            Method::Star1 => "star1",
            Method::Star2 => "star2",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Method {
    type Err = String;
    fn from_str(text: &str) -> Result<Method, String> {
        let words: Vec<&str> = Method::ALL.iter().map(|method| method.word()).collect();
        Method::ALL
            .into_iter()
            .find(|method| method.word() == text)
            .ok_or_else(|| format!("`{text}` is not a method; choose one of {}", words.join(", ")))
    }
}

/// How long a question waits for a search unless told.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Processes that solve a game together.
#[derive(Clone, Debug)]
pub struct Together(pub Arc<dyn Crew>);

impl PartialEq for Together {
    fn eq(&self, other: &Together) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What an answer may use, and where it may look. Made once from a user's options and kept by everybody.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryOptions {
    /// Bytes that may be used.
    pub memory: u64,
    /// Bytes for the table of a search.
    pub hash: u64,
    /// Threads that may be used.
    pub threads: usize,
    /// Other processes that solve the same game with the same options; memory and threads are those of each.
    pub crew: Option<Together>,
    /// When to give up; [`PATIENCE`] if not said.
    pub time: Option<Duration>,
    /// Where tables are; none to look nothing up.
    pub data: Option<PathBuf>,
    /// Whether what was found before and kept in the data directory counts.
    pub recall: bool,
    /// Whether what is found is kept there.
    pub keep: bool,
    /// A book of openings to look into besides the one that comes along.
    pub book: Option<PathBuf>,
    /// Whether questions have little to do with each other: then one value is searched for, where a search is quick,
    /// rather than all that follow from a position.
    pub scattered: bool,
}

impl Default for QueryOptions {
    /// A gigabyte, all processors, the user's own tables; nothing is kept.
    fn default() -> QueryOptions {
        QueryOptions {
            memory: 1 << 30,
            hash: 256 << 20,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            crew: None,
            time: None,
            data: Some(default_data_dir()),
            recall: false,
            keep: false,
            book: None,
            scattered: false,
        }
    }
}

impl QueryOptions {
    /// The same on so many threads.
    #[must_use]
    pub fn on_threads(&self, threads: usize) -> QueryOptions {
        QueryOptions { threads, ..self.clone() }
    }

    /// The same, neither looking at what was kept before nor keeping anything: for matches, benches and tests.
    #[must_use]
    pub fn impartial(&self) -> QueryOptions {
        QueryOptions { recall: false, keep: false, ..self.clone() }
    }
}

/// What to solve and with what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveRequest {
    /// The position asked for.
    pub place: Place,
    /// How.
    pub method: Method,
    /// What to find of each position.
    pub values: Values,
    /// Whether to count all positions by value, where that costs extra.
    pub counts: bool,
    /// What may be used; without a time there is no limit.
    pub options: QueryOptions,
    /// Whether a strong method stores its table in the data directory.
    pub store: bool,
    /// Most bytes of disk that the table and what is put aside for it may take. A board that is solved slab by slab for
    /// longer than some minutes has to be told that it may.
    pub disk: Option<u64>,
    /// Where to write a proof.
    pub proof: Option<PathBuf>,
}

impl Default for SolveRequest {
    /// The start of a game by the method that suits it, with distances and counts; nothing is stored.
    fn default() -> SolveRequest {
        SolveRequest {
            place: Place::Start,
            method: Method::Auto,
            values: Values::Distance,
            counts: true,
            options: QueryOptions::default(),
            store: false,
            disk: None,
            proof: None,
        }
    }
}

impl SolveRequest {
    /// Where the table goes, if it is stored.
    pub(crate) fn data(&self) -> Option<&std::path::Path> {
        self.options.data.as_deref().filter(|_| self.store)
    }

    /// The processes that solve the game together.
    pub(crate) fn crew(&self) -> Option<&Arc<dyn Crew>> {
        self.options.crew.as_ref().map(|together| &together.0)
    }
}

/// Which player is asked for a move, and where.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChooseRequest {
    /// The position asked for.
    pub place: Place,
    /// The player's spec.
    pub player: String,
    /// What the player's chance decisions follow from.
    pub seed: u64,
    /// What exact knowledge may use.
    pub options: QueryOptions,
    /// Whether the spec may name a file to read or a program to start; never for somebody else's spec.
    pub files: bool,
}
