//! Retrograde analysis of one tier with successor counters, level by level.
//!
//! A *level* is a payoff and a number of plies. Levels are processed in order of descending payoff and, for one
//! payoff, of ascending plies. When a level is processed, every position of that value is known, and each of its
//! predecessors is updated in one of two ways:
//!
//! ```text
//! successor lost for the opponent  ─▶  won, one ply later; no later level is better, so this is final
//! successor won by the opponent    ─▶  one more losing move; when all moves lose: lost, one ply later;
//!                                      the last move counted was the best one, so this is final too
//! ```
//!
//! An *exit* is a move that leaves the tier; its value is known from the start.
//!
//! Each move is visited once forwards and once backwards, so the work is linear. Positions that are never resolved are
//! draws. Moves to positions without a rank are handled in [`super::detours`].

use super::RetrogradeOptions;
use super::back::{Back, SAME_PLAYER};
use super::bits::Bits;
use super::detours::{DetourKind, Stopover, Stopovers};
use super::shelf::{Codes, SolvedTier};
use super::words::{CountDown, Exit, MOST_LEVELS, MOST_SUCCESSORS, WordState, Words};
use crate::blocks::{for_blocks, for_parts, list};
use crate::error::check_stop;
use crate::{SolveError, TierTally};
use outplay_core::index_laws::may_stay;
use outplay_core::{Code, Detour, Game, Index, Link, Tier, Turn, Value};
use outplay_runtime::{Monitor, Pace, threads};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Numbers and moves of one tier must fit in 31 bits.
pub(super) const IN_TIER_LIMIT: u64 = 1 << 31;

/// A payoff, counted down from the best one, and plies. Levels are processed in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Level {
    below_best: u32,
    plies: u32,
}

const FIRST: Level = Level { below_best: 0, plies: 0 };

/// Summary of the moves that leave the tier.
#[derive(Default)]
pub(super) struct Exits {
    pub(super) best: Option<Value>,
    /// One leads to a draw that the player who makes the move can end.
    pub(super) mover_ends: bool,
    /// One leads to a draw that the other player cannot end.
    pub(super) stuck: bool,
}

/// Resolved positions of one level, so far.
#[derive(Default)]
struct Batch {
    /// Won and marked; before levels are numbered, won and to be marked.
    won: Vec<u32>,
    /// Won by an exit, unless a move within the tier wins sooner.
    won_by_exit: Vec<u32>,
    /// Lost and marked; before levels are numbered, lost and to be marked.
    lost: Vec<u32>,
}

/// Result of the initialization pass over every position.
#[derive(Default)]
struct Initialization {
    batches: BTreeMap<Level, Batch>,
    /// Finished positions with payoff 0.
    ties: Vec<u32>,
    /// Positions with an exit to a draw that the player who makes the move can end.
    leads_to_end: Vec<u32>,
    /// Targets of detours.
    stopovers: Vec<Stopover>,
    /// Whether some position has exits only to draws that the other player can end.
    opponent_ends: bool,
    finished: u64,
    trouble: Option<SolveError>,
}

/// The solver of one tier.
pub(super) struct TierSolver<'a, G, I, B, C> {
    pub(super) game: &'a G,
    pub(super) index: &'a I,
    pub(super) back: &'a B,
    pub(super) tier: Tier,
    pub(super) solved: &'a [SolvedTier<C>],
    pub(super) options: RetrogradeOptions,
    pub(super) monitor: &'a dyn Monitor,
}

/// A solved tier.
pub(super) struct Outcome<C> {
    pub(super) solved_tier: SolvedTier<C>,
    pub(super) tally: TierTally,
    pub(super) levels: u64,
}

/// Level numbers as stored in the words, in order of first use.
#[derive(Default)]
struct Levels {
    numbers: BTreeMap<Level, u16>,
    list: Vec<Level>,
}

impl Levels {
    fn number(&mut self, level: Level) -> Result<u16, SolveError> {
        let list = &mut self.list;
        let number = *self.numbers.entry(level).or_insert_with(|| {
            list.push(level);
            (list.len() - 1) as u16
        });
        if self.list.len() > MOST_LEVELS { Err(SolveError::Overflow) } else { Ok(number) }
    }
}

