//! Chess endings of up to five men (pieces and pawns, kings included): `chess:KQKR`, `chess:KPK`, …, and the unions
//! `chess:all3` and `chess:all4`.
//!
//! ```text
//! 8  56 57 58 59 60 61 62 63        squares are numbered from a1, rank by rank
//! …
//! 2   8  9 10 11 12 13 14 15
//! 1   0  1  2  3  4  5  6  7
//!     a  b  c  d  e  f  g  h
//! ```
//!
//! The stronger side is white in the name: `chess:KRKQ` is `chess:KQKR`, and a position with reversed colours belongs
//! to it as well. There is no castling, no fifty-move rule and no repetition rule. Mate and stalemate end the game,
//! and stalemate is a tie. Positions are FEN; moves are in coordinate notation (`e2e4`, `a7a8q`) or SAN (`Nxd5+`,
//! `a8=Q`). An ending has no start position.
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
