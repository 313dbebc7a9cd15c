//! Bitset move generation for chess endings of three and four men (kings included).
//!
//! The kings and the *outer* man are fixed for a word, and the squares of the *last* man are its 64 slots.
//!
//! ```text
//! row    the player to move, and a king pair up to symmetry
//! word   the square of the outer man; with three men there is none, and a row has one word
//! slot   the square of the last man
//! ```
//!
//! Moves of the last man are fills within a word. Moves of the outer man lead along its lines from word to word. A
//! king's move leads to another row, under the symmetry that maps the kings to a listed pair.
//!
//! After a double pawn step that allows an en passant capture, the position has no slot. Such moves are listed
//! separately, as detours.
//!
//! A position with two equal men has two slots, one for either order; so has a position with both kings on the
//! diagonal, one for either mirror image. This doubles the work in these cases and avoids special cases.

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
    /// With pawns on both sides: for each word, from the opponent's point of view, the slots in which the pawn of
    /// this row's player can be captured en passant after a double step.
    passing: Vec<u64>,
}

/// The positions of an ending as bitsets.
pub(super) struct ChessSets<'a> {
    pub(super) index: &'a ChessIndex,
    pub(super) layout: &'a EndingLayout,
    pub(super) outer: Option<Man>,
    pub(super) last: Man,
    rows: Vec<KingPairRow>,
    legal: Vec<u64>,
}

