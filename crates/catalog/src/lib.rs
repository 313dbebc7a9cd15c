//! Names become games: `mnk:4x4,k=3` becomes an [`Entry`] with everything that can be asked about the game.
//!
//! A game of one's own joins with [`Catalog::add`]; see `examples/` of the workspace.
//!
//! ```
//! use outplay_answer::{Place, QueryOptions};
//! use outplay_catalog::Catalog;
//! use outplay_core::{Quiet, Verdict};
//!
//! let game = Catalog::standard().open("nim:3+4+5")?;
//! let mut options = QueryOptions::default();
//! options.data = None;
//! let answer = game.query(&Place::Start, &options, &Quiet)?;
//! assert_eq!(answer.answer.verdict(), Some(Verdict::Win));
//! # Ok::<(), outplay_answer::Trouble>(())
//! ```
//!
//! [`Entry`]: outplay_answer::Entry

mod catalog;
mod families;

pub use catalog::{Catalog, Family};
