//! Game-tree search for any game: alpha-beta, PVS, expectiminimax, playouts.
//!
//! | item | purpose |
//! |---|---|
//! | [`SearchEngine`] | minimax, alpha-beta and PVS with transposition table, move ordering and Lazy SMP |
//! | [`breadth_first`] | minimax level by level, for comparison |
//! | [`expectimax`] | games with chance: expectiminimax, Star1 and Star2 (Ballard 1983) |
//! | [`tree()`] | a small search recorded and drawn, which makes pruning visible |
//! | [`playouts`] | Monte Carlo playouts |
//!
//! The rules come from [`outplay_core::Game`], the evaluation function from [`Evaluate`]; the default
//! evaluation is 0. A search that visited the whole tree returns an exact [`outplay_core::Value`]. Any other
//! search returns proven bounds and, separately, a heuristic score. This crate does no I/O and contains no
//! game.
//!
//! ```
//! use outplay_core::{Game, Value};
//! use outplay_runtime::NoMonitor;
//! use outplay_games::{Spec, nim::Nim};
//! use outplay_search::{SearchEngine, SearchLimits, SearchOptions, SearchValue};
//!
//! let nim = Nim::from_spec(Spec::parse("nim:2+2")?)?;
//! let start = nim.start().ok_or("nim has a start")?;
//! let report = SearchEngine::new(&nim, SearchOptions::default()).search(&start, SearchLimits::NONE, &NoMonitor)?;
//! assert_eq!(report.answer, SearchValue::Exact(Value::loss(3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bare;
mod breadth;
mod cache;
mod clock;
mod dice;
mod dice_tree;
mod engine;
mod error;
mod evaluate;
mod full;
mod options;
mod order;
mod playout;
mod report;
mod score;
mod stack;
mod table;
mod tree;
mod tree_order;
mod tree_svg;
mod tree_text;
mod zobrist;

pub use breadth::{Breadth, breadth_first};
pub use dice::{DiceMethod, DiceReport, expectimax};
pub use dice_tree::dice_tree;
pub use engine::{EngineMemory, SearchEngine};
pub use error::SearchError;
pub use evaluate::{Evaluate, Zero};
pub use options::{Limit, SearchLimits, SearchMethod, SearchOptions, TableKey};
pub use outplay_core::Counters;
pub use playout::{PlayoutOptions, Playouts, playouts, playouts_with_dice};
pub use report::{RatedMove, SearchResult, SearchValue};
pub use stack::MOST_PLIES;
pub use table::{GameKeys, Keys, PositionHash};
pub use tree::{Bound, Branch, Cut, Fate, Tree, TreeOptions, Worth, tree};
pub use tree_order::TreeOrder;
