//! Games that can go round in circles, solved backwards as a whole.

use super::solved::Whole;
use crate::Trouble;
use crate::answers::Source;
use crate::entry::Entry;
use crate::kernels::{Cycles, LoopValues, Numbering};
use crate::ladder::{Ask, Cost, Known, Rung};
use crate::request::QueryOptions;
use crate::shelves::LoopFiles;
use outplay_core::{Deadline, Game, Watch};
use outplay_solve::SolveError;
use outplay_table::Values;
use std::sync::Arc;
use std::time::Duration;

/// Numbers that are solved in memory where there is no table.
const IN_MEMORY: u128 = 25_000_000;

/// Positions that one thread solves in a second.
const RATE: f64 = 1e6;

/// Positions that are explored where a game has forward moves only.
const EXPLORED: u64 = 2_000_000;

/// Retrograde analysis.
pub(super) struct Backwards;

impl Rung for Backwards {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        match ask.entry.kernels().loops() {
            Some(false) => Cost::Never,
            // A game of one's own is explored only after minimax has found that it goes round in circles.
            None if ask.entry.goes_in_circles() => Cost::Open { likely: true },
            None => Cost::Never,
            Some(true) => {
                let Some(Numbering::Cycles(cycles)) = ask.entry.index() else { return Cost::Never };
                let total = cycles.numbers().total();
                if total > IN_MEMORY || ask.entry.wholes().iter().any(|w| matches!(**w, Whole::Loops { .. }))
                {
                    return Cost::Never;
                }
                if cycles.bytes() > u128::from(ask.options.memory) {
                    return Cost::Beyond(format!(
                        "solving the whole game needs {:.1} GB of memory and {:.1} GB are allowed, so this is by search",
                        cycles.bytes() as f64 / 1e9,
                        ask.options.memory as f64 / 1e9
                    ));
                }
                let seconds = total as f64 / RATE / ask.options.threads.max(1) as f64;
                let time = Duration::from_secs_f64(seconds);
                if ask.has_time_for(time) {
                    return Cost::About(time);
                }
                Cost::Beyond(format!(
                    "solving the whole game takes about {}, which is more than the time allowed, so this is by search",
                    outplay_core::figures::duration(seconds)
                ))
            }
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let cycles = match ask.entry.index() {
            Some(Numbering::Cycles(cycles)) => cycles,
            _ => {
                let most = ask.entry.most_explored(ask.options.memory).min(EXPLORED);
                let from = ask.entry.game().start().unwrap_or_else(|| ask.pos.clone());
                match ask.entry.kernels().explore(&from, most, ask.clock) {
                    Ok(Numbering::Cycles(cycles)) => cycles,
                    Ok(_) | Err(SolveError::TooLarge(_)) => return Ok(None),
                    Err(error) => return ask.unless_late(Err(error.into())),
                }
            }
        };
        let values = ask.unless_late(solve(ask, &*cycles))?;
        let Some(values) = values else { return Ok(None) };
        let whole = Arc::new(Whole::Loops { cycles, values });
        ask.entry.keep_whole(whole.clone());
        let worth = whole.worth(ask.entry.game(), ask.pos)?;
        Ok(worth.map(|worth| Known::new(worth, Source::Search)))
    }
}

fn solve(ask: &Ask<'_>, cycles: &dyn Cycles) -> Result<Box<dyn LoopValues>, Trouble> {
    ask.clock.stage("solving backwards", 0);
    backwards(ask.entry, cycles, &ask.clock.within(Duration::MAX).silent())
}

/// Retrograde analysis of a whole game, kept nowhere.
fn backwards(entry: &Entry, cycles: &dyn Cycles, watch: &dyn Watch) -> Result<Box<dyn LoopValues>, Trouble> {
    let plan = entry.loop_plan(cycles.numbers(), Values::Distance);
    let mut ignore = |_| {};
    let mut files = LoopFiles::open(None, plan, false, watch, &mut ignore)?;
    cycles.retrograde(true, &mut files, watch)
}

impl Entry {
    /// The game solved from its ends backwards, as a whole and in memory.
    pub(crate) fn solved_backwards(
        &self,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Arc<Whole>, Trouble> {
        let kept = self.wholes().into_iter().find(|whole| matches!(**whole, Whole::Loops { .. }));
        if let Some(whole) = kept {
            return Ok(whole);
        }
        let Some(Numbering::Cycles(cycles)) = self.index() else {
            let why = format!("{} never goes round in circles, so it has no waves", self.spec());
            return Err(Trouble::unable(why));
        };
        let (total, needed, allowed) = (cycles.numbers().total(), cycles.bytes(), options.memory);
        if total > IN_MEMORY || needed > u128::from(allowed) {
            return Err(Trouble::Memory { needed, allowed });
        }
        let clock = Deadline::new(options.time, watch);
        let values = backwards(self, &*cycles, &clock)?;
        let whole = Arc::new(Whole::Loops { cycles, values });
        self.keep_whole(whole.clone());
        Ok(whole)
    }
}
