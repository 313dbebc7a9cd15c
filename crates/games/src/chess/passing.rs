//! En passant captures in a chess index: positions with an en passant right have no rank of their own.
//!
//! ```text
//!     b c d e
//! 4   . P p .      white played c2c4, and black may reply d4c3: c3 is the en passant square
//! 3   . * . .
//! 2   . . . .
//! ```
//!
//! Such a position is a *detour* ([`outplay_core::Detour`]): its value is the maximum, for the player to move, over the
//! same position without the right and the captures, each of which leads to an ending with one man less.
//!
//! Invariant: a position stores the en passant square only if one of the captures is legal, so that equal positions
//! compare equal.

use super::index::ChessIndex;
use super::material::PAWN;
use super::setup::{NONE, Setup};
use outplay_core::{Detour, Index, Link};

/// The square of the pawn that made a double step over `passed`.
#[inline]
pub(super) fn passer(passed: u8) -> u8 {
    passed ^ 8
}

/// The squares to the left and right of a square.
#[inline]
fn beside(square: u8) -> u64 {
    let place = 1u64 << square;
    (place & !0x0101_0101_0101_0101) >> 1 | (place & !0x8080_8080_8080_8080) << 1
}

impl Setup {
    /// The en passant square, if a capture on it is legal.
    pub(super) fn passed(&self) -> Option<u8> {
        (self.passed != NONE).then_some(self.passed)
    }

    /// The same men without the en passant right.
    pub(super) fn without_right(&self) -> Setup {
        Setup { passed: NONE, ..*self }
    }

    /// The same men after a double step over a square: with the en passant right if a capture is legal, without it
    /// otherwise.
    #[inline]
    pub(super) fn with_right(&self, passed: u8) -> Setup {
        let right = Setup { passed, ..*self };
        if right.takers().next().is_some() { right } else { self.without_right() }
    }

    /// The pawns that can legally capture en passant.
    pub(super) fn takers(&self) -> impl Iterator<Item = usize> + '_ {
        let black = self.black_to_move;
        // Both pawns leave the rank at once, which may expose the king to a check that pin detection misses. Legality
        // is therefore tested on the position after the capture.
        let legal = move |&man: &usize| !self.after(self.squares[man], self.passed, None).in_check(black);
        let near = if self.passed == NONE { 0 } else { beside(passer(self.passed)) };
        let is_near = move |&man: &usize| {
            near >> (self.squares[man] & 63) & 1 == 1 && self.kind(man) == PAWN && self.is_black(man) == black
        };
        (2..self.men as usize).filter(is_near).filter(legal)
    }

    /// Of a pawn's targets, those of a double step that allows an en passant capture.
    #[inline]
    pub(super) fn passing(&self, man: usize, targets: u64) -> u64 {
        let from = self.squares[man];
        let black = self.is_black(man);
        if self.kind(man) != PAWN || from / 8 != if black { 6 } else { 1 } {
            return 0;
        }
        let to = if black { from - 16 } else { from + 16 };
        let near = targets >> to & 1 == 1 && self.pawns(!black) & beside(to) != 0;
        if near && self.after(from, to, None).passed != NONE { 1 << to } else { 0 }
    }

    /// The origin two steps behind a pawn that has just moved, if it is excluded because the pawn could be captured
    /// en passant now.
    #[inline]
    pub(super) fn detoured(&self, man: usize) -> u64 {
        let (black, square) = (self.is_black(man), self.squares[man]);
        if self.kind(man) != PAWN || square / 8 != if black { 4 } else { 3 } || !self.may_take(square) {
            return 0;
        }
        1 << if black { square + 16 } else { square - 16 }
    }

    /// Whether a pawn that has just come to a square by a double step can be captured en passant.
    #[inline]
    pub(super) fn may_take(&self, square: u8) -> bool {
        self.pawns(self.black_to_move) & beside(square) != 0 && self.with_right(passer(square)).passed != NONE
    }

    /// The squares of a side's pawns.
    fn pawns(&self, black: bool) -> u64 {
        let own = (2..self.men as usize).filter(|&man| self.kind(man) == PAWN && self.is_black(man) == black);
        own.fold(0, |all, man| all | 1 << self.squares[man])
    }

    /// Checks that a pawn of the player who just moved can have passed over a square; the error is the reason why
    /// not.
    pub(super) fn can_have_passed(&self, passed: u8) -> Result<(), &'static str> {
        let black = !self.black_to_move;
        let (from, to) = if black { (passed + 8, passed - 8) } else { (passed - 8, passed + 8) };
        let Some(man) = (2..self.men as usize)
            .find(|&man| self.squares[man] == to && self.kind(man) == PAWN && self.is_black(man) == black)
        else {
            return Err("there is no pawn on the square in front of it");
        };
        let [white, others] = self.sides();
        if (white | others) & (1 << passed | 1 << from) != 0 {
            return Err("the squares behind it are not empty");
        }
        let mut before = self.without_right();
        before.squares[man] = from;
        before.black_to_move = black;
        if before.is_legal() {
            Ok(())
        } else {
            Err("the opposing king would have been in check before that move")
        }
    }
}

/// The moves of a position after which an en passant capture is legal.
pub(super) fn detours(index: &ChessIndex, pos: &Setup, out: &mut Vec<Detour>) {
    let targets = pos.targets();
    out.extend((2..pos.men as usize).filter_map(|man| detour_of(index, pos, man, targets[man])));
}

/// The double step of a man after which an en passant capture is legal, if it has one.
pub(super) fn detour(index: &ChessIndex, pos: &Setup, man: usize) -> Option<Detour> {
    detour_of(index, pos, man, pos.targets()[man])
}

fn detour_of(index: &ChessIndex, pos: &Setup, man: usize, targets: u64) -> Option<Detour> {
    let link = |pos: Setup| {
        let (tier, number) = index.rank(&pos);
        Link { tier, number, same_player: false }
    };
    let to = pos.passing(man, targets);
    if to == 0 {
        return None;
    }
    let next = pos.after(pos.squares[man], to.trailing_zeros() as u8, None);
    let plain = next.without_right();
    let goes_on = plain.targets().iter().any(|&set| set != 0);
    let takes = |taker: usize| link(next.after(next.squares[taker], next.passed, None));
    Some(Detour {
        like: goes_on.then(|| link(plain).number),
        instead: next.takers().map(takes).collect(),
        same_player: false,
    })
}
