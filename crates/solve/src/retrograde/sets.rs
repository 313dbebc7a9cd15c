//! Bit-parallel retrograde analysis of one tier, for an index that provides [`Sets`].
//!
//! Positions are resolved level by level as in [`super::tier`] (a level is a payoff and a number of plies), but without
//! counters, by two set operations on words of 64 positions:
//!
//! ```text
//! won in n    some move leads to a position that was found lost in n − 1
//! lost in n   no move leads to a position that is not yet won in n − 1 or less
//! ```
//!
//! A word is evaluated only if a move leads from it to a word that changed one level earlier. Exits (moves that leave
//! the tier) are evaluated once, during initialization:
//!
//! - a winning exit waits in a queue of its row until its level;
//! - a losing exit delays a loss until its level;
//! - any other exit keeps a position from being lost.
//!
//! Moves to positions without a slot are handled in [`detours`]. The same two operations distinguish ties from draws by
//! repetition (`draws`).
//!
//! Invariant: a row is modified only by its own task. Words of other rows are read only while they do not change: new
//! losses while wins are found, positions not yet won while losses are found.

mod detours;
mod draws;
mod row;

use super::shelf::{Codes, SolvedTier};
use super::tier::Outcome;
use super::{RetrogradeOptions, TwoBits};
use crate::blocks::list;
use crate::{SolveError, TierTally};
use outplay_core::{Code, Payoff, Sets, Turn, Value};
use outplay_runtime::{Monitor, Pace, threads};
use row::{RowSet, RowState, words_of};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Rows per task of a full pass.
const ROWS_PER_TASK: usize = 8;
/// Rows per task of a cheap scan.
const ROWS_PER_SCAN: usize = 64;

/// The solver of one tier. It is independent of game and index types, so that it is compiled once.
pub(super) struct SetSolver<'a, C> {
    pub(super) sets: &'a dyn Sets,
    /// The payoff for the player to move of a numbered finished position.
    pub(super) outcome: &'a (dyn Fn(u64) -> Payoff + Sync),
    pub(super) solved: &'a [SolvedTier<C>],
    pub(super) options: RetrogradeOptions,
    pub(super) monitor: &'a dyn Monitor,
}

/// A set of positions with its last changes, as read by other rows.
struct Frontier {
    /// The words, row by row.
    words: Vec<u64>,
    /// Mask of the words of each row that changed last ([`Sets::touched`]).
    changed: Vec<u64>,
    /// Whether any word changed.
    moving: bool,
}

impl Frontier {
    fn new(words: Vec<u64>, rows: usize) -> Frontier {
        Frontier { words, changed: vec![0; rows], moving: false }
    }
}

/// Counts by player to move.
type SideCounts = [u64; 2];

fn plus(a: SideCounts, b: SideCounts) -> SideCounts {
    [a[0] + b[0], a[1] + b[1]]
}

