//! Tactics filter: wins in one ply, and moves that lose to the opponent's next reply.
//!
//! The players `greedy` and the generic `alphabeta` choose among the moves that pass the filter, so that they never
//! miss a win in one or an immediate threat, whatever their weights or depth. `mcts` uses only the wins.

use crate::PlayerContext;
use outplay_core::{AnyMove, AnyPosition, Content, Game, LineBoard, Turn};

/// The result of the filter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tactics {
    /// A move that wins immediately.
    Win(AnyMove),
    /// The candidate moves; every other move loses at once if any of these does not.
    Candidates(Vec<AnyMove>),
}

/// Positions with more moves than this are not checked for the opponent's replies: quadratic work.
const MAX_MOVES: usize = 300;

impl PlayerContext {
    /// Filters the legal moves of a position.
    pub(crate) fn tactics(&self, pos: &AnyPosition, moves: &[AnyMove]) -> Tactics {
        let board = self.game.board(pos).filter(|board| !board.misere);
        if let Some(board) = board {
            let cells = board.open_cells();
            // Moves of line boards are in the order of their cells.
            if cells.len() == moves.len() {
                return tactics_on_board(&board, &cells, moves);
            }
        }
        self.tactics_by_rules(pos, moves)
    }

    fn tactics_by_rules(&self, pos: &AnyPosition, moves: &[AnyMove]) -> Tactics {
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
                    return Tactics::Win(mv);
                }
                if me.sees(payoff) >= 0 {
                    safe.push(mv);
                }
                continue;
            }
            lasting.push(mv);
            let turn = game.turn(&next);
            let loses = turn == me.other() && moves.len() <= MAX_MOVES && {
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
        Tactics::Candidates(lists.into_iter().find(|list| !list.is_empty()).unwrap_or_default())
    }
}

/// The same on a k-in-a-row board, without playing any move.
fn tactics_on_board(board: &LineBoard, cells: &[usize], moves: &[AnyMove]) -> Tactics {
    let (me, other) = match board.turn {
        Turn::Second => (Content::Second, Content::First),
        _ => (Content::First, Content::Second),
    };
    if let Some(i) = cells.iter().position(|&cell| board.completes(cell, me)) {
        return Tactics::Win(moves[i]);
    }
    let threatened: Vec<AnyMove> =
        (0..cells.len()).filter(|&i| board.completes(cells[i], other)).map(|i| moves[i]).collect();
    if !threatened.is_empty() {
        return Tactics::Candidates(threatened);
    }
    // With gravity, a stone opens the cell above it to the opponent.
    let feeds = |cell: usize| {
        board.gravity && !(cell + 1).is_multiple_of(board.height) && board.completes(cell + 1, other)
    };
    let safe: Vec<AnyMove> = (0..cells.len()).filter(|&i| !feeds(cells[i])).map(|i| moves[i]).collect();
    Tactics::Candidates(if safe.is_empty() { moves.to_vec() } else { safe })
}
