//! What a search that is made for one board asks: how a position looks, and which moves to try first.

use outplay_answer::Trouble;
use outplay_core::{Native, Turn};
use outplay_games::mnk::{Board, Mnk};
use outplay_players::{Judge, Kit};
use std::sync::Arc;

/// A judge of any game, asked about positions of one board.
pub(crate) struct Opinion {
    board: Native<Mnk<u64>>,
    judge: Arc<dyn Judge>,
    /// How many lines run through each cell, by move.
    through: Vec<i32>,
}

impl Opinion {
    /// The judge that a spec describes.
    pub(crate) fn new(board: &Native<Mnk<u64>>, kit: &Kit, judge: &str) -> Result<Opinion, Trouble> {
        let start = board.game.rules().start();
        let mut through = vec![0; u64::BITS as usize];
        for cell in start.lines().into_iter().flatten() {
            // Moves are numbered by bits, and each column has one spare bit on top.
            through[cell / start.height * (start.height + 1) + cell % start.height] += 1;
        }
        Ok(Opinion { board: board.clone(), judge: kit.judge(judge)?, through })
    }

    /// How good a position looks to `me`.
    pub(crate) fn score(&self, pos: &Board<u64>, me: Turn) -> i32 {
        self.judge.score(&self.board.any(*pos), me)
    }

    /// A larger number for a move that should be tried earlier: cells of many lines come first.
    pub(crate) fn hint(&self, mv: u8) -> i32 {
        self.through[usize::from(mv)]
    }
}
