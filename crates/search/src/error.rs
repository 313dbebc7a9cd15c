//! Why a search could not answer at all. Running into a limit is no error: the report says so.

use thiserror::Error;

/// A game that this search cannot search, or something that broke on the way.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchError {
    /// Dice are rolled.
    #[error("the game rolls dice, which this search cannot follow; use expectiminimax, Star1 or Star2")]
    Chance,
    /// Payoffs are too large for the search's numbers.
    #[error("a payoff of {0} does not fit; scale the payoffs down to at most 8191")]
    Payoff(i32),
    /// The breadth-first search keeps all positions and met too many.
    #[error("more than {0} positions to keep in memory; lower the depth or search depth-first")]
    TooLarge(usize),
    /// A table or book that was asked is damaged.
    #[error("a table could not answer: {0}")]
    Probe(String),
    /// Somebody asked to stop, and half an answer is of no use.
    #[error("stopped before the end; ask for less depth")]
    Stopped,
    /// The rules themselves failed.
    #[error("the game's rules failed: {0}")]
    Fault(String),
}
