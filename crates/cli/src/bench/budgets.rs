//! `outplay bench budgets`: whether limits hold. Each solver and player gets little time on a game too large for it, in a
//! process of its own, so that what it allocates is what it is charged for.

use crate::commands::{Failure, KNOWN, NO, Run};
use crate::output::{LOSS, WIN};
use outplay_answer::Trouble;
use serde::Serialize;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How much later than the limit an answer may come, in seconds.
pub(super) const LATE: f64 = 0.25;

/// Bytes that a process may take, and what it may take beyond.
const MEMORY: u64 = 500_000_000;
pub(super) const MORE: u64 = 100_000_000;

/// Commands that would take minutes or hours, or never end; TIME stands for the seconds.
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

/// Players on games too large for them, each to make one move.
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

/// One command that was limited.
#[derive(Serialize)]
struct Row {
    command: String,
    limit: f64,
    seconds: f64,
    peak_bytes: u64,
    code: Option<i32>,
    holds: bool,
}

impl<W: Write> Run<'_, W> {
    pub(crate) fn budgets(&mut self, times: &[f64]) -> Result<u8, Failure> {
        let program = std::env::current_exe();
        let program =
            program.map_err(|error| Trouble::unable(format!("this program cannot be found: {error}")))?;
        let data = tempfile::tempdir().map_err(|error| Trouble::unable(format!("no directory: {error}")))?;
        let mut rows = Vec::new();
        for &limit in times {
            let players = PLAYERS.iter().map(|(game, player)| {
                let player = player.replace("TIME", &limit.to_string());
                // Nobody answers the first move, so that there is just one.
                let words = ["play", *game, "--plain", "--second", "human", "--first", &player];
                words.map(String::from).to_vec()
            });
            let commands: Vec<Vec<String>> = WORK
                .iter()
                .map(|words| {
                    let words = words.iter().map(|word| (*word).to_string());
                    words.chain(["--time".to_string(), limit.to_string()]).collect()
                })
                .chain(players)
                .collect();
            for words in commands {
                let mut command = Command::new(&program);
                command.args(&words).args([
                    "--json",
                    "--quiet",
                    "--no-save",
                    "--memory",
                    &MEMORY.to_string(),
                ]);
                command.arg("--data").arg(data.path()).stdin(Stdio::null()).stdout(Stdio::null());
                let began = Instant::now();
                let (code, peak_bytes) = measured(command.stderr(Stdio::null()))
                    .map_err(|error| Trouble::unable(format!("cannot run a command: {error}")))?;
                let seconds = began.elapsed().as_secs_f64();
                let known = matches!(code, Some(0 | 1 | 3));
                let holds = seconds <= limit + LATE && peak_bytes <= MEMORY + MORE && known;
                rows.push(Row { command: words.join(" "), limit, seconds, peak_bytes, code, holds });
            }
        }
        let failed = rows.iter().filter(|row| !row.holds).count();
        let report = serde_json::json!({ "rows": rows, "failed": failed });
        self.print(&report, |out, _| {
            rows.iter().try_for_each(|row| write_row(out, row))?;
            writeln!(out, "{failed} of {} commands exceeded a limit", rows.len())
        })?;
        Ok(if failed == 0 { KNOWN } else { NO })
    }
}

fn write_row(out: &mut impl Write, row: &Row) -> io::Result<()> {
    let (style, word) = if row.holds { (WIN, "kept") } else { (LOSS, "exceeded") };
    writeln!(
        out,
        "{style}{word:<8}{style:#} {:>7.3} s of {:>4} {:>5} MB  {}",
        row.seconds,
        row.limit,
        row.peak_bytes / 1_000_000,
        row.command
    )
}

/// Runs a command to its end: its exit code, and the most memory that it had.
pub(super) fn measured(command: &mut Command) -> io::Result<(Option<i32>, u64)> {
    let mut child = command.spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), peak));
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