impl<'a> ChessSets<'a> {
    /// The bitsets of an ending. Two bare kings need none, and five men exceed the width of a row.
    pub(super) fn new(index: &'a ChessIndex, layout: &'a EndingLayout) -> Option<ChessSets<'a>> {
        let (outer, last) = match layout.men {
            3 => (None, Man::new(layout.codes[2])),
            4 => (Some(Man::new(layout.codes[2])), Man::new(layout.codes[3])),
            _ => return None,
        };
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
        let mut sets = ChessSets { index, layout, outer, last, rows: rows.collect(), legal: Vec::new() };
        let width = sets.width();
        sets.legal =
            (0..2 * pairs * width).map(|place| sets.legal_word(place / width, place % width)).collect();
        for row in 0..2 * pairs {
            let [white, black] = sets.rows[row].kings;
            if layout.kings.pair(white, black).diagonal {
                sets.rows[row].smaller = (0..width).map(|word| sets.smaller_word(row, word)).collect();
            }
            if layout.passing {
                sets.rows[row].passing = sets.passing_words(row);
            }
        }
        Some(sets)
    }

    /// Slots whose image under the remaining reflection has no smaller number.
    fn smaller_word(&self, row: usize, word: usize) -> u64 {
        let smaller = |&square: &u8| {
            let squares = self.squares(row, (word * 64) as u32 + u32::from(square));
            self.layout.digits(&squares, 0) <= self.layout.digits(&squares, TRANSPOSE)
        };
        (0..64).filter(smaller).fold(0, |all, square| all | 1 << square)
    }

    /// For each word of the row after this one, the slots in which a pawn can be captured after a double step.
    fn passing_words(&self, row: usize) -> Vec<u64> {
        let (black, after) = (self.black(row), self.passed_row(row));
        let outer_moves = self.outer.is_some_and(|outer| outer.black == black);
        let mut words = vec![0; self.width()];
        // Both pawns are on the rank where a double step ends, on adjacent files.
        let home = if black { 32u8 } else { 24 };
        for (outer, last) in
            (home..home + 8).flat_map(|a| [(a, a + 1), (a + 1, a)]).filter(|&(a, b)| a.max(b) < home + 8)
        {
            let slot = u32::from(outer) * 64 + u32::from(last);
            let here = self.legal_row(after)[outer as usize] >> last & 1 == 1;
            if here && self.setup(after, slot).may_take(if outer_moves { outer } else { last }) {
                words[outer as usize] |= 1 << last;
            }
        }
        words
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
        let occupied = 1u64 << king | 1 << attacked;
        let mut squares = !occupied & board(self.last);
        let Some(outer) = self.outer else {
            if self.last.black == black {
                squares &= !attackers(self.last.kind, black, attacked, &[king]);
            }
            return squares;
        };
        let outer_at = word as u8;
        if (occupied | !board(outer)) >> word & 1 == 1 {
            return 0;
        }
        squares &= !(1 << word);
        if outer.black == black && attackers(outer.kind, black, attacked, &[king]) >> word & 1 == 1 {
            // Only the last man can block the line.
            squares &= match outer.kind {
                PAWN => 0,
                _ => GEOMETRY.between[word][attacked as usize],
            };
        }
        if self.last.black == black {
            squares &= !attackers(self.last.kind, black, attacked, &[king, outer_at]);
        }
        squares
    }

    /// The squares of the men of a slot, in the order of the layout.
    fn squares(&self, row: usize, slot: u32) -> [u8; MOST_MEN] {
        let mut squares = [u8::MAX; MOST_MEN];
        squares[..2].copy_from_slice(&self.rows[row].kings);
        let last = (slot % 64) as u8;
        match self.outer {
            None => squares[2] = last,
            Some(_) => (squares[2], squares[3]) = ((slot / 64) as u8, last),
        }
        squares
    }

    /// Squares from which the outer man reaches one of the words on an empty board.
    fn outer_origins(&self, outer: Man, words: u64) -> u64 {
        match outer.kind {
            PAWN => origins(PAWN, outer.black, words, u64::MAX),
            kind => Squares(words).fold(0, |all, to| all | GEOMETRY.reach[kind as usize][to as usize]),
        }
    }

    /// Squares of the last man for which the outer man has a move from `from` to a position of `to`, by word.
    #[inline]
    fn outer_moves(&self, outer: Man, from: usize, row: &KingPairRow, to: &[u64]) -> u64 {
        let mut found = 0;
        let kings = &row.kings;
        match outer.kind {
            PAWN => {
                let step = |square: usize| if outer.black { square - 8 } else { square + 8 };
                let one = step(from);
                found |= to[one];
                let home = if outer.black { 6 } else { 1 };
                if from / 8 == home && !kings.contains(&(one as u8)) {
                    let two = step(one);
                    found |= to[two] & !(1 << one) & !row.passing.get(two).unwrap_or(&0);
                }
            }
            kind => {
                // The words of occupied squares hold no positions.
                for square in Squares(attackers(kind, outer.black, from as u8, kings)) {
                    found |= to[square as usize] & !GEOMETRY.between[from][square as usize];
                }
            }
        }
        found
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
        if self.outer.is_some() { 64 } else { 1 }
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
        let lowest = |man: Man| if man.kind == PAWN { 8u64 } else { 0 };
        let (mut first, mut counted) = (0u64.wrapping_sub(lowest(self.last)), board(self.last));
        if let Some(outer) = self.outer {
            if board(outer) >> word & 1 == 0 {
                return Slots::default();
            }
            let place = word as u64 - lowest(outer);
            if outer == self.last {
                first = first.wrapping_add(place * place.wrapping_sub(1) / 2);
                counted &= (1 << word) - 1;
            } else {
                first = first.wrapping_add(place * self.layout.groups[0].stride);
            }
        }
        let smaller = self.rows[row].smaller.get(word);
        let numbered = counted & smaller.unwrap_or(&u64::MAX);
        let weight = match (self.layout.pawns, smaller.is_some()) {
            (true, _) => 2,
            (false, true) => 4,
            (false, false) => 8,
        };
        Slots { first, numbered, counted, weight }
    }

    fn number(&self, row: usize, slot: u32) -> u64 {
        self.layout.number(&self.squares(row, slot), self.black(row))
    }

    fn strike(&self, row: usize, to: &[u64], rest: &mut [u64]) {
        let width = self.width();
        let black = self.black(row);
        let this = &self.rows[row];
        let KingPairRow { kings, moves, .. } = this;
        let here = &to[self.passed_row(row) * width..][..width];
        let empty = !(1u64 << kings[0] | 1 << kings[1]);
        for word in 0..width {
            let mut left = rest[word];
            if left == 0 {
                continue;
            }
            for mv in moves {
                let there = to[mv.row as usize * width + IMAGES[mv.image as usize][word] as usize % width];
                if there != 0 {
                    left &= !before_image(there, mv.image);
                }
            }
            if left != 0 && self.last.black == black && here[word] != 0 {
                let empty = if width == 1 { empty } else { empty & !(1 << word) };
                let passing = this.passing.get(word).unwrap_or(&0) & here[word];
                left &= !origins(self.last.kind, black, here[word] & !passing, empty);
                if passing != 0 {
                    // These pawns made a single step.
                    left &= !if black { passing << 8 } else { passing >> 8 };
                }
            }
            if left != 0
                && let Some(outer) = self.outer
                && outer.black == black
            {
                left &= !self.outer_moves(outer, word, this, here);
            }
            rest[word] = left;
        }
    }

    fn touched(&self, row: usize, changed: &[u64]) -> u64 {
        let black = self.black(row);
        let here = changed[self.passed_row(row)];
        let moves = &self.rows[row].moves;
        let Some(outer) = self.outer else {
            return moves.iter().fold(here, |all, mv| all | changed[mv.row as usize]);
        };
        let mut words = 0;
        if self.last.black == black {
            words |= here;
        }
        if outer.black == black && here != 0 {
            words |= self.outer_origins(outer, here);
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
        let outer_moves = self.outer.is_some_and(|outer| outer.black == black);
        let steps = |square: u32| if black { square + 16 } else { square - 16 };
        let (mut found, mut detours) = (Vec::new(), Vec::new());
        for (word, &passing) in self.rows[row].passing.iter().enumerate() {
            for last in Squares(passing) {
                let (outer, last) = (word as u32, u32::from(last));
                let (from, from_last) = if outer_moves { (steps(outer), last) } else { (outer, steps(last)) };
                if self.legal_row(row)[from as usize] >> from_last & 1 == 0 {
                    continue;
                }
                let slot = from * 64 + from_last;
                detours.clear();
                passing::detours(self.index, &self.setup(row, slot), &mut detours);
                // With one pawn a side there is at most one detour, and none if the path is blocked.
                found.extend(detours.drain(..).map(|detour| SetDetour {
                    slot,
                    like: detour.like.map(|_| (self.passed_row(row) as u32, outer * 64 + last)),
                    instead: detour.instead.iter().map(|link| (link.tier, link.number)).collect(),
                }));
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
                row.iter().enumerate().filter(|(_, word)| **word != 0).fold(0, |all, (i, _)| all | 1 << i)
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
                    assert!(!strikes || touched >> word & 1 == 1, "{ending} {pos:?}");
                    listed.extend(links.iter().filter(|link| link.tier != tier).map(|&link| (slot, link)));
                    let mut detours = Vec::new();
                    index.detours(&game, tier, &pos, &mut detours);
                    let here = around.iter().filter(|detour| detour.slot == slot);
                    let here = here.map(|detour| {
                        let like = detour.like.map(|(row, slot)| sets.number(row as usize, slot));
                        (like, detour.instead.clone())
                    });
                    let expected = detours.iter().map(|detour| {
                        let instead = detour.instead.iter().map(|link| (link.tier, link.number));
                        (detour.like, instead.collect::<Vec<_>>())
                    });
                    assert!(here.eq(expected), "{ending} {pos:?}");
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
}
