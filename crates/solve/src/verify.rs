//! Proof that stored values are right: each is derived again from its successors by the plain rules.
//!
//! A table is a certificate. Finished positions are worth what the rules say, and if every other value is the
//! best of its successors' values then all of them are right, by induction from the end of the game. What a
//! table does not store, the rules answer: finished positions and wins in one ply; and of symmetric
//! positions one speaks for all.
//!
//! Only `moves`, `play`, `outcome`, `symmetric` and the index's `rank` and `walk` are used: no solver's code.

use crate::blocks::{for_blocks, for_parts, list};
use crate::{Flaw, SolveError, Verified};
use outplay_core::{Code, Game, Index, Tier, Turn, Value, Watch};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number that stands for a position and its images: the smallest of theirs. `images` is scratch space.
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

/// What the rules say about a position without looking further than one ply: the value of a finished one, or a
/// win of the largest payoff by the next move. Tables leave these out.
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

/// Checks every value that play from `start` can ask for.
///
/// `stored` gives a tier's codes by number, with [`Code::UNKNOWN`] where nothing is stored; it is called once
/// per tier, from the last to the first.
///
/// # Errors
///
/// An unreadable tier (the error of `stored`), loops, chance, a fault of the rules, or a stop.
pub fn verify<G: Game, I: Index<G>, C: Code, E: From<SolveError>>(
    game: &G,
    index: &I,
    start: &G::Position,
    stored: impl Fn(Tier) -> Result<Vec<C>, E>,
    watch: &dyn Watch,
) -> Result<Verified, E> {
    let total = (0..index.tiers()).map(|t| index.len(Tier(t))).sum();
    watch.stage("finding legal positions", total);
    let legal = legal(game, index, start, watch)?;
    watch.stage("verifying", total);
    let last_use = last_uses(index);
    let mut claims: Vec<Vec<C>> = (0..index.tiers()).map(|_| Vec::new()).collect();
    let sum = Mutex::new(Verified::default());
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
        let mut claimed = list(codes.len() as u64, watch, |_| C::UNKNOWN)?;
        for_parts(&mut claimed, watch, |from, block| {
            let checker =
                Checker { game, index, tier, codes: &codes, claims: &claims, legal: &legal[t as usize] };
            let found = checker.block(from, block);
            watch.advance(block.len() as u64);
            // A poisoned lock means that another block panicked, and that panic is on its way up.
            if let Ok(mut sum) = sum.lock() {
                sum.plus(found);
            }
        })?;
        if let Some(why) = game.fault() {
            return Err(SolveError::Fault(why).into());
        }
        claims[t as usize] = claimed;
        for (later, first) in last_use.iter().enumerate() {
            if *first == t {
                claims[later] = Vec::new();
            }
        }
    }
    sum.into_inner().map_err(|_| SolveError::Stopped.into())
}

/// For every tier, the earliest tier whose moves lead to it: after that one its values can go.
fn last_uses<G: Game, I: Index<G>>(index: &I) -> Vec<u32> {
    let mut uses: Vec<u32> = (0..index.tiers()).collect();
    for t in (0..index.tiers()).rev() {
        for next in index.after(Tier(t)) {
            uses[next.0 as usize] = t;
        }
    }
    uses
}

/// One bit for each number that play reaches, found with the plain rules.
fn legal<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    start: &G::Position,
    watch: &dyn Watch,
) -> Result<Vec<Vec<AtomicU64>>, SolveError> {
    let words = |t: u32| list(index.len(Tier(t)).div_ceil(64), watch, |_| AtomicU64::new(0));
    let bits: Result<Vec<Vec<AtomicU64>>, SolveError> = (0..index.tiers()).map(words).collect();
    let bits = bits?;
    let mark = |(tier, number): (Tier, u64)| {
        let word = &bits[tier.0 as usize][(number / 64) as usize];
        if word.load(Ordering::Relaxed) >> (number % 64) & 1 == 0 {
            word.fetch_or(1 << (number % 64), Ordering::Relaxed);
        }
    };
    mark(index.rank(start));
    for t in 0..index.tiers() {
        if index.loops(Tier(t)) {
            return Err(SolveError::Loops("verify"));
        }
        for_blocks(index.len(Tier(t)), watch, |block| {
            let units = block.end - block.start;
            let mut moves = Vec::new();
            index.walk(Tier(t), block, &mut |number, pos| {
                if has(&bits[t as usize], number) {
                    moves.clear();
                    game.moves(pos, &mut moves);
                    moves.iter().for_each(|&mv| mark(index.rank(&game.play(pos, mv))));
                }
            });
            watch.advance(units);
        })?;
    }
    Ok(bits)
}

fn has(bits: &[AtomicU64], number: u64) -> bool {
    bits[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
}

struct Checker<'a, G, I, C> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    /// What is stored of this tier.
    codes: &'a [C],
    /// What was claimed of every legal position of later tiers.
    claims: &'a [Vec<C>],
    legal: &'a [AtomicU64],
}

impl<G: Game, I: Index<G>, C: Code> Checker<'_, G, I, C> {
    /// Checks the numbers from `from` on and writes what is claimed of each.
    fn block(&self, from: u64, block: &mut [C]) -> Verified {
        let mut found = Verified::default();
        let (mut moves, mut images) = (Vec::new(), Vec::new());
        self.index.walk(self.tier, from..from + block.len() as u64, &mut |number, pos| {
            if !has(self.legal, number) {
                return;
            }
            found.checked += 1;
            let claim = match settled(self.game, pos, &mut moves) {
                Some(value) => C::pack(value),
                None => {
                    let (tier, slot) = canonical(self.game, self.index, pos, &mut images);
                    Some(self.codes[slot as usize]).filter(|code| tier == self.tier && *code != C::UNKNOWN)
                }
            };
            let Some(claim) = claim else {
                found.flaw(self.tier, number, Flaw::Missing);
                return;
            };
            block[(number - from) as usize] = claim;
            // A finished position has no successors to derive anything from.
            let derived = if moves.is_empty() { None } else { self.derive(pos, &moves) };
            if let Some(derived) = derived.filter(|derived| *derived != claim) {
                let stored = claim.unpack().unwrap_or(Value::REPETITION);
                let expected = derived.unpack().unwrap_or(Value::REPETITION);
                found.flaw(self.tier, number, Flaw::Wrong { stored, expected });
            }
        });
        found
    }

    /// The best of the successors' claims; nothing if one of them is missing, which was reported there.
    fn derive(&self, pos: &G::Position, moves: &[G::Move]) -> Option<C> {
        let turn = self.game.turn(pos);
        if turn == Turn::Chance {
            return None;
        }
        let mut best: Option<C> = None;
        for &mv in moves {
            let next = self.game.play(pos, mv);
            let (tier, number) = self.index.rank(&next);
            let code = self.claims[tier.0 as usize][number as usize];
            if code == C::UNKNOWN {
                return None;
            }
            best = best.max(Some(code.before(self.game.turn(&next) == turn)));
        }
        best
    }
}
