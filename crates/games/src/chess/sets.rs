//! Bitset move generation for chess endings of three to five men (kings included).
//!
//! The kings and the *outer* men are fixed for a word, and the squares of the *last* man are its 64 slots.
//!
//! ```text
//! row    the player to move, and a king pair up to symmetry
//! word   the squares of the outer men, the first in the highest digit (base 64); with three men there is none, and a
//!        row has one word
//! slot   the square of the last man
//! ```
//!
//! Moves of the last man are fills within a word. Moves of an outer man lead along its lines from word to word. A
//! king's move leads to another row, under the symmetry that maps the kings to a listed pair.
//!
//! After a double pawn step that allows an en passant capture, the position has no slot. Such moves are listed
//! separately, as detours.
//!
//! A position with equal men has a slot for each of their orders; a position with both kings on the diagonal has one
//! for either mirror image. This repeats work in these cases and avoids special cases.

use super::geometry::{GEOMETRY, Squares};
use super::index::{ChessIndex, EndingLayout, IMAGES};
use super::kings::{NO_PAIR, TRANSPOSE};
use super::material::{BLACK, MOST_MEN, PAWN};
use super::passing;
use super::setup::{NONE, Setup};
use super::spread::{attackers, before_image, origins};
use outplay_core::{SetDetour, Sets, Slots, Tier, TierExit, Turn};

/// A man other than a king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Man {
    pub(super) code: u8,
    pub(super) kind: u8,
    pub(super) black: bool,
}

impl Man {
    pub(super) fn new(code: u8) -> Man {
        Man { code, kind: code & 7, black: code & BLACK != 0 }
    }
}

/// A king's move: the row it leads to, and the symmetry on the way.
#[derive(Clone, Copy, Debug)]
struct KingMove {
    row: u32,
    image: u8,
}

/// The kings of a row and their moves.
struct KingPairRow {
    kings: [u8; 2],
    moves: Vec<KingMove>,
    /// With both kings on the diagonal: the slots of each word that have the smaller number of two images.
    smaller: Vec<u64>,
    /// With pawns on both sides: for each man of this row's player and each word of the row after this one, the slots
    /// in which the man, a pawn, can be captured en passant after a double step.
    passing: Vec<Vec<u64>>,
}

/// The positions of an ending as bitsets.
pub(super) struct ChessSets<'a> {
    pub(super) index: &'a ChessIndex,
    pub(super) layout: &'a EndingLayout,
    /// The men between the kings and the last man, at most two.
    pub(super) outers: Vec<Man>,
    pub(super) last: Man,
    rows: Vec<KingPairRow>,
    legal: Vec<u64>,
    /// The slots of each word in rows without mirror images.
    slots: Vec<Slots>,
}

