//! Captures and promotions that leave a chess ending, generated for a word of positions at a time.
//!
//! A word fixes the kings and the outer men; the last man stands on a different square in each of its positions. A move
//! leads to an ending with one man less, or with another man. There, one man is *free*, the last man or the one that
//! has just moved to its square; a table by the square of the free man gives the ranks of the successors.
//!
//! | the move | free |
//! |---|---|
//! | a king or an outer man captures an outer man; an outer pawn promotes | the last man |
//! | an outer man captures the last man | the outer man |
//! | a king captures the last man, or the last man captures an outer man | none: each move has a rank of its own |
//! | the last man, a pawn, promotes | the last man |

use super::geometry::{GEOMETRY, Squares};
use super::index::{ChessIndex, EndingLayout, IMAGES};
use super::material::{BLACK, MOST_MEN, Material, PAWN};
use super::rules::PROMOTIONS;
use super::sets::{ChessSets, Man};
use super::spread::attackers;
use outplay_core::{Tier, TierExit};
use smallvec::{SmallVec, smallvec};

type Visit<'v> = &'v mut dyn FnMut(Tier, &[TierExit]);

/// A few men, squares or promotions, without an allocation.
type Few<T> = SmallVec<[T; 4]>;

/// The squares of the first and the eighth rank.
const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// The ending that a move leads to.
struct TargetEnding<'a> {
    tier: Tier,
    layout: &'a EndingLayout,
    /// Whether the colours are swapped so that the stronger side is white.
    swap: bool,
}

impl<'a> TargetEnding<'a> {
    /// The ending with the given men beside the kings.
    fn new(index: &'a ChessIndex, codes: impl Iterator<Item = u8>) -> TargetEnding<'a> {
        let (tier, swap) = index.tier_with(Material::key(codes));
        TargetEnding { tier, layout: index.layout(tier), swap }
    }

    /// The squares of the kings and of some men as the ending has them, the side to move, and the man of the ending
    /// that has no square yet.
    fn placed(&self, kings: [u8; 2], black: bool, men: &[(u8, u8)]) -> ([u8; MOST_MEN], bool, usize) {
        let (flip, recolour) = if self.swap { (56, BLACK) } else { (0, 0) };
        let mut squares = [u8::MAX; MOST_MEN];
        (squares[0], squares[1]) = match self.swap {
            false => (kings[0], kings[1]),
            true => (kings[1] ^ 56, kings[0] ^ 56),
        };
        for &(code, square) in men {
            let is_free =
                |place: &usize| squares[*place] == u8::MAX && self.layout.codes[*place] == code ^ recolour;
            // The ending has all of these men.
            let place = (2..self.layout.men).find(is_free).unwrap_or(2);
            squares[place] = square ^ flip;
        }
        let left = (2..self.layout.men).find(|&place| squares[place] == u8::MAX).unwrap_or(2);
        (squares, black == self.swap, left)
    }

    /// The number of the position with these men; the opponent of `black` is to move.
    fn number(&self, kings: [u8; 2], black: bool, men: &[(u8, u8)]) -> u32 {
        let (squares, black_to_move, _) = self.placed(kings, black, men);
        self.layout.number(&squares, black_to_move) as u32
    }

    /// The numbers with a free man on any square, for fixed kings and other men; the opponent of `black` is to move.
    fn numbers(&self, kings: [u8; 2], black: bool, fixed: &[(u8, u8)]) -> FreeNumbers<'a> {
        let flip = if self.swap { 56 } else { 0 };
        let (mut squares, black_to_move, place) = self.placed(kings, black, fixed);
        let pair = self.layout.kings.pair(squares[0], squares[1]);
        let linear = match &self.layout.strides {
            Some((strides, _)) if !pair.diagonal => {
                let images = &IMAGES[pair.image as usize];
                squares[place] = 8;
                let eighth = self.layout.number(&squares, black_to_move);
                // Digits of pawns count from square 8, so the base may be negative.
                let base = eighth.wrapping_sub(u64::from(images[8]) * strides[place]);
                Some((base, strides[place], images))
            }
            _ => None,
        };
        FreeNumbers { layout: self.layout, squares, black_to_move, place, flip, linear }
    }
}

/// The numbers of positions that differ in the square of one man, the free man.
struct FreeNumbers<'a> {
    layout: &'a EndingLayout,
    squares: [u8; MOST_MEN],
    black_to_move: bool,
    /// The free man.
    place: usize,
    flip: u8,
    /// If moving the free man changes one digit only: the number of digit zero, the factor, and the images of squares.
    linear: Option<(u64, u64, &'static [u8; 64])>,
}

