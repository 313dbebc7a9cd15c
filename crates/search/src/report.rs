//! Search results: the answer (exact value or proven bounds), the heuristic score, the principal variation and
//! counters.

use crate::score::{self, HIGH, LOW, MOST_EVALUATION, SearchScore};
use crate::{Counters, Limit};
use outplay_core::{Payoff, Value};
use std::fmt;

/// Value of a position for the player to move, as far as it is proven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchValue {
    /// Proven: payoff and distance.
    Exact(Value),
    /// The payoff is proven; the distance was not requested.
    Payoff(Payoff),
    /// Not proven.
    Unknown {
        /// The value is proven to be at least this.
        low: Value,
        /// The value is proven to be at most this.
        high: Value,
        /// A heuristic score, not a proof: hundredths of a payoff for the player to move. `None` if the search
        /// was stopped before it had one.
        score: Option<i32>,
    },
}

impl SearchValue {
    /// Interprets the score of a search to `depth` plies; `best` is the game's best payoff.
    pub(crate) fn new(found: Option<SearchScore>, depth: u32, best: Payoff, distance: bool) -> SearchValue {
        let Some(found) = found else {
            return SearchValue::Unknown {
                low: Value::new(-best, 0),
                high: Value::new(best, 1),
                score: None,
            };
        };
        let value = score::value(found.score);
        if let (Some(value), LOW_AND_HIGH) = (value, found.proof) {
            return if distance { SearchValue::Exact(value) } else { SearchValue::Payoff(value.payoff()) };
        }
        // Every result forced within the horizon was seen, so the best and the worst payoff lie beyond it.
        let (mut low, mut high) = (Value::new(-best, depth + 1), Value::new(best, depth + 1));
        if let Some(value) = value {
            // Without distances, a proven payoff may come at any ply.
            let late = |soon: bool| if soon { 0 } else { 0xffff };
            let payoff = value.payoff();
            if found.proof & LOW != 0 {
                low = if distance { value } else { Value::new(payoff, late(payoff < 0)) };
            }
            if found.proof & HIGH != 0 {
                high = if distance { value } else { Value::new(payoff, late(payoff > 0)) };
            }
        }
        let opinion = if found.score.abs() > MOST_EVALUATION {
            value.map(|v| v.payoff() * 100)
        } else {
            Some(found.score)
        };
        SearchValue::Unknown { low, high, score: opinion }
    }

    /// Converts the answer of a position into that of the move leading to it, for the player who makes it, as
    /// in [`Value::before`].
    pub fn before(self, same_player: bool) -> SearchValue {
        match self {
            SearchValue::Exact(value) => SearchValue::Exact(value.before(same_player)),
            SearchValue::Payoff(payoff) => SearchValue::Payoff(if same_player { payoff } else { -payoff }),
            SearchValue::Unknown { low, high, score } => {
                let (one, other) = (low.before(same_player), high.before(same_player));
                let score = score.map(|score| if same_player { score } else { -score });
                let (low, high) = if same_player { (one, other) } else { (other, one) };
                SearchValue::Unknown { low, high, score }
            }
        }
    }

    /// Returns the exact value, if it is proven with its distance.
    pub fn exact(self) -> Option<Value> {
        match self {
            SearchValue::Exact(value) => Some(value),
            _ => None,
        }
    }
}

const LOW_AND_HIGH: u8 = LOW | HIGH;

/// Adds the proof that follows from the depth: every result that can be forced within `depth` plies was seen,
/// so the best payoff within that many plies cannot come sooner, and without distances it cannot be exceeded.
pub(crate) fn settled(found: SearchScore, depth: u32, best: Payoff, distance: bool) -> SearchScore {
    let Some(value) = score::value(found.score) else { return found };
    let seen = !distance || value.distance().is_some_and(|plies| plies <= depth);
    let payoff = value.payoff();
    if seen && ((payoff == best && found.proof & LOW != 0) || (payoff == -best && found.proof & HIGH != 0)) {
        return SearchScore { proof: LOW_AND_HIGH, ..found };
    }
    found
}

impl fmt::Display for SearchValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchValue::Exact(value) => write!(f, "{value}"),
            SearchValue::Payoff(payoff) => match payoff {
                0 => f.write_str("draw"),
                1 => f.write_str("win"),
                -1 => f.write_str("loss"),
                2.. => write!(f, "win of {payoff}"),
                _ => write!(f, "loss of {}", -payoff),
            },
            SearchValue::Unknown { low, high, score } => {
                write!(f, "unknown, between {low} and {high}")?;
                match score {
                    Some(score) => write!(f, "; looks like {:+.2}", f64::from(*score) / 100.0),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Result of a search with its statistics; `M` is the game's type of moves.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult<M> {
    /// Value of the position.
    pub answer: SearchValue,
    /// The best move found; `None` if the game is over or nothing was searched.
    pub best: Option<M>,
    /// The principal variation.
    pub line: Vec<M>,
    /// Depth of the last completed iteration.
    pub depth: u32,
    /// The limit that ended the search before its value was exact; `None` if it is.
    pub limit: Option<Limit>,
    /// Search statistics.
    pub counts: Counters,
    /// Wall time.
    pub seconds: f64,
}

/// A move with the result of its search.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedMove<M> {
    /// The move.
    pub mv: M,
    /// Value for the player who makes the move, counted from the position before it.
    pub answer: SearchValue,
    /// Report on the position after the move, for the player to move there.
    pub report: SearchResult<M>,
}

impl<M> SearchResult<M> {
    /// Nodes per second.
    pub fn nodes_per_second(&self) -> f64 {
        self.counts.nodes as f64 / self.seconds.max(1e-9)
    }
}
