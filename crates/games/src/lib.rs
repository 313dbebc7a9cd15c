//! Game rules, one module for each family of games. The rules do not depend on solvers, tables or interfaces.
//!
//! ```
//! use outplay_core::{Game, Notation};
//! use outplay_games::{Spec, nim::Nim};
//!
//! let nim = Nim::from_spec(Spec::parse("nim:3+4+5")?)?;
//! let start = nim.start().ok_or("nim has a start")?;
//! let take = nim.read_move(&start, "3-2")?;
//! assert_eq!(nim.write_position(&nim.play(&start, take)), "1+4+5 B");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod chess;
pub mod einstein;
pub mod hypergammon;
pub mod mnk;
pub mod morris;
pub mod nim;
mod pasted;
pub mod pig;
mod spec;

pub use spec::Spec;
