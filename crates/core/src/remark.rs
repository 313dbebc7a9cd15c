//! What a player sees in a position: the words and spots that explain a value to people.
//!
//! A remark is about the rules alone (a line that can be closed, a sum of piles), never about searched values:
//! those are somebody else's to tell.

use crate::Turn;

/// What a marked spot has to do with a remark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Playing here wins, or gains something, at once.
    Win,
    /// The opponent would, if nothing is done.
    Block,
    /// What the remark is about.
    Key,
}

/// Something that can be seen in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Part of a sentence, without a capital and without a full stop.
    pub words: String,
    /// The spots of the scene that it is about.
    pub spots: Vec<(usize, Sign)>,
    /// Whose doing it is.
    pub by: Turn,
}
