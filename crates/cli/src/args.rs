//! What may be typed.

use clap::{Args, Parser, Subcommand, ValueEnum};
use outplay_answer::{DiceMethod, Method, Place, Values};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// Solve it, prove it, play it: a workbench for two-player games of perfect information.
#[derive(Parser)]
#[command(name = "outplay", version, max_term_width = 100)]
#[command(
    after_help = "First steps:\n  outplay show tictactoe         a board with the value of every move\n  outplay solve connect4:5x4     who wins, and how many positions are won, drawn and lost\n  outplay games                  all games and how to write them\n\nExit codes: 0 known, 1 the answer is no or a check failed, 2 bad input, 3 not known within the limits, 130 interrupted"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What every command understands.
#[derive(Args)]
pub(crate) struct Common {
    /// Print one JSON object on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Threads to use (default: all)
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory to use, such as 800M or 12G (default: 80 % of what is available)
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,
    /// Where tables are (default: $OUTPLAY_DATA, else outplay in the user's data directory)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// How progress is told: bar (lines without a terminal) or json (one object per line on standard error)
    #[arg(long, global = true, value_enum, default_value_t = Telling::Bar, value_name = "FORM")]
    pub(crate) progress: Telling,
    /// Store nothing: neither tables nor what a search found
    #[arg(long, global = true)]
    pub(crate) no_save: bool,
}

impl Common {
    /// Threads to use, if it was said; those beyond the cores would only wait for each other.
    pub(crate) fn threads(&self) -> Option<usize> {
        let cores = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
        self.threads.map(|threads| usize::from(threads).min(cores))
    }
}

