//! Move ordering of a recorded search, to show how pruning depends on it.
//!
//! ```text
//!  best first   the critical tree (Knuth and Moore 1975): b^⌈d/2⌉ + b^⌊d/2⌋ − 1 leaves
//!  worst first  the other extreme: few cutoffs or none
//! ```
//!
//! The best and worst moves are computed by plain minimax to the same depth; the nodes of that search are not counted.
//!
//! Invariant: the order changes which nodes a search enters, never the value of the root.

use crate::Evaluate;
use crate::clock::Clock;
use crate::score::{MOST_EVALUATION, Scale, Score};
use outplay_core::{Game, Turn};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rustc_hash::FxHashMap;

/// Order in which a recorded search tries the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TreeOrder {
    /// The order of the rules.
    #[default]
    Rules,
    /// Best move first.
    Best,
    /// Worst move first.
    Worst,
    /// Random order, by seed.
    Shuffled(u64),
}

impl TreeOrder {
    /// One word for display.
    pub fn word(self) -> &'static str {
        match self {
            TreeOrder::Rules => "rules",
            TreeOrder::Best => "best",
            TreeOrder::Worst => "worst",
            TreeOrder::Shuffled(_) => "shuffled",
        }
    }
}

/// Maximum number of memoised minimax scores; further positions are searched again.
const REMEMBERED: usize = 400_000;

/// Sorts the moves of one recorded search.
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

    /// Sorts the moves of a position `ply` plies from the root; ties keep the order of the rules.
    pub(crate) fn sort<E: Evaluate<G>>(
        &mut self,
        context: &TreeContext<'_, G, E>,
        pos: &G::Position,
        ply: u32,
        moves: &mut [G::Move],
        clock: &mut Clock<'_>,
    ) {
        let better_is_larger = context.game.turn(pos) == Turn::First;
        match self.order {
            TreeOrder::Rules => {}
            TreeOrder::Shuffled(_) => moves.shuffle(&mut self.chance),
            TreeOrder::Best | TreeOrder::Worst => {
                let mut scored = Vec::with_capacity(moves.len());
                for &mv in moves.iter() {
                    let score = self.minimax(context, &context.game.play(pos, mv), ply + 1, clock);
                    scored.push((if better_is_larger { -score } else { score }, mv));
                }
                scored.sort_by_key(|(rank, _)| if self.order == TreeOrder::Worst { -rank } else { *rank });
                moves.iter_mut().zip(scored).for_each(|(mv, (_, sorted))| *mv = sorted);
            }
        }
    }

    /// Returns the first player's minimax score to the horizon.
    fn minimax<E: Evaluate<G>>(
        &mut self,
        context: &TreeContext<'_, G, E>,
        pos: &G::Position,
        ply: u32,
        clock: &mut Clock<'_>,
    ) -> Score {
        if clock.must_pause() {
            return 0;
        }
        let turn = context.game.turn(pos);
        match context.game.outcome(pos) {
            Some(payoff) => return context.scale.finished(payoff, ply).score,
            None if ply >= context.depth => return context.opinion(pos),
            None => {}
        }
        let key = (pos.clone(), ply);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut moves = Vec::new();
        context.game.moves(pos, &mut moves);
        let scores =
            moves.into_iter().map(|mv| self.minimax(context, &context.game.play(pos, mv), ply + 1, clock));
        let best = if turn == Turn::First { scores.max() } else { scores.min() };
        let best = best.unwrap_or(0);
        if !clock.stopped && self.known.len() < REMEMBERED {
            self.known.insert(key, best);
        }
        best
    }
}

/// Read-only context of a recorded search.
pub(crate) struct TreeContext<'a, G, E> {
    pub(crate) game: &'a G,
    pub(crate) evaluate: &'a E,
    pub(crate) scale: Scale,
    pub(crate) depth: u32,
}

impl<G: Game, E: Evaluate<G>> TreeContext<'_, G, E> {
    /// Evaluates a position at the horizon, from the first player's view.
    pub(crate) fn opinion(&self, pos: &G::Position) -> Score {
        let score = self.evaluate.score(self.game, pos).clamp(-MOST_EVALUATION, MOST_EVALUATION);
        if self.game.turn(pos) == Turn::Second { -score } else { score }
    }
}
