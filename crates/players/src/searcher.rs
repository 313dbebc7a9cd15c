//! Search loops for any game behind object-safe traits: alpha-beta, expectiminimax and Monte Carlo tree search.
//!
//! Each search loop is monomorphised for one game; the rest of a player is compiled once, for all games.
//!
//! ```text
//!  player       factory method                   search
//!  alphabeta ──▶ SearcherFactory::look_ahead ──▶ Searcher     alpha-beta; with dice, expectiminimax by Star2
//!  mcts ───────▶ SearcherFactory::grow ────────▶ MctsTree     UCT
//!  playout ────▶ SearcherFactory::playouts                    mean payoff of random games
//! ```
//!
//! Expectiminimax is [`DiceMethod::Star2`] (Ballard 1983).

use crate::judge::squeezed;
use crate::mcts::MctsLimits;
use crate::uct::Uct;
use crate::{Choice, Judge, PlayError};
use outplay_core::{AnyPosition, Chance, Content, Counters, Game, LineBoard, Native, Turn};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_search::{
    DiceMethod, EngineMemory, Evaluate, Limit, PlayoutOptions, SearchEngine, SearchLimits, SearchOptions,
    SearchValue, expectimax, playouts, playouts_with_dice,
};
use std::sync::Arc;
use std::time::Instant;

/// Maximal depth of expectiminimax in plies where only time limits it.
const DEEPEST: u32 = 64;

/// A depth-limited search of one game. It may keep a transposition table between searches.
pub trait Searcher: Send {
    /// Searches a position by iterative deepening and returns the best move of the last finished iteration.
    ///
    /// # Errors
    ///
    /// A stop before one ply was finished, or a search that fails.
    fn think(
        &mut self,
        pos: &AnyPosition,
        limits: SearchLimits,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError>;

    /// Clears all state, and allocates the table, so that the first move does not pay for it.
    fn begin(&mut self);

    /// Returns the allocated memory in bytes.
    fn bytes(&self) -> usize;
}

/// The tree of a Monte Carlo tree search of one game.
pub trait MctsTree: Send {
    /// Returns the most visited move after the playouts or nodes of `limits`, at `end`, or when `monitor` stops.
    ///
    /// # Errors
    ///
    /// A stop before the first playout.
    fn grow(
        &mut self,
        pos: &AnyPosition,
        limits: MctsLimits,
        end: Option<Instant>,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError>;

    /// Seeds the random generator and clears the tree.
    fn begin(&mut self, seed: u64);

    /// Returns the allocated memory in bytes.
    fn bytes(&self) -> usize;
}

/// Factory of searches for one game.
pub trait SearcherFactory: Send + Sync {
    /// A search that evaluates its leaves by `judge`; `options` are for games without dice.
    fn look_ahead(&self, judge: Arc<dyn Judge>, options: SearchOptions) -> Box<dyn Searcher>;

    /// A Monte Carlo tree search; `exploration` is the constant C of UCT.
    fn grow(&self, exploration: f64) -> Box<dyn MctsTree>;

    /// Returns the first player's mean payoff of random games.
    fn playouts(&self, pos: &AnyPosition, options: PlayoutOptions) -> f64;
}

/// A game without dice.
impl<G: Game> SearcherFactory for Native<G> {
    fn look_ahead(&self, judge: Arc<dyn Judge>, options: SearchOptions) -> Box<dyn Searcher> {
        let start = self.game.start().and_then(|start| self.board(&start));
        let lines = start.filter(|_| options.hints).map(|board| Arc::new(through(&board)));
        Box::new(AlphaBetaSearcher { native: self.clone(), judge, options, lines, kept: None })
    }

    fn grow(&self, exploration: f64) -> Box<dyn MctsTree> {
        Box::new(Uct::new(self.clone(), exploration))
    }

