//! The loops in which players think, each made for one game: everything else about a player is written for any game.
//!
//! ```text
//!  alphabeta ──▶ Minds::look_ahead ──▶ Mind     alpha-beta, or expectiminimax where dice are rolled
//!  mcts ───────▶ Minds::grow ────────▶ Grove    a tree of random games
//!  playout ────▶ Minds::playouts                random games
//! ```

use crate::judge::squeezed;
use crate::mcts::MctsLimits;
use crate::uct::Uct;
use crate::{Choice, Judge, PlayError};
use outplay_core::{AnyPosition, Chance, Content, Counters, Game, LineBoard, Native, Quiet, Turn, Watch};
use outplay_search::{
    Answer, DiceMethod, Engine, Evaluate, Kept, Limits, Options, PlayoutOptions, expectimax, playouts,
    playouts_with_dice,
};
use std::sync::Arc;
use std::time::Instant;

/// Plies that expectiminimax never exceeds where only time limits it.
const DEEPEST: u32 = 64;

/// Somebody who looks ahead in one game and may remember what it learned.
pub trait Mind: Send {
    /// The best move within limits.
    ///
    /// # Errors
    ///
    /// A stop before there was a move to tell, or a search that fails.
    fn think(&mut self, pos: &AnyPosition, limits: Limits, watch: &dyn Watch) -> Result<Choice, PlayError>;

    /// Forgets everything; whatever has to be made before the first move is made now.
    fn begin(&mut self);

    /// Bytes held on to.
    fn bytes(&self) -> usize;
}

/// Somebody who grows a tree of random games.
pub trait Grove: Send {
    /// The best move after so many games, or at `end`.
    ///
    /// # Errors
    ///
    /// A stop.
    fn grow(
        &mut self,
        pos: &AnyPosition,
        limits: MctsLimits,
        end: Option<Instant>,
        watch: &dyn Watch,
    ) -> Result<Choice, PlayError>;

    /// Random numbers follow from `seed` from here on.
    fn begin(&mut self, seed: u64);

    /// Bytes held on to.
    fn bytes(&self) -> usize;
}

/// Makes thinkers for one game.
pub trait Minds: Send + Sync {
    /// Looks ahead and judges by `judge` what it sees there; `options` are for games without dice.
    fn look_ahead(&self, judge: Arc<dyn Judge>, options: Options) -> Box<dyn Mind>;

    /// Grows trees of random games; `curiosity` is how much the little known is preferred.
    fn grow(&self, curiosity: f64) -> Box<dyn Grove>;

    /// What the first player gets in the mean of random games.
    fn playouts(&self, pos: &AnyPosition, options: PlayoutOptions) -> f64;
}

/// A game without dice.
impl<G: Game> Minds for Native<G> {
    fn look_ahead(&self, judge: Arc<dyn Judge>, options: Options) -> Box<dyn Mind> {
        let start = self.game.start().and_then(|start| self.board(&start));
        let lines = start.filter(|_| options.hints).map(|board| Arc::new(through(&board)));
        Box::new(Looking { native: self.clone(), judge, options, lines, kept: None })
    }

    fn grow(&self, curiosity: f64) -> Box<dyn Grove> {
        Box::new(Uct::new(self.clone(), curiosity))
    }

    fn playouts(&self, pos: &AnyPosition, options: PlayoutOptions) -> f64 {
        // Rules that fail are found out by the search, which polls them.
        playouts(&self.game, self.pos(pos), options, &Quiet).map_or(0.0, |games| games.mean())
    }
}

/// A game that rolls dice.
pub struct Rolling<G: Chance>(pub Native<G>);

impl<G: Chance> Minds for Rolling<G> {
    fn look_ahead(&self, judge: Arc<dyn Judge>, _options: Options) -> Box<dyn Mind> {
        Box::new(Expecting { native: self.0.clone(), judge })
    }

    fn grow(&self, curiosity: f64) -> Box<dyn Grove> {
        self.0.grow(curiosity)
    }

    fn playouts(&self, pos: &AnyPosition, options: PlayoutOptions) -> f64 {
        let games = playouts_with_dice(&self.0.game, self.0.pos(pos), options, &Quiet);
        games.map_or(0.0, |games| games.mean())
    }
}

/// A judge as the player that searches sees it: all opinions are that player's, also where the other one moves.
struct Seen<G: Game> {
    native: Native<G>,
    judge: Arc<dyn Judge>,
    me: Turn,
    silent: bool,
    /// How many lines run through each cell, where moves are ordered by them.
    lines: Option<Arc<Vec<i32>>>,
}

/// How many lines run through each cell of a board.
fn through(board: &LineBoard) -> Vec<i32> {
    let mut lines = vec![0; board.cells.len()];
    board.lines().iter().flatten().for_each(|&cell| lines[cell] += 1);
    lines
}

