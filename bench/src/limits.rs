//! Randomised tests of limits: random commands on random games with random limits, each in its own process.
//!
//! A third of the commands runs with a time and a memory limit, a third is interrupted by a signal, and a third is sent
//! to a server over HTTP by a client that disconnects. The seed determines the commands.

use crate::StageProgress;
use crate::budgets::{LATE, MORE};
use crate::process::{ServerProcess, cpu_time, measured};
use serde::Serialize;
use std::io::{self, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Allowed time in seconds from an interrupt to the exit, and from a disconnect to an idle server.
const SOON: f64 = 0.5;

/// A proof of few bytes whose check visits too many positions to finish.
const ENDLESS: &str = include_str!("../../tests/corpus/proof-slow.txt");

/// Commands; GAME stands for a game, PROOF for a proof file, ENDLESS for a proof whose check takes hours.
const COMMANDS: [&[&str]; 17] = [
    &["solve", "GAME"],
    &["solve", "GAME", "--values", "wdl"],
    &["solve", "GAME", "--method", "plain"],
    &["solve", "GAME", "--method", "memo"],
    &["solve", "GAME", "--method", "sweep"],
    &["solve", "GAME", "--method", "search"],
    &["solve", "GAME", "--method", "dense"],
    &["solve", "GAME", "--method", "proof"],
    &["solve", "GAME", "--method", "chance"],
    &["query", "GAME"],
    &["show", "GAME"],
    &["why", "GAME"],
    &["puzzle", "GAME"],
    &["index", "GAME"],
    &["games", "--check", "GAME"],
    &["check", "PROOF"],
    &["check", "ENDLESS"],
];

/// Games of every family, from small to intractable.
const GAMES: [&str; 26] = [
    "tictactoe",
    "mnk:4x4,k=3",
    "mnk:5x5,k=4",
    "mnk:6x6,k=4,misere",
    "mnk:7x7,k=5",
    "mnk:11x6,x=a1",
    "mnk:15x15,k=5",
    "mnk:19x19",
    "mnk:19x20",
    "connect4",
    "connect4:5x5",
    "connect4:6x5,misere",
    "connect4:9x9",
    "connect:12x10,k=5",
    "nim:7+8+9",
    "nim:300+300",
    "nim:1000+1000",
    "chess:KQK",
    "chess:KQKR",
    "chess:KRPKP",
    "morris:three",
    "morris:six",
    "pig:60",
    "pig:300",
    "hypergammon",
    "einstein",
];

/// Kind of limit.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum LimitKind {
    Limited,
    Interrupted,
    Left,
}

/// Results of all commands.
#[derive(Serialize)]
pub struct LimitReport {
    seed: u64,
    rows: Vec<LimitRow>,
    failed: usize,
}

/// Result of one command.
#[derive(Serialize)]
struct LimitRow {
    command: String,
    kind: LimitKind,
    /// Seconds that the command ran on after its limit, the interrupt or the disconnect.
    late: f64,
    /// Bytes beyond the limit.
    beyond: i64,
    code: Option<i32>,
    holds: bool,
}

/// SplitMix64 (Steele, Lea and Flood 2014); the final xor-shift is replaced by taking the high bits.
struct SplitMix64(u64);

impl SplitMix64 {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize % most
    }
}

impl LimitReport {
    /// Whether all commands kept their limits.
    pub fn holds(&self) -> bool {
        self.failed == 0
    }

    /// Prints a line per command.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for row in &self.rows {
            let word = if row.holds { "kept" } else { "exceeded" };
            let (late, megabytes) = (row.late.max(0.0), row.beyond.max(0) / 1_000_000);
            writeln!(out, "{word:<8} {late:>6.3} s late, {megabytes:>4} MB beyond  {}", row.command)?;
        }
        writeln!(out, "{} of {} commands exceeded a limit", self.failed, self.rows.len())
    }
}

/// Runs random commands, deterministically by seed.
pub fn run(program: &Path, trials: u32, seed: u64, progress: &StageProgress) -> io::Result<LimitReport> {
    let data = tempfile::tempdir()?;
    let files = ProofFiles::write(program, data.path())?;
    let server = ServerProcess::start(program, data.path(), &["--memory".into(), "1000000000".into()])?;
    let mut numbers = SplitMix64(seed);
    let mut rows = Vec::new();
    for number in 0..trials {
        let trial = Trial::random(&mut numbers);
        progress.stage(&trial.name())?;
        let mut command = trial.command(program, data.path(), &files);
        rows.push(match number % 3 {
            0 => trial.limited(&mut command)?,
            1 => trial.interrupted(&mut command)?,
            _ => trial.left(&server)?,
        });
    }
    let failed = rows.iter().filter(|row| !row.holds).count();
    Ok(LimitReport { seed, rows, failed })
}

/// Proof files of the commands: a valid proof, and one whose check takes hours.
struct ProofFiles {
    proof: String,
    endless: String,
}

