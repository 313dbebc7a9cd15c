//! Bottom-up dynamic programming: from the last tier of an index to the first, no recursion, no hash map.
//!
//! A position's successors lie in later tiers, so their values are known when it is looked at. A tier is
//! split into blocks; threads write blocks of this tier and read later ones, so they never meet.

use crate::reach::BLOCK;
use crate::{Reach, SolveError, Tally, TierTally};
use outplay_core::{Code, Game, Index, Tier, Turn, Value, Watch};
use rayon::prelude::*;
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

    /// How many positions have which value.
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
        let mut codes = vec![C::UNKNOWN; index.len(tier) as usize];
        let sum = Mutex::new(Ok(TierTally::default()));
        let work = |(i, block): (usize, &mut [C])| {
            if watch.stopped() {
                return;
            }
            let from = i as u64 * BLOCK;
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
        };
        if codes.len() as u64 <= BLOCK {
            codes.chunks_mut(BLOCK as usize).enumerate().for_each(work);
        } else {
            codes.par_chunks_mut(BLOCK as usize).enumerate().for_each(work);
        }
        if watch.stopped() {
            return Err(SolveError::Stopped);
        }
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
        let mut moves = Vec::new();
        let mut counts = Counts::default();
        let mut trouble = None;
        self.index.walk(tier, from..from + block.len() as u64, &mut |number, pos| {
            if self.only.is_some_and(|reach| !reach.has(tier, number)) {
                return;
            }
            let turn = self.game.turn(pos);
            moves.clear();
            self.game.moves(pos, &mut moves);
            let code = if moves.is_empty() {
                self.game.outcome(pos).and_then(|payoff| C::pack(Value::new(turn.sees(payoff), 0)))
            } else if turn == Turn::Chance {
                trouble = Some(SolveError::Chance("sweep"));
                None
            } else {
                moves.iter().map(|&mv| self.move_code(pos, turn, mv)).max()
            };
            match code {
                None => trouble = trouble.take().or(Some(SolveError::Overflow)),
                Some(code) => {
                    block[(number - from) as usize] = code;
                    counts.add(turn, code, self.index.orbit(tier, number), moves.is_empty());
                }
            }
        });
        match trouble {
            Some(error) => Err(error),
            None => Ok(counts.finish()),
        }
    }

    /// The code of a move, from the code of the position that it leads to.
    #[inline]
    fn move_code(&self, pos: &G::Position, turn: Turn, mv: G::Move) -> C {
        let next = self.game.play(pos, mv);
        let (tier, number) = self.index.rank(&next);
        self.solved[tier.0 as usize][number as usize].before(self.game.turn(&next) == turn)
    }
}

/// Counts codes cheaply: runs of the same code are added up before they go to the map.
struct Counts<C> {
    last: Option<(Turn, C, bool)>,
    run: u64,
    counts: FxHashMap<(bool, C, bool), u64>,
}

impl<C> Default for Counts<C> {
    fn default() -> Self {
        Counts { last: None, run: 0, counts: FxHashMap::default() }
    }
}

impl<C: Code> Counts<C> {
    #[inline]
    fn add(&mut self, turn: Turn, code: C, orbit: u32, finished: bool) {
        let key = Some((turn, code, finished));
        if key != self.last {
            self.flush();
            self.last = key;
        }
        self.run += u64::from(orbit);
    }

    fn flush(&mut self) {
        if let Some((turn, code, finished)) = self.last {
            *self.counts.entry((turn == Turn::Second, code, finished)).or_default() += self.run;
        }
        self.run = 0;
    }

    fn finish(mut self) -> TierTally {
        self.flush();
        let mut tally = TierTally::default();
        for ((second, code, finished), count) in self.counts {
            if let Some(value) = code.unpack() {
                tally.add(if second { Turn::Second } else { Turn::First }, value, count, finished);
            }
        }
        tally
    }
}
