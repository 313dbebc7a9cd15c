//! Which numbers of an index stand for positions that play can reach: one bit each, tier after tier forwards.

use crate::SolveError;
use outplay_core::{Game, Index, Tier, Watch};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The reachable positions of every tier.
pub struct Reach {
    tiers: Vec<Vec<AtomicU64>>,
    counts: Vec<u64>,
}

/// Numbers that one thread takes at a time; a multiple of the bits in a word.
pub(crate) const BLOCK: u64 = 1 << 15;

impl Reach {
    /// Whether play can reach the position with a number.
    #[inline]
    pub fn has(&self, tier: Tier, number: u64) -> bool {
        // A tier is complete before it is read, and rayon's join orders the two.
        self.tiers[tier.0 as usize][(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    /// How many numbers of a tier are reachable, each once.
    pub fn count(&self, tier: Tier) -> u64 {
        self.counts[tier.0 as usize]
    }

    #[inline]
    fn mark(&self, tier: Tier, number: u64) {
        let word = &self.tiers[tier.0 as usize][(number / 64) as usize];
        let bit = 1 << (number % 64);
        // Most positions are reached many times: looking first saves the locked instruction.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

/// Runs `work` on the blocks of a tier, on all threads if there is more than a block.
///
/// The work's type is hidden, here and wherever threads share work: each type of it would bring along a copy of the
/// machinery, for every game.
pub(crate) fn for_blocks(len: u64, work: impl Fn(std::ops::Range<u64>) + Send + Sync) {
    let work: &(dyn Fn(std::ops::Range<u64>) + Sync) = &work;
    let block = |i: u64| i * BLOCK..((i + 1) * BLOCK).min(len);
    let blocks = len.div_ceil(BLOCK);
    if blocks <= 1 {
        (0..blocks).map(block).for_each(work);
    } else {
        (0..blocks).into_par_iter().map(block).for_each(work);
    }
}

/// Work on the codes from a number on.
type Part<'a, C> = dyn Fn(u64, &mut [C]) + Sync + 'a;

/// Runs `work` on the blocks of a tier's codes, in the same way.
pub(crate) fn for_parts<C: Send>(codes: &mut [C], work: impl Fn(u64, &mut [C]) + Sync) {
    let work: &Part<'_, C> = &work;
    let part = |(i, codes): (usize, &mut [C])| work(i as u64 * BLOCK, codes);
    if codes.len() as u64 <= BLOCK {
        work(0, codes);
    } else {
        codes.par_chunks_mut(BLOCK as usize).enumerate().for_each(part);
    }
}

/// Finds what play from `start` can reach.
///
/// # Errors
///
/// Loops, a fault of the rules, or a stop.
pub fn reach<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    start: &G::Position,
    watch: &dyn Watch,
) -> Result<Reach, SolveError> {
    let words = |tier: u32| index.len(Tier(tier)).div_ceil(64);
    let tiers: Vec<Vec<AtomicU64>> =
        (0..index.tiers()).map(|t| (0..words(t)).map(|_| AtomicU64::new(0)).collect()).collect();
    let mut reach = Reach { tiers, counts: vec![0; index.tiers() as usize] };
    let (tier, number) = index.rank(start);
    reach.mark(tier, number);
    for t in 0..index.tiers() {
        let tier = Tier(t);
        if index.loops(tier) {
            return Err(SolveError::Loops("reach"));
        }
        let count: u64 = reach.tiers[t as usize]
            .iter()
            .map(|word| u64::from(word.load(Ordering::Relaxed).count_ones()))
            .sum();
        reach.counts[t as usize] = count;
        if count > 0 {
            for_blocks(index.len(tier), |block| {
                if watch.stopped() {
                    return;
                }
                let units = block.end - block.start;
                index.walk_steps(game, tier, block, &|number| reach.has(tier, number), &mut |_, _, steps| {
                    for step in steps {
                        reach.mark(step.tier, step.number);
                    }
                });
                watch.advance(units);
            });
        }
        if watch.stopped() {
            return Err(SolveError::Stopped);
        }
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why));
        }
    }
    Ok(reach)
}
