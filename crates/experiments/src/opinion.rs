//! Static evaluation and move ordering for generic searches on a bitboard: an adapter from evaluations of any game.

use outplay_core::{Game, Native, Turn};
use outplay_games::mnk::{Board, Mnk};
use outplay_players::{Judge, PlayerContext};
use outplay_search::Evaluate;
use outplay_workbench::Trouble;
use std::sync::Arc;

/// An evaluation of any game, applied to positions of one board.
pub(crate) struct Opinion {
    board: Native<Mnk<u64>>,
    judge: Arc<dyn Judge>,
    /// Number of lines through each cell, by move.
    through: Vec<i32>,
}

impl Opinion {
    /// Builds the evaluation of a spec.
    pub(crate) fn new(
        board: &Native<Mnk<u64>>,
        kit: &PlayerContext,
        judge: &str,
    ) -> Result<Opinion, Trouble> {
        let start = board.game.rules().start();
        let mut through = vec![0; u64::BITS as usize];
        for cell in start.lines().into_iter().flatten() {
            // Moves are numbered by bits, and each column has one spare bit on top.
            through[cell / start.height * (start.height + 1) + cell % start.height] += 1;
        }
        Ok(Opinion { board: board.clone(), judge: kit.judge(judge)?, through })
    }

    /// The evaluation of a position for `me`.
    pub(crate) fn score_for(&self, pos: &Board<u64>, me: Turn) -> i32 {
        self.judge.score(&self.board.any(*pos), me)
    }
}

/// The evaluation from the first player's view, so that minimax and the engine agree, with cells on many lines first.
impl Evaluate<Mnk<u64>> for Opinion {
    const HINTS: bool = true;
    fn score(&self, game: &Mnk<u64>, pos: &Board<u64>) -> i32 {
        let first = self.score_for(pos, Turn::First);
        if game.turn(pos) == Turn::Second { -first } else { first }
    }
    fn hint(&self, _game: &Mnk<u64>, _pos: &Board<u64>, mv: u8) -> i32 {
        self.through[usize::from(mv)]
    }
    fn slot(&self, _game: &Mnk<u64>, mv: u8) -> Option<usize> {
        Some(mv.into())
    }
}
