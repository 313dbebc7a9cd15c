//! Command-line arguments: the commands, their options and the parsers of option values (clap derive).

use clap::{Args, Parser, Subcommand, ValueEnum};
use outplay_workbench::{DiceMethod, Method, PositionRef, Values};
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// Solve it, prove it, play it: a workbench for two-player games of perfect information.
#[derive(Parser)]
#[command(name = "outplay", version = env!("OUTPLAY_VERSION"), max_term_width = 100)]
#[command(after_help = "`outplay help TOPIC` explains specs, positions, players, exit-codes and json.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Options of every command.
#[derive(Args)]
pub(crate) struct Common {
    /// Print one JSON object on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Number of threads (default: one per core; for `engine`, one)
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory limit, such as 800M or 12G (default: 80 % of the available memory)
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,
    /// Data directory with the tables (default: $OUTPLAY_DATA, else outplay in the user's data directory)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Do not print progress on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Progress on standard error: a bar (plain lines if it is not a terminal), or JSON objects
    #[arg(long, global = true, value_enum, default_value_t = ProgressFormat::Bar, value_name = "FORMAT")]
    pub(crate) progress: ProgressFormat,
    /// Do not write tables or search results to the data directory
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
    // A bar on a terminal, plain lines otherwise.
    Bar,
    // One JSON object per line.
    Json,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the games, or print the rules and a board of one
    Games(crate::games::GamesArgs),
    /// List the players, or those that can play a game, with its levels of strength
    Players {
        /// Game spec, such as tictactoe or connect4:5x4
        game: Option<String>,
    },
    /// Draw a position with the value of every move
    Show(crate::show::ShowArgs),
    /// Solve a game: find its value and, where possible, write a table of all positions
    Solve(crate::solving::SolveArgs),
    /// Print the value of a position and of each of its moves
    Query(crate::questions::QueryArgs),
    /// Explain the value of a position
    Why(crate::questions::WhyArgs),
    /// Print a puzzle: a position with one best move
    Puzzle(crate::questions::PuzzleArgs),
    /// Annotate a played game: the value of every position, and the mistakes
    History(crate::questions::HistoryArgs),
    /// Verify a table: derive every value again from its successors
    Verify(crate::tables::VerifyArgs),
    /// Count the positions of a table by tier, value and distance
    Stats(crate::tables::StatsArgs),
    /// Export positions with values, distances and best moves (npz, csv or jsonl)
    Export(crate::exporting::ExportArgs),
    /// List or remove the stored tables and cached search results
    Tables(crate::tables::TablesArgs),
    /// Build, inspect and check opening books
    #[command(subcommand)]
    Book(crate::books::BookCommand),
    /// Check a proof file with an independent checker
    Check(crate::proofs::CheckArgs),
    /// Estimate the memory, disk and time that each method needs to solve a game
    Plan(crate::plan::PlanArgs),
    /// Print the size of a game's index, tier by tier
    Index(crate::indexes::IndexArgs),
    /// Play a game in the terminal
    #[command(after_help = "Keys: arrows and enter play, or type a move; u undo, r redo, h hint, v values,
w why, l level, s sides, i info, p rules, n new game, ? help, q quit. On quitting,
the moves, the result and the turning point are printed. Without a terminal, or
with --plain, each line of the input is a move or a command (type help).")]
    Play(PlayArgs),
    /// Print a move: the best one known within the time, or that of a level or a player
    Move(crate::moving::MoveArgs),
    /// Play a match or a round-robin tournament between players
    Match(crate::arena::MatchArgs),
    /// Import Gomocup games (PSQ files) and print their standings
    Import {
        /// PSQ files, one game each, all with the same board size
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Write the games to this file, in the format of `match --out`
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Label many positions with exact values (jsonl, csv or npz)
    Label(Box<crate::arena::LabelArgs>),
    /// Run as an engine under a game protocol (UGI or Gomocup)
    #[command(subcommand)]
    Engine(crate::engine::EngineCommand),
    /// Tune the weights of the linear evaluation
    Tune(Box<crate::arena::TuneArgs>),
    /// Start the web server: the page and the HTTP API
    Serve(ServeArgs),
    /// Reproduce a published experiment and compare the figures
    Experiment(ExperimentArgs),
    /// Run the benchmarks behind the documented figures
    #[command(subcommand)]
    Bench(crate::bench::Bench),
    /// Print the completion script of a shell
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page, or write all of them to a directory
    Man {
        /// Command whose page is printed (default: the main page)
        #[arg(conflicts_with = "dir", value_name = "COMMAND")]
        page: Vec<String>,
        /// Write the pages of all commands and topics to this directory
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Print candidates for the last word; called by the completion scripts
    #[command(hide = true)]
    CompleteWords {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

/// Options of `play`.
#[derive(Args)]
pub(crate) struct PlayArgs {
    /// Game spec, such as tictactoe or connect4
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) at: At,
    /// First player: human, or a player spec such as `perfect` or `alphabeta:depth=5` (default: human)
    #[arg(long, value_name = "PLAYER")]
    pub(crate) first: Option<String>,
    /// Second player (default: the level of --level)
    #[arg(long, value_name = "PLAYER")]
    pub(crate) second: Option<String>,
    /// Level of the opponent: a number or a name from `outplay players GAME` (default: the middle one)
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<String>,
    /// The side that you play
    #[arg(long, value_enum, value_name = "SIDE", conflicts_with_all = ["first", "second"])]
    pub(crate) side: Option<PlaySide>,
    /// Random seed of players and dice, which repeats a game (default: another one each time)
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Begin with the values of the moves shown
    #[arg(long)]
    pub(crate) values: bool,
    /// Use the line-based prompt even on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) effort: SearchArgs,
}

/// A side of a game.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlaySide {
    /// The player who moves first; White in chess
    #[value(alias = "white")]
    First,
    /// The player who moves second; Black in chess
    #[value(alias = "black")]
    Second,
}

/// Options of `experiment`.
#[derive(Args)]
pub(crate) struct ExperimentArgs {
    /// Name of the experiment; without it, all experiments are listed
    pub(crate) name: Option<String>,
    /// Use the paper's full setting, however long it takes
    #[arg(long)]
    pub(crate) full: bool,
    /// Number of games, trials or positions (default: the experiment's own)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(crate) games: Option<u32>,
    /// Number of repetitions of timings and samples, with consecutive seeds
    #[arg(long, value_name = "N", requires = "name", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) runs: Option<u32>,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write the plots to this SVG file
    #[arg(long, value_name = "FILE", requires = "name")]
    pub(crate) svg: Option<PathBuf>,
    /// Write an HTML page with tables and plots to this file
    #[arg(long, value_name = "FILE", requires = "name")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) effort: SearchArgs,
}

/// Options of `serve`.
#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; by default only this machine can connect
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    pub(crate) addr: SocketAddr,
    /// Log each request on standard error
    #[arg(long)]
    pub(crate) log: bool,
    /// Number of concurrent searches (default: one per thread, at least 2)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) searches: Option<u16>,
    /// Offer a player under this name, such as `wine=gomocup:./pbrain`; clients do not see its spec
    #[arg(long = "engine", value_name = "NAME=PLAYER", value_parser = parse_engine)]
    pub(crate) engines: Vec<(String, String)>,
    /// Time limit of each client's search
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) time: f64,
    /// Host name of this server, such as play.school.org; requests for other names are refused, except localhost and
    /// the server's own address
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Address of a trusted proxy, whose `X-Forwarded-For` header names the client
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) proxy: Vec<IpAddr>,
    /// Maximum number of running and queued searches of one client address
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) searches_each: u16,
    /// Maximum number of open connections (default: 1024, or three quarters of the open-file limit if that is less)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) connections: Option<u16>,
    /// Maximum number of open connections of one client address
    #[arg(long, default_value_t = 256, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) connections_each: u16,
    /// Write no files and refuse to solve whole games
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Access token that every request must carry: 16 to 200 letters, digits or -._~ (visible to other users of this
    /// machine in the process list; --token-file hides it)
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    pub(crate) token: Option<String>,
    /// File whose first line is the access token
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Time after which a solve yields to the next client in the queue
    #[arg(long, default_value_t = 300.0, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) solve_slice: f64,
    /// Disk quota of clients' tables (default: 1G if other machines can connect, else no limit)
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) quota: Option<u64>,
    /// Lifetime of clients' tables in hours (default: 24 if there is a quota)
    #[arg(long, value_name = "HOURS", value_parser = parse_seconds)]
    pub(crate) table_hours: Option<f64>,
}

