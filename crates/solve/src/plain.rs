//! Minimax as the textbook has it: the value of a position is the best of its successors' values.
//!
//! The recursion runs on a stack of its own, so that a long game cannot overflow the thread's. Memory grows
//! with the depth of the game only, and every path to a position is walked again.

use crate::SolveError;
use outplay_core::{Counters, Game, Pace, Turn, Value, Watch, discard};

/// A position on the way down: which of its moves come next and the best value so far.
pub(crate) struct Frame<G: Game> {
    pub(crate) pos: G::Position,
    pub(crate) turn: Turn,
    pub(crate) best: Option<Value>,
    /// Where its untried moves end on the shared stack of moves; they start where the parent's end.
    pub(crate) base: usize,
}

impl<G: Game> Frame<G> {
    /// Opens a position, pushing its moves, or answers at once if it is finished.
    pub(crate) fn open(
        game: &G,
        pos: G::Position,
        moves: &mut Vec<G::Move>,
        solver: &'static str,
    ) -> Result<Result<Frame<G>, Value>, SolveError> {
        let turn = game.turn(&pos);
        if let Some(payoff) = game.outcome(&pos) {
            return Ok(Err(Value::new(turn.sees(payoff), 0)));
        }
        if turn == Turn::Chance {
            return Err(SolveError::Chance(solver));
        }
        let base = moves.len();
        game.moves(&pos, moves);
        Ok(Ok(Frame { pos, turn, best: None, base }))
    }

    /// Takes the value of a successor into account.
    pub(crate) fn learn(&mut self, child: Value, child_turn: Turn) {
        let value = child.before(child_turn == self.turn);
        self.best = Some(self.best.map_or(value, |best| best.max(value)));
    }
}

/// What a search from the top found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The value of the position asked for.
    pub value: Value,
    /// How many positions were visited, each as often as it was met.
    pub nodes: u64,
    /// How many of them were finished.
    pub finished: u64,
    /// How often a position was met whose value was remembered; such a meeting is no visit.
    pub remembered: u64,
    /// The plies of the longest line that was walked.
    pub plies: u32,
}

impl Found {
    /// A position that is finished.
    pub(crate) fn finished(value: Value) -> Found {
        Found { value, nodes: 1, finished: 1, remembered: 0, plies: 0 }
    }

    /// The visits in the words of a search.
    pub fn counters(&self) -> Counters {
        Counters {
            nodes: self.nodes,
            static_evaluations: self.finished,
            dynamic_evaluations: self.nodes - self.finished,
            table_hits: self.remembered,
            ..Counters::default()
        }
    }
}

/// Depth from which a repetition on the current path is looked for: real games end before.
const SUSPICIOUS: usize = 100_000;

/// How often a fault of the rules is looked for, and progress told, in positions.
pub(crate) const POLL: u64 = 1 << 14;

/// The value of a position by plain minimax.
///
/// # Errors
///
/// Chance, loops, a fault of the rules, or a stop.
pub fn plain<G: Game>(game: &G, pos: &G::Position, watch: &dyn Watch) -> Result<Found, SolveError> {
    let (mut moves, mut path) = (Vec::new(), Vec::new());
    let found = walk(game, pos, watch, &mut moves, &mut path);
    if found.is_err() {
        discard((moves, path));
    }
    found
}

fn walk<G: Game>(
    game: &G,
    pos: &G::Position,
    watch: &dyn Watch,
    moves: &mut Vec<G::Move>,
    path: &mut Vec<Frame<G>>,
) -> Result<Found, SolveError> {
    let (mut nodes, mut finished, mut plies) = (1, 0, 0);
    let mut pace = Pace::new(watch);
    match Frame::open(game, pos.clone(), moves, "plain")? {
        Ok(frame) => path.push(frame),
        Err(value) => return Ok(Found::finished(value)),
    }
    // Moves of the position that was opened last: what opening another one is likely to cost.
    let mut fanout = moves.len();
    loop {
        let depth = path.len();
        // The path is never empty here: it starts with one frame and the last one returns below.
        let top = &mut path[depth - 1];
        if moves.len() > top.base {
            let mv = moves[moves.len() - 1];
            moves.truncate(moves.len() - 1);
            let next = game.play(&top.pos, mv);
            nodes += 1;
            // A position with very many moves takes the longer for it.
            if pace.steps(1 + fanout / 16) {
                return Err(SolveError::Stopped);
            }
            if nodes % POLL == 0 {
                watch.advance(POLL);
                if let Some(why) = game.fault() {
                    return Err(SolveError::Fault(why));
                }
            }
            let turn = game.turn(&next);
            plies = plies.max(depth);
            match Frame::open(game, next, moves, "plain")? {
                Err(value) => {
                    finished += 1;
                    top.learn(value, turn);
                }
                Ok(frame) => {
                    fanout = moves.len() - frame.base;
                    if depth.is_multiple_of(SUSPICIOUS) && path.iter().any(|above| above.pos == frame.pos) {
                        return Err(SolveError::Loops("plain"));
                    }
                    path.push(frame);
                }
            }
        } else {
            let Some(Frame { best: Some(value), turn, .. }) = path.pop() else {
                return Err(SolveError::Fault("a position that is not finished has no moves".into()));
            };
            match path.last_mut() {
                Some(parent) => parent.learn(value, turn),
                None => return Ok(Found { value, nodes, finished, remembered: 0, plies: plies as u32 }),
            }
        }
    }
}