impl FreeNumbers<'_> {
    #[inline]
    fn at(&self, square: u8) -> u32 {
        let square = square ^ self.flip;
        if let Some((base, stride, images)) = self.linear {
            return base.wrapping_add(u64::from(images[square as usize]) * stride) as u32;
        }
        let mut squares = self.squares;
        squares[self.place] = square;
        self.layout.number(&squares, self.black_to_move) as u32
    }
}

/// Visits all moves of a row that leave the tier.
pub(super) fn all(sets: &ChessSets<'_>, row: usize, visit: Visit<'_>) {
    let (black, kings) = (sets.black(row), sets.kings(row));
    let (king, other) = if black { (kings[1], kings[0]) } else { (kings[0], kings[1]) };
    let mut men: Vec<Man> = sets.outers.clone();
    men.push(sets.last);
    let mut exits = RowExits { sets, black, kings, king, other, men, goals: Vec::new() };
    for (word, &legal) in sets.legal_row(row).iter().enumerate().filter(|(_, legal)| **legal != 0) {
        let squares = sets.outer_squares(word);
        WordExits { row: &mut exits, word: word as u32, legal, squares: squares.list() }.all();
    }
    exits.goals.iter().for_each(|goal| visit(goal.ending.tier, &goal.exits));
}

/// An ending that a man's move leads to, and the moves of the row that lead to it.
struct Goal<'a> {
    /// The man that is captured.
    taken: Option<usize>,
    /// A pawn that promotes, and its new code.
    promoted: Option<(usize, u8)>,
    ending: TargetEnding<'a>,
    exits: Vec<TierExit>,
}

/// The moves of a row that leave the tier.
struct RowExits<'a> {
    sets: &'a ChessSets<'a>,
    black: bool,
    kings: [u8; 2],
    /// The king of the player to move, and the other one.
    king: u8,
    other: u8,
    /// The men other than the kings, the last man last.
    men: Vec<Man>,
    goals: Vec<Goal<'a>>,
}

impl<'a> RowExits<'a> {
    fn goal(&mut self, taken: Option<usize>, promoted: Option<(usize, u8)>) -> &mut Goal<'a> {
        let known = self.goals.iter().position(|goal| (goal.taken, goal.promoted) == (taken, promoted));
        let place = known.unwrap_or_else(|| {
            let left = (0..self.men.len()).filter(|&man| Some(man) != taken);
            let code = |man: usize| match promoted {
                Some((pawn, code)) if pawn == man => code,
                _ => self.men[man].code,
            };
            let ending = TargetEnding::new(self.sets.index, left.map(code));
            self.goals.push(Goal { taken, promoted, ending, exits: Vec::new() });
            self.goals.len() - 1
        });
        &mut self.goals[place]
    }

    /// The codes that a man of the player to move has after a move to a square: itself, or the promotions of a pawn.
    fn codes_at(&self, man: usize, square: u8) -> Few<Option<(usize, u8)>> {
        let Man { code, kind, .. } = self.men[man];
        match kind == PAWN && LAST_RANKS >> square & 1 == 1 {
            true => PROMOTIONS.iter().map(|kind| Some((man, kind | code & BLACK))).collect(),
            false => smallvec![None],
        }
    }
}

/// The moves of a word that leave the tier.
struct WordExits<'w, 'a> {
    row: &'w mut RowExits<'a>,
    word: u32,
    /// The squares of the last man in the positions of the word.
    legal: u64,
    /// The squares of the outer men.
    squares: &'w [u8],
}

impl WordExits<'_, '_> {
    fn all(&mut self) {
        let (black, last) = (self.row.black, self.squares.len());
        for man in 0..=last {
            let Man { kind, black: colour, .. } = self.row.men[man];
            if colour != black {
                self.king_captures(man);
                (0..=last).filter(|&taker| taker != man).for_each(|taker| self.captures(taker, man));
            } else if kind == PAWN {
                self.promotes(man);
            }
        }
    }

    fn is_enemy(&self, man: usize) -> bool {
        self.row.men[man].black != self.row.black
    }

    /// The outer men other than two men, with their squares.
    fn others(&self, a: usize, b: usize) -> Few<(usize, u8)> {
        let squares = self.squares.iter().copied().enumerate();
        squares.filter(|&(man, _)| man != a && man != b).collect()
    }

    /// The codes and squares of those men.
    fn fixed(&self, others: &[(usize, u8)]) -> Few<(u8, u8)> {
        others.iter().map(|&(man, square)| (self.row.men[man].code, square)).collect()
    }

