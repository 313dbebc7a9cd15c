//! One tier by whole sets of positions, where an index has them ([`Sets`]).
//!
//! The levels are those of [`super::tier`], and they are found without counters, by two questions about words
//! of 64 positions:
//!
//! ```text
//! won in n    some move leads to a position that was found lost in n − 1
//! lost in n   no move leads to a position that is not known to be won in n − 1 or less
//! ```
//!
//! Only words with a move to what changed one level earlier are asked. Moves that leave the tier are looked up
//! once, before: a winning one waits in its row until its level comes, a losing one holds a loss back until its
//! level comes, any other keeps a position from being lost. Moves to positions without a slot are in [`detours`]. Who can force the end of a draw is found by the same
//! two questions.
//!
//! Invariant: a row is changed by the thread that works on it, and other rows' words are read only while nobody
//! changes them: fresh losses while wins are found, positions not yet won while losses are found.

mod detours;
mod draws;
mod row;

use super::shelf::{Codes, Shelf};
use super::tier::Outcome;
use super::{Options, TwoBits};
use crate::blocks::list;
use crate::{SolveError, TierTally};
use outplay_core::{Code, Pace, Payoff, Sets, Turn, Value, Watch, threads};
use row::{Found, Row, bits};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Words of a row at most.
const WIDTH: usize = 64;
/// Rows that a thread works on at a time.
const FEW: usize = 8;
/// Rows that it glances at.
const MANY: usize = 64;

/// The solver of one tier. It knows neither game nor index, so that all of them share its code.
pub(super) struct SetSolver<'a, C> {
    pub(super) sets: &'a dyn Sets,
    /// What the player to move gets in a finished position with a number.
    pub(super) outcome: &'a (dyn Fn(u64) -> Payoff + Sync),
    pub(super) solved: &'a [Shelf<C>],
    pub(super) options: Options,
    pub(super) watch: &'a dyn Watch,
}

/// A set of positions as other rows see it.
struct Front {
    /// Row after row.
    words: Vec<u64>,
    /// Which words of each row have just changed.
    changed: Vec<u64>,
    /// Whether any has.
    moving: bool,
}

impl Front {
    fn new(words: Vec<u64>, rows: usize) -> Front {
        Front { words, changed: vec![0; rows], moving: false }
    }
}

/// How many positions were found, by whether it is the second player's turn.
type Counts = [u64; 2];

fn plus(a: Counts, b: Counts) -> Counts {
    [a[0] + b[0], a[1] + b[1]]
}

