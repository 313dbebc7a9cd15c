//! Remarks that explain a morris position: mills that the player to move can close, and mills that the opponent
//! threatens.

use super::rules::{Men, Morris, Step};
use outplay_core::{Game, Remark, Sign, Turn};

impl Morris {
    /// The moves of the player to move that close a line, one for each origin and target.
    fn closing(&self, pos: &Men) -> Vec<Step> {
        let (mover, _) = pos.sides();
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let closes = |mv: &Step| {
            let after = mv.from.map_or(mover, |from| mover & !(1 << from)) | 1 << mv.to;
            self.board.in_lines(after) & 1 << mv.to != 0
        };
        moves.retain(closes);
        moves.sort_by_key(|mv| (mv.to, mv.from));
        moves.dedup_by_key(|mv| (mv.to, mv.from));
        moves
    }

    fn remark(&self, by: Turn, moves: &[Step], sign: Sign) -> Option<Remark> {
        let mut points: Vec<u8> = moves.iter().map(|mv| mv.to).collect();
        points.sort_unstable();
        points.dedup();
        let names: Vec<String> = points.iter().map(|&point| self.name(point)).collect();
        let who = if by == Turn::Second { "Second" } else { "First" };
        let what = if self.takes() { "a mill" } else { "a line" };
        let words = match (sign, names.len()) {
            (_, 0) => return None,
            (Sign::Win, _) => format!("{who} can close {what} at {}", names.join(", ")),
            (_, 1) => format!("{who} threatens to close {what} at {}", names[0]),
            _ => {
                format!("{who} threatens to close {what} at {} and needs only one of them", names.join(", "))
            }
        };
        Some(Remark { words, spots: points.into_iter().map(|point| (point.into(), sign)).collect(), by })
    }
}

/// Remarks on lines that can be closed now or next turn.
pub(super) fn remarks(game: &Morris, pos: &Men) -> Vec<Remark> {
    let turn = game.turn(pos);
    let mine = game.closing(pos);
    // At the opponent's turn, the mover has placed one more man.
    let placed = pos.placed + u8::from(game.placing(pos));
    let theirs = Men { second_to_move: !pos.second_to_move, placed, ..*pos };
    let theirs = game.closing(&theirs);
    let own = game.remark(turn, &mine, Sign::Win);
    // A line that wins at once makes threats irrelevant.
    let threat = match (&own, game.takes()) {
        (Some(_), false) => None,
        _ => game.remark(turn.other(), &theirs, Sign::Block),
    };
    own.into_iter().chain(threat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use outplay_core::Notation;

    fn words(spec: &str, position: &str) -> Vec<String> {
        let game = Morris::from_spec(Spec::parse(spec).unwrap()).unwrap();
        let pos = game.read_position(position).unwrap();
        remarks(&game, &pos).into_iter().map(|remark| remark.words).collect()
    }

    #[test]
    fn closable_lines_are_remarked() {
        assert_eq!(words("morris:tapatan", ".../.x./x.o o 3"), ["First threatens to close a line at c3"]);
        assert_eq!(words("morris:tapatan", "o../.x./x.o x 4"), ["First can close a line at c3"]);
        // All men are on the board: b1 can be reached from b2 only.
        assert_eq!(words("morris:tapatan", "o.o/.xo/x.x x 6"), ["First can close a line at b1"]);
    }

    #[test]
    fn a_mill_does_not_end_the_larger_game() {
        let both = words("morris:six,men=3", "x.x/.../..../o.o/... x 4");
        assert_eq!(both.len(), 2, "{both:?}");
        assert_eq!(both[0], "First can close a mill at c5");
    }
}
