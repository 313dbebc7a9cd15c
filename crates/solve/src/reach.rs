//! Which numbers of an index stand for positions that play can reach: one bit each, tier after tier forwards.

use crate::SolveError;
use crate::blocks::{for_blocks, list};
use outplay_core::{Game, Index, Tier, Watch};
use std::sync::atomic::{AtomicU64, Ordering};

/// The reachable positions of every tier.
pub struct Reach {
    tiers: Vec<Vec<AtomicU64>>,
    counts: Vec<u64>,
}

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
    let words = |t: u32| list(index.len(Tier(t)).div_ceil(64), watch, |_| AtomicU64::new(0));
    let tiers: Result<Vec<Vec<AtomicU64>>, SolveError> = (0..index.tiers()).map(words).collect();
    let mut reach = Reach { tiers: tiers?, counts: vec![0; index.tiers() as usize] };
    let (tier, number) = index.rank(start);
    reach.mark(tier, number);
    for t in 0..index.tiers() {
        let tier = Tier(t);
        if index.loops(tier) {
            return Err(SolveError::Loops("reach"));
        }
        let (words, count) = (&reach.tiers[t as usize], AtomicU64::new(0));
        for_blocks(words.len() as u64, watch, |piece| {
            let words = &words[piece.start as usize..piece.end as usize];
            let ones = words.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum();
            count.fetch_add(ones, Ordering::Relaxed);
        })?;
        let count = count.into_inner();
        reach.counts[t as usize] = count;
        if count > 0 {
            for_blocks(index.len(tier), watch, |block| {
                let units = block.end - block.start;
                index.walk_steps(game, tier, block, &|number| reach.has(tier, number), &mut |_, _, steps| {
                    for step in steps {
                        reach.mark(step.tier, step.number);
                    }
                });
                watch.advance(units);
            })?;
        }
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why));
        }
    }
    Ok(reach)
}
