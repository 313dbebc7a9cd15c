//! The player `alphabeta` on k-in-a-row boards of any size, with the pattern engine, and the evaluation `patterns`.

use crate::alphabeta::format_limits;
use crate::distribution::determined;
use crate::insight::Part;
use crate::judge::squeezed;
use crate::punctual::Punctual;
use crate::techniques::Techniques;
use crate::words::format_spec;
use crate::{Choice, Distribution, Insight, Judge, PlayError, Player, PlayerContext};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Content, Game, LineBoard, Turn};
use outplay_patterns::{NAMES, PatternEngine, Settings, Weights};
use outplay_runtime::Monitor;
use outplay_search::SearchLimits;
use std::time::Instant;

/// Smaller boards, in cells, are within reach of exact solvers and of the generic search.
const SMALLEST: usize = 26;

/// Whether the pattern engine is the default search of a board: there is no gravity, or no bitboard search fits.
pub(crate) fn suits(board: &LineBoard, bits: bool) -> bool {
    let large = board.playable_cells() >= SMALLEST;
    large && !(board.gravity && bits && !board.misere) && PatternEngine::fits(board)
}

/// Weights by name.
pub(crate) fn weights(name: &str) -> Option<Weights> {
    Weights::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, weights)| weights)
}

/// The canonical spec of the evaluation.
fn spec(weights: &Weights) -> String {
    let named = Weights::NAMED.into_iter().find(|(_, known)| known == weights).map_or("", |(name, _)| name);
    if named == Weights::NAMED[0].0 { "patterns".into() } else { format!("patterns:weights={named}") }
}

/// A player with the pattern engine.
pub(crate) struct PatternPlayer {
    game: AnyGame,
    start: LineBoard,
    limits: SearchLimits,
    settings: Settings,
    keep: bool,
    engine: Option<PatternEngine>,
    punctual: Punctual,
}

impl PatternPlayer {
    /// A player of boards that [`PatternEngine::fits`]; `keep` keeps its table between moves.
    pub(crate) fn new(
        kit: &PlayerContext,
        start: LineBoard,
        weights: Weights,
        limits: SearchLimits,
        keep: bool,
    ) -> PatternPlayer {
        // A shallow search fills a small table only, and clearing a large one takes longer than the search.
        let shallow = limits.depth.is_some_and(|depth| depth <= 8);
        let entries = if shallow { 1 << 14 } else { 1 << 20 };
        let settings = Settings { entries, threads: kit.threads, weights };
        let game = kit.game.clone();
        PatternPlayer { game, start, limits, settings, keep, engine: None, punctual: Punctual::default() }
    }
}

impl Player for PatternPlayer {
    fn spec(&self) -> String {
        let mut options = format_limits(&self.limits);
        options.extend(Techniques { keep: self.keep, ..Techniques::default() }.to_options());
        options.push(("eval", spec(&self.settings.weights)));
        format_spec("alphabeta", &options)
    }

    fn begin(&mut self, _seed: u64) {
        match &mut self.engine {
            Some(engine) => engine.clear(),
            // Allocating the table here keeps it out of a move's time.
            None => self.engine = PatternEngine::new(&self.start, self.settings),
        }
    }

    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let began = Instant::now();
        if self.game.outcome(pos).is_some() {
            return Err(PlayError::NoMove);
        }
        let board = self.game.board(pos).ok_or(PlayError::NoMove)?;
        if self.engine.is_none() {
            self.engine = PatternEngine::new(&self.start, self.settings);
        }
        let engine = self.engine.as_mut().ok_or(PlayError::NoMove)?;
        if !self.keep {
            engine.clear();
        }
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let limits =
            outplay_patterns::PatternLimits { depth: self.limits.depth, nodes: self.limits.nodes, end };
        let found = engine.think(&board, &limits, monitor).ok_or(PlayError::NoMove)?;
        if let Some(end) = end {
            self.punctual.made(end);
        }
        if found.stopped && found.depth == 0 {
            return Err(PlayError::Stopped);
        }
        let opinion = match (found.wins_in, found.loses_in) {
            (Some(_), _) => 100.0,
            (_, Some(_)) => -100.0,
            _ => squeezed(found.score, PatternEngine::UNIT),
        };
        let mut line = Vec::new();
        let mut at = board;
        for &cell in &found.line {
            let Some(mv) = named(&at, cell) else { break };
            line.push(mv);
            at = at.after(cell);
        }
        let mv = *line.first().ok_or(PlayError::NoMove)?;
        let choice = Choice {
            depth: found.depth,
            opinion: Some(opinion),
            line,
            stopped: found.stopped,
            ..Choice::plain(mv)
        };
        Ok(choice.after(found.counters))
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        if self.limits.time.is_some() || self.keep { Ok(None) } else { determined(self, pos, monitor) }
    }

    fn bytes(&self) -> usize {
        self.engine.as_ref().map_or(0, PatternEngine::bytes)
    }
}

/// The move onto a cell: moves are in the order of their cells.
fn named(board: &LineBoard, cell: usize) -> Option<AnyMove> {
    let place = if board.gravity {
        board.open_cells().binary_search(&cell).ok()?
    } else {
        // Counting is much faster than listing a million cells.
        (board.cells[cell] == Content::Empty)
            .then(|| board.cells[..cell].iter().filter(|&&content| content == Content::Empty).count())?
    };
    Some(AnyMove(place as u32))
}

/// The evaluation `patterns`, from scratch.
pub(crate) struct PatternJudge {
    pub(crate) game: AnyGame,
    pub(crate) weights: Weights,
}

impl Judge for PatternJudge {
    fn spec(&self) -> String {
        spec(&self.weights)
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let Some(board) = self.game.board(pos) else { return 0 };
        let score = outplay_patterns::opinion(&board, &self.weights);
        if board.turn == me { score } else { -score }
    }

    fn insight(&self, pos: &AnyPosition, me: Turn) -> Insight {
        let Some(board) = self.game.board(pos) else { return Insight::of(0) };
        let sign = if (board.turn == me) != board.misere { 1.0 } else { -1.0 };
        let mut insight = Insight::of(self.score(pos, me));
        let [mover, waiter] = outplay_patterns::census(&board);
        let sides = [("", mover, self.weights.mover, sign), ("other's ", waiter, self.weights.waiter, -sign)];
        for (whose, counts, weights, sign) in sides {
            for ((name, count), weight) in NAMES.iter().zip(counts).zip(weights) {
                let name = format!("{whose}{}", name.replace('_', " "));
                insight.parts.push(Part::new(name, count.into(), sign * f64::from(weight)));
            }
        }
        insight.parts.push(Part::new("to move", 1.0, sign * f64::from(self.weights.tempo)));
        insight
    }

    fn unit(&self) -> i32 {
        PatternEngine::UNIT
    }
}
