//! Distributed retrograde analysis of one tier: values from later tiers first, then, if the tier is cyclic, level by
//! level.
//!
//! An *exit* is a move that leaves the tier. A *level* is a payoff and a number of plies.
//!
//! ```text
//!  phase      work
//!  look       initialization: finished positions, requests for the values of exits, reverse edges within the tier
//!  propagate  the processes agree on the next level; its positions notify their predecessors, on whichever process
//!  ends       finds which of the draws are ties that a player can force (as in `retrograde::ends`)
//! ```
//!
//! The algorithm is that of `retrograde`; a message replaces each access to another position.

use super::{GlobalId, Messages, Spot, exchange_or_fail, gone, words};
use crate::error::check_stop;
use crate::{Draws, SolveError, Tally, TierTally, WideLoopCode};
use outplay_core::{Code, Turn, Value};
use outplay_runtime::communicator::{pack, unpack};
use outplay_runtime::{Communicator, Monitor, Pace};
use std::collections::BTreeMap;

/// Positions that a rank processes between two exchanges.
const STEP: usize = 1 << 15;

/// The values of one process's positions.
pub struct RankValues {
    tiers: Vec<Vec<WideLoopCode>>,
    tally: Tally,
    counts: Vec<TierTally>,
}

impl RankValues {
    /// The codes of this rank's slots of a tier.
    pub fn codes(&self, tier: u32) -> &[WideLoopCode] {
        &self.tiers[tier as usize]
    }

    /// Counts of positions by value on all ranks, in the tiers that [`GlobalId::counted`] includes.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Counts of a tier's positions by value on all ranks, whether or not [`GlobalId::counted`] includes the tier.
    pub fn tier_tally(&self, tier: u32) -> &TierTally {
        &self.counts[tier as usize]
    }

    /// The codes at some spots; all ranks pass the same list.
    ///
    /// # Errors
    ///
    /// A rank that disconnected.
    pub fn at(&self, comm: &dyn Communicator, spots: &[Spot]) -> Result<Vec<WideLoopCode>, SolveError> {
        let mine = |spot: &Spot| match spot.rank() == comm.rank() {
            true => self.tiers[spot.tier() as usize][spot.slot() as usize].0,
            false => 0,
        };
        let mine: Vec<u8> = spots.iter().flat_map(|spot| mine(spot).to_le_bytes()).collect();
        let all = comm.all_gather(&mine).map_err(gone)?;
        let code = |(i, spot): (usize, &Spot)| {
            let code =
                all[spot.rank()].get(4 * i..4 * i + 4).map_or(0, |bytes| words(bytes).next().unwrap_or(0));
            WideLoopCode(code as i32)
        };
        Ok(spots.iter().enumerate().map(code).collect())
    }
}

/// Context of a distributed solve: the communicator and this process's monitor.
#[derive(Clone, Copy)]
pub struct RankContext<'a> {
    /// The ranks.
    pub crew: &'a dyn Communicator,
    /// Progress and cancellation.
    pub watch: &'a dyn Monitor,
}

/// Solves every tier. `known` may return this rank's stored codes and counts of a tier; `keep` stores each solved
/// one.
///
/// # Errors
///
/// Chance, values that do not fit, a rank that disconnected, or cancellation; and those of `known` and `keep`.
pub fn solve_together<S: GlobalId, E: From<SolveError>>(
    site: &S,
    together: RankContext<'_>,
    mut known: impl FnMut(u32) -> Result<Option<(Vec<WideLoopCode>, TierTally)>, E>,
    mut keep: impl FnMut(&RankValues, u32) -> Result<(), E>,
) -> Result<RankValues, E> {
    let tiers = site.tiers();
    let mut values = RankValues {
        tiers: vec![Vec::new(); tiers as usize],
        tally: Tally::new(tiers, site.merged()),
        counts: vec![TierTally::default(); tiers as usize],
    };
    let all: u64 = (0..tiers).map(|tier| site.len(tier)).sum();
    together.watch.stage("solving", all);
    for tier in (0..tiers).rev() {
        let (codes, counts) = match known(tier)? {
            Some(found) => found,
            None => {
                let mut solver = Solver::new(site, together, tier, &values.tiers);
                let codes = solver.solve()?;
                let counts = solver.counted(&codes)?;
                values.tiers[tier as usize] = codes;
                values.counts[tier as usize] = counts;
                keep(&values, tier)?;
                (std::mem::take(&mut values.tiers[tier as usize]), values.counts[tier as usize].clone())
            }
        };
        if site.counted(tier) {
            values.tally.tiers[tier as usize] = counts.clone();
        }
        values.counts[tier as usize] = counts;
        values.tiers[tier as usize] = codes;
        together.watch.advance(site.len(tier));
    }
    Ok(values)
}

