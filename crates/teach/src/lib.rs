//! Explanations for people: reasons for a value, threats, comparison of moves, puzzles, and game review.
//!
//! All modules work for any game and take exact values from one oracle, [`outplay_workbench::Oracle`]; this crate
//! contains no solver.
//!
//! ```
//! # use outplay_core::{Game, Payoff, Turn};
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
//! use outplay_workbench::{GameHandle, PositionRef, Session};
//!
//! // One pile of four matches, take one or two; the player who takes the last one wins.
//! let (session, pile) = (Session::default(), GameHandle::new(Pile(4)));
//! let why = outplay_teach::why(&session, &pile, &PositionRef::Start, &outplay_runtime::NoMonitor)?;
//! assert_eq!(why.sentence, "First wins in 3 plies; 1 is the only move that wins, the other one loses.");
//! # Ok::<(), outplay_workbench::Trouble>(())
//! ```

mod alternatives;
mod evaluation;
mod fours;
mod history;
mod plies;
mod puzzles;
mod reasons;
mod review;
mod starts;
mod themes;
mod threats;
mod trace;
mod trees;
mod waves;
mod written_out;

pub use evaluation::{CellValue, Evaluation, draw_evaluation, evaluate, evaluate_unread};
pub use fours::wins_by_fours;
pub use history::{History, HistoryStep, Mistake, history};
pub use plies::{Ply, VisitedPosition, follow};
pub use puzzles::{Puzzle, PuzzleKind, puzzle};
pub use reasons::{Explanation, MarkKind, ReasonMark, ReasonMove, why};
pub use review::{GameReview, JudgedMoves, TurningPoint, turning_point};
pub use starts::start;
pub use themes::{Difficulty, PuzzleStep};
pub use trace::{Trace, TraceNode, TraceRequest, TraceValue, trace};
pub use trees::{TreeNode, TreeReport, dice_tree, tree};
pub use waves::{ValuedPosition, Wave, Waves, values, waves};
pub use written_out::{WrittenOut, write_out};