impl<G: Game, I: Index<G>, B: Back<G>, C: Code> TierSolver<'_, G, I, B, C> {
    pub(super) fn solve(&self) -> Result<Outcome<C>, SolveError> {
        let len = self.index.len(self.tier);
        if len >= IN_TIER_LIMIT {
            return Err(SolveError::TooLarge(IN_TIER_LIMIT));
        }
        let mut words = Words::new(len, self.monitor)?;
        let second = Bits::new(len, self.monitor)?;
        let mut start = self.initialize(&words, &second)?;
        let stopovers = Stopovers::new(len, std::mem::take(&mut start.stopovers), self.monitor)?;
        if len + stopovers.len() >= IN_TIER_LIMIT {
            return Err(SolveError::TooLarge(IN_TIER_LIMIT));
        }
        words.grow(stopovers.len());
        stopovers.numbered().for_each(|(number, stopover)| start.stop_over(number, stopover, &words));
        let mut levels = Levels::default();
        self.propagate(&words, &mut levels, start.batches, &stopovers)?;
        let ended = !start.ties.is_empty() || !start.leads_to_end.is_empty() || start.opponent_ends;
        let ends = match ended {
            true => {
                let (ties, leads) = (&start.ties, &start.leads_to_end);
                super::ends::find(self.back, &stopovers, &words, ties, leads, self.monitor)?
            }
            false => super::ends::Ends::default(),
        };
        let solved_tier = self.solved_tier(&words, &levels, ends)?;
        let mut tally = self.tally(&words, &second, &levels, &solved_tier)?;
        tally.finished = start.finished;
        Ok(Outcome { solved_tier, tally, levels: levels.list.len() as u64 })
    }

    fn level(&self, value: Value) -> Level {
        let plies = if self.options.distance { value.distance().unwrap_or(0) } else { 0 };
        Level { below_best: (self.game.best_payoff() - value.payoff().abs()) as u32, plies }
    }

    fn value(&self, level: Level, won: bool) -> Value {
        let payoff = self.game.best_payoff() - level.below_best as i32;
        Value::new(if won { payoff } else { -payoff }, level.plies)
    }

    /// Summarizes the moves that leave the tier.
    fn best_exit(&self, exits: &[Link]) -> Exits {
        let mut found = Exits::default();
        for exit in exits {
            let solved_tier = &self.solved[exit.tier.0 as usize];
            // Moves lead to positions, never to holes.
            let Some(value) = solved_tier.value(exit.number) else { continue };
            found.best = found.best.max(Some(value.before(exit.same_player)));
            if value.payoff() == 0 {
                let (mover, opponent) = solved_tier.ends.seen_before(exit.number, exit.same_player);
                found.mover_ends |= mover;
                found.stuck |= !opponent;
            }
        }
        found
    }

    /// Evaluates the target of a detour.
    fn add_detour(&self, from: u64, detour: &Detour, exits: &mut Exits) -> DetourKind {
        let own = self.best_exit(&detour.instead);
        let level = own.best.map_or(FIRST, |value| self.level(value));
        exits.add_detour(from, detour, own, level)
    }

    /// Initialization: visits every position once, finds finished ones, evaluates exits and counts the other
    /// successors.
    fn initialize(&self, words: &Words, second: &Bits) -> Result<Initialization, SolveError> {
        let sum = Mutex::new(Initialization::default());
        for_blocks(words.len(), self.monitor, |block| {
            let units = block.end - block.start;
            let mut found = Initialization::default();
            let (mut exits, mut detours) = (Vec::new(), Vec::new());
            self.index.walk(self.tier, block, &mut |number, pos| {
                let turn = self.game.turn(pos);
                if turn == Turn::Second {
                    second.insert(number);
                }
                exits.clear();
                let mut count = self.back.ahead(pos, &mut exits);
                let mut exit = self.best_exit(&exits);
                self.index.detours(self.game, self.tier, pos, &mut detours);
                for detour in detours.drain(..) {
                    if let DetourKind::Stopover(stopover) = self.add_detour(number, &detour, &mut exit) {
                        count += 1;
                        found.stopovers.push(stopover);
                    }
                }
                if count == 0 && exit.best.is_none() {
                    found.finished += u64::from(self.index.orbit(self.tier, number));
                    self.finished(pos, turn, number, words, &mut found);
                    return;
                }
                if turn == Turn::Chance {
                    found.trouble = Some(SolveError::Chance("retrograde"));
                } else if count > MOST_SUCCESSORS {
                    found.trouble = Some(SolveError::TooLarge(MOST_SUCCESSORS.into()));
                }
                if exit.mover_ends {
                    found.leads_to_end.push(number as u32);
                }
                let batch = || exit.best.map(|value| self.level(value)).unwrap_or(FIRST);
                match exit.best.map(Value::payoff) {
                    None => words.open(number, count, Exit::None),
                    Some(..0) if count == 0 => {
                        words.open(number, 0, Exit::Losing);
                        found.batches.entry(batch()).or_default().lost.push(number as u32);
                    }
                    Some(..0) => words.open(number, count, Exit::Losing),
                    Some(0) => {
                        found.opponent_ends |= !exit.stuck;
                        words.open(number, count, Exit::Safe { stuck: exit.stuck });
                    }
                    Some(1..) => {
                        words.open(number, count, Exit::Safe { stuck: true });
                        found.batches.entry(batch()).or_default().won_by_exit.push(number as u32);
                    }
                }
            });
            self.monitor.advance(units);
            // A poisoned lock means that another block panicked, and that panic is already propagating.
            if let Ok(mut sum) = sum.lock() {
                sum.add(found);
            }
        })?;
        let start = sum.into_inner().map_err(|_| SolveError::Stopped)?;
        match start.trouble {
            Some(error) => Err(error),
            None => Ok(start),
        }
    }

    fn finished(
        &self,
        pos: &G::Position,
        turn: Turn,
        number: u64,
        words: &Words,
        found: &mut Initialization,
    ) {
        let payoff = turn.sees(self.game.outcome(pos).unwrap_or(0));
        let level = self.level(Value::new(payoff, 0));
        words.open(number, 0, Exit::Safe { stuck: true });
        match payoff {
            0 => {
                words.tie(number);
                found.ties.push(number as u32);
            }
            1.. => found.batches.entry(level).or_default().won.push(number as u32),
            _ => found.batches.entry(level).or_default().lost.push(number as u32),
        }
    }

    /// Processes the levels in order; each may add positions to later ones.
    fn propagate(
        &self,
        words: &Words,
        levels: &mut Levels,
        mut batches: BTreeMap<Level, Batch>,
        stopovers: &Stopovers,
    ) -> Result<(), SolveError> {
        let mut pace = Pace::new(self.monitor);
        for (&level, batch) in &batches {
            let number = levels.number(level)?;
            for (list, won) in [(&batch.lost, false), (&batch.won, true)] {
                for &n in list {
                    check_stop(pace.step())?;
                    if won { words.win(n.into(), number) } else { words.lose(n.into(), number) }
                }
            }
        }
        let loops = may_stay(self.index, self.tier);
        while let Some((level, mut batch)) = batches.pop_first() {
            let number = levels.number(level)?;
            batch.won_by_exit.retain(|&n| !pace.step() && words.claim_win(n.into(), number));
            check_stop(pace.step())?;
            batch.won.append(&mut batch.won_by_exit);
            if !loops {
                continue;
            }
            if !stopovers.is_empty() {
                self.resolve_stopovers(words, levels, level, &mut batch, &mut batches, stopovers)?;
            }
            let next = Level { plies: level.plies + u32::from(self.options.distance), ..level };
            let next_number = levels.number(next)?;
            let found = self.expand(words, &batch, next_number, stopovers)?;
            for n in found.lost_with_exits {
                check_stop(pace.step())?;
                // The exits lose as well, perhaps later or less than the moves within the tier.
                let exit = self.exit_level(n.into()).map_or(next, |exit| exit.max(next));
                let number = levels.number(exit)?;
                words.lose(n.into(), number);
                batches.entry(exit).or_default().lost.push(n);
            }
            if !found.won.is_empty() || !found.lost.is_empty() {
                let batch = batches.entry(next).or_default();
                batch.won.extend(found.won);
                batch.lost.extend(found.lost);
            }
        }
        Ok(())
    }

    /// Resolves the stopovers of the current level: a stopover takes the value of its position, without a ply in
    /// between, unless its own moves are better.
    fn resolve_stopovers(
        &self,
        words: &Words,
        levels: &mut Levels,
        level: Level,
        batch: &mut Batch,
        batches: &mut BTreeMap<Level, Batch>,
        stopovers: &Stopovers,
    ) -> Result<(), SolveError> {
        let number = levels.number(level)?;
        let won = batch.won.iter().flat_map(|&n| stopovers.like(n.into()));
        let won: Vec<u32> = won.filter(|&n| words.claim_win(n, number)).map(|n| n as u32).collect();
        batch.won.extend(won);
        let lost: Vec<u64> = batch.lost.iter().flat_map(|&n| stopovers.like(n.into())).collect();
        for n in lost {
            match words.count_down(n, number) {
                CountDown::On => {}
                CountDown::Lost => batch.lost.push(n as u32),
                CountDown::LostWithExits => {
                    let exit = stopovers.at(n).map_or(level, |stopover| stopover.level.max(level));
                    words.lose(n, levels.number(exit)?);
                    let batch = if exit > level { batches.entry(exit).or_default() } else { &mut *batch };
                    batch.lost.push(n as u32);
                }
            }
        }
        Ok(())
    }

    fn exit_level(&self, number: u64) -> Option<Level> {
        let pos = self.index.unrank(self.tier, number)?;
        let (mut exits, mut detours) = (Vec::new(), Vec::new());
        self.back.ahead(&pos, &mut exits);
        let mut exits = self.best_exit(&exits);
        self.index.detours(self.game, self.tier, &pos, &mut detours);
        for detour in &detours {
            self.add_detour(number, detour, &mut exits);
        }
        exits.best.map(|value| self.level(value))
    }

    /// Updates the predecessors of a batch of resolved positions.
    fn expand(
        &self,
        words: &Words,
        batch: &Batch,
        next: u16,
        stopovers: &Stopovers,
    ) -> Result<Resolutions, SolveError> {
        const CHUNK: usize = 2048;
        let stopped = AtomicBool::new(false);
        let part = |(numbers, won): (&[u32], bool)| {
            let mut found = Resolutions::default();
            let mut before = Vec::new();
            let mut pace = Pace::new(self.monitor);
            for &n in numbers {
                if stopped.load(Relaxed) || pace.step() {
                    stopped.store(true, Relaxed);
                    break;
                }
                before.clear();
                match stopovers.at(n.into()) {
                    Some(stopover) => before.push(stopover.mark()),
                    None => self.back.before(n.into(), &mut before),
                }
                for &mark in &before {
                    let (from, same) = (mark & !SAME_PLAYER, mark & SAME_PLAYER != 0);
                    if won == same {
                        if words.claim_win(from, next) {
                            found.won.push(from as u32);
                        }
                    } else {
                        match words.count_down(from, next) {
                            CountDown::On => {}
                            CountDown::Lost => found.lost.push(from as u32),
                            CountDown::LostWithExits => found.lost_with_exits.push(from as u32),
                        }
                    }
                }
            }
            found
        };
        let chunks: Vec<(&[u32], bool)> = (batch.won.chunks(CHUNK).map(|chunk| (chunk, true)))
            .chain(batch.lost.chunks(CHUNK).map(|chunk| (chunk, false)))
            .collect();
        let found = threads::map(chunks.len(), &|i| part(chunks[i]));
        let found = found.into_iter().reduce(Resolutions::plus).unwrap_or_default();
        if stopped.into_inner() { Err(SolveError::Stopped) } else { Ok(found) }
    }

    /// Packs the values of the tier.
    fn solved_tier(
        &self,
        words: &Words,
        levels: &Levels,
        ends: super::ends::Ends,
    ) -> Result<SolvedTier<C>, SolveError> {
        if !self.options.distance {
            if self.game.best_payoff() > 1 {
                return Err(SolveError::Overflow);
            }
            let value = |n| match words.at(n) {
                WordState::Hole => 0,
                WordState::Loss(_) => 1,
                WordState::Open | WordState::Tie => 2,
                WordState::Win(_) => 3,
            };
            let bits = super::TwoBits::packed(self.index.len(self.tier), self.monitor, value)?;
            return Ok(SolvedTier { codes: Codes::Wdl(bits), ends });
        }
        let codes = |won: bool| -> Result<Vec<C>, SolveError> {
            // A level that was numbered but has no position may be too far away to have a code.
            let code = |&level: &Level| C::pack(self.value(level, won)).unwrap_or(C::UNKNOWN);
            Ok(levels.list.iter().map(code).collect())
        };
        let (wins, losses) = (codes(true)?, codes(false)?);
        let tie = C::pack(Value::TIE).ok_or(SolveError::Overflow)?;
        let never = C::pack(Value::REPETITION).unwrap_or(tie);
        let code = |n: u64| match words.at(n) {
            WordState::Hole => Some(C::UNKNOWN),
            WordState::Tie => Some(tie),
            WordState::Open => Some(if ends.any(n) { tie } else { never }),
            WordState::Win(level) => Some(wins[level as usize]).filter(|&code| code != C::UNKNOWN),
            WordState::Loss(level) => Some(losses[level as usize]).filter(|&code| code != C::UNKNOWN),
        };
        let mut codes = list(self.index.len(self.tier), self.monitor, |_| C::UNKNOWN)?;
        let overflow = AtomicBool::new(false);
        for_parts(&mut codes, self.monitor, |from, part| {
            for (slot, n) in part.iter_mut().zip(from..) {
                match code(n) {
                    Some(code) => *slot = code,
                    None => overflow.store(true, Relaxed),
                }
            }
        })?;
        if overflow.into_inner() {
            return Err(SolveError::Overflow);
        }
        Ok(SolvedTier { codes: Codes::Exact(codes), ends })
    }

    /// Counts positions by player to move and value.
    fn tally(
        &self,
        words: &Words,
        second: &Bits,
        levels: &Levels,
        solved_tier: &SolvedTier<C>,
    ) -> Result<TierTally, SolveError> {
        let mut tally = TierTally::default();
        // Histogram slots per player: ties, draws by repetition, then wins and losses of each level.
        let slots = 2 + 2 * levels.list.len();
        let merged = self.index.merged();
        let sum = Mutex::new(vec![0u64; 2 * slots]);
        for_blocks(self.index.len(self.tier), self.monitor, |block| {
            let mut counts = vec![0u64; 2 * slots];
            for n in block {
                let slot = match words.at(n) {
                    WordState::Hole => continue,
                    WordState::Tie => 0,
                    WordState::Open => usize::from(!solved_tier.ends.any(n)),
                    WordState::Win(level) => 2 + 2 * level as usize,
                    WordState::Loss(level) => 3 + 2 * level as usize,
                };
                let side = usize::from(!merged && second.has(n));
                counts[side * slots + slot] += u64::from(self.index.orbit(self.tier, n));
            }
            // As above: a poisoned lock is a panic that is already propagating.
            if let Ok(mut sum) = sum.lock() {
                sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        })?;
        let sum = sum.into_inner().unwrap_or_default();
        for (place, count) in sum.into_iter().enumerate().filter(|&(_, count)| count > 0) {
            let turn = if place < slots { Turn::First } else { Turn::Second };
            let value = match place % slots {
                0 => Value::TIE,
                1 => Value::REPETITION,
                slot => self.value(levels.list[(slot - 2) / 2], slot % 2 == 0),
            };
            tally.add(turn, value, count, false);
        }
        Ok(tally)
    }
}

