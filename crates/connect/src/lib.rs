//! Exact solver for connect-k on bitboards of up to 128 bits (width × (height + 1)).
//!
//! Connect-k is k in a row with gravity, here with any k, obstacles and preset stones. The solver is an alpha-beta
//! search with null windows and a transposition table, in the line of Pascal Pons' Connect 4 solver.
//!
//! ```text
//! solver    sequence of null-window searches   book      opening book, one score per position
//! search    null-window alpha-beta             author    building a book, resumable
//! zugzwang  follow-up bounds (Allis 1988)      places    ranking positions within a book
//! share     parallel search, simplified ABDADA
//! table     transposition table of bounds
//! rules     bitboards
//! ```
//!
//! [`Solver`] computes scores; [`Book`] looks them up where few stones are on the board. [`check`] rejects boards that
//! the solver does not support: those without gravity, and misère play.
//!
//! ```
//! use outplay_connect::{Depth, Solver, SolverLimits};
//! use outplay_core::{LineBoard};
//! use outplay_runtime::NoMonitor;
//!
//! let mut board = LineBoard::empty(5, 4, 4);
//! board.gravity = true;
//! let answer = Solver::new(1 << 16).solve(&board, Depth::Verdict, SolverLimits::default(), &NoMonitor, 1)?;
//! assert_eq!(answer.verdict(), Some(0));
//! # Ok::<(), outplay_connect::ConnectError>(())
//! ```

mod author;
mod board;
mod book;
mod error;
mod places;
mod rules;
mod search;
mod share;
mod solver;
mod table;
mod zugzwang;

pub use author::Author;
pub use book::{Book, BookError, BookSample};
pub use error::ConnectError;
pub use rules::check;
pub use solver::{Depth, ScoreBounds, Solver, SolverLimits, value};
