//! Captures and promotions that leave a chess ending, generated for a whole row of positions at a time.
//!
//! A row fixes the kings. The smaller ending that such a move leads to has one or two men besides the kings, of which
//! one is *free*: it stands on a different square in each position of the row. A table by that square gives the ranks
//! of the successors.

use super::geometry::{GEOMETRY, Squares};
use super::index::{ChessIndex, EndingLayout, IMAGES};
use super::material::{BLACK, MOST_MEN, Material, PAWN};
use super::rules::PROMOTIONS;
use super::sets::{ChessSets, Man};
use super::spread::attackers;
use outplay_core::{Tier, TierExit};

type Visit<'v> = &'v mut dyn FnMut(Tier, &[TierExit]);

fn leave(slot: u32, number: u32) -> TierExit {
    TierExit { slot, number }
}

/// The ending that a move leads to.
struct TargetEnding<'a> {
    tier: Tier,
    layout: &'a EndingLayout,
    /// Whether the colours are swapped so that the stronger side is white.
    swap: bool,
}

impl<'a> TargetEnding<'a> {
    /// The ending with the given men beside the kings.
    fn new(index: &'a ChessIndex, codes: &[u8]) -> TargetEnding<'a> {
        let (tier, swap) = index.tier_with(Material::key(codes.iter().copied()));
        TargetEnding { tier, layout: index.layout(tier), swap }
    }

    /// The numbers with the free man on each square, for fixed kings and possibly another fixed man; the opponent of
    /// `black` is to move. Squares on which the man cannot stand have no number.
    fn numbers(&self, kings: [u8; 2], black: bool, free: u8, fixed: Option<(u8, u8)>) -> [u32; 64] {
        let (flip, recolour) = if self.swap { (56, BLACK) } else { (0, 0) };
        let mut squares = [u8::MAX; MOST_MEN];
        (squares[0], squares[1]) = match self.swap {
            false => (kings[0], kings[1]),
            true => (kings[1] ^ 56, kings[0] ^ 56),
        };
        let mut place = 2;
        if let Some((code, square)) = fixed {
            let fixed_place = if self.layout.codes[2] == code ^ recolour { 2 } else { 3 };
            squares[fixed_place] = square ^ flip;
            place = 5 - fixed_place;
        }
        let black_to_move = black == self.swap;
        let pair = self.layout.kings.pair(squares[0], squares[1]);
        let mut numbers = [u32::MAX; 64];
        let allowed = if free & 7 == PAWN { 8..56 } else { 0..64 };
        if let (Some((strides, _)), false) = (&self.layout.strides, pair.diagonal) {
            // Moving the free man changes one digit only. Digits of pawns count from square 8, so the base may be
            // negative.
            let images = &IMAGES[pair.image as usize];
            squares[place] = 8;
            let eighth = self.layout.number(&squares, black_to_move);
            let base = eighth.wrapping_sub(u64::from(images[8]) * strides[place]);
            for square in allowed {
                let image = images[(square ^ flip) as usize];
                numbers[square as usize] = base.wrapping_add(u64::from(image) * strides[place]) as u32;
            }
            return numbers;
        }
        for square in allowed {
            squares[place] = square ^ flip;
            numbers[square as usize] = self.layout.number(&squares, black_to_move) as u32;
        }
        numbers
    }
}

/// Visits all moves of a row that leave the tier.
pub(super) fn all(sets: &ChessSets<'_>, row: usize, visit: Visit<'_>) {
    match sets.outer {
        None => three_men(sets, row, visit),
        Some(outer) => {
            let mut list = Vec::new();
            four_men(sets, row, [outer, sets.last], true, &mut list, visit);
            four_men(sets, row, [sets.last, outer], false, &mut list, visit);
        }
    }
}

/// The king of the player to move and the other one.
fn kings_by_turn(kings: [u8; 2], black: bool) -> (u8, u8) {
    if black { (kings[1], kings[0]) } else { (kings[0], kings[1]) }
}

/// The kings after a capture by the king of the player to move.
fn after_king_move(mut kings: [u8; 2], black: bool, to: u8) -> [u8; 2] {
    kings[usize::from(black)] = to;
    kings
}

/// Squares on which a king can capture.
fn king_captures(king: u8, other: u8) -> u64 {
    GEOMETRY.reach[0][king as usize] & !GEOMETRY.reach[0][other as usize]
}

/// The squares before the promotion rank, and the step onto it.
fn last_step(black: bool) -> (std::ops::Range<u8>, fn(u8) -> u8) {
    if black { (8..16, |square| square - 8) } else { (48..56, |square| square + 8) }
}

/// Three men: the king captures the only other man, or a pawn promotes.
fn three_men(sets: &ChessSets<'_>, row: usize, visit: Visit<'_>) {
    let (man, black, kings) = (sets.last, sets.black(row), sets.kings(row));
    let (king, other) = kings_by_turn(kings, black);
    let legal = sets.legal_row(row)[0];
    let mut list: Vec<TierExit> = Vec::new();
    if man.black != black {
        let goal = TargetEnding::new(sets.index, &[]);
        for square in Squares(legal & king_captures(king, other)) {
            let [white, black_king] = after_king_move(kings, black, square);
            let mut squares = [u8::MAX; MOST_MEN];
            (squares[0], squares[1]) = (white, black_king);
            let number = goal.layout.number(&squares, !black) as u32;
            list.push(leave(square.into(), number));
        }
        visit(goal.tier, &list);
    } else if man.kind == PAWN {
        let (row_before, step) = last_step(black);
        for kind in PROMOTIONS {
            let code = kind | man.code & BLACK;
            let goal = TargetEnding::new(sets.index, &[code]);
            let numbers = goal.numbers(kings, black, code, None);
            list.clear();
            for square in row_before.clone().filter(|&square| legal >> square & 1 == 1) {
                if !kings.contains(&step(square)) {
                    list.push(leave(square.into(), numbers[step(square) as usize]));
                }
            }
            visit(goal.tier, &list);
        }
    }
}

/// Four men: the first of two men is captured by the king or by the second, or it is a pawn that promotes.
fn four_men(
    sets: &ChessSets<'_>,
    row: usize,
    [man, second]: [Man; 2],
    outer: bool,
    list: &mut Vec<TierExit>,
    visit: Visit<'_>,
) {
    let (black, kings) = (sets.black(row), sets.kings(row));
    let (king, other) = kings_by_turn(kings, black);
    let legal = sets.legal_row(row);
    let slot = |at: u8, second_at: u8| {
        let (outer_at, last_at) = if outer { (at, second_at) } else { (second_at, at) };
        u32::from(outer_at) * 64 + u32::from(last_at)
    };
    // The legal squares of the second man, with the first on a given square.
    let with = |at: u8| match outer {
        true => legal[at as usize],
        false => legal.iter().enumerate().fold(0, |all, (i, word)| all | (word >> at & 1) << i),
    };
    if man.black != black {
        let goal = TargetEnding::new(sets.index, &[second.code]);
        list.clear();
        for at in Squares(king_captures(king, other)) {
            let mut seconds = with(at);
            if second.black != black {
                seconds &= !attackers(second.kind, second.black, at, &[other]);
            }
            if seconds != 0 {
                let after = after_king_move(kings, black, at);
                let numbers = goal.numbers(after, black, second.code, None);
                list.extend(Squares(seconds).map(|to| leave(slot(at, to), numbers[to as usize])));
            }
        }
        visit(goal.tier, list);
        if second.black == black {
            captured_by_the_second(sets, row, [man, second], &with, &slot, list, visit);
        }
    } else if man.kind == PAWN {
        let (row_before, step) = last_step(black);
        for kind in PROMOTIONS {
            let code = kind | man.code & BLACK;
            let goal = TargetEnding::new(sets.index, &[code.min(second.code), code.max(second.code)]);
            list.clear();
            for at in row_before.clone().filter(|&at| !kings.contains(&step(at))) {
                let to = step(at);
                let mut seconds = with(at) & !(1 << to);
                if second.black != black {
                    seconds &= !attackers(second.kind, second.black, king, &[other, to]);
                }
                let numbers = goal.numbers(kings, black, second.code, Some((code, to)));
                list.extend(Squares(seconds).map(|square| leave(slot(at, square), numbers[square as usize])));
            }
            visit(goal.tier, list);
        }
    }
}

/// The second man captures the first; a pawn may promote by the capture.
fn captured_by_the_second(
    sets: &ChessSets<'_>,
    row: usize,
    [man, second]: [Man; 2],
    with: &dyn Fn(u8) -> u64,
    slot: &dyn Fn(u8, u8) -> u32,
    list: &mut Vec<TierExit>,
    visit: Visit<'_>,
) {
    let (black, kings) = (sets.black(row), sets.kings(row));
    let last_rows = 0xff00_0000_0000_00ffu64;
    let targets = if second.kind == PAWN { !last_rows } else { u64::MAX };
    let mut take = |code: u8, targets: u64| {
        let goal = TargetEnding::new(sets.index, &[code]);
        let numbers = goal.numbers(kings, black, code, None);
        list.clear();
        for at in Squares(targets) {
            let from = with(at);
            if from != 0 {
                let takers = from & attackers(second.kind, second.black, at, &kings);
                list.extend(Squares(takers).map(|square| leave(slot(at, square), numbers[at as usize])));
            }
        }
        visit(goal.tier, list);
    };
    take(second.code, targets);
    if second.kind == PAWN && man.kind != PAWN {
        PROMOTIONS.iter().for_each(|kind| take(kind | second.code & BLACK, last_rows));
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
            let goal = TargetEnding::new(&index, &[code]);
            let flip = if goal.swap { 56 } else { 0 };
            for kings in (0..64).flat_map(|white| (0..64).map(move |black| [white, black])) {
                if !apart(kings[0], kings[1]) {
                    continue;
                }
                let [stronger, weaker] = if goal.swap { [kings[1], kings[0]] } else { kings };
                for black in [false, true] {
                    let numbers = goal.numbers(kings, black, code, None);
                    for at in 8..56 {
                        squares[..3].copy_from_slice(&[stronger ^ flip, weaker ^ flip, at ^ flip]);
                        let number = goal.layout.number(&squares, black == goal.swap);
                        assert_eq!(u64::from(numbers[at as usize]), number, "{kings:?} {at}");
                    }
                }
            }
        }
    }
}
