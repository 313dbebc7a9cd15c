//! Block codec: run-length coding with don't-cares, a context model per tier, and rANS.
//!
//! ```text
//! slots   . . 3 . 3 . . 5 . 5 5 . . 3 .       a dot is a don't-care
//! runs    [3 from 2 to 4] [5 from 7 to 10] [3 from 13 to 13]     first and last slot with the value
//! fit     3×6 5×6 3×rest                      each boundary lies where the run lengths are cheapest
//! bytes   rANS of: value given the two values before it, length given the value
//! ```
//!
//! Nine of ten slots of a typical tier are don't-cares, so a run may end anywhere between its last
//! defined slot and the first defined slot of the next run. [`fit`] chooses the ends by optimal parsing
//! (dynamic programming), [`model`] holds the symbol frequencies of a tier, [`rans`] is the entropy coder.
//!
//! Invariant: decoding a block restores every slot that is not a don't-care.

pub(crate) mod block;
pub(crate) mod find;
pub(crate) mod fit;
pub(crate) mod lanes;
pub(crate) mod length;
pub(crate) mod model;
pub(crate) mod rans;
pub(crate) mod runs;
pub(crate) mod train;