/// Predecessors that a batch resolved.
#[derive(Default)]
struct Resolutions {
    won: Vec<u32>,
    lost: Vec<u32>,
    lost_with_exits: Vec<u32>,
}

impl Resolutions {
    fn plus(mut self, mut other: Resolutions) -> Resolutions {
        self.won.append(&mut other.won);
        self.lost.append(&mut other.lost);
        self.lost_with_exits.append(&mut other.lost_with_exits);
        self
    }
}

impl Initialization {
    /// Opens a stopover, whose exits are evaluated and whose only other successor is not.
    fn stop_over(&mut self, number: u64, stopover: &Stopover, words: &Words) {
        if stopover.mover_ends {
            self.leads_to_end.push(number as u32);
        }
        match stopover.payoff {
            ..0 => words.open(number, 1, Exit::Losing),
            0 => {
                self.opponent_ends |= !stopover.stuck;
                words.open(number, 1, Exit::Safe { stuck: stopover.stuck });
            }
            1.. => {
                words.open(number, 1, Exit::Safe { stuck: true });
                self.batches.entry(stopover.level).or_default().won_by_exit.push(number as u32);
            }
        }
    }

    fn add(&mut self, other: Initialization) {
        for (level, mut batch) in other.batches {
            let mine = self.batches.entry(level).or_default();
            mine.won.append(&mut batch.won);
            mine.won_by_exit.append(&mut batch.won_by_exit);
            mine.lost.append(&mut batch.lost);
        }
        self.ties.extend(other.ties);
        self.leads_to_end.extend(other.leads_to_end);
        self.stopovers.extend(other.stopovers);
        self.opponent_ends |= other.opponent_ends;
        self.finished += other.finished;
        self.trouble = self.trouble.take().or(other.trouble);
    }
}
