//! A labelled position: one row of a data set, with the player to move, value, distance and best moves.

use outplay_core::{Turn, Value};
use serde::{Deserialize, Serialize, Serializer};

/// A row: the same fields in every file format.
///
/// | field | meaning |
/// |---|---|
/// | `position` | the position in the game's notation |
/// | `to_move` | `first`, `second`, or `chance` before a roll |
/// | `ply` | moves made before it; `None` if unknown |
/// | `value` | value for the player to move: 1, 0, −1 or a larger payoff, or a mean; `None` if unknown |
/// | `distance` | plies to the end for a win or a loss; `None` otherwise |
/// | `legal` | the legal moves in the game's order; `None` if they were not requested |
/// | `best` | the moves that are proven best, by name and as a mask over `legal`; `None` if not requested |
///
/// In games with chance `value` is a mean; at a chance node it is the first player's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// The position in the game's notation.
    pub position: String,
    /// The player to move.
    pub to_move: Turn,
    /// Moves made before it.
    #[serde(default)]
    pub ply: Option<u32>,
    /// The value for the player to move.
    #[serde(default, serialize_with = "plainly")]
    pub value: Option<f64>,
    /// Plies to the end.
    #[serde(default)]
    pub distance: Option<u32>,
    /// Its legal moves in the game's notation and order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<String>>,
    /// Its best moves.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Best>,
}

/// Serialises whole numbers, which most values are, without a decimal point.
fn plainly<S: Serializer>(value: &Option<f64>, out: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e9 => out.serialize_i64(*value as i64),
        other => other.serialize(out),
    }
}

/// The best moves of a position, by name and as a mask over its legal moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Best {
    /// The best moves in the game's notation.
    #[serde(rename = "best")]
    pub names: Vec<String>,
    /// A digit for each legal move in the game's order: `1` for the best ones, `0` for others.
    pub mask: String,
}

impl Row {
    /// A position without a value.
    pub fn new(position: String, to_move: Turn, ply: Option<u32>) -> Row {
        Row { position, to_move, ply, value: None, distance: None, legal: None, best: None }
    }

    /// The same with an exact value.
    #[must_use]
    pub fn valued(self, value: Value) -> Row {
        Row { value: Some(f64::from(value.payoff())), distance: value.distance(), ..self }
    }
}
