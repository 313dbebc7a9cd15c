//! Value source `rules` (see `ladder`): the payoff of a finished game.

use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource};
use outplay_core::{Game, Value};

/// The payoff of a finished game.
pub(super) struct RulesSource;

impl ValueSource for RulesSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(ask.handle.game().outcome(ask.pos).is_some())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let game = ask.handle.game();
        let Some(payoff) = game.outcome(ask.pos) else { return Ok(None) };
        let proven = match game.has_dice() {
            true => ProvenValue::Mean(payoff.into()),
            false => ProvenValue::Exact(Value::new(game.turn(ask.pos).sees(payoff), 0)),
        };
        Ok(Some(SourceResult::new(proven, Source::Rules)))
    }
}