/// Counts the positions of a tier, given this rank's codes.
///
/// # Errors
///
/// A rank that disconnected, or cancellation.
pub fn count_together<S: GlobalId + ?Sized>(
    site: &S,
    together: RankContext<'_>,
    tier: u32,
    codes: &[WideLoopCode],
) -> Result<TierTally, SolveError> {
    let mut solver = Solver::new(site, together, tier, &[]);
    let mut spots = Vec::new();
    let mut pace = Pace::new(together.watch);
    for slot in 0..solver.flags.len() {
        spots.clear();
        let Some((turn, _)) = site.look(tier, slot as u32, &mut spots)? else { continue };
        check_stop(pace.steps(1 + spots.len()))?;
        let finished = if spots.is_empty() { FINISHED } else { NOTHING };
        solver.flags[slot] = THERE | finished | if turn == Turn::Second { SECOND } else { NOTHING };
    }
    solver.counted(codes)
}

fn half() -> SolveError {
    gone("another rank sent an incomplete message".into())
}

/// A payoff, counted down from the best one, and plies; levels are processed in ascending order.
type Level = u64;

const NOTHING: u8 = 0;
const SECOND: u8 = 1;
const FINISHED: u8 = 2;
/// Not a hole.
const THERE: u8 = 4;
/// At least one exit does not lose.
const SAFE: u8 = 8;
/// An exit leads to a draw that the opponent cannot end.
const STUCK: u8 = 16;
/// An exit leads to a draw that the mover can end.
const MOVER_ENDS: u8 = 32;
/// The value is final.
const CLOSED: u8 = 64;

/// Positions of one level.
#[derive(Default)]
struct Batch {
    /// Resolved positions whose predecessors are to be notified.
    fresh: Vec<(u32, bool)>,
    /// Won by an exit, unless a move within the tier wins sooner.
    by_exit: Vec<u32>,
}

struct Solver<'a, S: ?Sized> {
    site: &'a S,
    comm: &'a dyn Communicator,
    monitor: &'a dyn Monitor,
    tier: u32,
    solved: &'a [Vec<WideLoopCode>],
    flags: Vec<u8>,
    /// Moves within the tier that are not yet known to be bad.
    left: Vec<u32>,
    /// The best exit of each slot.
    exits: Vec<WideLoopCode>,
    /// Reverse edges: slot, then the spots of its predecessors, sorted.
    back: Vec<(u32, Spot)>,
}

impl<'a, S: GlobalId + ?Sized> Solver<'a, S> {
    fn new(site: &'a S, together: RankContext<'a>, tier: u32, solved: &'a [Vec<WideLoopCode>]) -> Self {
        let slots = site.slots(tier) as usize;
        let RankContext { crew: comm, watch: monitor } = together;
        Solver {
            site,
            comm,
            monitor,
            tier,
            solved,
            flags: vec![NOTHING; slots],
            left: vec![0; slots],
            exits: vec![WideLoopCode::UNKNOWN; slots],
            back: Vec::new(),
        }
    }

    fn solve(&mut self) -> Result<Vec<WideLoopCode>, SolveError> {
        let mut codes = vec![WideLoopCode::UNKNOWN; self.flags.len()];
        self.comm.phase("looking");
        let inside = self.look(&mut codes)?;
        self.back.sort_unstable();
        let mut batches = self.begin(&mut codes)?;
        if inside {
            self.comm.phase("spreading");
            self.propagate(&mut codes, &mut batches)?;
            self.comm.phase("ending");
        }
        self.end(&mut codes, inside)?;
        Ok(codes)
    }

    fn stopped(&self) -> Result<(), SolveError> {
        if self.monitor.stopped() { Err(SolveError::Stopped) } else { Ok(()) }
    }