/// Limits of a search.
#[derive(Args, Default)]
pub(crate) struct SearchArgs {
    /// Size of the transposition table (default: 1G for solve, 256M otherwise)
    #[arg(long, value_name = "BYTES", value_parser = parse_memory)]
    pub(crate) hash: Option<u64>,
    /// Time limit for the exact value of a position; a value that is not known by then is reported as unknown
    /// (default: 60)
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) time: Option<f64>,
    /// Opening book written by `outplay book build`, used in addition to the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
}

/// Position to start from.
#[derive(Args)]
pub(crate) struct At {
    /// Moves from the start or from --position, such as `b2,a1` or, for Connect-4, `4453`
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) moves: Option<String>,
    /// Position to start from: rows from the top such as `.../.x./...`, a picture over several lines, @FILE or the
    /// name of a file that holds one, or - for standard input
    #[arg(long, allow_hyphen_values = true, value_parser = parse_position)]
    pub(crate) position: Option<String>,
}

impl At {
    pub(crate) fn place(&self) -> PositionRef {
        match (&self.moves, &self.position) {
            (Some(moves), None) => PositionRef::Moves(moves.clone()),
            (Some(moves), Some(position)) => {
                PositionRef::MovesFrom { position: position.clone(), moves: moves.clone() }
            }
            (None, Some(position)) => PositionRef::Position(position.clone()),
            (None, None) => PositionRef::Start,
        }
    }
}

