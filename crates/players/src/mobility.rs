//! The evaluation `mobility`: the difference in the number of legal moves, for games of which only the rules are known.
//!
//! Where a theorem gives the payoff (`Game::theory`, such as nim-sums), the evaluation is that payoff.

use crate::Judge;
use outplay_core::{AnyGame, AnyPosition, Game, Turn};

/// The evaluation `mobility`.
pub(crate) struct Mobility {
    pub(crate) game: AnyGame,
}

impl Judge for Mobility {
    fn spec(&self) -> String {
        "mobility".into()
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let game = &self.game;
        if let Some(payoff) = game.theory(pos) {
            return 1000 * me.sees(payoff);
        }
        let turn = game.turn(pos);
        if turn == Turn::Chance {
            return 0;
        }
        // The opponent's mobility is its mean number of replies, over a sample of moves.
        let moves: Vec<_> = game.list(pos).collect();
        let step = moves.len().div_ceil(SAMPLE).max(1);
        let (mut replies, mut looked) = (0, 0);
        for &mv in moves.iter().step_by(step) {
            replies += game.list(&game.play(pos, mv)).count();
            looked += 1;
        }
        let lead = 10 * moves.len() as i32 - (10 * replies / looked.max(1)) as i32;
        if turn == me { lead } else { -lead }
    }

    fn unit(&self) -> i32 {
        100
    }
}

/// Sample of moves after which the replies are counted.
const SAMPLE: usize = 4;
