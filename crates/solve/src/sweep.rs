//! Bottom-up dynamic programming: from the last tier of an index to the first, no recursion, no hash map.
//!
//! A position's successors lie in later tiers, so their values are known when it is looked at. A tier is
//! split into blocks; threads write blocks of this tier and read later ones, so they never meet.

use crate::blocks::{for_parts, list};
use crate::{Reach, SolveError, Tally, TierTally};
use outplay_core::{Code, Game, Index, Link, Tier, Turn, Value, Watch};
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// The values of all tiers, and how many positions have which.
pub struct Swept<C> {
    tiers: Vec<Vec<C>>,
    tally: Tally,
}

impl<C: Code> Swept<C> {
    /// The value of a numbered position; `None` for holes and, if only reachable positions were solved,
    /// for others.
    pub fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        self.tiers[tier.0 as usize][number as usize].unpack()
    }

    /// The codes of one tier, by number.
    pub fn codes(&self, tier: Tier) -> &[C] {
        &self.tiers[tier.0 as usize]
    }

    /// How many positions have which value; empty if every number was solved, reachable or not.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

/// Solves every position of an index, or only the reachable ones if `only` says which they are.
///
/// # Errors
///
/// Chance, loops, values too large for the code, a fault of the rules, or a stop.
pub fn sweep<G: Game, I: Index<G>, C: Code>(
    game: &G,
    index: &I,
    only: Option<&Reach>,
    watch: &dyn Watch,
) -> Result<Swept<C>, SolveError> {
    let mut tiers: Vec<Vec<C>> = (0..index.tiers()).map(|_| Vec::new()).collect();
    let mut tally = Tally::new(index.tiers(), index.merged());
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        if index.loops(tier) {
            return Err(SolveError::Loops("sweep"));
        }
        let mut codes = list(index.len(tier), watch, |_| C::UNKNOWN)?;
        let sum = Mutex::new(Ok(TierTally::default()));
        for_parts(&mut codes, watch, |from, block| {
            let result = Sweeper { game, index, only, solved: &tiers }.block(tier, from, block);
            watch.advance(block.len() as u64);
            // A poisoned lock means that another block panicked, and that panic is on its way up.
            if let Ok(mut sum) = sum.lock() {
                match (&mut *sum, result) {
                    (Ok(sum), Ok(tally)) => sum.merge(tally),
                    (sum, Err(error)) => *sum = Err(error),
                    (Err(_), _) => {}
                }
            }
        })?;
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why));
        }
        tally.tiers[t as usize] = sum.into_inner().unwrap_or(Err(SolveError::Stopped))?;
        tiers[t as usize] = codes;
    }
    Ok(Swept { tiers, tally })
}

struct Sweeper<'a, G, I, C> {
    game: &'a G,
    index: &'a I,
    only: Option<&'a Reach>,
    solved: &'a [Vec<C>],
}

impl<G: Game, I: Index<G>, C: Code> Sweeper<'_, G, I, C> {
    /// Solves the numbers from `from` on and counts them.
    fn block(&self, tier: Tier, from: u64, block: &mut [C]) -> Result<TierTally, SolveError> {
        // Counting is for positions that occur in play; the bare DP over all numbers does without.
        let mut counts = self.only.map(|_| Counts::default());
        let mut trouble = None;
        let wanted = |number| self.only.is_none_or(|reach| reach.has(tier, number));
        let range = from..from + block.len() as u64;
        self.index.walk_steps(self.game, tier, range, &wanted, &mut |number, pos, steps| {
            let turn = self.game.turn(pos);
            let code = if steps.is_empty() {
                self.game.outcome(pos).and_then(|payoff| C::pack(Value::new(turn.sees(payoff), 0)))
            } else if turn == Turn::Chance {
                trouble = Some(SolveError::Chance("sweep"));
                None
            } else {
                Some(self.best(steps))
            };
            match code {
                None => trouble = trouble.take().or(Some(SolveError::Overflow)),
                Some(code) => {
                    block[(number - from) as usize] = code;
                    if let Some(counts) = &mut counts {
                        counts.add(turn, code, self.index.orbit(tier, number), steps.is_empty());
                    }
                }
            }
        });
        match trouble {
            Some(error) => Err(error),
            None => Ok(counts.map(|counts| counts.finish(|byte| (byte as i8).unpack())).unwrap_or_default()),
        }
    }
}

impl<G: Game, I: Index<G>, C: Code> Sweeper<'_, G, I, C> {
    /// The code of the best of several steps.
    #[inline]
    fn best(&self, steps: &[Link]) -> C {
        // `before` keeps the order of codes, or turns it round when the players change: comparing first and
        // converting the winner saves a conversion per step.
        let (mut mine, mut theirs) = (None, None);
        for step in steps {
            let code = self.solved[step.tier.0 as usize][step.number as usize];
            if step.same_player {
                mine = mine.max(Some(code));
            } else {
                theirs = Some(theirs.map_or(code, |least: C| least.min(code)));
            }
        }
        let (mine, theirs) = (mine.map(|code| code.before(true)), theirs.map(|code| code.before(false)));
        mine.max(theirs).unwrap_or(C::UNKNOWN)
    }
}

/// Counts codes: by table where they are bytes, by hash map otherwise.
struct Counts<C> {
    bytes: Vec<u64>,
    others: FxHashMap<(bool, bool, C), u64>,
}

impl<C> Default for Counts<C> {
    fn default() -> Self {
        Counts { bytes: vec![0; 4 * 256], others: FxHashMap::default() }
    }
}

impl<C: Code> Counts<C> {
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
