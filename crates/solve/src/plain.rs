//! Textbook minimax: the value of a position is the best of its successors' values.
//!
//! The recursion uses an explicit stack, so that a long game cannot overflow the thread's stack. Memory grows with
//! the depth of the game only, and transpositions are searched again.

use crate::SolveError;
use crate::error::{check_fault, check_stop};
use outplay_core::{Counters, Game, Turn, Value};
use outplay_runtime::{Monitor, Pace, discard};

/// Stack frame: a position with its untried moves and the best value so far.
pub(crate) struct Frame<G: Game> {
    pub(crate) pos: G::Position,
    pub(crate) turn: Turn,
    pub(crate) best: Option<Value>,
    /// Where the parent's untried moves end on the shared move stack; this position's moves are above.
    pub(crate) base: usize,
}

impl<G: Game> Frame<G> {
    /// Opens a position and pushes its moves, or returns its value if it is finished.
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

    /// Updates the best value with that of a successor.
    pub(crate) fn learn(&mut self, child: Value, child_turn: Turn) {
        let value = child.before(child_turn == self.turn);
        self.best = Some(self.best.map_or(value, |best| best.max(value)));
    }
}

/// Result of a depth-first solver: the value and node counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DepthFirstResult {
    /// The value of the root.
    pub value: Value,
    /// Nodes visited; transpositions count again.
    pub nodes: u64,
    /// Finished positions among them.
    pub finished: u64,
    /// Hash hits: positions whose value was stored. A hit is not a visit.
    pub remembered: u64,
    /// Length of the longest line visited, in plies.
    pub plies: u32,
}

impl DepthFirstResult {
    /// The result for a finished position.
    pub(crate) fn finished(value: Value) -> DepthFirstResult {
        DepthFirstResult { value, nodes: 1, finished: 1, remembered: 0, plies: 0 }
    }

    /// The counts as search counters.
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

/// Depth interval at which the current path is checked for a repetition: real games end before.
const SUSPICIOUS: usize = 100_000;

/// Positions between two checks for a fault of the rules and two progress reports.
pub(crate) const POLL: u64 = 1 << 14;

/// The value of a position by plain minimax.
///
/// # Errors
///
/// Chance, cycles, a fault of the rules, or cancellation.
pub fn plain<G: Game>(
    game: &G,
    pos: &G::Position,
    monitor: &dyn Monitor,
) -> Result<DepthFirstResult, SolveError> {
    let (mut moves, mut path) = (Vec::new(), Vec::new());
    let found = walk(game, pos, monitor, &mut moves, &mut path);
    if found.is_err() {
        discard((moves, path));
    }
    found
}

fn walk<G: Game>(
    game: &G,
    pos: &G::Position,
    monitor: &dyn Monitor,
    moves: &mut Vec<G::Move>,
    path: &mut Vec<Frame<G>>,
) -> Result<DepthFirstResult, SolveError> {
    let (mut nodes, mut finished, mut plies) = (1, 0, 0);
    let mut pace = Pace::new(monitor);
    match Frame::open(game, pos.clone(), moves, "plain")? {
        Ok(frame) => path.push(frame),
        Err(value) => return Ok(DepthFirstResult::finished(value)),
    }
    // Moves of the position opened last: an estimate of the cost of opening the next one.
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
            // A position with many moves takes longer to open, so it counts as several steps.
            check_stop(pace.steps(1 + fanout / 16))?;
            if nodes % POLL == 0 {
                monitor.advance(POLL);
                check_fault(game)?;
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
                return Err(SolveError::Fault(
                    "a position has no moves although the game is not over".into(),
                ));
            };
            match path.last_mut() {
                Some(parent) => parent.learn(value, turn),
                None => {
                    return Ok(DepthFirstResult {
                        value,
                        nodes,
                        finished,
                        remembered: 0,
                        plies: plies as u32,
                    });
                }
            }
        }
    }
}