impl<'a> ChessSets<'a> {
    /// The bitsets of an ending; two bare kings need none.
    pub(super) fn new(index: &'a ChessIndex, layout: &'a EndingLayout) -> Option<ChessSets<'a>> {
        let [outers @ .., last] = layout.codes.get(2..layout.men)? else { return None };
        let pairs = layout.kings.squares.len();
        let rows = (0..2 * pairs).map(|row| {
            let (white, black) = layout.kings.squares[row % pairs];
            KingPairRow {
                kings: [white, black],
                moves: king_moves(layout, [white, black], row >= pairs),
                smaller: Vec::new(),
                passing: Vec::new(),
            }
        });
        let outers = outers.iter().map(|&code| Man::new(code)).collect();
        let last = Man::new(*last);
        let (rows, legal) = (rows.collect(), Vec::new());
        let mut sets = ChessSets { index, layout, outers, last, rows, legal, slots: Vec::new() };
        let width = sets.width();
        sets.slots = (0..width).map(|word| sets.word_slots(word)).collect();
        sets.legal =
            (0..2 * pairs * width).map(|place| sets.legal_word(place / width, place % width)).collect();
        for row in 0..2 * pairs {
            let [white, black] = sets.rows[row].kings;
            if layout.kings.pair(white, black).diagonal {
                sets.rows[row].smaller = (0..width).map(|word| sets.smaller_word(row, word)).collect();
            }
            if layout.passing {
                sets.rows[row].passing =
                    (0..=sets.outers.len()).map(|man| sets.passing_words(row, man)).collect();
            }
        }
        Some(sets)
    }

    /// A man other than a king, in the order of the layout.
    fn man(&self, man: usize) -> Man {
        self.outers.get(man).copied().unwrap_or(self.last)
    }

    /// The squares of the outer men of a word.
    #[inline]
    pub(super) fn outer_squares(&self, word: usize) -> OuterSquares {
        match self.outers.len() {
            0 => outer_squares::<0>(word),
            1 => outer_squares::<1>(word),
            _ => outer_squares::<2>(word),
        }
    }

    /// The word in which an outer man has moved to another square.
    #[inline]
    fn word_with(&self, word: usize, outer: usize, square: usize) -> usize {
        let shift = 6 * (self.outers.len() - 1 - outer);
        word & !(63 << shift) | square << shift
    }

    /// Slots whose image under the remaining reflection has no smaller number.
    fn smaller_word(&self, row: usize, word: usize) -> u64 {
        let smaller = |&square: &u8| {
            let squares = self.squares(row, (word * 64) as u32 + u32::from(square));
            self.layout.digits(&squares, 0) <= self.layout.digits(&squares, TRANSPOSE)
        };
        (0..64).filter(smaller).fold(0, |all, square| all | 1 << square)
    }

    /// For each word of the row after this one, the slots in which a man of this row's player can be captured en
    /// passant after a double step; no words if it is no pawn of that player.
    fn passing_words(&self, row: usize, man: usize) -> Vec<u64> {
        let (black, after) = (self.black(row), self.passed_row(row));
        let pawn = self.man(man);
        if pawn.kind != PAWN || pawn.black != black {
            return Vec::new();
        }
        // The pawn is on the rank where a double step ends.
        let rank = if black { 4 } else { 3 };
        let square_of = |word: usize, last: u8| match man {
            man if man == self.outers.len() => last,
            man => self.outer_squares(word).list()[man],
        };
        let slots = |word: usize| {
            let here = |&last: &u8| {
                let square = square_of(word, last);
                square / 8 == rank && self.setup(after, (word * 64) as u32 + u32::from(last)).may_take(square)
            };
            Squares(self.legal_row(after)[word]).filter(here).fold(0, |all, last| all | 1 << last)
        };
        (0..self.width()).map(slots).collect()
    }

    /// The row with the same kings and the other player to move.
    fn passed_row(&self, row: usize) -> usize {
        let half = self.rows.len() / 2;
        if row < half { row + half } else { row - half }
    }

    /// The position of a slot.
    fn setup(&self, row: usize, slot: u32) -> Setup {
        Setup {
            codes: self.layout.codes,
            squares: self.squares(row, slot),
            men: self.layout.men as u8,
            black_to_move: self.black(row),
            passed: NONE,
        }
    }

    /// Whether black is to move in a row.
    pub(super) fn black(&self, row: usize) -> bool {
        row >= self.rows.len() / 2
    }

    /// The squares of the white and the black king.
    pub(super) fn kings(&self, row: usize) -> [u8; 2] {
        self.rows[row].kings
    }

    /// The words of a row's positions.
    pub(super) fn legal_row(&self, row: usize) -> &[u64] {
        &self.legal[row * self.width()..][..self.width()]
    }

    /// Squares of the last man such that no two men share a square and the side that just moved is not in check.
    fn legal_word(&self, row: usize, word: usize) -> u64 {
        let black = self.black(row);
        let [white_king, black_king] = self.rows[row].kings;
        let (king, attacked) = if black { (black_king, white_king) } else { (white_king, black_king) };
        let mut occupied = 1u64 << king | 1 << attacked;
        let squares = self.outer_squares(word);
        for (&man, &at) in self.outers.iter().zip(squares.list()) {
            if (occupied | !board(man)) >> at & 1 == 1 {
                return 0;
            }
            occupied |= 1 << at;
        }
        let mut free = !occupied & board(self.last);
        for (i, (&man, &at)) in self.outers.iter().zip(squares.list()).enumerate() {
            let others = squares.beside(king, i);
            if man.black == black && attackers(man.kind, black, attacked, others.list()) >> at & 1 == 1 {
                // Only the last man can block the line.
                free &= match man.kind {
                    PAWN => 0,
                    _ => GEOMETRY.between[at as usize][attacked as usize],
                };
            }
        }
        if self.last.black == black {
            free &= !attackers(self.last.kind, black, attacked, squares.with(king).list());
        }
        free
    }

    /// The squares of the men of a slot, in the order of the layout.
    fn squares(&self, row: usize, slot: u32) -> [u8; MOST_MEN] {
        let mut squares = [u8::MAX; MOST_MEN];
        squares[..2].copy_from_slice(&self.rows[row].kings);
        let outers = self.outer_squares(slot as usize / 64);
        squares[2..2 + outers.count].copy_from_slice(outers.list());
        squares[2 + outers.count] = (slot % 64) as u8;
        squares
    }

    /// The slots of a word in a row without mirror images.
    fn word_slots(&self, word: usize) -> Slots {
        let (outers, last) = (self.outer_squares(word), self.outers.len());
        let (mut first, mut counted) = (0u64, board(self.last));
        for group in &self.layout.groups {
            let men = group.first - 2..group.first - 2 + group.count;
            let lowest = u64::from(group.lowest);
            // Of equal men, the first stands on the highest square.
            let mut above = u64::MAX;
            let mut digit = 0u64;
            for (i, man) in men.clone().enumerate().filter(|&(_, man)| man < last) {
                let square = outers.list()[man];
                if board(self.outers[man]) & above & 1 << square == 0 {
                    return Slots::default();
                }
                above = (1 << square) - 1;
                let place = u64::from(square) - lowest;
                digit += match group.count - i {
                    1 => place,
                    2 => place * place.wrapping_sub(1) / 2,
                    _ => place * place.wrapping_sub(1) * place.wrapping_sub(2) / 6,
                };
            }
            if men.contains(&last) {
                counted &= above;
                digit = digit.wrapping_sub(lowest);
            }
            first = first.wrapping_add(digit.wrapping_mul(group.stride));
        }
        let weight = if self.layout.pawns { 2 } else { 8 };
        Slots { first, numbered: counted, counted, weight }
    }

    /// [`Sets::strike`] for a number of outer men.
    fn strike_with<const OUTERS: usize>(&self, row: usize, to: &[u64], rest: &mut [u64]) {
        let width = 1 << (6 * OUTERS);
        let black = self.black(row);
        let this = &self.rows[row];
        let KingPairRow { kings, moves, .. } = this;
        let here = &to[self.passed_row(row) * width..][..width];
        let last_passing = this.passing.get(OUTERS);
        let empty = !(1u64 << kings[0] | 1 << kings[1]);
        for word in 0..width {
            let mut left = rest[word];
            if left == 0 {
                continue;
            }
            for mv in moves {
                let there = to[mv.row as usize * width + word_image::<OUTERS>(word, mv.image)];
                if there != 0 {
                    left &= !before_image(there, mv.image);
                }
            }
            if left != 0 && self.last.black == black && here[word] != 0 {
                let outers = outer_squares::<OUTERS>(word);
                let empty = outers.list().iter().fold(empty, |empty, square| empty & !(1 << square));
                let passing = last_passing.and_then(|words| words.get(word)).unwrap_or(&0) & here[word];
                left &= !origins(self.last.kind, black, here[word] & !passing, empty);
                if passing != 0 {
                    // These pawns made a single step.
                    left &= !if black { passing << 8 } else { passing >> 8 };
                }
            }
            for (outer, man) in self.outers.iter().enumerate().take(OUTERS) {
                if left != 0 && man.black == black {
                    left &= !self.outer_moves::<OUTERS>(outer, word, this, here);
                }
            }
            rest[word] = left;
        }
    }

    /// Squares from which an outer man reaches one of a set on an empty board.
    fn outer_origins(outer: Man, words: u64) -> u64 {
        match outer.kind {
            PAWN => origins(PAWN, outer.black, words, u64::MAX),
            kind => Squares(words).fold(0, |all, to| all | GEOMETRY.reach[kind as usize][to as usize]),
        }
    }

    /// Squares of the last man for which an outer man has a move from a word to a position of `to`.
    #[inline]
    fn outer_moves<const OUTERS: usize>(
        &self,
        outer: usize,
        word: usize,
        row: &KingPairRow,
        to: &[u64],
    ) -> u64 {
        let man = self.outers[outer];
        let others = outer_squares::<OUTERS>(word).among(row.kings, outer);
        // The word without this man's square.
        let shift = 6 * (OUTERS - 1 - outer);
        let (from, base) = (word >> shift & 63, word & !(63 << shift));
        let mut found = 0;
        match man.kind {
            PAWN => {
                let step = |square: usize| if man.black { square - 8 } else { square + 8 };
                let one = step(from);
                found |= to[base | one << shift];
                let home = if man.black { 6 } else { 1 };
                if from / 8 == home && !others.list().contains(&(one as u8)) {
                    let two = base | step(one) << shift;
                    let passing = row.passing.get(outer).and_then(|words| words.get(two)).unwrap_or(&0);
                    found |= to[two] & !(1 << one) & !passing;
                }
            }
            kind => {
                let between = &GEOMETRY.between[from];
                // The words of occupied squares hold no positions.
                for square in Squares(attackers(kind, man.black, from as u8, others.list())) {
                    found |= to[base | usize::from(square) << shift] & !between[square as usize];
                }
            }
        }
        found
    }
}

