//! m,n,k-games: k in a row on a board of m columns and n rows, with obstacles, preset stones, gravity and misère.
//! Tic-tac-toe and Connect-4 are members of the family.
//!
//! [`Rules`] describes a game. [`Mnk`] implements it on bitboards of 64 or 128 bits, and [`LargeMnk`] on boards of any
//! size. [`MnkIndex`] ranks the positions of a bitboard.

mod board;
mod grid;
mod index;
mod large;
mod pasted;
mod reach;
mod rules;
mod scene;

pub use board::{Board, Mnk};
pub use index::{MnkIndex, tier_sizes};
pub use large::{LargeBoard, LargeMnk};
pub use outplay_index::Bits;
pub use rules::Rules;

#[cfg(test)]
mod pasted_tests;
#[cfg(test)]
mod tests;