    fn playouts(&self, pos: &AnyPosition, options: PlayoutOptions) -> f64 {
        // Rules that fail are reported by the search, which polls them.
        playouts(&self.game, self.pos(pos), options, &NoMonitor).map_or(0.0, |games| games.mean())
    }
}

/// Factory of searches for a game with dice.
pub struct NativeChance<G: Chance>(pub Native<G>);

impl<G: Chance> SearcherFactory for NativeChance<G> {
    fn look_ahead(&self, judge: Arc<dyn Judge>, _options: SearchOptions) -> Box<dyn Searcher> {
        Box::new(ExpectimaxSearcher { native: self.0.clone(), judge })
    }

    fn grow(&self, exploration: f64) -> Box<dyn MctsTree> {
        self.0.grow(exploration)
    }

    fn playouts(&self, pos: &AnyPosition, options: PlayoutOptions) -> f64 {
        let games = playouts_with_dice(&self.0.game, self.0.pos(pos), options, &NoMonitor);
        games.map_or(0.0, |games| games.mean())
    }
}

/// A [`Judge`] as the evaluation function of a search. Every position is evaluated from the point of view of the
/// player at the root, also where the opponent is to move.
struct JudgeEvaluation<G: Game> {
    native: Native<G>,
    judge: Arc<dyn Judge>,
    me: Turn,
    silent: bool,
    /// Lines through each cell, for move ordering.
    lines: Option<Arc<Vec<i32>>>,
}

/// Counts the lines through each cell of a board.
fn through(board: &LineBoard) -> Vec<i32> {
    let mut lines = vec![0; board.cells.len()];
    board.lines().iter().flatten().for_each(|&cell| lines[cell] += 1);
    lines
}

impl<G: Game> JudgeEvaluation<G> {
    fn new(native: &Native<G>, judge: &Arc<dyn Judge>, me: Turn) -> JudgeEvaluation<G> {
        JudgeEvaluation {
            native: native.clone(),
            judge: judge.clone(),
            me,
            silent: judge.is_silent(),
            lines: None,
        }
    }

    fn opinion(&self, pos: &G::Position) -> i32 {
        if self.silent { 0 } else { self.judge.score(&self.native.any(pos.clone()), self.me) }
    }
}

impl<G: Game> Evaluate<G> for JudgeEvaluation<G> {
    const HINTS: bool = true;

    #[inline]
    fn score(&self, game: &G, pos: &G::Position) -> i32 {
        let score = self.opinion(pos);
        if game.turn(pos) == self.me.other() { -score } else { score }
    }

    /// Noisy moves of a k-in-a-row board: those that complete a line, and those that block one.
    fn noisy(&self, game: &G, pos: &G::Position, out: &mut Vec<G::Move>) {
        let Some(board) = self.native.board(pos) else { return };
        let base = out.len();
        game.moves(pos, out);
        let mut at = base;
        for i in base..out.len() {
            let mv = out[i];
            let loud = self.native.cell(mv).is_some_and(|cell| {
                board.completes(cell, Content::First) || board.completes(cell, Content::Second)
            });
            if loud {
                out[at] = mv;
                at += 1;
            }
        }
        out.truncate(at);
    }

