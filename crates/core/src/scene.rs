//! How a position looks on a screen, for any game: spots to point at, what lies on them, and which spots each
//! legal move points at.
//!
//! ```text
//!  row 2   ·  x  ·        spots   a1 … c2, each with a place and a content
//!  row 1   o  x  ·        moves   "c1" = point at c1; "e2e4" = point at e2, then at e4;
//!          a  b  c                "roll" = point at nothing: a button
//! ```
//!
//! Invariant: every legal move stands in `moves`, in the game's order, and no two of them have the same path
//! unless the path is empty or `choice` tells them apart.

use serde::Serialize;

/// What to draw the spots as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Square cells that hold stones.
    Grid,
    /// A grid into whose columns stones fall from above.
    Drop,
    /// Squares in two colours that hold men.
    Chess,
    /// Points joined by lines.
    Points,
    /// Heaps of things to take.
    Piles,
    /// Nothing to point at: text and buttons.
    #[default]
    Text,
}

/// Whose something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holder {
    /// The first player.
    First,
    /// The second player.
    Second,
    /// Nobody: an obstacle, a match of a pile.
    Nobody,
}

/// A place that can hold something.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Spot {
    /// What a reader calls it: `a1`, `pile 2`.
    pub name: String,
    /// From the left, in cells.
    pub x: f32,
    /// From the bottom, in cells.
    pub y: f32,
    /// Whose thing lies there; `None` if the spot is empty.
    pub holder: Option<Holder>,
    /// What it is, where stones alone do not tell: `Q`, `3`. Empty for a plain stone or obstacle.
    pub label: String,
}

/// A legal move as a way to point.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Gesture {
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The spots to point at, in order, as places in the list of spots; empty for a button.
    pub path: Vec<usize>,
    /// What tells it apart from another move of the same path, such as the man a pawn becomes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub choice: String,
    /// How often chance makes it, relative to the other moves; 0 where a player decides.
    #[serde(skip_serializing_if = "is_zero")]
    pub odds: u32,
    /// Every way to make the move step by step, each as from and to in turn, where a turn has several steps; a way
    /// belongs to one move only. Empty where `path` says it all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<Vec<usize>>,
}

fn is_zero(odds: &u32) -> bool {
    *odds == 0
}

/// A position to look at.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Scene {
    /// What to draw the spots as.
    pub layout: Layout,
    /// Extent in cells.
    pub width: f32,
    /// Extent in cells.
    pub height: f32,
    /// The spots.
    pub spots: Vec<Spot>,
    /// Lines between spots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<[usize; 2]>,
    /// Lines between spots that count but that nothing moves along.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<[usize; 2]>,
    /// The legal moves.
    pub moves: Vec<Gesture>,
    /// Spots of the line, mill or king that ended the game.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisive: Vec<usize>,
    /// What the spots do not show: scores, men in hand, the dice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
}