impl<C: Code> SetSolver<'_, C> {
    pub(super) fn solve(&self) -> Result<Outcome<C>, SolveError> {
        let mut codes = list(self.len(), self.watch, |_| C::UNKNOWN)?;
        let mut tally = TierTally::default();
        let mut rows = self.first_look(&mut codes)?;
        tally.finished = rows.iter().map(|row| row.finished).sum();
        let levels = self.spread(&mut rows, &mut tally)?;
        let ends = self.draws(&mut rows, &mut tally)?;
        drop(rows);
        let codes = match self.options.distance {
            true => Codes::Exact(codes),
            false => {
                let verdict =
                    |n: u64| codes[n as usize].unpack().map_or(0, |value| value.verdict() as u8 + 1);
                Codes::Wdl(TwoBits::packed(codes.len() as u64, self.watch, verdict)?)
            }
        };
        Ok(Outcome { shelf: Shelf { codes, ends }, tally, levels })
    }

    /// How many numbers the tier has.
    fn len(&self) -> u64 {
        (self.sets.legal().len() / self.sets.width()) as u64 * self.sets.numbers()
    }

    /// Looks up all moves that leave the tier and finds finished positions.
    fn first_look<'c>(&self, codes: &'c mut [C]) -> Result<Vec<Row<'c, C>>, SolveError> {
        let chunks = codes.chunks_mut(self.sets.numbers() as usize).enumerate();
        let mut rows: Vec<Row<'c, C>> = chunks.map(|(r, codes)| Row::new(self.sets, r, codes)).collect();
        self.each_group(rows.chunks_mut(FEW), &|rows, pace| {
            let mut best = vec![C::UNKNOWN; self.sets.width() * 64];
            for row in rows.iter_mut().take_while(|_| !pace.step()) {
                self.look_outside(row, &mut best);
                self.look_inside(row);
                self.watch.advance(self.sets.numbers());
            }
        })?;
        match rows.iter_mut().find_map(|row| row.trouble.take()) {
            Some(error) => Err(error),
            None => Ok(rows),
        }
    }

    /// Works off the levels; returns how many there were.
    fn spread(&self, rows: &mut [Row<'_, C>], tally: &mut TierTally) -> Result<u64, SolveError> {
        let legal = self.sets.legal();
        let mut not_won = Front::new(legal.to_vec(), rows.len());
        // Losses of the level before, and of the level at work.
        let mut fresh = Front::new(vec![0; legal.len()], rows.len());
        let mut lost = Front::new(vec![0; legal.len()], rows.len());
        let detours = rows.iter().any(|row| !row.stopovers.is_empty());
        let (mut plies, mut levels) = (0, 0);
        loop {
            // Losses come first, because they are found from the wins of earlier levels.
            let code = C::pack(self.value(false, plies));
            let losses = self.each_row(rows, &mut lost, |row, words, changed| {
                let mut found = self.without_move_to(&not_won, row, |word| {
                    row.open[word] & !row.safe[word] & !row.held[word]
                });
                row.again = 0;
                row.hold_back(&mut found, plies);
                row.come_due(&mut found, plies);
                if std::mem::take(changed) != 0 {
                    words.fill(0);
                }
                row.settle(self.sets, &found, code, |word, found| {
                    words[word] = found;
                    *changed |= 1 << word;
                })
            })?;
            self.count(tally, false, plies, losses)?;
            let code = C::pack(self.value(true, plies));
            let wins = self.each_row(rows, &mut not_won, |row, words, changed| {
                let mut found = self.with_move_to(&fresh, row, |word| row.open[word]);
                row.leave_and_win(&mut found, plies);
                *changed = 0;
                row.settle(self.sets, &found, code, |word, found| {
                    words[word] &= !found;
                    *changed |= 1 << word;
                })
            })?;
            self.count(tally, true, plies, wins)?;
            let again = detours && self.pass_on(rows, (&not_won, &lost), plies);
            std::mem::swap(&mut fresh, &mut lost);
            if fresh.moving || not_won.moving || again {
                levels += 1;
                plies += 1;
                continue;
            }
            let next = |i: usize| rows[i * MANY..].iter().take(MANY).filter_map(Row::next_level).min();
            match threads::map(rows.len().div_ceil(MANY), &next).into_iter().flatten().min() {
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

    fn count(&self, tally: &mut TierTally, won: bool, plies: u32, counts: Counts) -> Result<(), SolveError> {
        let value = self.value(won, plies);
        if counts != [0, 0] && C::pack(value).is_none() {
            return Err(SolveError::Overflow);
        }
        count_as(tally, value, counts);
        Ok(())
    }

    /// Works on every row, with its own words of a set and a mask of those that changed.
    fn each_row<'c>(
        &self,
        rows: &mut [Row<'c, C>],
        front: &mut Front,
        work: impl Fn(&mut Row<'c, C>, &mut [u64], &mut u64) -> Counts + Sync,
    ) -> Result<Counts, SolveError> {
        let width = self.sets.width();
        let words = front.words.chunks_mut(FEW * width).zip(front.changed.chunks_mut(FEW));
        let groups = rows.chunks_mut(FEW).zip(words).map(|(rows, words)| (rows, words, Counts::default()));
        let groups = self.each_group(groups, &|(rows, (words, changed), counts), pace| {
            let rows = rows.iter_mut().zip(words.chunks_mut(width)).zip(changed.iter_mut());
            for ((row, words), changed) in rows.take_while(|_| !pace.step()) {
                *counts = plus(*counts, work(row, words, changed));
            }
        })?;
        let counts = groups.iter().fold(Counts::default(), |sum, group| plus(sum, group.2));
        front.moving = front.changed.iter().any(|&changed| changed != 0);
        Ok(counts)
    }

    /// Works on groups on all threads and gives them back; a group's pace says when to leave the rest of it undone.
    fn each_group<T: Send>(
        &self,
        groups: impl Iterator<Item = T>,
        work: &(dyn Fn(&mut T, &mut Pace<'_>) + Sync),
    ) -> Result<Vec<T>, SolveError> {
        let mut groups: Vec<T> = groups.collect();
        let stopped = AtomicBool::new(false);
        threads::parts(&mut groups, 1, &|_, group| {
            let mut pace = Pace::new(self.watch);
            if !stopped.load(Relaxed) {
                work(&mut group[0], &mut pace);
            }
            if pace.stopped() {
                stopped.store(true, Relaxed);
            }
        });
        if stopped.into_inner() { Err(SolveError::Stopped) } else { Ok(groups) }
    }

    /// Positions of a row, of those that `from` names, with a move to a set of which words have just changed.
    fn with_move_to(&self, to: &Front, row: &Row<'_, C>, from: impl Fn(usize) -> u64) -> Found {
        let touched = self.touched(to, row);
        let struck = self.without_move(to, row, touched, &from);
        let mut found = Found::NONE;
        bits(touched).for_each(|word| found.add(word, from(word) & !struck.word(word)));
        found
    }

    /// Positions, of those that `from` names, without such a move, in words where this may be new.
    fn without_move_to(&self, to: &Front, row: &Row<'_, C>, from: impl Fn(usize) -> u64) -> Found {
        self.without_move(to, row, self.touched(to, row) | row.again, &from)
    }

    /// The same for given words.
    fn without_move(&self, to: &Front, row: &Row<'_, C>, words: u64, from: &impl Fn(usize) -> u64) -> Found {
        let mut found = Found::NONE;
        bits(words)
            .map(|word| (word, from(word)))
            .filter(|&(_, set)| set != 0)
            .for_each(|(word, set)| found.add(word, set));
        found.strike(self.sets, row.place, &to.words);
        found
    }

    fn touched(&self, to: &Front, row: &Row<'_, C>) -> u64 {
        if to.moving { self.sets.touched(row.place, &to.changed) } else { 0 }
    }

    /// A bit for each word of a row.
    fn all_words(&self) -> u64 {
        u64::MAX >> (WIDTH - self.sets.width())
    }
}

fn count_as(tally: &mut TierTally, value: Value, counts: Counts) {
    for (turn, count) in [(Turn::First, counts[0]), (Turn::Second, counts[1])] {
        if count > 0 {
            tally.add(turn, value, count, false);
        }
    }
}
