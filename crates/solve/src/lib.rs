//! Strong solvers: the exact value of every position of any game that implements the traits of `outplay_core`.
//!
//! | solver | algorithm | memory |
//! |---|---|---|
//! | [`plain`] | depth-first minimax without memory; transpositions are searched again | the depth of the game |
//! | [`memo`] | depth-first minimax with memoization in a hash map | all reached positions |
//! | [`sweep`] | backward induction over the tiers of an acyclic index | one byte per rank |
//! | [`retrograde`] | retrograde analysis, for games with cycles | two bytes per rank |
//! | [`sweep_until_stable`] | value iteration to the fixed point, for games with cycles | two codes per rank |
//! | [`chance`] | expected payoffs of games with chance: one pass, or value iteration | a graph of the tier |
//! | [`chance_rolls`] | modified policy iteration that stores only positions before a roll | a few bytes per position |
//! | [`solve_together`] | distributed retrograde analysis, for games without chance | a share of the positions |
//!
//! All solvers agree position by position; `plain` is the oracle for the others. No solver does I/O or prints.
//!
//! ```
//! use outplay_core::{Game, Verdict};
//! use outplay_runtime::NoMonitor;
//! use outplay_games::{Spec, nim::Nim};
//! use outplay_solve::{memo, plain};
//!
//! let nim = Nim::from_spec(Spec::parse("nim:1+2+3")?)?;
//! let start = nim.start().ok_or("nim has a start")?;
//! let remembered = memo(&nim, &start, u64::MAX, &NoMonitor)?;
//! assert_eq!(remembered.found().value, plain(&nim, &start, &NoMonitor)?.value);
//! assert_eq!(remembered.found().value.verdict(), Verdict::Loss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod chance;
mod distributed;
mod error;
mod explored;
mod lawful;
mod memo;
mod plain;
mod reach;
mod remembered;
mod retrograde;
mod sweep;
mod swindle;
mod tally;
mod verify;

pub use chance::{
    ExpectedPayoffs, KeepMeans, Means, Settle, TierConvergence, chance, chance_kept, chance_rolls,
    chance_rolls_kept, expand, plain_chance, verify_chance, verify_rolls,
};
pub use distributed::{
    Blocks, GlobalId, RankContext, RankValues, ShardedGraph, Spot, count_together, solve_together,
};
pub use error::SolveError;
pub use explored::ExploredGame;
pub use memo::{Memo, memo, memo_bytes_per_position};
pub use plain::{DepthFirstResult, plain};
pub use reach::{Reach, reach};
pub use remembered::remembered_sweep;
pub use retrograde::{
    Draws, Flaw, Forget, Keep, LoopCode, RetrogradeOptions, RetrogradeValues, SolvedProbe, Stable, TwoBits,
    Verification, WideLoopCode, looked_up, retrograde, retrograde_by_graph, retrograde_by_graph_kept,
    retrograde_kept, sweep_until_stable, tally_of, verify_loops,
};
pub use sweep::{SweepValues, sweep};
pub use swindle::{Fallible, Hope, hardest, hardest_watched};
pub use tally::{Split, Tally, TierTally};
pub use verify::{canonical, settled, verify};
