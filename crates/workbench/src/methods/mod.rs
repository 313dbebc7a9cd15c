//! The methods of `solve`, one file for each group.
//!
//! | file | methods |
//! |---|---|
//! | `minimax` | `plain`, `memo` |
//! | `sweep` | `sweep` |
//! | `bitplane` | `dense` |
//! | `retrograde` | `retrograde`, `sweep-until-stable` |
//! | `single` | `search`, `proof`: one position, by sources of the ladder |
//! | `textbook` | `breadth`, `expectimax`, `star1`, `star2` |
//! | `distributed` | `dense`, `retrograde`, `sweep` on several ranks |
//!
//! `chance` is in `means.rs`, next to the tables of means.

pub(crate) mod bitplane;
pub(crate) mod distributed;
pub(crate) mod minimax;
pub(crate) mod retrograde;
pub(crate) mod single;
pub(crate) mod sweep;
pub(crate) mod textbook;
