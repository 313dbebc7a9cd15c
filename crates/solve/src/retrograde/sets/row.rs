//! State of a row in the bit-parallel solver: what is known about its positions, and their exits (moves that leave the
//! tier).

use super::detours::Stopover;
use super::{SetSolver, SideCounts};
use crate::SolveError;
use outplay_core::{Code, Sets, Slots, TierExit, Turn};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A set of positions that is empty in many rows: its words are allocated by the first insertion.
#[derive(Default)]
pub(super) struct LazySet(Vec<u64>);

impl LazySet {
    #[inline]
    pub(super) fn word(&self, word: usize) -> u64 {
        self.0.get(word).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn add(&mut self, width: usize, word: usize, set: u64) {
        if set != 0 {
            if self.0.is_empty() {
                self.0 = vec![0; width];
            }
            self.0[word] |= set;
        }
    }

    pub(super) fn remove(&mut self, word: usize, set: u64) {
        if let Some(word) = self.0.get_mut(word) {
            *word &= !set;
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }
}

/// State of one row while its tier is solved.
pub(super) struct RowState<'c, C> {
    /// Index of the row.
    pub(super) place: usize,
    /// The number of its words.
    pub(super) width: usize,
    /// The binary logarithm of the number of words for each bit of a mask ([`Sets::group_shift`]).
    pub(super) shift: u32,
    /// Which of the [`SideCounts`] it contributes to.
    side: usize,
    /// The codes of its numbers.
    pub(super) codes: &'c mut [C],
    /// Unresolved positions.
    pub(super) open: Vec<u64>,
    /// Finished positions with payoff 0.
    pub(super) ties: LazySet,
    /// Positions with an exit that does not lose.
    pub(super) safe: Vec<u64>,
    /// Positions with exits, all of which lose.
    losing: Vec<u64>,
    /// Positions with an exit to a draw that the player who makes the move can end.
    pub(super) leads_to_end: LazySet,
    /// Positions with an exit to a draw that the other player cannot end.
    pub(super) stuck: LazySet,
    /// Draws that the opponent of the player to move can end.
    pub(super) opponent_ends: LazySet,
    /// Plies (the high bits) and slots of wins by an exit, the soonest last.
    wins: Vec<u32>,
    /// Plies of the `losing` slots in order, and where those of each word begin.
    late: Vec<u16>,
    late_first: Vec<u32>,
    /// Slots that are lost at a later level.
    lost: BTreeMap<u32, Vec<u32>>,
    /// Targets of its detours.
    pub(super) stopovers: Vec<Stopover>,
    /// Positions that stopovers keep from being lost.
    pub(super) held: LazySet,
    /// Mask of the words to evaluate again although no move within the tier changed.
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
            width,
            shift: sets.group_shift(),
            side: usize::from(sets.turn(place) == Turn::Second),
            codes,
            open: sets.legal()[place * width..][..width].to_vec(),
            ties: LazySet::default(),
            safe: none(),
            losing: none(),
            leads_to_end: LazySet::default(),
            stuck: LazySet::default(),
            opponent_ends: LazySet::default(),
            wins: Vec::new(),
            late: Vec::new(),
            late_first: Vec::new(),
            lost: BTreeMap::new(),
            stopovers: Vec::new(),
            held: LazySet::default(),
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
        for word in found.places() {
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
        let bits = self.slot_bits();
        while let Some(win) = self.wins.pop_if(|win| *win >> bits <= plies) {
            let slot = (win & ((1 << bits) - 1)) as usize;
            found.add(slot / 64, self.open[slot / 64] & 1 << (slot % 64));
        }
    }

    /// Queues a win for a later level.
    pub(super) fn win_later(&mut self, slot: u32, plies: u32) {
        let Some(win) = self.exit_win(slot, plies) else { return };
        // Sorted with the soonest last.
        let place = self.wins.partition_point(|&sooner| sooner > win);
        self.wins.insert(place, win);
    }

    /// The entry of a win by an exit; none if the plies are too many for it.
    fn exit_win(&mut self, slot: u32, plies: u32) -> Option<u32> {
        let bits = self.slot_bits();
        if plies >> (u32::BITS - bits) != 0 {
            self.trouble = Some(SolveError::Overflow);
            return None;
        }
        Some(plies << bits | slot)
    }

    /// The bits of a slot's number.
    fn slot_bits(&self) -> u32 {
        (self.width * 64).next_power_of_two().ilog2()
    }

    /// The next level with a queued position.
    pub(super) fn next_level(&self) -> Option<u32> {
        let won = self.wins.last().map(|win| win >> self.slot_bits());
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
        self.lost.entry(self.plies_outside(word, bit)).or_default().push((word * 64 + bit) as u32);
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

thread_local! {
    /// Words of sets that were dropped, all zero.
    static SPARE: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// A set of positions of one row.
pub(super) struct RowSet {
    /// Allocated by the first insertion.
    words: Vec<u64>,
    width: usize,
    /// Mask of the words that may be non-empty.
    mask: u64,
    shift: u32,
}

impl RowSet {
    /// The empty set.
    #[inline]
    pub(super) fn new(sets: &dyn Sets) -> RowSet {
        RowSet { words: Vec::new(), width: sets.width(), mask: 0, shift: sets.group_shift() }
    }

    #[inline]
    pub(super) fn add(&mut self, word: usize, set: u64) {
        if set != 0 {
            if self.words.is_empty() {
                self.allocate();
            }
            self.words[word] |= set;
            self.mask |= 1 << (word >> self.shift);
        }
    }

    #[cold]
    fn allocate(&mut self) {
        self.words = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        self.words.resize(self.width, 0);
    }

    /// Replaces the positions of a larger set that are left by those that were removed from it.
    #[inline]
    pub(super) fn complement(&mut self, from: impl Fn(usize) -> u64) {
        self.places().for_each(|word| self.words[word] = from(word) & !self.words[word]);
    }

    /// The words that may be non-empty.
    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        words_of(self.mask, self.shift)
    }

    /// All non-empty words.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, u64)> {
        self.places().map(|word| (word, self.words[word])).filter(|&(_, set)| set != 0)
    }

    /// Removes positions with a move to a set.
    pub(super) fn strike(&mut self, sets: &dyn Sets, place: usize, to: &[u64]) {
        if self.mask != 0 {
            sets.strike(place, to, &mut self.words);
        }
    }
}

impl Drop for RowSet {
    #[inline]
    fn drop(&mut self) {
        if !self.words.is_empty() {
            self.places().for_each(|word| self.words[word] = 0);
            let words = std::mem::take(&mut self.words);
            SPARE.with_borrow_mut(|spare| spare.push(words));
        }
    }
}

/// The words of a mask whose bits stand for groups of `1 << shift` words.
#[inline]
pub(super) fn words_of(mut mask: u64, shift: u32) -> impl Iterator<Item = usize> {
    let (mut at, mut end) = (0, 0);
    std::iter::from_fn(move || {
        if at == end {
            if mask == 0 {
                return None;
            }
            at = (mask.trailing_zeros() as usize) << shift;
            end = at + (1 << shift);
            mask &= mask - 1;
        }
        at += 1;
        Some(at - 1)
    })
}

impl<C: Code> SetSolver<'_, C> {
    /// Evaluates the exits of a row.
    pub(super) fn evaluate_exits(&self, row: &mut RowState<'_, C>, best: &mut [C]) {
        let width = self.sets.width();
        let mut leaving = vec![0u64; width];
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
                    row.leads_to_end.add(width, word, if mover { bit } else { 0 });
                    row.stuck.add(width, word, if opponent { 0 } else { bit });
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
                row.leads_to_end.add(width, word, if mover { bit } else { 0 });
                row.stuck.add(width, word, if opponent { 0 } else { bit });
            }
        });
        for (word, &leaving) in leaving.iter().enumerate() {
            row.late_first.push(row.late.len() as u32);
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
                    let win = row.exit_win(slot as u32, plies.into());
                    row.wins.extend(win);
                }
            }
        }
        row.wins.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// Finds the positions of a row without a move within the tier.
    pub(super) fn resolve_without_inner_moves(&self, row: &mut RowState<'_, C>) {
        let rest = row.open.iter().zip(&row.safe).enumerate();
        let mut rest: Vec<u64> =
            rest.map(|(word, (open, safe))| open & !safe & !row.held.word(word)).collect();
        self.sets.strike(row.place, self.sets.legal(), &mut rest);
        for (word, &rest) in rest.iter().enumerate() {
            for bit in bits(rest) {
                match row.losing[word] >> bit & 1 {
                    1 => row.lose_later(word, bit),
                    _ => self.finish(row, (word * 64 + bit) as u32),
                }
            }
        }
    }

    fn finish(&self, row: &mut RowState<'_, C>, slot: u32) {
        let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
        let slots = self.sets.slots(row.place, word);
        if slots.counted & bit != 0 {
            row.finished += u64::from(slots.weight);
        }
        row.open[word] &= !bit;
        match (self.outcome)(self.sets.number(row.place, slot)) {
            0 => row.ties.add(row.width, word, bit),
            -1 => row.lost.entry(0).or_default().push(slot),
            1 => {
                row.open[word] |= bit;
                // The soonest win is the last, and no other needs fewer plies.
                row.wins.push(slot);
            }
            _ => row.trouble = Some(SolveError::Overflow),
        }
    }
}
