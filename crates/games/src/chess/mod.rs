//! Chess endings of up to five men: `chess:KQKR`, `chess:KPK`, …, and `chess:all3`, `chess:all4` for all at once.
//!
//! ```text
//! 8  56 57 58 59 60 61 62 63        squares are numbered from a1 by row
//! …
//! 2   8  9 10 11 12 13 14 15
//! 1   0  1  2  3  4  5  6  7
//!     a  b  c  d  e  f  g  h
//! ```
//!
//! The stronger side is white in the name; `chess:KRKQ` is `chess:KQKR`, and a position with the colours the other
//! way round belongs to it as well. There is no castling, no fifty-move rule and no rule of repetition: mate and
//! stalemate end the game, and stalemate is a tie. Positions are FEN, moves are `e2e4` and `a7a8q` or, as people
//! write them, `Nxd5+` and `a8=Q`. An ending has no start position.
//!
//! Captures and promotions lead to smaller endings, which are tiers of the same index.

mod exits;
mod geometry;
mod index;
mod kings;
mod material;
mod notation;
mod passing;
mod rules;
mod san;
mod scene;
mod sets;
mod setup;
mod spread;

pub use index::ChessIndex;
pub use material::Material;
pub use notation::ending_of;
pub use rules::{Chess, ChessMove};
pub use setup::Setup;
