//! Exact values of every position of a game, found without naming the game.
//!
//! | solver | how | memory |
//! |---|---|---|
//! | [`plain`] | minimax from the top, again and again through the same positions | the depth of the game |
//! | [`memo`] | minimax from the top, each position once, remembered by hash | all reached positions |
//! | [`sweep`] | from the last tier of an index to the first, no recursion, no hash | a byte per number |
//! | [`retrograde`] | from finished positions backwards, for games with loops | two bytes per number |
//! | [`sweep_until_stable`] | all positions again and again until nothing changes | the same |
//! | [`chance`] | mean payoffs of games with dice, one pass or until settled | a graph of the tier |
//! | [`chance_rolls`] | the same, keeping only positions before a roll | a few bytes per roll |
//! | [`solve_together`] | any of the first without dice, on several machines | a share of the positions |
//!
//! They agree position by position; `plain` is the oracle for the others. No solver does I/O or prints.
//!
//! ```
//! use outplay_core::{Game, Quiet, Verdict};
//! use outplay_games::{Spec, nim::Nim};
//! use outplay_solve::{memo, plain};
//!
//! let nim = Nim::from_spec(Spec::parse("nim:1+2+3")?)?;
//! let start = nim.start().ok_or("nim has a start")?;
//! let remembered = memo(&nim, &start, u64::MAX, &Quiet)?;
//! assert_eq!(remembered.found().value, plain(&nim, &start, &Quiet)?.value);
//! assert_eq!(remembered.found().value.verdict(), Verdict::Loss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod chance;
mod error;
mod explored;
mod memo;
mod plain;
mod reach;
mod remembered;
mod retrograde;
mod spread;
mod sweep;
mod swindle;
mod tally;
mod verify;

pub use chance::{
    Expected, KeepMeans, Means, Settle, Settled, chance, chance_kept, chance_rolls, chance_rolls_kept,
    expand, plain_chance, verify_chance, verify_rolls,
};
pub use error::SolveError;
pub use explored::Explored;
pub use memo::{Memo, memo, memo_bytes_per_position};
pub use plain::{Found, plain};
pub use reach::{Reach, reach};
pub use remembered::remembered_sweep;
pub use retrograde::{
    Draws, Flaw, Forget, Keep, Known, LoopCode, Options, Solved, Stable, TwoBits, Verified, WideLoopCode,
    looked_up, retrograde, retrograde_by_graph, retrograde_by_graph_kept, retrograde_kept,
    sweep_until_stable, tally_of, verify_loops,
};
pub use spread::{Blocks, Scattered, Site, Spot, Together, Values, count_together, solve_together};
pub use sweep::{Swept, sweep};
pub use swindle::{Fallible, Hope, hardest, hardest_watched};
pub use tally::{Split, Tally, TierTally};
pub use verify::{canonical, settled, verify};
