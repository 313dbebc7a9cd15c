//! Rules of the morris family: placing, moving and mills.

use super::board::Board;
use crate::Spec;
use outplay_core::{Game, InputError, Payoff, Turn};

/// The variant of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variant {
    /// A line wins.
    Three,
    /// A line wins, and men move along the diagonals.
    Tapatan,
    /// A line captures a man.
    Six,
    /// A line captures a man, on three rings.
    Nine,
}

/// A game of the morris family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Morris {
    pub(super) kind: Variant,
    pub(super) board: Board,
    pub(super) men: u8,
    pub(super) flying: bool,
    /// An ending: the men of both sides at the beginning, all placed, the larger number first.
    pub(super) ending: Option<(u8, u8)>,
}

/// A position of morris: the men on the board, the number of men placed so far, and the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Men {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) placed: u8,
    pub(super) second_to_move: bool,
}

/// A move of morris: a man placed or moved, and possibly a man captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub(super) from: Option<u8>,
    pub(super) to: u8,
    pub(super) take: Option<u8>,
}

/// The points of a set, lowest first.
pub(super) fn each(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let point = (set != 0).then(|| set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        point
    })
}

impl Men {
    /// The men of the player to move and those of the opponent.
    #[inline]
    pub(super) fn sides(&self) -> (u32, u32) {
        if self.second_to_move { (self.second, self.first) } else { (self.first, self.second) }
    }

    #[inline]
    pub(super) fn from_sides(mover: u32, opponent: u32, placed: u8, second_to_move: bool) -> Men {
        let (first, second) = if second_to_move { (opponent, mover) } else { (mover, opponent) };
        Men { first, second, placed, second_to_move }
    }
}

