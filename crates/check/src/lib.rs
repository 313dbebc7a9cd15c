//! Independent verifier for proofs of the value of k-in-a-row boards.
//!
//! A proof is a text of strategies (the crate `outplay-proof` writes it; docs/proof-format.md is the
//! specification). This crate has its own parser, computes the lines of the board itself and follows every
//! strategy through every reply. It shares no code with the search, so a proof that passes is valid whatever
//! the search did.
//!
//! ```
//! let text = "outplay-proof 1\n\
//!             board .. k 2 turn x\n\
//!             claim win\n\
//!             x wins by 2\n\
//!             steps 3\n\
//!             0 fours b1\n\
//!             1 replies\n\
//!             2 plays a1>1\n\
//!             end\n";
//! assert!(outplay_check::check(text).is_err(), "o simply takes b1");
//! ```

mod guide;
mod parse;
mod position;
#[cfg(test)]
mod rules;
mod set;
mod trail;
mod verify;

pub use guide::{GuideError, PlacedStone, StepView, StrategyState, guide};
pub use parse::SyntaxError;
pub use trail::{Eyes, TrailStep};
pub use verify::{CheckError, CheckLimits, Claim, check, check_seen, check_watched, check_within};