    /// Visits every position once; returns whether any move stays in the tier.
    fn look(&mut self, codes: &mut [WideLoopCode]) -> Result<bool, SolveError> {
        let slots = self.flags.len();
        let (mut done, mut more, mut inside) = (0, true, false);
        while more {
            let range = done..(done + STEP).min(slots);
            done = range.end;
            let (mut asked, mut backwards) = (Messages::new(self.comm), Messages::new(self.comm));
            // Requesting slots in the order in which replies arrive, rank by rank.
            let mut asking: Vec<Vec<(u32, bool)>> = vec![Vec::new(); self.comm.size()];
            let looked = self.look_at(range, codes, &mut asked, &mut backwards, &mut asking);
            // A message is the requests, the reverse edges, and the length of the requests.
            for rank in 0..self.comm.size() {
                let questions = asked.of(rank).len() as u64;
                asked.put_bytes(rank, backwards.of(rank));
                asked.put64(rank, questions);
            }
            drop(backwards);
            let received;
            (received, more) = exchange_or_fail(self.comm, looked.map(|()| (asked, done < slots)))?;
            let mut answers = Messages::new(self.comm);
            for (rank, message) in received.iter().enumerate() {
                let (rest, end) = message.split_last_chunk::<8>().ok_or_else(half)?;
                let questions = u64::from_le_bytes(*end) as usize;
                let (questions, backwards) = rest.split_at_checked(questions).ok_or_else(half)?;
                for number in unpack(questions) {
                    let spot = Spot(number);
                    let code = self.solved[spot.tier() as usize].get(spot.slot() as usize);
                    answers.put32(rank, code.map_or(0, |code| code.0) as u32);
                }
                for pair in backwards.chunks_exact(12) {
                    let (slot, from) = pair.split_at(4);
                    let from = unpack(from).next().unwrap_or(0);
                    self.back.push((words(slot).next().unwrap_or(0), Spot(from)));
                }
            }
            drop(received);
            let (received, any) = exchange_or_fail(self.comm, Ok((answers, !self.back.is_empty())))?;
            inside = any;
            for (message, asking) in received.iter().zip(asking) {
                for (code, (slot, same)) in words(message).zip(asking) {
                    self.add_exit(slot as usize, WideLoopCode(code as i32), same);
                }
            }
        }
        Ok(inside)
    }

    fn look_at(
        &mut self,
        range: std::ops::Range<usize>,
        codes: &mut [WideLoopCode],
        asked: &mut Messages,
        backwards: &mut Messages,
        asking: &mut [Vec<(u32, bool)>],
    ) -> Result<(), SolveError> {
        let mut pace = Pace::new(self.monitor);
        let mut spots = Vec::new();
        for slot in range {
            spots.clear();
            let Some((turn, outcome)) = self.site.look(self.tier, slot as u32, &mut spots)? else { continue };
            check_stop(pace.steps(1 + spots.len()))?;
            self.flags[slot] = THERE | if turn == Turn::Second { SECOND } else { NOTHING };
            if spots.is_empty() {
                self.flags[slot] |= FINISHED | CLOSED;
                let payoff = turn.sees(outcome.unwrap_or(0));
                codes[slot] = WideLoopCode::pack(Value::new(payoff, 0)).ok_or(SolveError::Overflow)?;
                continue;
            }
            if turn == Turn::Chance {
                return Err(SolveError::Chance("retrograde"));
            }
            spots.sort_unstable();
            spots.dedup();
            for &spot in &spots {
                let same = spot.same_player();
                if spot.tier() == self.tier {
                    self.left[slot] += 1;
                    let from = Spot::new(self.comm.rank(), self.tier, slot as u32, same);
                    backwards.put32(spot.rank(), spot.slot());
                    backwards.put64(spot.rank(), from.0);
                } else {
                    asking[spot.rank()].push((slot as u32, same));
                    asked.put64(spot.rank(), spot.0);
                }
            }
        }
        Ok(())
    }

    /// Updates a slot with the value of an exit.
    fn add_exit(&mut self, slot: usize, code: WideLoopCode, same: bool) {
        let Some(value) = code.unpack() else { return };
        let seen = code.before(same);
        let flags = &mut self.flags[slot];
        if value.payoff() == 0 {
            let (mover, opponent) = seen.ends();
            *flags |= if mover { MOVER_ENDS } else { NOTHING } | if opponent { NOTHING } else { STUCK };
        }
        if value.before(same).payoff() >= 0 {
            *flags |= SAFE;
        }
        let best = self.exits[slot].unpack();
        if best.is_none_or(|best| value.before(same) > best) {
            self.exits[slot] = seen;
        }
    }

