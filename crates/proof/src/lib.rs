//! Proof search for k-in-a-row boards far too large for tables, with machine-checkable proofs.
//!
//! A board without gravity is decided by two questions: can the player to move force a line, and can the
//! opponent? Each is answered from the view of an *attacker*, who wants a line, and a *defender*:
//!
//! * the weak (Maker–Breaker) game, where the defender only blocks: pairing strategies, the Erdős–Selfridge
//!   potential and relevance zones decide boards on which blocking suffices;
//! * the strong game, where the defender's own threats count too and the attacker needs threats of its own.
//!
//! Both are searched by df-pn (Nagai 2002), with VCF (victory by continuous fours) at the leaves of the strong game.
//! [`prove`] returns the value or, if a limit was reached first, bounds. On request it also returns a [`Proof`], whose
//! text the crate `outplay-check` verifies with the plain rules.
//!
//! ```
//! use outplay_core::{LineBoard, Verdict};
//! use outplay_runtime::NoMonitor;
//! use outplay_proof::{ProofLimits, prove};
//!
//! let answer = prove(&LineBoard::empty(6, 6, 4), &ProofLimits::default(), &NoMonitor)?;
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
pub use prove::{MOST_CELLS, ProofLimits, ProofResult, ProveError, prove};
pub use script::Proof;