/// Longest text of a position in bytes.
const POSITION: u64 = 16 << 20;

/// Returns a position as it is, or reads it from the file that it names or from standard input.
fn parse_position(text: &str) -> Result<String, String> {
    if text == "-" {
        let mut read = String::new();
        let input = io::stdin().lock().take(POSITION).read_to_string(&mut read);
        return input.map(|_| read).map_err(|error| format!("cannot read standard input: {error}"));
    }
    let named = text.strip_prefix('@').or_else(|| Path::new(text).is_file().then_some(text));
    match named {
        Some(file) => outplay_files::read_text(Path::new(file), POSITION).map_err(|error| error.to_string()),
        None => Ok(text.to_string()),
    }
}

/// Parses `NAME=PLAYER`.
fn parse_engine(text: &str) -> Result<(String, String), String> {
    let bad = || "expected NAME=PLAYER, such as `wine=gomocup:./pbrain`".to_string();
    let (name, spec) = text.split_once('=').ok_or_else(bad)?;
    let letters = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 40 || !name.chars().all(letters) || spec.trim().is_empty() {
        return Err(format!("{}; a name has 1 to 40 letters, digits, `-`, `_` or `.`", bad()));
    }
    let known = outplay_players::ROSTER.iter().chain(&outplay_players::PROGRAMS);
    if known.into_iter().any(|about| about.name == name) {
        return Err(format!("`{name}` is the name of a built-in player; choose another name"));
    }
    Ok((name.to_string(), spec.trim().to_string()))
}

pub(crate) fn parse_values(text: &str) -> Result<Values, String> {
    match text {
        "wdl" => Ok(Values::Wdl),
        "distance" => Ok(Values::Distance),
        other => Err(format!("unknown values `{other}`; choose wdl or distance")),
    }
}

pub(crate) fn parse_method(text: &str) -> Result<Method, String> {
    text.parse()
}

pub(crate) fn parse_dice_method(text: &str) -> Result<DiceMethod, String> {
    let words = DiceMethod::ALL.map(DiceMethod::word).join(", ");
    let found = DiceMethod::ALL.into_iter().find(|method| method.word() == text);
    found.ok_or_else(|| format!("unknown method `{text}` for games with dice; choose one of {words}"))
}

pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0 && *s < 1e6);
    seconds.ok_or_else(|| "expected a positive number below 1,000,000".to_string())
}

/// Parses `800M`, `12G` or plain bytes, with decimal prefixes.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is not a number of bytes; use a form such as `800M` or `12G`");
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

/// Parses an amount of memory of at least 1 MB.
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        ..1_000_000 => Err(format!("`{text}` is less than the minimum of 1M")),
        bytes => Ok(bytes),
    }
}
