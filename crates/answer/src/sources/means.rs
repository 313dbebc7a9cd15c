//! Mean payoffs of games with dice: the whole game, or what follows from here, or a look ahead.

use super::solved::Whole;
use crate::Trouble;
use crate::answers::Source;
use crate::kernels::{MeanFiles, Means, Numbering};
use crate::ladder::{Ask, Cost, Known, Rung, Worth};
use crate::means::KnownMeans;
use outplay_core::{AnyPosition, Game, Watch};
use outplay_search::{DiceMethod, Limits};
use outplay_solve::SolveError;
use std::sync::Arc;
use std::time::Duration;

/// Means closer than this are equally good: they were settled to fewer digits than they have.
pub(crate) const EQUAL: f64 = 1e-11;

/// Positions of the largest game that is solved whole on the way to an answer.
const WHOLE: u64 = 3_000_000;

/// Positions that are explored of a game known to be larger: only its endings are worth it.
const ENDING: u64 = WHOLE / 10;

/// Means by whatever way there is time for.
pub(super) struct Settled;

impl Rung for Settled {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        match ask.entry.game().has_dice() {
            true => Cost::Open { likely: own_index(ask).is_none_or(|index| is_small(ask, &*index)) },
            false => Cost::Never,
        }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let worth = match own_index(ask) {
            Some(index) if is_small(ask, &*index) => whole(ask, index)?,
            Some(_) => follow(ask, ask.pos, ENDING)?,
            None => explore(ask)?,
        };
        let worth = match worth {
            Some(worth) => Some(worth),
            None => look_ahead(ask)?.map(Worth::Mean),
        };
        Ok(worth.map(|worth| Known::new(worth, Source::Search)))
    }
}

/// The index that came along with the game.
fn own_index(ask: &Ask<'_>) -> Option<Arc<dyn Means>> {
    match ask.entry.index()? {
        Numbering::Means(index) => Some(index),
        _ => None,
    }
}

/// Whether a game is solved whole on the way to an answer.
fn is_small(ask: &Ask<'_>, index: &dyn Means) -> bool {
    let most = ask.entry.most_explored(ask.options.memory).min(WHOLE);
    index.numbers().total() <= most.into()
}

/// Explores the game or, if that is too much, what follows from the position.
fn explore(ask: &Ask<'_>) -> Result<Option<Worth>, Trouble> {
    for from in ask.entry.game().start().iter().chain([ask.pos]) {
        if let Some(worth) = follow(ask, from, WHOLE)? {
            return Ok(Some(worth));
        }
    }
    Ok(None)
}

/// Explores what follows from a position, at most so many positions, and finds the means of all of it; `None` if that
/// is too much or does not help.
fn follow(ask: &Ask<'_>, from: &AnyPosition, most: u64) -> Result<Option<Worth>, Trouble> {
    if ask.clock.stopped() {
        return Ok(None);
    }
    ask.clock.stage("exploring", 0);
    let most = ask.entry.most_explored(ask.options.memory).min(most);
    let quiet = ask.clock.within(Duration::MAX).silent();
    match ask.entry.kernels().explore(from, most, &quiet) {
        Ok(Numbering::Means(index)) => whole(ask, index),
        Ok(_) | Err(SolveError::TooLarge(_)) => Ok(None),
        Err(error) => ask.unless_late(Err(error.into())),
    }
}

/// Finds the means of all numbers of an index and keeps them; `None` if time does not allow it.
fn whole(ask: &Ask<'_>, index: Arc<dyn Means>) -> Result<Option<Worth>, Trouble> {
    let quiet = ask.clock.within(Duration::MAX).silent();
    let Some(expected) = ask.unless_late(index.solve(&mut MeanFiles { writer: None, crew: None }, &quiet))?
    else {
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