    fn level(&self, value: Value) -> Level {
        let below = (self.site.best_payoff() - value.payoff().abs()) as u64;
        below << 32 | u64::from(value.distance().unwrap_or(0))
    }

    fn value(&self, level: Level, won: bool) -> Value {
        let payoff = self.site.best_payoff() - (level >> 32) as i32;
        Value::new(if won { payoff } else { -payoff }, level as u32)
    }

    /// Collects the positions that are resolved before any propagation.
    fn begin(&mut self, codes: &mut [WideLoopCode]) -> Result<BTreeMap<Level, Batch>, SolveError> {
        let mut batches: BTreeMap<Level, Batch> = BTreeMap::new();
        let mut pace = Pace::new(self.monitor);
        for slot in 0..self.flags.len() {
            check_stop(pace.step())?;
            if self.flags[slot] & THERE == 0 {
                continue;
            }
            if self.flags[slot] & FINISHED != 0 {
                let value = codes[slot].unpack().unwrap_or(Value::TIE);
                if value.payoff() != 0 {
                    let batch = batches.entry(self.level(value)).or_default();
                    batch.fresh.push((slot as u32, value.payoff() > 0));
                }
                continue;
            }
            let Some(value) = self.exits[slot].unpack().filter(|value| value.payoff() != 0) else { continue };
            if value.payoff() > 0 {
                if self.left[slot] == 0 {
                    self.close(slot, self.exits[slot], codes);
                    batches.entry(self.level(value)).or_default().fresh.push((slot as u32, true));
                } else {
                    batches.entry(self.level(value)).or_default().by_exit.push(slot as u32);
                }
            } else if self.left[slot] == 0 {
                self.close(slot, self.exits[slot], codes);
                batches.entry(self.level(value)).or_default().fresh.push((slot as u32, false));
            }
        }
        Ok(batches)
    }

    fn close(&mut self, slot: usize, code: WideLoopCode, codes: &mut [WideLoopCode]) {
        self.flags[slot] |= CLOSED;
        codes[slot] = code;
    }

