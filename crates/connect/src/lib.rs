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
