//! UGI host: an external engine with the universal game interface as a player.
//!
//! ```text
//!  > ugi                                              < id …, option …, ugiok
//!  > setoption name Game value connect4               (only if it has such an option)
//!  > uginewgame, isready                              < readyok
//!  > position startpos moves 4 4                      or: position fen LINE moves …
//!  > go movetime 1000                                 < info depth 7 nodes 1234 score cp 20 pv 3 4, bestmove 3
//!  > stop                                             < bestmove 3 (only if the search is stopped from outside)
//! ```

use crate::child::{EngineProcess, STOP, fault};
use crate::clock::{ThinkLimit, limit_of_move};
use crate::engine_player::{Protocol, Seat};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Counters, Game, Notation, Turn};
use outplay_players::{Choice, Fault, PlayError};
use outplay_runtime::{Monitor, NoMonitor};
use std::time::{Duration, Instant};

/// Timeout of the handshake.
const READY: Duration = Duration::from_secs(10);

/// The host's side of UGI.
pub(crate) struct Ugi;

impl Protocol for Ugi {
    const NAME: &'static str = "ugi";

    fn ready(&mut self, seat: &Seat, idle: Option<EngineProcess>) -> Result<EngineProcess, PlayError> {
        if let Some(mut child) = idle {
            child.send("uginewgame\nisready");
            // An engine that exited while idle is replaced.
            if wait_ready(&mut child, "readyok", &mut |_| {}).is_ok() {
                return Ok(child);
            }
        }
        let mut child = EngineProcess::start(&seat.parts.words, "quit")?;
        child.send("ugi");
        let mut knows_games = false;
        wait_ready(&mut child, "ugiok", &mut |line| {
            knows_games |= line.to_ascii_lowercase().starts_with("option name game ");
        })?;
        if knows_games {
            child.send(&format!("setoption name Game value {}", seat.game.spec()));
        }
        child.send("uginewgame\nisready");
        wait_ready(&mut child, "readyok", &mut |_| {})?;
        Ok(child)
    }

