//! Placing, moving, closing mills.

use super::board::Board;
use crate::Spec;
use outplay_core::{Game, InputError, Payoff, Turn};

/// Which rules of the family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A line wins.
    Three,
    /// A line wins, and men move along the diagonals.
    Tapatan,
    /// A line takes a man.
    Six,
}

/// A game of the morris family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Morris {
    pub(super) kind: Kind,
    pub(super) board: Board,
    pub(super) men: u8,
    pub(super) flying: bool,
}

/// The men on the board, how many were placed so far, and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Men {
    pub(super) first: u16,
    pub(super) second: u16,
    pub(super) placed: u8,
    pub(super) second_to_move: bool,
}

/// A man placed or moved, and perhaps one taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub(super) from: Option<u8>,
    pub(super) to: u8,
    pub(super) take: Option<u8>,
}

/// The points of a set, lowest first.
pub(super) fn each(mut set: u16) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let point = (set != 0).then(|| set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        point
    })
}

impl Men {
    /// The men of the player to move and those of the opponent.
    #[inline]
    pub(super) fn sides(&self) -> (u16, u16) {
        if self.second_to_move { (self.second, self.first) } else { (self.first, self.second) }
    }

    #[inline]
    pub(super) fn from_sides(mover: u16, opponent: u16, placed: u8, second_to_move: bool) -> Men {
        let (first, second) = if second_to_move { (opponent, mover) } else { (mover, opponent) };
        Men { first, second, placed, second_to_move }
    }
}

impl Morris {
    /// Reads `morris:three,lines=6`, `morris:tapatan`, `morris:six,men=4,flying`.
    ///
    /// # Errors
    ///
    /// One sentence about the first thing that makes no sense.
    pub fn from_spec(mut spec: Spec) -> Result<Morris, InputError> {
        let game = match spec.argument() {
            Some("three") => {
                let diagonals = match spec.take_number("lines")? {
                    Some(6) => false,
                    None | Some(8) => true,
                    Some(n) => {
                        return Err(spec.error(format!("{n} lines are not possible; `lines` is 6 or 8")));
                    }
                };
                spec.finish("`lines=6` and `lines=8`")?;
                Morris { kind: Kind::Three, board: Board::nine(false, diagonals), men: 3, flying: false }
            }
            Some("tapatan") => {
                spec.finish("no options")?;
                Morris { kind: Kind::Tapatan, board: Board::nine(true, true), men: 3, flying: false }
            }
            Some("six") => {
                let men = spec.take_number("men")?.unwrap_or(6);
                if !(3..=6).contains(&men) {
                    return Err(spec.error(format!("{men} men a side are not possible; `men` is 3 to 6")));
                }
                let flying = spec.take_flag("flying")?;
                spec.finish("`men=3` to `men=6` and `flying`")?;
                Morris { kind: Kind::Six, board: Board::six(), men: men as u8, flying }
            }
            _ => return Err(spec.error("say which one: `morris:three`, `morris:tapatan` or `morris:six`")),
        };
        Ok(game)
    }

    /// How many men both players have placed when all are on their way.
    pub(super) fn all_placed(&self) -> u8 {
        2 * self.men
    }

    pub(super) fn placing(&self, pos: &Men) -> bool {
        pos.placed < self.all_placed()
    }

    /// Where a man of the player to move can go.
    #[inline]
    pub(super) fn targets(&self, from: u8, mover: u16, empty: u16) -> u16 {
        if self.flying && mover.count_ones() == 3 { empty } else { self.board.near[from as usize] & empty }
    }

    /// The men that may be taken: those outside mills, or all if every one is in a mill.
    #[inline]
    fn takeable(&self, opponent: u16) -> u16 {
        let free = opponent & !self.board.in_lines(opponent);
        if free != 0 { free } else { opponent }
    }

    fn push(&self, from: Option<u8>, to: u8, mover: u16, opponent: u16, out: &mut Vec<Step>) {
        let after = from.map_or(mover, |from| mover & !(1 << from)) | 1 << to;
        let closed = self.kind == Kind::Six && self.board.in_lines(after) & 1 << to != 0;
        if closed && opponent != 0 {
            out.extend(each(self.takeable(opponent)).map(|take| Step { from, to, take: Some(take) }));
        } else {
            out.push(Step { from, to, take: None });
        }
    }

    /// What the player to move gets for reasons other than having no move.
    fn decided(&self, pos: &Men) -> Option<Payoff> {
        let (mover, opponent) = pos.sides();
        if self.kind != Kind::Six {
            return self.board.has_line(opponent).then_some(-1);
        }
        if self.placing(pos) {
            return None;
        }
        match (mover.count_ones() < 3, opponent.count_ones() < 3) {
            (true, true) => Some(0),
            (true, false) => Some(-1),
            (false, true) => Some(1),
            (false, false) => None,
        }
    }

    fn can_move(&self, pos: &Men) -> bool {
        let (mover, opponent) = pos.sides();
        let empty = self.board.all() & !(mover | opponent);
        self.placing(pos) || each(mover).any(|from| self.targets(from, mover, empty) != 0)
    }
}

impl Game for Morris {
    type Position = Men;
    type Move = Step;

    fn start(&self) -> Option<Men> {
        Some(Men { first: 0, second: 0, placed: 0, second_to_move: false })
    }

    fn turn(&self, pos: &Men) -> Turn {
        if pos.second_to_move { Turn::Second } else { Turn::First }
    }

    fn moves(&self, pos: &Men, out: &mut Vec<Step>) {
        if self.decided(pos).is_some() {
            return;
        }
        let (mover, opponent) = pos.sides();
        let empty = self.board.all() & !(mover | opponent);
        if self.placing(pos) {
            each(empty).for_each(|to| self.push(None, to, mover, opponent, out));
            return;
        }
        for from in each(mover) {
            for to in each(self.targets(from, mover, empty)) {
                self.push(Some(from), to, mover, opponent, out);
            }
        }
    }

    fn play(&self, pos: &Men, mv: Step) -> Men {
        let (mut mover, mut opponent) = pos.sides();
        let mut placed = pos.placed;
        match mv.from {
            Some(from) => mover &= !(1 << from),
            None => placed += 1,
        }
        mover |= 1 << mv.to;
        if let Some(take) = mv.take {
            opponent &= !(1 << take);
        }
        Men::from_sides(opponent, mover, placed, !pos.second_to_move)
    }

    fn outcome(&self, pos: &Men) -> Option<Payoff> {
        let mover = self.decided(pos).or_else(|| (!self.can_move(pos)).then_some(-1))?;
        Some(self.turn(pos).sees(mover))
    }

    fn symmetric(&self, pos: &Men, out: &mut Vec<Men>) {
        for map in &self.board.symmetries {
            let (first, second) = (self.board.image(map, pos.first), self.board.image(map, pos.second));
            let next = Men { first, second, ..*pos };
            if !out.contains(&next) {
                out.push(next);
            }
        }
    }
}
