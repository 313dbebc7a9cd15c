//! Mean payoffs of games with dice: the whole game, or what follows from here, or a look ahead.

use super::solved::Whole;
use crate::Trouble;
use crate::answers::Source;
use crate::kernels::{MeanFiles, Numbering};
use crate::ladder::{Ask, Cost, Known, Rung, Worth};
use crate::means::KnownMeans;
use outplay_core::{AnyPosition, Game, Watch};
use outplay_search::{DiceMethod, Limits};
use outplay_solve::SolveError;
use std::sync::Arc;
use std::time::Duration;

/// Means closer than this are equally good: they were settled to fewer digits than they have.
pub(crate) const EQUAL: f64 = 1e-11;

/// Positions that are explored where there is no table.
const EXPLORED: u64 = 3_000_000;

/// Means by whatever way there is time for.
pub(super) struct Settled;

impl Rung for Settled {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        match ask.entry.game().has_dice() {
            // A game with an index of its own is too large to be solved on the way.
            true => Cost::Open { likely: ask.entry.kernels().explores() },
            false => Cost::Never,
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let kernels = ask.entry.kernels();
        let most = ask.entry.most_positions(ask.options.memory).min(match kernels.explores() {
            true => EXPLORED,
            // It is large, and only its endings are worth exploring.
            false => EXPLORED / 10,
        });
        let start = ask.entry.game().start().filter(|_| kernels.explores());
        for from in start.iter().chain([ask.pos]) {
            if ask.clock.stopped() {
                break;
            }
            if let Some(worth) = whole(ask, from, most)? {
                return Ok(Some(Known::new(worth, Source::Search)));
            }
        }
        let mean = look_ahead(ask)?;
        Ok(mean.map(|mean| Known::new(Worth::Mean(mean), Source::Search)))
    }
}

/// The means of everything that follows from a position, kept; `None` if that is too much or does not help.
fn whole(ask: &Ask<'_>, from: &AnyPosition, most: u64) -> Result<Option<Worth>, Trouble> {
    ask.clock.stage("exploring", 0);
    let quiet = ask.clock.within(Duration::MAX).silent();
    let index = match ask.entry.kernels().explore(from, most, &quiet) {
        Ok(Numbering::Means(index)) => index,
        Ok(_) | Err(SolveError::TooLarge(_)) => return Ok(None),
        Err(error) => return ask.unless_late(Err(error.into())),
    };
    let Some(expected) = ask.unless_late(index.solve(&mut MeanFiles { writer: None }, &quiet))? else {
        return Ok(None);
    };
    let whole = Arc::new(Whole::Means(KnownMeans::in_memory(index, expected)));
    ask.entry.keep_whole(whole.clone());
    whole.worth(ask.entry.game(), ask.pos)
}

/// Looks further and further ahead until the mean is exact or time is up.
fn look_ahead(ask: &Ask<'_>) -> Result<Option<f64>, Trouble> {
    for depth in 1..=outplay_search::MOST_PLIES {
        let limits = Limits { time: ask.clock.rest(), ..Limits::depth(depth) };
        let Some(report) = ask.entry.kernels().expect(ask.pos, DiceMethod::Star2, limits, ask.clock) else {
            break;
        };
        let report = report?;
        if report.exact {
            return Ok(report.value);
        }
        if ask.clock.stopped() {
            break;
        }
    }
    Ok(None)
}
