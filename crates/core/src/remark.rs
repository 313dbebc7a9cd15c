//! Remarks on a position that explain its value to people: text with marked spots of the board.
//!
//! A remark follows from the rules alone (a line that can be completed, a nim-sum), never from values found by search.

use crate::Turn;

/// Role of a marked spot in a remark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Playing here wins, or gains something, at once.
    Win,
    /// The opponent's move here would win, or gain something, unless it is stopped.
    Block,
    /// The subject of the remark.
    Key,
}

/// A remark on a position: text with marked spots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Part of a sentence, without an initial capital and without a full stop.
    pub words: String,
    /// The spots of the scene that the remark refers to.
    pub spots: Vec<(usize, Sign)>,
    /// The player the remark is about.
    pub by: Turn,
}
