//! An engine for k in a row on boards of any size: obstacles, preset stones, gravity, misère.
//!
//! | file | what it holds |
//! |---|---|
//! | `shape` | what a stone would make along one direction: an open three, a four … |
//! | `weights` | what shapes are worth |
//! | `ground` | the board, with the shapes of all cells kept up to date move by move |
//! | `attack` | wins by threats that have to be answered, as trees that can be written as proofs |
//! | `search` | alpha-beta over cells near stones |
//! | `table` | what searches remember, shared by threads |
//! | `engine` | deeper and deeper, within limits |
//!
//! Invariant: a win or loss that is *claimed* is proven. Where a search left out moves of the side that loses, its
//! score says "believed" instead.
//!
//! ```
//! use outplay_core::{Content, LineBoard, Quiet};
//! use outplay_lines::{Engine, Limits, Settings};
//!
//! // Three in a row in the middle of an empty board: nothing stops them.
//! let mut board = LineBoard::empty(15, 15, 5);
//! for column in 6..9 {
//!     let cell = board.cell(column, 7);
//!     board.cells[cell] = Content::First;
//! }
//! let mut engine = Engine::new(&board, Settings::default()).unwrap();
//! let found = engine.think(&board, &Limits { depth: Some(4), ..Limits::default() }, &Quiet).unwrap();
//! assert_eq!(found.wins_in, Some(3));
//! ```

mod attack;
mod engine;
mod ground;
mod search;
mod shape;
mod table;
mod weights;

pub use engine::{Engine, Found, Limits, Settings, census, opinion};
pub use shape::MOST_K;
pub use weights::{NAMES, Weights};
