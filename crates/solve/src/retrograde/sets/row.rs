//! State of a row in the bit-parallel solver: what is known about its positions, and their exits (moves that leave the
//! tier).

use super::detours::Stopover;
use super::{SetSolver, SideCounts, WIDTH};
use crate::SolveError;
use outplay_core::{Code, Sets, Slots, TierExit, Turn};
use std::collections::BTreeMap;

/// State of one row while its tier is solved.
pub(super) struct RowState<'c, C> {
    /// Index of the row.
    pub(super) place: usize,
    /// Which of the [`SideCounts`] it contributes to.
    side: usize,
    /// The codes of its numbers.
    pub(super) codes: &'c mut [C],
    /// Unresolved positions.
    pub(super) open: Vec<u64>,
    /// Finished positions with payoff 0.
    pub(super) ties: Vec<u64>,
    /// Positions with an exit that does not lose.
    pub(super) safe: Vec<u64>,
    /// Positions with exits, all of which lose.
    losing: Vec<u64>,
    /// Positions with an exit to a draw that the player who makes the move can end.
    pub(super) leads_to_end: Vec<u64>,
    /// Positions with an exit to a draw that the other player cannot end.
    pub(super) stuck: Vec<u64>,
    /// Draws that the opponent of the player to move can end.
    pub(super) opponent_ends: Vec<u64>,
    /// Plies and slots of wins by an exit, the soonest last.
    wins: Vec<(u16, u16)>,
    /// Plies of the `losing` slots in order, and where those of each word begin.
    late: Vec<u16>,
    late_first: Vec<u16>,
    /// Slots that are lost at a later level.
    lost: BTreeMap<u32, Vec<u16>>,
    /// Targets of its detours.
    pub(super) stopovers: Vec<Stopover>,
    /// Positions that stopovers keep from being lost.
    pub(super) held: Vec<u64>,
    /// Words to evaluate again although no move within the tier changed.
    pub(super) again: u64,
    /// Number of finished positions.
    pub(super) finished: u64,
    pub(super) trouble: Option<SolveError>,
}

/// The set bits of a word, lowest first.
#[inline]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros() as usize;
        word &= word - 1;
        Some(bit)
    })
}

impl<'c, C: Code> RowState<'c, C> {
    /// A row in which every position is unresolved.
    pub(super) fn new(sets: &dyn Sets, place: usize, codes: &'c mut [C]) -> RowState<'c, C> {
        let width = sets.width();
        let none = || vec![0; width];
        RowState {
            place,
            side: usize::from(sets.turn(place) == Turn::Second),
            codes,
            open: sets.legal()[place * width..][..width].to_vec(),
            ties: none(),
            safe: none(),
            losing: none(),
            leads_to_end: none(),
            stuck: none(),
            opponent_ends: none(),
            wins: Vec::new(),
            late: Vec::new(),
            late_first: Vec::new(),
            lost: BTreeMap::new(),
            stopovers: Vec::new(),
            held: none(),
            again: 0,
            finished: 0,
            trouble: None,
        }
    }

    /// Assigns a code to positions and reports the words they are in.
    pub(super) fn settle(
        &mut self,
        sets: &dyn Sets,
        found: &RowSet,
        code: Option<C>,
        mut tell: impl FnMut(usize, u64),
    ) -> SideCounts {
        let (mut count, places) = (0, sets.places());
        for (word, found) in found.words() {
            self.open[word] &= !found;
            let slots = sets.slots(self.place, word);
            if let Some(code) = code {
                for bit in bits(found & slots.numbered) {
                    self.codes[number(places, &slots, word, bit) as usize] = code;
                }
            }
            count += u64::from(slots.weight) * u64::from((found & slots.counted).count_ones());
            tell(word, found);
        }
        let mut counts = SideCounts::default();
        counts[self.side] = count;
        counts
    }

    /// Removes positions that lose by every move of the tier and only later by an exit, and queues them for that
    /// level.
    pub(super) fn hold_back(&mut self, found: &mut RowSet, plies: u32) {
        if self.late.is_empty() {
            return;
        }
        for word in bits(found.mask) {
            for bit in bits(found.words[word] & self.losing[word]) {
                if self.plies_outside(word, bit) > plies {
                    found.words[word] &= !(1 << bit);
                    self.lose_later(word, bit);
                }
            }
        }
    }

    /// Adds the positions that were queued for this level.
    pub(super) fn come_due(&mut self, found: &mut RowSet, plies: u32) {
        while let Some(entry) = self.lost.first_entry().filter(|entry| *entry.key() <= plies) {
            entry.remove().into_iter().for_each(|slot| found.add(slot as usize / 64, 1 << (slot % 64)));
        }
    }

    /// Adds the positions that an exit wins at this level.
    pub(super) fn leave_and_win(&mut self, found: &mut RowSet, plies: u32) {
        while let Some((_, slot)) = self.wins.pop_if(|&mut (sooner, _)| u32::from(sooner) <= plies) {
            let word = slot as usize / 64;
            found.add(word, self.open[word] & 1 << (slot % 64));
        }
    }

    /// Queues a win for a later level.
    pub(super) fn win_later(&mut self, slot: u16, plies: u16) {
        // Sorted with the soonest last.
        let place = self.wins.partition_point(|&(sooner, _)| sooner > plies);
        self.wins.insert(place, (plies, slot));
    }

    /// The next level with a queued position.
    pub(super) fn next_level(&self) -> Option<u32> {
        let won = self.wins.last().map(|&(plies, _)| plies.into());
        let lost = self.lost.keys().next().copied();
        let stopovers = self.stopovers.iter().filter_map(Stopover::due);
        won.into_iter().chain(lost).chain(stopovers).min()
    }

    /// The plies after which a position loses by its exits.
    fn plies_outside(&self, word: usize, bit: usize) -> u32 {
        let before = self.losing[word] & ((1 << bit) - 1);
        self.late[self.late_first[word] as usize + before.count_ones() as usize].into()
    }

    fn lose_later(&mut self, word: usize, bit: usize) {
        self.open[word] &= !(1 << bit);
        self.lost.entry(self.plies_outside(word, bit)).or_default().push((word * 64 + bit) as u16);
    }
}

/// The number within a row of a slot that has one.
#[inline]
pub(super) fn number(places: Option<&[u32]>, slots: &Slots, word: usize, bit: usize) -> u64 {
    match places {
        None => slots.first.wrapping_add(bit as u64),
        Some(places) => places[word * 64 + bit].into(),
    }
}

/// A set of positions of one row.
pub(super) struct RowSet {
    words: [u64; WIDTH],
    /// Words that may be non-empty.
    mask: u64,
}

impl RowSet {
    pub(super) const NONE: RowSet = RowSet { words: [0; WIDTH], mask: 0 };

