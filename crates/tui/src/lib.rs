//! Playing in the terminal: a full-screen board with keyboard and mouse, or a prompt that can be scripted.
//!
//! ```text
//!  play_session  the game so far: moves, undone moves, who plays each side
//!  thought       computer players and values, computed on background threads
//!  advice        hints and reasons
//!  review        the summary of a game and its turning point
//!  board         a scene as terminal cells, and hit testing from a cell back to a spot
//!  panel         the text beside the board
//!  overlay       dialog boxes of text and lists
//!  keys          list of the key bindings
//!  paint         frames, line wrapping and the depth of colours
//!  screen        the full-screen interface: key and mouse events become actions
//!  terminal      alternate screen and raw mode, restored on every exit path
//!  prompt        the same game line by line
//!  sight         formatting of values
//!  cure          error messages
//! ```
//!
//! The crate depends only on `GameHandle`, so a user-defined game can be played without further code.
//!
//! ```
//! use outplay_workbench::{PositionRef, Session};
//! use outplay_catalog::Catalog;
//! use outplay_runtime::NoMonitor;
//! use outplay_tui::{Seat, PlaySession, prompt};
//!
//! let game = Catalog::standard().open("tictactoe").map_err(outplay_workbench::Trouble::from)?;
//! let mut session = PlaySession::new(Session::default(), game, PositionRef::Start, [Seat::Human, Seat::Human], 1)?;
//! let mut said = Vec::new();
//! prompt(&mut session, &mut &b"a1\nb1\na2\nb2\na3\n"[..], &mut said, true, &NoMonitor)?;
//! assert_eq!(session.status(), "The game is over: First (you) wins.");
//! # Ok::<(), outplay_tui::PromptError>(())
//! ```

mod advice;
mod board;
mod cure;
mod keys;
mod overlay;
mod paint;
mod panel;
mod play_session;
mod prompt;
mod review;
mod screen;
mod sight;
mod terminal;
mod thought;

pub use paint::ColourDepth;
pub use play_session::{Mover, PlaySession, PlayedMove, Seat};
pub use prompt::{PromptError, prompt};
pub use review::summary;
pub use screen::full_screen;
