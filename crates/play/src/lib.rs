//! Playing in the terminal: a full-screen board with keyboard and mouse, or a prompt that can be scripted.
//!
//! ```text
//!  session   the game so far: moves, undone moves, who sits where
//!  thought   players and values, found on a thread of their own
//!  board     a scene as cells of the screen, and back from a cell to a spot
//!  screen    the full-screen player: keys and the mouse become actions
//!  prompt    the same game line by line
//! ```
//!
//! It sees games through the catalog only, so a game of one's own can be played at once.

mod board;
mod prompt;
mod screen;
mod session;
mod sight;
mod thought;

pub use prompt::{PromptError, prompt};
pub use screen::full_screen;
pub use session::{Seat, Session};
