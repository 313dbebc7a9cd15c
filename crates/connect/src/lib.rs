//! The exact score of any position of connect-k: any board of up to 128 bits (width × (height + 1)),
//! any k, with gravity, obstacles and preset stones.
//!
//! ```text
//! solver    which questions are asked          book      scores of all openings, packed
//! search    alpha-beta over the answers        author    how a book is built
//! zugzwang  bounds by answering on top         places    positions as numbers
//! share     several threads
//! table     what is remembered
//! rules     the board as bits
//! ```
//!
//! [`Solver`] answers; [`Book`] answers at once where few stones lie. Boards without gravity and misère
//! play are refused by [`check`].
//!
//! ```
//! use outplay_connect::{Depth, Limits, Solver};
//! use outplay_core::{LineBoard, Quiet};
//!
//! let mut board = LineBoard::empty(5, 4, 4);
//! board.gravity = true;
//! let answer = Solver::new(1 << 16).solve(&board, Depth::Verdict, Limits::default(), &Quiet, 1)?;
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
pub use book::{Book, BookError, Checked};
pub use error::ConnectError;
pub use rules::check;
pub use solver::{Answer, Depth, Limits, Solver, value};