    #[inline]
    fn hint(&self, _game: &G, _pos: &G::Position, mv: G::Move) -> i32 {
        let cell = self.lines.as_ref().and_then(|lines| Some((lines, self.native.cell(mv)?)));
        cell.map_or(0, |(lines, cell)| lines[cell])
    }
}

/// The same for a search with dice, which expects scores from the point of view of the second player where that
/// player is to move, and of the first player elsewhere (chance nodes included).
struct DiceJudgeEvaluation<G: Game>(JudgeEvaluation<G>);

impl<G: Game> Evaluate<G> for DiceJudgeEvaluation<G> {
    fn score(&self, game: &G, pos: &G::Position) -> i32 {
        let score = self.0.opinion(pos);
        let first = if self.0.me == Turn::Second { -score } else { score };
        if game.turn(pos) == Turn::Second { -first } else { first }
    }
}

/// Alpha-beta with a transposition table that is kept from move to move.
struct AlphaBetaSearcher<G: Game> {
    native: Native<G>,
    judge: Arc<dyn Judge>,
    options: SearchOptions,
    lines: Option<Arc<Vec<i32>>>,
    kept: Option<EngineMemory<G>>,
}

impl<G: Game> Searcher for AlphaBetaSearcher<G> {
    fn think(
        &mut self,
        pos: &AnyPosition,
        limits: SearchLimits,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError> {
        let game = &self.native.game;
        let here = self.native.pos(pos);
        let seen = JudgeEvaluation {
            lines: self.lines.clone(),
            ..JudgeEvaluation::new(&self.native, &self.judge, game.turn(here))
        };
        let kept = self.kept.take().unwrap_or_else(|| EngineMemory::new(&self.options));
        let mut engine = SearchEngine::new(game, self.options).evaluate(seen).resume(kept);
        let report = engine.search(here, limits, monitor);
        self.kept = Some(engine.keep());
        let report = report?;
        let stopped = report.limit == Some(Limit::Monitor);
        if stopped && report.depth == 0 {
            return Err(PlayError::Stopped);
        }
        let mv = report.best.and_then(|mv| self.native.any_move(pos, mv)).ok_or(PlayError::Stopped)?;
        let opinion = match report.answer {
            SearchValue::Exact(value) => Some(100.0 * f64::from(value.payoff())),
            SearchValue::Payoff(payoff) => Some(100.0 * f64::from(payoff)),
            // Quiescence can prove a payoff beyond the horizon, but not its distance.
            SearchValue::Unknown { low, .. } if low.payoff() > 0 => Some(100.0 * f64::from(low.payoff())),
            SearchValue::Unknown { high, .. } if high.payoff() < 0 => Some(100.0 * f64::from(high.payoff())),
            SearchValue::Unknown { score, .. } => score.map(|score| squeezed(score, self.judge.unit())),
        };
        let line = self.native.any_line(pos, &report.line);
        let choice = Choice { depth: report.depth, opinion, line, stopped, ..Choice::plain(mv) };
        Ok(choice.after(report.counts))
    }

    fn begin(&mut self) {
        match &mut self.kept {
            Some(kept) => kept.clear(),
            // Allocating the table here keeps it out of a move's time.
            None => self.kept = Some(EngineMemory::new(&self.options)),
        }
    }

    fn bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, EngineMemory::bytes)
    }
}

/// Expectiminimax by iterative deepening: a stopped iteration returns nothing, so the last finished one counts.
struct ExpectimaxSearcher<G: Chance> {
    native: Native<G>,
    judge: Arc<dyn Judge>,
}

impl<G: Chance> Searcher for ExpectimaxSearcher<G> {
    fn think(
        &mut self,
        pos: &AnyPosition,
        limits: SearchLimits,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError> {
        let game = &self.native.game;
        let here = self.native.pos(pos);
        let turn = game.turn(here);
        let seen = DiceJudgeEvaluation(JudgeEvaluation::new(&self.native, &self.judge, turn));
        let end = limits.time.map(|time| Instant::now() + time);
        let mut choice = None;
        let mut counters = Counters::default();
        let mut stopped = false;
        for depth in 1..=limits.depth.unwrap_or(DEEPEST) {
            let rest = SearchLimits {
                depth: Some(depth),
                time: end.map(|end| end.saturating_duration_since(Instant::now())),
                nodes: limits.nodes.map(|most| most.saturating_sub(counters.nodes)),
            };
            let report = expectimax(game, here, &seen, DiceMethod::Star2, rest, monitor)?;
            counters += report.counters();
            stopped = report.value.is_none() && report.limit == Some(Limit::Monitor);
            let best = report.best.and_then(|mv| self.native.any_move(pos, mv));
            let (Some(value), Some(mv)) = (report.value, best) else { break };
            let mean = if turn == Turn::Second { -value } else { value };
            let found = Choice { depth, opinion: Some(100.0 * mean), line: vec![mv], ..Choice::plain(mv) };
            choice = Some(found);
            if report.exact {
                break;
            }
        }
        let choice = choice.ok_or(PlayError::Stopped)?;
        Ok(Choice { stopped, ..choice }.after(counters))
    }

    fn begin(&mut self) {}

    fn bytes(&self) -> usize {
        0
    }
}