/// How progress is told.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Telling {
    /// A bar on a terminal, lines otherwise
    Bar,
    /// One JSON object per line
    Json,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the games, or tell the rules of one with a picture
    Games {
        /// The game whose rules are told, such as nim or connect4:5x4
        game: Option<String>,
        /// Say which of the conditions of game theory a game meets
        #[arg(long, value_name = "GAME", conflicts_with = "game")]
        check: Option<String>,
        /// Explore for at most so many seconds to check it
        #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "check")]
        time: Option<f64>,
    },
    /// List the players, or those that a game can have, from the weakest level to the strongest
    Players {
        /// The game, such as tictactoe or connect4:5x4
        game: Option<String>,
    },
    /// Draw a position with the value of every move
    Show {
        /// The game, such as tictactoe or connect4:5x4
        game: String,
        #[command(flatten)]
        at: At,
        /// List the whole game: positions, start, successors, terminal values
        #[arg(long)]
        all: bool,
        /// Draw the tree of a small search and what it cut off
        #[arg(long, conflicts_with = "all")]
        tree: bool,
        /// How far the tree looks ahead
        #[arg(long, default_value_t = 2, requires = "tree", value_parser = clap::value_parser!(u32).range(1..=64))]
        depth: u32,
        /// The tree of minimax, which cuts nothing off
        #[arg(long, requires = "tree")]
        minimax: bool,
        /// How a tree looks ahead through dice: expectimax, star1 or star2
        #[arg(long, value_name = "METHOD", requires = "tree", conflicts_with = "minimax", value_parser = parse_dice_method)]
        method: Option<DiceMethod>,
        /// Show what an evaluation sees, such as helpful, polynomial or lines; with --tree, what it thinks of the leaves
        #[arg(long, value_name = "NAME", conflicts_with = "all")]
        eval: Option<String>,
        /// Draw the tree, or what the evaluation sees, into this file
        #[arg(long, value_name = "FILE", conflicts_with = "all")]
        svg: Option<PathBuf>,
        #[command(flatten)]
        effort: Effort,
    },
    /// Find the value of a game
    Solve {
        /// The game, such as tictactoe or connect4:5x4
        game: String,
        #[command(flatten)]
        at: At,
        /// How: auto, plain, memo, breadth, sweep, dense, retrograde, sweep-until-stable, chance, search, proof, expectimax, star1 or star2
        #[arg(long, default_value = "auto", value_parser = parse_method)]
        method: Method,
        /// What to find of each position: wdl (win, draw or loss) or distance too
        #[arg(long, default_value = "distance", value_parser = parse_values)]
        values: Values,
        #[command(flatten)]
        effort: Effort,
        /// Disk that may be used, such as 50G: a board beyond memory is then solved slab by slab, however long it takes
        #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
        disk: Option<u64>,
        /// Write the proof into this file (with --method proof)
        #[arg(long, value_name = "FILE")]
        proof: Option<PathBuf>,
    },
    /// Tell the value of a position and of each of its moves
    Query {
        /// The game, such as tictactoe or connect4:5x4
        game: String,
        #[command(flatten)]
        at: At,
        /// Answer one line of moves (or positions, with --stdin=position) after the other
        #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "moves", value_parser = ["moves", "position"], conflicts_with_all = ["moves", "position"])]
        stdin: Option<String>,
        /// Only the value and a best move, as soon as both are proved
        #[arg(long)]
        best: bool,
        #[command(flatten)]
        effort: Effort,
    },
    /// Tell why a position is worth what it is
    Why {
        /// The game, such as tictactoe or connect4:5x4
        game: String,
        #[command(flatten)]
        at: At,
        #[command(flatten)]
        effort: Effort,
    },
    /// Set a puzzle: a position with one move that stands out
    Puzzle {
        /// The game, such as tictactoe or chess:KQKR
        game: String,
        /// Which one
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Tell the solution, too
        #[arg(long)]
        solution: bool,
        #[command(flatten)]
        effort: Effort,
    },
    /// Value every position of a game that was played, with its mistakes
    History {
        /// The game, such as connect4:5x4
        game: String,
        #[command(flatten)]
        at: At,
        #[command(flatten)]
        effort: Effort,
    },
    /// Prove a table right: derive every value again from its successors
    Verify {
        /// The game, such as connect4:5x4
        game: String,
        /// Which table, if there are two: wdl or distance
        #[arg(long, value_parser = parse_values)]
        values: Option<Values>,
        /// Only so many random stored positions: for tables that do not fit in memory
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        sample: Option<u64>,
        /// Which random positions
        #[arg(long, default_value_t = 1, requires = "sample")]
        seed: u64,
    },
    /// Count positions per ply by value and distance, from a table
    Stats {
        /// The game, such as connect4:5x4
        game: String,
        /// Which table, if there are two: wdl or distance
        #[arg(long, value_parser = parse_values)]
        values: Option<Values>,
        /// Draw a picture into this file
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Write positions with exact values, distances and best moves: npz, csv or jsonl
    Export(crate::exporting::ExportArgs),
    /// List the tables on disk, and what searches found and kept
    Tables {
        /// Remove the table with this name or game
        #[arg(long, value_name = "NAME")]
        remove: Option<String>,
        /// Forget what searches found and kept, of one game or of all
        #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "remove")]
        forget: Option<String>,
        /// Print the SHA-256 sums of all tables, as `sha256sum` does; or compare the tables with a FILE of such sums
        #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", conflicts_with_all = ["remove", "forget"])]
        checksums: Option<PathBuf>,
    },
    /// Build, describe and check books of openings
    #[command(subcommand)]
    Book(BookCommand),
    /// Check a written proof with the plain rules
    Check {
        /// The file that `solve --method proof --proof FILE` wrote
        file: PathBuf,
        /// The game that the proof has to be about, such as mnk:4x3
        game: Option<String>,
        #[command(flatten)]
        at: At,
        /// Seconds that the check may take
        #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
        time: Option<f64>,
    },
    /// Say what solving a game would take: memory, disk, bytes moved and time, method by method
    Plan {
        /// The game, such as connect4:6x6
        game: String,
        /// What would be found of each position: wdl (win, draw or loss) or distance too
        #[arg(long, default_value = "distance", value_parser = parse_values)]
        values: Values,
        /// Disk that may be used, such as 50G
        #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
        disk: Option<u64>,
        /// Cores of the machine, if it is not this one; each is taken to be as fast as one here
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
        cores: Option<u32>,
        /// Processes that share the work, each on such a machine
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65536))]
        ranks: u32,
        /// Bits per second between them, such as 25G
        #[arg(long, value_name = "BITS", value_parser = parse_bytes, requires = "ranks")]
        network: Option<u64>,
    },
    /// Show how large the index of a game is, tier by tier
    Index {
        /// The game, such as connect4
        game: String,
        /// Count reachable positions even if that takes minutes
        #[arg(long)]
        count: bool,
        /// Print the number of a position
        #[arg(long, value_name = "POSITION", conflicts_with = "count")]
        rank: Option<String>,
        /// Print the position with a number
        #[arg(long, value_name = "NUMBER", conflicts_with_all = ["count", "rank"])]
        unrank: Option<u128>,
        /// Check what dynamic programming asks of a hash: one to one, no holes, every child later
        #[arg(long, conflicts_with_all = ["count", "rank", "unrank"])]
        check: bool,
        /// Chooses the numbers of a large index that are checked
        #[arg(long, default_value_t = 1, requires = "check")]
        seed: u64,
    },
    /// Play in the terminal
    Play(PlayArgs),
    /// Let players play against each other
    Match(crate::arena::MatchArgs),
    /// Take over games of Gomocup (PSQ files): a record of them, and who did how well
    Import {
        /// The files, a game each, all of one size of board
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Write the games into this file, as `match --out` does
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Write the exact values of many positions into a file: JSON lines, CSV or npz
    Label(Box<crate::arena::LabelArgs>),
    /// Play as an engine of other people's programs, by their protocol
    #[command(subcommand)]
    Engine(EngineCommand),
    /// Find weights for the linear evaluation
    Tune(Box<crate::arena::TuneArgs>),
    /// Serve the web page and its HTTP interface
    Serve(ServeArgs),
    /// Run a paper's experiment again, theirs beside ours
    Experiment(crate::arena::ExperimentArgs),
    /// Measure what the README claims
    #[command(subcommand)]
    Bench(Bench),
    /// Print what makes a shell complete commands: `outplay completions bash > FILE`
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in the form that `man` reads: `outplay man | man -l -`
    Man,
}

