//! Value iteration (Shapley 1953) for games with cycles: synchronous sweeps over all positions until the fixed point.
//!
//! Every unfinished position starts as a draw. A sweep assigns each position the best of its successors' values from
//! the previous sweep; after sweep n, exactly the wins and losses within n plies are known. The solver is for
//! teaching and serves as an independent check: it uses no predecessors, counters or levels, and needs as many sweeps
//! as the longest win has plies.

use crate::SolveError;
use crate::blocks::{for_parts, list};
use crate::error::check_fault;
use crate::lawful::{check_start, check_tier};
use outplay_core::index_laws::Gaps;
use outplay_core::{Code, Game, Index, Tier, Turn, Value};
use outplay_runtime::Monitor;
use std::sync::Mutex;

/// Result of value iteration: the values at the fixed point, with statistics of the sweeps.
pub struct Stable {
    tiers: Vec<Vec<i32>>,
    ends: Vec<Vec<u8>>,
    sweeps: u64,
    changes: Vec<u64>,
}

impl Stable {
    /// The value of a numbered position, `None` for a hole.
    pub fn value(&self, tier: Tier, number: u64) -> Option<Value> {
        let value = self.tiers[tier.0 as usize][number as usize].unpack()?;
        let repeats = value.payoff() == 0 && self.ends[tier.0 as usize][number as usize] == 0;
        Some(if repeats { Value::REPETITION } else { value })
    }

    /// Number of sweeps, summed over the tiers.
    pub fn sweeps(&self) -> u64 {
        self.sweeps
    }

    /// Number of values that the first sweep changed, the second, and so on, over all tiers; the last one changed
    /// none.
    pub fn changes(&self) -> &[u64] {
        &self.changes
    }

    /// Records how many values a sweep changed.
    fn swept(&mut self, number: usize, changed: u64) {
        self.sweeps += 1;
        if self.changes.len() <= number {
            self.changes.resize(number + 1, 0);
        }
        self.changes[number] += changed;
    }
}

/// The player to move can force an end of a draw.
const MOVER: u8 = 1;
/// The opponent can force an end of a draw.
const OPPONENT: u8 = 2;

/// Solves every position of an index by value iteration.
///
/// # Errors
///
/// Chance, values too large, a fault of the rules, or cancellation.
pub fn sweep_until_stable<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    monitor: &dyn Monitor,
) -> Result<Stable, SolveError> {
    check_start(game, index, Gaps::Detours)?;
    let count = index.tiers() as usize;
    let mut stable = Stable {
        tiers: vec![Vec::new(); count],
        ends: vec![Vec::new(); count],
        sweeps: 0,
        changes: Vec::new(),
    };
    for t in (0..count).rev() {
        let tier = Tier(t as u32);
        check_tier(game, index, tier, Gaps::Detours, &|_| true, monitor)?;
        let mut start: Vec<(i32, u8)> = list(index.len(tier), monitor, |_| (0, 0))?;
        let trouble = Mutex::new(None);
        for_parts(&mut start, monitor, |from, part| {
            for (slot, n) in part.iter_mut().zip(from..) {
                match first_code(game, index, tier, n) {
                    Ok(first) => *slot = first,
                    Err(error) => {
                        // A poisoned lock means that another block panicked, and that panic is already propagating.
                        if let Ok(mut trouble) = trouble.lock() {
                            *trouble = Some(error);
                        }
                    }
                }
            }
        })?;
        if let Ok(Some(error)) = trouble.into_inner() {
            return Err(error);
        }
        let (mut codes, mut ends): (Vec<i32>, Vec<u8>) = start.into_iter().unzip();
        let finished: Vec<bool> =
            codes.iter().zip(&ends).map(|(&code, &end)| code != 0 || end != 0).collect();
        for number in 0.. {
            let mut next = codes.clone();
            for_parts(&mut next, monitor, |from, part| {
                for (code, n) in part.iter_mut().zip(from..).filter(|(_, n)| !finished[*n as usize]) {
                    // Holes are not evaluated.
                    if let Some(pos) = index.unrank(tier, n) {
                        let sweep = Sweep { game, index, tier, codes: &codes, ends: &[], solved: &stable };
                        *code = sweep.best(&pos);
                    }
                }
            })?;
            let changed = next.iter().zip(&codes).filter(|(next, code)| next != code).count() as u64;
            stable.swept(number, changed);
            if changed == 0 {
                break;
            }
            codes = next;
        }
        loop {
            let mut next = ends.clone();
            for_parts(&mut next, monitor, |from, part| {
                let drawn = |n: &u64| !finished[*n as usize] && codes[*n as usize] == 0;
                for (end, n) in part.iter_mut().zip(from..).filter(|(_, n)| drawn(n)) {
                    if let Some(pos) = index.unrank(tier, n) {
                        let sweep = Sweep { game, index, tier, codes: &codes, ends: &ends, solved: &stable };
                        *end = sweep.end(&pos);
                    }
                }
            })?;
            stable.sweeps += 1;
            if next == ends {
                break;
            }
            ends = next;
        }
        check_fault(game)?;
        stable.tiers[t] = codes;
        stable.ends[t] = ends;
    }
    Ok(stable)
}

