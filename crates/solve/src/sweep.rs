//! Backward induction (bottom-up dynamic programming): from the last tier of an index to the first.
//!
//! A position's successors lie in later tiers, so their values are known when it is visited; there is no recursion and
//! no hash map. A tier is split into blocks. Threads write blocks of this tier and read only later tiers, so no
//! synchronization is needed. Where moves may also lead to a larger rank within the same tier, one thread solves that
//! tier from its last rank to its first.

use crate::blocks::{for_parts, list};
use crate::error::{check_fault, check_stop};
use crate::lawful::{check_start, check_tier, no_value};
use crate::{Reach, SolveError, Tally, TierTally};
use outplay_core::index_laws::Gaps;
use outplay_core::{Code, Game, Index, Link, Tier, Turn, Value};
use outplay_runtime::{Monitor, Pace};
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// Result of a backward induction: the values of all tiers, with counts of positions by value.
pub struct SweepValues<C> {
    tiers: Vec<Vec<C>>,
    tally: Tally,
}

impl<C: Code> SweepValues<C> {
    /// The value of a numbered position; `None` for holes and, if only reachable positions were solved, for
    /// unreachable ones.
    pub fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        self.tiers.get(tier.0 as usize)?.get(number as usize)?.unpack()
    }

    /// The codes of one tier, by number.
    pub fn codes(&self, tier: Tier) -> &[C] {
        &self.tiers[tier.0 as usize]
    }

    /// CodeHistogram of positions by value; empty if every number was solved, reachable or not.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

/// Solves every position of an index, or only the reachable ones if `only` is given.
///
/// # Errors
///
/// Chance, cycles, an index that breaks a law, values too large for the code, a fault of the rules, or cancellation.
pub fn sweep<G: Game, I: Index<G>, C: Code>(
    game: &G,
    index: &I,
    only: Option<&Reach>,
    monitor: &dyn Monitor,
) -> Result<SweepValues<C>, SolveError> {
    check_start(game, index, Gaps::None)?;
    let mut tiers: Vec<Vec<C>> = (0..index.tiers()).map(|_| Vec::new()).collect();
    let mut tally = Tally::new(index.tiers(), index.merged());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        if index.loops(tier) {
            return Err(SolveError::Loops("sweep"));
        }
        if only.is_none() {
            // Reachable numbers were validated by `reach`.
            check_tier(game, index, tier, Gaps::None, &|_| true, monitor)?;
        }
        let mut codes = list(index.len(tier), monitor, |_| C::UNKNOWN)?;
        let sum: Mutex<Result<TierTally, BlockError>> = Mutex::new(Ok(TierTally::default()));
        for_parts(&mut codes, monitor, |from, block| {
            let sweeper = Sweeper { game, index, only, solved: &tiers, own: None };
            let result = sweeper.block(tier, from, block);
            monitor.advance(block.len() as u64);
            // A poisoned lock means that another block panicked, and that panic is already propagating.
            if let Ok(mut sum) = sum.lock() {
                match (&mut *sum, result) {
                    (Ok(sum), Ok(tally)) => sum.merge(tally),
                    (sum @ (Ok(_) | Err(BlockError::Stays)), Err(error)) => *sum = Err(error),
                    (Err(_), _) => {}
                }
            }
        })?;
        check_fault(game)?;
        tally.tiers[t as usize] = match sum.into_inner().map_err(|_| SolveError::Stopped)? {
            Ok(tally) => tally,
            Err(BlockError::Other(error)) => return Err(error),
            Err(BlockError::Stays) => {
                let sweeper = Sweeper { game, index, only, solved: &tiers, own: None };
                sweeper.in_order(tier, &mut codes, monitor)?
            }
        };
        tiers[t as usize] = codes;
    }
    Ok(SweepValues { tiers, tally })
}

/// Why a block could not be solved in parallel.
enum BlockError {
    /// A move stays in the tier, so its numbers have to be solved in order.
    Stays,
    Other(SolveError),
}

struct Sweeper<'a, G, I, C> {
    game: &'a G,
    index: &'a I,
    only: Option<&'a Reach>,
    solved: &'a [Vec<C>],
    /// The tier being solved, its first solved number, and the codes from there on.
    own: Option<(Tier, u64, &'a [C])>,
}

