//! The rules: a finished game is worth what they say.

use crate::Trouble;
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, Worth};
use outplay_core::{Game, Value};

/// The game is over.
pub(super) struct Finished;

impl Rung for Finished {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        if ask.entry.game().outcome(ask.pos).is_some() { Cost::Free } else { Cost::Never }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let game = ask.entry.game();
        let Some(payoff) = game.outcome(ask.pos) else { return Ok(None) };
        let worth = match game.has_dice() {
            true => Worth::Mean(payoff.into()),
            false => Worth::Exact(Value::new(game.turn(ask.pos).sees(payoff), 0)),
        };
        Ok(Some(Known::new(worth, Source::Rules)))
    }
}
