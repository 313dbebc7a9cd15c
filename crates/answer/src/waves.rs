//! Retrograde analysis seen as what it is: waves that start from the finished positions and run backwards.
//!
//! ```text
//!  wave 0  finished      wave 1  one move leads to a loss of the other      wave 2  every move leads into wave 1 …
//! ```
//!
//! Invariant: the waves and what no wave reaches add up to all positions of the game.

use crate::Trouble;
use crate::answers::Answer;
use crate::entry::Entry;
use crate::ladder::Worth;
use crate::request::QueryOptions;
use crate::sources::Whole;
use outplay_core::{Notation, Verdict, Watch};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many positions each wave reaches.
#[derive(Clone, Debug, Serialize)]
pub struct Waves {
    /// The canonical spec.
    pub game: String,
    /// All positions.
    pub positions: u64,
    /// Those that no wave reaches: draws.
    pub draws: u64,
    /// The waves in the order of their distance.
    pub waves: Vec<Wave>,
}

/// The positions that are decided in so many plies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wave {
    /// Plies to the end.
    pub distance: u32,
    /// Positions that the player to move wins.
    pub win: u64,
    /// Positions that the player to move loses.
    pub loss: u64,
}

/// A position of a list with its value for the player to move.
#[derive(Clone, Debug, Serialize)]
pub struct Valued {
    /// Whether there is such a position.
    pub legal: bool,
    /// Its value.
    #[serde(flatten)]
    pub answer: Option<Answer>,
}

impl Entry {
    /// Solves a game with loops from its ends backwards and counts what each wave reaches. The values stay in memory
    /// for the questions that follow.
    ///
    /// # Errors
    ///
    /// A game without loops, one that is too large for the memory or the time, or a stop.
    pub fn waves(&self, options: &QueryOptions, watch: &dyn Watch) -> Result<Waves, Trouble> {
        let whole = self.solved_backwards(options, watch)?;
        let Whole::Loops { values, .. } = &*whole else {
            return Err(Trouble::unable("the values in memory are of another kind"));
        };
        let (mut waves, mut draws) = (BTreeMap::<u32, (u64, u64)>::new(), 0);
        let sides = values.tally().tiers.iter().flat_map(|tier| [&tier.first, &tier.second]);
        for (value, &count) in sides.flatten() {
            let wave = waves.entry(value.distance().unwrap_or(0));
            match value.verdict() {
                Verdict::Win => wave.or_default().0 += count,
                Verdict::Loss => wave.or_default().1 += count,
                Verdict::Draw => draws += count,
            }
        }
        let waves: Vec<Wave> =
            waves.into_iter().map(|(distance, (win, loss))| Wave { distance, win, loss }).collect();
        let positions = draws + waves.iter().map(|wave| wave.win + wave.loss).sum::<u64>();
        Ok(Waves { game: self.spec(), positions, draws, waves })
    }

    /// The values of a list of positions of a game with loops; what is no position is said to be none.
    ///
    /// # Errors
    ///
    /// As [`Entry::waves`].
    pub fn values(
        &self,
        positions: &[String],
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Vec<Valued>, Trouble> {
        let whole = self.solved_backwards(options, watch)?;
        let valued = |text: &String| {
            let Ok(pos) = self.game().read_position(text) else {
                return Ok(Valued { legal: false, answer: None });
            };
            let worth = whole.worth(self.game(), &pos)?;
            Ok(Valued { legal: true, answer: worth.map(|worth: Worth| self.told(&pos, worth)) })
        };
        positions.iter().map(valued).collect()
    }
}
