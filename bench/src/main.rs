//! The `outplay-bench` command: load, abuse and limit testers of the program `outplay`.

use clap::{Args, Parser, Subcommand};
use outplay_bench::loadtest::{self, LoadTest};
use outplay_bench::{StageProgress, budgets, limits};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Load, abuse and limit testers of outplay.
#[derive(Parser)]
#[command(name = "outplay-bench", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 all checks hold, 1 a check failed, 2 bad input, 130 interrupted")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The program under test (default: `outplay` beside this program)
    #[arg(long, global = true, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Print one JSON object on standard output
    #[arg(long, global = true)]
    json: bool,
    /// Print no progress on standard error
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Test the server: load, malformed requests, slow clients, and response times
    Serve(ServeArgs),
    /// Test time and memory limits: each solver and player with little time on games too large for it
    Budgets {
        /// Time limits, in seconds
        #[arg(long, value_delimiter = ',', default_values_t = [0.2, 1.0], value_name = "SECONDS")]
        times: Vec<f64>,
    },
    /// Test limits with random commands: time and memory limits, interrupts, clients that disconnect
    Limits {
        /// Number of commands
        #[arg(long, default_value_t = 200)]
        trials: u32,
        /// Random seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// Parameters of the load test.
#[derive(Args)]
struct ServeArgs {
    /// Concurrent connections
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: u32,
    /// Duration of the load and of the slow clients, in seconds
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS", value_parser = parse_seconds)]
    seconds: f64,
    /// Number of clients that send requests slowly or never read responses
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=20_000))]
    slow: u32,
    /// Number of malformed requests
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    malformed: u64,
    /// Number of random positions of 7x6 Connect-4 for which the time to the last column's score is measured
    #[arg(long, default_value_t = 1000, value_name = "N")]
    columns: usize,
    /// Number of replies of a computer player on 15x15 while Explore is open on the same position
    #[arg(long, default_value_t = 20, value_name = "N")]
    replies: usize,
    /// Random seed of positions and requests
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads of the server (default: all)
    #[arg(long, value_name = "N")]
    threads: Option<u16>,
    /// Memory limit of the server, such as 800M or 12G
    #[arg(long, value_name = "BYTES")]
    memory: Option<String>,
}

impl ServeArgs {
    fn test(&self) -> LoadTest {
        let mut test = LoadTest::default();
        (test.connections, test.time) = (self.connections as usize, Duration::from_secs_f64(self.seconds));
        (test.slow, test.malformed) = (self.slow as usize, self.malformed);
        (test.columns, test.replies, test.seed) = (self.columns, self.replies, self.seed);
        let options = [("--threads", self.threads.map(|n| n.to_string())), ("--memory", self.memory.clone())];
        for (name, value) in options {
            test.options.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
        }
        test
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0 && *s < 1e6);
    seconds.ok_or_else(|| "give a positive number of seconds".to_string())
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(match error.kind() {
                io::ErrorKind::Interrupted => 130,
                io::ErrorKind::NotFound => 2,
                _ => 1,
            })
        }
    }
}

/// Runs a command; returns whether all checks hold.
fn run(cli: &Cli) -> io::Result<bool> {
    let program = program(cli)?;
    let progress = if cli.quiet { StageProgress::quiet() } else { StageProgress::default() }.listen();
    match &cli.command {
        Command::Serve(args) => {
            let report = loadtest::run(&program, &args.test(), &progress)?;
            print(cli.json, &report, |out| report.print(out))?;
            Ok(report.holds())
        }
        Command::Budgets { times } => {
            let report = budgets::run(&program, times, &progress)?;
            print(cli.json, &report, |out| report.print(out))?;
            Ok(report.holds())
        }
        Command::Limits { trials, seed } => {
            let report = limits::run(&program, *trials, *seed, &progress)?;
            print(cli.json, &report, |out| report.print(out))?;
            Ok(report.holds())
        }
    }
}

/// The program under test.
fn program(cli: &Cli) -> io::Result<PathBuf> {
    let program = match &cli.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?.with_file_name(format!("outplay{}", std::env::consts::EXE_SUFFIX)),
    };
    if program.is_file() {
        return Ok(program);
    }
    let why = format!(
        "there is no program {}\n  build it with `cargo build --release`, or specify another one with --program PATH",
        program.display()
    );
    Err(io::Error::new(io::ErrorKind::NotFound, why))
}

fn print(
    json: bool,
    report: &impl Serialize,
    text: impl FnOnce(&mut io::StdoutLock<'static>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match json {
        true => writeln!(out, "{}", serde_json::to_string(report)?),
        false => text(&mut out),
    }
}
