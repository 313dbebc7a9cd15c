//! Games that can go round in circles, solved backwards as a whole.

use super::solved::Whole;
use crate::Trouble;
use crate::answers::Source;
use crate::kernels::{Cycles, Numbering};
use crate::ladder::{Ask, Cost, Known, Rung};
use crate::shelves::LoopFiles;
use outplay_core::{Game, Watch};
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

fn solve(ask: &Ask<'_>, cycles: &dyn Cycles) -> Result<Box<dyn crate::kernels::LoopValues>, Trouble> {
    ask.clock.stage("solving backwards", 0);
    let quiet = ask.clock.within(Duration::MAX).silent();
    let plan = ask.entry.loop_plan(cycles.numbers(), Values::Distance);
    let mut ignore = |_| {};
    let mut files = LoopFiles::open(None, plan, false, &quiet, &mut ignore)?;
    cycles.retrograde(true, &mut files, &quiet)
}