/// The initial code: the payoff of a finished position, no value for a hole, a draw otherwise.
fn first_code<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    number: u64,
) -> Result<(i32, u8), SolveError> {
    let Some(pos) = index.unrank(tier, number) else { return Ok((i32::UNKNOWN, 0)) };
    let turn = game.turn(&pos);
    match game.outcome(&pos) {
        None if turn == Turn::Chance => Err(SolveError::Chance("sweep-until-stable")),
        None => Ok((0, 0)),
        Some(0) => Ok((0, MOVER | OPPONENT)),
        Some(payoff) => {
            let code = i32::pack(Value::new(turn.sees(payoff), 0)).ok_or(SolveError::Overflow)?;
            Ok((code, 0))
        }
    }
}

/// The values of the previous sweep and of later tiers.
struct Sweep<'a, G, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    codes: &'a [i32],
    ends: &'a [u8],
    solved: &'a Stable,
}

impl<G: Game, I: Index<G>> Sweep<'_, G, I> {
    /// The successors of a position, each with whether the same player moves again.
    fn ahead(&self, pos: &G::Position) -> Vec<(G::Position, bool)> {
        let (mut moves, turn) = (Vec::new(), self.game.turn(pos));
        self.game.moves(pos, &mut moves);
        let mut ahead = Vec::with_capacity(moves.len());
        for next in moves.iter().map(|&mv| self.game.play(pos, mv)) {
            let same_player = self.game.turn(&next) == turn;
            ahead.push((next, same_player));
        }
        ahead
    }

    /// The best of a position's moves.
    fn best(&self, pos: &G::Position) -> i32 {
        let code = |(next, same_player): &(G::Position, bool)| self.code(next).before(*same_player);
        // Only a finished position has no move, and finished positions are not evaluated.
        self.ahead(pos).iter().map(code).max().unwrap_or(0)
    }

    /// The code of a position; without a number, the best of its moves, whose targets have numbers.
    fn code(&self, pos: &G::Position) -> i32 {
        let Some((tier, number)) = self.index.find(pos) else { return self.best(pos) };
        let codes = if tier == self.tier { self.codes } else { &self.solved.tiers[tier.0 as usize] };
        codes[number as usize]
    }

    /// Which players can force an end of a draw, from its moves.
    fn end(&self, pos: &G::Position) -> u8 {
        let ahead = self.ahead(pos);
        let look = |(next, same_player): &(G::Position, bool)| {
            let end = || match self.index.find(next) {
                Some((tier, number)) => {
                    let ends = if tier == self.tier { self.ends } else { &self.solved.ends[tier.0 as usize] };
                    ends[number as usize]
                }
                None => self.end(next),
            };
            match (self.code(next), same_player) {
                (0, true) => end(),
                (0, false) => {
                    let end = end();
                    ((end & MOVER) * OPPONENT) | ((end & OPPONENT) / OPPONENT)
                }
                _ => OPPONENT,
            }
        };
        let any = ahead.iter().any(|next| look(next) & MOVER != 0);
        let all = ahead.iter().all(|next| look(next) & OPPONENT != 0);
        (u8::from(any) * MOVER) | (u8::from(all) * OPPONENT)
    }
}
