//! Bitset move generation for morris endings.
//!
//! ```text
//! row    a shape (the occupied points) up to symmetry
//! slot   the mover's men among those of the shape, a bit for each man; a set of slots is thus the truth table of a
//!        Boolean function of these bits (see `colours`)
//! ```
//!
//! A step of a man leads to the row of another shape, whoever owns the other men, so the move is made in all positions
//! of a row at once. The set of positions in which it is legal, and the set in which it closes a mill, are ANDs of
//! variables.
//!
//! Where a symmetry maps a shape to itself, a position and its images have a slot each, and the slot of one of them
//! gives their rank in the table.

use super::colours::{MOST_MEN, before, owned};
use super::endings::EndingIndex;
use super::rules::{LOST, each};
use super::shapes::{Packer, Shapes};
use outplay_core::{Sets, Slots, Tier, TierExit, Turn};
use smallvec::SmallVec;

/// The positions of an ending as bitsets.
pub(super) struct EndingSets<'a> {
    index: &'a EndingIndex,
    shapes: &'a Shapes,
    men: (u8, u8),
    /// The legal slots of a row, the same for every row.
    arrangements: Vec<u64>,
    /// Of these, the slots in which the mover may fly.
    flying: Option<Vec<u64>>,
    legal: Vec<u64>,
    /// The number within a row of each slot.
    places: Vec<u32>,
    /// The slots that have a number, where a shape has symmetries.
    smallest: Vec<Option<Box<[u64]>>>,
}

/// A step of a man of any owner.
struct ShapeStep {
    /// The index of the man within the shape.
    man: usize,
    to: u8,
    /// Whether the step is legal for flying men only.
    flies: bool,
    /// The row of the resulting shape.
    row: usize,
    image: u8,
}

impl<'a> EndingSets<'a> {
    /// The bitsets of an ending; `None` for the finished positions.
    pub(super) fn new(index: &'a EndingIndex, tier: Tier) -> Option<EndingSets<'a>> {
        let (a, b) = index.men(tier);
        let men = usize::from(a + b);
        if (a, b) == LOST || men > MOST_MEN {
            return None;
        }
        let shapes = index.shapes(men as u32);
        let words = 1 << (men - 6);
        let with = |wanted: &dyn Fn(u32) -> bool| -> Vec<u64> {
            let word =
                |word: u32| (0..64).fold(0, |all, bit| all | u64::from(wanted(word * 64 + bit)) << bit);
            (0..words).map(word).collect()
        };
        let arrangements = with(&|mover| [a, b].contains(&(mover.count_ones() as u8)));
        let flying = (index.game.flying && b == 3).then(|| with(&|mover| mover.count_ones() == 3));
        let divided = |mover: u32| [a, b].contains(&(mover.count_ones() as u8));
        let place = |mover| if divided(mover) { index.in_half((a, b), mover) as u32 } else { 0 };
        let legal =
            arrangements.iter().copied().cycle().take(arrangements.len() * shapes.rows.len()).collect();
        let mut sets = EndingSets {
            index,
            shapes,
            men: (a, b),
            arrangements,
            flying,
            legal,
            places: (0..1u32 << men).map(place).collect(),
            smallest: Vec::new(),
        };
        sets.smallest = (0..shapes.rows.len()).map(|row| sets.smallest(row)).collect();
        Some(sets)
    }

    /// The slots of a row that have a number; `None` if all have one.
    fn smallest(&self, row: usize) -> Option<Box<[u64]>> {
        if self.shapes.still[row] == 1 {
            return None;
        }
        let mut words = self.arrangements.clone();
        for slot in 0..(words.len() * 64) as u32 {
            let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
            if words[word] & bit != 0 && self.index.smallest(self.shapes, row, slot) != slot {
                words[word] &= !bit;
            }
        }
        Some(words.into())
    }

    /// All steps of the men of a row, whatever their owners.
    #[inline]
    fn shape_steps(&self, row: usize) -> impl Iterator<Item = ShapeStep> + '_ {
        let shape = self.shapes.rows[row];
        let board = &self.index.game.board;
        let empty = board.all() & !shape;
        each(shape).enumerate().flat_map(move |(man, from)| {
            let near = board.near[from as usize] & empty;
            let far = if self.flying.is_some() { empty & !near } else { 0 };
            // Neighbours first: those steps are legal in more positions.
            let targets = each(near).map(|to| (to, false)).chain(each(far).map(|to| (to, true)));
            targets.map(move |(to, flies)| {
                let (row, image) = self.index.row(self.shapes, shape & !(1 << from) | 1 << to);
                ShapeStep { man, to, flies, row, image }
            })
        })
    }

    /// The index of each man of a row within the shape that a step leads to.
    #[inline]
    fn places_after(&self, shape: u32, step: &ShapeStep) -> [u8; MOST_MEN] {
        let after = self.shapes.rows[step.row];
        let mut places = [0; MOST_MEN];
        for (man, point) in each(shape).enumerate() {
            let point = if man == step.man { step.to } else { point };
            let image = self.index.images.of(step.image, 1 << point);
            places[man] = (after & (image - 1)).count_ones() as u8;
        }
        places
    }

    /// The positions of a word in which a step closes a mill with other men of the mover.
    #[inline]
    fn closed(&self, shape: u32, step: &ShapeStep, word: usize) -> u64 {
        let mut closed = 0;
        for &line in &self.index.game.board.through[step.to as usize] {
            if line & !shape == 0 {
                let mut all = u64::MAX;
                for point in each(line) {
                    let man = (shape & ((1 << point) - 1)).count_ones() as usize;
                    // The moving man has left its old point.
                    all &= if man == step.man { 0 } else { owned(man, word) };
                }
                closed |= all;
            }
        }
        closed
    }

