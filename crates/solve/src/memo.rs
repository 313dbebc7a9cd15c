//! Minimax from the top that remembers: each reached position is solved once.

use crate::plain::{Found, Frame};
use crate::{SolveError, Tally};
use outplay_core::{Game, Value, Watch};
use rustc_hash::FxHashMap;

/// The values of every position that play can reach from the one asked for.
pub struct Memo<G: Game> {
    found: Found,
    /// `None` marks a position that is being solved: meeting it again means that the game loops.
    values: FxHashMap<G::Position, Option<Value>>,
}

impl<G: Game> Memo<G> {
    /// The value of the position asked for and the number of positions solved.
    pub fn found(&self) -> Found {
        self.found
    }

    /// The value of any position reached.
    pub fn value(&self, pos: &G::Position) -> Option<Value> {
        self.values.get(pos).copied().flatten()
    }

    /// Counts all positions by value.
    pub fn tally(&self, game: &G) -> Tally {
        let mut tally = Tally::new(1, false);
        for (pos, value) in &self.values {
            if let Some(value) = value {
                tally.tiers[0].add(game.turn(pos), *value, 1, game.outcome(pos).is_some());
            }
        }
        tally
    }
}

/// How often the watch is asked, in positions.
const POLL: u64 = 1 << 14;

/// Solves a position and all that follow from it.
///
/// `most` bounds the number of remembered positions.
///
/// # Errors
///
/// Chance, loops, too many positions, a fault of the rules, or a stop.
pub fn memo<G: Game>(
    game: &G,
    pos: &G::Position,
    most: u64,
    watch: &dyn Watch,
) -> Result<Memo<G>, SolveError> {
    let mut values: FxHashMap<G::Position, Option<Value>> = FxHashMap::default();
    let mut moves: Vec<G::Move> = Vec::new();
    let mut path: Vec<Frame<G>> = Vec::new();
    let mut nodes = 1;
    match Frame::open(game, pos.clone(), &mut moves, "memo")? {
        Ok(frame) => {
            values.insert(pos.clone(), None);
            path.push(frame);
        }
        Err(value) => {
            values.insert(pos.clone(), Some(value));
            return Ok(Memo { found: Found { value, nodes }, values });
        }
    }
    loop {
        let depth = path.len();
        // The path is never empty here: it starts with one frame and the last one returns below.
        let top = &mut path[depth - 1];
        if moves.len() > top.base {
            let mv = moves[moves.len() - 1];
            moves.truncate(moves.len() - 1);
            let next = game.play(&top.pos, mv);
            let turn = game.turn(&next);
            match values.get(&next) {
                Some(Some(value)) => {
                    top.learn(*value, turn);
                    continue;
                }
                Some(None) => return Err(SolveError::Loops("memo")),
                None => {}
            }
            nodes += 1;
            if nodes % POLL == 0 {
                watch.advance(POLL);
                if watch.stopped() {
                    return Err(SolveError::Stopped);
                }
                if let Some(why) = game.fault() {
                    return Err(SolveError::Fault(why));
                }
                if nodes > most {
                    return Err(SolveError::TooLarge(most));
                }
            }
            match Frame::open(game, next.clone(), &mut moves, "memo")? {
                Err(value) => {
                    values.insert(next, Some(value));
                    top.learn(value, turn);
                }
                Ok(frame) => {
                    values.insert(next, None);
                    path.push(frame);
                }
            }
        } else {
            let Some(Frame { pos, best: Some(value), turn, .. }) = path.pop() else {
                return Err(SolveError::Fault("a position that is not finished has no moves".into()));
            };
            values.insert(pos, Some(value));
            match path.last_mut() {
                Some(parent) => parent.learn(value, turn),
                None => return Ok(Memo { found: Found { value, nodes }, values }),
            }
        }
    }
}