impl Morris {
    /// Parses `morris:three,lines=6`, `morris:tapatan`, `morris:six,men=4,flying`, `morris:nine,men=5+4,flying=off`.
    ///
    /// # Errors
    ///
    /// One sentence about the first invalid part.
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
                Morris::of(Variant::Three, Board::square(false, diagonals), 3)
            }
            Some("tapatan") => {
                spec.finish("no options")?;
                Morris::of(Variant::Tapatan, Board::square(true, true), 3)
            }
            Some("six") => {
                let men = spec.take_number("men")?.unwrap_or(6);
                if !(3..=6).contains(&men) {
                    return Err(spec.error(format!("{men} men a side are not possible; `men` is 3 to 6")));
                }
                let flying = spec.take_flag("flying")?;
                spec.finish("`men=3` to `men=6` and `flying`")?;
                Morris { flying, ..Morris::of(Variant::Six, Board::six(), men as u8) }
            }
            Some("nine") => {
                let ending = spec.take("men")?.map(|men| ending(&spec, &men)).transpose()?;
                let flying = match spec.take("flying")?.as_deref() {
                    None | Some("on") => true,
                    Some("off") => false,
                    Some(word) => {
                        return Err(spec.error(format!("`flying={word}` is neither `on` nor `off`")));
                    }
                };
                spec.finish("`men=3+3` to `men=9+9` and `flying=off`")?;
                Morris { flying, ending, ..Morris::of(Variant::Nine, Board::nine(), 9) }
            }
            _ => {
                let which = "`morris:three`, `morris:tapatan`, `morris:six` or `morris:nine`";
                return Err(spec.error(format!("the variant is missing; write {which}")));
            }
        };
        Ok(game)
    }

    fn of(kind: Variant, board: Board, men: u8) -> Morris {
        Morris { kind, board, men, flying: false, ending: None }
    }

    /// Whether the moving phase is large enough to be solved ending by ending, see [`super::EndingIndex`].
    pub fn has_endings(&self) -> bool {
        self.kind == Variant::Nine
    }

    /// Whether a line captures a man; otherwise it wins.
    #[inline]
    pub(super) fn takes(&self) -> bool {
        matches!(self.kind, Variant::Six | Variant::Nine)
    }

    /// The number of men of both players in the placing phase.
    pub(super) fn all_placed(&self) -> u8 {
        2 * self.men
    }

    pub(super) fn placing(&self, pos: &Men) -> bool {
        pos.placed < self.all_placed()
    }

    /// The points that a man of the player to move can move to.
    #[inline]
    pub(super) fn targets(&self, from: u8, mover: u32, empty: u32) -> u32 {
        if self.flying && mover.count_ones() == 3 { empty } else { self.board.near[from as usize] & empty }
    }

    /// The men that may be captured: those outside mills, or all if every one is in a mill.
    #[inline]
    pub(super) fn takeable(&self, opponent: u32) -> u32 {
        let free = opponent & !self.board.in_lines(opponent);
        if free != 0 { free } else { opponent }
    }

    fn push(&self, from: Option<u8>, to: u8, mover: u32, opponent: u32, out: &mut Vec<Step>) {
        let after = from.map_or(mover, |from| mover & !(1 << from)) | 1 << to;
        let closed = self.takes() && self.board.closes(after, to);
        if closed && opponent != 0 {
            out.extend(each(self.takeable(opponent)).map(|take| Step { from, to, take: Some(take) }));
        } else {
            out.push(Step { from, to, take: None });
        }
    }

    /// The payoff of the player to move if the game is decided for a reason other than the lack of moves.
    fn decided(&self, pos: &Men) -> Option<Payoff> {
        let (mover, opponent) = pos.sides();
        if !self.takes() {
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

/// Parses the men of an ending; `5+4` and `4+5` are the same.
fn ending(spec: &Spec, men: &str) -> Result<(u8, u8), InputError> {
    let number = |text: &str| text.parse::<u8>().ok();
    let sides = men.split_once('+').and_then(|(a, b)| Some((number(a)?, number(b)?)));
    let sides = sides.map(|(a, b)| (a.max(b), a.min(b)));
    // Three against two is finished, but endings lead to it.
    let known = |&(more, less): &(u8, u8)| more <= 9 && less >= 3 || (more, less) == LOST;
    sides.filter(known).ok_or_else(|| {
        spec.error(format!(
            "`men={men}` is not an ending; write the men of both sides, 3 to 9 each, as in `men=5+4`"
        ))
    })
}

/// The ending in which one side has two men left; it stands for any number of the other's.
pub(super) const LOST: (u8, u8) = (3, 2);

impl Game for Morris {
    type Position = Men;
    type Move = Step;

    fn start(&self) -> Option<Men> {
        // An ending has no start position.
        let empty = Men { first: 0, second: 0, placed: 0, second_to_move: false };
        self.ending.is_none().then_some(empty)
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

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Notation;

    /// The number of move sequences of `depth` plies (perft).
    fn perft(game: &Morris, pos: &Men, depth: u32) -> u64 {
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        match depth {
            1 => moves.len() as u64,
            _ => moves.iter().map(|&mv| perft(game, &game.play(pos, mv), depth - 1)).sum(),
        }
    }

    /// Perft from the start to six plies and from fifty positions of the moving phase, half of them with a player who
    /// flies. The expected counts are those of `tests/second/morris.py`, which implements the rules independently.
    #[test]
    fn perft_agrees_with_an_independent_program() {
        let game = Morris::from_spec(Spec::parse("morris:nine").unwrap()).unwrap();
        let lines = include_str!("../../../../tests/second/morris-perft.txt").lines();
        let mut flying = 0;
        for (line, depths) in lines.clone().zip(std::iter::once(6).chain(std::iter::repeat(3))) {
            let mut words = line.split('\t');
            let pos = game.read_position(words.next().unwrap()).unwrap();
            let counts: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
            assert_eq!(counts.len(), depths);
            for (depth, &count) in (1..).zip(&counts) {
                assert_eq!(perft(&game, &pos, depth), count, "{line}: {depth}");
            }
            let (mover, opponent) = pos.sides();
            flying += u32::from(mover.count_ones() == 3 || opponent.count_ones() == 3);
        }
        assert_eq!((lines.count(), flying), (51, 25));
    }
}
