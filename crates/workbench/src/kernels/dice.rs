//! Mean payoffs of games with chance by value iteration over an index, type-erased.
//!
//! ```text
//! explored: every position has a rank │ an index of the positions before a roll only
//!              └────── mean payoffs by value iteration, tier by tier ──────┘ ──▶ table
//! ```
//!
//! All means are the first player's, except inside an index that merges the players.

use super::{IndexedGame, Numbers};
use crate::Trouble;
use crate::methods::distributed::gone;
use outplay_core::index_laws::Gaps;
use outplay_core::{AnyPosition, Chance, Rolls, Tier};
use outplay_runtime::{Communicator, Monitor};
use outplay_solve::{
    ExpectedPayoffs, ExploredGame, KeepMeans, Settle, SolveError, TierConvergence, chance_kept,
    chance_rolls_kept, expand, verify_chance, verify_rolls,
};
use outplay_table::Writer;
use std::sync::Arc;

/// Reads the stored mean of a number.
type StoredMean<'a> = &'a dyn Fn(Tier, u64) -> Result<f64, Trouble>;

/// Operations on an index of a game with chance.
pub(crate) trait Means: Send + Sync {
    fn numbers(&self) -> &dyn Numbers;
    /// The positions that may lack a number.
    fn gaps(&self) -> Gaps {
        Gaps::None
    }
    /// Memory in bytes that solving needs, without that of exploring.
    fn bytes(&self) -> u128 {
        // A mean and its error radius.
        self.numbers().total() * 2 * size_of::<f64>() as u128
    }
    fn solve(&self, files: &mut MeanFiles<'_>, watch: &dyn Monitor) -> Result<ExpectedPayoffs, Trouble>;
    /// The mean payoff of a position, given the means of the numbers; `None` if the index does not cover it.
    fn mean(&self, pos: &AnyPosition, at: StoredMean<'_>) -> Result<Option<f64>, Trouble>;
    fn verify(
        &self,
        stored: &[Vec<f64>],
        tolerance: f64,
        watch: &dyn Monitor,
    ) -> Result<outplay_solve::Means, SolveError>;
}

/// An index of every explored position.
pub(crate) struct ExploredMeans<G: Chance>(pub(crate) IndexedGame<G, ExploredGame<G>>);

/// An index of the positions before a roll.
pub(crate) struct RollMeans<G: Chance, I>(pub(crate) IndexedGame<G, I>);

impl<G: Chance> Means for ExploredMeans<G> {
    fn numbers(&self) -> &dyn Numbers {
        &self.0
    }

    fn solve(&self, files: &mut MeanFiles<'_>, watch: &dyn Monitor) -> Result<ExpectedPayoffs, Trouble> {
        let IndexedGame { native, index } = &self.0;
        watch.stage("solving", index.positions().len() as u64);
        chance_kept(&native.game, &**index, Settle::default(), files, watch)
    }

    fn mean(&self, pos: &AnyPosition, at: StoredMean<'_>) -> Result<Option<f64>, Trouble> {
        if !self.0.has(pos) {
            return Ok(None);
        }
        let (tier, number) = self.0.at(pos);
        at(tier, number).map(Some)
    }

    fn verify(
        &self,
        stored: &[Vec<f64>],
        tolerance: f64,
        watch: &dyn Monitor,
    ) -> Result<outplay_solve::Means, SolveError> {
        verify_chance(&self.0.native.game, &*self.0.index, stored, tolerance, watch)
    }
}

impl<G: Chance, I: Rolls<G>> Means for RollMeans<G, I> {
    fn numbers(&self) -> &dyn Numbers {
        &self.0
    }

    fn gaps(&self) -> Gaps {
        Gaps::Rolls
    }

    /// Besides the means, the largest tier stores the choice after each roll, of this sweep and of the one before.
    fn bytes(&self) -> u128 {
        let IndexedGame { native, index } = &self.0;
        let largest = (0..index.tiers()).map(Tier).max_by_key(|&tier| index.len(tier)).unwrap_or(Tier(0));
        let len = index.len(largest);
        let some = (0..len).step_by((len / 64).max(1) as usize);
        let mut rolling =
            some.filter_map(|n| index.unrank(largest, n)).filter(|pos| native.game.outcome(pos).is_none());
        let mut rolls = Vec::new();
        if let Some(pos) = rolling.next() {
            native.game.outcomes(&pos, &mut rolls);
        }
        let (values, number, pick) = (2 * size_of::<f64>(), 16, 6);
        let tier = 2 * size_of::<f64>() + 2 * (number + pick * rolls.len());
        index.total() * values as u128 + u128::from(len) * tier as u128
    }

    fn solve(&self, files: &mut MeanFiles<'_>, watch: &dyn Monitor) -> Result<ExpectedPayoffs, Trouble> {
        chance_rolls_kept(&self.0.native.game, &*self.0.index, Settle::default(), files, watch)
    }

    fn mean(&self, pos: &AnyPosition, at: StoredMean<'_>) -> Result<Option<f64>, Trouble> {
        let IndexedGame { native, index } = &self.0;
        expand(&native.game, &**index, native.pos(pos), &at).map(Some)
    }

    fn verify(
        &self,
        stored: &[Vec<f64>],
        tolerance: f64,
        watch: &dyn Monitor,
    ) -> Result<outplay_solve::Means, SolveError> {
        verify_rolls(&self.0.native.game, &*self.0.index, stored, tolerance, watch)
    }
}

/// Reads known tiers of means from a table and writes the others.
pub(crate) struct MeanFiles<'a> {
    pub(crate) writer: Option<&'a Writer>,
    /// The ranks that solve together with this process.
    pub(crate) crew: Option<Arc<dyn Communicator>>,
}

impl KeepMeans for MeanFiles<'_> {
    type Error = Trouble;