impl<C: Code> SetSolver<'_, C> {
    pub(super) fn solve(&self) -> Result<Outcome<C>, SolveError> {
        let mut codes = list(self.len(), self.monitor, |_| C::UNKNOWN)?;
        let mut tally = TierTally::default();
        let mut rows = self.initialize(&mut codes)?;
        tally.finished = rows.iter().map(|row| row.finished).sum();
        let levels = self.propagate(&mut rows, &mut tally)?;
        let ends = self.draws(&mut rows, &mut tally)?;
        drop(rows);
        let codes = match self.options.distance {
            true => Codes::Exact(codes),
            false => {
                let verdict =
                    |n: u64| codes[n as usize].unpack().map_or(0, |value| value.verdict() as u8 + 1);
                Codes::Wdl(TwoBits::packed(codes.len() as u64, self.monitor, verdict)?)
            }
        };
        Ok(Outcome { solved_tier: SolvedTier { codes, ends }, tally, levels })
    }

    /// Size of the tier, holes included.
    fn len(&self) -> u64 {
        (self.sets.legal().len() / self.sets.width()) as u64 * self.sets.numbers()
    }

    /// Initialization: evaluates all exits and finds finished positions.
    fn initialize<'c>(&self, codes: &'c mut [C]) -> Result<Vec<RowState<'c, C>>, SolveError> {
        let chunks = codes.chunks_mut(self.sets.numbers() as usize).enumerate();
        let mut rows: Vec<RowState<'c, C>> =
            chunks.map(|(r, codes)| RowState::new(self.sets, r, codes)).collect();
        self.each_group(rows.chunks_mut(ROWS_PER_TASK), &|rows, pace| {
            let mut best = vec![C::UNKNOWN; self.sets.width() * 64];
            for row in rows.iter_mut().take_while(|_| !pace.step()) {
                self.evaluate_exits(row, &mut best);
                self.resolve_without_inner_moves(row);
                self.monitor.advance(self.sets.numbers());
            }
        })?;
        match rows.iter_mut().find_map(|row| row.trouble.take()) {
            Some(error) => Err(error),
            None => Ok(rows),
        }
    }

    /// Processes the levels; returns how many there were.
    fn propagate(&self, rows: &mut [RowState<'_, C>], tally: &mut TierTally) -> Result<u64, SolveError> {
        let legal = self.sets.legal();
        let mut not_won = Frontier::new(legal.to_vec(), rows.len());
        // Losses of the previous level, and of the current one.
        let mut fresh = Frontier::new(vec![0; legal.len()], rows.len());
        let mut lost = Frontier::new(vec![0; legal.len()], rows.len());
        let detours = rows.iter().any(|row| !row.stopovers.is_empty());
        let (mut plies, mut levels) = (0, 0);
        loop {
            // Losses first, because they follow from the wins of earlier levels.
            let code = C::pack(self.value(false, plies));
            let losses = self.each_row(rows, &mut lost, |row, words, changed| {
                let mut found = self.without_move_to(&not_won, row, |word| {
                    row.open[word] & !row.safe[word] & !row.held.word(word)
                });
                row.again = 0;
                row.hold_back(&mut found, plies);
                row.come_due(&mut found, plies);
                if std::mem::take(changed) != 0 {
                    words.fill(0);
                }
                let shift = row.shift;
                row.settle(self.sets, &found, code, |word, found| {
                    words[word] = found;
                    *changed |= 1 << (word >> shift);
                })
            })?;
            self.count(tally, false, plies, losses)?;
            let code = C::pack(self.value(true, plies));
            let wins = self.each_row(rows, &mut not_won, |row, words, changed| {
                let mut found = self.with_move_to(&fresh, row, |word| row.open[word]);
                row.leave_and_win(&mut found, plies);
                *changed = 0;
                let shift = row.shift;
                row.settle(self.sets, &found, code, |word, found| {
                    words[word] &= !found;
                    *changed |= 1 << (word >> shift);
                })
            })?;
            self.count(tally, true, plies, wins)?;
            let again = detours && self.resolve_stopovers(rows, (&not_won, &lost), plies);
            std::mem::swap(&mut fresh, &mut lost);
            if fresh.moving || not_won.moving || again {
                levels += 1;
                plies += 1;
                continue;
            }
            let next = |i: usize| {
                rows[i * ROWS_PER_SCAN..].iter().take(ROWS_PER_SCAN).filter_map(RowState::next_level).min()
            };
            match threads::map(rows.len().div_ceil(ROWS_PER_SCAN), &next).into_iter().flatten().min() {
                Some(level) => plies = level.max(plies + 1),
                None => {
                    let trouble = rows.iter_mut().find_map(|row| row.trouble.take());
                    return trouble.map_or(Ok(levels), Err);
                }
            }
        }
    }

    fn value(&self, won: bool, plies: u32) -> Value {
        Value::new(if won { 1 } else { -1 }, if self.options.distance { plies } else { 0 })
    }

    fn count(
        &self,
        tally: &mut TierTally,
        won: bool,
        plies: u32,
        counts: SideCounts,
    ) -> Result<(), SolveError> {
        let value = self.value(won, plies);
        if counts != [0, 0] && C::pack(value).is_none() {
            return Err(SolveError::Overflow);
        }
        count_as(tally, value, counts);
        Ok(())
    }

    /// Runs `work` on every row, with the row's words of a set and a mask of those that changed.
    fn each_row<'c>(
        &self,
        rows: &mut [RowState<'c, C>],
        front: &mut Frontier,
        work: impl Fn(&mut RowState<'c, C>, &mut [u64], &mut u64) -> SideCounts + Sync,
    ) -> Result<SideCounts, SolveError> {
        let width = self.sets.width();
        let words =
            front.words.chunks_mut(ROWS_PER_TASK * width).zip(front.changed.chunks_mut(ROWS_PER_TASK));
        let groups = rows
            .chunks_mut(ROWS_PER_TASK)
            .zip(words)
            .map(|(rows, words)| (rows, words, SideCounts::default()));
        let groups = self.each_group(groups, &|(rows, (words, changed), counts), pace| {
            let rows = rows.iter_mut().zip(words.chunks_mut(width)).zip(changed.iter_mut());
            for ((row, words), changed) in rows.take_while(|_| !pace.step()) {
                *counts = plus(*counts, work(row, words, changed));
            }
        })?;
        let counts = groups.iter().fold(SideCounts::default(), |sum, group| plus(sum, group.2));
        front.moving = front.changed.iter().any(|&changed| changed != 0);
        Ok(counts)
    }

    /// Runs `work` on all groups in parallel and returns them; a group's pace decides when to skip the rest of it.
    fn each_group<T: Send>(
        &self,
        groups: impl Iterator<Item = T>,
        work: &(dyn Fn(&mut T, &mut Pace<'_>) + Sync),
    ) -> Result<Vec<T>, SolveError> {
        let mut groups: Vec<T> = groups.collect();
        let stopped = AtomicBool::new(false);
        threads::parts(&mut groups, 1, &|_, group| {
            let mut pace = Pace::new(self.monitor);
            if !stopped.load(Relaxed) {
                work(&mut group[0], &mut pace);
            }
            if pace.stopped() {
                stopped.store(true, Relaxed);
            }
        });
        if stopped.into_inner() { Err(SolveError::Stopped) } else { Ok(groups) }
    }

    /// Positions of a row, among `from`, with a move to a set whose words have just changed.
    fn with_move_to(&self, to: &Frontier, row: &RowState<'_, C>, from: impl Fn(usize) -> u64) -> RowSet {
        let touched = self.touched(to, row);
        let mut found = self.without_move(to, row, touched, &from);
        found.complement(from);
        found
    }

    /// Positions, among `from`, without such a move, in words where this may be new.
    fn without_move_to(&self, to: &Frontier, row: &RowState<'_, C>, from: impl Fn(usize) -> u64) -> RowSet {
        self.without_move(to, row, self.touched(to, row) | row.again, &from)
    }

    /// The same for the words of a mask.
    fn without_move(
        &self,
        to: &Frontier,
        row: &RowState<'_, C>,
        words: u64,
        from: &impl Fn(usize) -> u64,
    ) -> RowSet {
        let mut found = RowSet::new(self.sets);
        words_of(words, row.shift)
            .map(|word| (word, from(word)))
            .filter(|&(_, set)| set != 0)
            .for_each(|(word, set)| found.add(word, set));
        found.strike(self.sets, row.place, &to.words);
        found
    }

    fn touched(&self, to: &Frontier, row: &RowState<'_, C>) -> u64 {
        if to.moving { self.sets.touched(row.place, &to.changed) } else { 0 }
    }

    /// Mask with a bit for each word of a row.
    fn all_words(&self) -> u64 {
        u64::MAX >> (64 - self.sets.width().min(64))
    }
}

fn count_as(tally: &mut TierTally, value: Value, counts: SideCounts) {
    for (turn, count) in [(Turn::First, counts[0]), (Turn::Second, counts[1])] {
        if count > 0 {
            tally.add(turn, value, count, false);
        }
    }
}
