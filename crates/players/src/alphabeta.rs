//! Looks ahead: alpha-beta for games without dice, expectiminimax for those with.
//!
//! The first look (wins in one, losses in one) comes before the search and has the last word: a horizon of one
//! ply or a limit of ten positions makes a player weak, never blind.

use crate::dice::Rolled;
use crate::greedy::liked;
use crate::judge::{Seen, squeezed};
use crate::look::Look;
use crate::punctual::Punctual;
use crate::words::{Words, spelled, written};
use crate::{Choice, Judge, Kit, PlayError, Player};
use outplay_core::{Game, InputError, Turn, Watch};
use outplay_search::{Answer, DiceMethod, Engine, Kept, Limits, Options, expectimax};
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
pub struct AlphaBeta<G: Game> {
    kit: Kit<G>,
    judge: Arc<dyn Judge<G>>,
    limits: Limits,
    options: Options,
    kept: Option<Kept<G>>,
    punctual: Punctual,
}

impl<G: Game> AlphaBeta<G> {
    /// A player that looks ahead within limits and judges what it sees there by `judge`.
    pub fn new(kit: &Kit<G>, judge: Arc<dyn Judge<G>>, limits: Limits) -> AlphaBeta<G> {
        // A shallow search fills a small table only, and clearing a large one takes longer than it.
        let small = limits.depth.is_some_and(|depth| depth <= 8);
        let options =
            Options { table: if small { 1 << 14 } else { 1 << 20 }, quiescence: 0, ..Options::default() };
        AlphaBeta { kit: kit.clone(), judge, limits, options, kept: None, punctual: Punctual::default() }
    }

    fn search(
        &mut self,
        pos: &G::Position,
        limits: Limits,
        watch: &dyn Watch,
    ) -> Result<Choice<G::Move>, PlayError> {
        let me = self.kit.game.turn(pos);
        let seen = Seen { judge: self.judge.clone(), me };
        let kept = self.kept.take().unwrap_or_else(|| Kept::new(&self.options));
        let mut engine = Engine::new(&self.kit.game, self.options).evaluate(seen).resume(kept);
        let report = engine.search(pos, limits, watch);
        self.kept = Some(engine.keep());
        let report = report?;
        let Some(mv) = report.best else { return Err(PlayError::Stopped) };
        let opinion = match report.answer {
            Answer::Exact(value) => Some(100.0 * f64::from(value.payoff())),
            Answer::Payoff(payoff) => Some(100.0 * f64::from(payoff)),
            Answer::Unknown { score, .. } => score.map(|score| squeezed(score, self.judge.unit())),
        };
        Ok(Choice { mv, nodes: report.counts.nodes, depth: report.depth, opinion, line: report.line })
    }

    /// Expectiminimax, deeper and deeper: its search forgets what it had when it is stopped.
    fn search_with_dice(
        &self,
        falls: crate::Falls<G>,
        pos: &G::Position,
        limits: Limits,
        watch: &dyn Watch,
    ) -> Result<Choice<G::Move>, PlayError> {
        let game = Rolled { game: self.kit.game.clone(), falls };
        let turn = game.turn(pos);
        let seen = Seen { judge: self.judge.clone(), me: turn };
        let end = limits.time.map(|time| Instant::now() + time);
        let mut choice = None;
        let mut nodes = 0;
        for depth in 1..=limits.depth.unwrap_or(64) {
            let rest = Limits {
                depth: Some(depth),
                time: end.map(|end| end.saturating_duration_since(Instant::now())),
                nodes: limits.nodes.map(|most| most.saturating_sub(nodes)),
            };
            let report = expectimax(&game, pos, &seen, DiceMethod::Star2, rest, watch)?;
            nodes += report.nodes;
            let (Some(value), Some(mv)) = (report.value, report.best) else { break };
            let mean = if turn == Turn::Second { -value } else { value };
            choice = Some(Choice { mv, nodes, depth, opinion: Some(100.0 * mean), line: vec![mv] });
            if report.exact {
                break;
            }
        }
        choice.ok_or(PlayError::Stopped)
    }
}

impl<G: Game> Player<G> for AlphaBeta<G> {
    fn spec(&self) -> String {
        let mut options = spelled_limits(&self.limits);
        options.push(("eval", self.judge.spec()));
        spelled("alphabeta", &options)
    }

    fn begin(&mut self, _seed: u64) {
        match &mut self.kept {
            Some(kept) => kept.clear(),
            // Making the table is no part of a move's time.
            None => self.kept = Some(Kept::new(&self.options)),
        }
    }

    fn choose(&mut self, pos: &G::Position, watch: &dyn Watch) -> Result<Choice<G::Move>, PlayError> {
        let began = Instant::now();
        let moves = self.kit.legal(pos)?;
        let among = match self.kit.look(pos, &moves) {
            Look::Win(mv) => return Ok(Choice::won(mv)),
            Look::Among(among) => among,
        };
        if let [mv] = among[..] {
            return Ok(Choice { line: vec![mv], depth: 1, nodes: 1, ..Choice::plain(mv) });
        }
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let time = end.map(|end| end.saturating_duration_since(Instant::now()));
        let limits = Limits { time, ..self.limits };
        let found = if limits.depth == Some(1) && self.kit.dice.is_none() {
            Err(PlayError::Stopped)
        } else {
            match self.kit.dice {
                Some(falls) => self.search_with_dice(falls, pos, limits, watch),
                None => self.search(pos, limits, watch),
            }
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
                Ok(Choice { mv, nodes: moves.len() as u64, depth: 1, opinion, line: vec![mv] })
            }
            Ok(_) => Err(PlayError::Stopped),
            Err(error) => Err(error),
        }
    }

    fn bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, Kept::bytes)
    }
}
