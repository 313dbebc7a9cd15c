//! Command-line arguments.

use clap::{Args, Parser, Subcommand, ValueEnum};
use outplay_workbench::{DiceMethod, Method, Place, Values};
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
    #[arg(long, global = true, value_enum, default_value_t = ProgressFormat::Bar, value_name = "FORM")]
    pub(crate) progress: ProgressFormat,
    /// Store nothing: neither tables nor what a search found
    #[arg(long, global = true)]
    pub(crate) no_save: bool,
}

impl Common {
    /// Number of threads, if given; capped at the number of cores.
    pub(crate) fn threads(&self) -> Option<usize> {
        let cores = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
        self.threads.map(|threads| usize::from(threads).min(cores))
    }
}

/// Format of progress reports.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressFormat {
    /// A bar on a terminal, lines otherwise
    Bar,
    /// One JSON object per line
    Json,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the games, or tell the rules of one with a picture
    Games(crate::games::GamesArgs),
    /// List the players, or those that a game can have, from the weakest level to the strongest
    Players {
        /// The game, such as tictactoe or connect4:5x4
        game: Option<String>,
    },
    /// Draw a position with the value of every move
    Show(crate::show::ShowArgs),
    /// Find the value of a game
    Solve(crate::solving::SolveArgs),
    /// Tell the value of a position and of each of its moves
    Query(crate::questions::QueryArgs),
    /// Tell why a position is worth what it is
    Why(crate::questions::WhyArgs),
    /// Set a puzzle: a position with one move that stands out
    Puzzle(crate::questions::PuzzleArgs),
    /// Value every position of a game that was played, with its mistakes
    History(crate::questions::HistoryArgs),
    /// Prove a table right: derive every value again from its successors
    Verify(crate::tables::VerifyArgs),
    /// Count positions per ply by value and distance, from a table
    Stats(crate::tables::StatsArgs),
    /// Write positions with exact values, distances and best moves: npz, csv or jsonl
    Export(crate::exporting::ExportArgs),
    /// List the tables on disk, and what searches found and kept
    Tables(crate::tables::TablesArgs),
    /// Build, describe and check books of openings
    #[command(subcommand)]
    Book(crate::books::BookCommand),
    /// Check a written proof with the plain rules
    Check(crate::proofs::CheckArgs),
    /// Say what solving a game would take: memory, disk, bytes moved and time, method by method
    Plan(crate::plan::PlanArgs),
    /// Show how large the index of a game is, tier by tier
    Index(crate::indexes::IndexArgs),
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
    Engine(crate::engine::EngineCommand),
    /// Find weights for the linear evaluation
    Tune(Box<crate::arena::TuneArgs>),
    /// Serve the web page and its HTTP interface
    Serve(ServeArgs),
    /// Run a paper's experiment again, theirs beside ours
    Experiment(ExperimentArgs),
    /// Measure what the README claims
    #[command(subcommand)]
    Bench(crate::bench::Bench),
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

/// Run a paper's experiment again.
#[derive(Args)]
pub(crate) struct ExperimentArgs {
    /// Which one; without a name, all are listed
    pub(crate) name: Option<String>,
    /// Take as long as the paper's setting needs
    #[arg(long)]
    pub(crate) full: bool,
    /// How many games, trials or positions instead of the experiment's own number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(crate) games: Option<u32>,
    /// How often what is timed or sampled is repeated, from seeds that follow each other
    #[arg(long, value_name = "N", requires = "name", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) runs: Option<u32>,
    /// What chance follows from
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Draw what was found into this file
    #[arg(long, value_name = "FILE", requires = "name")]
    pub(crate) svg: Option<PathBuf>,
    /// Write a page with tables and pictures into this file
    #[arg(long, value_name = "FILE", requires = "name")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) effort: Effort,
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
    /// Access token that every request must carry: 16 to 200 letters, digits or -._~ (other users of this machine can
    /// see it in the list of processes; --token-file hides it)
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    pub(crate) token: Option<String>,
    /// File whose first line is the access token
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Seconds after which a solve gives its place to another visitor who waits
    #[arg(long, default_value_t = 300.0, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) solve_slice: f64,
    /// Room on the disk for tables that visitors make (default: 1G if others than this machine can connect, else no limit)
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) quota: Option<u64>,
    /// Hours after which tables that visitors made are removed (default: 24 if there is a quota)
    #[arg(long, value_name = "HOURS", value_parser = parse_seconds)]
    pub(crate) table_hours: Option<f64>,
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

pub(crate) fn parse_values(text: &str) -> Result<Values, String> {
    match text {
        "wdl" => Ok(Values::Wdl),
        "distance" => Ok(Values::Distance),
        other => Err(format!("`{other}` is not a kind of values; choose wdl or distance")),
    }
}

pub(crate) fn parse_method(text: &str) -> Result<Method, String> {
    text.parse()
}

pub(crate) fn parse_dice_method(text: &str) -> Result<DiceMethod, String> {
    let words = DiceMethod::ALL.map(DiceMethod::word).join(", ");
    let found = DiceMethod::ALL.into_iter().find(|method| method.word() == text);
    found.ok_or_else(|| format!("`{text}` is not a way to look ahead through dice; choose one of {words}"))
}

pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0 && *s < 1e6);
    seconds.ok_or_else(|| "give a positive number of seconds".to_string())
}

/// `800M`, `12G` or plain bytes; decimal as on a disk's label.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
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
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        ..1_000_000 => Err(format!("`{text}`: at least 1M of memory is needed")),
        bytes => Ok(bytes),
    }
}