impl<G: Game> Seen<G> {
    fn new(native: &Native<G>, judge: &Arc<dyn Judge>, me: Turn) -> Seen<G> {
        Seen { native: native.clone(), judge: judge.clone(), me, silent: judge.is_silent(), lines: None }
    }

    fn opinion(&self, pos: &G::Position) -> i32 {
        if self.silent { 0 } else { self.judge.score(&self.native.any(pos.clone()), self.me) }
    }
}

impl<G: Game> Evaluate<G> for Seen<G> {
    const HINTS: bool = true;

    #[inline]
    fn score(&self, game: &G, pos: &G::Position) -> i32 {
        let score = self.opinion(pos);
        if game.turn(pos) == self.me.other() { -score } else { score }
    }

    /// On boards of lines: the moves that complete a line, and those that have to stop one.
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

/// The same for a search with dice, which reads opinions as the second player's where that one moves, else as the
/// first's.
struct SeenWithDice<G: Game>(Seen<G>);

impl<G: Game> Evaluate<G> for SeenWithDice<G> {
    fn score(&self, game: &G, pos: &G::Position) -> i32 {
        let score = self.0.opinion(pos);
        let first = if self.0.me == Turn::Second { -score } else { score };
        if game.turn(pos) == Turn::Second { -first } else { first }
    }
}

/// Alpha-beta with a table that is kept from move to move.
struct Looking<G: Game> {
    native: Native<G>,
    judge: Arc<dyn Judge>,
    options: Options,
    lines: Option<Arc<Vec<i32>>>,
    kept: Option<Kept<G>>,
}

impl<G: Game> Mind for Looking<G> {
    fn think(&mut self, pos: &AnyPosition, limits: Limits, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let game = &self.native.game;
        let here = self.native.pos(pos);
        let seen =
            Seen { lines: self.lines.clone(), ..Seen::new(&self.native, &self.judge, game.turn(here)) };
        let kept = self.kept.take().unwrap_or_else(|| Kept::new(&self.options));
        let mut engine = Engine::new(game, self.options).evaluate(seen).resume(kept);
        let report = engine.search(here, limits, watch);
        self.kept = Some(engine.keep());
        let report = report?;
        let mv = report.best.and_then(|mv| self.native.any_move(pos, mv)).ok_or(PlayError::Stopped)?;
        let opinion = match report.answer {
            Answer::Exact(value) => Some(100.0 * f64::from(value.payoff())),
            Answer::Payoff(payoff) => Some(100.0 * f64::from(payoff)),
            // What quiescence saw beyond the horizon is proven, though not how fast.
            Answer::Unknown { low, .. } if low.payoff() > 0 => Some(100.0 * f64::from(low.payoff())),
            Answer::Unknown { high, .. } if high.payoff() < 0 => Some(100.0 * f64::from(high.payoff())),
            Answer::Unknown { score, .. } => score.map(|score| squeezed(score, self.judge.unit())),
        };
        let line = self.native.any_line(pos, &report.line);
        Ok(Choice { depth: report.depth, opinion, line, ..Choice::plain(mv) }.after(report.counts))
    }

    fn begin(&mut self) {
        match &mut self.kept {
            Some(kept) => kept.clear(),
            // Making the table is no part of a move's time.
            None => self.kept = Some(Kept::new(&self.options)),
        }
    }

    fn bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, Kept::bytes)
    }
}

/// Expectiminimax, deeper and deeper: its search forgets what it had when it is stopped.
struct Expecting<G: Chance> {
    native: Native<G>,
    judge: Arc<dyn Judge>,
}

impl<G: Chance> Mind for Expecting<G> {
    fn think(&mut self, pos: &AnyPosition, limits: Limits, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let game = &self.native.game;
        let here = self.native.pos(pos);
        let turn = game.turn(here);
        let seen = SeenWithDice(Seen::new(&self.native, &self.judge, turn));
        let end = limits.time.map(|time| Instant::now() + time);
        let mut choice = None;
        let mut counters = Counters::default();
        for depth in 1..=limits.depth.unwrap_or(DEEPEST) {
            let rest = Limits {
                depth: Some(depth),
                time: end.map(|end| end.saturating_duration_since(Instant::now())),
                nodes: limits.nodes.map(|most| most.saturating_sub(counters.nodes)),
            };
            let report = expectimax(game, here, &seen, DiceMethod::Star2, rest, watch)?;
            counters += report.counters();
            let best = report.best.and_then(|mv| self.native.any_move(pos, mv));
            let (Some(value), Some(mv)) = (report.value, best) else { break };
            let mean = if turn == Turn::Second { -value } else { value };
            let found = Choice { depth, opinion: Some(100.0 * mean), line: vec![mv], ..Choice::plain(mv) };
            choice = Some(found.after(counters));
            if report.exact {
                break;
            }
        }
        choice.ok_or(PlayError::Stopped)
    }

    fn begin(&mut self) {}

    fn bytes(&self) -> usize {
        0
    }
}
