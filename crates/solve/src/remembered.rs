//! The 2020 report's fourth solver: a sweep that looks ranks up in a hash map instead of computing them.
//!
//! The report found this three times faster than computing its hash again and again. With ranks that cost a
//! few instructions it is the other way round; the solver is kept to show just that.

use crate::SolveError;
use outplay_core::{Game, Index, Ledger, Pace, Tier, Turn, Value, Watch};

/// The value of `pos` by a sweep over all numbers of an index, with remembered ranks.
///
/// # Errors
///
/// Chance, loops, a position outside the index, or a stop.
pub fn remembered_sweep<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    pos: &G::Position,
    watch: &dyn Watch,
) -> Result<Value, SolveError> {
    let mut ranks: Ledger<G::Position, usize> = Ledger::default();
    let mut values: Vec<Value> = Vec::new();
    let mut moves = Vec::new();
    for t in (0..index.tiers()).rev() {
        if index.loops(Tier(t)) {
            return Err(SolveError::Loops("sweep"));
        }
        let mut trouble = None;
        let mut visit = |pos: &G::Position| {
            let turn = game.turn(pos);
            moves.clear();
            game.moves(pos, &mut moves);
            let value = if moves.is_empty() {
                game.outcome(pos).map(|payoff| Value::new(turn.sees(payoff), 0))
            } else if turn == Turn::Chance {
                trouble = Some(SolveError::Chance("sweep"));
                None
            } else {
                let successor = |&mv: &G::Move| {
                    let next = game.play(pos, mv);
                    // Successors lie in later tiers, which were remembered before.
                    ranks.get(&next).map(|&rank| values[rank].before(game.turn(&next) == turn))
                };
                moves.iter().filter_map(successor).max()
            };
            if let Some(value) = value {
                if ranks.insert(pos.clone(), values.len()).is_err() {
                    trouble = Some(SolveError::NoMemory(Ledger::<G::Position, usize>::ENTRY_BYTES as u64));
                }
                values.push(value);
            }
        };
        let stopped = Pace::pieces(watch, 0..index.len(Tier(t)), &mut |piece| {
            index.walk(Tier(t), piece, &mut |_, pos| visit(pos));
        });
        if stopped {
            ranks.discard();
            return Err(SolveError::Stopped);
        }
        if let Some(error) = trouble {
            return Err(error);
        }
    }
    ranks.get(pos).map(|&number| values[number]).ok_or(SolveError::Overflow)
}
