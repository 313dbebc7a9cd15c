//! Value source `value_iteration` (see `ladder`): mean payoffs of a game with chance, computed for the whole game or
//! for a subgame, or by Star2 search (Ballard 1983).

use super::solved::SolvedSubgame;
use crate::kernels::{MeanFiles, Means};
use crate::means::KnownMeans;
use crate::{Cost, Numbering, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource};
use outplay_core::{AnyPosition, Game};
use outplay_runtime::Monitor;
use outplay_search::{DiceMethod, SearchLimits};
use outplay_solve::SolveError;
use std::sync::Arc;

/// Means closer than this count as equal: value iteration converged to fewer digits than they have.
pub(crate) const EQUAL: f64 = 1e-11;

/// Positions of the largest game that is solved as a whole to answer a query.
const WHOLE: u64 = 3_000_000;

/// Limit on explored positions for a larger game: only endgames are worth it.
const ENDING: u64 = WHOLE / 10;

/// Mean payoffs by the first way that fits in the time limit.
pub(super) struct ValueIterationSource;

impl ValueSource for ValueIterationSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        if !ask.handle.game().has_dice() {
            return Cost::Never;
        }
        let small = own_index(ask).map(|index| is_small(ask, &*index));
        Cost::Open { likely: small.unwrap_or_else(|| may_be_small(ask)) }
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let found = match own_index(ask) {
            Some(index) if is_small(ask, &*index) => whole(ask, index)?,
            Some(_) => follow(ask, ask.pos, ENDING)?,
            None => explore(ask)?,
        };
        if found.is_some() {
            return Ok(found);
        }
        Ok(look_ahead(ask)?.map(|mean| SourceResult::new(ProvenValue::Mean(mean), Source::Search)))
    }
}

/// The index that the game was built with.
fn own_index(ask: &Question<'_>) -> Option<Arc<dyn Means>> {
    match ask.handle.index()? {
        Numbering::Means(index) => Some(index),
        _ => None,
    }
}

/// Whether a game is small enough to be solved as a whole.
fn is_small(ask: &Question<'_>, index: &dyn Means) -> bool {
    let most = ask.handle.most_explored(ask.session.memory).min(WHOLE);
    index.numbers().total() <= most.into()
}

/// Whether a game without an index may be small enough: its rules give no larger bound on its positions.
fn may_be_small(ask: &Question<'_>) -> bool {
    ask.handle.game().most_positions().is_none_or(|positions| positions <= WHOLE as f64)
}

/// Explores the game or, if that is too large, the subgame of the position.
fn explore(ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
    let whole = ask.handle.game().start().filter(|_| may_be_small(ask));
    for from in whole.iter().chain([ask.pos]) {
        if let Some(found) = follow(ask, from, WHOLE)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Explores at most `most` positions from a position on and finds all of their means; `None` if that is too large or
/// does not help.
fn follow(ask: &Question<'_>, from: &AnyPosition, most: u64) -> Result<Option<SourceResult>, Trouble> {
    if ask.clock.stopped() {
        return Ok(None);
    }
    ask.clock.stage("exploring the positions", 0);
    let most = ask.handle.most_explored(ask.session.memory).min(most);
    match ask.handle.kernels().explore(from, most, &ask.quiet()) {
        Ok(Numbering::Means(index)) => whole(ask, index),
        Ok(_) | Err(SolveError::TooLarge(_)) => Ok(None),
        Err(error) => ask.unless_late(Err(error.into())),
    }
}

/// Finds the means of all numbers of an index and keeps them; `None` if the time limit does not allow it.
fn whole(ask: &Question<'_>, index: Arc<dyn Means>) -> Result<Option<SourceResult>, Trouble> {
    let expected = index.solve(&mut MeanFiles { writer: None, crew: None }, &ask.quiet());
    let Some(expected) = ask.unless_late(expected)? else { return Ok(None) };
    ask.keep(SolvedSubgame::Means(KnownMeans::in_memory(index, expected)))
}

/// Star2 (Ballard 1983) with iterative deepening until the mean is exact or time is up.
fn look_ahead(ask: &Question<'_>) -> Result<Option<f64>, Trouble> {
    for depth in 1..=outplay_search::MOST_PLIES {
        let limits = SearchLimits { time: ask.clock.rest(), ..SearchLimits::depth(depth) };
        let Some(report) = ask.handle.kernels().expect(ask.pos, DiceMethod::Star2, limits, ask.clock) else {
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
