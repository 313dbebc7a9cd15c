//! Depth-first minimax with memoization in a hash map: each reachable position is solved once.

use crate::error::{check_fault, check_stop};
use crate::plain::{DepthFirstResult, Frame, POLL};
use crate::{SolveError, Tally};
use outplay_core::{Game, Value};
use outplay_runtime::{Monitor, NoMemory, Pace, ShardedMap, discard};

/// Result of memoised minimax: the values of every position reachable from the root.
pub struct Memo<G: Game> {
    found: DepthFirstResult,
    /// `None` marks a position on the current path: reaching it again means that the game has a cycle.
    values: ShardedMap<G::Position, Option<Value>>,
}

impl<G: Game> Memo<G> {
    /// The root's value and the number of positions solved.
    pub fn found(&self) -> DepthFirstResult {
        self.found
    }

    /// The value of any reached position.
    pub fn value(&self, pos: &G::Position) -> Option<Value> {
        self.values.get(pos).copied().flatten()
    }

    /// Counts all positions by value.
    pub fn tally(&self, game: &G) -> Tally {
        let mut tally = Tally::new(1, false);
        for (pos, value) in self.values.iter() {
            if let Some(value) = value {
                tally.tiers[0].add(game.turn(pos), *value, 1, game.outcome(pos).is_some());
            }
        }
        tally
    }
}

/// Bytes that [`memo`] takes per stored position when its hash map is least full. `pos` is a sample for the heap
/// memory that positions of the game own.
pub fn memo_bytes_per_position<G: Game>(game: &G, pos: &G::Position) -> u64 {
    (ShardedMap::<G::Position, Option<Value>>::ENTRY_BYTES + heap_bytes(game, pos)) as u64
}

/// Bytes that the allocator takes for the heap memory of a position.
pub(crate) fn heap_bytes<G: Game>(game: &G, pos: &G::Position) -> usize {
    match game.heap_bytes(pos) {
        0 => 0,
        bytes => bytes.next_multiple_of(16) + 16,
    }
}

/// Solves a position and all positions reachable from it.
///
/// `most` bounds the number of stored positions; each takes [`memo_bytes_per_position`]. Moves on the stack count as
/// well, by the bytes they take.
///
/// # Errors
///
/// Chance, cycles, too many positions, a fault of the rules, or cancellation.
pub fn memo<G: Game>(
    game: &G,
    pos: &G::Position,
    most: u64,
    monitor: &dyn Monitor,
) -> Result<Memo<G>, SolveError> {
    let (mut values, mut path) = (ShardedMap::default(), Vec::new());
    match fill(game, pos, most, monitor, &mut values, &mut path) {
        Ok(found) => Ok(Memo { found, values }),
        Err(error) => {
            discard((values, path));
            Err(error)
        }
    }
}

fn fill<G: Game>(
    game: &G,
    pos: &G::Position,
    most: u64,
    monitor: &dyn Monitor,
    values: &mut ShardedMap<G::Position, Option<Value>>,
    path: &mut Vec<Frame<G>>,
) -> Result<DepthFirstResult, SolveError> {
    let bytes = memo_bytes_per_position(game, pos);
    let waiting = |moves: &Vec<G::Move>| (moves.len() * size_of::<G::Move>()) as u64 / bytes;
    let full = |NoMemory| SolveError::NoMemory(bytes);
    let mut moves: Vec<G::Move> = Vec::new();
    let (mut nodes, mut finished, mut remembered, mut plies) = (1, 0, 0, 0);
    let mut pace = Pace::new(monitor);
    match Frame::open(game, pos.clone(), &mut moves, "memo")? {
        Ok(frame) => {
            values.insert(pos.clone(), None).map_err(full)?;
            path.push(frame);
        }
        Err(value) => {
            values.insert(pos.clone(), Some(value)).map_err(full)?;
            return Ok(DepthFirstResult::finished(value));
        }
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
            // Lookups of solved positions count as steps too: there can be many in sequence.
            check_stop(pace.steps(1 + fanout / 16))?;
            let turn = game.turn(&next);
            plies = plies.max(depth);
            match values.get(&next) {
                Some(Some(value)) => {
                    remembered += 1;
                    top.learn(*value, turn);
                    continue;
                }
                Some(None) => return Err(SolveError::Loops("memo")),
                None => {}
            }
            nodes += 1;
            if nodes % POLL == 0 {
                monitor.advance(POLL);
                check_fault(game)?;
            }
            if nodes + waiting(&moves) > most {
                return Err(SolveError::TooLarge(most));
            }
            match Frame::open(game, next.clone(), &mut moves, "memo")? {
                Err(value) => {
                    finished += 1;
                    values.insert(next, Some(value)).map_err(full)?;
                    top.learn(value, turn);
                }
                Ok(frame) => {
                    fanout = moves.len() - frame.base;
                    values.insert(next, None).map_err(full)?;
                    path.push(frame);
                }
            }
        } else {
            let Some(Frame { pos, best: Some(value), turn, .. }) = path.pop() else {
                return Err(SolveError::Fault(
                    "a position has no moves although the game is not over".into(),
                ));
            };
            values.insert(pos, Some(value)).map_err(full)?;
            match path.last_mut() {
                Some(parent) => parent.learn(value, turn),
                None => {
                    return Ok(DepthFirstResult { value, nodes, finished, remembered, plies: plies as u32 });
                }
            }
        }
    }
}
