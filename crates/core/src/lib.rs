//! The game model of outplay: the [`Game`] trait, its optional companion traits, values and notation.
//!
//! A game is the tuple (S, I, Succs, T, V): positions, a start, successors, terminal positions and the payoff of the
//! first player at each of them. [`Game`] requires no more than that. An accelerator or a display is an optional
//! companion trait with a documented fallback:
//!
//! | companion | adds | without it |
//! |---|---|---|
//! | [`Notation`] | positions and moves as text | the game cannot be used from the command line |
//! | [`Index`] | ranks of positions, in tiers (rank/unrank) | an index is built by exploring the game |
//! | [`Predecessors`] | unmove generation | the graph is explored forwards and stored |
//! | [`Sets`] | move generation for whole sets of positions (bitboards) | positions are processed one by one |
//! | [`Rolls`] | ranks for the positions before a roll only | every position has a rank |
//! | [`Chance`] | probabilities of chance events | the game is deterministic |
//! | [`HashKeys`] | a hash key of the game's own (Zobrist, say) | positions are hashed by `Hash` |
//! | [`LineGame`] | the position as a board on which k in a row decides | no bit-plane, connect-k or proof solver |
//!
//! Invariant: this crate does no I/O, depends on no particular game and does not allocate in loops.
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
mod error;
mod escape;
pub mod figures;
mod game;
mod index;
pub mod index_laws;
pub mod laws;
mod lines;
mod nearest;
mod notation;
mod probe;
mod remark;
mod scene;
mod sets;
pub mod svg;
mod unwritten;
mod value;

pub use any::{AnyGame, AnyMove, AnyPosition, Falls, Native};
pub use code::{Code, WdlCode};
pub use counters::Counters;
pub use error::InputError;
pub use escape::escape_controls;
pub use game::{Chance, Game, HashKeys, Payoff, Turn};
pub use index::{Detour, Index, Link, Predecessors, Rolls, Tier};
pub use index_laws::Breach;
pub use lines::{Attack, Content, LineBoard, LineGame};
pub use nearest::nearest;
pub use notation::{Mark, Notation, Picture, Span, Tone, cell_name, column_name, parse_cell, parse_column};
pub use probe::{Probe, ProbeError};
pub use remark::{Remark, Sign};
pub use scene::{Gesture, Holder, Layout, Scene, Spot};
pub use sets::{SetDetour, Sets, Slots, TierExit};
pub use unwritten::DebugNotation;
pub use value::{Value, Verdict};