/// The squares of the outer men of a word.
#[inline]
fn outer_squares<const OUTERS: usize>(word: usize) -> OuterSquares {
    let squares = match OUTERS {
        0 => [0; 2],
        1 => [word as u8, 0],
        _ => [(word / 64) as u8, (word % 64) as u8],
    };
    OuterSquares { squares, count: OUTERS }
}

/// The word whose outer squares are the images of those of a word.
#[inline]
fn word_image<const OUTERS: usize>(word: usize, image: u8) -> usize {
    let images = &IMAGES[image as usize];
    match OUTERS {
        0 => 0,
        1 => images[word].into(),
        _ => usize::from(images[word / 64]) * 64 + usize::from(images[word % 64]),
    }
}

/// A few squares.
#[derive(Clone, Copy)]
pub(super) struct FewSquares {
    squares: [u8; 4],
    count: usize,
}

impl FewSquares {
    #[inline]
    pub(super) fn list(&self) -> &[u8] {
        &self.squares[..self.count]
    }
}

/// The squares of the outer men of a word.
#[derive(Clone, Copy)]
pub(super) struct OuterSquares {
    squares: [u8; 2],
    count: usize,
}

impl OuterSquares {
    #[inline]
    pub(super) fn list(&self) -> &[u8] {
        &self.squares[..self.count]
    }

