//! Move ordering: hash move, killer moves, hints, history heuristic (Schaeffer 1989).
//!
//! ```text
//! hash move  >  two killers of this ply  >  hints  >  history  >  the order of the rules
//! ```
//!
//! The score of a move is an integer in the band of its class. A game may number its moves (slots) for the history
//! table; for other games, the history is a short list sorted by usefulness. Ordering changes the work, never the
//! value.

use crate::{Evaluate, SearchOptions};
use outplay_core::{Game, Turn};

const HASH: i64 = i64::MAX;
const KILLER: i64 = 1 << 60;
const HINT: i64 = 1 << 24;
const MOST_HISTORY: u32 = 1 << 23;
const SLOTS: usize = 4096;
/// Length of the history list of moves without a slot.
const LIST: usize = 64;

/// Killer and history tables of one thread.
pub(crate) struct MoveOrdering<M> {
    killers: Vec<[Option<M>; 2]>,
    slots: Vec<u32>,
    /// History of moves without a slot, for the first player and the second, approximately sorted.
    lists: [Vec<(M, u32)>; 2],
}

impl<M: Copy + Eq> MoveOrdering<M> {
    pub(crate) fn new() -> MoveOrdering<M> {
        MoveOrdering { killers: Vec::new(), slots: Vec::new(), lists: [Vec::new(), Vec::new()] }
    }

    /// Returns the ordering score: larger for a move to be tried earlier.
    pub(crate) fn rank<G, E>(
        &self,
        at: &MoveContext<'_, G, E>,
        options: &SearchOptions,
        hash: Option<M>,
        mv: M,
    ) -> i64
    where
        G: Game<Move = M>,
        E: Evaluate<G>,
    {
        if hash == Some(mv) {
            return HASH;
        }
        if options.killers
            && let Some(killers) = self.killers.get(at.ply as usize)
            && let Some(i) = killers.iter().position(|&killer| killer == Some(mv))
        {
            return KILLER - i as i64;
        }
        let hint =
            if options.hints && E::HINTS { i64::from(at.evaluate.hint(at.game, at.pos, mv)) } else { 0 };
        let history = if options.history { self.history(at, mv) } else { 0 };
        hint * HINT + i64::from(history)
    }

    fn history<G, E>(&self, at: &MoveContext<'_, G, E>, mv: M) -> u32
    where
        G: Game<Move = M>,
        E: Evaluate<G>,
    {
        match at.evaluate.slot(at.game, mv) {
            Some(slot) if slot < SLOTS => self.slots.get(side(at.turn, slot)).copied().unwrap_or(0),
            // One ply above the horizon, a search costs less than scanning the list.
            _ if at.depth <= 1 => 0,
            _ => self.lists[side(at.turn, 0) / SLOTS]
                .iter()
                .find(|known| known.0 == mv)
                .map_or(0, |known| known.1),
        }
    }

    /// Updates killers and history after a move that caused a cutoff.
    pub(crate) fn refuted<G, E>(&mut self, at: &MoveContext<'_, G, E>, options: &SearchOptions, mv: M)
    where
        G: Game<Move = M>,
        E: Evaluate<G>,
    {
        if options.killers {
            let ply = at.ply as usize;
            if self.killers.len() <= ply {
                self.killers.resize(ply + 1, [None; 2]);
            }
            let killers = &mut self.killers[ply];
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
        }
        if options.history {
            // The bonus is depth², capped to keep the sums small.
            let worth = at.depth.min(32).pow(2);
            match at.evaluate.slot(at.game, mv) {
                Some(slot) if slot < SLOTS => self.learn_slot(side(at.turn, slot), worth),
                _ if at.depth <= 1 => {}
                _ => learn(&mut self.lists[side(at.turn, 0) / SLOTS], mv, worth),
            }
        }
    }

    fn learn_slot(&mut self, slot: usize, worth: u32) {
        if self.slots.is_empty() {
            self.slots.resize(2 * SLOTS, 0);
        }
        self.slots[slot] += worth;
        if self.slots[slot] >= MOST_HISTORY {
            self.slots.iter_mut().for_each(|sum| *sum /= 2);
        }
    }
}

fn learn<M: Copy + Eq>(list: &mut Vec<(M, u32)>, mv: M, worth: u32) {
    let i = list.iter().position(|known| known.0 == mv).unwrap_or_else(|| {
        if list.len() >= LIST {
            list.pop();
        }
        list.push((mv, 0));
        list.len() - 1
    });
    list[i].1 += worth;
    if list[i].1 >= MOST_HISTORY {
        list.iter_mut().for_each(|known| known.1 /= 2);
    }
    // Self-organising list (transpose rule): useful moves move to the front, where they are found sooner and
    // evicted later.
    if i > 0 && list[i - 1].1 < list[i].1 {
        list.swap(i - 1, i);
    }
}

fn side(turn: Turn, slot: usize) -> usize {
    if turn == Turn::Second { SLOTS + slot } else { slot }
}

/// A node as the move ordering sees it.
pub(crate) struct MoveContext<'a, G: Game, E> {
    pub(crate) game: &'a G,
    pub(crate) evaluate: &'a E,
    pub(crate) pos: &'a G::Position,
    pub(crate) turn: Turn,
    pub(crate) ply: u32,
    /// Plies to the horizon.
    pub(crate) depth: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Zero;
    use outplay_games::mnk::{Board, Mnk, Rules};

    /// The zero evaluation, with numbered moves or without.
    struct Slots(bool);

    impl Evaluate<Mnk<u64>> for Slots {
        fn score(&self, game: &Mnk<u64>, pos: &Board<u64>) -> i32 {
            Zero.score(game, pos)
        }
        fn slot(&self, _game: &Mnk<u64>, mv: u8) -> Option<usize> {
            self.0.then_some(mv.into())
        }
    }

    #[test]
    fn hash_move_killers_and_history_come_first() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let pos = game.start().unwrap();
        for slots in [false, true] {
            let options = SearchOptions::default();
            let place = MoveContext {
                game: &game,
                evaluate: &Slots(slots),
                pos: &pos,
                turn: Turn::First,
                ply: 3,
                depth: 9,
            };
            let mut order = MoveOrdering::new();
            for (mv, depth) in [(4, 5), (1, 2), (2, 3)] {
                order.refuted(&MoveContext { depth, ..place }, &options, mv);
            }
            let mut moves = vec![0, 1, 2, 4, 5];
            moves.sort_by_key(|&mv| std::cmp::Reverse(order.rank(&place, &options, Some(5), mv)));
            assert_eq!(moves, [5, 2, 1, 4, 0]);
            let other = MoveContext { turn: Turn::Second, ply: 9, ..place };
            assert_eq!(order.rank(&other, &options, None, 4), 0);
        }
    }

    #[test]
    fn a_full_list_keeps_the_most_useful_moves() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let pos = game.start().unwrap();
        let options = SearchOptions { killers: false, ..SearchOptions::default() };
        let place = MoveContext {
            game: &game,
            evaluate: &Slots(false),
            pos: &pos,
            turn: Turn::First,
            ply: 0,
            depth: 9,
        };
        let mut order = MoveOrdering::new();
        for mv in 0..200 {
            order.refuted(&place, &options, 201);
            order.refuted(&MoveContext { depth: 2, ..place }, &options, mv);
        }
        assert_eq!(order.lists.each_ref().map(Vec::len), [LIST, 0]);
        assert!(order.rank(&place, &options, None, 201) > order.rank(&place, &options, None, 0));
    }
}
