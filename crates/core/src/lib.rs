//! The vocabulary of outplay: what a game is and what can be known about a position.
//!
//! A game is the tuple (S, I, Succs, T, V): positions, a start, successors, finished positions and what
//! the first player gets at each of them. [`Game`] asks for just that. Everything that makes a game
//! faster to solve or nicer to look at is an optional companion with a documented fallback:
//!
//! | companion | what it adds | without it |
//! |---|---|---|
//! | [`Notation`] | positions and moves as text | the game cannot be used from the command line |
//! | [`Index`] | positions as numbers, in tiers | an index is made by exploring the game |
//! | [`Predecessors`] | moves backwards | the graph is explored forwards and stored |
//! | [`Sets`] | moves of whole sets of positions | positions are looked at one by one |
//! | [`Rolls`] | numbers for the positions before a roll only | every position has a number |
//! | [`Chance`] | probabilities of random moves | the game is deterministic |
//! | [`Keyed`] | a hash key of the game's own | positions are hashed |
//! | [`LineGame`] | "k in a row on a board" | no dense, connect-k or proof solver |
//!
//! Nothing here does I/O, knows a particular game, or allocates in a loop.
//!
//! ```
//! use outplay_core::{LineBoard, Turn, Value};
//!
//! // Larger is better for the player to move, and a move is one ply further and seen from the other side.
//! assert!(Value::win(3) > Value::win(5) && Value::TIE > Value::loss(40));
//! assert_eq!(Value::loss(4).before(false), Value::win(5));
//! // Any position of a game of lines is a board of its own.
//! let board = LineBoard::empty(7, 6, 4).after(0);
//! assert_eq!((board.stones(), board.turn), (1, Turn::Second));
//! ```

mod any;
mod code;
mod counters;
pub mod crew;
mod error;
pub mod figures;
mod floor;
mod game;
mod index;
pub mod laws;
mod ledger;
mod lines;
mod meter;
mod nearest;
mod notation;
pub mod numbers;
mod probe;
mod remark;
mod scene;
mod sets;
pub mod threads;
mod value;
mod watch;

pub use any::{AnyGame, AnyMove, AnyPosition, Falls, Native};
pub use code::{Code, WdlCode};
pub use counters::Counters;
pub use crew::{Clerk, Crew, Team};
pub use error::InputError;
pub use floor::{Floor, Held};
pub use game::{Chance, Game, Keyed, Payoff, Turn};
pub use index::{Detour, Index, Link, Predecessors, Rolls, Tier};
pub use ledger::{Ledger, NoMemory, discard};
pub use lines::{Attack, Content, LineBoard, LineGame};
pub use meter::Meter;
pub use nearest::nearest;
pub use notation::{Mark, Notation, Picture, Span, Tone, cell_name, column_name, parse_cell, parse_column};
pub use probe::{Probe, ProbeError};
pub use remark::{Remark, Sign};
pub use scene::{Gesture, Holder, Layout, Scene, Spot};
pub use sets::{Leaving, SetDetour, Sets, Slots};
pub use value::{Value, Verdict};
pub use watch::{Deadline, Pace, Quiet, Watch};
