//! Why a position is worth what it is: reasons, threats, what sets moves apart, puzzles, and games looked back on.
//!
//! Everything here is written for any game and asks one source of truth, [`outplay_answer::Oracle`]. Nothing here
//! solves, prints or draws.
//!
//! ```
//! # use outplay_core::{Game, InputError, Notation, Payoff, Turn};
//! # #[derive(Clone)]
//! # struct Pile(u8);
//! # impl Game for Pile {
//! #     type Position = (u8, bool);
//! #     type Move = u8;
//! #     fn start(&self) -> Option<(u8, bool)> { Some((self.0, true)) }
//! #     fn turn(&self, pos: &(u8, bool)) -> Turn { if pos.1 { Turn::First } else { Turn::Second } }
//! #     fn moves(&self, pos: &(u8, bool), out: &mut Vec<u8>) { out.extend(1..=pos.0.min(2)) }
//! #     fn play(&self, pos: &(u8, bool), mv: u8) -> (u8, bool) { (pos.0 - mv, !pos.1) }
//! #     fn outcome(&self, pos: &(u8, bool)) -> Option<Payoff> {
//! #         (pos.0 == 0).then(|| if pos.1 { -1 } else { 1 })
//! #     }
//! # }
//! # impl Notation for Pile {
//! #     fn spec(&self) -> String { format!("pile:{}", self.0) }
//! #     fn write_position(&self, pos: &(u8, bool)) -> String { format!("{} {}", pos.0, u8::from(pos.1)) }
//! #     fn read_position(&self, text: &str) -> Result<(u8, bool), InputError> {
//! #         Err(InputError::position(text, "not read here"))
//! #     }
//! #     fn write_move(&self, _: &(u8, bool), mv: u8) -> String { mv.to_string() }
//! # }
//! use outplay_answer::{Entry, Place, QueryOptions};
//!
//! // One pile of four matches, take one or two, who takes the last one wins.
//! let why = outplay_explain::why(&Entry::new(Pile(4)), &Place::Start, &QueryOptions::default(), &outplay_core::Quiet)?;
//! assert_eq!(why.sentence, "First wins in 3 plies; 1 is the only move that wins, the other one loses.");
//! # Ok::<(), outplay_answer::Trouble>(())
//! ```

mod alternatives;
mod fours;
mod history;
mod puzzles;
mod reasons;
mod themes;
mod threats;

pub use fours::wins_by_fours;
pub use history::{History, HistoryStep, Mistake, history};
pub use puzzles::{Puzzle, PuzzleKind, puzzle};
pub use reasons::{MarkKind, ReasonMark, ReasonMove, Why, why};
pub use themes::{Difficulty, PuzzleStep};
