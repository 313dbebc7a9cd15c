//! What can be wrong with words that come from outside.

use thiserror::Error;

/// A spec string, a position or a move that makes no sense, with the reason and, in it, the cure.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InputError {
    /// A game's spec string.
    #[error("`{spec}`: {why}")]
    Spec {
        /// What was given.
        spec: String,
        /// What is wrong with it and what would be right.
        why: String,
    },
    /// A position in a game's notation.
    #[error("position `{text}`: {why}")]
    Position {
        /// What was given.
        text: String,
        /// What is wrong with it and what would be right.
        why: String,
    },
    /// A move in a game's notation.
    #[error("move `{text}`: {why}")]
    Move {
        /// What was given.
        text: String,
        /// What is wrong with it and what would be right.
        why: String,
    },
}

/// Long input is shortened: an error is one sentence even when a megabyte was pasted.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let clean: String =
        text.chars().take(MOST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().count() > MOST { clean + "…" } else { clean }
}

impl InputError {
    /// A spec that is wrong because of `why`.
    pub fn spec(spec: &str, why: impl Into<String>) -> InputError {
        InputError::Spec { spec: shortened(spec), why: why.into() }
    }

    /// A position that is wrong because of `why`.
    pub fn position(text: &str, why: impl Into<String>) -> InputError {
        InputError::Position { text: shortened(text), why: why.into() }
    }

    /// A move that is wrong because of `why`.
    pub fn mv(text: &str, why: impl Into<String>) -> InputError {
        InputError::Move { text: shortened(text), why: why.into() }
    }
}
