//! A program that speaks UGI as a player.
//!
//! ```text
//!  > ugi                                              < id …, option …, ugiok
//!  > setoption name Game value connect4               (only if it has such an option)
//!  > uginewgame, isready                              < readyok
//!  > position startpos moves 4 4                      or: position fen LINE moves …
//!  > go movetime 1000                                 < info depth 7 nodes 1234 score cp 20 pv 3 4, bestmove 3
//! ```

use crate::child::{Child, fault};
use crate::clock::{Think, at_move};
use crate::history::History;
use crate::stable::{Parts, Stable, purpose};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Counters, Game, Notation, Quiet, Turn, Watch};
use outplay_players::{Choice, Fault, PlayError, Player};
use std::time::{Duration, Instant};

/// How long a program may take to be ready.
const READY: Duration = Duration::from_secs(10);

/// The player.
pub(crate) struct UgiPlayer {
    stable: Stable,
    game: AnyGame,
    parts: Parts,
    purpose: String,
    child: Option<Child>,
    trouble: Option<PlayError>,
    history: History,
}

impl UgiPlayer {
    pub(crate) fn new(stable: Stable, game: AnyGame, parts: Parts) -> UgiPlayer {
        let purpose = purpose("ugi", &parts.words, &game);
        UgiPlayer { stable, game, parts, purpose, child: None, trouble: None, history: History::default() }
    }

    /// A program that is ready for a new game.
    fn ready(&mut self) -> Result<Child, PlayError> {
        let until = || Instant::now() + READY;
        if let Some(mut child) = self.child.take().or_else(|| self.stable.take(&self.purpose)) {
            child.order("uginewgame\nisready");
            // One that ended while it waited is replaced.
            if wait(&mut child, "readyok", until(), &mut |_| {}).is_ok() {
                return Ok(child);
            }
        }
        let mut child = Child::start(&self.parts.words, "quit")?;
        child.order("ugi");
        let mut knows_games = false;
        wait(&mut child, "ugiok", until(), &mut |line| {
            knows_games |= line.to_ascii_lowercase().starts_with("option name game ");
        })?;
        if knows_games {
            child.order(&format!("setoption name Game value {}", self.game.spec()));
        }
        child.order("uginewgame\nisready");
        wait(&mut child, "readyok", until(), &mut |_| {})?;
        Ok(child)
    }

    fn ask(&self, child: &mut Child, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let (told, patience) = at_move(self.parts.think, watch);
        let go = match told {
            Think::Time(time) => format!("go movetime {}", time.as_millis().max(1)),
            Think::Depth(depth) => format!("go depth {depth}"),
            Think::Nodes(nodes) => format!("go nodes {nodes}"),
        };
        child.order(&format!("{}\n{go}", self.history.words(&self.game)));
        let mut info = Info::default();
        loop {
            let line = child.hear(patience, watch)?;
            let mut words = line.split_whitespace();
            match words.next() {
                Some("info") => info.read(&line),
                Some("bestmove") => {
                    let Some(word) = words.next() else {
                        return Err(fault(Fault::Garbage, "said `bestmove` without a move"));
                    };
                    let Ok(mv) = self.game.read_move(pos, word) else {
                        let shown: String = word.chars().take(40).collect();
                        return Err(fault(
                            Fault::Illegal,
                            format!("played `{shown}`, which is no legal move"),
                        ));
                    };
                    return Ok(info.choice(&self.game, pos, mv));
                }
                _ => {}
            }
        }
    }
}

/// Waits for a line that is one word.
fn wait(child: &mut Child, word: &str, until: Instant, heard: &mut dyn FnMut(&str)) -> Result<(), PlayError> {
    loop {
        let line = child.hear(until, &Quiet).map_err(|error| match error {
            PlayError::Fault { fault, why } => {
                PlayError::Fault { fault, why: format!("{why} (before `{word}`)") }
            }
            other => other,
        })?;
        if line == word {
            return Ok(());
        }
        heard(&line);
    }
}

impl Player for UgiPlayer {
    fn spec(&self) -> String {
        self.parts.spec.clone()
    }

    fn begin(&mut self, _seed: u64) {
        self.history.clear();
        self.trouble = None;
        match self.ready() {
            Ok(child) => self.child = Some(child),
            Err(error) => self.trouble = Some(error),
        }
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        if self.game.turn(pos) == Turn::Chance || self.game.outcome(pos).is_some() {
            return Err(PlayError::NoMove);
        }
        if self.child.is_none() && self.trouble.is_none() {
            self.begin(0);
        }
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let Some(mut child) = self.child.take() else { return Err(PlayError::NoMove) };
        self.history.reach(&self.game, pos);
        // A program that failed to answer is let go: what it says next would be about the past.
        let choice = self.ask(&mut child, pos, watch)?;
        self.child = Some(child);
        self.history.made(&self.game, pos, choice.mv);
        Ok(choice)
    }
}

impl Drop for UgiPlayer {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            self.stable.keep(&self.purpose, child);
        }
    }
}

/// What a program said about its thinking, the last word counts.
#[derive(Default)]
struct Info {
    depth: u32,
    nodes: u64,
    opinion: Option<f64>,
    line: Vec<String>,
}

impl Info {
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
                    // Hundredths of whatever the program counts in; mates are sure.
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