impl ProofFiles {
    fn write(program: &Path, dir: &Path) -> io::Result<ProofFiles> {
        let file = |name: &str| dir.join(name).display().to_string();
        let files = ProofFiles { proof: file("proof.txt"), endless: file("endless.txt") };
        let words = ["solve", "mnk:5x5,k=4", "--method", "proof", "--no-save", "--quiet", "--proof"];
        Command::new(program).args(words).arg(&files.proof).stdout(Stdio::null()).status()?;
        std::fs::write(&files.endless, ENDLESS)?;
        Ok(files)
    }
}

/// A command with its limits.
struct Trial {
    words: &'static [&'static str],
    game: &'static str,
    seconds: f64,
    memory: u64,
}

impl Trial {
    fn random(numbers: &mut SplitMix64) -> Trial {
        let game = GAMES[numbers.below(GAMES.len())];
        let words = COMMANDS[numbers.below(COMMANDS.len())];
        let tenths = 1 + numbers.below(15) as u32;
        let memory = 150_000_000 + 50_000_000 * numbers.below(18) as u64;
        Trial { words, game, seconds: f64::from(tenths) / 10.0, memory }
    }

    /// Name of the command in the report; proof files appear as placeholders.
    fn name(&self) -> String {
        let words: Vec<&str> =
            self.words.iter().map(|&word| if word == "GAME" { self.game } else { word }).collect();
        format!("{} --memory {} MB", words.join(" "), self.memory / 1_000_000)
    }

    fn command(&self, program: &Path, data: &Path, files: &ProofFiles) -> Command {
        let mut command = Command::new(program);
        command.args(self.words.iter().map(|&word| match word {
            "GAME" => self.game,
            "PROOF" => &files.proof,
            "ENDLESS" => &files.endless,
            word => word,
        }));
        command.args(["--json", "--quiet", "--no-save", "--memory", &self.memory.to_string()]);
        command.arg("--data").arg(data);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs the command with time and memory limits.
    fn limited(&self, command: &mut Command) -> io::Result<LimitRow> {
        let seconds = self.seconds;
        command.args(["--time", &seconds.to_string()]);
        let began = Instant::now();
        let (code, peak) = measured(command)?;
        let late = began.elapsed().as_secs_f64() - seconds;
        let beyond = peak as i64 - self.memory as i64;
        let holds = late <= LATE && beyond <= MORE as i64 && matches!(code, Some(0..=3));
        let command = format!("{} --time {seconds}", self.name());
        Ok(LimitRow { command, kind: LimitKind::Limited, late, beyond, code, holds })
    }

    /// Interrupts the command, unless it ends first.
    fn interrupted(&self, command: &mut Command) -> io::Result<LimitRow> {
        let (late, code) = interrupt(command, self.seconds)?;
        let holds = late <= SOON && matches!(code, Some(0..=3 | 130));
        let command = format!("{}, interrupted after {} s", self.name(), self.seconds);
        Ok(LimitRow { command, kind: LimitKind::Interrupted, late, beyond: 0, code, holds })
    }

    /// Queries a server about the game and disconnects.
    fn left(&self, server: &ServerProcess) -> io::Result<LimitRow> {
        let late = disconnect(server, self.game, self.seconds)?;
        let command = format!("query {} over HTTP, left after {} s", self.game, self.seconds);
        let holds = late <= SOON;
        Ok(LimitRow { command, kind: LimitKind::Left, late, beyond: 0, code: None, holds })
    }
}

/// Interrupts a command after some seconds, unless it ends first; returns the time to its exit, and its exit code.
fn interrupt(command: &mut Command, seconds: f64) -> io::Result<(f64, Option<i32>)> {
    let mut child = command.spawn()?;
    let began = Instant::now();
    while began.elapsed().as_secs_f64() < seconds {
        if let Some(status) = child.try_wait()? {
            return Ok((0.0, status.code()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status()?;
    let code = child.wait()?.code();
    Ok((sent.elapsed().as_secs_f64(), code))
}

/// Queries a server about a game and disconnects after some seconds; returns how long the server kept working.
fn disconnect(server: &ServerProcess, game: &str, seconds: f64) -> io::Result<f64> {
    let mut stream = TcpStream::connect(server.addr)?;
    let game = game.replace('+', "%2B");
    write!(stream, "GET /api/v1/position?game={game} HTTP/1.1\r\nhost: {}\r\n\r\n", server.addr)?;
    std::thread::sleep(Duration::from_secs_f64(seconds));
    drop(stream);
    let left = Instant::now();
    // The server is idle once it has used almost no processor time for a while.
    let (pause, idle) = (Duration::from_millis(50), Duration::from_millis(20));
    let mut last = left;
    while left.elapsed() < Duration::from_secs(30) {
        let before = cpu_time(server.pid());
        std::thread::sleep(pause);
        if cpu_time(server.pid()).saturating_sub(before) > idle {
            last = Instant::now();
        }
        if last.elapsed() > 4 * pause {
            break;
        }
    }
    Ok((last - left).as_secs_f64())
}