    fn known(&mut self, tier: Tier) -> Result<Option<(Vec<f64>, TierConvergence)>, Trouble> {
        let Some(writer) = self.writer.filter(|writer| writer.has(tier)) else { return Ok(None) };
        // A tier whose convergence record was lost with the manifest is solved again: the manifest must not depend on
        // how often the solve was interrupted.
        let Some(note) = writer.noted(tier) else { return Ok(None) };
        let (Some(rounds), Some(change)) =
            (note["rounds"].as_u64(), note["change"].as_str().and_then(|text| text.parse().ok()))
        else {
            return Ok(None);
        };
        let settled = TierConvergence { rounds, change };
        let read = || -> Result<Vec<f64>, Trouble> { Ok(writer.table()?.read_tier(tier)?) };
        let Some(crew) = &self.crew else { return Ok(Some((read()?, settled))) };
        // Only rank 0 has the files.
        let read = if crew.rank() == 0 { read() } else { Ok(Vec::new()) };
        crew.all_ok(read.as_ref().map(|_| ()).map_err(ToString::to_string)).map_err(gone)?;
        let bits: Vec<u64> = read?.into_iter().map(f64::to_bits).collect();
        let received = crew.broadcast(&outplay_runtime::communicator::pack(&bits)).map_err(gone)?;
        Ok(Some((outplay_runtime::communicator::unpack(&received).map(f64::from_bits).collect(), settled)))
    }

    fn crew(&self) -> Option<Arc<dyn Communicator>> {
        self.crew.clone()
    }

    fn keep(&mut self, tier: Tier, values: &[f64], settled: TierConvergence) -> Result<(), Trouble> {
        if let Some(writer) = self.writer {
            // Exponent notation round-trips to the last bit.
            let change = format!("{:e}", settled.change);
            writer.note(tier, serde_json::json!({ "rounds": settled.rounds, "change": change }));
            let file = writer.tier::<f64>(tier)?;
            match &self.crew {
                None => file.put_all(values)?,
                // All ranks hold all values; each writes its share.
                Some(crew) => {
                    let share = values.len().div_ceil(crew.size()).max(1);
                    if let Some(part) = values.chunks(share).nth(crew.rank()) {
                        file.put((share * crew.rank()) as u64, part)?;
                    }
                }
            }
            file.finish()?;
        }
        Ok(())
    }
}