    #[inline]
    pub(super) fn add(&mut self, word: usize, set: u64) {
        self.words[word] |= set;
        self.mask |= 1 << word;
    }

    pub(super) fn word(&self, word: usize) -> u64 {
        self.words[word]
    }

    /// All non-empty words.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, u64)> {
        bits(self.mask).map(|word| (word, self.words[word])).filter(|&(_, set)| set != 0)
    }

    /// Removes positions with a move to a set.
    pub(super) fn strike(&mut self, sets: &dyn Sets, place: usize, to: &[u64]) {
        if self.mask != 0 {
            sets.strike(place, to, &mut self.words[..sets.width()]);
        }
    }
}

impl<C: Code> SetSolver<'_, C> {
    /// Evaluates the exits of a row.
    pub(super) fn evaluate_exits(&self, row: &mut RowState<'_, C>, best: &mut [C]) {
        let mut leaving = [0u64; WIDTH];
        self.sets.exits(row.place, &mut |tier, list| {
            let solved_tier = &self.solved[tier.0 as usize];
            for &TierExit { slot, number } in list {
                let code = solved_tier.code(number.into()).before(false);
                let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
                let known = &mut best[slot as usize];
                if leaving[word] & bit == 0 || *known < code {
                    *known = code;
                }
                leaving[word] |= bit;
                if code.unpack().is_some_and(|value| value.payoff() == 0) {
                    let (mover, opponent) = solved_tier.ends.seen_before(number.into(), false);
                    row.leads_to_end[word] |= if mover { bit } else { 0 };
                    row.stuck[word] |= if opponent { 0 } else { bit };
                }
            }
        });
        self.evaluate_detours(row, &mut |row, slot, code, (mover, opponent)| {
            let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
            let known = &mut best[slot as usize];
            if leaving[word] & bit == 0 || *known < code {
                *known = code;
            }
            leaving[word] |= bit;
            if code.unpack().is_some_and(|value| value.payoff() == 0) {
                row.leads_to_end[word] |= if mover { bit } else { 0 };
                row.stuck[word] |= if opponent { 0 } else { bit };
            }
        });
        for (word, &leaving) in leaving[..self.sets.width()].iter().enumerate() {
            row.late_first.push(row.late.len() as u16);
            for bit in bits(leaving) {
                let slot = word * 64 + bit;
                let Some(value) = best[slot].unpack() else { continue };
                let plies = if self.options.distance { value.distance().unwrap_or(0) } else { 0 };
                let Ok(plies) = u16::try_from(plies) else {
                    row.trouble = Some(SolveError::Overflow);
                    return;
                };
                if value.payoff() < 0 {
                    row.losing[word] |= 1 << bit;
                    row.late.push(plies);
                    continue;
                }
                row.safe[word] |= 1 << bit;
                if value.payoff() > 0 {
                    row.wins.push((plies, slot as u16));
                }
            }
        }
        row.wins.sort_unstable_by_key(|&(plies, slot)| {
            std::cmp::Reverse(u32::from(plies) << 16 | u32::from(slot))
        });
    }

    /// Finds the positions of a row without a move within the tier.
    pub(super) fn resolve_without_inner_moves(&self, row: &mut RowState<'_, C>) {
        let rest = row.open.iter().zip(&row.safe).zip(&row.held);
        let mut rest: Vec<u64> = rest.map(|((open, safe), held)| open & !safe & !held).collect();
        self.sets.strike(row.place, self.sets.legal(), &mut rest);
        for (word, &rest) in rest.iter().enumerate() {
            for bit in bits(rest) {
                match row.losing[word] >> bit & 1 {
                    1 => row.lose_later(word, bit),
                    _ => self.finish(row, (word * 64 + bit) as u16),
                }
            }
        }
    }

    fn finish(&self, row: &mut RowState<'_, C>, slot: u16) {
        let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
        let slots = self.sets.slots(row.place, word);
        if slots.counted & bit != 0 {
            row.finished += u64::from(slots.weight);
        }
        row.open[word] &= !bit;
        match (self.outcome)(self.sets.number(row.place, slot)) {
            0 => row.ties[word] |= bit,
            -1 => row.lost.entry(0).or_default().push(slot),
            1 => {
                row.open[word] |= bit;
                row.wins.push((0, slot));
            }
            _ => row.trouble = Some(SolveError::Overflow),
        }
    }
}
