//! Rules source: the payoff of a finished game.

use crate::{Cost, Finding, ProvenValue, Question, Source, Trouble, ValueSource};
use outplay_core::{Game, Value};

/// The payoff of a finished game.
pub(super) struct Rules;

impl ValueSource for Rules {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(ask.handle.game().outcome(ask.pos).is_some())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<Finding>, Trouble> {
        let game = ask.handle.game();
        let Some(payoff) = game.outcome(ask.pos) else { return Ok(None) };
        let proven = match game.has_dice() {
            true => ProvenValue::Mean(payoff.into()),
            false => ProvenValue::Exact(Value::new(game.turn(ask.pos).sees(payoff), 0)),
        };
        Ok(Some(Finding::new(proven, Source::Rules)))
    }
}