    /// Squares of the last man, or of the man that has just captured it, on which none of some outer men attacks the
    /// own king on a square; the man may block their lines. `blockers` are the other men that may.
    fn safe(&self, king: u8, others: &[(usize, u8)], blockers: &[u8]) -> u64 {
        let mut safe = u64::MAX;
        for &(man, at) in others.iter().filter(|&&(man, _)| self.is_enemy(man)) {
            let Man { kind, black, .. } = self.row.men[man];
            let mut between: Few<u8> = blockers.into();
            between.extend(others.iter().filter(|&&(other, _)| other != man).map(|&(_, square)| square));
            if attackers(kind, black, king, &between) >> at & 1 == 1 {
                safe &= if kind == PAWN { 0 } else { GEOMETRY.between[at as usize][king as usize] };
            }
        }
        safe
    }

    /// Squares on which the last man, if it is an enemy, does not attack a king on a square.
    fn safe_from_last(&self, king: u8, blockers: &[u8]) -> u64 {
        let last = self.row.men[self.squares.len()];
        match last.black == self.row.black {
            true => u64::MAX,
            false => !attackers(last.kind, last.black, king, blockers),
        }
    }

    fn add(
        &mut self,
        taken: Option<usize>,
        promoted: Option<(usize, u8)>,
        exits: impl Iterator<Item = (u8, u32)>,
    ) {
        let word = self.word * 64;
        let exits = exits.map(|(last, number)| TierExit { slot: word + u32::from(last), number });
        self.row.goal(taken, promoted).exits.extend(exits);
    }

    /// The king captures a man.
    fn king_captures(&mut self, taken: usize) {
        let last = self.squares.len();
        let RowExits { black, mut kings, king, other, .. } = *self.row;
        let targets = GEOMETRY.reach[0][king as usize] & !GEOMETRY.reach[0][other as usize];
        let squares = if taken == last { self.legal } else { 1 << self.squares[taken] };
        if targets & squares == 0 {
            return;
        }
        let others = self.others(taken, last);
        let fixed = self.fixed(&others);
        if taken == last {
            for at in Squares(targets & self.legal) {
                // The king stands on the square, so no man can block a line to it.
                if self.safe(at, &others, &[other]) == u64::MAX {
                    kings[usize::from(black)] = at;
                    let number = self.row.goal(Some(last), None).ending.number(kings, black, &fixed);
                    self.add(Some(last), None, std::iter::once((at, number)));
                }
            }
            return;
        }
        let at = self.squares[taken];
        let mut blockers: Few<u8> = smallvec![other];
        blockers.extend(others.iter().map(|&(_, square)| square));
        let lasts = self.legal & self.safe(at, &others, &[other]) & self.safe_from_last(at, &blockers);
        if lasts != 0 {
            kings[usize::from(black)] = at;
            let numbers = self.row.goal(Some(taken), None).ending.numbers(kings, black, &fixed);
            self.add(Some(taken), None, Squares(lasts).map(|last| (last, numbers.at(last))));
        }
    }

    /// A man of the player to move captures another man.
    fn captures(&mut self, taker: usize, taken: usize) {
        if self.is_enemy(taker) {
            return;
        }
        let last = self.squares.len();
        let RowExits { black, kings, king, other, .. } = *self.row;
        let Man { kind, code, .. } = self.row.men[taker];
        let others = self.others(taken, taker);
        let mut fixed = self.fixed(&others);
        let mut around: Few<u8> = smallvec![kings[0], kings[1]];
        around.extend(others.iter().map(|&(_, square)| square));
        if taken == last {
            let from = self.squares[taker];
            let attacked = match kind {
                PAWN => GEOMETRY.pawn_attacks[usize::from(black)][from as usize],
                _ => attackers(kind, black, from, &around),
            };
            let targets = self.legal & attacked;
            let targets = if targets == 0 { 0 } else { targets & self.safe(king, &others, &[other]) };
            for part in [targets & LAST_RANKS, targets & !LAST_RANKS].into_iter().filter(|&part| part != 0) {
                for promoted in self.row.codes_at(taker, part.trailing_zeros() as u8) {
                    let numbers = self.row.goal(Some(last), promoted).ending.numbers(kings, black, &fixed);
                    self.add(Some(last), promoted, Squares(part).map(|at| (at, numbers.at(at))));
                }
            }
            return;
        }
        let at = self.squares[taken];
        let seen = attackers(kind, black, at, &around);
        if taker == last {
            let froms = self.legal & seen;
            if froms == 0 || self.safe(king, &others, &[other, at]) != u64::MAX {
                return;
            }
            for promoted in self.row.codes_at(taker, at) {
                let code = promoted.map_or(code, |(_, code)| code);
                fixed.push((code, at));
                let number = self.row.goal(Some(taken), promoted).ending.number(kings, black, &fixed);
                fixed.pop();
                self.add(Some(taken), promoted, Squares(froms).map(|from| (from, number)));
            }
            return;
        }
        let from = self.squares[taker];
        if seen >> from & 1 == 0 {
            return;
        }
        // The last man is not in between, and does not attack the king once the taker has left its square.
        let mut lasts = self.legal & self.safe_from_last(king, &[other, at]);
        if kind != PAWN {
            lasts &= !GEOMETRY.between[from as usize][at as usize];
        }
        for promoted in self.row.codes_at(taker, at).into_iter().filter(|_| lasts != 0) {
            let code = promoted.map_or(code, |(_, code)| code);
            fixed.push((code, at));
            let numbers = self.row.goal(Some(taken), promoted).ending.numbers(kings, black, &fixed);
            fixed.pop();
            self.add(Some(taken), promoted, Squares(lasts).map(|last| (last, numbers.at(last))));
        }
    }

