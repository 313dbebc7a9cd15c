//! Scene: the graphical description of a position of any game, as spots, their contents, and the clicks that make each
//! move.
//!
//! ```text
//!  row 2   ·  x  ·        spots   a1 … c2, each with coordinates and a content
//!  row 1   o  x  ·        moves   "c1" = click c1; "e2e4" = click e2, then e4;
//!          a  b  c                "roll" = no spot: a button
//! ```
//!
//! Invariant: `moves` lists every legal move, in the game's order. Two moves have different sequences of clicks, unless
//! they need no click or differ in `choice` (the piece of a promotion, say).

use serde::Serialize;

/// Kind of board that an interface draws.
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
    /// Heaps of matches or other objects.
    Piles,
    /// No spots: text and buttons.
    #[default]
    Text,
}

/// Owner of a piece: a player, or neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holder {
    /// The first player.
    First,
    /// The second player.
    Second,
    /// Neither player: an obstacle, a match of a pile.
    Nobody,
}

/// A point of the board that can hold a piece.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Spot {
    /// The displayed name: `a1`, `pile 2`.
    pub name: String,
    /// Horizontal position from the left, in cells.
    pub x: f32,
    /// Vertical position from the bottom, in cells.
    pub y: f32,
    /// The owner of the piece there; `None` if the spot is empty.
    pub holder: Option<Holder>,
    /// The kind of piece, where the owner is not enough: `Q`, `3`. Empty for a plain stone or obstacle.
    pub label: String,
}

/// A legal move as a sequence of clicks on spots.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Gesture {
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The spots to click, in order, as indices into the list of spots; empty for a button.
    pub path: Vec<usize>,
    /// Distinguishes moves with the same path, such as the piece a pawn promotes to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub choice: String,
    /// The relative frequency of a chance outcome; 0 where a player decides.
    #[serde(skip_serializing_if = "is_zero")]
    pub odds: u32,
    /// All sequences of single steps that make the move, each as from and to in turn, for turns of several steps. A
    /// sequence belongs to one move only. Empty where `path` is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<Vec<usize>>,
    /// The move as words after the player's name, [`Notation::said`](crate::Notation::said); the interface fills it
    /// in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
}

fn is_zero(odds: &u32) -> bool {
    *odds == 0
}

/// Graphical description of a position: spots with their contents, and the clicks of every move.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Scene {
    /// The kind of board to draw.
    pub layout: Layout,
    /// Width in cells.
    pub width: f32,
    /// Height in cells.
    pub height: f32,
    /// The spots.
    pub spots: Vec<Spot>,
    /// Lines between spots along which pieces move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<[usize; 2]>,
    /// Lines between spots that matter for the rules but along which no piece moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<[usize; 2]>,
    /// The legal moves.
    pub moves: Vec<Gesture>,
    /// The spots of the line, mill or king that ended the game.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisive: Vec<usize>,
    /// State that the spots do not show: scores, men in hand, the dice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    /// A sentence that says what the player to move can do, where spots and moves do not show it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt: String,
}
