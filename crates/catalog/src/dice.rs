//! What the catalog needs to know of a game with dice, types hidden.
//!
//! ```text
//! explored: every position has a number │ an index of the positions before a roll only
//!              └──────────── mean payoffs, settled tier by tier ───────────┘ ──▶ table
//! ```
//!
//! All means are the first player's, except inside an index that merges the players.

use crate::Trouble;
use crate::solved::AnyIndex;
use outplay_core::{Chance, Game, Rolls, Tier, Watch};
use outplay_search::{DiceMethod, DiceReport, Limits, SearchError, Zero, expectimax};
use outplay_solve::{
    Expected, Explored, KeepMeans, Means, Settle, SolveError, chance_kept, chance_rolls_kept, expand,
    verify_chance, verify_rolls,
};
use outplay_table::Writer;
use std::sync::Arc;

/// Asks for the stored value of a number.
type At<'a> = &'a dyn Fn(Tier, u64) -> Result<f64, Trouble>;

/// Numbers the positions of a game before a roll.
type MakeIndex<G> = dyn Fn(&G) -> Box<dyn DiceIndex<G>> + Send + Sync;

/// Looks ahead without a table.
type LookAhead<G> = fn(
    &G,
    &<G as Game>::Position,
    DiceMethod,
    Limits,
    &dyn Watch,
) -> Result<DiceReport<<G as Game>::Move>, SearchError>;

/// Random moves with their probabilities.
type Outcomes<G> = Vec<(<G as Game>::Move, f64)>;

/// The dice of a game.
pub(crate) struct Dice<G: Game> {
    /// Without it the game is explored.
    before_rolls: Option<Box<MakeIndex<G>>>,
    /// An index of what was explored.
    pub(crate) onwards: fn(Arc<Explored<G>>) -> Box<dyn DiceIndex<G>>,
    /// What can happen at a roll.
    pub(crate) outcomes: fn(&G, &G::Position) -> Outcomes<G>,
    pub(crate) search: LookAhead<G>,
}

impl<G: Chance> Dice<G> {
    /// Every position is explored and numbered.
    pub(crate) fn explored() -> Self {
        Dice {
            before_rolls: None,
            onwards: |explored| Box::new(Everything(explored)),
            outcomes: |game, pos| {
                let mut rolls = Vec::new();
                game.outcomes(pos, &mut rolls);
                rolls
            },
            search: |game, pos, method, limits, watch| expectimax(game, pos, &Zero, method, limits, watch),
        }
    }

    /// Only positions before a roll are numbered, by this function.
    pub(crate) fn before_rolls<I: Rolls<G> + 'static>(make: fn(&G) -> I) -> Self {
        let make = move |game: &G| -> Box<dyn DiceIndex<G>> { Box::new(RollsOnly(make(game))) };
        Dice { before_rolls: Some(Box::new(make)), ..Dice::explored() }
    }
}

impl<G: Game> Dice<G> {
    /// The index of the positions before a roll that came along with the game, if there is one.
    pub(crate) fn own_index(&self, game: &G) -> Option<Box<dyn DiceIndex<G>>> {
        self.before_rolls.as_ref().map(|make| make(game))
    }

    /// The numbering over which the game is solved; `explore` explores the whole game.
    pub(crate) fn index(
        &self,
        game: &G,
        explore: impl FnOnce() -> Result<Arc<Explored<G>>, Trouble>,
    ) -> Result<Box<dyn DiceIndex<G>>, Trouble> {
        match self.own_index(game) {
            Some(index) => Ok(index),
            None => Ok((self.onwards)(explore()?)),
        }
    }

    /// Whether `index` explores.
    pub(crate) fn explores(&self) -> bool {
        self.before_rolls.is_none()
    }
}

/// An index of a game with dice, types hidden.
pub(crate) trait DiceIndex<G: Game>: Send + Sync {
    fn any(&self) -> &dyn AnyIndex<G>;
    fn solve(&self, game: &G, files: &mut MeanFiles<'_>, watch: &dyn Watch) -> Result<Expected, Trouble>;
    /// The mean payoff of a position, given those of the numbers; `None` if it is not held.
    fn mean(&self, game: &G, pos: &G::Position, at: At<'_>) -> Result<Option<f64>, Trouble>;
    fn verify(
        &self,
        game: &G,
        stored: &(dyn Fn(Tier, u64) -> f64 + Sync),
        tolerance: f64,
        watch: &dyn Watch,
    ) -> Result<Means, SolveError>;
}
struct Everything<G: Game>(Arc<Explored<G>>);

struct RollsOnly<I>(I);

impl<G: Chance> DiceIndex<G> for Everything<G> {
    fn any(&self) -> &dyn AnyIndex<G> {
        &*self.0
    }

    fn solve(&self, game: &G, files: &mut MeanFiles<'_>, watch: &dyn Watch) -> Result<Expected, Trouble> {
        watch.stage("solving", self.0.positions().len() as u64);
        chance_kept(game, &*self.0, Settle::default(), files, watch)
    }

    fn mean(&self, _game: &G, pos: &G::Position, at: At<'_>) -> Result<Option<f64>, Trouble> {
        let index = self.any();
        if !index.has(pos) {
            return Ok(None);
        }
        let (tier, number) = index.at(pos);
        at(tier, number).map(Some)
    }

    fn verify(
        &self,
        game: &G,
        stored: &(dyn Fn(Tier, u64) -> f64 + Sync),
        tolerance: f64,
        watch: &dyn Watch,
    ) -> Result<Means, SolveError> {
        verify_chance(game, &*self.0, stored, tolerance, watch)
    }
}

impl<G: Chance, I: Rolls<G>> DiceIndex<G> for RollsOnly<I> {
    fn any(&self) -> &dyn AnyIndex<G> {
        &self.0
    }

    fn solve(&self, game: &G, files: &mut MeanFiles<'_>, watch: &dyn Watch) -> Result<Expected, Trouble> {
        chance_rolls_kept(game, &self.0, Settle::default(), files, watch)
    }

    fn mean(&self, game: &G, pos: &G::Position, at: At<'_>) -> Result<Option<f64>, Trouble> {
        expand(game, &self.0, pos, &at).map(Some)
    }

    fn verify(
        &self,
        game: &G,
        stored: &(dyn Fn(Tier, u64) -> f64 + Sync),
        tolerance: f64,
        watch: &dyn Watch,
    ) -> Result<Means, SolveError> {
        verify_rolls(game, &self.0, stored, tolerance, watch)
    }
}

/// Reads known tiers of means from a table and writes the others.
pub(crate) struct MeanFiles<'a> {
    pub(crate) writer: Option<&'a Writer>,
}

impl KeepMeans for MeanFiles<'_> {
    type Error = Trouble;

    fn known(&mut self, tier: Tier) -> Result<Option<Vec<f64>>, Trouble> {
        match self.writer.filter(|writer| writer.has(tier)) {
            Some(writer) => Ok(Some(writer.table()?.read_tier(tier)?)),
            None => Ok(None),
        }
    }

    fn keep(&mut self, tier: Tier, values: &[f64]) -> Result<(), Trouble> {
        if let Some(writer) = self.writer {
            let file = writer.tier::<f64>(tier)?;
            file.put_all(values)?;
            file.finish()?;
        }
        Ok(())
    }
}