/// Who plays, and how it looks.
#[derive(Args)]
pub(crate) struct PlayArgs {
    /// The game, such as tictactoe or connect4
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) at: At,
    /// Who plays first: human, or a player such as `perfect` or `alphabeta:depth=5`
    #[arg(long, default_value = "human", value_name = "PLAYER")]
    pub(crate) first: String,
    /// Who plays second (default: the strongest player that the game can have)
    #[arg(long, value_name = "PLAYER")]
    pub(crate) second: Option<String>,
    /// What chance decisions of players and dice follow from
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Show what every move is worth from the beginning
    #[arg(long)]
    pub(crate) values: bool,
    /// Play line by line even on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) effort: Effort,
}

/// What a server has to stand.
#[derive(Args)]
pub(crate) struct BenchServeArgs {
    /// Connections at a time
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: u32,
    /// How long they ask
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) seconds: f64,
    /// Clients that dribble their requests or never read their answers, besides
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=20_000))]
    pub(crate) slow: u32,
    /// Malformed requests
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub(crate) malformed: u64,
    /// Random positions of 7x6 Connect-4 whose last column is waited for
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub(crate) columns: usize,
    /// Replies of a computer on 15x15 while Explore is open on the same position
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) replies: usize,
    /// Which random positions and requests
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// How a server is run.
#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Where to listen; only this machine can connect unless you say otherwise
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    pub(crate) addr: SocketAddr,
    /// Write a line per request to standard error
    #[arg(long)]
    pub(crate) log: bool,
    /// Searches that run at a time (default: one per thread, at least 2)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) searches: Option<u16>,
    /// A player that visitors may choose by this name, such as `wine=gomocup:./pbrain`; they never see what is behind it
    #[arg(long = "engine", value_name = "NAME=PLAYER", value_parser = parse_engine)]
    pub(crate) engines: Vec<(String, String)>,
    /// Seconds that a search may take
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) time: f64,
    /// A name that visitors use for this server, such as play.school.org; it answers to no others but localhost and
    /// its own address
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The address of a proxy that is believed when it says for whom it asks (`X-Forwarded-For`)
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) proxy: Vec<IpAddr>,
    /// Searches that one address may have under way or waiting
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) searches_each: u16,
    /// Connections that may be open in all (default: 1024, or what the system allows)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) connections: Option<u16>,
    /// Connections that one address may have open
    #[arg(long, default_value_t = 256, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) connections_each: u16,
    /// Write nothing and solve no games as a whole
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Room on the disk for tables that visitors make (default: 1G if others than this machine can connect, else no limit)
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) quota: Option<u64>,
    /// Hours after which tables that visitors made are removed (default: 24 if there is a quota)
    #[arg(long, value_name = "HOURS", value_parser = parse_seconds)]
    pub(crate) table_hours: Option<f64>,
}

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// The server under load, under nonsense, and how soon it knows every column of 7x6
    Serve(BenchServeArgs),
    /// The classic solvers against each other, beside the figures of the 2020 report
    Classic {
        /// The game
        #[arg(default_value = "tictactoe")]
        game: String,
        /// How often each solver runs
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        trials: u32,
        /// Give up on a solver whose first run takes longer
        #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = parse_seconds)]
        patience: f64,
    },
    /// Sweep and dense on the same board: speed, memory and size of the table
    Strong {
        /// The game
        #[arg(default_value = "connect4:5x5")]
        game: String,
        /// How often the dense solver runs; the median counts
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
        trials: u32,
        /// Leave the sweep out
        #[arg(long)]
        no_sweep: bool,
    },
    /// The connect-k solver on a file of positions, each with an empty table
    Positions {
        /// The game
        game: String,
        /// Lines of "moves score"
        file: PathBuf,
        /// Only the first so many
        #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
        limit: usize,
        /// Entries of the solver's table
        #[arg(long, default_value_t = 1 << 24)]
        entries: u64,
    },
    /// The generic engine: positions per second without a table, and random games per second
    Search {
        /// The game
        #[arg(default_value = "connect4")]
        game: String,
        /// Plies to look ahead
        #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=64))]
        depth: u32,
    },
    /// The level that thinks by the clock, with its evaluation: positions per second and depth
    Engine {
        /// The game
        #[arg(default_value = "mnk:15x15,k=5")]
        game: String,
        /// Seconds for each of five positions
        #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = parse_seconds)]
        time: f64,
    },
    /// Expectiminimax, Star1 and Star2 on the same positions: what each visits
    Chance {
        /// A game with dice (default: EinStein on 3x3, 4x4 and 5x5 and hypergammon, each to a depth that suits it)
        game: Option<String>,
        /// Plies to look ahead, rolls included
        #[arg(long, requires = "game", value_parser = clap::value_parser!(u32).range(1..=64))]
        depth: Option<u32>,
        /// How many positions; position n is the one after 2n random plies from the start
        #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
        positions: u32,
    },
    /// Whether limits hold: each solver and player with little time on games too large for it
    Budgets {
        /// Seconds that each may take
        #[arg(long, value_delimiter = ',', default_values_t = [0.2, 1.0], value_name = "SECONDS")]
        times: Vec<f64>,
    },
    /// Whether limits hold: random commands with limits, interrupts and clients that leave
    Limits {
        /// Commands
        #[arg(long, default_value_t = 200)]
        trials: u32,
        /// Other commands for another seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Positions that fixed searches enter: a number that changes only when a search does
    Signature,
    /// Random questions to a table per second, cold and warm
    Probe {
        /// The game
        #[arg(default_value = "connect4:5x5")]
        game: String,
        /// Which table, if there are two: wdl or distance
        #[arg(long, value_parser = parse_values)]
        values: Option<Values>,
    },
}