    /// Whether a position has a move within the tier to one of a set.
    fn leads(&self, shape: u32, slot: u32, to: &[u64]) -> bool {
        let index = self.index;
        let mover = Packer::unpack(slot, shape);
        let (opponent, empty) = (shape & !mover, index.game.board.all() & !shape);
        each(mover).any(|from| {
            let rest = mover & !(1 << from);
            each(index.game.targets(from, mover, empty)).any(|target| {
                if index.game.board.closes(rest, target) {
                    return false;
                }
                let (row, image) = index.row(self.shapes, shape & !(1 << from) | 1 << target);
                let slot =
                    index.packer.pack(index.images.of(image, opponent), self.shapes.rows[row]) as usize;
                to[row * self.arrangements.len() + slot / 64] >> (slot % 64) & 1 == 1
            })
        })
    }

    /// Visits the tiers and numbers of all captures of a position.
    fn captures(&self, mover: u32, opponent: u32, visit: &mut impl FnMut((Tier, u64))) {
        let index = self.index;
        let empty = index.game.board.all() & !(mover | opponent);
        for from in each(mover) {
            let rest = mover & !(1 << from);
            for to in each(index.game.targets(from, mover, empty)) {
                if index.game.board.closes(rest, to) {
                    for taken in each(index.game.takeable(opponent)) {
                        // The tiers cover all material that play can reach.
                        index
                            .number(opponent & !(1 << taken), rest | 1 << to)
                            .into_iter()
                            .for_each(&mut *visit);
                    }
                }
            }
        }
    }
}

impl Sets for EndingSets<'_> {
    fn width(&self) -> usize {
        self.arrangements.len()
    }

    fn legal(&self) -> &[u64] {
        &self.legal
    }

    fn numbers(&self) -> u64 {
        self.index.in_row(self.men)
    }

    fn turn(&self, _row: usize) -> Turn {
        Turn::First
    }

    fn slots(&self, row: usize, word: usize) -> Slots {
        let counted = self.arrangements[word];
        let numbered = self.smallest[row].as_ref().map_or(counted, |words| words[word]);
        let images = self.index.images.count() as u32;
        Slots { first: 0, numbered, counted, weight: images / self.shapes.still[row].count_ones() }
    }

    fn places(&self) -> Option<&[u32]> {
        Some(&self.places)
    }

    fn number(&self, row: usize, slot: u32) -> u64 {
        let smallest = self.index.smallest(self.shapes, row, slot);
        row as u64 * self.numbers() + u64::from(self.places[smallest as usize])
    }

    fn strike(&self, row: usize, to: &[u64], rest: &mut [u64]) {
        /// Up to this number for every 64 words, positions are tested one by one.
        const SPARSE: u32 = 8;
        let (width, shape) = (self.width(), self.shapes.rows[row]);
        let few = SPARSE << self.group_shift();
        if rest.iter().map(|word| word.count_ones()).sum::<u32>() <= few {
            for (word, rest) in rest.iter_mut().enumerate() {
                let mut bits = *rest;
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    if self.leads(shape, word as u32 * 64 + bit, to) {
                        *rest &= !(1 << bit);
                    }
                    bits &= bits - 1;
                }
            }
            return;
        }
        let mut table: SmallVec<[u64; 64]> = SmallVec::from_elem(0, width);
        for step in self.shape_steps(row) {
            let after = &to[step.row * width..][..width];
            let flying = self.flying.as_ref().filter(|_| step.flies);
            // The positions in which the step is legal.
            let may = |word: usize| owned(step.man, word) & flying.map_or(u64::MAX, |flying| flying[word]);
            let wanted = rest.iter().enumerate().any(|(word, rest)| rest & may(word) != 0);
            if !wanted || after.iter().all(|&word| word == 0) {
                continue;
            }
            let places = self.places_after(shape, &step);
            before(after, &places[..shape.count_ones() as usize], &mut table);
            for (word, rest) in rest.iter_mut().enumerate().filter(|(_, rest)| **rest != 0) {
                let origins = table[word] & may(word);
                if origins & *rest != 0 {
                    *rest &= !(origins & !self.closed(shape, &step, word));
                }
            }
        }
    }

    fn touched(&self, row: usize, changed: &[u64]) -> u64 {
        let any = self.shape_steps(row).any(|step| changed[step.row] != 0);
        if any { u64::MAX >> (64 - self.width().min(64)) } else { 0 }
    }

    fn exits(&self, row: usize, visit: &mut dyn FnMut(Tier, &[TierExit])) {
        let shape = self.shapes.rows[row];
        let mut lists: Vec<(Tier, Vec<TierExit>)> = Vec::new();
        for (word, &arrangements) in self.arrangements.iter().enumerate() {
            for bit in 0..64u32 {
                if arrangements >> bit & 1 == 0 {
                    continue;
                }
                let slot = word as u32 * 64 + bit;
                let mover = Packer::unpack(slot, shape);
                self.captures(mover, shape & !mover, &mut |(tier, number)| {
                    let leaving = TierExit { slot, number: number as u32 };
                    match lists.iter_mut().find(|(known, _)| *known == tier) {
                        Some((_, list)) => list.push(leaving),
                        None => lists.push((tier, vec![leaving])),
                    }
                });
            }
        }
        lists.iter().for_each(|(tier, list)| visit(*tier, list));
    }
}
