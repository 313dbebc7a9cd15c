//! Who moves: players of any game, each behind a spec string.
//!
//! A [`Kit`] holds a game with what it brings along and makes a [`Player`] from a spec such as
//! `alphabeta:depth=7`. A player is shown positions and answers with moves; what is really true of a position
//! it can learn only from a [`Truth`]. Nothing here does I/O.

mod kit;
mod player;
mod random;
mod truth;

pub use kit::Kit;
pub use player::{Choice, PlayError, Player};
pub use random::Random;
pub use truth::{Merit, Merits, Truth};
