//! Looks ahead: alpha-beta for games without dice, expectiminimax for those with.
//!
//! The first look (wins in one, losses in one) comes before the search and has the last word: a horizon of one
//! ply or a limit of ten positions makes a player weak, never blind.

use crate::greedy::liked;
use crate::judge::squeezed;
use crate::look::Look;
use crate::mind::Mind;
use crate::punctual::Punctual;
use crate::techniques::Techniques;
use crate::words::{Words, spelled, written};
use crate::{Choice, Judge, Kit, PlayError, Player};
use outplay_core::{AnyPosition, Game, InputError, Watch};
use outplay_search::{Limits, Options};
use std::sync::Arc;
use std::time::Instant;

/// Plies that are looked ahead if nothing is said.
const DEPTH: u32 = 6;

/// Reads `depth=`, `time=` and `nodes=`.
pub(crate) fn limits(words: &mut Words) -> Result<Limits, InputError> {
    let depth = words.number("depth", 1, 1000)?;
    let (time, nodes) = (words.time("time")?, words.count("nodes")?);
    let none = depth.is_none() && time.is_none() && nodes.is_none();
    Ok(Limits { depth: if none { Some(DEPTH) } else { depth }, time, nodes })
}

/// Writes what [`limits`] reads.
pub(crate) fn spelled_limits(limits: &Limits) -> Vec<(&'static str, String)> {
    let mut options = Vec::new();
    options.extend(limits.depth.map(|depth| ("depth", depth.to_string())));
    options.extend(limits.time.map(|time| ("time", written(time))));
    options.extend(limits.nodes.map(|nodes| ("nodes", nodes.to_string())));
    options
}

/// The player `alphabeta`.
pub struct AlphaBeta {
    kit: Kit,
    judge: Arc<dyn Judge>,
    limits: Limits,
    techniques: Techniques,
    mind: Box<dyn Mind>,
    punctual: Punctual,
}

impl AlphaBeta {
    /// A player that looks ahead within limits and judges what it sees there by `judge`.
    pub fn new(kit: &Kit, judge: Arc<dyn Judge>, limits: Limits) -> AlphaBeta {
        AlphaBeta::by(kit, judge, limits, Techniques::default())
    }

    /// The same by techniques that a spec names.
    pub(crate) fn by(kit: &Kit, judge: Arc<dyn Judge>, limits: Limits, techniques: Techniques) -> AlphaBeta {
        // A shallow search fills a small table only, and clearing a large one takes longer than it.
        let small = limits.depth.is_some_and(|depth| depth <= 8);
        let table = if small { 1 << 14 } else { 1 << 20 };
        let options = techniques.apply(Options { table, ..Options::default() });
        let mind = kit.minds.look_ahead(judge.clone(), options);
        AlphaBeta { kit: kit.clone(), judge, limits, techniques, mind, punctual: Punctual::default() }
    }
}

impl Player for AlphaBeta {
    fn spec(&self) -> String {
        let mut options = spelled_limits(&self.limits);
        options.extend(self.techniques.spelled());
        options.push(("eval", self.judge.spec()));
        spelled("alphabeta", &options)
    }

    fn begin(&mut self, _seed: u64) {
        self.mind.begin();
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let began = Instant::now();
        let moves = self.kit.legal(pos)?;
        let among = match self.kit.look(pos, &moves) {
            Look::Win(mv) => return Ok(Choice::won(mv)),
            Look::Among(among) => among,
        };
        if let [mv] = among[..] {
            return Ok(Choice { line: vec![mv], depth: 1, ..Choice::plain(mv) }.after_sight(1));
        }
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let time = end.map(|end| end.saturating_duration_since(Instant::now()));
        let limits = Limits { time, ..self.limits };
        if !self.techniques.keep {
            self.mind.begin();
        }
        // One ply is what the look and the judge do without a search.
        let found = match limits.depth {
            Some(1) if !self.kit.game.has_dice() && !self.techniques.named() => Err(PlayError::Stopped),
            _ => self.mind.think(pos, limits, watch),
        };
        if let Some(end) = end {
            self.punctual.made(end);
        }
        match found {
            Ok(choice) if among.contains(&choice.mv) => Ok(choice),
            // Too little time for a search, or one that saw no difference between lost moves.
            Ok(_) | Err(PlayError::Stopped) if !watch.stopped() => {
                let me = self.kit.game.turn(pos);
                let (best, score) = liked(&self.kit, &*self.judge, pos, &among, me, end);
                let mv = best[0];
                let opinion = Some(squeezed(score, self.judge.unit()));
                let choice = Choice { depth: 1, opinion, line: vec![mv], ..Choice::plain(mv) };
                Ok(choice.after_sight(moves.len() as u64))
            }
            Ok(_) => Err(PlayError::Stopped),
            Err(error) => Err(error),
        }
    }

    fn bytes(&self) -> usize {
        self.mind.bytes()
    }
}
