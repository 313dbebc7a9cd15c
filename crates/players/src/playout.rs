//! The opinion of random games: the mean payoff of a few of them.

use crate::dice::Rolled;
use crate::words::spelled;
use crate::{Falls, Judge};
use outplay_core::{Game, Quiet, Turn};
use outplay_search::{PlayoutOptions, playouts, playouts_with_dice};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The evaluation `playout`. Equal positions get equal games, so that a search does not contradict itself.
pub struct Playout<G: Game> {
    game: G,
    rolled: Option<Rolled<G>>,
    games: u64,
}

impl<G: Game> Playout<G> {
    /// So many random games for each position.
    pub fn new(game: G, dice: Option<Falls<G>>, games: u64) -> Playout<G> {
        let rolled = dice.map(|falls| Rolled { game: game.clone(), falls });
        Playout { game, rolled, games }
    }
}

impl<G: Game> Judge<G> for Playout<G> {
    fn spec(&self) -> String {
        spelled("playout", &[("games", self.games.to_string())])
    }

    fn score(&self, pos: &G::Position, me: Turn) -> i32 {
        let mut hasher = FxHasher::default();
        pos.hash(&mut hasher);
        let options = PlayoutOptions { seed: hasher.finish(), ..PlayoutOptions::games(self.games) };
        let games = match &self.rolled {
            Some(rolled) => playouts_with_dice(rolled, pos, options, &Quiet),
            None => playouts(&self.game, pos, options, &Quiet),
        };
        // Rules that fail are found out by the search, which polls them.
        let mean = games.map_or(0.0, |games| games.mean());
        let first = (100.0 * mean).round() as i32;
        if me == Turn::Second { -first } else { first }
    }
}
