//! Validation of an index that is not [`Index::trusted`], before a solver relies on it.
//!
//! A solver reads values by rank, so with an index that breaks a law it would read a wrong value, or none. The check is
//! exhaustive: it covers every position that the solver visits, with every move.

use crate::SolveError;
use crate::blocks::for_blocks;
use crate::error::check_fault;
use outplay_core::index_laws::{Gaps, IndexLaws};
use outplay_core::{Breach, Game, Index, Tier};
use outplay_runtime::Monitor;
use std::sync::Mutex;

/// Checks the laws for the `wanted` numbers of a tier and returns whether a move stays in the tier. Skips a trusted
/// index.
///
/// # Errors
///
/// The broken law of the smallest number, a fault of the rules, or cancellation.
pub(crate) fn check_tier<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    gaps: Gaps,
    wanted: &(dyn Fn(u64) -> bool + Sync),
    monitor: &dyn Monitor,
) -> Result<bool, SolveError> {
    if index.trusted() {
        return Ok(false);
    }
    IndexLaws::new(game, index, tier, gaps).check_after()?;
    let sum: Mutex<(bool, Option<(u64, Breach)>)> = Mutex::default();
    for_blocks(index.len(tier), monitor, |block| {
        let mut laws = IndexLaws::new(game, index, tier, gaps);
        let mut first: Option<(u64, Breach)> = None;
        let mut note = |number: u64, checked: Result<(), Breach>| {
            if let Err(breach) = checked
                && first.as_ref().is_none_or(|(known, _)| number < *known)
            {
                first = Some((number, breach));
            }
        };
        index.walk(tier, block.clone(), &mut |number, pos| {
            if block.contains(&number) && wanted(number) {
                note(number, laws.check(number, pos));
            }
        });
        if first.is_none() {
            first = check_links(game, index, &mut laws, block, wanted, tier, gaps);
        }
        // A poisoned lock means that another block panicked, and that panic is already propagating.
        if let Ok(mut sum) = sum.lock() {
            sum.0 |= laws.stays();
            let known = sum.1.take();
            sum.1 = [known, first].into_iter().flatten().min_by_key(|(number, _)| *number);
        }
    })?;
    check_fault(game)?;
    match sum.into_inner().map_err(|_| SolveError::Stopped)? {
        (_, Some((_, breach))) => Err(breach.into()),
        (stays, None) => Ok(stays),
    }
}

/// Checks the links that the index lists, through the same calls that the solver uses.
fn check_links<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    laws: &mut IndexLaws<'_, G, I>,
    block: std::ops::Range<u64>,
    wanted: &(dyn Fn(u64) -> bool + Sync),
    tier: Tier,
    gaps: Gaps,
) -> Option<(u64, Breach)> {
    let mut first = None;
    match gaps {
        Gaps::None => {
            index.walk_steps(game, tier, block, &|number| wanted(number), &mut |number, pos, steps| {
                if first.is_none() {
                    first = laws.check_links(number, pos, steps).err().map(|breach| (number, breach));
                }
            });
        }
        Gaps::Detours => {
            let mut links = Vec::new();
            index.walk(tier, block, &mut |number, pos| {
                links.clear();
                index.links(game, pos, &mut links);
                if first.is_none() {
                    first = laws.check_links(number, pos, &links).err().map(|breach| (number, breach));
                }
            });
        }
        Gaps::Rolls => {}
    }
    first
}

/// Checks the laws of all numbers of all tiers.
///
/// # Errors
///
/// As [`check_tier`].
pub(crate) fn check_all<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    gaps: Gaps,
    monitor: &dyn Monitor,
) -> Result<(), SolveError> {
    check_start(game, index, gaps)?;
    (0..index.tiers())
        .try_for_each(|t| check_tier(game, index, Tier(t), gaps, &|_| true, monitor).map(|_| ()))
}

/// Checks that the start position, if there is one, ranks to its own number.
///
/// # Errors
///
/// A broken law.
pub(crate) fn check_start<G: Game, I: Index<G>>(game: &G, index: &I, gaps: Gaps) -> Result<(), SolveError> {
    match game.start().filter(|_| !index.trusted()) {
        Some(start) => Ok(IndexLaws::check_start(game, index, &start, gaps)?),
        None => Ok(()),
    }
}

/// Tier and number of a position from which a solver starts.
///
/// # Errors
///
/// The index has no number for it, a number out of range, or the number of another position.
pub(crate) fn place_of<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    pos: &G::Position,
) -> Result<(Tier, u64), SolveError> {
    if !index.trusted() {
        IndexLaws::check_start(game, index, pos, Gaps::None)?;
    }
    let place = index.find(pos).filter(|&(tier, number)| tier.0 < index.tiers() && number < index.len(tier));
    place
        .ok_or_else(|| SolveError::Law(format!("{pos:?} has no index, or its tier or index is out of range")))
}

/// Error for a move to a number whose value is not known.
pub(crate) fn no_value(pos: &impl std::fmt::Debug, tier: Tier, number: u64) -> SolveError {
    SolveError::Law(format!("{pos:?} leads to index {number} of tier {}, which has no value yet", tier.0))
}
