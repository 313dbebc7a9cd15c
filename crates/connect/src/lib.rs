//! The exact score of any position of connect-k.

mod bits;
mod board;
mod error;
mod rules;
mod search;
mod solver;
mod table;
mod zugzwang;

pub use error::ConnectError;
pub use rules::check;
pub use solver::{Answer, Depth, Limits, Solver, value};
