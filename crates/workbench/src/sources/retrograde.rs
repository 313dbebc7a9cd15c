//! Value source `retrograde` (see `ladder`): solves a game with cycles as a whole by retrograde analysis.

use super::solved::SolvedSubgame;
use crate::kernels::{Cycles, LoopValues};
use crate::tables::loop_plan;
use crate::tier_tables::LoopFiles;
use crate::{Answer, Cost, GameHandle, Numbering, Question, Session, SourceResult, Trouble, ValueSource};
use outplay_core::{AnyPosition, Game};
use outplay_runtime::{Deadline, Monitor};
use outplay_solve::{SolveError, Tally};
use outplay_table::Values;
use std::sync::Arc;
use std::time::Duration;

/// Size limit of an index that is solved in memory if there is no table: half a gigabyte of values.
const IN_MEMORY: u128 = 200_000_000;

/// Numbers of an index per second and thread: `solve chess:KPKP` takes 9 s of CPU time for 91 million, other games
/// up to four times as long.
const RATE: f64 = 2.5e6;

/// Limit on explored positions for games without predecessors.
const EXPLORED: u64 = 2_000_000;

/// Retrograde analysis.
pub(super) struct RetrogradeSource;

impl ValueSource for RetrogradeSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        match ask.handle.kernels().loops() {
            Some(false) => Cost::Never,
            // A user-defined game is explored only after minimax has found a cycle in it.
            None if ask.session.is_cyclic(ask.handle) => Cost::Open { likely: true },
            None => Cost::Never,
            Some(true) => {
                let Some(Numbering::Cycles(cycles)) = ask.handle.index() else { return Cost::Never };
                let total = cycles.numbers().total();
                if total > IN_MEMORY || solved_loops(ask.session, ask.handle).is_some() {
                    return Cost::Never;
                }
                if cycles.bytes() > u128::from(ask.session.memory) {
                    return Cost::Beyond(format!(
                        "solving the whole game needs {:.1} GB of memory and {:.1} GB are allowed, so this position is searched instead",
                        cycles.bytes() as f64 / 1e9,
                        ask.session.memory as f64 / 1e9
                    ));
                }
                let seconds = total as f64 / RATE / ask.session.threads.max(1) as f64;
                let time = Duration::from_secs_f64(seconds);
                if ask.has_time_for(time) {
                    return Cost::Estimated(time);
                }
                Cost::Beyond(format!(
                    "solving the whole game takes about {}, which is more than the time allowed, so this position is searched instead",
                    outplay_core::figures::duration(seconds)
                ))
            }
        }
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let cycles = match ask.handle.index() {
            Some(Numbering::Cycles(cycles)) => cycles,
            _ => {
                let most = ask.handle.most_explored(ask.session.memory).min(EXPLORED);
                let from = ask.handle.game().start().unwrap_or_else(|| ask.pos.clone());
                match ask.handle.kernels().explore(&from, most, ask.clock) {
                    Ok(Numbering::Cycles(cycles)) => cycles,
                    Ok(_) | Err(SolveError::TooLarge(_)) => return Ok(None),
                    Err(error) => return ask.unless_late(Err(error.into())),
                }
            }
        };
        ask.clock.stage("solving backwards", 0);
        let values = backwards(ask.handle, &*cycles, &ask.quiet());
        let Some(values) = ask.unless_late(values)? else { return Ok(None) };
        ask.keep(SolvedSubgame::Loops { cycles, values })
    }
}

/// The game as a whole, if an earlier query left it in memory.
fn solved_loops(session: &Session, handle: &GameHandle) -> Option<Arc<SolvedSubgame>> {
    session.subgames(handle).into_iter().find(|whole| matches!(**whole, SolvedSubgame::Loops { .. }))
}

/// Retrograde analysis of a whole game; the caller decides whether to keep it.
fn backwards(handle: &GameHandle, cycles: &dyn Cycles, watch: &dyn Monitor) -> Result<LoopValues, Trouble> {
    let plan = loop_plan(handle, cycles.numbers(), Values::Distance);
    let mut ignore = |_| {};
    let mut files = LoopFiles::open(None, plan, false, watch, &mut ignore)?;
    cycles.retrograde(true, &mut files, watch)
}

/// The values of all positions of a game with cycles, in memory.
pub struct RetrogradeValues(Arc<SolvedSubgame>);

impl RetrogradeValues {
    /// Counts positions by value.
    pub fn tally(&self) -> Tally {
        match &*self.0 {
            SolvedSubgame::Loops { values, .. } => values.tally.clone(),
            _ => Tally::default(),
        }
    }

    /// Looks a position up.
    ///
    /// # Errors
    ///
    /// A position that cannot be looked up.
    pub fn answer(&self, handle: &GameHandle, pos: &AnyPosition) -> Result<Option<Answer>, Trouble> {
        Ok(self.0.proven(handle.game(), pos)?.map(|proven| handle.proven_answer(pos, proven)))
    }
}

/// Solves a game with cycles as a whole, in memory; the session keeps the values for later queries.
///
/// # Errors
///
/// A game without cycles, one that is too large for the memory or the time, or a stop.
pub fn retrograde_values(
    session: &Session,
    handle: &GameHandle,
    watch: &dyn Monitor,
) -> Result<RetrogradeValues, Trouble> {
    if let Some(whole) = solved_loops(session, handle) {
        return Ok(RetrogradeValues(whole));
    }
    let Some(Numbering::Cycles(cycles)) = handle.index() else {
        let why = format!("{} has no cycles, so it is not solved in waves", handle.spec());
        return Err(Trouble::unable(why));
    };
    let (total, needed, allowed) = (cycles.numbers().total(), cycles.bytes(), session.memory);
    if total > IN_MEMORY || needed > u128::from(allowed) {
        return Err(Trouble::Memory { needed, allowed });
    }
    let clock = Deadline::new(session.time, watch);
    let values = backwards(handle, &*cycles, &clock)?;
    let whole = Arc::new(SolvedSubgame::Loops { cycles, values });
    session.keep_subgame(handle, whole.clone());
    Ok(RetrogradeValues(whole))
}