    /// The predecessors of a slot.
    fn before(&self, slot: u32) -> impl Iterator<Item = Spot> + '_ {
        let from = self.back.partition_point(|entry| entry.0 < slot);
        self.back[from..].iter().take_while(move |entry| entry.0 == slot).map(|entry| entry.1)
    }

    /// Processes the levels in order; each may add positions to later ones.
    fn propagate(
        &mut self,
        codes: &mut [WideLoopCode],
        batches: &mut BTreeMap<Level, Batch>,
    ) -> Result<(), SolveError> {
        loop {
            let mine = batches.first_key_value().map_or(u64::MAX, |(&level, _)| level);
            let level = self.comm.all_reduce_min(mine).map_err(gone)?;
            if level == u64::MAX {
                return Ok(());
            }
            self.stopped()?;
            let mut batch =
                if mine == level { batches.remove(&level).unwrap_or_default() } else { Batch::default() };
            for slot in std::mem::take(&mut batch.by_exit) {
                if self.flags[slot as usize] & CLOSED == 0 {
                    self.close(slot as usize, self.exits[slot as usize], codes);
                    batch.fresh.push((slot, true));
                }
            }
            let mut messages = Messages::new(self.comm);
            for &(slot, won) in &batch.fresh {
                for spot in self.before(slot) {
                    let good = won == spot.same_player();
                    messages.put32(spot.rank(), spot.slot() | u32::from(good) << 31);
                }
            }
            let next = level + 1;
            let received = messages.exchange(self.comm)?;
            for word in received.iter().flat_map(|message| words(message)) {
                let (slot, good) = ((word & !(1 << 31)) as usize, word >> 31 == 1);
                if self.flags[slot] & CLOSED != 0 {
                    continue;
                }
                if good {
                    let code = WideLoopCode::pack(self.value(next, true)).ok_or(SolveError::Overflow)?;
                    self.close(slot, code, codes);
                    batches.entry(next).or_default().fresh.push((slot as u32, true));
                    continue;
                }
                self.left[slot] -= 1;
                if self.left[slot] == 0 && self.flags[slot] & SAFE == 0 {
                    // The exits lose as well, perhaps later or less than the moves within the tier.
                    let exit = self.exits[slot].unpack().map_or(next, |value| self.level(value).max(next));
                    let code = WideLoopCode::pack(self.value(exit, false)).ok_or(SolveError::Overflow)?;
                    self.close(slot, code, codes);
                    batches.entry(exit).or_default().fresh.push((slot as u32, false));
                }
            }
        }
    }

    /// Finds which player can force an end of each draw.
    fn end(&mut self, codes: &mut [WideLoopCode], inside: bool) -> Result<(), SolveError> {
        let slots = self.flags.len();
        // By slot: whether the mover, and whether the opponent, can force an end.
        let mut ends = vec![(false, false); slots];
        let mut fresh: Vec<(u32, bool)> = Vec::new();
        let tie = |codes: &[WideLoopCode], slot: usize| codes[slot].unpack() == Some(Value::TIE);
        for (slot, end) in ends.iter_mut().enumerate() {
            let flags = self.flags[slot];
            if flags & THERE == 0 || (flags & CLOSED != 0 && !(flags & FINISHED != 0 && tie(codes, slot))) {
                continue;
            }
            let over = flags & FINISHED != 0;
            let mover = over || flags & MOVER_ENDS != 0;
            // The remaining moves within the tier lead to draws; without any, the exits alone decide.
            let opponent = over || (self.left[slot] == 0 && flags & STUCK == 0);
            *end = (mover, opponent);
            for (can, mover) in [(mover, true), (opponent, false)] {
                if can {
                    fresh.push((slot as u32, mover));
                }
            }
        }
        let mut any = inside;
        while any {
            let mut messages = Messages::new(self.comm);
            let mine = !fresh.is_empty();
            for (slot, mover) in std::mem::take(&mut fresh) {
                for spot in self.before(slot) {
                    let theirs = mover == spot.same_player();
                    messages.put32(spot.rank(), spot.slot() | u32::from(theirs) << 31);
                }
            }
            let received;
            (received, any) = exchange_or_fail(self.comm, self.stopped().map(|()| (messages, mine)))?;
            for word in received.iter().flat_map(|message| words(message)) {
                let (slot, mover) = ((word & !(1 << 31)) as usize, word >> 31 == 1);
                if self.flags[slot] & CLOSED != 0 {
                    continue;
                }
                if mover {
                    if !std::mem::replace(&mut ends[slot].0, true) {
                        fresh.push((slot as u32, true));
                    }
                    continue;
                }
                self.left[slot] -= 1;
                if self.left[slot] == 0
                    && self.flags[slot] & STUCK == 0
                    && !std::mem::replace(&mut ends[slot].1, true)
                {
                    fresh.push((slot as u32, false));
                }
            }
        }
        for slot in 0..slots {
            if self.flags[slot] & THERE != 0 && self.flags[slot] & CLOSED == 0 {
                codes[slot] = WideLoopCode::draw(ends[slot].0, ends[slot].1);
            }
        }
        Ok(())
    }

    /// Counts the tier's positions on all ranks.
    fn counted(&self, codes: &[WideLoopCode]) -> Result<TierTally, SolveError> {
        let mut mine: BTreeMap<(i32, bool), u64> = BTreeMap::new();
        let mut finished = 0;
        for (slot, code) in codes.iter().enumerate().filter(|(slot, _)| self.flags[*slot] & THERE != 0) {
            let orbit = u64::from(self.site.orbit(self.tier, slot as u32));
            let value = code.unpack().unwrap_or(Value::TIE);
            // The counts distinguish a tie from a draw by repetition, but not which player can force the end.
            let received = WideLoopCode::pack(value).unwrap_or(*code).0;
            let second = self.flags[slot] & SECOND != 0 && !self.site.merged();
            *mine.entry((received, second)).or_default() += orbit;
            finished += if self.flags[slot] & FINISHED != 0 { orbit } else { 0 };
        }
        let mut numbers = vec![finished];
        mine.iter().for_each(|(&(code, second), &count)| {
            numbers.extend([u64::from(code as u32) << 1 | u64::from(second), count]);
        });
        let mut tally = TierTally::default();
        for bytes in self.comm.all_gather(&pack(&numbers)).map_err(gone)? {
            let numbers: Vec<u64> = unpack(&bytes).collect();
            tally.finished += numbers.first().copied().unwrap_or(0);
            for pair in numbers[1.min(numbers.len())..].chunks_exact(2) {
                let turn = if pair[0] & 1 == 1 { Turn::Second } else { Turn::First };
                if let Some(value) = WideLoopCode((pair[0] >> 1) as u32 as i32).unpack() {
                    tally.add(turn, value, pair[1], false);
                }
            }
        }
        Ok(tally)
    }
}
