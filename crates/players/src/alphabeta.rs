//! The player `alphabeta`: alpha-beta search, or expectiminimax for games with dice.
//!
//! The [`Tactics`] filter (wins in one ply, losses in two) runs before the search and overrides its move. A depth of
//! one ply or a limit of ten nodes therefore makes the player weak, but it still never misses a win in one.

use crate::distribution::determined;
use crate::greedy::liked;
use crate::judge::squeezed;
use crate::look::Tactics;
use crate::punctual::Punctual;
use crate::searcher::Searcher;
use crate::techniques::Techniques;
use crate::words::{ParsedSpec, format_duration, format_spec};
use crate::{Choice, Distribution, Judge, PlayError, Player, PlayerContext};
use outplay_core::{AnyPosition, Game, InputError};
use outplay_runtime::Monitor;
use outplay_search::{SearchLimits, SearchOptions};
use std::sync::Arc;
use std::time::Instant;

/// Default search depth in plies.
const DEPTH: u32 = 6;

/// Parses `depth=`, `time=` and `nodes=`.
pub(crate) fn limits(words: &mut ParsedSpec) -> Result<SearchLimits, InputError> {
    let depth = words.number("depth", 1, 1000)?;
    let (time, nodes) = (words.time("time")?, words.count("nodes")?);
    let none = depth.is_none() && time.is_none() && nodes.is_none();
    Ok(SearchLimits { depth: if none { Some(DEPTH) } else { depth }, time, nodes })
}

/// Formats limits as [`limits`] parses them.
pub(crate) fn format_limits(limits: &SearchLimits) -> Vec<(&'static str, String)> {
    let mut options = Vec::new();
    options.extend(limits.depth.map(|depth| ("depth", depth.to_string())));
    options.extend(limits.time.map(|time| ("time", format_duration(time))));
    options.extend(limits.nodes.map(|nodes| ("nodes", nodes.to_string())));
    options
}

/// The player `alphabeta`.
pub struct AlphaBeta {
    kit: PlayerContext,
    judge: Arc<dyn Judge>,
    limits: SearchLimits,
    techniques: Techniques,
    searcher: Box<dyn Searcher>,
    punctual: Punctual,
}

impl AlphaBeta {
    /// A player that searches within limits and evaluates leaves by `judge`.
    pub fn new(kit: &PlayerContext, judge: Arc<dyn Judge>, limits: SearchLimits) -> AlphaBeta {
        AlphaBeta::by(kit, judge, limits, Techniques::default())
    }

    /// The same with the search techniques that a spec names.
    pub(crate) fn by(
        kit: &PlayerContext,
        judge: Arc<dyn Judge>,
        limits: SearchLimits,
        techniques: Techniques,
    ) -> AlphaBeta {
        // A shallow search fills a small table only, and clearing a large one takes longer than the search.
        let small = limits.depth.is_some_and(|depth| depth <= 8);
        let table = if small { 1 << 14 } else { 1 << 20 };
        let options = techniques.apply(SearchOptions { table, ..SearchOptions::default() });
        let searcher = kit.minds.look_ahead(judge.clone(), options);
        AlphaBeta { kit: kit.clone(), judge, limits, techniques, searcher, punctual: Punctual::default() }
    }
}

impl Player for AlphaBeta {
    fn spec(&self) -> String {
        let mut options = format_limits(&self.limits);
        options.extend(self.techniques.to_options());
        options.push(("eval", self.judge.spec()));
        format_spec("alphabeta", &options)
    }

    fn begin(&mut self, _seed: u64) {
        self.searcher.begin();
    }

    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let began = Instant::now();
        let moves = self.kit.legal(pos)?;
        let among = match self.kit.tactics(pos, &moves) {
            Tactics::Win(mv) => return Ok(Choice::won(mv)),
            Tactics::Candidates(among) => among,
        };
        if let [mv] = among[..] {
            return Ok(Choice { line: vec![mv], depth: 1, ..Choice::plain(mv) }.after_sight(1));
        }
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let time = end.map(|end| end.saturating_duration_since(Instant::now()));
        let limits = SearchLimits { time, ..self.limits };
        if !self.techniques.keep {
            self.searcher.begin();
        }
        // A search of one ply equals the tactics filter plus a static evaluation of each move.
        let found = match limits.depth {
            Some(1) if !self.kit.game.has_dice() && !self.techniques.named() => None,
            _ => match self.searcher.think(pos, limits, monitor) {
                Err(PlayError::Stopped) if !monitor.stopped() => None,
                found => Some(found),
            },
        };
        if let Some(end) = end {
            self.punctual.made(end);
        }
        let found = found.transpose()?;
        if let Some(choice) = found.as_ref().filter(|choice| among.contains(&choice.mv)) {
            return Ok(choice.clone());
        }
        // Either there was no time for a search, or its move lost tactically. In the second case the search is over, so
        // the static evaluation of the remaining moves runs without a time limit.
        let (me, end) = (self.kit.game.turn(pos), end.filter(|_| found.is_none()));
        let (best, score) = liked(&self.kit, &*self.judge, pos, &among, me, end);
        let mv = best[0];
        let opinion = Some(squeezed(score, self.judge.unit()));
        let stopped = found.is_some_and(|choice| choice.stopped);
        let choice = Choice { depth: 1, opinion, line: vec![mv], stopped, ..Choice::plain(mv) };
        Ok(choice.after_sight(moves.len() as u64))
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        // Expectiminimax and one-ply search keep no table.
        let dice = self.kit.game.has_dice();
        let at_sight = self.limits.depth == Some(1) && !self.techniques.named();
        let forgets = dice || at_sight || !self.techniques.keep;
        if self.limits.time.is_some() || !forgets { Ok(None) } else { determined(self, pos, monitor) }
    }

    fn bytes(&self) -> usize {
        self.searcher.bytes()
    }
}
