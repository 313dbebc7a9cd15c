//! Waves of retrograde analysis: the positions by distance to the end, computed backwards from the finished positions.
//!
//! ```text
//!  wave 0  finished      wave 1  a move leads to a lost position      wave 2  every move leads to a won one …
//! ```
//!
//! Invariant: the waves and the draws add up to all positions of the game.

use outplay_core::{Notation, Verdict};
use outplay_runtime::Monitor;
use outplay_workbench::{Answer, GameHandle, PlainCount, Session, Trouble, retrograde_values};
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of positions by distance to the end (waves of retrograde analysis).
#[derive(Clone, Debug, Serialize)]
pub struct Waves {
    /// The canonical spec.
    pub game: String,
    /// All positions.
    #[serde(flatten)]
    pub positions: PlainCount,
    /// Positions in no wave: draws.
    pub draws: u64,
    /// The waves in the order of their distance.
    pub waves: Vec<Wave>,
}

/// The positions at one distance to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wave {
    /// Plies to the end.
    pub distance: u32,
    /// Positions that the player to move wins.
    pub win: u64,
    /// Positions that the player to move loses.
    pub loss: u64,
}

/// A position with its value for the player to move.
#[derive(Clone, Debug, Serialize)]
pub struct ValuedPosition {
    /// Whether it is a legal position.
    pub legal: bool,
    /// Its value.
    #[serde(flatten)]
    pub answer: Option<Answer>,
}

/// Solves a game with cycles by retrograde analysis and counts each wave. The values stay in memory for later
/// queries.
///
/// # Errors
///
/// A game without cycles, one that is too large for the memory or the time, or a stop.
pub fn waves(session: &Session, handle: &GameHandle, watch: &dyn Monitor) -> Result<Waves, Trouble> {
    let values = retrograde_values(session, handle, watch)?;
    let (mut waves, mut draws) = (BTreeMap::<u32, (u64, u64)>::new(), 0);
    let tally = values.tally();
    let sides = tally.tiers.iter().flat_map(|tier| [&tier.first, &tier.second]);
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
    Ok(Waves { game: handle.spec(), positions: PlainCount(positions), draws, waves })
}

/// The values of a list of positions of a game with cycles; texts that are not positions are marked as not legal.
///
/// # Errors
///
/// As [`waves`].
pub fn values(
    session: &Session,
    handle: &GameHandle,
    positions: &[String],
    watch: &dyn Monitor,
) -> Result<Vec<ValuedPosition>, Trouble> {
    let values = retrograde_values(session, handle, watch)?;
    let valued = |text: &String| {
        let Ok(pos) = handle.game().read_position(text) else {
            return Ok(ValuedPosition { legal: false, answer: None });
        };
        Ok(ValuedPosition { legal: true, answer: values.answer(handle, &pos)? })
    };
    positions.iter().map(valued).collect()
}
