//! The evaluation `playout`: the mean payoff of random games from a position.

use crate::words::format_spec;
use crate::{Judge, SearcherFactory};
use outplay_core::{AnyPosition, Turn};
use outplay_search::PlayoutOptions;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The evaluation `playout`. The position's hash is the seed, so that equal positions have equal scores.
pub struct Playout {
    minds: Arc<dyn SearcherFactory>,
    games: u64,
}

impl Playout {
    /// An evaluation by `games` playouts for each position.
    pub fn new(minds: Arc<dyn SearcherFactory>, games: u64) -> Playout {
        Playout { minds, games }
    }
}

impl Judge for Playout {
    fn spec(&self) -> String {
        format_spec("playout", &[("games", self.games.to_string())])
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let mut hasher = FxHasher::default();
        pos.hash(&mut hasher);
        let options = PlayoutOptions { seed: hasher.finish(), ..PlayoutOptions::games(self.games) };
        let first = (100.0 * self.minds.playouts(pos, options)).round() as i32;
        if me == Turn::Second { -first } else { first }
    }
}
