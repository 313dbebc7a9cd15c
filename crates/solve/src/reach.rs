//! Forward reachability over an acyclic index: one bit per rank, tier by tier.

use crate::SolveError;
use crate::blocks::{for_blocks, list};
use crate::error::check_fault;
use crate::lawful::{check_tier, no_value, place_of};
use outplay_core::index_laws::{Gaps, IndexLaws};
use outplay_core::{Game, Index, Link, Tier};
use outplay_runtime::{Monitor, Pace};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bit sets of the reachable positions, tier by tier.
pub struct Reach {
    tiers: Vec<Vec<AtomicU64>>,
    counts: Vec<u64>,
}

impl Reach {
    /// Whether the position with a number is reachable.
    #[inline]
    pub fn has(&self, tier: Tier, number: u64) -> bool {
        // All marks of a tier are set before it is read, and rayon's join orders the two.
        self.tiers[tier.0 as usize][(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    /// Number of reachable numbers of a tier.
    pub fn count(&self, tier: Tier) -> u64 {
        self.counts[tier.0 as usize]
    }

    /// Marks a number; returns whether the index has it.
    #[inline]
    fn mark(&self, tier: Tier, number: u64) -> bool {
        let word = self.tiers.get(tier.0 as usize).and_then(|words| words.get((number / 64) as usize));
        let Some(word) = word else { return false };
        let bit = 1 << (number % 64);
        // Most positions are reached many times: testing first avoids the atomic read-modify-write.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        true
    }

    /// Counts the marks of a tier.
    fn recount(&mut self, tier: Tier, monitor: &dyn Monitor) -> Result<u64, SolveError> {
        let (words, count) = (&self.tiers[tier.0 as usize], AtomicU64::new(0));
        for_blocks(words.len() as u64, monitor, |piece| {
            let words = &words[piece.start as usize..piece.end as usize];
            let ones = words.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum();
            count.fetch_add(ones, Ordering::Relaxed);
        })?;
        self.counts[tier.0 as usize] = count.into_inner();
        Ok(self.counts[tier.0 as usize])
    }

    /// Marks the targets of a position's moves; an error if one precedes the position or is out of range.
    fn mark_steps<P: std::fmt::Debug>(
        &self,
        (tier, number): (Tier, u64),
        pos: &P,
        steps: &[Link],
    ) -> Result<(), SolveError> {
        for step in steps {
            let later = (step.tier, step.number) > (tier, number);
            if !later || !self.mark(step.tier, step.number) {
                return Err(no_value(pos, step.tier, step.number));
            }
        }
        Ok(())
    }
}

/// Finds the positions that are reachable from `start`.
///
/// # Errors
///
/// Cycles, an index that breaks a law, a fault of the rules, or cancellation.
pub fn reach<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    start: &G::Position,
    monitor: &dyn Monitor,
) -> Result<Reach, SolveError> {
    let words = |t: u32| list(index.len(Tier(t)).div_ceil(64), monitor, |_| AtomicU64::new(0));
    let tiers: Result<Vec<Vec<AtomicU64>>, SolveError> = (0..index.tiers()).map(words).collect();
    let mut reach = Reach { tiers: tiers?, counts: vec![0; index.tiers() as usize] };
    let (tier, number) = place_of(game, index, start)?;
    reach.mark(tier, number);
    for t in 0..index.tiers() {
        let tier = Tier(t);
        if index.loops(tier) {
            return Err(SolveError::Loops("reach"));
        }
        if reach.recount(tier, monitor)? == 0 {
            continue;
        }
        let stays = check_tier(game, index, tier, Gaps::None, &|number| reach.has(tier, number), monitor)?;
        if stays {
            reach_within(game, index, &mut reach, tier, monitor)?;
            continue;
        }
        let trouble = Mutex::new(None);
        for_blocks(index.len(tier), monitor, |block| {
            let units = block.end - block.start;
            index.walk_steps(
                game,
                tier,
                block,
                &|number| reach.has(tier, number),
                &mut |number, pos, steps| {
                    if let Err(error) = reach.mark_steps((tier, number), pos, steps)
                        && let Ok(mut trouble) = trouble.lock()
                    {
                        *trouble = Some(error);
                    }
                },
            );
            monitor.advance(units);
        })?;
        check_fault(game)?;
        if let Ok(Some(error)) = trouble.into_inner() {
            return Err(error);
        }
    }
    Ok(reach)
}

/// Propagates within a tier whose moves lead to larger numbers: one pass in increasing order suffices.
fn reach_within<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    reach: &mut Reach,
    tier: Tier,
    monitor: &dyn Monitor,
) -> Result<(), SolveError> {
    let (mut laws, mut trouble) = (IndexLaws::new(game, index, tier, Gaps::None), None);
    let mut steps = Vec::new();
    let stopped = Pace::pieces(monitor, 0..index.len(tier), &mut |piece| {
        monitor.advance(piece.end - piece.start);
        index.walk(tier, piece, &mut |number, pos| {
            if trouble.is_some() || !reach.has(tier, number) {
                return;
            }
            let checked = laws.check(number, pos).map_err(SolveError::from);
            trouble = checked
                .and_then(|()| {
                    steps.clear();
                    index.links(game, pos, &mut steps);
                    reach.mark_steps((tier, number), pos, &steps)
                })
                .err();
        });
    });
    check_fault(game)?;
    match trouble {
        Some(error) => Err(error),
        None if stopped => Err(SolveError::Stopped),
        None => reach.recount(tier, monitor).map(|_| ()),
    }
}