    fn ask(
        &mut self,
        seat: &mut Seat,
        mut child: EngineProcess,
        pos: &AnyPosition,
        _by_turn: bool,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError> {
        let (limit, patience) = limit_of_move(seat.parts.think, monitor);
        let go = match limit {
            ThinkLimit::Time(time) => format!("go movetime {}", time.as_millis().max(1)),
            ThinkLimit::Depth(depth) => format!("go depth {depth}"),
            ThinkLimit::Nodes(nodes) => format!("go nodes {nodes}"),
        };
        // `isready` is a barrier: output of an earlier turn comes before `readyok`.
        child.send(&format!("{}\nisready", seat.history.words(&seat.game)));
        match wait(&mut child, "readyok", patience, monitor, &mut |_| {}) {
            // The search has not started, so there is no move.
            Err(PlayError::Stopped) => {
                if wait(&mut child, "readyok", Instant::now() + STOP, &NoMonitor, &mut |_| {}).is_ok() {
                    seat.child = Some(child);
                }
                return Err(PlayError::Stopped);
            }
            other => other?,
        }
        child.send(&go);
        let mut info = SearchInfo::default();
        let answer = match receive_best_move(&mut child, patience, monitor, &mut info) {
            Err(PlayError::Stopped) => return stop(seat, child, pos, info),
            other => other?,
        };
        if answer.is_empty() {
            return Err(fault(Fault::Garbage, "answered `bestmove` without a move"));
        }
        let Ok(mv) = seat.game.read_move(pos, &answer) else {
            let shown: String = answer.chars().take(40).collect();
            return Err(fault(Fault::Illegal, format!("played `{shown}`, which is not a legal move")));
        };
        seat.child = Some(child);
        Ok(info.choice(&seat.game, pos, mv))
    }
}

/// Stops a search and returns the engine's move.
fn stop(
    seat: &mut Seat,
    mut child: EngineProcess,
    pos: &AnyPosition,
    mut info: SearchInfo,
) -> Result<Choice, PlayError> {
    child.send_during_search("stop");
    let answer = receive_best_move(&mut child, Instant::now() + STOP, &NoMonitor, &mut info);
    let answer = answer.map_err(|_| PlayError::Stopped)?;
    seat.child = Some(child);
    // An engine that was stopped at once may have no move yet (`bestmove 0000`).
    let mv = seat.game.read_move(pos, &answer).map_err(|_| PlayError::Stopped)?;
    Ok(Choice { stopped: true, ..info.choice(&seat.game, pos, mv) })
}

/// Waits for `bestmove` and returns the word after it, which may be missing (empty).
fn receive_best_move(
    child: &mut EngineProcess,
    patience: Instant,
    monitor: &dyn Monitor,
    info: &mut SearchInfo,
) -> Result<String, PlayError> {
    loop {
        let line = child.receive(patience, monitor)?;
        let mut words = line.split_whitespace();
        match words.next() {
            Some("info") => info.read(&line),
            Some("bestmove") => return Ok(words.next().unwrap_or_default().to_string()),
            _ => {}
        }
    }
}

/// Waits for a line that equals `word`; passes other lines to `heard`.
fn wait(
    child: &mut EngineProcess,
    word: &str,
    until: Instant,
    monitor: &dyn Monitor,
    heard: &mut dyn FnMut(&str),
) -> Result<(), PlayError> {
    loop {
        let line = child.receive(until, monitor)?;
        if line == word {
            return Ok(());
        }
        heard(&line);
    }
}

/// The same during the handshake; an error names the missing word.
fn wait_ready(child: &mut EngineProcess, word: &str, heard: &mut dyn FnMut(&str)) -> Result<(), PlayError> {
    wait(child, word, Instant::now() + READY, &NoMonitor, heard).map_err(|error| match error {
        PlayError::Fault { fault, why } => {
            PlayError::Fault { fault, why: format!("{why} (before `{word}`)") }
        }
        other => other,
    })
}

/// The last values of an engine's `info` lines.
#[derive(Default)]
struct SearchInfo {
    depth: u32,
    nodes: u64,
    opinion: Option<f64>,
    line: Vec<String>,
}

impl SearchInfo {
    fn read(&mut self, line: &str) {
        let mut words = line.split_whitespace().skip(1);
        while let Some(word) = words.next() {
            match word {
                "string" => return,
                "depth" => self.depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(self.depth),
                "nodes" => self.nodes = words.next().and_then(|word| word.parse().ok()).unwrap_or(self.nodes),
                "score" => {
                    let kind = words.next().unwrap_or_default();
                    let number = words.next().and_then(|word| word.parse::<f64>().ok());
                    // Centipawns or another unit of the engine, clamped to ±100; a mate is ±100.
                    self.opinion = number.filter(|number| number.is_finite()).map(|number| match kind {
                        "mate" if number > 0.0 => 100.0,
                        "mate" => -100.0,
                        _ => number.clamp(-100.0, 100.0),
                    });
                }
                "pv" => {
                    self.line = words.by_ref().map(str::to_string).collect();
                }
                _ => {}
            }
        }
    }

    fn choice(self, game: &AnyGame, pos: &AnyPosition, mv: AnyMove) -> Choice {
        let (mut at, mut line) = (pos.clone(), Vec::new());
        for word in &self.line {
            if game.outcome(&at).is_some() || game.turn(&at) == Turn::Chance {
                break;
            }
            let Ok(mv) = game.read_move(&at, word) else { break };
            line.push(mv);
            at = game.play(&at, mv);
        }
        if line.first() != Some(&mv) {
            line = vec![mv];
        }
        let counters = Counters { nodes: self.nodes, ..Counters::default() };
        Choice { depth: self.depth, opinion: self.opinion, line, ..Choice::plain(mv) }.after(counters)
    }
}
