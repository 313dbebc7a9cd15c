//! One look around before anything is weighed: can the game be won at once, and must a loss be averted?
//!
//! Whoever searches or evaluates goes through here first, so that no weights and no horizon can make a player
//! pass up a win in one or leave a loss in one standing.

use crate::Kit;
use outplay_core::{AnyMove, AnyPosition, Content, Game, LineBoard, Turn};

/// What a look shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// This move wins at once.
    Win(AnyMove),
    /// Only these moves come into question; the others lose at once if any of these does not.
    Among(Vec<AnyMove>),
}

/// Games with more moves than this are not asked for every reply to every move.
const MOST_REPLIES: usize = 300;

impl Kit {
    /// Looks at a position with these legal moves.
    pub(crate) fn look(&self, pos: &AnyPosition, moves: &[AnyMove]) -> Look {
        let board = self.game.board(pos).filter(|board| !board.misere);
        if let Some(board) = board {
            let cells = board.open_cells();
            // Moves of boards come in the order of their cells.
            if cells.len() == moves.len() {
                return look_at_board(&board, &cells, moves);
            }
        }
        self.look_by_rules(pos, moves)
    }

    fn look_by_rules(&self, pos: &AnyPosition, moves: &[AnyMove]) -> Look {
        let game = &self.game;
        let me = game.turn(pos);
        let best = game.best_payoff();
        let mut replies = Vec::new();
        let mut safe = Vec::new();
        let mut lasting = Vec::new();
        for &mv in moves {
            let next = game.play(pos, mv);
            if let Some(payoff) = game.outcome(&next) {
                if me.sees(payoff) == best && best > 0 {
                    return Look::Win(mv);
                }
                if me.sees(payoff) >= 0 {
                    safe.push(mv);
                }
                continue;
            }
            lasting.push(mv);
            let turn = game.turn(&next);
            let loses = turn == me.other() && moves.len() <= MOST_REPLIES && {
                replies.clear();
                game.moves(&next, &mut replies);
                let ends = |&reply: &AnyMove| game.outcome(&game.play(&next, reply));
                replies.iter().filter_map(ends).any(|payoff| turn.sees(payoff) == best)
            };
            if !loses {
                safe.push(mv);
            }
        }
        let lists = [safe, lasting, moves.to_vec()];
        Look::Among(lists.into_iter().find(|list| !list.is_empty()).unwrap_or_default())
    }
}

/// The same on a board of lines, without playing any move.
fn look_at_board(board: &LineBoard, cells: &[usize], moves: &[AnyMove]) -> Look {
    let (me, other) = match board.turn {
        Turn::Second => (Content::Second, Content::First),
        _ => (Content::First, Content::Second),
    };
    if let Some(i) = cells.iter().position(|&cell| board.completes(cell, me)) {
        return Look::Win(moves[i]);
    }
    let threatened: Vec<AnyMove> =
        (0..cells.len()).filter(|&i| board.completes(cells[i], other)).map(|i| moves[i]).collect();
    if !threatened.is_empty() {
        return Look::Among(threatened);
    }
    // A falling stone makes room for the next one on top of it.
    let feeds = |cell: usize| {
        board.gravity && !(cell + 1).is_multiple_of(board.height) && board.completes(cell + 1, other)
    };
    let safe: Vec<AnyMove> = (0..cells.len()).filter(|&i| !feeds(cells[i])).map(|i| moves[i]).collect();
    Look::Among(if safe.is_empty() { moves.to_vec() } else { safe })
}
