//! The opinion of random games: the mean payoff of a few of them.

use crate::words::spelled;
use crate::{Judge, Minds};
use outplay_core::{AnyPosition, Turn};
use outplay_search::PlayoutOptions;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The evaluation `playout`. Equal positions get equal games, so that a search does not contradict itself.
pub struct Playout {
    minds: Arc<dyn Minds>,
    games: u64,
}

impl Playout {
    /// So many random games for each position.
    pub fn new(minds: Arc<dyn Minds>, games: u64) -> Playout {
        Playout { minds, games }
    }
}

impl Judge for Playout {
    fn spec(&self) -> String {
        spelled("playout", &[("games", self.games.to_string())])
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let mut hasher = FxHasher::default();
        pos.hash(&mut hasher);
        let options = PlayoutOptions { seed: hasher.finish(), ..PlayoutOptions::games(self.games) };
        let first = (100.0 * self.minds.playouts(pos, options)).round() as i32;
        if me == Turn::Second { -first } else { first }
    }
}
