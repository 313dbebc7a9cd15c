//! Errors of user input: invalid specs, positions and moves.

use crate::escape_controls;
use thiserror::Error;

/// An invalid spec string, position or move, with the reason and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InputError {
    /// A game's spec string.
    #[error("`{spec}`: {why}")]
    Spec {
        /// The input.
        spec: String,
        /// The reason, and a valid form.
        why: String,
    },
    /// A position in a game's notation.
    #[error("position `{text}`: {why}")]
    Position {
        /// The input.
        text: String,
        /// The reason, and a valid form.
        why: String,
    },
    /// A move in a game's notation.
    #[error("move `{text}`: {why}")]
    Move {
        /// The input.
        text: String,
        /// The reason, and a valid form.
        why: String,
    },
}

/// Truncates long input: an error message is one sentence even when a megabyte was pasted.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let start: String = text.chars().take(MOST).collect();
    let more = if text.chars().count() > MOST { "…" } else { "" };
    escape_controls(&start) + more
}

impl InputError {
    /// An invalid spec with the reason `why`.
    pub fn spec(spec: &str, why: impl Into<String>) -> InputError {
        InputError::Spec { spec: shortened(spec), why: why.into() }
    }

    /// An invalid position with the reason `why`.
    pub fn position(text: &str, why: impl Into<String>) -> InputError {
        InputError::Position { text: shortened(text), why: why.into() }
    }

    /// An invalid move with the reason `why`.
    pub fn mv(text: &str, why: impl Into<String>) -> InputError {
        InputError::Move { text: shortened(text), why: why.into() }
    }
}
