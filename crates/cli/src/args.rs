//! What may be typed.

use clap::{Args, Parser, Subcommand};
use outplay_catalog::{Method, Place, Values};
use std::path::PathBuf;

/// Solve it, prove it, play it: a workbench for two-player games of perfect information.
#[derive(Parser)]
#[command(name = "outplay", version, max_term_width = 100)]
#[command(
    after_help = "First steps:\n  outplay show tictactoe         a board with the value of every move\n  outplay solve connect4:5x4     who wins, and how many positions are won, drawn and lost\n  outplay games                  all games and how to write them"
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
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// Where tables are (default: $OUTPLAY_DATA, else outplay in the user's data directory)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the games, their parameters and an example of each
    Games {
        /// Say which of the conditions of game theory a game meets
        #[arg(long, value_name = "GAME")]
        check: Option<String>,
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
    },
    /// Find the value of a game
    Solve {
        /// The game, such as tictactoe or connect4:5x4
        game: String,
        #[command(flatten)]
        at: At,
        /// How: auto, plain, memo, sweep or dense
        #[arg(long, default_value = "auto", value_parser = parse_method)]
        method: Method,
        /// What to find of each position: wdl (win, draw or loss) or distance too
        #[arg(long, default_value = "distance", value_parser = parse_values)]
        values: Values,
        /// Store nothing
        #[arg(long)]
        no_save: bool,
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
    },
    /// Prove a table right: derive every value again from its successors
    Verify {
        /// The game, such as connect4:5x4
        game: String,
        /// Which table, if there are two: wdl or distance
        #[arg(long, value_parser = parse_values)]
        values: Option<Values>,
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
    /// List the tables on disk
    Tables {
        /// Remove the table with this name or game
        #[arg(long, value_name = "NAME")]
        remove: Option<String>,
    },
    /// Show how large the index of a game is, tier by tier
    Index {
        /// The game, such as connect4
        game: String,
        /// Count reachable positions even if that takes minutes
        #[arg(long)]
        count: bool,
    },
    /// Measure what the README claims
    #[command(subcommand)]
    Bench(Bench),
}

#[derive(Subcommand)]
pub(crate) enum Bench {
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
        /// Write no tables
        #[arg(long)]
        no_save: bool,
    },
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

/// Which position.
#[derive(Args)]
pub(crate) struct At {
    /// Play these moves from the start, such as `b2,a1` or, for Connect-4, `4453`
    #[arg(long, conflicts_with = "position", allow_hyphen_values = true)]
    pub(crate) moves: Option<String>,
    /// Start from this position; boards as rows from the top, such as `.../.x./...`
    #[arg(long)]
    pub(crate) position: Option<String>,
}

impl At {
    pub(crate) fn place(&self) -> Place {
        match (&self.moves, &self.position) {
            (Some(moves), _) => Place::Moves(moves.clone()),
            (None, Some(position)) => Place::Position(position.clone()),
            (None, None) => Place::Start,
        }
    }
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

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0 && *s < 1e6);
    seconds.ok_or_else(|| "give a positive number of seconds".to_string())
}

/// `800M`, `12G` or plain bytes; decimal as on a disk's label.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is not an amount of memory; write it as in `800M` or `12G`");
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
    if !(1e6..1e18).contains(&bytes) {
        return Err(format!("`{text}`: at least 1M of memory is needed"));
    }
    Ok(bytes as u64)
}
