//! Gomoku-style search engine for k in a row on boards of any size, with obstacles, preset stones, gravity and misère.
//!
//! | file | contents |
//! |---|---|
//! | `shape` | shapes along one direction: open three, four … |
//! | `weights` | evaluation weights of shapes |
//! | `ground` | board with incrementally updated shapes, threat lists and Zobrist hash |
//! | `attack` | VCT: wins by continuous fours and open threes, as trees that can be written as proofs |
//! | `search` | PVS with late move reductions, VCF and forward pruning |
//! | `table` | transposition table, lockless |
//! | `engine` | iterative deepening and Lazy SMP, within limits |
//!
//! Invariant: a win or loss that is *claimed* is proven. Where forward pruning omitted moves of the losing
//! side, the score is marked as unproven instead.
//!
//! ```
//! use outplay_core::{Content, LineBoard};
//! use outplay_runtime::NoMonitor;
//! use outplay_patterns::{PatternEngine, PatternLimits, Settings};
//!
//! // Three in a row in the middle of an empty board: nothing stops them.
//! let mut board = LineBoard::empty(15, 15, 5);
//! for column in 6..9 {
//!     let cell = board.cell(column, 7);
//!     board.cells[cell] = Content::First;
//! }
//! let mut engine = PatternEngine::new(&board, Settings::default()).unwrap();
//! let limits = PatternLimits { depth: Some(4), ..PatternLimits::default() };
//! let found = engine.think(&board, &limits, &NoMonitor).unwrap();
//! assert_eq!(found.wins_in, Some(3));
//! ```

mod attack;
mod engine;
mod ground;
mod search;
mod shape;
mod table;
mod weights;

pub use engine::{PatternEngine, PatternLimits, PatternResult, Settings, census, opinion};
pub use shape::MOST_K;
pub use weights::{NAMES, Weights};