impl<G: Game, I: Index<G>, C: Code> Sweeper<'_, G, I, C> {
    /// Solves the numbers from `from` on and counts them.
    fn block(&self, tier: Tier, from: u64, block: &mut [C]) -> Result<TierTally, BlockError> {
        // Only reachable positions are counted; the pass over all numbers does not count.
        let mut counts = self.only.map(|_| CodeHistogram::default());
        self.solve(tier, from, block, counts.as_mut())?;
        Ok(counts.map(CodeHistogram::tally).unwrap_or_default())
    }

    /// Solves a tier in which moves lead to larger numbers, from its last number to its first.
    fn in_order(&self, tier: Tier, codes: &mut [C], monitor: &dyn Monitor) -> Result<TierTally, SolveError> {
        let mut counts = self.only.map(|_| CodeHistogram::default());
        let mut pace = Pace::new(monitor);
        for number in (0..codes.len()).rev() {
            check_stop(pace.step())?;
            let (open, solved) = codes.split_at_mut(number + 1);
            let from = number as u64;
            let sweeper = Sweeper { own: Some((tier, from + 1, &*solved)), ..*self };
            match sweeper.solve(tier, from, &mut open[number..], counts.as_mut()) {
                Ok(()) => {}
                Err(BlockError::Other(error)) => return Err(error),
                Err(BlockError::Stays) => return Err(SolveError::Loops("sweep")),
            }
        }
        match self.game.fault() {
            Some(why) => Err(SolveError::Fault(why)),
            None => Ok(counts.map(CodeHistogram::tally).unwrap_or_default()),
        }
    }

    fn solve(
        &self,
        tier: Tier,
        from: u64,
        block: &mut [C],
        mut counts: Option<&mut CodeHistogram<C>>,
    ) -> Result<(), BlockError> {
        let mut trouble = None;
        let wanted = |number| self.only.is_none_or(|reach| reach.has(tier, number));
        let range = from..from + block.len() as u64;
        self.index.walk_steps(self.game, tier, range, &wanted, &mut |number, pos, steps| {
            let turn = self.game.turn(pos);
            let code = if steps.is_empty() {
                let payoff = self.game.outcome(pos);
                let code = payoff.and_then(|payoff| C::pack(Value::new(turn.sees(payoff), 0)));
                code.ok_or(BlockError::Other(SolveError::Overflow))
            } else if turn == Turn::Chance {
                Err(BlockError::Other(SolveError::Chance("sweep")))
            } else {
                self.best(tier, pos, steps)
            };
            let slot = block.get_mut(number.wrapping_sub(from) as usize);
            match slot
                .map_or_else(|| Err(BlockError::Other(no_value(pos, tier, number))), |slot| Ok((slot, code?)))
            {
                Err(error) => trouble = trouble.take().or(Some(error)),
                Ok((slot, code)) => {
                    *slot = code;
                    if let Some(counts) = &mut counts {
                        counts.add(turn, code, self.index.orbit(tier, number), steps.is_empty());
                    }
                }
            }
        });
        trouble.map_or(Ok(()), Err)
    }
}

impl<G: Game, I: Index<G>, C: Code> Sweeper<'_, G, I, C> {
    /// The code of a number that is already solved.
    #[inline]
    fn at(&self, tier: Tier, number: u64) -> Option<C> {
        let code = match self.own {
            Some((own, first, codes)) if own == tier => codes.get(number.checked_sub(first)? as usize),
            _ => self.solved.get(tier.0 as usize)?.get(number as usize),
        };
        code.copied().filter(|&code| code != C::UNKNOWN)
    }

    /// The code of the best move.
    #[inline]
    fn best(&self, tier: Tier, pos: &G::Position, steps: &[Link]) -> Result<C, BlockError> {
        // A move preserves the order of codes, or reverses it when the players change: comparing first and converting
        // only the best saves one conversion per move.
        let (mut mine, mut theirs) = (None, None);
        for step in steps {
            let Some(code) = self.at(step.tier, step.number) else {
                let stays = step.tier == tier && self.own.is_none();
                let missing = || BlockError::Other(no_value(pos, step.tier, step.number));
                return Err(if stays { BlockError::Stays } else { missing() });
            };
            if step.same_player {
                mine = mine.max(Some(code));
            } else {
                theirs = Some(theirs.map_or(code, |least: C| least.min(code)));
            }
        }
        // Goes through the value, because a distance may be too large for the code.
        let one_more = |code: Option<C>, same_player| match code.and_then(Code::unpack) {
            None => Ok(None),
            Some(value) => C::pack(value.before(same_player)).ok_or(SolveError::Overflow).map(Some),
        };
        let best = one_more(mine, true).and_then(|mine| Ok(mine.max(one_more(theirs, false)?)));
        best.and_then(|best| best.ok_or(SolveError::Overflow)).map_err(BlockError::Other)
    }
}

/// Histogram of codes: an array for one-byte codes, a hash map otherwise.
struct CodeHistogram<C> {
    bytes: Vec<u64>,
    others: FxHashMap<(bool, bool, C), u64>,
}

impl<C> Default for CodeHistogram<C> {
    fn default() -> Self {
        CodeHistogram { bytes: vec![0; 4 * 256], others: FxHashMap::default() }
    }
}

impl<C: Code> CodeHistogram<C> {
    #[inline]
    fn add(&mut self, turn: Turn, code: C, orbit: u32, finished: bool) {
        let second = turn == Turn::Second;
        match code.byte() {
            Some(byte) => {
                let bucket = usize::from(second) << 9 | usize::from(finished) << 8 | usize::from(byte);
                self.bytes[bucket] += u64::from(orbit);
            }
            None => *self.others.entry((second, finished, code)).or_default() += u64::from(orbit),
        }
    }

    fn tally(self) -> TierTally {
        self.finish(|byte| (byte as i8).unpack())
    }

    fn finish(self, unbyte: impl Fn(u8) -> Option<Value>) -> TierTally {
        let mut tally = TierTally::default();
        let turn = |second: bool| if second { Turn::Second } else { Turn::First };
        for (bucket, &count) in self.bytes.iter().enumerate().filter(|(_, count)| **count > 0) {
            if let Some(value) = unbyte(bucket as u8) {
                tally.add(turn(bucket >> 9 & 1 == 1), value, count, bucket >> 8 & 1 == 1);
            }
        }
        for ((second, finished, code), count) in self.others {
            if let Some(value) = code.unpack() {
                tally.add(turn(second), value, count, finished);
            }
        }
        tally
    }
}
