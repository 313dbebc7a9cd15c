//! A chess position: men on squares, the player to move and the en passant square.
//!
//! ```text
//! codes    K  k  Q  r         the kings first, then white's men, then black's, strongest first;
//! squares  a1 c3 d4 h8        equal men by square
//! ```
//!
//! Invariant: equal positions have equal bytes, because the order of men is fixed and unused entries are filled with
//! ones.

use super::geometry::GEOMETRY;
use super::material::{BLACK, KING, MOST_MEN, PAWN};
use super::passing::passer;

/// A position of a chess ending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    pub(super) codes: [u8; MOST_MEN],
    pub(super) squares: [u8; MOST_MEN],
    pub(super) men: u8,
    pub(super) black_to_move: bool,
    /// The en passant square, if a capture on it is legal.
    pub(super) passed: u8,
}

/// Marks an absent man or square.
pub(super) const NONE: u8 = u8::MAX;

impl Setup {
    /// Builds a position from men, kings first, and sorts the others.
    pub(super) fn new(men: &[(u8, u8)], black_to_move: bool) -> Setup {
        let mut setup = Setup {
            codes: [NONE; MOST_MEN],
            squares: [NONE; MOST_MEN],
            men: men.len() as u8,
            black_to_move,
            passed: NONE,
        };
        for (i, &(code, square)) in men.iter().enumerate() {
            setup.codes[i] = code;
            setup.squares[i] = square;
        }
        setup.sort();
        setup
    }

    /// Sorts the men after the kings; there are at most three.
    #[inline]
    fn sort(&mut self) {
        for i in 3..self.men as usize {
            let mut place = i;
            let key = |setup: &Setup, place: usize| (setup.codes[place], setup.squares[place]);
            while place > 2 && key(self, place) < key(self, place - 1) {
                self.codes.swap(place, place - 1);
                self.squares.swap(place, place - 1);
                place -= 1;
            }
        }
    }

    /// Whether the man with an index is black; the kings are 0 and 1.
    #[inline]
    pub(super) fn is_black(&self, man: usize) -> bool {
        self.codes[man] & BLACK != 0
    }

    #[inline]
    pub(super) fn kind(&self, man: usize) -> u8 {
        self.codes[man] & 7
    }

    /// The square of a side's king.
    #[inline]
    pub(super) fn king(&self, black: bool) -> u8 {
        self.squares[usize::from(black)]
    }

    /// The squares of white's and of black's men.
    #[inline]
    pub(super) fn sides(&self) -> [u64; 2] {
        let mut sides = [0; 2];
        for man in 0..self.men as usize {
            sides[usize::from(self.is_black(man))] |= 1 << self.squares[man];
        }
        sides
    }

    /// The squares that a man attacks; `ghost` is transparent (x-ray).
    #[inline]
    pub(super) fn sees(&self, man: usize, ghost: usize) -> u64 {
        let square = self.squares[man] as usize;
        match self.kind(man) {
            PAWN => GEOMETRY.pawn_attacks[usize::from(self.is_black(man))][square],
            kind => {
                let mut seen = GEOMETRY.reach[kind as usize][square];
                if kind != KING && kind < 4 {
                    for other in 0..self.men as usize {
                        if other != ghost {
                            // A man does not block its own lines.
                            seen &= !GEOMETRY.shadow[square][self.squares[other] as usize];
                        }
                    }
                }
                seen
            }
        }
    }

    /// Whether a side's king is in check.
    #[inline]
    pub(super) fn in_check(&self, black: bool) -> bool {
        let sides = self.sides();
        self.attacked(black, sides[0] | sides[1])
    }

    /// Whether a side's king is in check, given the occupied squares.
    #[inline]
    fn attacked(&self, black: bool, occupied: u64) -> bool {
        let king = self.king(black) as usize;
        (0..self.men as usize).filter(|&man| self.is_black(man) != black).any(|man| {
            let square = self.squares[man] as usize;
            match self.kind(man) {
                PAWN => GEOMETRY.pawn_attacks[usize::from(!black)][square] >> king & 1 == 1,
                kind => {
                    GEOMETRY.reach[kind as usize][square] >> king & 1 == 1
                        && GEOMETRY.between[square][king] & occupied == 0
                }
            }
        })
    }

