//! Playing in the terminal: a full-screen board with keyboard and mouse, or a prompt that can be scripted.
//!
//! ```text
//!  session   the game so far: moves, undone moves, who sits where
//!  thought   players and values, found on a thread of their own
//!  board     a scene as cells of the screen, and back from a cell to a spot
//!  paint     frames, and text that is folded where it would be cut off
//!  screen    the full-screen player: keys and the mouse become actions
//!  terminal  the whole screen: taken at the beginning, given back whatever happens
//!  prompt    the same game line by line
//!  sight     values as people read them
//!  cure      what went wrong, and what to do about it
//! ```
//!
//! It sees games as entries only, so a game of one's own can be played at once.
//!
//! ```
//! use outplay_answer::{Place, QueryOptions};
//! use outplay_catalog::Catalog;
//! use outplay_core::Quiet;
//! use outplay_play::{Seat, Session, prompt};
//!
//! let game = Catalog::standard().open("tictactoe").map_err(outplay_answer::Trouble::from)?;
//! let mut session = Session::new(game, Place::Start, [Seat::Human, Seat::Human], 1, QueryOptions::default())?;
//! let mut said = Vec::new();
//! prompt(&mut session, &mut &b"a1\nb1\na2\nb2\na3\n"[..], &mut said, true, &Quiet)?;
//! assert_eq!(session.status(), "The game is over: First (you) wins.");
//! # Ok::<(), outplay_play::PromptError>(())
//! ```

mod board;
mod cure;
mod paint;
mod prompt;
mod screen;
mod session;
mod sight;
mod terminal;
mod thought;

pub use prompt::{PromptError, prompt};
pub use screen::full_screen;
pub use session::{Mover, Seat, Session};