#[derive(Subcommand)]
pub(crate) enum EngineCommand {
    /// The universal game interface: any game
    Ugi {
        /// The game until `setoption name Game` names another
        #[arg(long, default_value = "connect4")]
        game: String,
        /// Who thinks (default: the strongest that the game and the time allow)
        #[arg(long, value_name = "PLAYER")]
        player: Option<String>,
        #[command(flatten)]
        effort: Effort,
    },
    /// Gomocup's protocol: five in a row
    Gomocup {
        /// Who thinks (default: the strongest that the board and the time allow)
        #[arg(long, value_name = "PLAYER")]
        player: Option<String>,
        #[command(flatten)]
        effort: Effort,
    },
}

#[derive(Subcommand)]
pub(crate) enum BookCommand {
    /// Solve all openings of a board; goes on where an earlier run was stopped
    Build {
        /// The game, such as connect4
        game: String,
        /// Positions with up to so many stones
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..=20))]
        plies: u16,
        /// The book
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[command(flatten)]
        effort: Effort,
    },
    /// Tell what a book holds
    Info {
        /// The book (default: the one of connect4 that comes along)
        file: Option<PathBuf>,
    },
    /// Solve a random sample of a book again
    Check {
        /// The book (default: the one of connect4 that comes along)
        file: Option<PathBuf>,
        /// Positions to solve
        #[arg(long, default_value_t = 20)]
        sample: usize,
        /// Which positions
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        effort: Effort,
    },
}