    /// A pawn of the player to move promotes without a capture.
    fn promotes(&mut self, pawn: usize) {
        let last = self.squares.len();
        let RowExits { black, kings, king, other, .. } = *self.row;
        let rank = if black { 0xffu64 << 8 } else { 0xff << 48 };
        if rank & if pawn == last { self.legal } else { 1 << self.squares[pawn] } == 0 {
            return;
        }
        let step = |square: u8| if black { square - 8 } else { square + 8 };
        let others = self.others(pawn, last);
        let mut fixed = self.fixed(&others);
        let mut taken: Few<u8> = smallvec![kings[0], kings[1]];
        taken.extend(others.iter().map(|&(_, square)| square));
        if pawn == last {
            let free = |&from: &u8| {
                let to = step(from);
                !taken.contains(&to) && self.safe(king, &others, &[other, to]) == u64::MAX
            };
            let froms = Squares(self.legal & rank).filter(free).fold(0u64, |all, from| all | 1 << from);
            for promoted in self.row.codes_at(pawn, step(rank.trailing_zeros() as u8)) {
                let numbers = self.row.goal(None, promoted).ending.numbers(kings, black, &fixed);
                self.add(None, promoted, Squares(froms).map(|from| (from, numbers.at(step(from)))));
            }
            return;
        }
        let to = step(self.squares[pawn]);
        if taken.contains(&to) {
            return;
        }
        let mut blockers: Few<u8> = smallvec![other, to];
        blockers.extend(others.iter().map(|&(_, square)| square));
        let lasts = self.legal
            & !(1 << to)
            & self.safe(king, &others, &[other, to])
            & self.safe_from_last(king, &blockers);
        for promoted in self.row.codes_at(pawn, to) {
            let code = promoted.map_or(0, |(_, code)| code);
            fixed.push((code, to));
            let numbers = self.row.goal(None, promoted).ending.numbers(kings, black, &fixed);
            fixed.pop();
            self.add(None, promoted, Squares(lasts).map(|last| (last, numbers.at(last))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Chess;
    use super::*;
    use crate::Spec;

    #[test]
    fn numbers_of_a_free_man_are_those_of_its_positions() {
        let game = Chess::from_spec(Spec::parse("chess:KPK").unwrap()).unwrap();
        let index = ChessIndex::new(&game);
        let apart = |a: u8, b: u8| (a / 8).abs_diff(b / 8).max((a % 8).abs_diff(b % 8)) > 1;
        let mut squares = [u8::MAX; MOST_MEN];
        for code in [PAWN, PAWN | BLACK] {
            let goal = TargetEnding::new(&index, std::iter::once(code));
            let flip = if goal.swap { 56 } else { 0 };
            for kings in (0..64).flat_map(|white| (0..64).map(move |black| [white, black])) {
                if !apart(kings[0], kings[1]) {
                    continue;
                }
                let [stronger, weaker] = if goal.swap { [kings[1], kings[0]] } else { kings };
                for black in [false, true] {
                    let numbers = goal.numbers(kings, black, &[]);
                    for at in 8..56 {
                        squares[..3].copy_from_slice(&[stronger ^ flip, weaker ^ flip, at ^ flip]);
                        let number = goal.layout.number(&squares, black == goal.swap);
                        assert_eq!(u64::from(numbers.at(at)), number, "{kings:?} {at}");
                    }
                }
            }
        }
    }
}
