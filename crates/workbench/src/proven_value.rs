//! Proven knowledge of a position: an exact value, a mean, or bounds.

use outplay_core::{Payoff, Value};

/// Proven knowledge of a position, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ProvenValue {
    /// An exact value, with its distance where that is known.
    Exact(Value),
    /// The mean payoff of the *first* player: games with chance.
    Mean(f64),
    /// A payoff within inclusive bounds.
    Between(Payoff, Payoff),
}

impl ProvenValue {
    /// Converts a result of the generic engine, in a game that pays at most `most`.
    pub(crate) fn found(answer: outplay_search::SearchValue, most: Payoff) -> ProvenValue {
        use outplay_search::SearchValue;
        match answer {
            SearchValue::Exact(value) => ProvenValue::Exact(value),
            SearchValue::Payoff(payoff) => ProvenValue::Exact(Value::untimed(payoff)),
            SearchValue::Unknown { low, high, .. } => {
                between(low.payoff().max(-most), high.payoff().min(most))
            }
        }
    }

    /// Whether the value is exact.
    pub(crate) fn is_settled(self) -> bool {
        !matches!(self, ProvenValue::Between(..))
    }

    /// The exact value.
    pub(crate) fn exact(self) -> Option<Value> {
        if let ProvenValue::Exact(value) = self { Some(value) } else { None }
    }

    /// Whether it is exact and has its distance: a tie, or a win or loss with a distance.
    pub(crate) fn is_timed(self) -> bool {
        self.exact().is_some_and(|value| value.payoff() == 0 || value.distance().is_some())
    }

    /// The lowest and the highest possible payoff; a mean gives no bounds.
    pub(crate) fn bounds(self, most: Payoff) -> (Payoff, Payoff) {
        match self {
            ProvenValue::Exact(value) => (value.payoff(), value.payoff()),
            ProvenValue::Mean(_) => (-most, most),
            ProvenValue::Between(low, high) => (low, high),
        }
    }

    /// Intersects two results; an exact one is kept as it is.
    pub(crate) fn and(self, other: ProvenValue) -> ProvenValue {
        match (self, other) {
            (ProvenValue::Between(a, b), ProvenValue::Between(c, d)) => between(a.max(c), b.min(d)),
            (ProvenValue::Between(..), settled) => settled,
            (settled, _) => settled,
        }
    }

    /// The value of a move that leads here, for the player who makes it.
    pub(crate) fn before(self, same_player: bool) -> ProvenValue {
        match self {
            ProvenValue::Exact(value) => ProvenValue::Exact(value.before(same_player)),
            ProvenValue::Between(low, high) if !same_player => ProvenValue::Between(-high, -low),
            other => other,
        }
    }
}

/// Bounds; equal bounds are an exact value.
pub(crate) fn between(low: Payoff, high: Payoff) -> ProvenValue {
    if low == high { ProvenValue::Exact(Value::untimed(low)) } else { ProvenValue::Between(low, high) }
}
