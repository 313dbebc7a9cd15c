//! **outplay**: solve it, prove it, play it. A workbench for two-player zero-sum games of perfect information.
//!
//! From the rules of a game to its value and the best move:
//!
//! ```
//! use outplay::prelude::*;
//!
//! /// A pile of matches: take one, two or three; the player who takes the last one wins.
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
//! let (session, pile) = (Session::in_memory(), GameHandle::new(Pile(21)));
//! let solved = solve(&session, &pile, &SolveRequest::default(), &NoMonitor)?;
//! assert_eq!((solved.best, solved.positions.map(|all| all.legal)), (vec!["1".to_string()], Some(42)));
//! let later = query(&session, &pile, &PositionRef::Moves("1 3 1 3 1 3 2".into()), &NoMonitor)?;
//! assert_eq!((later.best, later.answer.distance()), (vec!["3".to_string()], Some(3)));
//! # Ok::<(), Trouble>(())
//! ```
//!
//! A game that also implements `Notation`, the text form of positions and moves, has every command of the program:
//! `examples/countdown.rs` is such a game. ARCHITECTURE.md is the map of the crates.

/// Matches, statistics, tuning.
pub use outplay_arena as arena;
/// Every position of a line board, up to 512 per instruction.
pub use outplay_bitplane as bitplane;
/// Catalog: games by spec string.
pub use outplay_catalog as catalog;
/// The independent checker of proofs.
pub use outplay_check as check;
/// The command line.
#[cfg(feature = "cli")]
pub use outplay_cli as cli;
/// One position of a gravity board: exact solver and opening books.
pub use outplay_connect as connect;
/// The vocabulary: games, values, notation, indexes and their laws.
pub use outplay_core as core;
/// Reproductions of published experiments.
#[cfg(feature = "experiments")]
pub use outplay_experiments as experiments;
/// Small files: atomic replacement, bounded reads, locks, sealed records.
pub use outplay_files as files;
/// Rules of the built-in games.
pub use outplay_games as games;
/// Combinatorial number systems.
pub use outplay_index as index;
/// Players by spec string.
pub use outplay_players as players;
/// Proofs of line boards.
pub use outplay_proof as proof;
/// Progress and cancellation, threads, communicator.
pub use outplay_runtime as runtime;
/// One position of any game: alpha-beta, expectiminimax.
pub use outplay_search as search;
/// Every position of any game: sweep, retrograde analysis, value iteration, verification.
pub use outplay_solve as solve;
/// Tables: values on disk.
pub use outplay_table as table;
/// Explanations, puzzles, annotated games.
pub use outplay_teach as teach;
/// A game with its solvers: query, solve, verify, statistics, plan.
pub use outplay_workbench as workbench;

/// The examples of the guide, compiled and run with those of the library.
#[cfg(doctest)]
#[doc = include_str!("../docs/your-own-game.md")]
mod guide {}

/// The types and functions for solving and querying a custom game.
pub mod prelude {
    pub use outplay_catalog::{Catalog, Family};
    pub use outplay_core::{Chance, Game, InputError, Notation, Payoff, Turn, Value, Verdict};
    pub use outplay_runtime::{Monitor, NoMonitor};
    pub use outplay_workbench::{
        Answer, GameBuilder, GameHandle, Method, PositionRef, Session, SolveRequest, Trouble, query, solve,
        verify,
    };
}
