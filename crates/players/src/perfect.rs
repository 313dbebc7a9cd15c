//! Never gives anything away: the best move by exact knowledge, as fast to a win and as slow to a loss as it goes.

use crate::{Choice, Merit, Merits, PlayError, Player, Truth};
use outplay_core::{Game, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// The player `perfect`; equally good and equally fast moves are equally likely.
pub struct Perfect<G: Game> {
    game: G,
    truth: Arc<dyn Truth<G>>,
    rng: SmallRng,
}

impl<G: Game> Perfect<G> {
    /// A player that asks `truth`.
    pub fn new(game: G, truth: Arc<dyn Truth<G>>) -> Perfect<G> {
        Perfect { game, truth, rng: SmallRng::seed_from_u64(0) }
    }
}

/// The merits of all moves, or a sentence why there are none.
pub(crate) fn merits<G: Game>(
    game: &G,
    truth: &dyn Truth<G>,
    pos: &G::Position,
    watch: &dyn Watch,
) -> Result<Merits<G::Move>, PlayError> {
    if game.outcome(pos).is_some() || game.turn(pos) == Turn::Chance {
        return Err(PlayError::NoMove);
    }
    match truth.moves(pos, watch)? {
        Some(merits) if !merits.is_empty() => Ok(merits),
        _ if watch.stopped() => Err(PlayError::Stopped),
        _ => Err(PlayError::Unknown(
            "the exact value of this position is out of reach; solve the game first with `outplay solve`, or ask another player, such as `alphabeta:time=1s`".into(),
        )),
    }
}

/// The best merit.
pub(crate) fn top<M>(merits: &Merits<M>) -> Option<Merit> {
    merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))
}

impl<G: Game> Player<G> for Perfect<G> {
    fn spec(&self) -> String {
        "perfect".into()
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &G::Position, watch: &dyn Watch) -> Result<Choice<G::Move>, PlayError> {
        let merits = merits(&self.game, &*self.truth, pos, watch)?;
        let Some(top) = top(&merits) else { return Err(PlayError::NoMove) };
        let best = merits.iter().filter(|(_, merit)| merit.equals(top));
        let best: Vec<G::Move> = best.map(|(mv, _)| *mv).collect();
        let mv = best[self.rng.random_range(0..best.len())];
        Ok(Choice { opinion: Some(100.0 * top.payoff()), line: vec![mv], ..Choice::plain(mv) })
    }
}
