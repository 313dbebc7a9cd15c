//! Verification of stored values: each is derived again from its successors by the plain rules.
//!
//! A table is a certificate: if finished positions have the payoff that the rules give, and every other value is the
//! best of its successors' values, then all values are right, by induction from the end of the game. Values that a
//! table omits come from the rules: finished positions and wins in one ply. Of symmetric positions, only the canonical
//! one is stored.
//!
//! The check uses only `moves`, `play`, `outcome`, `symmetric` and the index's `rank` and `walk`, and no code of a
//! solver.

use crate::blocks::{for_blocks, for_parts, list};
use crate::error::check_fault;
use crate::lawful::{check_tier, no_value, place_of};
use crate::{Flaw, SolveError, Tally, TierTally, Verification};
use outplay_core::index_laws::Gaps;
use outplay_core::{Code, Game, Index, Tier, Turn, Value};
use outplay_runtime::Monitor;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The canonical number of a position: the smallest number of all its images. `images` is scratch space.
#[inline]
pub fn canonical<G: Game, I: Index<G> + ?Sized>(
    game: &G,
    index: &I,
    pos: &G::Position,
    images: &mut Vec<G::Position>,
) -> (Tier, u64) {
    images.clear();
    game.symmetric(pos, images);
    let ranks = images.iter().map(|image| index.rank(image));
    ranks.min().unwrap_or_else(|| index.rank(pos))
}

/// The value that the rules give at a depth of one ply: that of a finished position, or a win of the largest payoff
/// by the next move. Tables omit these.
#[inline]
pub fn settled<G: Game>(game: &G, pos: &G::Position, moves: &mut Vec<G::Move>) -> Option<Value> {
    let turn = game.turn(pos);
    moves.clear();
    game.moves(pos, moves);
    if moves.is_empty() {
        return game.outcome(pos).map(|payoff| Value::new(turn.sees(payoff), 0));
    }
    let best = game.best_payoff();
    let wins =
        |&mv: &G::Move| game.outcome(&game.play(pos, mv)).is_some_and(|payoff| turn.sees(payoff) == best);
    moves.iter().any(wins).then(|| Value::new(best, 1))
}

/// Checks every value that is reachable from `start`.
///
/// `stored` returns a tier's codes by number, with [`Code::UNKNOWN`] where nothing is stored; it is called once per
/// tier, from the last to the first.
///
/// # Errors
///
/// An unreadable tier (the error of `stored`), cycles, chance, a fault of the rules, or cancellation.
pub fn verify<G: Game, I: Index<G>, C: Code, E: From<SolveError>>(
    game: &G,
    index: &I,
    start: &G::Position,
    stored: impl Fn(Tier) -> Result<Vec<C>, E>,
    monitor: &dyn Monitor,
) -> Result<Verification, E> {
    let total = index.total().min(u128::from(u64::MAX)) as u64;
    monitor.stage("finding legal positions", total);
    let Legal { bits: legal, stays } = legal(game, index, start, monitor)?;
    monitor.stage("verifying", total);
    let last_use = last_uses(index);
    let mut claims: Vec<Vec<C>> = (0..index.tiers()).map(|_| Vec::new()).collect();
    let tally = Tally::new(index.tiers(), index.merged());
    let sum = Mutex::new(Verification { tally, ..Verification::default() });
    for t in (0..index.tiers()).rev() {
        let tier = Tier(t);
        let codes = stored(tier)?;
        if codes.len() as u64 != index.len(tier) {
            return Err(SolveError::Fault(format!(
                "tier {t} has {} values where the game has {}",
                codes.len(),
                index.len(tier)
            ))
            .into());
        }
        let mut claimed = list(codes.len() as u64, monitor, |_| C::UNKNOWN)?;
        let legal = &legal[t as usize];
        if stays[t as usize] {
            // All claims about the tier's own positions are needed before any of them is derived.
            for_parts(&mut claimed, monitor, |from, block| {
                Checker { game, index, tier, codes: &codes, claims: &claims, legal }.claim_block(from, block);
            })?;
            claims[t as usize] = claimed.clone();
        }
        for_parts(&mut claimed, monitor, |from, block| {
            let checker = Checker { game, index, tier, codes: &codes, claims: &claims, legal };
            let (found, counts) = checker.block(from, block);
            monitor.advance(block.len() as u64);
            // A poisoned lock means that another block panicked, and that panic is already propagating.
            if let Ok(mut sum) = sum.lock() {
                sum.plus(found);
                sum.tally.tiers[t as usize].merge(counts);
            }
        })?;
        check_fault(game)?;
        claims[t as usize] = claimed;
        for (later, first) in last_use.iter().enumerate() {
            if *first == t {
                claims[later] = Vec::new();
            }
        }
    }
    sum.into_inner().map_err(|_| SolveError::Stopped.into())
}

/// For every tier, the earliest tier whose moves lead to it: after that one its values can be freed.
fn last_uses<G: Game, I: Index<G>>(index: &I) -> Vec<u32> {
    let mut uses: Vec<u32> = (0..index.tiers()).collect();
    for t in (0..index.tiers()).rev() {
        for next in index.child_tiers(Tier(t)) {
            if let Some(first) = uses.get_mut(next.0 as usize) {
                *first = t;
            }
        }
    }
    uses
}

/// The reachable positions.
struct Legal {
    /// One bit for each number.
    bits: Vec<Vec<AtomicU64>>,
    /// Tiers in which a move stays.
    stays: Vec<bool>,
}

