//! How the slots of a block become bytes.
//!
//! ```text
//! slots   . . 3 . 3 . . 5 . 5 5 . . 3 .       a dot is a don't care
//! runs    [3 from 2 to 4] [5 from 7 to 10] [3 from 13 to 13]
//! fit     3×6 5×6 3×rest                      boundaries fall where the lengths are cheapest to say
//! bytes   rANS of: value after the two before it, length given the value
//! ```
//!
//! Nine of ten slots of a typical tier are don't-cares, so a run's end may lie anywhere between its last
//! slot that counts and the first one of the next run. [`fit`] chooses the ends by dynamic programming
//! against the lengths' costs, [`model`] holds the frequencies of a whole tier, [`rans`] codes.
//!
//! Invariant: decoding a block gives back every slot that is not a don't care.

pub(crate) mod block;
pub(crate) mod find;
pub(crate) mod fit;
pub(crate) mod lanes;
pub(crate) mod length;
pub(crate) mod model;
pub(crate) mod rans;
pub(crate) mod runs;
pub(crate) mod train;
