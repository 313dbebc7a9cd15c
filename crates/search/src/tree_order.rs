//! The order in which a recorded search tries moves, so that what pruning owes to it can be seen.
//!
//! ```text
//!  best first   every position tries the move that minimax would choose: b^⌈d/2⌉ + b^⌊d/2⌋ − 1 leaves
//!  worst first  the other end: little or nothing is cut off
//! ```
//!
//! Best and worst are known by plain minimax to the same horizon, before the search that is recorded begins to count.
//!
//! Invariant: an order changes what a search enters, never what its root is worth.

use crate::Evaluate;
use crate::clock::Clock;
use crate::score::{MOST_EVALUATION, Scale, Score};
use outplay_core::{Game, Turn};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rustc_hash::FxHashMap;

/// Which moves are tried first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TreeOrder {
    /// As the rules list them.
    #[default]
    Rules,
    /// The best one first.
    Best,
    /// The worst one first.
    Worst,
    /// By chance, which follows from a seed.
    Shuffled(u64),
}

impl TreeOrder {
    /// One word for people.
    pub fn word(self) -> &'static str {
        match self {
            TreeOrder::Rules => "rules",
            TreeOrder::Best => "best",
            TreeOrder::Worst => "worst",
            TreeOrder::Shuffled(_) => "shuffled",
        }
    }
}

/// Positions whose minimax score is remembered; beyond, they are looked at again.
const REMEMBERED: usize = 400_000;

/// Orders the moves of one recorded search.
pub(crate) struct Orderer<G: Game> {
    order: TreeOrder,
    chance: SmallRng,
    known: FxHashMap<(G::Position, u32), Score>,
}

impl<G: Game> Orderer<G> {
    pub(crate) fn new(order: TreeOrder) -> Orderer<G> {
        let seed = if let TreeOrder::Shuffled(seed) = order { seed } else { 0 };
        Orderer { order, chance: SmallRng::seed_from_u64(seed), known: FxHashMap::default() }
    }

    /// Sorts the moves of a position `ply` plies from the root; equally good ones stay in the order of the rules.
    pub(crate) fn sort<E: Evaluate<G>>(
        &mut self,
        look: &Look<'_, G, E>,
        pos: &G::Position,
        ply: u32,
        moves: &mut [G::Move],
        clock: &mut Clock<'_>,
    ) {
        let better_is_larger = look.game.turn(pos) == Turn::First;
        match self.order {
            TreeOrder::Rules => {}
            TreeOrder::Shuffled(_) => moves.shuffle(&mut self.chance),
            TreeOrder::Best | TreeOrder::Worst => {
                let mut scored = Vec::with_capacity(moves.len());
                for &mv in moves.iter() {
                    let score = self.minimax(look, &look.game.play(pos, mv), ply + 1, clock);
                    scored.push((if better_is_larger { -score } else { score }, mv));
                }
                scored.sort_by_key(|(rank, _)| if self.order == TreeOrder::Worst { -rank } else { *rank });
                moves.iter_mut().zip(scored).for_each(|(mv, (_, sorted))| *mv = sorted);
            }
        }
    }

    /// The first player's score of a position by minimax to the horizon.
    fn minimax<E: Evaluate<G>>(
        &mut self,
        look: &Look<'_, G, E>,
        pos: &G::Position,
        ply: u32,
        clock: &mut Clock<'_>,
    ) -> Score {
        if clock.must_pause() {
            return 0;
        }
        let turn = look.game.turn(pos);
        match look.game.outcome(pos) {
            Some(payoff) => return look.scale.finished(payoff, ply).score,
            None if ply >= look.depth => return look.opinion(pos),
            None => {}
        }
        let key = (pos.clone(), ply);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut moves = Vec::new();
        look.game.moves(pos, &mut moves);
        let scores = moves.into_iter().map(|mv| self.minimax(look, &look.game.play(pos, mv), ply + 1, clock));
        let best = if turn == Turn::First { scores.max() } else { scores.min() };
        let best = best.unwrap_or(0);
        if !clock.stopped && self.known.len() < REMEMBERED {
            self.known.insert(key, best);
        }
        best
    }
}

/// What a recorded search looks at positions with.
pub(crate) struct Look<'a, G, E> {
    pub(crate) game: &'a G,
    pub(crate) evaluate: &'a E,
    pub(crate) scale: Scale,
    pub(crate) depth: u32,
}

impl<G: Game, E: Evaluate<G>> Look<'_, G, E> {
    /// The opinion of a position at the horizon, as the first player sees it.
    pub(crate) fn opinion(&self, pos: &G::Position) -> Score {
        let score = self.evaluate.score(self.game, pos).clamp(-MOST_EVALUATION, MOST_EVALUATION);
        if self.game.turn(pos) == Turn::Second { -score } else { score }
    }
}
