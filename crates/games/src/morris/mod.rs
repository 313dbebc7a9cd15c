//! Three, six and nine men's morris: players place men in turn, then move them along the lines of the board.
//!
//! ```text
//! three, tapatan        six                        nine
//! a3--b3--c3            a5------c5------e5         a7----------d7----------g7
//!  |   |   |             |   b4-c4-d4   |           |   b6-----d6-----f6   |
//! a2--b2--c2            a3--b3     d3--e3           |    |  c5-d5-e5  |    |
//!  |   |   |             |   b2-c2-d2   |          a4---b4-c4      e4-f4---g4
//! a1--b1--c1            a1------c1------e1          |    |  c3-d3-e3  |    |
//!                                                   |   b2-----d2-----f2   |
//!                                                  a1----------d1----------g1
//! ```
//!
//! - `morris:three,lines=6` three men a side; rows and columns are lines, and a line wins at once.
//! - `morris:three,lines=8` the same moves; the two diagonals win too.
//! - `morris:tapatan` men also move along the diagonals through the centre; eight lines.
//! - `morris:six,men=3|4|5|6[,flying]` closing a mill (a side of a ring) captures one opposing man, not out of a mill
//!   unless all are in mills. A player with fewer than three men, once all are placed, loses. With `flying`, a player
//!   with three men moves to any empty point.
//!
//! - `morris:nine[,flying=off]` nine men a side on three rings; a mill is a side of a ring or a line that joins the
//!   rings. It captures a man as in `six`, and two mills closed at once capture one. Players with three men fly after
//!   the placing phase, unless that is switched off.
//! - `morris:nine,men=5+4[,flying=off]` its endings: all men are placed, and five are left to one side and four to
//!   the other. An ending has no start.
//!
//! In all variants a player who cannot move loses. If both players have fewer than three men when the last man is
//! placed, the game is a tie.

mod board;
mod colours;
mod endings;
mod index;
mod notation;
mod remarks;
mod rules;
mod scene;
mod sets;
mod shapes;

pub use endings::EndingIndex;
pub use index::MorrisIndex;
pub use rules::{Men, Morris, Step};
