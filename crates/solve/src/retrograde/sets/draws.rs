//! Distinction between ties and draws by repetition, bit-parallel.
//!
//! The rules are those of [`super::super::ends`]. A player can force an end of a draw if that player can make the game
//! end, against every defence, with a payoff of 0 or more:
//!
//! ```text
//! the player to move   some move leads to a draw of which the player who made the move can force an end
//! the opponent         no move leads to a draw of which the opponent, then to move, cannot force an end
//! ```

use super::row::{RowSet, RowState, bits, number};
use super::{Frontier, ROWS_PER_SCAN, ROWS_PER_TASK, SetSolver, SideCounts, count_as, plus};
use crate::retrograde::bits::Bits;
use crate::retrograde::ends::Ends;
use crate::{SolveError, TierTally};
use outplay_core::{Code, Value};
use outplay_runtime::threads;

impl<C: Code> SetSolver<'_, C> {
    /// Assigns codes to the remaining positions: ties where a player can force an end, draws by repetition elsewhere.
    pub(super) fn draws(
        &self,
        rows: &mut [RowState<'_, C>],
        tally: &mut TierTally,
    ) -> Result<Ends, SolveError> {
        let ending = |row: &RowState<'_, C>| {
            (0..row.open.len()).any(|word| {
                let exits = row.leads_to_end.word(word) | row.safe[word] & !row.stuck.word(word);
                row.ties.word(word) | row.open[word] & exits != 0
            })
        };
        let seen = |i: usize| {
            rows[i * ROWS_PER_SCAN..]
                .iter()
                .take(ROWS_PER_SCAN)
                .any(|row| !row.stopovers.is_empty() || ending(row))
        };
        let any_end = threads::map(rows.len().div_ceil(ROWS_PER_SCAN), &seen).contains(&true);
        let cannot = match any_end {
            true => Some(self.propagate_ends(rows)?),
            false => None,
        };
        let len = if cannot.is_some() { self.len() } else { 0 };
        let ends = Ends { mover: Bits::new(len, self.monitor)?, opponent: Bits::new(len, self.monitor)? };
        let tie = C::pack(Value::TIE).ok_or(SolveError::Overflow)?;
        let never = C::pack(Value::REPETITION).unwrap_or(tie);
        let (width, places) = (self.sets.width(), self.sets.places());
        let settle = |row: &mut RowState<'_, C>| {
            let (mut ties, mut repetitions) = (RowSet::new(self.sets), RowSet::new(self.sets));
            for word in 0..width {
                let draws = row.open[word] | row.ties.word(word);
                if draws == 0 {
                    continue;
                }
                // A draw that the player to move cannot end is in `cannot`.
                let mover = cannot.as_ref().map_or(0, |cannot| draws & !cannot[row.place * width + word]);
                let opponent = row.opponent_ends.word(word);
                repetitions.add(word, draws & !mover & !opponent);
                if mover | opponent != 0 {
                    ties.add(word, mover | opponent);
                    let slots = self.sets.slots(row.place, word);
                    let row_first = row.place as u64 * self.sets.numbers();
                    for (set, who) in [(&ends.mover, mover), (&ends.opponent, opponent)] {
                        match places {
                            None => set.insert_all(row_first.wrapping_add(slots.first), who & slots.numbered),
                            Some(_) => bits(who & slots.numbered).for_each(|bit| {
                                set.insert(row_first + number(places, &slots, word, bit));
                            }),
                        }
                    }
                }
            }
            let ties = row.settle(self.sets, &ties, Some(tie), |_, _| {});
            [ties, row.settle(self.sets, &repetitions, Some(never), |_, _| {})]
        };
        let groups = rows.chunks_mut(ROWS_PER_TASK).map(|rows| (rows, [SideCounts::default(); 2]));
        let groups = self.each_group(groups, &|(rows, counts), pace| {
            for row in rows.iter_mut().take_while(|_| !pace.step()) {
                let settled = settle(row);
                *counts = [plus(counts[0], settled[0]), plus(counts[1], settled[1])];
            }
        })?;
        for (_, [ties, repetitions]) in groups {
            count_as(tally, Value::TIE, ties);
            count_as(tally, Value::REPETITION, repetitions);
        }
        Ok(ends)
    }

    /// Finds the draws that the opponent can end, in the rows, and returns those that the player to move cannot end.
    fn propagate_ends(&self, rows: &mut [RowState<'_, C>]) -> Result<Vec<u64>, SolveError> {
        let width = self.sets.width();
        let without = rows.iter().flat_map(|row| {
            row.open.iter().enumerate().map(|(word, open)| open & !row.leads_to_end.word(word))
        });
        let mut cannot = Frontier::new(without.collect(), rows.len());
        let mut fresh = Frontier::new(vec![0; self.sets.legal().len()], rows.len());
        cannot.moving = true;
        self.hold_draws(rows);
        let mut first = true;
        while cannot.moving {
            self.each_row(rows, &mut fresh, |row, words, changed| {
                let from = |word: usize| {
                    row.open[word]
                        & !row.stuck.word(word)
                        & !row.opponent_ends.word(word)
                        & !row.held.word(word)
                };
                // The first pass evaluates all words, later ones only those that changed.
                let mut found = match first {
                    true => self.without_move(&cannot, row, self.all_words(), &from),
                    false => self.without_move_to(&cannot, row, from),
                };
                if first {
                    (0..width).for_each(|word| found.add(word, row.ties.word(word)));
                }
                row.again = 0;
                if std::mem::take(changed) != 0 {
                    words.fill(0);
                }
                for (word, found) in found.words() {
                    row.opponent_ends.add(width, word, found);
                    words[word] = found;
                    *changed |= 1 << (word >> row.shift);
                }
                SideCounts::default()
            })?;
            first = false;
            self.each_row(rows, &mut cannot, |row, words, changed| {
                *changed = 0;
                let found = self.with_move_to(&fresh, row, |word| row.open[word] & words[word]);
                for (word, found) in found.words() {
                    words[word] &= !found;
                    *changed |= 1 << (word >> row.shift);
                }
                SideCounts::default()
            })?;
            self.resolve_stopover_ends(rows, &mut cannot);
        }
        Ok(cannot.words)
    }
}