/// How much a search may use.
#[derive(Args, Default)]
pub(crate) struct Effort {
    /// Memory for the table of a search (default: 1G for solve, 256M otherwise)
    #[arg(long, value_name = "BYTES", value_parser = parse_memory)]
    pub(crate) hash: Option<u64>,
    /// Give up a search after so many seconds and say what is known (queries about boards beyond tables: 60)
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) time: Option<f64>,
    /// A book of openings that `outplay book build` wrote, to look into besides the one that comes along
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
}

/// Which position.
#[derive(Args)]
pub(crate) struct At {
    /// Play these moves from the start or the position, such as `b2,a1` or, for Connect-4, `4453`
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) moves: Option<String>,
    /// Start from this position; boards as rows from the top, such as `.../.x./...`
    #[arg(long)]
    pub(crate) position: Option<String>,
}

impl At {
    pub(crate) fn place(&self) -> Place {
        match (&self.moves, &self.position) {
            (Some(moves), None) => Place::Moves(moves.clone()),
            (Some(moves), Some(position)) => {
                Place::MovesFrom { position: position.clone(), moves: moves.clone() }
            }
            (None, Some(position)) => Place::Position(position.clone()),
            (None, None) => Place::Start,
        }
    }
}

/// A name and the player behind it.
fn parse_engine(text: &str) -> Result<(String, String), String> {
    let bad = || "write a name and a player, such as `wine=gomocup:./pbrain`".to_string();
    let (name, spec) = text.split_once('=').ok_or_else(bad)?;
    let letters = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 40 || !name.chars().all(letters) || spec.trim().is_empty() {
        return Err(format!("{}; names have letters, digits, - _ and .", bad()));
    }
    let known = outplay_players::ROSTER.iter().chain(&outplay_players::PROGRAMS);
    if known.into_iter().any(|about| about.name == name) {
        return Err(format!("`{name}` is the name of a player already; choose another one"));
    }
    Ok((name.to_string(), spec.trim().to_string()))
}

fn parse_values(text: &str) -> Result<Values, String> {
    match text {
        "wdl" => Ok(Values::Wdl),
        "distance" => Ok(Values::Distance),
        other => Err(format!("`{other}` is not a kind of values; choose wdl or distance")),
    }
}

fn parse_method(text: &str) -> Result<Method, String> {
    text.parse()
}

fn parse_dice_method(text: &str) -> Result<DiceMethod, String> {
    let words = DiceMethod::ALL.map(DiceMethod::word).join(", ");
    let found = DiceMethod::ALL.into_iter().find(|method| method.word() == text);
    found.ok_or_else(|| format!("`{text}` is not a way to look ahead through dice; choose one of {words}"))
}

pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0 && *s < 1e6);
    seconds.ok_or_else(|| "give a positive number of seconds".to_string())
}

/// `800M`, `12G` or plain bytes; decimal as on a disk's label.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is not a number of bytes; write it as in `800M` or `12G`");
    let trimmed = text.trim_end_matches(['B', 'b']);
    let (digits, unit) = match trimmed.char_indices().last() {
        Some((at, 'k' | 'K')) => (&trimmed[..at], 1e3),
        Some((at, 'm' | 'M')) => (&trimmed[..at], 1e6),
        Some((at, 'g' | 'G')) => (&trimmed[..at], 1e9),
        Some((at, 't' | 'T')) => (&trimmed[..at], 1e12),
        _ => (trimmed, 1.0),
    };
    let number: f64 = digits.parse().map_err(|_| bad())?;
    let bytes = number * unit;
    if (0.0..1e18).contains(&bytes) { Ok(bytes as u64) } else { Err(bad()) }
}

/// The same for memory, of which there has to be some.
fn parse_memory(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        ..1_000_000 => Err(format!("`{text}`: at least 1M of memory is needed")),
        bytes => Ok(bytes),
    }
}
