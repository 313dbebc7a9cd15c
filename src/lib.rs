//! **outplay**: solve it, prove it, play it. A workbench for two-player zero-sum games of perfect information.
//!
//! From a game of one's own to the value of every position and the best move:
//!
//! ```
//! use outplay::prelude::*;
//!
//! /// A pile of matches: take one, two or three; who takes the last one wins.
//! #[derive(Clone)]
//! struct Pile(u8);
//!
//! impl Game for Pile {
//!     type Position = (u8, bool); // matches left, whether the second player is to move
//!     type Move = u8;
//!     fn start(&self) -> Option<(u8, bool)> { Some((self.0, false)) }
//!     fn turn(&self, pos: &(u8, bool)) -> Turn { if pos.1 { Turn::Second } else { Turn::First } }
//!     fn moves(&self, pos: &(u8, bool), out: &mut Vec<u8>) { out.extend(1..=pos.0.min(3)) }
//!     fn play(&self, pos: &(u8, bool), take: u8) -> (u8, bool) { (pos.0 - take, !pos.1) }
//!     fn outcome(&self, pos: &(u8, bool)) -> Option<Payoff> {
//!         (pos.0 == 0).then_some(if pos.1 { 1 } else { -1 })
//!     }
//! }
//!
//! impl Notation for Pile {
//!     fn spec(&self) -> String { format!("pile:{}", self.0) }
//!     fn write_position(&self, pos: &(u8, bool)) -> String { format!("{}{}", pos.0, if pos.1 { "B" } else { "A" }) }
//!     fn read_position(&self, text: &str) -> Result<(u8, bool), InputError> {
//!         let left = text.trim_end_matches(['A', 'B']).parse().ok().filter(|left| *left <= self.0);
//!         left.map(|left| (left, text.ends_with('B'))).ok_or_else(|| InputError::position(text, "write it as `7A`"))
//!     }
//!     fn write_move(&self, _: &(u8, bool), take: u8) -> String { take.to_string() }
//! }
//!
//! let pile = Entry::new(Pile(21));
//! let solved = pile.solve(&SolveRequest::default(), &Quiet)?;
//! assert_eq!((solved.best, solved.positions.map(|all| all.legal)), (vec!["1".to_string()], Some(42)));
//! let later = pile.query(&Place::Position("7A".into()), &QueryOptions::default(), &Quiet)?;
//! assert_eq!((later.best, later.answer.distance()), (vec!["3".to_string()], Some(3)));
//! # Ok::<(), Trouble>(())
//! ```
//!
//! `examples/countdown.rs` is such a game with the whole command line; ARCHITECTURE.md draws the map.

pub use outplay_answer as answer;
pub use outplay_arena as arena;
pub use outplay_catalog as catalog;
pub use outplay_check as check;
#[cfg(feature = "cli")]
pub use outplay_cli as cli;
pub use outplay_connect as connect;
pub use outplay_core as core;
pub use outplay_dense as dense;
pub use outplay_experiments as experiments;
pub use outplay_explain as explain;
pub use outplay_games as games;
pub use outplay_index as index;
pub use outplay_players as players;
pub use outplay_proof as proof;
pub use outplay_search as search;
pub use outplay_solve as solve;
pub use outplay_table as table;

/// What a game of one's own and questions about it need.
pub mod prelude {
    pub use outplay_answer::{Answer, Entry, Method, Place, QueryOptions, SolveRequest, Trouble};
    pub use outplay_catalog::{Catalog, Family};
    pub use outplay_core::{Chance, Game, InputError, Notation, Payoff, Quiet, Turn, Value, Verdict, Watch};
}
