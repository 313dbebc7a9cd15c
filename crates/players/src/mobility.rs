//! The evaluation of a game of which nothing is known but its rules: whoever has more moves to choose from is better off.
//!
//! Where theory knows who wins, that counts instead.

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
        // The other player's moves are those it has after this one's, in the mean; a few tell enough.
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

/// Moves after which the replies are counted.
const SAMPLE: usize = 4;
