//! `outplay bench limits`: random commands on random games with random limits, each in a process of its own. A third of them
//! has a limit of time and one of memory, a third is interrupted, and a third is asked over HTTP by a client that
//! leaves.

use super::budgets::{LATE, MORE, measured};
use crate::commands::{Failure, KNOWN, NO, Run};
use crate::output::{LOSS, WIN};
use outplay_answer::Trouble;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long after an interrupt a process may live, and after a client has left a server may work, in seconds.
const SOON: f64 = 0.5;

/// A proof of few bytes, and more positions to follow than anybody has time for.
const ENDLESS: &str = include_str!("../../../../tests/corpus/proof-slow.txt");

/// Commands; GAME stands for a game, PROOF for the file of a proof, ENDLESS for that of one whose check takes hours.
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

/// Games of every family, from small to hopeless.
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

/// What was done to a command.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Limited,
    Interrupted,
    Left,
}

#[derive(Serialize)]
struct Row {
    command: String,
    kind: Kind,
    /// How long after the limit, the interrupt or the client's leaving it went on.
    late: f64,
    /// Bytes beyond the limit.
    beyond: i64,
    code: Option<i32>,
    holds: bool,
}

/// Numbers that look random; the same for the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize % most
    }
}

fn unable(error: impl std::fmt::Display) -> Failure {
    Trouble::unable(format!("cannot run a command: {error}")).into()
}

impl<W: Write> Run<'_, W> {
    pub(crate) fn limits(&mut self, trials: u32, seed: u64) -> Result<u8, Failure> {
        let program = std::env::current_exe().map_err(unable)?;
        let data = tempfile::tempdir().map_err(unable)?;
        let proof = data.path().join("proof.txt").display().to_string();
        let words = ["solve", "mnk:5x5,k=4", "--method", "proof", "--no-save", "--quiet", "--proof", &proof];
        Command::new(&program).args(words).stdout(Stdio::null()).status().map_err(unable)?;
        let endless = data.path().join("endless.txt").display().to_string();
        std::fs::write(&endless, ENDLESS).map_err(unable)?;
        let mut numbers = Numbers(seed);
        let mut server = Server::start(&program, data.path()).map_err(unable)?;
        let mut rows = Vec::new();
        for trial in 0..trials {
            let game = GAMES[numbers.below(GAMES.len())];
            let command = COMMANDS[numbers.below(COMMANDS.len())];
            let tenths = 1 + numbers.below(15) as u32;
            let seconds = f64::from(tenths) / 10.0;
            let memory = 150_000_000 + 50_000_000 * numbers.below(18) as u64;
            let words: Vec<&str> = command
                .iter()
                .map(|&word| match word {
                    "GAME" => game,
                    "PROOF" => &proof,
                    "ENDLESS" => &endless,
                    word => word,
                })
                .collect();
            let mut child = Command::new(&program);
            child.args(&words).args(["--json", "--quiet", "--no-save", "--memory", &memory.to_string()]);
            child.arg("--data").arg(data.path()).stdin(Stdio::null()).stdout(Stdio::null());
            child.stderr(Stdio::null());
            let mut name = format!("{} --memory {} MB", words.join(" "), memory / 1_000_000);
            if command[0] == "check" {
                name = format!("check {} --memory {} MB", command[1], memory / 1_000_000);
            }
            let row = match trial % 3 {
                0 => {
                    child.args(["--time", &seconds.to_string()]);
                    let began = Instant::now();
                    let (code, peak) = measured(&mut child).map_err(unable)?;
                    let late = began.elapsed().as_secs_f64() - seconds;
                    let beyond = peak as i64 - memory as i64;
                    let holds = late <= LATE && beyond <= MORE as i64 && matches!(code, Some(0..=3));
                    Row {
                        command: format!("{name} --time {seconds}"),
                        kind: Kind::Limited,
                        late,
                        beyond,
                        code,
                        holds,
                    }
                }
                1 => {
                    let (late, code) = interrupted(&mut child, seconds).map_err(unable)?;
                    let holds = late <= SOON && matches!(code, Some(0..=3 | 130));
                    let command = format!("{name}, interrupted after {seconds} s");
                    Row { command, kind: Kind::Interrupted, late, beyond: 0, code, holds }
                }
                _ => {
                    let late = server.leave(game, seconds).map_err(unable)?;
                    let command = format!("query {game} over HTTP, left after {seconds} s");
                    Row { command, kind: Kind::Left, late, beyond: 0, code: None, holds: late <= SOON }
                }
            };
            rows.push(row);
        }
        let failed = rows.iter().filter(|row| !row.holds).count();
        let report = serde_json::json!({ "seed": seed, "rows": rows, "failed": failed });
        self.print(&report, |out, _| {
            rows.iter().try_for_each(|row| write_row(out, row))?;
            writeln!(out, "{failed} of {} commands exceeded a limit", rows.len())
        })?;
        Ok(if failed == 0 { KNOWN } else { NO })
    }
}

fn write_row(out: &mut impl Write, row: &Row) -> io::Result<()> {
    let (style, word) = if row.holds { (WIN, "kept") } else { (LOSS, "exceeded") };
    let late = row.late.max(0.0);
    write!(
        out,
        "{style}{word:<8}{style:#} {late:>6.3} s late, {:>4} MB beyond",
        row.beyond.max(0) / 1_000_000
    )?;
    writeln!(out, "  {}", row.command)
}

/// Interrupts a command after so long, unless it is over before: how long it lived on, and its exit code.
fn interrupted(command: &mut Command, seconds: f64) -> io::Result<(f64, Option<i32>)> {
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

/// A server in a process of its own, of which one can see how much it works.
struct Server {
    child: Child,
    host: String,
}

impl Server {
    fn start(program: &Path, data: &Path) -> io::Result<Server> {
        let mut command = Command::new(program);
        command.args(["serve", "--addr", "127.0.0.1:0", "--memory", "1000000000", "--data"]).arg(data);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or_else(|| io::Error::other("the server says nothing"))?;
        BufReader::new(out).read_line(&mut line)?;
        let host = line.split("http://").nth(1).and_then(|rest| rest.split(['/', ' ', '\n']).next());
        let host = host.ok_or_else(|| io::Error::other(format!("the server says {line:?}")))?.to_string();
        Ok(Server { child, host })
    }

    /// Processor time that the server has used, in seconds.
    fn used(&self) -> io::Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name may have blanks in it; after it come the state and numbers, user and system time the 12th and 13th.
        let rest = text.rsplit(')').next().unwrap_or_default();
        let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
        Ok(ticks.sum::<f64>() / 100.0)
    }

    /// Asks about a game and leaves after so long: how long the server went on working.
    fn leave(&mut self, game: &str, seconds: f64) -> io::Result<f64> {
        let mut stream = TcpStream::connect(&self.host)?;
        let game = game.replace('+', "%2B");
        write!(stream, "GET /api/v1/position?game={game} HTTP/1.1\r\nhost: {}\r\n\r\n", self.host)?;
        std::thread::sleep(Duration::from_secs_f64(seconds));
        drop(stream);
        let left = Instant::now();
        // It rests once it has used next to nothing for a while.
        let pause = Duration::from_millis(50);
        let mut last = left;
        while left.elapsed() < Duration::from_secs(30) {
            let before = self.used()?;
            std::thread::sleep(pause);
            if self.used()? - before > 0.02 {
                last = Instant::now();
            }
            if last.elapsed() > 4 * pause {
                break;
            }
        }
        Ok((last - left).as_secs_f64())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