    /// These squares and another one.
    #[inline]
    pub(super) fn with(&self, square: u8) -> FewSquares {
        FewSquares { squares: [square, self.squares[0], self.squares[1], 0], count: 1 + self.count }
    }

    /// A square and these squares, without that of one outer man.
    #[inline]
    pub(super) fn beside(&self, square: u8, outer: usize) -> FewSquares {
        FewSquares { squares: [square, self.squares[1 - outer.min(1)], 0, 0], count: self.count.max(1) }
    }

    /// Two squares and these squares, without that of one outer man.
    #[inline]
    pub(super) fn among(&self, [a, b]: [u8; 2], outer: usize) -> FewSquares {
        FewSquares { squares: [a, b, self.squares[1 - outer.min(1)], 0], count: 1 + self.count.max(1) }
    }
}

/// The squares that a man can occupy at all.
fn board(man: Man) -> u64 {
    if man.kind == PAWN { 0x00ff_ffff_ffff_ff00 } else { u64::MAX }
}

fn king_moves(layout: &EndingLayout, kings: [u8; 2], black: bool) -> Vec<KingMove> {
    let pairs = layout.kings.squares.len();
    let mut moves = Vec::new();
    for to in Squares(GEOMETRY.reach[0][kings[usize::from(black)] as usize]) {
        let [white, other] = if black { [kings[0], to] } else { [to, kings[1]] };
        let pair = layout.kings.pair(white, other);
        if pair.number != NO_PAIR {
            let row = usize::from(pair.number) + if black { 0 } else { pairs };
            moves.push(KingMove { row: row as u32, image: pair.image });
        }
    }
    // Moves without a symmetry are the cheapest and often suffice.
    moves.sort_by_key(|mv| mv.image);
    moves
}

