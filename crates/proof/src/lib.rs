//! Win, draw or loss of k-in-a-row boards far beyond tables, with proofs that can be checked.
//!
//! A board without gravity is decided by two questions: can the player to move force a line, and can the
//! other one? Each is answered from the view of an *attacker*, who wants a line, and a *defender*:
//!
//! * the game of blocking (the Maker–Breaker or weak game), where pairings, potentials and zones make short
//!   work of boards on which blocking is enough;
//! * the real game, where the defender's own threats count too and the attacker needs threats of its own.
//!
//! [`prove`] returns the value or, if a limit came first, bounds; and on request a [`Proof`] whose text the
//! crate `outplay-check` verifies with the plain rules.
//!
//! ```
//! use outplay_core::{LineBoard, Quiet, Verdict};
//! use outplay_proof::{Limits, prove};
//!
//! let answer = prove(&LineBoard::empty(6, 6, 4), &Limits::default(), &Quiet)?;
//! assert_eq!((answer.verdict(), answer.best.is_some()), (Some(Verdict::Win), true));
//! # Ok::<(), outplay_proof::ProveError>(())
//! ```

mod budget;
mod cells;
mod extract;
mod field;
mod fours;
mod pairing;
mod prove;
mod residue;
mod script;
mod strong;
mod weak;

pub use pairing::pairing;
pub use prove::{Answer, Limits, MOST_CELLS, ProveError, prove};
pub use script::Proof;