/// Finds the reachable positions, by the plain rules.
fn legal<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    start: &G::Position,
    monitor: &dyn Monitor,
) -> Result<Legal, SolveError> {
    let words = |t: u32| list(index.len(Tier(t)).div_ceil(64), monitor, |_| AtomicU64::new(0));
    let bits: Result<Vec<Vec<AtomicU64>>, SolveError> = (0..index.tiers()).map(words).collect();
    let bits = bits?;
    // Returns whether the number was already marked; `None` if there is no such number.
    let mark = |(tier, number): (Tier, u64)| {
        let word = bits.get(tier.0 as usize)?.get((number / 64) as usize)?;
        let known = word.load(Ordering::Relaxed) >> (number % 64) & 1 == 1;
        if !known {
            word.fetch_or(1 << (number % 64), Ordering::Relaxed);
        }
        Some(known)
    };
    mark(place_of(game, index, start)?);
    let mut stays = vec![false; index.tiers() as usize];
    for t in 0..index.tiers() {
        let tier = Tier(t);
        if index.loops(tier) {
            return Err(SolveError::Loops("verify"));
        }
        // Moves that stay in the tier can reach more of it, so the pass is repeated until it marks nothing new.
        loop {
            let wanted = |number| has(&bits[t as usize], number);
            stays[t as usize] = check_tier(game, index, tier, Gaps::None, &wanted, monitor)?;
            let (fresh, trouble) = (AtomicBool::new(false), Mutex::new(None));
            for_blocks(index.len(tier), monitor, |block| {
                let units = block.end - block.start;
                let mut moves = Vec::new();
                index.walk(tier, block, &mut |number, pos| {
                    if !wanted(number) {
                        return;
                    }
                    moves.clear();
                    game.moves(pos, &mut moves);
                    for place in moves.iter().map(|&mv| index.rank(&game.play(pos, mv))) {
                        match mark(place).filter(|_| place > (tier, number)) {
                            Some(known) => {
                                if !known && place.0 == tier {
                                    fresh.store(true, Ordering::Relaxed);
                                }
                            }
                            None => {
                                if let Ok(mut trouble) = trouble.lock() {
                                    *trouble = Some(no_value(pos, place.0, place.1));
                                }
                            }
                        }
                    }
                });
                monitor.advance(units);
            })?;
            if let Ok(Some(error)) = trouble.into_inner() {
                return Err(error);
            }
            if !fresh.into_inner() {
                break;
            }
        }
    }
    Ok(Legal { bits, stays })
}

fn has(bits: &[AtomicU64], number: u64) -> bool {
    bits[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
}

struct Checker<'a, G, I, C> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    /// Stored codes of this tier.
    codes: &'a [C],
    /// Claims about every reachable position of later tiers.
    claims: &'a [Vec<C>],
    legal: &'a [AtomicU64],
}

impl<G: Game, I: Index<G>, C: Code> Checker<'_, G, I, C> {
    /// Checks the numbers from `from` on and writes the claim about each.
    fn block(&self, from: u64, block: &mut [C]) -> (Verification, TierTally) {
        let (mut found, mut counts) = (Verification::default(), TierTally::default());
        let (mut moves, mut images) = (Vec::new(), Vec::new());
        self.index.walk(self.tier, from..from + block.len() as u64, &mut |number, pos| {
            if !has(self.legal, number) {
                return;
            }
            found.checked += 1;
            let claim = self.claim(pos, &mut moves, &mut images);
            let Some(claim) = claim else {
                found.flaw(self.tier, number, Flaw::Missing);
                return;
            };
            block[(number - from) as usize] = claim;
            if let Some(value) = claim.unpack() {
                let orbit = self.index.orbit(self.tier, number).into();
                counts.add(self.game.turn(pos), value, orbit, moves.is_empty());
            }
            // A finished position has no successors to derive anything from.
            let derived = if moves.is_empty() { None } else { self.derive(pos, &moves) };
            if let Some(derived) = derived.filter(|derived| *derived != claim) {
                let stored = claim.unpack().unwrap_or(Value::REPETITION);
                let expected = derived.unpack().unwrap_or(Value::REPETITION);
                found.flaw(self.tier, number, Flaw::Wrong { stored, expected });
            }
        });
        (found, counts)
    }

    /// The claim about a reachable position: from the rules where they determine it, otherwise from the table.
    fn claim(&self, pos: &G::Position, moves: &mut Vec<G::Move>, images: &mut Vec<G::Position>) -> Option<C> {
        if let Some(value) = settled(self.game, pos, moves) {
            return C::pack(value);
        }
        let (tier, slot) = canonical(self.game, self.index, pos, images);
        let code = *self.codes.get(slot as usize)?;
        (tier == self.tier && code != C::UNKNOWN).then_some(code)
    }

    /// Writes the claims about the numbers from `from` on.
    fn claim_block(&self, from: u64, block: &mut [C]) {
        let (mut moves, mut images) = (Vec::new(), Vec::new());
        self.index.walk(self.tier, from..from + block.len() as u64, &mut |number, pos| {
            if has(self.legal, number)
                && let Some(claim) = self.claim(pos, &mut moves, &mut images)
            {
                block[(number - from) as usize] = claim;
            }
        });
    }

    /// The best of the successors' claims; `None` if one is missing, which is reported at that successor.
    fn derive(&self, pos: &G::Position, moves: &[G::Move]) -> Option<C> {
        let turn = self.game.turn(pos);
        if turn == Turn::Chance {
            return None;
        }
        let mut best: Option<C> = None;
        for &mv in moves {
            let next = self.game.play(pos, mv);
            let (tier, number) = self.index.rank(&next);
            let code = self.claims.get(tier.0 as usize)?.get(number as usize).copied();
            let code = code.filter(|&code| code != C::UNKNOWN)?;
            best = best.max(Some(code.before(self.game.turn(&next) == turn)));
        }
        best
    }
}
