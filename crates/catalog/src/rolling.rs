//! What the dice do, where it is their turn.

use crate::answers::ChoiceAnswer;
use crate::entry::Entry;
use outplay_core::{Game, Notation, Turn};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

impl<G: Game + Notation> Entry<G> {
    /// A roll, each outcome as likely as the rules say; `None` if it is a player's turn.
    pub(crate) fn roll(&self, pos: &G::Position, seed: u64) -> Option<ChoiceAnswer> {
        if self.game.turn(pos) != Turn::Chance || self.game.outcome(pos).is_some() {
            return None;
        }
        let outcomes = (self.dice.as_ref()?.outcomes)(&self.game, pos);
        let mut left: f64 = SmallRng::seed_from_u64(seed).random();
        let mut rolled = outcomes.last()?.0;
        for &(mv, probability) in &outcomes {
            left -= probability;
            if left < 0.0 {
                rolled = mv;
                break;
            }
        }
        let mv = self.game.write_move(pos, rolled);
        Some(ChoiceAnswer {
            game: self.game.spec(),
            position: self.game.write_position(pos),
            player: "dice".into(),
            line: vec![mv.clone()],
            mv,
            nodes: 0,
            depth: 0,
            opinion: None,
            seconds: 0.0,
        })
    }
}
