//! One position with what is known of it.

use outplay_core::{Turn, Value};
use serde::{Deserialize, Serialize, Serializer};

/// A row: the same fields in every form of file.
///
/// | field | meaning |
/// |---|---|
/// | `position` | the position in the game's notation |
/// | `to_move` | `first`, `second`, or `chance` before a roll |
/// | `ply` | moves made before it; `None` if nobody counted |
/// | `value` | what best play brings the player to move: 1, 0 or −1, more where a game pays more, a fraction in the mean where dice are rolled (then before a roll: the first player); `None` if it is not known |
/// | `distance` | plies to the end for a win or a loss; `None` otherwise |
/// | `best` | the moves that are certainly best; `None` if nobody asked |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// The position in the game's notation.
    pub position: String,
    /// Whose turn it is.
    pub to_move: Turn,
    /// Moves made before it.
    #[serde(default)]
    pub ply: Option<u32>,
    /// What best play brings the player to move.
    #[serde(default, serialize_with = "plainly")]
    pub value: Option<f64>,
    /// Plies to the end.
    #[serde(default)]
    pub distance: Option<u32>,
    /// Which of its moves are best.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Best>,
}

/// A whole number without a point: most values are.
fn plainly<S: Serializer>(value: &Option<f64>, out: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e9 => out.serialize_i64(*value as i64),
        other => other.serialize(out),
    }
}

/// The best moves of a position, by name and among all of its legal moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Best {
    /// The best moves in the game's notation.
    #[serde(rename = "best")]
    pub names: Vec<String>,
    /// A digit for each legal move in the game's order: `1` for the best ones, `0` for others.
    pub mask: String,
}

impl Row {
    /// A position of which nothing is known yet.
    pub fn new(position: String, to_move: Turn, ply: Option<u32>) -> Row {
        Row { position, to_move, ply, value: None, distance: None, best: None }
    }

    /// The same with an exact value.
    #[must_use]
    pub fn valued(self, value: Value) -> Row {
        Row { value: Some(f64::from(value.payoff())), distance: value.distance(), ..self }
    }

    /// The same with a mean payoff.
    #[must_use]
    pub fn mean(self, mean: f64) -> Row {
        Row { value: Some(mean), distance: None, ..self }
    }
}
