//! The door of the server: who comes in, who has to make room, and what everybody passes on the way in and out.
//!
//! ```text
//!  port ─ Room: a seat for each connection ─ Wire: who takes nothing is given up
//!                     │
//!        attended, logged, guarded │ whatever the server adds │ caught, packed │ handlers
//! ```
//!
//! It knows nothing of games, and what it leads to knows nothing of sockets.
//!
//! Invariants: nobody at work is sent away for somebody else; nobody has more seats than one address may have.

mod guests;
mod headers;
mod open;
mod wire;

pub use guests::{Seat, Visitor, Working};
pub use open::{Local, Open, inner, outer};
