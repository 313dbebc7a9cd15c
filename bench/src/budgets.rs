//! Time and memory limits on games that are far too large for them: fixed commands of every solver and player run with
//! a short `--time`, each in its own process. A command fails the test if its process ends late or uses too much
//! memory.

use crate::StageProgress;
use crate::process::measured;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Allowed delay after the time limit, in seconds.
pub(crate) const LATE: f64 = 0.25;

/// Memory limit of a process in bytes, and the allowed excess.
const MEMORY: u64 = 500_000_000;
pub(crate) const MORE: u64 = 100_000_000;

/// Commands that would run for minutes, hours or forever; TIME stands for the time limit in seconds.
const WORK: [&[&str]; 40] = [
    &["solve", "connect4:5x4", "--method", "plain"],
    &["solve", "mnk:4x4,k=4", "--method", "plain"],
    &["solve", "mnk:5x4,k=4", "--method", "memo"],
    &["solve", "nim:1000+1000", "--method", "memo"],
    &["solve", "connect4:5x5", "--method", "sweep"],
    &["solve", "nim:300+300", "--method", "sweep"],
    &["solve", "mnk:5x4,k=4", "--method", "dense"],
    &["solve", "connect4:5x6", "--method", "dense", "--values", "wdl"],
    &["solve", "morris:six", "--method", "retrograde"],
    &["solve", "chess:KQKR", "--method", "retrograde"],
    &["solve", "morris:three", "--method", "sweep-until-stable"],
    &["solve", "pig:100", "--method", "chance"],
    &["solve", "hypergammon", "--method", "chance"],
    &["solve", "einstein:4x4", "--method", "search"],
    &["solve", "connect4", "--method", "search"],
    &["solve", "connect4:8x8", "--method", "search"],
    &["solve", "connect:9x9,k=5", "--method", "search"],
    &["solve", "mnk:6x6,k=4,misere", "--method", "search"],
    &["solve", "morris:six", "--method", "search"],
    &["solve", "mnk:9x9,k=5", "--method", "proof"],
    &["solve", "mnk:19x19,k=5", "--method", "proof"],
    &["query", "mnk:19x19,k=5"],
    &["query", "mnk:19x20,k=5"],
    &["query", "mnk:7x7,k=5"],
    &["query", "mnk:1000x1000,k=5"],
    &["query", "connect4:9x9"],
    &["query", "connect4:6x5,misere"],
    &["query", "mnk:5x4,k=3,misere"],
    &["query", "mnk:6x6,k=4,misere"],
    &["query", "morris:six"],
    &["query", "pig:120"],
    &["query", "hypergammon"],
    &["query", "einstein:5x5"],
    &["query", "nim:1000+1000"],
    &["query", "chess:KRRKR", "--position", "8/8/8/3k4/8/8/r7/KR5R w"],
    &["show", "morris:six"],
    &["why", "mnk:19x19,k=5"],
    &["history", "connect4:9x7", "--moves", "1234567891"],
    &["puzzle", "connect4:9x7"],
    &["games", "--check", "hypergammon"],
];

/// Players on games too large for them; each makes one move.
const PLAYERS: [(&str, &str); 8] = [
    ("mnk:19x19,k=5", "alphabeta:time=TIMEs,eval=lines"),
    ("mnk:19x19,k=5", "mcts:time=TIMEs"),
    ("mnk:15x15,k=5", "alphabeta:time=TIMEs,eval=polynomial"),
    ("connect4", "alphabeta:time=TIMEs"),
    ("connect4", "mcts:time=TIMEs"),
    ("morris:six", "alphabeta:time=TIMEs"),
    ("hypergammon", "alphabeta:time=TIMEs"),
    ("einstein:5x5", "mcts:time=TIMEs"),
];

/// Results of all commands.
#[derive(Serialize)]
pub struct BudgetReport {
    rows: Vec<BudgetRow>,
    failed: usize,
}

/// Result of one command.
#[derive(Serialize)]
struct BudgetRow {
    command: String,
    limit: f64,
    seconds: f64,
    peak_bytes: u64,
    code: Option<i32>,
    holds: bool,
}

impl BudgetReport {
    /// Whether all commands kept their limits.
    pub fn holds(&self) -> bool {
        self.failed == 0
    }

    /// Prints a line per command.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for row in &self.rows {
            let word = if row.holds { "kept" } else { "exceeded" };
            let (seconds, limit, megabytes) = (row.seconds, row.limit, row.peak_bytes / 1_000_000);
            writeln!(out, "{word:<8} {seconds:>7.3} s of {limit:>4} {megabytes:>5} MB  {}", row.command)?;
        }
        writeln!(out, "{} of {} commands exceeded a limit", self.failed, self.rows.len())
    }
}

/// Runs every command with each of these time limits, in seconds.
pub fn run(program: &Path, limits: &[f64], progress: &StageProgress) -> io::Result<BudgetReport> {
    let data = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for &limit in limits {
        for words in commands(limit) {
            progress.stage(&words.join(" "))?;
            rows.push(limited(program, data.path(), &words, limit)?);
        }
    }
    let failed = rows.iter().filter(|row| !row.holds).count();
    Ok(BudgetReport { rows, failed })
}

/// Returns the commands that must end within a limit.
fn commands(limit: f64) -> Vec<Vec<String>> {
    let players = PLAYERS.iter().map(|(game, player)| {
        let player = player.replace("TIME", &limit.to_string());
        // Standard input is empty, so the second player never moves and the game ends after one move.
        let words = ["play", *game, "--plain", "--second", "human", "--first", &player];
        words.map(String::from).to_vec()
    });
    let work = WORK.iter().map(|words| {
        let words = words.iter().map(|word| (*word).to_string());
        words.chain(["--time".to_string(), limit.to_string()]).collect()
    });
    work.chain(players).collect()
}

/// Runs one command and measures it.
fn limited(program: &Path, data: &Path, words: &[String], limit: f64) -> io::Result<BudgetRow> {
    let mut command = Command::new(program);
    command.args(words).args(["--json", "--quiet", "--no-save", "--memory", &MEMORY.to_string()]);
    command.arg("--data").arg(data).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let (code, peak_bytes) = measured(&mut command)?;
    let seconds = began.elapsed().as_secs_f64();
    let known = matches!(code, Some(0 | 1 | 3));
    let holds = seconds <= limit + LATE && peak_bytes <= MEMORY + MORE && known;
    Ok(BudgetRow { command: words.join(" "), limit, seconds, peak_bytes, code, holds })
}