    /// The legal targets of each man of the player to move; empty for other men.
    pub(super) fn targets(&self) -> [u64; MOST_MEN] {
        let black = self.black_to_move;
        let mine = usize::from(black);
        let sides = self.sides();
        let (own, opponent) = (sides[mine], sides[1 - mine]);
        let occupied = own | opponent;
        let king = self.king(black) as usize;
        let mut attacked = 0u64;
        // Squares that evade a check by a man other than the king, and the squares left to each pinned man.
        let mut answers = u64::MAX;
        let mut pinned = [u64::MAX; MOST_MEN];
        for man in 0..self.men as usize {
            if self.is_black(man) == black {
                continue;
            }
            // The king does not shield the squares behind it.
            attacked |= self.sees(man, mine);
            let (square, kind) = (self.squares[man] as usize, self.kind(man));
            if kind == PAWN {
                if GEOMETRY.pawn_attacks[1 - mine][square] >> king & 1 == 1 {
                    answers &= 1 << square;
                }
            } else if GEOMETRY.reach[kind as usize][square] >> king & 1 == 1 {
                let line = GEOMETRY.between[square][king];
                let between = line & occupied;
                if between == 0 {
                    answers &= line | 1 << square;
                } else if between & (between - 1) == 0 && between & own != 0 {
                    for (i, pin) in pinned.iter_mut().enumerate().take(self.men as usize) {
                        if between >> (self.squares[i] & 63) & 1 == 1 {
                            *pin &= line | 1 << square;
                        }
                    }
                }
            }
        }
        let mut targets = [0; MOST_MEN];
        for man in 0..self.men as usize {
            if self.is_black(man) != black {
                continue;
            }
            targets[man] = match self.kind(man) {
                KING => GEOMETRY.reach[0][king] & !own & !attacked,
                PAWN => self.pawn_targets(man, occupied, opponent) & answers & pinned[man],
                _ => self.sees(man, MOST_MEN) & !own & answers & pinned[man],
            };
        }
        if self.passed != NONE {
            self.takers().for_each(|man| targets[man] |= 1 << self.passed);
        }
        targets
    }

    #[inline]
    fn pawn_targets(&self, man: usize, occupied: u64, opponent: u64) -> u64 {
        let black = self.is_black(man);
        let square = self.squares[man] as usize;
        let pawn = 1u64 << square;
        let captures = GEOMETRY.pawn_attacks[usize::from(black)][square] & opponent;
        let (one, two, home) = if black {
            (pawn >> 8, pawn >> 16, square / 8 == 6)
        } else {
            (pawn << 8, pawn << 16, square / 8 == 1)
        };
        let mut ahead = one & !occupied;
        if home && ahead != 0 {
            ahead |= two & !occupied;
        }
        captures | ahead
    }

    /// The position after a man moved to a square, possibly with a promotion.
    pub(super) fn after(&self, from: u8, to: u8, kind: Option<u8>) -> Setup {
        let mut next = Setup { black_to_move: !self.black_to_move, passed: NONE, ..*self };
        let pawn = (2..self.men as usize).any(|man| self.squares[man] == from && self.kind(man) == PAWN);
        // A pawn that moves to the en passant square captures the pawn behind it.
        let prey = if pawn && to == self.passed { passer(to) } else { to };
        // A king is never captured, so the first two entries stay.
        if let Some(taken) = (2..self.men as usize).find(|&man| self.squares[man] == prey) {
            let last = self.men as usize - 1;
            for place in taken..last {
                next.codes[place] = next.codes[place + 1];
                next.squares[place] = next.squares[place + 1];
            }
            next.codes[last] = NONE;
            next.squares[last] = NONE;
            next.men -= 1;
        }
        if let Some(man) = (0..next.men as usize).find(|&man| next.squares[man] == from) {
            next.squares[man] = to;
            if let Some(kind) = kind {
                next.codes[man] = kind | (next.codes[man] & BLACK);
            }
        }
        next.sort();
        if pawn && from.abs_diff(to) == 16 { next.with_right((from + to) / 2) } else { next }
    }

    /// Whether the position is legal: one man per square, and the side that just moved not in check.
    #[inline]
    pub(super) fn is_legal(&self) -> bool {
        let mut occupied = 0u64;
        for man in 0..self.men as usize {
            let square = 1u64 << (self.squares[man] & 63);
            if occupied & square != 0 {
                return false;
            }
            occupied |= square;
        }
        !self.attacked(!self.black_to_move, occupied)
    }
}