impl Sets for ChessSets<'_> {
    fn width(&self) -> usize {
        1 << (6 * self.outers.len())
    }

    fn legal(&self) -> &[u64] {
        &self.legal
    }

    fn numbers(&self) -> u64 {
        self.layout.pair_stride
    }

    fn turn(&self, row: usize) -> Turn {
        if self.black(row) { Turn::Second } else { Turn::First }
    }

    fn slots(&self, row: usize, word: usize) -> Slots {
        let slots = self.slots[word];
        match self.rows[row].smaller.get(word) {
            Some(smaller) => Slots { numbered: slots.counted & smaller, weight: 4, ..slots },
            None => slots,
        }
    }

    fn number(&self, row: usize, slot: u32) -> u64 {
        self.layout.number(&self.squares(row, slot), self.black(row))
    }

    fn strike(&self, row: usize, to: &[u64], rest: &mut [u64]) {
        match self.outers.len() {
            0 => self.strike_with::<0>(row, to, rest),
            1 => self.strike_with::<1>(row, to, rest),
            _ => self.strike_with::<2>(row, to, rest),
        }
    }

    fn touched(&self, row: usize, changed: &[u64]) -> u64 {
        let black = self.black(row);
        let here = changed[self.passed_row(row)];
        let moves = &self.rows[row].moves;
        // A bit of a mask is a square of the first outer man.
        let Some((first, others)) = self.outers.split_first() else {
            return moves.iter().fold(here, |all, mv| all | changed[mv.row as usize]);
        };
        let mut words = 0;
        if self.last.black == black || others.iter().any(|man| man.black == black) {
            words |= here;
        }
        if first.black == black && here != 0 {
            words |= Self::outer_origins(*first, here);
        }
        for mv in moves {
            words |= before_image(changed[mv.row as usize], mv.image);
        }
        words
    }

    fn exits(&self, row: usize, visit: &mut dyn FnMut(Tier, &[TierExit])) {
        super::exits::all(self, row, visit);
    }

    fn detours(&self, row: usize) -> Vec<SetDetour> {
        let black = self.black(row);
        let steps = |square: usize| if black { square + 16 } else { square - 16 };
        let mut found = Vec::new();
        for (man, words) in self.rows[row].passing.iter().enumerate() {
            for (word, &passing) in words.iter().enumerate() {
                for last in Squares(passing) {
                    let last = usize::from(last);
                    let (from, from_last) = match self.outer_squares(word).list().get(man) {
                        Some(&square) => (self.word_with(word, man, steps(square.into())), last),
                        None => (word, steps(last)),
                    };
                    if self.legal_row(row)[from] >> from_last & 1 == 0 {
                        continue;
                    }
                    let slot = (from * 64 + from_last) as u32;
                    // None if the path is blocked.
                    let detour = passing::detour(self.index, &self.setup(row, slot), man + 2);
                    found.extend(detour.map(|detour| SetDetour {
                        slot,
                        like: detour.like.map(|_| (self.passed_row(row) as u32, (word * 64 + last) as u32)),
                        instead: detour.instead.iter().map(|link| (link.tier, link.number)).collect(),
                    }));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Chess;
    use super::*;
    use crate::Spec;
    use outplay_core::{Index, Link, Predecessors};
    use std::collections::HashSet;

    /// Every position of an ending has a slot, and the sets agree with the rules about its moves.
    fn check(ending: &str, step: usize) {
        let game = Chess::from_spec(Spec::parse(&format!("chess:{ending}")).unwrap()).unwrap();
        let index = ChessIndex::new(&game);
        let tier = index.tier_of(&game.endings()[0]).unwrap();
        let sets = index.sets(tier).unwrap();
        let (width, legal) = (sets.width(), sets.legal());
        let rows = legal.len() / width;
        assert_eq!(rows as u64 * sets.numbers(), index.len(tier));
        // A pseudo-random set; it is closed under symmetry because membership depends on the number.
        let picked = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0;
        let mut to = vec![0; legal.len()];
        for (place, word) in to.iter_mut().enumerate() {
            for square in Squares(legal[place]) {
                let slot = (place % width * 64) as u32 + u32::from(square);
                if picked(sets.number(place / width, slot)) {
                    *word |= 1 << square;
                }
            }
        }
        let changed: Vec<u64> = to
            .chunks(width)
            .map(|row| {
                let filled = row.iter().enumerate().filter(|(_, word)| **word != 0);
                filled.fold(0, |all, (i, _)| all | 1 << (i >> sets.group_shift()))
            })
            .collect();
        let mut numbered = 0;
        for row in (0..rows).step_by(step) {
            let mut rest = legal[row * width..][..width].to_vec();
            sets.strike(row, &to, &mut rest);
            let touched = sets.touched(row, &changed);
            let mut left: HashSet<(u32, Link)> = HashSet::new();
            sets.exits(row, &mut |tier, list| {
                let link =
                    |leaving: &TierExit| Link { tier, number: leaving.number.into(), same_player: false };
                left.extend(list.iter().map(|leaving| (leaving.slot, link(leaving))));
            });
            let around = sets.detours(row);
            let mut listed = HashSet::new();
            for (word, &struck) in rest.iter().enumerate() {
                let slots = sets.slots(row, word);
                assert_eq!(slots.numbered & !slots.counted, 0);
                for square in 0..64u64 {
                    let slot = (word * 64) as u32 + square as u32;
                    let here = legal[row * width + word] >> square & 1 == 1;
                    let number = row as u64 * sets.numbers() + slots.first.wrapping_add(square) % (1 << 40);
                    if slots.numbered >> square & 1 == 1 {
                        assert_eq!(index.unrank(tier, number).is_some(), here, "{ending} {number}");
                        numbered += u64::from(here);
                    }
                    if !here {
                        continue;
                    }
                    let number = sets.number(row, slot);
                    let pos = index.unrank(tier, number).expect("a position has a number");
                    assert_eq!(pos.black_to_move, sets.turn(row) == Turn::Second);
                    let mut links = Vec::new();
                    index.links(&game, &pos, &mut links);
                    let strikes = links.iter().any(|link| link.tier == tier && picked(link.number));
                    assert_eq!(struck >> square & 1 == 0, strikes, "{ending} {pos:?}");
                    assert!(!strikes || touched >> (word >> sets.group_shift()) & 1 == 1, "{ending} {pos:?}");
                    listed.extend(links.iter().filter(|link| link.tier != tier).map(|&link| (slot, link)));
                    let mut detours = Vec::new();
                    index.detours(&game, tier, &pos, &mut detours);
                    let here = around.iter().filter(|detour| detour.slot == slot);
                    // Equal men may be in another order.
                    let here: HashSet<_> = here
                        .map(|detour| {
                            let like = detour.like.map(|(row, slot)| sets.number(row as usize, slot));
                            (like, detour.instead.clone())
                        })
                        .collect();
                    let expected = detours.iter().map(|detour| {
                        let instead = detour.instead.iter().map(|link| (link.tier, link.number));
                        (detour.like, instead.collect::<Vec<_>>())
                    });
                    assert_eq!(here, expected.collect(), "{ending} {pos:?}");
                }
            }
            assert_eq!(left, listed, "{ending} row {row}");
        }
        let positions = (0..index.len(tier)).filter(|&number| index.unrank(tier, number).is_some()).count();
        assert!(step > 1 || numbered == positions as u64, "{ending}: {numbered} of {positions}");
    }

    #[test]
    fn sets_of_three_men_agree_with_the_rules() {
        for ending in ["KQK", "KRK", "KBK", "KNK", "KPK"] {
            check(ending, 1);
        }
    }

    #[test]
    fn sets_of_four_men_agree_with_the_rules() {
        for ending in ["KQKR", "KBNK", "KNNK", "KRKP", "KNPK", "KPPK", "KPKP"] {
            check(ending, 41);
        }
    }

    #[test]
    #[ignore = "a minute in a debug build"]
    fn sets_of_five_men_agree_with_the_rules() {
        for ending in ["KQRKN", "KBNKP", "KNNNK", "KPPKP", "KRPKB", "KQKPP", "KPPPK", "KRKRP", "KBBKR"] {
            check(ending, 307);
        }
    }
}
